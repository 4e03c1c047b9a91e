#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Speed of simulation: wave-instructions a host CPU second, timed and loosely timed, on vega10.

Compiles kernels.cl with clang-15, runs each kernel through `lyra run`, checks its results against plain Python, and prints rate, host ns and kernel
events a wave-instruction, peak memory, and the ratio to the rates that MGPUSim reached for the same algorithms and sizes on a machine of this kind.
CPU time is that of the whole process less that of an idle run of the same machine (start-up), both by the kernel's accounting.

--cost size: host time a wave-instruction on 1, 4, 16, 64 compute units; --cost work: with 1, 4, 16 times the work. Both should stay flat. Behind each
kernel, what the model itself did a wave-instruction: runs of modules, and lines asked of L2. Where these stay and the time grows, it is the host's caches: all
waves that are resident at a time, their registers and their transactions under way, want some 10 to 40 MB.
"""
import argparse, json, os, pathlib, shutil, struct, subprocess, sys, tempfile
import reference as ref

HERE = pathlib.Path(__file__).resolve().parent
PEER = {"vectoradd": 4474, "relu": 4985, "matmul": 13317, "fir": 10334, "transpose": 3284, "aes": 9078, "kmeans": 7870, "atax": 1564, "spmv": 944, "stencil2d": 9471, "fft": 18347}
PEER_FUNCTIONAL = {"fir": 532000, "vectoradd": 167000}


def device_libraries():
    """Folder of ROCm's device bitcode (Debian: rocm-device-libs)."""
    for folder in pathlib.Path("/usr").glob("lib/**/amdgcn/bitcode"):
        if (folder / "ocml.bc").exists():
            return folder
    sys.exit("bench_simulation: ROCm's device libraries are missing: apt install rocm-device-libs")


def compile_kernels(out):
    subprocess.run(["clang-15", "-x", "cl", "-cl-std=CL1.2", "-Xclang", "-finclude-default-header", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx900", "-O2", f"--rocm-device-lib-path={device_libraries()}", "-o", str(out),
                    str(HERE / "kernels.cl")], check=True)


class Job:
    """Text of a job file and the data files it names, in `folder`."""

    def __init__(self, folder, name):
        self.folder, self.name, self.text = folder, name, '[code]\nobject = "kernels.co"\n'

    def file(self, buffer, kind, values):
        path = f"{self.name}.{buffer}.bin"
        (self.folder / path).write_bytes(values if kind == "bytes" else struct.pack(f"<{len(values)}{kind}", *values))
        return path

    def data(self, buffer, kind, values):
        self.text += f'[buffer.{buffer}]\nfile = "{self.file(buffer, kind, values)}"\n'
        return self

    def space(self, buffer, size):
        self.text += f"[buffer.{buffer}]\nsize = {size}\n"
        return self

    def launch(self, kernel, grid, group, *arguments):
        """Arguments: a buffer's name, or a number (u32)."""
        a = ", ".join(f'{{buffer="{v}"}}' if isinstance(v, str) else f"{{u32={v}}}" for v in arguments)
        grid, group = [list(v) + [1] * (3 - len(v)) for v in (grid, group)]
        self.text += f'[[dispatch]]\nkernel = "{kernel}"\ngrid = {grid}\nworkgroup = {group}\nargs = [{a}]\n'
        return self

    def expect(self, buffer, kind, values, tolerance=0):
        types = {"f": "f32", "i": "i32", "bytes": "u8"}
        self.text += f'[[expect]]\nbuffer = "{buffer}"\nfile = "{self.file(buffer + "_right", kind, values)}"\ntype = "{types[kind]}"\nabs = {float(tolerance)}\nrel = {float(tolerance)}\n'
        return self


def jobs(folder, scale, check):
    """Name and job of each benchmark; `scale` times the work; `check`: with expected results."""
    def job(name): return Job(folder, name)
    def checked(j, buffer, kind, values, tolerance=0): return j.expect(buffer, kind, values(), tolerance) if check else j

    n = 131072 * scale
    a, b = ref.floats(n, 1), ref.floats(n, 2)
    j = job("vectoradd").data("a", "f", a).data("b", "f", b).space("c", 4 * n).launch("vectoradd", [n], [256], "c", "a", "b", n)
    yield checked(j, "c", "f", lambda: [x + y for x, y in zip(a, b)], 1e-6)
    j = job("relu").data("a", "f", a).space("c", 4 * n).launch("relu", [n], [256], "c", "a", n)
    yield checked(j, "c", "f", lambda: [max(x, 0.0) for x in a])

    m, nn, k = 128 * scale, 128, 256
    ma, mb = ref.floats(m * k, 1), ref.floats(k * nn, 2)
    j = job("matmul").data("a", "f", ma).data("b", "f", mb).space("c", 4 * m * nn).launch("matmul", [nn, m], [16, 16], "c", "a", "b", m, nn, k)
    yield checked(j, "c", "f", lambda: ref.matmul(ma, mb, m, nn, k), 1e-4)

    n = 16384 * scale
    x, taps = ref.floats(n, 1), ref.floats(16, 2)
    j = job("fir").data("x", "f", x).data("taps", "f", taps).space("y", 4 * n).launch("fir", [n], [256], "y", "x", "taps", n, 16)
    yield checked(j, "y", "f", lambda: ref.fir(x, taps), 1e-5)

    w, h = 512, 512 * scale
    p = ref.floats(w * h, 1)
    j = job("transpose").data("a", "f", p).space("c", 4 * w * h).launch("transpose", [w, h], [16, 16], "c", "a", w, h)
    yield checked(j, "c", "f", lambda: [v for x in range(w) for v in p[x::w]])

    data, key = bytes(v % 256 for v in struct.unpack(f"<{16384 * scale}I", struct.pack(f"<{16384 * scale}f", *ref.floats(16384 * scale, 1))) for v in (v, v >> 8, v >> 16, v >> 24)), bytes(range(32))
    box = ref.aes_sbox()
    words = [int.from_bytes(bytes(v), "little", signed=True) for v in ref.aes_keys(key, box)]
    j = job("aes").data("blocks", "bytes", data).data("keys", "i", words).data("sbox", "bytes", bytes(box)).launch("aes", [4096 * scale], [64], "blocks", "keys", "sbox")
    yield checked(j, "blocks", "bytes", lambda: ref.aes(data, key))

    points, features, clusters = 1024 * scale, 32, 5
    f, c = ref.floats(points * features, 1), ref.floats(clusters * features, 2)
    j = job("kmeans").data("f", "f", f).data("c", "f", c).space("m", 4 * points).launch("kmeans", [points], [64], "m", "f", "c", points, clusters, features)
    yield checked(j, "m", "i", lambda: ref.kmeans(f, c, points, features))

    n = 256
    aa, ax = ref.floats(n * n, 1), ref.floats(n, 2)
    j = job("atax").data("a", "f", aa).data("x", "f", ax).space("t", 4 * n).space("y", 4 * n).launch("atax_ax", [n], [64], "t", "a", "x", n).launch("atax_aty", [n], [64], "y", "a", "t", n)
    yield checked(j, "y", "f", lambda: ref.matmul(ref.matmul(aa, ax, n, 1, n), aa, 1, n, n), 1e-4)

    n = 32768 * scale
    yield job("valu").space("c", 4 * n).launch("valu", [n], [256], "c", 2000 // scale)

    rows = 2048 * scale
    start, column = ref.sparse(rows, 2048)
    v, sx = ref.floats(len(column), 1), ref.floats(2048, 3)
    j = job("spmv").data("v", "f", v).data("c", "i", column).data("r", "i", start).data("x", "f", sx).space("y", 4 * rows).launch("spmv", [rows], [256], "y", "v", "c", "r", "x", rows)
    yield checked(j, "y", "f", lambda: [sum(v[i] * sx[column[i]] for i in range(start[r], start[r + 1])) for r in range(rows)], 1e-5)

    w, h = 256, 256 * scale
    s = ref.floats(w * h, 1)
    j = job("stencil2d").data("a", "f", s).space("c", 4 * w * h).launch("stencil2d", [w, h], [64, 4], "c", "a", w, h)
    yield checked(j, "c", "f", lambda: ref.stencil2d(s, w, h), 1e-5)

    n = 16384 * scale
    z = ref.floats(2 * n, 1)
    j = job("fft").data("d", "f", z).launch("fft", [n // 8], [64], "d")
    yield checked(j, "d", "f", lambda: [v for i in range(0, n, 512) for q in ref.fft([complex(*z[2 * k:2 * k + 2]) for k in range(i, i + 512)]) for v in (q.real, q.imag)], 1e-3)


class Speed:
    """One run: CPU seconds of the process, peak memory (MB), wave-instructions, kernel events."""

    def __init__(self, lyra, job, machine, mode, settings=()):
        out = job.with_suffix(f".{mode}.json")
        process = subprocess.Popen([lyra, "run", str(job), "--machine", machine, "--mode", mode, "--quiet", "--stats", str(out), *(s for v in settings for s in ("--set", v))])
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            sys.exit(f"bench_simulation: {job.name} in {mode} ended with exit code {os.waitstatus_to_exitcode(status)}")
        s = json.loads(out.read_text())["statistics"]
        self.cpu, self.memory = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
        self.instructions = sum(v["instructions"]["value"] for k, v in s.items() if k.startswith("cu") and "instructions" in v)
        self.events, self.wakes = (s["simulation"][k]["value"] for k in ("kernel_events", "wakes"))
        self.lines = s["crossbar"]["requests"]["value"]


class Bench:
    def __init__(self, options, folder):
        self.o, self.folder = options, folder
        compile_kernels(folder / "kernels.co")
        idle = Job(folder, "idle").space("c", 4096).launch("relu", [64], [64], "c", "c", 0)
        self.idle = folder / "idle.toml"
        self.idle.write_text(idle.text)

    def best(self, points):
        """The best of several runs of each (job file, mode, settings), less start-up. Turn by turn, so that a slow minute of the host meets all of them."""
        starts, runs = [[] for _ in points], [[] for _ in points]
        for _ in range(self.o.runs):
            for k, (path, mode, settings) in enumerate(points):
                starts[k].append(Speed(self.o.lyra, self.idle, self.o.machine, mode, settings).cpu)
                runs[k].append(Speed(self.o.lyra, path, self.o.machine, mode, settings))
        chosen = [min(r, key=lambda v: v.cpu) for r in runs]
        for c, s in zip(chosen, starts):
            c.cpu = max(c.cpu - min(s), 1e-3)
        return chosen

    def chosen(self, scale, check=False):
        """Name and job file of each benchmark, in a folder of its own for each scale."""
        folder = self.folder / f"x{scale}"
        folder.mkdir(exist_ok=True)
        shutil.copy(self.folder / "kernels.co", folder)
        for job in jobs(folder, scale, check):
            if self.o.kernel and job.name not in self.o.kernel:
                continue
            path = folder / f"{job.name}.toml"
            path.write_text(job.text)
            yield job.name, path

    def table(self):
        modes = ["at", "lt"] if self.o.mode == "both" else [self.o.mode]
        print(f"{'kernel':10} {'mode':4} {'wave-instr':>10} {'CPU s':>7} {'rate/s':>10} {'ns/instr':>9} {'events/instr':>12} {'peak MB':>8} {'peer rate':>10} {'ratio':>7}")
        for name, path in self.chosen(self.o.scale, self.o.scale == 1):
            for m, r in zip(modes, self.best([(path, m, ()) for m in modes])):
                peer = (PEER if m == "at" else PEER_FUNCTIONAL).get(name) if self.o.scale == 1 else None
                rate = r.instructions / r.cpu
                print(f"{name:10} {m:4} {r.instructions:10} {r.cpu:7.3f} {rate:10.0f} {1e9 / rate:9.0f} {r.events / r.instructions:12.2f} {r.memory:8.0f} {peer or '-':>10} {f'{rate / peer:.1f}' if peer else '-':>7}", flush=True)

    def cost(self):
        """Host ns a wave-instruction, each kernel a line, and the largest over the smallest."""
        points = [(1, ["compute_units=1", "scalar_groups=1", "dispatcher.shader_engines=1"]), (4, ["compute_units=4", "scalar_groups=3,1", "dispatcher.shader_engines=1"]),
                  (16, ["compute_units=16", "dispatcher.shader_engines=1"]), (64, [])] if self.o.cost == "size" else [(1, []), (4, []), (16, [])]
        print(f"host ns a wave-instruction, {self.o.machine}, timed; {'compute units' if self.o.cost == 'size' else 'times the work'}:")
        print(f"{'kernel':10}" + "".join(f"{p[0]:>9}" for p in points) + f"{'spread':>9}")
        scales = [value for value, _ in points] if self.o.cost == "work" else [self.o.scale]
        for same in zip(*(self.chosen(value) for value in scales)):
            paths = [path for _, path in same] if self.o.cost == "work" else [same[0][1]] * len(points)
            runs = self.best([(path, "at", settings) for path, (_, settings) in zip(paths, points)])
            costs = [1e9 * r.cpu / r.instructions for r in runs]
            wakes, lines = [r.wakes / r.instructions for r in runs], [r.lines / r.instructions for r in runs]
            print(f"{same[0][0]:10}" + "".join(f"{c:9.0f}" for c in costs) + f"{max(costs) / min(costs):8.2f}x   wakes" + "".join(f"{v:6.2f}" for v in wakes) + "   L2 lines" + "".join(f"{v:6.2f}" for v in lines), flush=True)


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--lyra", default="build/platforms/lyra")
    a.add_argument("--machine", default="vega10")
    a.add_argument("--mode", choices=["at", "lt", "both"], default="both")
    a.add_argument("--kernel", action="append", help="only these")
    a.add_argument("--scale", type=int, default=1, help="times the work")
    a.add_argument("--runs", type=int, default=3, help="the best of so many")
    a.add_argument("--cost", choices=["size", "work"], help="how the cost grows with the machine's size or the work")
    o = a.parse_args()
    with tempfile.TemporaryDirectory() as t:
        bench = Bench(o, pathlib.Path(t))
        bench.cost() if o.cost else bench.table()


if __name__ == "__main__":
    main()
