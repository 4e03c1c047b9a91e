#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Images at machine level: rates measured by micro-kernels, descriptors in registers and in memory, pages that are not resident, counters."""
import json
import struct
import support

MODES = ("--mode at", "--mode lt", "--set chaos.seed=3")
T, S = '{image="i"}', '{sampler="s"}'


class RawImages(support.LyraTest):
    """s[0:7] T# of image i, s[8:11] S# of sampler s, s[12:13] address of buffer b; v0 the lane."""

    def image_job(self, code, image, sampler="", more="", user=(T, S, '{buffer_lo="b"}', '{buffer_hi="b"}'), buffers="", vgprs=128):
        return self.raw(code, vgprs=vgprs, user=user, more=more, buffers=f"[image.i]\n{image}\n[sampler.s]\n{sampler}\n{buffers}")

    def cycles(self, job, *options):
        status, out, err = self.lyra("run", job, "--machine", "cu", "--quiet", "--stats", "s.json", *options)
        self.assertEqual((status, err), (0, ""), out)
        self.statistics = json.loads((self.folder / "s.json").read_text())["statistics"]
        return self.counter("texture", "latency_cycles")

    def counter(self, *path):
        node = self.statistics["cu0"]
        for p in path:
            node = node[p]
        return node["value"]


class ImageRates(RawImages):
    def rate(self, instruction, image, sampler="", setup="", options=()):
        """Cycles that each further instruction of a wave takes, once its lines are in L1."""
        times = []
        for n in (20, 60):
            body = "\n".join(instruction.format(d=60 + i) for i in range(n))
            # twice, so that the code is in the instruction cache when it counts
            loop = (f"{instruction.format(d=50)}\ns_waitcnt vmcnt(0)\ns_memtime s[20:21]\ns_waitcnt lgkmcnt(0)\n{body}\ns_waitcnt vmcnt(0)\ns_memtime s[22:23]\ns_waitcnt lgkmcnt(0)\n"
                    "s_sub_u32 s25, s25, 1\n")
            back = 0x10000 - len(support.assemble(loop)) // 4 - 1
            code = (f"v_and_b32 v1, 7, v0\nv_lshrrev_b32 v2, 3, v0\n{setup}\ns_mov_b32 s25, 1\n{loop}s_cbranch_scc0 {back}\n"
                    "s_sub_u32 s24, s22, s20\nv_mov_b32 v3, s24\nv_mov_b32 v4, s12\nv_mov_b32 v5, s13\nglobal_store_dword v[4:5], v3, off\ns_endpgm\n")
            job = self.image_job(code, image, sampler, more='[[output]]\nbuffer = "b"\nfile = "b.out"')
            self.cycles(job, *options)
            times.append(struct.unpack("<I", (self.folder / "b.out").read_bytes()[:4])[0])
        return (times[1] - times[0]) / 40

    SCATTERED = "v_mul_u32_u24 v1, 37, v0\nv_and_b32 v1, 63, v1\nv_mov_b32 v2, v0"
    ROW = "v_mov_b32 v1, v0\nv_mov_b32 v2, 3"
    ONE = "v_mov_b32 v1, 5\nv_mov_b32 v2, 3"
    LOAD = "image_load v{d}, v[1:2], s[0:7] dmask:0x1 unorm"

    def test_loads_by_texel_size_and_pattern(self):
        for form, scattered, row, one in (("8 uint", 16, 16, 16), ("8_8_8_8 unorm", 16, 16, 16), ("32 float", 16, 16, 16), ("16_16_16_16 float", 32, 16, 16), ("32_32 float", 32, 16, 16),
                                          ("32_32_32_32 float", 32, 24, 16)):
            image = f'type = "2d"\nwidth = 64\nheight = 64\nformat = "{form}"'
            for setup, want in ((self.SCATTERED, scattered), (self.ROW, row), (self.ONE, one)):
                self.assertEqual(self.rate(self.LOAD, image, setup=setup), want, (form, setup))

    def test_parameters_change_the_rates_of_loads(self):
        image = 'type = "2d"\nwidth = 64\nheight = 64\nformat = "{}"'
        for form, setup, parameter, value, want in (("32_32 float", self.SCATTERED, "load_cycles_64_scattered", 3, 48), ("32_32_32_32 float", self.SCATTERED, "load_cycles_128_scattered", 5, 80),
                                                    ("32_32_32_32 float", self.ROW, "load_half_cycles_128_line", 8, 64)):
            self.assertEqual(self.rate(self.LOAD, image.format(form), setup=setup, options=("--set", f"texture.{parameter}={value}")), want, parameter)

    def test_filters_by_texel_size_levels_and_depth(self):
        to_float = "v_cvt_f32_u32 v1, v1\nv_cvt_f32_u32 v2, v2\nv_mul_f32 v1, 0.5, v1\nv_mul_f32 v2, 0.5, v2\nv_mov_b32 v3, {}\nv_mov_b32 v4, {}"
        for form, one in (("8_8_8_8 unorm", 16), ("16_16_16_16 float", 32), ("32_32_32_32 float", 64)):
            plane = f'type = "2d"\nwidth = 16\nheight = 16\nlevels = 4\nformat = "{form}"'
            volume = f'type = "3d"\nwidth = 16\nheight = 16\ndepth = 16\nlevels = 4\nformat = "{form}"'
            linear = 'filter = "linear"\nmip = "linear"\nmax_lod = 8.0'
            flat, deep = "image_sample_l v{d}, v[1:3], s[0:7], s[8:11] dmask:0x1", "image_sample_l v{d}, v[1:4], s[0:7], s[8:11] dmask:0x1"
            for image, instruction, lod, operands, want in ((plane, flat, "level", ("1.0", "0"), one), (plane, flat, "between", ("0.5", "0"), 2 * one), (volume, deep, "level", ("0", "1.0"), 2 * one),
                                                            (volume, deep, "between", ("0", "0.5"), 4 * one)):
                self.assertEqual(self.rate(instruction, image, linear, to_float.format(*operands)), want, (form, image, lod))
            point = self.rate(flat, plane, 'filter = "point"', to_float.format("0", "0"))
            self.assertEqual(point, 16 if one == 16 else 32, form)  # as loads: lanes beside each other take texels 0 and 8, in different lines

    def test_anisotropic_samples_take_their_steps(self):
        image, sampler = 'type = "2d"\nwidth = 64\nheight = 64\nformat = "8_8_8_8 unorm"', 'filter = "linear"\nmax_anisotropy = {}'
        # derivatives: 16 texels along x, 1 along y
        setup = "v_mov_b32 v3, 0.25\nv_mov_b32 v4, 0\nv_mov_b32 v5, 0\nv_mov_b32 v6, 0x3c800000\nv_mov_b32 v7, 0.5\nv_mov_b32 v8, 0.5"
        for most in (1, 2, 4, 8, 16):
            self.assertEqual(self.rate("image_sample_d v{d}, v[3:8], s[0:7], s[8:11] dmask:0x1", image, sampler.format(most), setup), 16 * most)

    def test_counters_tell_texels_lines_hits_and_busy_cycles(self):
        code = "v_and_b32 v1, 7, v0\nv_lshrrev_b32 v2, 3, v0\ns_nop 4\nimage_load v[8:11], v[1:2], s[0:7] dmask:0xf unorm\ns_waitcnt vmcnt(0)\nimage_load v8, v[1:2], s[0:7] dmask:0x1 unorm\n" \
               "v_mov_b32 v3, 0.5\nv_mov_b32 v4, 0.5\nimage_sample_lz v9, v[3:4], s[0:7], s[8:11] dmask:0x1\ns_waitcnt vmcnt(0)\ns_endpgm\n"
        self.cycles(self.image_job(code, 'type = "2d"\nwidth = 8\nheight = 8\nformat = "8_8_8_8 unorm"', 'filter = "linear"'))
        want = dict(image_instructions=3, image_samples=1, image_quads=48, texels=64 + 64 + 256, filter_cycles=16, ta_busy_cycles=48, td_busy_cycles=48)
        # rows of 8 texels lie 256 bytes apart: 8 lines a load; the sample's texels lie in rows 3 and 4
        want.update(image_lines=8 + 8 + 2, image_hits=8 + 2)
        self.assertEqual({k: self.counter("texture", k) for k in want}, want)


class ImageDescriptors(RawImages):
    IMAGE = 'type = "2d"\nwidth = 8\nheight = 8\nformat = "32 uint"\npattern = "index"'
    STORE = "v_lshlrev_b32 v20, 2, v0\nglobal_store_dword v20, v10, s[{0}:{1}]\ns_endpgm\n"
    XY = "v_and_b32 v1, 7, v0\nv_lshrrev_b32 v2, 3, v0\ns_nop 4\n"

    def gold(self, values):
        (self.folder / "gold.bin").write_bytes(struct.pack(f"<{len(values)}I", *values))
        return f'[[expect]]\nbuffer = "b"\nfile = "gold.bin"\ntype = "u32"\ncount = {len(values)}'

    def run_all(self, job):
        for mode in MODES:
            status, out, err = self.lyra("run", job, "--machine", "cu", "--quiet", *mode.split())
            self.assertEqual((status, err), (0, ""), mode + out)

    def test_descriptors_in_registers(self):
        code = self.XY + "image_load v10, v[1:2], s[0:7] dmask:0x1 unorm\ns_waitcnt vmcnt(0)\n" + self.STORE.format(12, 13)
        self.run_all(self.image_job(code, self.IMAGE, more=self.gold(list(range(64)))))

    def test_descriptors_loaded_from_a_set(self):
        # a set: sampler, gap, image, view of its level 1; the set's address in s[0:1]
        code = ("s_load_dwordx8 s[4:11], s[0:1], 0x20\ns_load_dwordx4 s[16:19], s[0:1], 0x0\ns_load_dwordx2 s[20:21], s[0:1], 0x40\ns_waitcnt lgkmcnt(0)\n"
                "v_cvt_f32_ubyte0 v1, v0\nv_mov_b32 v2, 0.5\nv_mov_b32 v3, 0.5\nv_add_f32 v1, 0.5, v1\ns_nop 4\nimage_sample_lz v10, v[1:2], s[4:11], s[16:19] dmask:0x1 unorm\ns_waitcnt vmcnt(0)\n"
                + self.STORE.format(20, 21))
        buffers = '[buffer.set]\ndescriptors = [ {sampler="s"}, {offset=0x20, image="half"}, {pointer="b"} ]\n[image.half]\nview_of = "i"\nbase_level = 1\n'
        job = self.image_job(code, 'type = "1d"\nwidth = 64\nlevels = 3\nformat = "32 uint"\npattern = "index"', 'normalized = false\nclamp = "clamp"', user=('{buffer_lo="set"}', '{buffer_hi="set"}'),
                             buffers=buffers, more=self.gold([64 + min(x, 31) for x in range(64)]))
        self.run_all(job)

    def test_a_sampler_and_an_image_by_address(self):
        code = "s_load_dwordx8 s[8:15], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n" + self.XY + "image_load v10, v[1:2], s[8:15] dmask:0x1 unorm\ns_waitcnt vmcnt(0)\n" + self.STORE.format(2, 3)
        self.run_all(self.image_job(code, self.IMAGE, user=('{image_lo="i"}', '{image_hi="i"}', '{buffer_lo="b"}', '{buffer_hi="b"}'), more=self.gold(list(range(64)))))

    def test_samples_of_a_pixel_through_the_fragment_mask(self):
        # four samples, fragments reversed by the mask: sample s of pixel p is fragment 3 - s
        code = ("v_and_b32 v1, 3, v0\nv_bfe_u32 v2, v0, 2, 2\nv_lshrrev_b32 v3, 4, v0\ns_load_dwordx8 s[4:11], s[0:1], 0x0\ns_load_dwordx8 s[12:19], s[0:1], 0x20\ns_waitcnt lgkmcnt(0)\n"
                "image_load v10, v[1:2], s[12:19] dmask:0x1 unorm\ns_waitcnt vmcnt(0)\nv_lshlrev_b32 v4, 2, v3\nv_bfe_u32 v3, v10, v4, 4\n"
                "image_load v10, v[1:3], s[4:11] dmask:0x1 unorm\ns_waitcnt vmcnt(0)\n" + self.STORE.format(2, 3))
        (self.folder / "mask.bin").write_bytes(bytes([0x1b]) * 16)  # two bits a sample: 3, 2, 1, 0
        image = 'type = "2d_msaa"\nwidth = 4\nheight = 4\nsamples = 4\nformat = "32 uint"\nswizzle = "64kb_d_x"\npattern = "index"'
        mask = '[image.mask]\ntype = "2d"\nwidth = 4\nheight = 4\nformat = "fmask 5"\nswizzle = "64kb_z_x"\nfile = "mask.bin"\n[buffer.set]\ndescriptors = [ {image="i"}, {image="mask"} ]\n'
        gold = [16 * (3 - lane // 16) + lane % 16 for lane in range(64)]  # host form: rows of the first sample, of the second ...
        self.run_all(self.image_job(code, image, user=('{buffer_lo="set"}', '{buffer_hi="set"}', '{buffer_lo="b"}', '{buffer_hi="b"}'), buffers=mask, more=self.gold(gold)))

    def test_pages_that_are_not_resident(self):
        # a row of 1024 dwords is a page; row 1 has none. TFE: v11 tells. The store to row 1 is lost, that to row 0 is not.
        code = ("v_lshlrev_b32 v1, 4, v0\nv_and_b32 v2, 1, v0\nv_mov_b32 v10, 7\nv_mov_b32 v11, 7\ns_nop 4\nimage_load v[10:11], v[1:2], s[0:7] dmask:0x1 unorm tfe\ns_waitcnt vmcnt(0)\n"
                "v_lshlrev_b32 v20, 3, v0\nglobal_store_dwordx2 v20, v[10:11], s[12:13]\nv_mov_b32 v12, 99\nimage_store v12, v[1:2], s[0:7] dmask:0x1 unorm\n"
                "image_atomic_add v[12:13], v[1:2], s[0:7] dmask:0x1 unorm glc tfe\ns_waitcnt vmcnt(0)\nglobal_store_dwordx2 v20, v[12:13], s[12:13] offset:512\ns_endpgm\n")
        texel = [0 if lane & 1 else 16 * lane for lane in range(64)]
        values = [v for lane in range(64) for v in (texel[lane], lane & 1)] + [v for lane in range(64) for v in (0 if lane & 1 else 99, lane & 1)]
        more = self.gold(values) + '\n[[expect]]\nimage = "i"\ntype = "u32"\noffset = 4096\ncount = 1024\nvalue = {u32=0}\n[[expect]]\nimage = "i"\ntype = "u32"\ncount = 1\nvalue = {u32=198}'
        self.run_all(self.image_job(code, 'type = "2d"\nwidth = 1024\nheight = 2\nformat = "32 uint"\npattern = "index"\nnon_resident = [[4096, 4096]]', more=more))


if __name__ == "__main__":
    support.main()
