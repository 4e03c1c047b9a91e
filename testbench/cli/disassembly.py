#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`lyra disasm` and `lyra info` on real objects and on bare code."""
import re
import subprocess

import support
from support import CASES, LyraTest, assemble


class Disassembly(LyraTest):
    def test_objects_print_as_llvm_objdump_does(self):
        for co in sorted(CASES.glob("ocl/*/k*.co")):
            code, out, err = self.lyra("disasm", co)
            self.assertEqual((code, err), (0, ""), co)
            wanted = subprocess.run(["llvm-objdump-15", "-d", str(co)], capture_output=True, text=True, check=True).stdout
            ours, llvm = out.splitlines(), wanted.splitlines()
            for a, b in zip(ours, llvm):
                self.assertEqual(a, b, co)
            self.assertEqual(len(ours), len(llvm), co)

    def test_bare_code_for_either_chip(self):
        (self.folder / "x.bin").write_bytes(assemble("v_dot4_i32_i8 v0, v1, v2, v3\ns_endpgm", "gfx906"))
        code, out, err = self.lyra("disasm", "x.bin", "--target", "gfx906")
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r"\tv_dot4_i32_i8 v0, v1, v2, v3 +// 000000000000: [0-9A-F]{8} [0-9A-F]{8}\n\ts_endpgm")
        code, out, err = self.lyra("disasm", "x.bin")  # gfx900 has no such instruction: reported, not guessed
        self.assertEqual(code, 0)
        self.assertRegex(out, r"\.long 0x[0-9a-f]{8} .* illegal: ")
        self.assertRegex(err, r"x\.bin: \d+ illegal dword")

    def test_bytes_left_over_are_shown(self):
        (self.folder / "x.bin").write_bytes(assemble("s_nop 0") + b"\x01\x02")
        code, out, err = self.lyra("disasm", "x.bin")
        self.assertRegex(out, r"\.byte 0x01, 0x02")

    def test_target_that_contradicts_the_object(self):
        self.fails(2, r"is code for gfx900, not gfx906", "disasm", CASES / "ocl/vadd/k.co", "--target", "gfx906")

    def test_info_names_kernels_arguments_and_resources(self):
        code, out, err = self.lyra("info", CASES / "ocl/vadd/k.co")
        self.assertEqual((code, err), (0, ""))
        for word in ("gfx900", "vadd", "float*", "VGPR", "SGPR"):
            self.assertTrue(re.search(re.escape(word), out, re.I), f"{word} not in\n{out}")


if __name__ == "__main__":
    support.main()
