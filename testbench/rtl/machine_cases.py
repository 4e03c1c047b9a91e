#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whole machines with RTL in place: machine_cases.py LYRA_RTL LYRA. Memory as with the models, cycles and cost printed; planted bugs, time-outs, names."""
import os
import pathlib
import re
import resource
import struct
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = os.path.join(HERE, '..', 'cases', 'ocl')
LYRA_RTL, LYRA = (os.path.abspath(p) for p in sys.argv[1:3])
cpu_seconds = 0.0  # of the last run
KERNELS = ['mm_lds', 'histogram', 'atomics32', 'reduction']


def run(kernel, *settings, lyra=LYRA_RTL, extra=()):
    """Exit code, output and the counters of one run; `settings` are for --set."""
    with tempfile.TemporaryDirectory() as d:
        stats = os.path.join(d, 's.json')
        command = [lyra, 'run', os.path.join(CASES, kernel, 'job.toml'), '--machine', 'cu', '--stats', stats, *extra]
        for s in settings:
            command += ['--set', s]
        before = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
        r = subprocess.run(command + ['--set', 'rtl.compare_vcd=difference.vcd'], capture_output=True, text=True, cwd=d)
        global cpu_seconds
        cpu_seconds = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - before
        files = {f: pathlib.Path(d, f).read_text() for f in os.listdir(d)}
        return r.returncode, r.stdout + r.stderr, files.get('s.json', ''), {f: t for f, t in files.items() if f.endswith('.vcd')}


def run_program(body, *settings, extra=()):
    """Exit code, output and the dwords of the buffer "out" (s[0:1]) of an assembly program: two workgroups of a wave, s4 is their number."""
    with tempfile.TemporaryDirectory() as d:
        at = pathlib.Path(d)
        (at / 'a.s').write_text('.text\n' + body + '\n')
        subprocess.run(['clang-15', '-target', 'amdgcn-amd-amdhsa', '-mcpu=gfx900', '-c', at / 'a.s', '-o', at / 'a.o'], check=True)
        subprocess.run(['llvm-objcopy-15', '-O', 'binary', '-j', '.text', at / 'a.o', at / 'a.bin'], check=True)
        (at / 'job.toml').write_text('[code]\nraw = "a.bin"\n[buffer.out]\nsize = 1024\n[buffer.pad]\nsize = 64\n[[dispatch]]\ngrid = [128, 1, 1]\nworkgroup = [64, 1, 1]\nlds = 256\nvgprs = 16\nsgprs = 16\n'
                                     'workgroup_id = "x"\nuser_sgprs = [{buffer_lo="out"}, {buffer_hi="out"}, 0, 0]\n[[output]]\nbuffer = "out"\nfile = "out.bin"\n')
        command = [LYRA_RTL, 'run', at / 'job.toml', '--machine', 'cu', '--output-dir', d, *extra]
        for s in settings:
            command += ['--set', s]
        r = subprocess.run(command, capture_output=True, text=True, cwd=d)
        out = (at / 'out.bin').read_bytes() if (at / 'out.bin').exists() else b''
        return r.returncode, r.stdout + r.stderr, list(struct.unpack(f'<{len(out) // 4}I', out))


def cycles(text):
    return int(re.search(r'total (\d+) cycles', text)[1])


def rtl_clocks(counters):
    return sum(int(x) for x in re.findall(r'"clock_cycles": \{\s*"value": (\d+)', counters))


class WholeMachines(unittest.TestCase):
    def test_memory_is_the_same_with_rtl(self):
        print()
        print(f'{"kernel":10} {"blocks in RTL":24} {"cycles":>9} {"model":>9} {"RTL clocks":>11} {"ns a RTL clock":>15}')
        for kernel in KERNELS:
            code, text, _, _ = run(kernel)
            self.assertEqual(code, 0, text)
            model, base = cycles(text), cpu_seconds
            for blocks in (['lds=rtl:lds'], ['atomic=rtl:atomic_unit'], ['memory=rtl:axi4_memory'], ['lds=rtl:lds', 'atomic=rtl:atomic_unit', 'memory=rtl:axi4_memory_64']):
                code, text, counters, _ = run(kernel, *[b.replace('=', '.implementation=', 1) for b in blocks])
                self.assertEqual(code, 0, text)  # the job's expectations: the same memory
                n = rtl_clocks(counters)
                cost = f'{max(0.0, cpu_seconds - base) * 1e9 / n:.0f}' if n else '-'
                print(f'{kernel:10} {"+".join(b.split("=")[0] for b in blocks):24} {cycles(text):9} {model:9} {n:11} {cost:>15}')

    def test_lock_step_finds_no_difference(self):
        every = ['lds.implementation=compare:lds', 'atomic.implementation=compare:atomic_unit', 'memory.implementation=compare:axi4_memory_checked']
        for kernel in KERNELS:
            for more in ([], ['rtl.clock_ratio=0.4', 'rtl.reset_at_cycle=3000'], ['chaos.seed=5', 'rtl.clock_ratio=1.3']):
                code, text, _, _ = run(kernel, *every, *more)
                self.assertEqual(code, 0, f'{kernel} {more}: {text}')

    def test_loosely_timed_too(self):
        for kernel in KERNELS:
            code, text, _, _ = run(kernel, 'lds.implementation=compare:lds', 'atomic.implementation=rtl:atomic_unit', extra=('--mode', 'lt'))
            self.assertEqual(code, 0, text)

    def test_a_memory_with_its_array_inside(self):
        for kernel in KERNELS[:2]:
            for how in (['rtl:axi4_ram'], ['compare:axi4_ram'], ['rtl:axi4_ram', 'reset.at_cycle=9000'], ['compare:axi4_ram', 'reset.at_cycle=12345']):
                code, text, _, _ = run(kernel, f'memory.implementation={how[0]}', *how[1:])
                self.assertEqual(code, 0, f'{kernel} {how}: {text}')  # loaded into the array, read back from it
            code, text, _, _ = run(kernel, 'memory.implementation=rtl:axi4_ram', extra=('--mode', 'lt'))
            self.assertEqual(code, 0, text)

    def test_results_are_read_past_write_backs_under_way(self):
        # the kernel ends while a slow memory still has lines of L2 to write: what is read then is what L2 gave it
        code, text, _, _ = run('image2d', 'memory.implementation=rtl:axi4_memory_64')
        self.assertEqual(code, 0, text)

    def test_lds_direct_reads_the_rtls_array(self):
        # lane l writes l + 0x11000000 at dword l; LDS_DIRECT reads dword 13 of its group, once written and once atomically added to; two groups share the array
        body = """v_add_u32_e32 v2, 0x11000000, v0\nv_lshlrev_b32_e32 v1, 2, v0\nds_write_b32 v1, v2\ns_waitcnt lgkmcnt(0)\ns_mov_b32 m0, 0x20034\ns_nop 0\nv_mov_b32_e32 v4, src_lds_direct
v_mov_b32_e32 v3, 5\nds_add_u32 v1, v3\ns_waitcnt lgkmcnt(0)\nv_mov_b32_e32 v5, src_lds_direct\ns_lshl_b32 s4, s4, 9\nv_lshlrev_b32_e32 v6, 3, v0\nv_add_u32_e32 v6, s4, v6
global_store_dwordx2 v6, v[4:5], s[0:1]\ns_waitcnt vmcnt(0)\ns_endpgm"""
        for settings, word in ((['rtl:lds'], 0x1100000d), (['compare:lds'], 0x1100000d), (['rtl:lds', 'rtl.clock_ratio=0.7', 'rtl.free_running=1'], 0x1100000d), (['rtl:lds_bug'], 0x0000000d)):  # the bug loses this byte
            for extra in ((), ('--mode', 'lt')):
                code, text, out = run_program(body, f'lds.implementation={settings[0]}', *settings[1:], extra=extra)
                self.assertEqual(code, 0, text)
                self.assertEqual(out, [word, word + 5] * 128, f'{settings} {extra}')
        code, text, _ = run_program('s_mov_b32 m0, 0x20000\ns_nop 0\nv_mov_b32_e32 v4, src_lds_direct\ns_endpgm', 'lds.implementation=rtl:silent')
        self.assertEqual(code, 3, text)
        self.assertRegex(text, 'lyra/fault/lds-direct: .*let the RTL block show its array')

    def test_a_clock_that_never_stands(self):
        settings = ['lds.implementation=rtl:lds', 'memory.implementation=compare:axi4_memory_checked']
        stands, runs = run('histogram', *settings), run('histogram', *settings, 'rtl.free_running=1', 'rtl.reset_at_cycle=5000')
        self.assertEqual((stands[0], runs[0]), (0, 0), runs[1])
        lds = r'"lds": \{.*?"clock_cycles": \{\s*"value": (\d+)'
        few, all_of_them = (int(re.search(lds, r[2], re.S)[1]) for r in (stands, runs))
        self.assertLess(few, 0.3 * cycles(stands[1]))
        self.assertGreater(all_of_them, 0.5 * cycles(runs[1]))  # every cycle up to the last access, which is where the first of two kernels ends

    def test_the_same_run_twice_is_the_same(self):
        settings = ['lds.implementation=rtl:lds', 'atomic.implementation=rtl:atomic_unit', 'memory.implementation=rtl:axi4_memory']
        a, b = run('histogram', *settings), run('histogram', *settings)
        self.assertEqual(cycles(a[1]), cycles(b[1]))
        self.assertEqual(a[2], b[2])


class WhatMustBeNoticed(unittest.TestCase):
    def test_planted_bugs(self):
        code, text, _, vcds = run('mm_lds', 'lds.implementation=compare:lds_bug')
        self.assertEqual(code, 3, text)
        self.assertRegex(text, r'lyra/rtl/difference: cu0\.lds_compare: transaction \d+ \(ds_read.* of wave \d+ at pc 0x[0-9a-f]+.*lane (13|45), dword')
        self.assertEqual(list(vcds), ['difference.cu0.lds_compare.vcd'])
        for signal in ('rsp_valid', 'queue0', 'reference_answers'):
            self.assertIn(signal, vcds['difference.cu0.lds_compare.vcd'])
        code, text, _, _ = run('atomics32', 'atomic.implementation=compare:atomic_unit_bug')
        self.assertEqual(code, 3, text)
        self.assertRegex(text, r'l2_0\.atomic_compare: transaction 1 \(atomic add of requester 0 on line 0x[0-9a-f]+, 64 entries')

    def test_a_block_that_never_answers(self):
        for kernel, block, what in (('mm_lds', 'lds', 'ds_write_b32 of wave 0'), ('atomics32', 'atomic', 'atomic add of requester 0'), ('mm_lds', 'memory', 'the read of 64 bytes at 0x')):
            code, text, _, _ = run(kernel, f'{block}.implementation=rtl:silent', 'rtl.timeout_cycles=1000')
            self.assertEqual(code, 3, text)
            self.assertRegex(text, r'lyra/rtl/timeout: \w+\.' + block + ': the RTL has not answered ' + re.escape(what))

    def test_an_array_that_is_too_small(self):
        code, text, _, _ = run('mm_lds', 'memory.implementation=rtl:axi4_ram_4k')
        self.assertEqual(code, 3, text)
        self.assertRegex(text, r'lyra/rtl/array: lines 0x[0-9a-f]+ and 0x[0-9a-f]+ have one place in the RTL\'s array of 4096 bytes: make the array larger')

    def test_names(self):
        code, text, _, _ = run('mm_lds', 'lds.implementation=rtl:ldss')
        self.assertEqual(code, 2)
        self.assertIn('this program holds lds, lds_bug, ', text)
        self.assertIn('did you mean "lds"?', text)
        code, text, _, _ = run('mm_lds', 'lds.implementation=verilog')
        self.assertEqual(code, 2)
        self.assertIn('give tlm, rtl:NAME or compare:NAME', text)
        code, text, _, _ = run('mm_lds', 'memory.implementation=rtl:axi4_memory', lyra=LYRA)
        self.assertEqual(code, 2)
        self.assertIn('this program holds no RTL for it', text)

    def test_records(self):
        code, text, _, _ = run('mm_lds', extra=('--record', 'cu0.cu-ldss=x.txt'))
        self.assertEqual(code, 2)
        self.assertIn('the machine has no such edge; did you mean "cu0.cu-lds"?', text)
        code, text, _, _ = run('mm_lds', extra=('--record', 'cu0.cu-lds'))
        self.assertEqual(code, 2)
        self.assertIn('give EDGE=FILE', text)
        # an edge to RTL can be recorded as any other, and changes nothing
        plain = run('mm_lds', 'lds.implementation=rtl:lds')
        recorded = run('mm_lds', 'lds.implementation=rtl:lds', extra=('--record', 'cu0.cu-lds=lds.txt'))
        self.assertEqual(cycles(plain[1]), cycles(recorded[1]))


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], '-v'] + sys.argv[3:])
