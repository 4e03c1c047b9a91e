#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What Lyra's library uses of SystemC is what IEEE 1666-2011 has, so that it builds against any simulator's kernel: systemc_names.py SOURCE_DIRECTORY.

Every name of sc_core, sc_dt and tlm in models/ and platforms/ must stand below. Look a new one up in the standard before you add it here."""
import os
import re
import sys

STANDARD = set("""
sc_module sc_module_name sc_main sc_event sc_time sc_time_stamp sc_start sc_pause sc_pending_activity sc_time_to_pending_activity sc_get_time_resolution sc_spawn sc_spawn_options
sc_process_handle sc_get_current_process_handle sc_gen_unique_name sc_report sc_report_handler wait
SC_ZERO_TIME SC_PS SC_MS SC_EXIT_ON_STARVATION SC_ERROR SC_FATAL SC_THROW SC_DO_NOTHING SC_NONE SC_REPORT_ERROR SC_REPORT_FATAL SC_HAS_PROCESS SC_METHOD SC_THREAD uint64
tlm_generic_payload tlm_command tlm_response_status tlm_phase tlm_sync_enum tlm_extension tlm_extension_base tlm_mm_interface tlm_dmi
tlm_fw_transport_if tlm_bw_transport_if tlm_initiator_socket tlm_target_socket BEGIN_REQ END_REQ BEGIN_RESP END_RESP TLM_ACCEPTED TLM_UPDATED TLM_COMPLETED
TLM_READ_COMMAND TLM_WRITE_COMMAND TLM_IGNORE_COMMAND TLM_OK_RESPONSE TLM_INCOMPLETE_RESPONSE TLM_ADDRESS_ERROR_RESPONSE TLM_BURST_ERROR_RESPONSE TLM_BYTE_ENABLE_ERROR_RESPONSE
TLM_COMMAND_ERROR_RESPONSE TLM_GENERIC_ERROR_RESPONSE TLM_BYTE_ENABLED TLM_BYTE_DISABLED
""".split())
# inside #if defined(SC_API_VERSION_STRING), with a way around it that the standard has
GUARDED = {("models/fabric/clock.h", "sc_get_curr_simcontext"), ("models/fabric/clock.h", "SC_API_VERSION_STRING")}

root, wrong, files = sys.argv[1], [], 0
for folder in ("models", "platforms"):
    for at, _, names in os.walk(os.path.join(root, folder)):
        for name in names:
            if not name.endswith((".h", ".cpp")):
                continue
            files += 1
            path = os.path.relpath(os.path.join(at, name), root)
            text = re.sub(r'//[^\n]*|"(?:[^"\\\n]|\\.)*"', "", open(os.path.join(root, path), encoding="utf-8").read())
            used = set(re.findall(r"\b(?:sc_core|sc_dt|tlm)::(\w+)", text)) | set(re.findall(r"\b(?:sc_[a-z]\w*|SC_[A-Z]\w*|tlm_[a-z]\w*|TLM_[A-Z]\w*)\b", text))
            for word in sorted(used - STANDARD - {"sc_core", "sc_dt"}):
                if (path, word) not in GUARDED:
                    wrong.append(f"{path}: {word} is not among the names of IEEE 1666-2011 that this test knows")
print("\n".join(wrong) or f"{files} files use names of the standard only")
sys.exit(1 if wrong or files < 100 else 0)
