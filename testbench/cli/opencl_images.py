#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""OpenCL images: kernels that clang compiles, images and samplers of the job file, results against the formulas of the OpenCL 1.2 specification (8.2)."""
import functools
import itertools
import math
import random
import struct
import subprocess
import support

COMPILE = support.HERE.parent.parent / "scripts/compile"
KERNELS = support.HERE.parent / "kernels/images.cl"
MODES = ("--mode at", "--mode lt", "--set chaos.seed=11")


@functools.lru_cache(maxsize=None)
def code():
    """The compiled kernels: once a process."""
    import tempfile
    folder = tempfile.mkdtemp(prefix="lyra_images_")
    import atexit
    import shutil
    atexit.register(shutil.rmtree, folder)
    subprocess.run([COMPILE, KERNELS, f"{folder}/images.co"], check=True)
    with open(f"{folder}/images.co", "rb") as f:
        return f.read()


class picture:
    """Texels of four floats by (x, y, z); a missing axis has size 1."""

    def __init__(self, *size, seed=1, values=None):
        self.size = size + (1,) * (3 - len(size))
        r = random.Random(seed)
        n = self.size[0] * self.size[1] * self.size[2]
        self.texels = values or [tuple(r.randrange(256) / 255 for _ in range(4)) for _ in range(n)]

    def at(self, x, y, z):
        return self.texels[(z * self.size[1] + y) * self.size[0] + x]

    def unorm8(self):
        return bytes(round(c * 255) for t in self.texels for c in t)

    def floats(self):
        return struct.pack(f"<{4 * len(self.texels)}f", *(c for t in self.texels for c in t))


def wrapped(i, n, mode):
    """A texel's index; None: the border colour."""
    if mode == "wrap":
        return i % n
    if mode == "mirror":
        i %= 2 * n
        return i if i < n else 2 * n - 1 - i
    if mode == "clamp":
        return min(max(i, 0), n - 1)
    return i if 0 <= i < n else None


def sampled(image, position, axes, mode, linear, normalized=True, layer=0, border=(0, 0, 0, 0)):
    """read_imagef as the specification writes it, in double precision. Layers are never filtered."""
    taps = []
    for k in range(axes):
        n = image.size[k]
        u = position[k] * n if normalized else position[k]
        if not linear:
            taps.append([(wrapped(math.floor(u), n, mode), 1.0)])
            continue
        low = math.floor(u - 0.5)
        a = u - 0.5 - low
        taps.append([(wrapped(low, n, mode), 1 - a), (wrapped(low + 1, n, mode), a)])
    while len(taps) < 3:
        taps.append([(layer if len(taps) == axes else 0, 1.0)])
    total = [0.0] * 4
    for (x, wx), (y, wy), (z, wz) in itertools.product(*taps):
        texel = border if None in (x, y, z) else image.at(x, y, z)
        for c in range(4):
            total[c] += wx * wy * wz * texel[c]
    return total


def floats(*values):
    return '{bytes="' + struct.pack(f"<{len(values)}f", *values).hex() + '"}'


class ImagesFromOpenCL(support.LyraTest):
    def setUp(self):
        super().setUp()
        (self.folder / "images.co").write_bytes(code())
        self.text = ['[code]\nobject = "images.co"\n']

    def image(self, name, kind, size, form="8_8_8_8 unorm", data=None, **more):
        lines = [f"[image.{name}]", f'type = "{kind}"', f'format = "{form}"'] + [f"{k} = {v}" for k, v in size.items()]
        if data is not None:
            (self.folder / f"{name}.bin").write_bytes(data)
            lines.append(f'file = "{name}.bin"')
        lines += [f'{k} = "{v}"' for k, v in more.items()]
        self.text.append("\n".join(lines) + "\n")

    def sampler(self, name, **keys):
        self.text.append(f"[sampler.{name}]\n" + "".join(f"{k} = {v if v in ('true', 'false') else repr(v)}\n" for k, v in keys.items()))

    def buffer(self, name, size):
        self.text.append(f"[buffer.{name}]\nsize = {size}\n")

    def launch(self, kernel, grid, *args):
        group = [min(grid[0], 16), min(grid[1], 4) if len(grid) > 1 else 1, 1]
        self.text.append(f'[[dispatch]]\nkernel = "{kernel}"\ngrid = {list(grid) + [1] * (3 - len(grid))}\nworkgroup = {group}\nargs = [{", ".join(args)}]\n')

    def expect(self, kind, name, data, type_="u8", abs_=0.0):
        file = f"{name}.gold.bin"
        (self.folder / file).write_bytes(data)
        self.text.append(f'[[expect]]\n{kind} = "{name}"\nfile = "{file}"\ntype = "{type_}"\nabs = {abs_!r}\n')

    def run_all(self):
        (self.folder / "job.toml").write_text("\n".join(self.text))
        for mode in MODES:
            with self.subTest(mode=mode):
                status, out, err = self.lyra("run", "job.toml", "--machine", "cu", "--quiet", *mode.split())
                self.assertEqual((status, err), (0, ""), out)

    def test_copies_keep_every_texel_in_every_layout(self):
        a = picture(40, 24)
        for n, (source, target) in enumerate([("linear", "linear"), ("4kb_s", "64kb_d"), ("64kb_z", "256b_s"), ("256b_d", "4kb_z"), ("64kb_r", "linear"), ("4kb_d", "64kb_s")]):
            self.image(f"a{n}", "2d", {"width": 40, "height": 24}, data=a.unorm8(), swizzle=source)
            self.image(f"b{n}", "2d", {"width": 40, "height": 24}, swizzle=target)
            self.launch("copy_2d", (40, 24), f'{{image="a{n}"}}', f'{{image="b{n}"}}')
            self.expect("image", f"b{n}", a.unorm8())
        self.run_all()

    def test_integers_saturate_at_the_width_of_the_format(self):
        values = [random.Random(5).randrange(-128, 128) for _ in range(32 * 8 * 4)]
        self.image("a", "2d", {"width": 32, "height": 8}, "8_8_8_8 sint", struct.pack(f"<{len(values)}b", *values))
        self.image("b", "2d", {"width": 32, "height": 8}, "8_8_8_8 sint")
        self.image("c", "2d", {"width": 32, "height": 8}, "16_16_16_16 sint", swizzle="64kb_s")
        self.launch("integers_2d", (32, 8), '{image="a"}', '{image="b"}', "{i32=50}")
        self.launch("integers_2d", (32, 8), '{image="a"}', '{image="c"}', "{i32=-100}")
        self.expect("image", "b", struct.pack(f"<{len(values)}b", *(min(v + 50, 127) for v in values)))
        self.expect("image", "c", struct.pack(f"<{len(values)}h", *(v - 100 for v in values)))
        self.run_all()

    def test_samples_of_one_two_and_three_axes_in_every_address_mode(self):
        line, plane, volume = picture(20, seed=2), picture(24, 17, seed=3), picture(8, 6, 5, seed=4)
        self.image("line", "1d", {"width": 20}, data=line.unorm8())
        self.image("plane", "2d", {"width": 24, "height": 17}, data=plane.unorm8(), swizzle="4kb_d")
        self.image("volume", "3d", {"width": 8, "height": 6, "depth": 5}, data=volume.unorm8(), swizzle="64kb_s")
        for n, (mode, linear) in enumerate(itertools.product(("wrap", "mirror", "clamp", "border"), (False, True))):
            self.sampler(f"s{n}", filter="linear" if linear else "point", clamp=mode, max_lod=0.0)
            s = f'{{sampler="s{n}"}}'
            # binary fractions, off the texels' edges: nearest has one answer and the float coordinates are exact
            scale, bias = 0.0625 + 1 / 512, -0.55078125
            self.buffer(f"l{n}", 32 * 16)
            self.launch("sample_1d", (32,), '{image="line"}', s, f'{{buffer="l{n}"}}', f"{{f32={scale}}}", f"{{f32={bias}}}")
            want = [sampled(line, (x * scale + bias,), 1, mode, linear) for x in range(32)]
            self.expect("buffer", f"l{n}", struct.pack("<128f", *sum(want, [])), "f32", 1 / 512 + 1e-6 if linear else 1e-6)
            self.image(f"p{n}", "2d", {"width": 32, "height": 16}, "32_32_32_32 float")
            self.launch("sample_2d", (32, 16), '{image="plane"}', s, f'{{image="p{n}"}}', floats(scale, scale), floats(bias, bias))
            want = [sampled(plane, (x * scale + bias, y * scale + bias), 2, mode, linear) for y in range(16) for x in range(32)]
            self.expect("image", f"p{n}", struct.pack("<2048f", *sum(want, [])), "f32", 2 / 512 + 1e-6 if linear else 1e-6)
            self.buffer(f"v{n}", 16 * 8 * 4 * 16)
            self.launch("sample_3d", (16, 8, 4), '{image="volume"}', s, f'{{buffer="v{n}"}}', floats(scale, scale, 0.375, 0), floats(bias, bias, -0.30078125, 0))
            want = [sampled(volume, (x * scale + bias, y * scale + bias, z * 0.375 - 0.30078125), 3, mode, linear) for z in range(4) for y in range(8) for x in range(16)]
            self.expect("buffer", f"v{n}", struct.pack("<2048f", *sum(want, [])), "f32", 3 / 512 + 1e-6 if linear else 1e-6)
        self.run_all()

    def test_a_sampler_of_the_source_file_and_layers_that_round(self):
        a, b = picture(16, 12, seed=6), picture(16, 12, 5, seed=7)
        self.image("a", "2d", {"width": 16, "height": 12}, data=a.unorm8())
        self.buffer("out", 16 * 8 * 16)
        self.launch("sample_bordered", (16, 8), '{image="a"}', '{buffer="out"}', floats(1.21875, 1.84375), floats(-1.4, -0.9))
        scale = [struct.unpack("<f", struct.pack("<f", v))[0] for v in (-1.4, -0.9)]
        want = [sampled(a, (x * 1.21875 + scale[0], y * 1.84375 + scale[1]), 2, "border", True, normalized=False) for y in range(8) for x in range(16)]
        self.expect("buffer", "out", struct.pack("<512f", *sum(want, [])), "f32", 2 / 512 + 1e-6)
        self.image("b", "2d_array", {"width": 16, "height": 12, "layers": 5}, "32_32_32_32 float", b.floats(), swizzle="64kb_d")
        self.image("c", "2d_array", {"width": 16, "height": 8, "layers": 8}, "32_32_32_32 float", swizzle="4kb_s")
        self.sampler("s", filter="linear", clamp="mirror")
        step = 0.6875
        self.launch("sample_2d_array", (16, 8, 8), '{image="b"}', '{sampler="s"}', '{image="c"}', floats(0.1015625, 0.15625), floats(-0.25, -0.125), f"{{f32={step}}}")
        want = [sampled(b, (x * 0.1015625 - 0.25, y * 0.15625 - 0.125), 2, "mirror", True, layer=min(round(z * step), 4)) for z in range(8) for y in range(8) for x in range(16)]
        self.expect("image", "c", struct.pack("<4096f", *sum(want, [])), "f32", 2 / 512 + 1e-6)
        self.run_all()

    def test_line_arrays_texel_buffers_and_views(self):
        a = picture(30, 4, seed=8)
        self.image("a", "1d_array", {"width": 30, "layers": 4}, data=a.unorm8())
        self.image("b", "1d_array", {"width": 30, "layers": 4}, "32_32_32_32 float")
        self.launch("copy_1d_array", (30, 4), '{image="a"}', '{image="b"}')
        self.expect("image", "b", a.floats(), "f32", 1e-7)
        c = picture(48, seed=9)
        self.image("c", "buffer", {"width": 48}, data=c.unorm8())
        self.image("d", "buffer", {"width": 48}, "32_32_32_32 float")
        self.launch("texels_of_buffer", (48,), '{image="c"}', '{image="d"}')
        self.expect("image", "d", picture(48, values=[t[::-1] for t in c.texels]).floats(), "f32", 1e-7)
        # one layer of an array, red and blue swapped, copied to level 1 of another image
        e = picture(16, 16, 3, seed=10)
        self.image("e", "2d_array", {"width": 16, "height": 16, "layers": 3}, data=e.unorm8(), swizzle="4kb_s")
        self.text.append('[image.middle]\nview_of = "e"\ntype = "2d"\nbase_layer = 1\nlast_layer = 1\nselect = "bgra"\n')
        self.image("f", "2d", {"width": 32, "height": 32, "levels": 3}, swizzle="64kb_s")
        self.text.append('[image.half]\nview_of = "f"\nbase_level = 1\nlast_level = 1\n')
        self.launch("copy_2d", (16, 16), '{image="middle"}', '{image="half"}')
        middle = picture(16, 16, values=[(t[2], t[1], t[0], t[3]) for t in e.texels[256:512]])
        (self.folder / "half.bin").write_bytes(middle.unorm8())
        self.text.append('[[expect]]\nimage = "f"\nlevel = 1\nfile = "half.bin"\n[[expect]]\nimage = "f"\nlevel = 0\nvalue = {u32=0}\n[[output]]\nimage = "f"\nlevel = 1\nfile = "written.bin"\n')
        self.run_all()
        self.assertEqual((self.folder / "written.bin").read_bytes(), middle.unorm8())

    def test_queries_name_sizes_types_and_orders(self):
        self.image("a", "2d", {"width": 70, "height": 33})
        self.image("b", "3d", {"width": 9, "height": 10, "depth": 11}, "16_16_16_16 float")
        self.image("c", "2d_array", {"width": 20, "height": 5, "layers": 7}, "32 uint")
        self.image("d", "buffer", {"width": 1234}, "32_32 sint")
        self.buffer("out", 64)
        self.launch("queries", (1,), '{image="a"}', '{image="b"}', '{image="c"}', '{image="d"}', '{buffer="out"}')
        unorm_int8, rgba, half_float, r = 0x10D2, 0x10B5, 0x10DD, 0x10B0
        self.expect("buffer", "out", struct.pack("<16i", 70, 33, unorm_int8, rgba, 9, 10, 11, half_float, 20, 7, r, 1234, 0, 0, 0, 0), "u32")
        self.run_all()


class ImageFilterDemo(support.LyraTest):
    def test_two_passes_over_a_small_picture(self):
        source = support.HERE.parent / "kernels"
        subprocess.run([COMPILE, source / "image_filter.cl", self.folder / "image_filter.co"], check=True)
        subprocess.run(["python3", source / "image_filter_job.py", self.folder, "72", "40"], check=True)
        for mode in MODES:
            status, out, err = self.lyra("run", "image_filter.toml", "--machine", "cu", "--quiet", *mode.split())
            self.assertEqual((status, err), (0, ""), out)
        subprocess.run(["python3", COMPILE.parent / "raw_to_png.py", self.folder / "p.png", "72", "40", self.folder / "picture.bin", self.folder / "picture.out.bin"], check=True)
        png = (self.folder / "p.png").read_bytes()
        self.assertEqual(png[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(struct.unpack(">II", png[16:24]), (72 * 2 + 8, 40))


class WrongImageJobs(support.LyraTest):
    def check(self, pattern, image='type = "2d"\nwidth = 8\nheight = 8\nformat = "8_8_8_8 unorm"', more="", args='{image="a"}, {image="a"}'):
        (self.folder / "images.co").write_bytes(code())
        (self.folder / "bad.toml").write_text(f'[code]\nobject = "images.co"\n\n[image.a]\n{image}\n{more}\n[[dispatch]]\nkernel = "copy_2d"\ngrid = [8, 8, 1]\nworkgroup = [8, 8, 1]\nargs = [{args}]\n')
        self.fails(2, pattern, "run", "bad.toml", "--machine", "cu")

    def test_keys_and_names(self):
        self.check(r'bad.toml:6: unknown key "with" in \[image.a\].*width', 'type = "2d"\nwith = 8')
        self.check(r'bad.toml:5: .*unknown type "2darray".*2d_array', 'type = "2darray"\nwidth = 8\nheight = 8\nformat = "8 unorm"')
        self.check(r'bad.toml:6: .*unknown format "8_8_8_9".*8_8_8_8', 'type = "2d"\nformat = "8_8_8_9 unorm"\nwidth = 8\nheight = 8')
        self.check(r'bad.toml:6: .*no image format "5_9_9_9 uint"', 'type = "2d"\nformat = "5_9_9_9 uint"\nwidth = 8\nheight = 8')
        self.check(r'unknown swizzle "4kb_q"', 'type = "2d"\nwidth = 8\nheight = 8\nformat = "8 unorm"\nswizzle = "4kb_q"')
        self.check(r"needs height", 'type = "2d"\nwidth = 8\nformat = "8 unorm"')
        self.check(r"at most 4 levels", 'type = "2d"\nwidth = 8\nheight = 8\nlevels = 6\nformat = "8 unorm"')
        self.check(r"must be in 1..16384", 'type = "2d"\nwidth = 20000\nheight = 8\nformat = "8 unorm"')
        self.check(r'unknown filter "bilinear"; did you mean "linear"', more='[sampler.s]\nfilter = "bilinear"')
        self.check(r"max_anisotropy = 3 must be 1, 2, 4, 8 or 16", more="[sampler.s]\nmax_anisotropy = 3")
        self.check(r"lod_bias = 40 must be in -32..31.99", more="[sampler.s]\nlod_bias = 40")
        self.check(r'another buffer, image or sampler has the name "a"', more="[sampler.a]\n")

    def test_contents_and_views(self):
        (self.folder / "short.bin").write_bytes(bytes(100))
        self.check(r'"short.bin" has 100 bytes, the image\'s texels .* are 256', 'type = "2d"\nwidth = 8\nheight = 8\nformat = "8_8_8_8 unorm"\nfile = "short.bin"')
        self.check(r"one of file, fill, texel and pattern", 'type = "2d"\nwidth = 8\nheight = 8\nformat = "8_8_8_8 unorm"\nfill = {u32=1}\npattern = "index"')
        self.check(r"cannot be encoded", 'type = "2d"\nwidth = 8\nheight = 8\nformat = "bc1 unorm"\npattern = "checker"')
        self.check(r'no image "b" before it', more='[image.v]\nview_of = "b"')
        self.check(r"width is the image's own affair", more='[image.v]\nview_of = "a"\nwidth = 4')
        self.check(r"cannot be seen as 3d", more='[image.v]\nview_of = "a"\ntype = "3d"')
        self.check(r"elements of 4 bytes cannot be seen in elements of 8 bytes", more='[image.v]\nview_of = "a"\nformat = "32_32 uint"')
        self.check(r"must be whole pages", 'type = "2d"\nwidth = 64\nheight = 64\nformat = "8_8_8_8 unorm"\nnon_resident = [[100, 4096]]')

    def test_arguments_that_do_not_fit(self):
        self.check(r'argument 0 \(image2d_t, 8 bytes\) needs an image with type = "2d", "v" is 2d_array', more='[image.v]\nview_of = "a"\ntype = "2d_array"', args='{image="v"}, {image="a"}')
        self.check(r"is an image: it takes \{image=\"name\"\}, not a sampler", more="[sampler.s]\n", args='{sampler="s"}, {image="a"}')
        self.check(r'no image "b"', args='{image="b"}, {image="a"}')


if __name__ == "__main__":
    support.main()
