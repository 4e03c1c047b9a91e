#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is wrong is said clearly, with its place and the right exit code: 1 a wrong result, 2 bad input, 3 a fault of the machine or the program on it."""
import pathlib
import signal
import struct
import subprocess
import time

import support
from support import LyraTest


class Files(LyraTest):
    def setUp(self):
        super().setUp()
        self.copy_case("ocl/vadd")

    def object(self, data):
        (self.folder / "x.co").write_bytes(data)
        return self.job("k.co", "x.co")

    def test_a_right_job_exits_0(self):
        code, out, err = self.lyra("run", "job.toml")
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, "all 1 expectations hold")

    def test_a_wrong_result_exits_1_and_shows_the_first_differences(self):
        gold = bytearray((self.folder / "o.gold.bin").read_bytes())
        gold[400:404] = struct.pack("<f", 12345.5)
        (self.folder / "o.gold.bin").write_bytes(gold)
        self.fails(1, r"job\.toml:\d+: buffer o: 1 of 10000 f32 elements wrong[^\n]*\n +o\[100\] .*expected 12345\.5", "run", "job.toml")

    def test_truncated_object_at_every_length(self):
        whole = (self.folder / "k.co").read_bytes()
        for n in (0, 3, 63, 64, 100, 500, 700, 1500, len(whole) - 65, len(whole) - 1):
            self.fails(2, r"lyra: x\.co: (truncated|damaged)", "run", self.object(whole[:n]))

    def test_damaged_object_never_crashes(self):
        whole = (self.folder / "k.co").read_bytes()
        for position in range(0, min(len(whole), 3000), 97):
            damaged = bytearray(whole)
            damaged[position:position + 4] = b"\xff\xff\xff\xff"
            name = self.object(damaged)
            code, out, err = self.lyra("run", name, "--machine", "cu", "--mode", "lt", "--max-cycles", "3000000")
            self.assertIn(code, (0, 1, 2, 3), f"byte {position}: {code}\n{err}")
            self.assertTrue(code == 0 or err.strip(), f"byte {position}: exit {code} without a word")

    def test_foreign_elf(self):
        self.fails(2, r"x\.co: foreign ELF file: .* AMDGPU", "run", self.object(pathlib.Path(support.LYRA).read_bytes()[:100000]))
        self.fails(2, r"x\.co: ", "run", self.object(b"hello, world" * 100))

    def test_wrong_target(self):
        data = bytearray((self.folder / "k.co").read_bytes())
        flags = struct.unpack_from("<I", data, 48)[0]
        struct.pack_into("<I", data, 48, flags & ~0xff | 0x33)  # EF_AMDGPU_MACH of gfx1010
        self.fails(2, r"x\.co: .*(gfx1010|target|chip)", "run", self.object(data))

    def test_wrong_target_of_bare_code(self):
        (self.folder / "x.bin").write_bytes(b"\0\0\x81\xbf")
        (self.folder / "x.toml").write_text("[code]\nraw = \"x.bin\"\ntarget = \"gfx1030\"\n")
        self.fails(2, r"x\.toml:\d+: .*gfx1030", "run", "x.toml")

    def test_missing_files(self):
        self.fails(2, r"nope\.toml: cannot read the job file", "run", "nope.toml")
        self.fails(2, r'changed\.toml:\d+: .*no such file "nope\.co"', "run", self.job("k.co", "nope.co"))
        self.fails(2, r'changed\.toml:\d+: \[buffer\.a\]: no such file "nope\.bin"', "run", self.job("a.bin", "nope.bin"))
        self.fails(2, r"nope\.co", "info", "nope.co")
        self.fails(2, r"nope\.co", "disasm", "nope.co")
        self.fails(2, r"directory", "info", ".")
        self.fails(2, r"directory", "disasm", ".")
        self.fails(2, r"/nope/x\.vcd: cannot create", "run", "job.toml", "--vcd", "/nope/x.vcd")
        self.fails(2, r"/nope/x\.json: cannot write", "run", "job.toml", "--stats", "/nope/x.json")


class Jobs(LyraTest):
    def setUp(self):
        super().setUp()
        self.copy_case("ocl/vadd")

    def wrong(self, old, new, pattern):
        self.fails(2, r"lyra: changed\.toml:\d+: " + pattern, "run", self.job(old, new))

    def test_missing_kernel_names_the_nearest(self):
        self.wrong('"vadd"', '"vad"', r'.*no kernel "vad".*did you mean "vadd"')

    def test_wrong_argument_count(self):
        self.wrong(", {i32=10000}", "", r'kernel "vadd" takes 4 arguments, the job gives 3')
        self.wrong("{i32=10000}", "{i32=10000}, {i32=1}", r'kernel "vadd" takes 4 arguments, the job gives 5')

    def test_wrong_argument_type(self):
        self.wrong("{i32=10000}", "{f32=1.0}", r"kernel \"vadd\": argument 3 .* is an integer, the job gives f32")
        self.wrong("{i32=10000}", "{i64=1}", r"kernel \"vadd\": argument 3 .* does not fit i64 \(8 bytes\)")
        self.wrong("{i32=10000}", '{buffer="a"}', r"kernel \"vadd\": argument 3")
        self.wrong('{buffer="a"}', '{buffer="aa"}', r'.*"aa"')

    def test_unknown_key(self):
        self.wrong("grid =", "gird =", r'unknown key "gird"')
        self.wrong("size =", "siz =", r'unknown key "siz"')

    def test_bad_values(self):
        self.wrong("size = 40000", 'size = "many"', r"\[buffer\.o\]: size must be an integer")
        self.wrong("size = 40000", "size = -4", r"\[buffer\.o\]: size = -4 must not be negative")
        self.wrong("10240, 1, 1", "0, 1, 1", r".*grid = 0 must be in 1\.\.")
        self.wrong("256, 1, 1", "2048, 1, 1", r".*workgroup = 2048 must be in 1\.\.1024")
        self.wrong('"f32"', '"f33"', r'.*"f33"')
        self.wrong("[code]", "[code", "")

    def test_expectation_beyond_its_buffer(self):
        self.wrong('type = "f32"', 'type = "f32"\noffset = 39996\ncount = 2', r".*o")


class CommandLine(LyraTest):
    def setUp(self):
        super().setUp()
        self.copy_case("ocl/vadd")

    def test_unknown_parameter_names_the_nearest(self):
        self.fails(2, r'--set: no parameter "l2\.chanels"; did you mean "l2\.channels"', "run", "job.toml", "--set", "l2.chanels=4")

    def test_impossible_parameter_values(self):
        self.fails(2, r"l2\.channels = abc: must be a whole number", "run", "job.toml", "--set", "l2.channels=abc")
        self.fails(2, r"l2\.channels = 0: must be in 1\.\.64", "run", "job.toml", "--set", "l2.channels=0")
        self.fails(2, r"--set", "run", "job.toml", "--set", "l2.channels")

    def test_values_that_do_not_go_together(self):
        self.fails(2, r"l1\.size_bytes = 16384, l1\.ways = 3: the number of sets, each of 3 64-byte lines, must be a power of two: give 12288 or 24576 bytes", "run", "job.toml", "--set", "l1.ways=3")
        self.fails(2, r"scalar_cache\.size_bytes = 12288, scalar_cache\.ways = 4: the number of sets, each of 4 64-byte lines, must be a power of two: give 8192 or 16384 bytes", "run", "job.toml", "--set", "scalar_cache.size_bytes=12288", "--set", "scalar_cache.ways=4")
        self.fails(2, r"instruction_cache\.size_bytes = 30000", "run", "job.toml", "--set", "instruction_cache.size_bytes=30000")
        self.fails(2, r"l2\.size_bytes = 196608, l2\.ways = 16: the number of sets", "run", "job.toml", "--set", "l2.size_bytes=196608")
        self.fails(2, r"crossbar\.interleave_bytes = 500: must be a power of two: 256 or 512", "run", "job.toml", "--set", "crossbar.interleave_bytes=500")
        self.fails(2, r"l2\.channels = 10: crossbar\.hash = xor_fold needs a power of two", "run", "job.toml", "--set", "l2.channels=10")
        code, out, err = self.lyra("run", "job.toml", "--quiet", "--set", "l2.channels=10", "--set", "crossbar.hash=linear")
        self.assertEqual((code, err), (0, ""))

    def test_unknown_machine_lists_the_known(self):
        self.fails(2, r"--machine vega11: no such machine: give one of cu, mi100, vega10, vega20", "run", "job.toml", "--machine", "vega11")

    def test_unknown_options(self):
        self.fails(2, r"--bogus", "run", "job.toml", "--bogus")
        self.fails(2, r"--mode", "run", "job.toml", "--mode", "xx")
        self.fails(2, r"--trace-window x: give FROM:TO", "run", "job.toml", "--trace-window", "x")
        self.fails(2, r"--target gfx1100: no such chip", "disasm", "k.co", "--target", "gfx1100")
        self.fails(2, r"subcommand", )

    def test_max_cycles_stops_where_it_says_and_shows_what_runs(self):
        for mode in ("at", "lt"):
            for cycles in (1, 1000, 3000):
                self.fails(3, rf"lyra/max-cycles: not finished after {cycles} cycles", "run", "job.toml", "--max-cycles", cycles, "--mode", mode)
        err = self.fails(3, r"lyra/max-cycles", "run", "job.toml", "--max-cycles", 3500)
        self.assertRegex(err, r"cu\d+ simd\d wave\d .*kernel vadd.* at PC 0x[0-9a-f]+[: ]")


class Faults(LyraTest):
    MODES = ("at", "lt")

    def stops(self, pattern, job="raw.toml", *more):
        for mode in self.MODES:
            self.fails(3, pattern, "run", job, "--machine", "cu", "--mode", mode, *more)

    def test_code_address_outside_memory(self):
        self.raw("s_setpc_b64 s[0:1]", user=(0, 0x5555))
        self.stops(r"lyra/fault/instruction-fetch: .*0x555500000000\n +at PC 0x555500000000 in cu0 simd0 wave0")

    def test_unaligned_register_pair(self):
        self.raw(bytes.fromhex("010181be") + bytes.fromhex("000081bf"))
        self.stops(r"lyra/fault/illegal-instruction: illegal instruction 0xbe810101: .*s\[1:2\] is not aligned.*\n +at PC 0x200000000 ")

    def test_illegal_encoding(self):
        self.raw(assemble_endpgm(3) + b"\xff\xff\xff\xff")
        code, out, err = self.lyra("run", "raw.toml", "--machine", "cu")
        self.assertEqual(code, 0, err)  # never reached
        self.raw(b"\xff\xff\xff\xff" + assemble_endpgm(1))
        self.stops(r"lyra/fault/illegal-instruction: illegal instruction 0xffffffff")

    def test_group_that_never_fits(self):
        self.raw("s_endpgm", grid=1024, group=1024, vgprs=128)
        self.fails(2, r"a workgroup of 1024 work-items can never run: it needs 16 waves of 128 VGPRs", "run", "raw.toml", "--machine", "cu")
        self.raw("s_endpgm", lds=70000)
        self.fails(2, r"raw\.toml:\d+: .*lds = 70000", "run", "raw.toml")
        self.raw("s_endpgm", vgprs=300)
        self.fails(2, r"raw\.toml:\d+: .*vgprs = 300 must be in 1\.\.256", "run", "raw.toml")

    def test_load_from_unmapped_address_names_pc_and_lane(self):
        # lanes 0 to 36 read inside of the buffer, lane 37 and up far behind it
        self.raw("""v_lshlrev_b32 v3, 2, v0
            v_mov_b32 v4, 1
            v_cmp_lt_u32 vcc, 36, v0
            v_cndmask_b32 v5, 0, 1, vcc
            v_lshlrev_b32 v5, 20, v5
            v_add_u32 v3, v3, v5
            global_load_dword v1, v[3:4], off
            s_waitcnt vmcnt(0)
            s_endpgm""")
        self.stops(r"lyra/fault/memory-violation: .*lane 37 accesses 0x100100094, which is not mapped\n +at PC 0x20000001c \(global_load_dword v1, v\[3:4\], off\) in cu0 simd0 wave0")

    def test_store_atomic_and_scalar_load_to_unmapped_addresses(self):
        head = "v_mov_b32 v3, 0\nv_mov_b32 v4, 0x77\n"
        for access in ("global_store_dword v[3:4], v0, off", "global_atomic_add v[3:4], v0, off", "flat_load_dword v1, v[3:4]\ns_waitcnt vmcnt(0) lgkmcnt(0)"):
            self.raw(head + access + "\ns_endpgm")
            self.stops(r"lyra/fault/memory-violation: .*lane 0 accesses 0x7700000000, which is not mapped")
        self.raw("s_load_dword s4, s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\ns_endpgm", user=(0, 0x77))
        self.stops(r"lyra/fault/memory-violation: .*0x7700000000.*\n.*s_load_dword s4")

    def test_first_byte_behind_a_buffer_faults(self):
        for offset, right in ((4092, True), (4096, False)):
            self.raw(f"v_mov_b32 v3, {offset}\nv_mov_b32 v4, 1\nglobal_load_dword v1, v[3:4], off\ns_waitcnt vmcnt(0)\ns_endpgm")
            if right:
                self.assertEqual(self.lyra("run", "raw.toml", "--machine", "cu")[0], 0)
            else:
                self.stops(r"0x100001000, which is not mapped")

    # wave 0 of the group leaves the code path with the barrier: it halts
    LEFT_ALONE = """v_readfirstlane_b32 s4, v0
        s_cmp_eq_u32 s4, 0
        s_cbranch_scc1 2
        s_barrier
        s_endpgm
        s_sethalt 1
        s_endpgm"""

    def test_barrier_that_cannot_be_met_is_explained(self):
        self.raw(self.LEFT_ALONE, grid=128, group=128)
        self.stops(r"(?s)lyra/deadlock: .*is halted \(s_sethalt\).*waits at s_barrier: 1 of 2 waves of its workgroup have arrived")

    def test_endless_loop_stops_at_max_cycles(self):
        self.raw("s_nop 0\ns_branch 65534")
        self.stops(r"lyra/max-cycles: not finished after 20000 cycles.*\n +cu0 simd0 wave0 ", "raw.toml", "--max-cycles", "20000")
        self.raw("s_sleep 10\ns_branch 65534")
        self.stops(r"lyra/max-cycles: not finished after 20000 cycles", "raw.toml", "--max-cycles", "20000")

    def test_an_interrupted_run_says_what_its_waves_do_and_dies_by_the_signal(self):
        self.raw("s_nop 0\ns_branch 65534")
        for mode in ("at", "lt"):
            for number in (signal.SIGINT, signal.SIGTERM):
                run = subprocess.Popen([support.LYRA, "run", "raw.toml", "--machine", "cu", "--mode", mode, "--stats", "s.json", "--stats-every", "1000"], cwd=self.folder, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
                samples = self.folder / "s.jsonl"
                while not (samples.exists() and samples.stat().st_size):  # it runs
                    self.assertIsNone(run.poll())
                    time.sleep(0.02)
                run.send_signal(number)
                out, err = run.communicate(timeout=60)
                samples.unlink()
                self.assertEqual(run.returncode, -number)
                self.assertRegex(err, rf"lyra/interrupted: {number.name} at cycle \d+\.\n +cu0 simd0 wave0 .*\n")

    def test_read_before_wait_is_found_the_same_everywhere(self):
        self.raw("v_mov_b32 v3, 0\nv_mov_b32 v4, 1\nglobal_load_dword v1, v[3:4], off\nv_add_u32 v2, v1, v1\ns_waitcnt vmcnt(0)\ns_endpgm")
        texts = set()
        for options in (["--mode", "at"], ["--mode", "lt"], ["--set", "chaos.seed=5"]):
            code, out, err = self.lyra("run", "raw.toml", "--machine", "cu", "--quiet", *options)
            self.assertEqual(code, 0, err)
            self.assertRegex(err, r"v1")
            self.assertRegex(err, r"v_add_u32")
            texts.add(support.re.sub(r"cycle \d+|at \d+ ?[a-z]*s", "", err))
        self.assertEqual(len(texts), 1, texts)


def assemble_endpgm(n):
    return bytes.fromhex("000081bf") * n


if __name__ == "__main__":
    support.main()
