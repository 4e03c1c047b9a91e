#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a run costs in host memory: resident bytes of the process, as the kernel counts them."""
import os
import subprocess

import support
from support import LyraTest


class HostMemory(LyraTest):
    def resident(self, *arguments):
        """Peak resident megabytes of a run that must succeed."""
        p = subprocess.Popen([support.LYRA, *map(str, arguments)], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        err = p.stderr.read().decode()
        _, status, usage = os.wait4(p.pid, 0)
        p.stderr.close()
        p.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual((p.returncode, err), (0, ""))
        return usage.ru_maxrss / 1024

    def test_idle_vega10_is_small(self):
        self.raw("s_endpgm")
        self.assertLess(self.resident("run", "raw.toml", "--machine", "vega10"), 100)

    def test_large_buffer_costs_what_is_touched(self):
        # each lane of one wave stores to its own 64 MB of a 4 GB buffer; the last lane's neighbourhood is checked
        stores = """v_lshlrev_b32 v3, 26, v0
            v_mov_b32 v4, 0x10
            global_store_dword v[3:4], v0, off
            s_waitcnt vmcnt(0)
            s_endpgm"""
        big = "[buffer.big]\nsize = 0x100000000\naddress = 0x1000000000\n"
        expect = "".join(f'\n[[expect]]\nbuffer = "big"\nvalue = {{ u32 = {lane} }}\ntype = "u32"\noffset = {lane << 26}\ncount = 1\n' for lane in (0, 1, 31, 63))
        self.raw("s_endpgm")
        idle = {m: self.resident("run", "raw.toml", "--mode", m) for m in ("at", "lt")}
        self.raw(stores, buffers=big, more=expect)
        for mode in ("at", "lt"):
            self.assertLess(self.resident("run", "raw.toml", "--mode", mode), idle[mode] + 16, mode)  # 64 pages of 4 KB, and tables


if __name__ == "__main__":
    support.main()
