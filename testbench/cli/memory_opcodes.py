#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every memory opcode once in a program: FLAT, GLOBAL, SCRATCH, MUBUF, MTBUF, MIMG and SMEM against byte-by-byte references, timed and
loosely timed. The programs are made from the opcode table; what was executed is what the run itself lists (`--opcodes`), so an opcode that nothing runs fails."""
import pathlib
import re
import struct
import unittest

import support
from support import LyraTest

TABLE = support.HERE.parent.parent / "models" / "isa" / "opcodes.def"
LANES, STEP, REGION = 64, 16, 1024
OLD = 0xA5A5A5A5
M32 = 0xFFFFFFFF


def rows(encoding):
    """Names of an encoding's opcodes that gfx906 has (gfx900 has the same memory opcodes)."""
    found = re.findall(r'^LYRA_OPCODE(?:_AGAIN)?\(\w+, (\w+), \w+, "(\w+)", (\w+),', TABLE.read_text(), re.M)
    return sorted({name for e, name, _ in found if e == encoding})


def noise(*key):
    x = 0x9E3779B9
    for k in key:
        x = ((x ^ (k & M32)) * 0x85EBCA6B + 0xC2B2AE35) & M32
        x ^= x >> 15
    return x


def atomic(operation, old, data, compare, bits):
    """The value behind an atomic operation."""
    mask, half = (1 << bits) - 1, 1 << (bits - 1)
    signed = lambda v: v - (1 << bits) if v & half else v
    return {"swap": lambda: data, "cmpswap": lambda: data if old == compare else old, "add": lambda: (old + data) & mask, "sub": lambda: (old - data) & mask,
            "smin": lambda: old if signed(old) < signed(data) else data, "umin": lambda: min(old, data), "smax": lambda: old if signed(old) > signed(data) else data,
            "umax": lambda: max(old, data), "and": lambda: old & data, "or": lambda: old | data, "xor": lambda: old ^ data,
            "inc": lambda: 0 if old >= data else old + 1, "dec": lambda: data if old == 0 or old > data else old - 1}[operation]()


def load(memory, kind, old, preserve):
    """Registers after a load: `memory` 16 bytes from the lane's address on, `old` the four registers before."""
    u = lambda n, at=0: int.from_bytes(memory[at:at + n], "little")
    sign = lambda v, bits: (v - (1 << bits) if v >> (bits - 1) else v) & M32
    out = list(old)
    d16 = re.fullmatch(r"(ubyte|sbyte|short)_d16(_hi)?|format_d16(_hi)?_x", kind)
    if d16:
        v = (sign(u(1), 8) if "sbyte" in kind else u(1) if "ubyte" in kind else u(2)) & 0xFFFF
        high = "_hi" in kind
        out[0] = (v << 16 if high else v) | (out[0] & (0xFFFF if high else 0xFFFF0000) if preserve else 0)
    elif kind.startswith("format_d16_"):
        n = len(kind.split("_")[-1])
        for k in range((n + 1) // 2):
            out[k] = u(4, 4 * k) if 2 * k + 1 < n else u(2, 4 * k)
    elif kind.startswith("format_"):
        for k in range(len(kind.split("_")[-1])):
            out[k] = u(4, 4 * k)
    elif kind in ("ubyte", "sbyte", "ushort", "sshort"):
        bits = 8 if "byte" in kind else 16
        out[0] = sign(u(bits // 8), bits) if kind[0] == "s" else u(bits // 8)
    else:
        for k in range(int(kind[6:] or 1)):
            out[k] = u(4, 4 * k)
    return out


def stored(kind, data):
    """The bytes that a store writes."""
    raw = struct.pack("<4I", *data)
    if kind.endswith("_d16_hi") or kind == "format_d16_hi_x":
        return raw[2:3] if kind.startswith("byte") else raw[2:4]
    if kind.startswith("format_d16_"):
        return raw[:2 * len(kind.split("_")[-1])]
    if kind.startswith("format_"):
        return raw[:4 * len(kind.split("_")[-1])]
    return raw[:{"byte": 1, "short": 2}.get(kind) or 4 * int(kind[6:] or 1)]


class vector_program:
    """Text, initial memory and the expected end of one instruction an opcode."""

    def __init__(self, names, preserve):
        self.memory, self.result = bytearray(), bytearray()
        self.text = ["v_lshlrev_b32_e32 v1, 4, v0", "v_lshlrev_b32_e32 v13, 2, v0", "global_load_dwordx4 v[20:23], v1, s[4:5]", "v_mov_b32_e32 v14, 0", "s_mov_b32 s18, 0", "s_mov_b32 m0, 0",
                     "s_waitcnt vmcnt(0)", "ds_write_b32 v13, v20", "s_waitcnt lgkmcnt(0)"]
        self.data = [[noise(7, l, k) for k in range(4)] for l in range(LANES)]
        self.skip = set()  # bytes of memory whose value nothing defines
        self.preserve = preserve
        for k, name in enumerate(names):
            self.add(k, name)
        self.text.append("s_endpgm")
        self.end = bytearray(self.memory)
        for at, value in self.writes:
            self.end[at:at + len(value)] = value

    writes = None

    def add(self, k, name):
        self.writes = self.writes if self.writes is not None else []
        family, rest = name.split("_", 1)
        kind = rest.split("_", 1)[1] if "_" in rest else ""
        region = bytearray(noise(k, b, 3) & 0xFF for b in range(REGION))
        base = k * REGION
        place = (lambda l, b: (b >> 2) * 256 + l * 4 + (b & 3)) if family == "scratch" else (lambda l, b: l * STEP + b)
        is_atomic, operation, bits = "_atomic_" in name, "", 32
        if is_atomic:
            bits = 64 if kind.endswith("_x2") else 32
            operation = kind[:-3] if bits == 64 else kind
        size = bits // 8
        if operation == "cmpswap":  # every other lane agrees
            for l in range(0, LANES, 2):
                region[l * STEP:l * STEP + size] = struct.pack("<4I", *self.data[l])[size:2 * size]
        format16, components = "d16" in kind, len(kind.split("_")[-1]) if "format" in kind else 4
        dfmt = {1: 2, 2: 5, 3: 12, 4: 12}[components] if format16 and "format" in kind else {1: 4, 2: 11, 3: 13, 4: 14}[components]
        word3 = 4 | 5 << 3 | 6 << 6 | 7 << 9 | 4 << 12 | dfmt << 15
        stride, records = 0, REGION
        if name == "buffer_store_lds_dword":
            stride, records, word3 = 4, 64, 4 | 5 << 3 | 6 << 6 | 7 << 9 | 1 << 23  # DFMT is stride[17:14] here
        t = [f"s_add_u32 s8, s0, {base}", "s_addc_u32 s9, s1, 0", f"s_add_u32 s10, s2, {base}", "s_addc_u32 s11, s3, 0", "s_mov_b32 s12, s8", f"s_or_b32 s13, s9, {stride << 16:#x}", f"s_mov_b32 s14, {records}",
             f"s_mov_b32 s15, {word3:#x}", "v_mov_b32_e32 v3, s9", "v_add_co_u32_e32 v2, vcc, s8, v1", "v_addc_co_u32_e32 v3, vcc, 0, v3, vcc", "s_mov_b64 flat_scratch, s[8:9]"]
        t += [f"v_mov_b32_e32 v{4 + n}, v{20 + n}" for n in range(4)] + [f"v_mov_b32_e32 v{8 + n}, {OLD:#x}" for n in range(4)] + ["s_nop 4"]
        vector = lambda first, n: f"v{first}" if n == 1 else f"v[{first}:{first + n - 1}]"
        is_load, is_store = "_load_" in name, "_store_" in name
        n = 4
        if is_load or is_store:
            n = (components + 1) // 2 if "format_d16" in kind else components if "format" in kind else int(kind[6:]) if kind.startswith("dwordx") else 1
        elif is_atomic:
            n = size // 4
        in_place, address = {"flat": ("v[2:3]", ""), "global": ("v[2:3], off", "v1, s[8:9]"), "scratch": ("v14, off", "off, s18")}.get(family, ("", ""))
        address = address if k % 2 and address else in_place
        if family in ("flat", "global", "scratch"):
            if is_load:
                t.append(f"{name} {vector(8, n)}, {address}")
            else:
                where, _, more = address.partition(", ")
                payload = vector(4, n * (2 if operation == "cmpswap" else 1))
                front = f"{vector(8, n)}, " if is_atomic else ""
                t.append(f"{name} {front}{where}, {payload}{', ' + more if more else ''}{' glc' if is_atomic else ''}")
        elif name == "buffer_store_lds_dword":
            t.append("buffer_store_lds_dword s[12:15], 0 lds")
        elif name.startswith("buffer_wbinvl1"):
            t.append(name)
        else:
            typed = ""
            if family == "tbuffer":
                names = {2: "16", 5: "16_16", 12: "16_16_16_16", 4: "32", 11: "32_32", 13: "32_32_32", 14: "32_32_32_32"}
                typed = f" format:[BUF_DATA_FORMAT_{names[dfmt]},BUF_NUM_FORMAT_UINT]"
            register = vector(8 if is_load else 4, n * (2 if operation == "cmpswap" else 1))
            t.append(f"{name} {register}, v1, s[12:15], 0{typed} offen{' glc' if is_atomic else ''}")
        t.append("s_waitcnt vmcnt(0) lgkmcnt(0)")
        if is_atomic and family == "buffer":
            t += [f"v_mov_b32_e32 v{8 + i}, v{4 + i}" for i in range(n)]
        t += ["global_store_dwordx4 v1, v[8:11], s[10:11]", "s_nop 0"]
        self.text += t
        for l in range(LANES):
            got = [OLD] * 4
            here = bytes(region[place(l, b)] for b in range(STEP))
            if is_load:
                got = load(here, kind, got, self.preserve)
            elif is_atomic:
                old = int.from_bytes(here[:size], "little")
                raw = struct.pack("<4I", *self.data[l])
                new = atomic(operation, old, int.from_bytes(raw[:size], "little"), int.from_bytes(raw[size:2 * size], "little"), bits)
                self.writes.append((base + place(l, 0), new.to_bytes(size, "little")))
                got[:n] = struct.unpack(f"<{n}I", here[:size])
            elif name == "buffer_store_lds_dword":
                self.writes.append((base + 4 * l, struct.pack("<I", self.data[l][0])))
            elif is_store:
                for b, value in enumerate(stored(kind, self.data[l])):
                    self.writes.append((base + place(l, b), bytes([value])))
                if "format_d16_xyz" in kind and components == 3:
                    self.skip |= {base + place(l, 6), base + place(l, 7)}
            self.result += struct.pack("<4I", *got)
        self.memory += region


class scalar_program:
    """One scalar memory instruction an opcode; 64 bytes of memory and the 16 registers behind it."""

    def __init__(self, names):
        self.memory, self.result, self.writes, self.skip = bytearray(), bytearray(), [], set()
        self.text = ["v_mov_b32_e32 v14, 0"]
        self.data = [noise(11, k) for k in range(16)]
        for k, name in enumerate(names):
            self.add(k, name)
        self.text.append("s_endpgm")
        self.end = bytearray(self.memory)
        for at, value in self.writes:
            self.end[at:at + len(value)] = value

    def add(self, k, name):
        region = bytearray(noise(k, b, 5) & 0xFF for b in range(64))
        base = 64 * k
        bits = 64 if name.endswith("_x2") else 32
        size, is_atomic = bits // 8, "_atomic_" in name
        operation = re.sub(r"_x2$", "", name.split("_atomic_")[1]) if is_atomic else ""
        raw = struct.pack("<16I", *self.data)
        if operation == "cmpswap" and k % 2:
            region[:size] = raw[size:2 * size]
        t = [f"s_add_u32 s8, s0, {base}", "s_addc_u32 s9, s1, 0", f"s_add_u32 s10, s2, {base}", "s_addc_u32 s11, s3, 0", "s_mov_b64 s[12:13], s[8:9]", "s_movk_i32 s14, 64", "s_mov_b32 s15, 0x27fac"]
        t += [f"s_mov_b32 s{16 + n}, {v:#x}" for n, v in enumerate(self.data)]
        n = int(name.split("dwordx")[1]) if "dwordx" in name else 1
        scalars = lambda first, count: f"s{first}" if count == 1 else f"s[{first}:{first + count - 1}]"
        resource = "s[12:15]" if "buffer" in name else "s[8:9]"
        got = list(self.data)
        if is_atomic:
            words = size // 4
            t.append(f"{name} {scalars(16, words * (2 if operation == 'cmpswap' else 1))}, {resource}, 0x0 glc")
            old = int.from_bytes(region[:size], "little")
            new = atomic(operation, old, int.from_bytes(raw[:size], "little"), int.from_bytes(raw[size:2 * size], "little"), bits)
            self.writes.append((base, new.to_bytes(size, "little")))
            got[:words] = struct.unpack(f"<{words}I", region[:size])
        elif "_load_" in name:
            t.append(f"{name} {scalars(16, n)}, {resource}, 0x0")
            got[:n] = struct.unpack(f"<{n}I", region[:4 * n])
        elif "_store_" in name:
            t += [f"{name} {scalars(16, n)}, {resource}, 0x0", "s_dcache_wb"]  # s_dcache_inv comes later and drops what is not written back
            self.writes.append((base, raw[:4 * n]))
        elif name in ("s_memtime", "s_memrealtime"):
            t.append(f"{name} s[16:17]")
            got[:2] = [None, None]
        elif "discard" in name:
            t.append(f"{name} s[8:9], 0x0")
        elif "atc_probe" in name:
            t.append(f"{name} 0, {resource}, 0x0")
        else:
            t.append(name)
        t.append("s_waitcnt lgkmcnt(0)")
        for i in range(16):
            t += [f"v_mov_b32_e32 v8, s{16 + i}", f"global_store_dword v14, v8, s[10:11] offset:{4 * i}"]
        self.text += t
        for i, v in enumerate(got):
            if v is None:
                self.skip |= {-1 - (base + 4 * i + b) for b in range(4)}
            self.result += struct.pack("<I", v or 0)
        self.memory += region


class image_program:
    """One image instruction an opcode on an 8 x 8 image of its own: one level, 32 bits a texel, rows of 256 bytes; lane l takes texel (l % 8, l / 8). Every operand in
    front of the coordinates has a value that would lead elsewhere if it were taken for another."""
    SIDE, PITCH, UNIT = 8, 64, 2048

    def __init__(self, names):
        self.memory, self.result, self.writes, self.skip = bytearray(), bytearray(), [], set()
        self.data = [[noise(9, l, k) for k in range(4)] for l in range(LANES)]
        self.text = ["v_lshlrev_b32_e32 v1, 4, v0", "global_load_dwordx4 v[20:23], v1, s[4:5]", "v_and_b32_e32 v16, 7, v0", "v_lshrrev_b32_e32 v17, 3, v0", "s_waitcnt vmcnt(0)"]
        for k, name in enumerate(names):
            self.add(k, name)
        self.text.append("s_endpgm")
        self.end = bytearray(self.memory)
        for at, value in self.writes:
            self.end[at:at + len(value)] = value

    def add(self, k, name):
        base, side = self.UNIT * k, self.SIDE
        parts = name.split("_")[1:]
        kind, flags = parts[0], parts[1:]
        sampled, gather = kind in ("sample", "gather4") or name == "image_get_lod", kind == "gather4"
        is_atomic = kind == "atomic"
        number = 7 if sampled else 4
        texel = lambda x, y: float(x + side * y + 1) if sampled else noise(k, x, y)
        region = bytearray(self.UNIT)
        for y in range(side):
            for x in range(side):
                t = texel(x, y)
                if name == "image_atomic_cmpswap" and x % 2 == 0:
                    t = self.data[x + side * y][1]
                struct.pack_into("<f" if sampled else "<I", region, 4 * (x + self.PITCH * y), t)
        t = [f"s_add_u32 s8, s0, {base}", "s_addc_u32 s9, s1, 0", f"s_add_u32 s10, s2, {self.UNIT * k}", "s_addc_u32 s11, s3, 0",
             "s_lshr_b64 s[16:17], s[8:9], 8", f"s_or_b32 s17, s17, {4 << 20 | number << 26:#x}", f"s_mov_b32 s18, {(side - 1) | (side - 1) << 14 | 4 << 28:#x}",
             f"s_mov_b32 s19, {4 | 5 << 3 | 6 << 6 | 7 << 9 | 9 << 28:#x}", f"s_mov_b32 s20, {(self.PITCH - 1) << 13:#x}", "s_mov_b32 s21, 0", "s_mov_b64 s[22:23], 0",
             f"s_mov_b32 s24, {2 | 2 << 3 | 2 << 6 | 1 << 12 | (0 if gather else 1 << 27) | 1 << 31:#x}", "s_mov_b32 s25, 0xfff000", f"s_mov_b32 s26, {1 << 26 | 1 << 30:#x}", "s_mov_b32 s27, 0"]
        t += [f"v_mov_b32_e32 v{4 + n}, v{20 + n}" for n in range(4)] + [f"v_mov_b32_e32 v{8 + n}, {OLD:#x}" for n in range(4)]
        address = []
        offset = (1, -2) if sampled and "o" in flags else (0, 0)
        if sampled:
            if "o" in flags:
                address.append(f"{(offset[0] & 63) | (offset[1] & 63) << 8:#x}")
            if "b" in flags:
                address.append("0x3e800000")  # bias 1/4
            if "c" in flags:
                address.append("0x41a40000")  # compared with 20.5
            if "d" in flags or "cd" in flags:
                address += ["0x3c000000"] * 4
            address += ["v18", "v19"]
            if "l" in flags or "cl" in flags:
                address.append("0")
            t += [f"v_cvt_f32_u32_e32 v18, v16", "v_cvt_f32_u32_e32 v19, v17"]
            add = "1.0" if gather else "0.5"  # between four texels, or the middle of one
            t += [f"v_add_f32_e32 v18, {add}, v18", f"v_add_f32_e32 v19, {add}, v19", "v_mul_f32_e32 v18, 0x3e000000, v18", "v_mul_f32_e32 v19, 0x3e000000, v19"]
        elif name == "image_get_resinfo":
            address = ["0"]
        else:
            address = ["v16", "v17"] + (["0"] if "mip" in flags else [])
        t += [f"v_mov_b32_e32 v{32 + n}, {a}" for n, a in enumerate(address)]
        width = next(n for n in (1, 2, 3, 4, 8, 16) if n >= len(address))
        where = "v32" if width == 1 else f"v[32:{31 + width}]"
        operation = flags[0] if is_atomic else ""
        count = 4 if gather else 2 if name in ("image_get_lod", "image_get_resinfo") else 1
        dmask = 1 if gather else (1 << count) - 1
        register = "v8" if count == 1 else f"v[8:{7 + count}]"
        if is_atomic or kind == "store":
            register = "v[4:5]" if operation == "cmpswap" else "v4"
            dmask = 3 if operation == "cmpswap" else 1
        t.append(f"{name} {register}, {where}, s[16:23]{', s[24:27]' if sampled else ''} dmask:{dmask:#x}{'' if sampled else ' unorm'}{' glc' if is_atomic else ''}")
        t.append("s_waitcnt vmcnt(0)")
        if is_atomic:
            t.append("v_mov_b32_e32 v8, v4")
        t += ["global_store_dwordx4 v1, v[8:11], s[10:11]", "s_nop 0"]
        self.text += t
        clamp = lambda v: max(0, min(side - 1, v))
        seen = lambda x, y: texel(clamp(x + offset[0]), clamp(y + offset[1]))
        for l in range(LANES):
            x, y, got = l % side, l // side, [OLD] * 4
            at = base + 4 * (x + self.PITCH * y)
            here = struct.unpack_from("<I", region, at - base)[0]
            if name == "image_get_lod":
                self.skip |= {-1 - (base + STEP * l + b) for b in range(8)}
            elif name == "image_get_resinfo":
                got[:2] = [side, side]
            elif sampled:
                values = [seen(x, y + 1), seen(x + 1, y + 1), seen(x + 1, y), seen(x, y)] if gather else [seen(x, y)]
                if "c" in flags:
                    values = [1.0 if 20.5 < v else 0.0 for v in values]
                got[:count] = struct.unpack(f"<{count}I", struct.pack(f"<{count}f", *values))
            elif is_atomic:
                got[0] = here
                self.writes.append((at, atomic(operation, here, self.data[l][0], self.data[l][1], 32).to_bytes(4, "little")))
            elif kind == "store":
                self.writes.append((at, struct.pack("<I", self.data[l][0])))
            else:
                got[0] = here
            self.result += struct.pack("<4I", *got)
        self.result += bytes(self.UNIT - LANES * STEP)
        self.memory += region


class MemoryOpcodes(LyraTest):
    def run_program(self, program, chip, *options):
        folder = self.folder
        (folder / "code.bin").write_bytes(support.assemble("\n".join(program.text), chip))
        (folder / "memory.bin").write_bytes(program.memory)
        data = b"".join(struct.pack("<4I", *d) for d in program.data) if isinstance(program.data[0], list) else bytes(1024)
        (folder / "data.bin").write_bytes(data)
        n = len(program.result)
        (folder / "job.toml").write_text(f'''[code]
raw = "code.bin"
target = "{chip}"
[buffer.m]
file = "memory.bin"
address = 0x100000000
[buffer.r]
size = {n}
[buffer.d]
file = "data.bin"
[[dispatch]]
grid = [64, 1, 1]
workgroup = [64, 1, 1]
sgprs = 48
vgprs = 64
lds = 1024
user_sgprs = [{{buffer_lo="m"}}, {{buffer_hi="m"}}, {{buffer_lo="r"}}, {{buffer_hi="r"}}, {{buffer_lo="d"}}, {{buffer_hi="d"}}]
workgroup_id = ""
[[output]]
buffer = "m"
file = "m.out"
[[output]]
buffer = "r"
file = "r.out"
''')
        code, out, err = self.lyra("run", "job.toml", "--machine", "cu", "--opcodes", "opcodes.txt", *options)
        self.assertEqual((code, err), (0, ""), out)
        return (folder / "m.out").read_bytes(), (folder / "r.out").read_bytes(), set((folder / "opcodes.txt").read_text().split())

    def check(self, names, program, unit, chip, *options):
        memory, result, executed = self.run_program(program, chip, *options)
        self.assertEqual(set(names) - executed, set(), "not executed")
        wrong = set()
        for what, got, want, marks in (("memory", memory, program.end, lambda i: i), ("registers", result, program.result, lambda i: -1 - i)):
            for i in range(len(want)):
                if got[i] != want[i] and marks(i) not in program.skip:
                    wrong.add(f"{names[i // unit]}: {what} byte {i % unit}: {got[i]:#x}, should be {want[i]:#x}")
                    break
        self.assertEqual(wrong, set(), options)

    def vector(self, chip, preserve, *options):
        for encoding in ("FLAT", "GLOBAL", "SCRATCH", "MUBUF", "MTBUF"):
            names = rows(encoding)
            self.assertGreater(len(names), 15)
            self.check(names, vector_program(names, preserve), REGION, chip, *options)

    def test_every_vector_memory_opcode_timed(self):
        self.vector("gfx900", True)

    def test_every_vector_memory_opcode_loosely_timed(self):
        self.vector("gfx900", True, "--mode", "lt")

    def test_d16_loads_zero_the_other_half_where_the_part_does_not_preserve_it(self):
        self.vector("gfx906", False, "--mode", "lt", "--set", "d16.preserve=off")
        self.vector("gfx906", False, "--set", "d16.preserve=off")

    def test_every_image_opcode(self):
        names = rows("MIMG")
        self.assertEqual(len(names), 89)
        for options in ((), ("--mode", "lt")):
            self.check(names, image_program(names), image_program.UNIT, "gfx900", *options)

    def test_every_scalar_memory_opcode(self):
        names = rows("SMEM")
        self.assertEqual(len(names), 84)
        for options in ((), ("--mode", "lt"), ("--set", "chaos.seed=7")):
            self.check(names, scalar_program(names), 64, "gfx900", *options)


if __name__ == "__main__":
    support.main()
