#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Speed of simulation: wave-instructions a host CPU second, timed and loosely timed, on vega10.

Compiles kernels.cl with clang-15, runs each kernel through `lyra run` and prints rate, host ns a wave-instruction, peak memory, and the ratio
to the rates that MGPUSim reached for the same algorithms and sizes on a machine of this kind (timed 4,474 .. 13,317, functional 167,000 and 532,000).
CPU time is that of the whole process less that of an idle run of the same machine (start-up), both by the kernel's accounting.
"""
import argparse, json, os, pathlib, random, resource, struct, subprocess, sys, tempfile, time

HERE = pathlib.Path(__file__).resolve().parent
PEER = {"vectoradd": 4474, "relu": 4985, "matmul": 13317, "fir": 10334, "transpose": 3284, "stencil2d": 9471, "kmeans": 7870, "atax": 1564, "spmv": 944}
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


def floats(n, seed):
    r = random.Random(seed)
    return struct.pack(f"<{n}f", *(r.uniform(-1, 1) for _ in range(n)))


def jobs(folder, scale):
    """name -> job text; data files are written to `folder`."""
    def data(name, content):
        (folder / name).write_bytes(content)
        return f'[buffer.{name.split(".")[0]}]\nfile = "{name}"\n'

    def job(buffers, *dispatches):
        return '[code]\nobject = "kernels.co"\n' + "".join(buffers) + "".join(
            f'[[dispatch]]\nkernel = "{k}"\ngrid = {list(g)}\nworkgroup = {list(w)}\nargs = [{", ".join(a)}]\n' for k, g, w, a in dispatches)

    def b(name): return f'{{buffer="{name}"}}'
    def u(v): return f"{{u32={v}}}"
    n = 131072 * scale
    yield "vectoradd", job([data("va.bin", floats(n, 1)), data("vb.bin", floats(n, 2)), f"[buffer.c]\nsize = {4 * n}\n"],
                           ("vectoradd", (n, 1, 1), (256, 1, 1), [b("c"), b("va"), b("vb"), u(n)]))
    yield "relu", job([data("ra.bin", floats(n, 1)), f"[buffer.c]\nsize = {4 * n}\n"], ("relu", (n, 1, 1), (256, 1, 1), [b("c"), b("ra"), u(n)]))
    m, nn, k = 128 * scale, 128, 256
    yield "matmul", job([data("ma.bin", floats(m * k, 1)), data("mb.bin", floats(k * nn, 2)), f"[buffer.c]\nsize = {4 * m * nn}\n"],
                        ("matmul", (nn, m, 1), (16, 16, 1), [b("c"), b("ma"), b("mb"), u(m), u(nn), u(k)]))
    n = 16384 * scale
    yield "fir", job([data("fi.bin", floats(n, 1)), data("ft.bin", floats(16, 2)), f"[buffer.c]\nsize = {4 * n}\n"],
                     ("fir", (n, 1, 1), (256, 1, 1), [b("c"), b("fi"), b("ft"), u(n), u(16)]))
    w, h = 512, 512 * scale
    yield "transpose", job([data("ta.bin", floats(w * h, 1)), f"[buffer.c]\nsize = {4 * w * h}\n"], ("transpose", (w, h, 1), (16, 16, 1), [b("c"), b("ta"), u(w), u(h)]))
    w, h = 256, 256 * scale
    yield "stencil2d", job([data("sa.bin", floats(w * h, 1)), f"[buffer.c]\nsize = {4 * w * h}\n"], ("stencil2d", (w, h, 1), (64, 4, 1), [b("c"), b("sa"), u(w), u(h)]))
    p, f, c = 1024 * scale, 32, 5
    yield "kmeans", job([data("kf.bin", floats(p * f, 1)), data("kc.bin", floats(c * f, 2)), f"[buffer.c]\nsize = {4 * p}\n"],
                        ("kmeans", (p, 1, 1), (64, 1, 1), [b("c"), b("kf"), b("kc"), u(p), u(c), u(f)]))
    n = 256
    yield "atax", job([data("aa.bin", floats(n * n, 1)), data("ax.bin", floats(n, 2)), f"[buffer.t]\nsize = {4 * n}\n[buffer.y]\nsize = {4 * n}\n"],
                      ("atax_ax", (n, 1, 1), (64, 1, 1), [b("t"), b("aa"), b("ax"), u(n)]), ("atax_aty", (n, 1, 1), (64, 1, 1), [b("y"), b("aa"), b("t"), u(n)]))
    n = 32768 * scale
    yield "valu", job([f"[buffer.c]\nsize = {4 * n}\n"], ("valu", (n, 1, 1), (256, 1, 1), [b("c"), u(2000)]))
    rows = 2048 * scale
    r = random.Random(7)
    columns, starts = [], [0]
    for _ in range(rows):
        columns += sorted(r.sample(range(2048), max(1, int(r.gauss(20, 5)))))
        starts.append(len(columns))
    yield "spmv", job([data("sv.bin", floats(len(columns), 1)), data("sc.bin", struct.pack(f"<{len(columns)}i", *columns)), data("sr.bin", struct.pack(f"<{len(starts)}i", *starts)),
                       data("sx.bin", floats(2048, 3)), f"[buffer.y]\nsize = {4 * rows}\n"], ("spmv", (rows, 1, 1), (256, 1, 1), [b("y"), b("sv"), b("sc"), b("sr"), b("sx"), u(rows)]))


def run(lyra, job, machine, mode, extra=()):
    """CPU seconds, peak memory in MB, statistics."""
    stats = job.with_suffix(f".{mode}.json")
    process = subprocess.Popen([lyra, "run", str(job), "--machine", machine, "--mode", mode, "--quiet", "--stats", str(stats), *extra])
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"bench_simulation: {job.name} in {mode} ended with status {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, json.loads(stats.read_text())["statistics"]


def instructions(statistics):
    return sum(v["instructions"]["value"] for k, v in statistics.items() if k.startswith("cu") and "instructions" in v)


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--lyra", default="build/platforms/lyra")
    a.add_argument("--machine", default="vega10")
    a.add_argument("--mode", choices=["at", "lt", "both"], default="both")
    a.add_argument("--kernel", action="append", help="only these")
    a.add_argument("--scale", type=int, default=1, help="times the work")
    o = a.parse_args()
    with tempfile.TemporaryDirectory() as t:
        folder = pathlib.Path(t)
        compile_kernels(folder / "kernels.co")
        idle = folder / "idle.toml"
        idle.write_text('[code]\nobject = "kernels.co"\n[buffer.c]\nsize = 4096\n[[dispatch]]\nkernel = "relu"\ngrid = [64, 1, 1]\nworkgroup = [64, 1, 1]\nargs = [{buffer="c"}, {buffer="c"}, {u32=0}]\n')
        modes = ["at", "lt"] if o.mode == "both" else [o.mode]
        start = {m: min(run(o.lyra, idle, o.machine, m)[0] for _ in range(3)) for m in modes}
        print(f"{'kernel':10} {'mode':4} {'wave-instr':>10} {'CPU s':>7} {'rate/s':>10} {'ns/instr':>9} {'peak MB':>8} {'peer rate':>10} {'ratio':>7}")
        for name, text in jobs(folder, o.scale):
            if o.kernel and name not in o.kernel:
                continue
            job = folder / f"{name}.toml"
            job.write_text(text)
            for m in modes:
                cpu, memory, statistics = run(o.lyra, job, o.machine, m)
                cpu = max(cpu - start[m], 1e-3)
                n = instructions(statistics)
                peer = (PEER if m == "at" else PEER_FUNCTIONAL).get(name)
                print(f"{name:10} {m:4} {n:10} {cpu:7.2f} {n / cpu:10.0f} {1e9 * cpu / n:9.0f} {memory:8.0f} {peer or '-':>10} {f'{n / cpu / peer:.1f}' if peer else '-':>7}", flush=True)


if __name__ == "__main__":
    main()
