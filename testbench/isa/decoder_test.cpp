// SPDX-License-Identifier: Apache-2.0
// What the decoder makes of each encoding, field by field, against expectations written by hand from the ISA's layouts; and what it refuses.
#include "isa/instruction.h"
#include <boost/test/unit_test.hpp>
#include <memory>
#include <random>
#include <vector>

using namespace lyra::isa;

namespace {

constexpr unsigned v(unsigned n) { return 256 + n; }
constexpr unsigned vcc = 106, m0 = 124, none = operand_code::none;

/// Decodes and requires success and the size that the dwords given have.
instruction get(std::vector<uint32_t> words, target chip = target::gfx900) {
  const decode_result d = decode(words.data(), static_cast<unsigned>(words.size()), chip);
  BOOST_REQUIRE_MESSAGE(d, d.error);
  BOOST_TEST(d.inst.size_bytes == 4 * words.size());
  BOOST_TEST(d.inst.words[0] == words[0]);
  return d.inst;
}

std::string refusal(std::vector<uint32_t> words, target chip = target::gfx900) {
  const decode_result d = decode(words.data(), static_cast<unsigned>(words.size()), chip);
  BOOST_TEST(!d);
  return d.error;
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void is(const operand& o, unsigned code, operand_type type) {
  BOOST_TEST(o.code == code);
  BOOST_TEST((o.type == type));
}

} // namespace

BOOST_AUTO_TEST_CASE(sop1_has_a_destination_and_a_source_and_may_read_its_destination) {
  instruction i = get({0xbe861bff, 0x00001234}); // s_bitset1_b64 s[6:7], 0x1234
  BOOST_TEST((i.op() == op::s_bitset1_b64));
  is(i.dst, 6, operand_type::b64);
  is(i.src[0], 255, operand_type::i32);
  is(i.src[1], 6, operand_type::b64);
  BOOST_TEST(i.literal == 0x1234u);
  i = get({0xbe852c7c}); // s_movreld_b32 s5, m0
  is(i.dst, 5, operand_type::b32);
  is(i.src[0], m0, operand_type::i32);
  BOOST_TEST(!i.src[1].present());
}

BOOST_AUTO_TEST_CASE(sop2_and_sopc_have_two_sources) {
  instruction i = get({0x8000ff6a, 0xdeadbeef}); // s_add_u32 s0, vcc_lo, 0xdeadbeef
  BOOST_TEST((i.op() == op::s_add_u32));
  is(i.dst, 0, operand_type::b32);
  is(i.src[0], vcc, operand_type::i32);
  is(i.src[1], 255, operand_type::i32);
  BOOST_TEST(i.literal == 0xdeadbeefu);
  i = get({0xbf0fa104}); // s_bitcmp1_b64 s[4:5], 33
  is(i.src[0], 4, operand_type::i64);
  is(i.src[1], 128 + 33, operand_type::i32);
  BOOST_TEST(!i.dst.present());
  i = get({0xbf110903}); // s_set_gpr_idx_on s3, gpr_idx(SRC0,DST)
  is(i.src[0], 3, operand_type::i32);
  BOOST_TEST(!i.src[1].present());
  BOOST_TEST(i.simm16 == 9);
}

BOOST_AUTO_TEST_CASE(sopk_and_sopp_have_a_signed_16_bit_immediate) {
  instruction i = get({0xb3098000}); // s_cmpk_lt_i32 s9, 0x8000
  BOOST_TEST((i.op() == op::s_cmpk_lt_i32));
  is(i.src[0], 9, operand_type::b32);
  BOOST_TEST(!i.dst.present());
  BOOST_TEST(i.simm16 == -32768);
  i = get({0xba001901, 0x12345678}); // s_setreg_imm32_b32
  BOOST_TEST(i.simm16 == 0x1901);
  BOOST_TEST(i.literal == 0x12345678u);
  i = get({0xbf87fffd}); // s_cbranch_vccnz
  BOOST_TEST((i.op() == op::s_cbranch_vccnz));
  BOOST_TEST(i.simm16 == -3);
}

BOOST_AUTO_TEST_CASE(smem_has_an_even_base_and_three_forms_of_offset) {
  instruction i = get({0xc00a0201, 0x001ffff0}); // s_load_dwordx4 s[8:11], s[2:3], -0x10
  is(i.vdata, 8, operand_type::b128);
  is(i.srsrc, 2, operand_type::b64);
  BOOST_TEST(i.imm);
  BOOST_TEST(i.offset == -16);
  BOOST_TEST(!i.saddr.present());
  BOOST_TEST(i.result().code == 8);
  i = get({0xc0250182, 0x0000007c}); // s_buffer_load_dwordx2 s[6:7], s[4:7], m0 glc
  is(i.vdata, 6, operand_type::b64);
  is(i.srsrc, 4, operand_type::b128);
  is(i.saddr, m0, operand_type::b32);
  BOOST_TEST(i.glc);
  BOOST_TEST(!i.imm);
  BOOST_TEST(i.offset == 0);
  i = get({0xc0024001, 0x0a000064}); // s_load_dword s0, s[2:3], s5 offset:0x64
  is(i.saddr, 5, operand_type::b32);
  BOOST_TEST(i.soffset_en);
  BOOST_TEST(i.offset == 0x64);
  i = get({0xc2860201, 0x00000040}); // s_atomic_cmpswap_x2 s[8:11], s[2:3], 0x40: data and comparison in four SGPRs
  is(i.vdata, 8, operand_type::b128);
  BOOST_TEST((i.info->atomic == atomic_operation::atomic_cmpswap));
  i = get({0xc09a0141, 0x00000020}); // s_atc_probe 5, s[2:3], 0x20
  BOOST_TEST(!i.vdata.present());
  BOOST_TEST(i.simm16 == 5);
}

BOOST_AUTO_TEST_CASE(vop1_writes_a_vgpr_or_an_sgpr_and_swaps) {
  instruction i = get({0x7e140807}); // v_cvt_f64_i32 v[10:11], s7
  is(i.dst, v(10), operand_type::b64);
  is(i.src[0], 7, operand_type::i32);
  i = get({0x7e280503}); // v_readfirstlane_b32 s20, v3
  is(i.dst, 20, operand_type::b32);
  is(i.src[0], v(3), operand_type::b32);
  i = get({0x7e02a302}); // v_swap_b32 v1, v2
  is(i.dst, v(1), operand_type::b32);
  is(i.sdst, v(2), operand_type::b32);
  is(i.src[0], v(2), operand_type::b32);
  is(i.src[1], v(1), operand_type::b32);
}

BOOST_AUTO_TEST_CASE(vop2_names_its_implicit_vcc_and_destination_operands) {
  instruction i = get({0x00060ac1}); // v_cndmask_b32 v3, -1, v5, vcc
  is(i.src[0], operand_code::int_m1, operand_type::i32);
  is(i.src[1], v(5), operand_type::i32);
  is(i.src[2], vcc, operand_type::mask);
  BOOST_TEST(!i.sdst.present());
  i = get({0x38060b04}); // v_addc_co_u32 v3, vcc, v4, v5, vcc: opcode 28
  BOOST_TEST((i.op() == op::v_addc_co_u32));
  is(i.sdst, vcc, operand_type::mask);
  is(i.src[2], vcc, operand_type::mask);
  i = get({0x2c060b04}); // v_mac_f32 v3, v4, v5
  is(i.src[2], v(3), operand_type::f32);
  BOOST_TEST(i.info->has(DST_IS_SRC));
}

BOOST_AUTO_TEST_CASE(madmk_and_madak_have_k_as_an_operand) {
  instruction i = get({0x2e060b04, 0x40490fdb}); // v_madmk_f32 v3, v4, 0x40490fdb, v5
  is(i.src[0], v(4), operand_type::f32);
  is(i.src[1], 255, operand_type::f32);
  is(i.src[2], v(5), operand_type::f32);
  BOOST_TEST(i.literal == 0x40490fdbu);
  i = get({0x4a060b04, 0x00001234}); // v_madak_f16 v3, v4, v5, 0x1234
  is(i.src[1], v(5), operand_type::f16);
  is(i.src[2], 255, operand_type::f16);
  BOOST_TEST(i.literal == 0x1234u);
}

BOOST_AUTO_TEST_CASE(dpp_has_a_control_masks_and_modifiers) {
  const instruction i = get({0x0a0206fa, 0xa5991302}); // v_mul_f32_dpp v1, -v2, |v3| row_shr:3 row_mask:0xa bank_mask:0x5 bound_ctrl
  BOOST_TEST((i.form == form::dpp));
  is(i.src[0], v(2), operand_type::f32);
  is(i.src[1], v(3), operand_type::f32);
  BOOST_TEST(i.dpp_ctrl == 0x113);
  BOOST_TEST(i.row_mask == 0xa);
  BOOST_TEST(i.bank_mask == 0x5);
  BOOST_TEST(i.bound_ctrl);
  BOOST_TEST(i.neg == 1);
  BOOST_TEST(i.abs == 2);
}

BOOST_AUTO_TEST_CASE(sdwa_selects_parts_of_vgprs_or_sgprs) {
  instruction i = get({0x4c0206f9, 0x830d2902}); // v_add_u16_sdwa v1, sext(v2), s3 clamp BYTE_1 UNUSED_SEXT WORD_1 BYTE_3
  BOOST_TEST((i.form == form::sdwa));
  is(i.src[0], v(2), operand_type::i16);
  is(i.src[1], 3, operand_type::i16);
  BOOST_TEST(i.sext == 1);
  BOOST_TEST(i.clamp);
  BOOST_TEST((i.dst_sel == sdwa_select::byte_1));
  BOOST_TEST(i.dst_unused == 1);
  BOOST_TEST((i.src_sel[0] == sdwa_select::word_1));
  BOOST_TEST((i.src_sel[1] == sdwa_select::byte_3));
  i = get({0x7c8806f9, 0x24128402}); // v_cmp_gt_f32_sdwa s[4:5], -v2, |v3| BYTE_2 WORD_0
  is(i.sdst, 4, operand_type::mask);
  BOOST_TEST(i.neg == 1);
  BOOST_TEST(i.abs == 2);
  BOOST_TEST((i.src_sel[0] == sdwa_select::byte_2));
  BOOST_TEST((i.src_sel[1] == sdwa_select::word_0));
}

BOOST_AUTO_TEST_CASE(compares_write_vcc_or_the_sgpr_pair_that_vop3_names) {
  instruction i = get({0x7df61006}); // v_cmpx_le_u64 vcc, s[6:7], v[8:9]
  is(i.sdst, vcc, operand_type::mask);
  is(i.src[0], 6, operand_type::i64);
  is(i.src[1], v(8), operand_type::i64);
  BOOST_TEST(!i.dst.present());
  BOOST_TEST(i.info->has(WRITES_EXEC));
  i = get({0xd0ca000a, 0x0001e101}); // v_cmp_eq_u32_e64 s[10:11], v1, 0.5
  is(i.sdst, 10, operand_type::mask);
  is(i.src[0], v(1), operand_type::i32);
  is(i.src[1], operand_code::f_0_5, operand_type::i32);
  BOOST_TEST((i.op() == op::v_cmp_eq_u32));
}

BOOST_AUTO_TEST_CASE(vop3_has_three_sources_with_modifiers) {
  instruction i = get({0xd206ea01, 0x24120702}); // v_fma_f16 v1, -v2, |v3|, v4 op_sel:[1,0,1,1] clamp
  is(i.dst, v(1), operand_type::b32);
  is(i.src[0], v(2), operand_type::f16);
  is(i.src[2], v(4), operand_type::f16);
  BOOST_TEST(i.neg == 1);
  BOOST_TEST(i.abs == 2);
  BOOST_TEST(i.op_sel == 13);
  BOOST_TEST(i.clamp);
  BOOST_TEST(i.omod == 0);
  i = get({0xd1e10402, 0x33d21106}); // v_div_scale_f64 v[2:3], s[4:5], -v[6:7], v[8:9], 2.0 mul:4
  is(i.dst, v(2), operand_type::b64);
  is(i.sdst, 4, operand_type::mask);
  is(i.src[2], operand_code::f_2, operand_type::f64);
  BOOST_TEST(i.neg == 1);
  BOOST_TEST(i.abs == 0);
  BOOST_TEST(i.omod == 2);
  i = get({0xd2890006, 0x0000f907}); // v_readlane_b32 s6, v7, m0
  is(i.dst, 6, operand_type::b32);
  is(i.src[1], m0, operand_type::i32);
  i = get({0xd28a0007, 0x00010a06}); // v_writelane_b32 v7, s6, 5
  is(i.dst, v(7), operand_type::b32);
  is(i.src[0], 6, operand_type::i32);
  is(i.src[1], 133, operand_type::i32);
  is(i.src[2], v(7), operand_type::b32);
}

BOOST_AUTO_TEST_CASE(vop3p_selects_and_negates_each_half) {
  const instruction i = get({0xd3a0aa00, 0x380e0501}); // v_mad_mix_f32 v0, -v1, |v2|, s3 op_sel:[1,0,1] op_sel_hi:[1,1,0] clamp
  BOOST_TEST((i.op() == op::v_mad_mix_f32));
  is(i.src[2], 3, operand_type::mix);
  BOOST_TEST(i.neg == 1);
  BOOST_TEST(i.neg_hi == 2);
  BOOST_TEST(i.op_sel == 5);
  BOOST_TEST(i.op_sel_hi == 3);
  BOOST_TEST(i.clamp);
  BOOST_TEST((get({0xd3a0aa00, 0x380e0501}, target::gfx906).op() == op::v_fma_mix_f32));
}

BOOST_AUTO_TEST_CASE(interpolation_has_an_attribute_and_a_channel) {
  instruction i = get({0xd40d1604}); // v_interp_p2_f32 v3, v4, attr5.z
  is(i.dst, v(3), operand_type::b32);
  is(i.src[0], v(4), operand_type::b32);
  BOOST_TEST(i.interp_attr == 5);
  BOOST_TEST(i.interp_chan == 2);
  i = get({0xd2778401, 0x440e05c9}); // v_interp_p2_f16 v1, -v2, attr9.w, |v3| high clamp
  is(i.src[0], v(2), operand_type::b32);
  is(i.src[1], v(3), operand_type::b32);
  BOOST_TEST(i.interp_attr == 9);
  BOOST_TEST(i.interp_chan == 3);
  BOOST_TEST(i.neg == 1);
  BOOST_TEST(i.abs == 2);
  BOOST_TEST((i.op_sel & 1) == 1);
  BOOST_TEST(i.clamp);
}

BOOST_AUTO_TEST_CASE(ds_has_an_address_two_data_operands_and_a_result) {
  instruction i = get({0xd8e01234, 0x02080604}); // ds_cmpst_rtn_b64 v[2:3], v4, v[6:7], v[8:9] offset:0x1234
  is(i.dst, v(2), operand_type::b64);
  is(i.vaddr, v(4), operand_type::b32);
  is(i.vdata, v(6), operand_type::b64);
  is(i.vdata2, v(8), operand_type::b64);
  BOOST_TEST(i.offset == 0x1234);
  BOOST_TEST(!i.gds);
  i = get({0xd871ff07, 0x02000004}); // ds_read2st64_b32 v[2:3], v4 offset0:7 offset1:255 gds
  BOOST_TEST(i.offset0 == 7);
  BOOST_TEST(i.offset1 == 255);
  BOOST_TEST(i.gds);
  BOOST_TEST(!i.vdata.present());
  BOOST_TEST(i.info->memory_bytes == 4);
}

BOOST_AUTO_TEST_CASE(flat_global_and_scratch_differ_in_address_and_offset) {
  instruction i = get({0xdd070fff, 0x01000402}); // flat_atomic_cmpswap v1, v[2:3], v[4:5] offset:4095 glc slc
  BOOST_TEST((i.encoding() == encoding::FLAT));
  is(i.dst, v(1), operand_type::b32);
  is(i.vaddr, v(2), operand_type::b64);
  is(i.vdata, v(4), operand_type::b64);
  BOOST_TEST(i.offset == 4095);
  BOOST_TEST(i.glc);
  BOOST_TEST(i.slc);
  i = get({0xdd060fff, 0x00000402}); // the same without GLC returns nothing
  BOOST_TEST(!i.dst.present());
  i = get({0xdc789000, 0x00060201}); // global_store_dwordx3 v1, v[2:4], s[6:7] offset:-4096
  is(i.vaddr, v(1), operand_type::b32);
  is(i.saddr, 6, operand_type::b64);
  is(i.vdata, v(2), operand_type::b96);
  BOOST_TEST(i.offset == -4096);
  BOOST_TEST(!i.dst.present());
  i = get({0xdc558008, 0x027f0004}); // global_load_dwordx2 v[2:3], v[4:5], off offset:8 glc
  is(i.dst, v(2), operand_type::b64);
  is(i.vaddr, v(4), operand_type::b64);
  BOOST_TEST(!i.saddr.present());
  i = get({0xdc50a010, 0x007f0002}); // global_load_dword v[2:3], off offset:16 lds
  BOOST_TEST(i.lds);
  BOOST_TEST(!i.dst.present());
  i = get({0xdc40400c, 0x01020000}); // scratch_load_ubyte v1, off, s2 offset:12
  BOOST_TEST(!i.vaddr.present());
  is(i.saddr, 2, operand_type::b32);
  i = get({0xdc705ff8, 0x007f0201}); // scratch_store_dword v1, v2, off offset:-8
  is(i.vaddr, v(1), operand_type::b32);
  BOOST_TEST(i.offset == -8);
}

BOOST_AUTO_TEST_CASE(buffers_have_a_descriptor_an_sgpr_offset_and_up_to_two_address_vgprs) {
  instruction i = get({0xe05a7fff, 0x03020206}); // buffer_load_dwordx3 v[2:4], v[6:7], s[8:11], s3 idxen offen offset:4095 glc slc
  is(i.vdata, v(2), operand_type::b96);
  is(i.vaddr, v(6), operand_type::b64);
  is(i.srsrc, 8, operand_type::b128);
  is(i.soffset, 3, operand_type::i32);
  BOOST_TEST(i.offset == 4095);
  BOOST_TEST((i.idxen && i.offen && i.glc && i.slc && !i.tfe && !i.lds));
  BOOST_TEST(i.result().code == v(2));
  i = get({0xe0600007, 0xf0020200}); // buffer_store_byte v2, off, s[8:11], 0.5 offset:7
  BOOST_TEST(!i.vaddr.present());
  is(i.soffset, operand_code::f_0_5, operand_type::i32);
  i = get({0xe0510000, 0x03020000}); // buffer_load_dword off, s[8:11], s3 lds
  BOOST_TEST(i.lds);
  BOOST_TEST(!i.vdata.present());
  i = get({0xe1045000, 0x80020204}); // buffer_atomic_cmpswap v[2:3], v4, s[8:11], 0 offen glc
  is(i.vdata, v(2), operand_type::b64);
  i = get({0xebaaa003, 0x7c430204}); // tbuffer_store_format_xy v[2:3], v4, s[12:15], m0 [16_16, FLOAT] idxen offset:3 slc
  is(i.vdata, v(2), operand_type::b64);
  is(i.srsrc, 12, operand_type::b128);
  is(i.soffset, m0, operand_type::i32);
  BOOST_TEST(i.dfmt == 5);
  BOOST_TEST(i.nfmt == 7);
  BOOST_TEST(i.slc);
}

BOOST_AUTO_TEST_CASE(images_take_as_many_data_vgprs_as_dmask_d16_and_tfe_say) {
  instruction i = get({0xf0885700, 0x00240206}); // image_sample_d v[2:4], v[6:9], s[16:23], s[4:7] dmask:0x7 unorm da
  is(i.vdata, v(2), operand_type::b96);
  BOOST_TEST(i.vaddr.code == v(6));
  is(i.srsrc, 16, operand_type::b256);
  is(i.ssamp, 4, operand_type::b128);
  BOOST_TEST(i.dmask == 7);
  BOOST_TEST((i.unorm && i.da && !i.glc && !i.slc && !i.tfe && !i.lwe && !i.a16 && !i.d16));
  i = get({0xf0885700, 0x80240206}); // with D16: two halves a dword
  is(i.vdata, v(2), operand_type::b64);
  i = get({0xf0895700, 0x80240206}); // and TFE: one dword more
  is(i.vdata, v(2), operand_type::b96);
  i = get({0xf0442300, 0x00040206}); // image_atomic_cmpswap v[2:3], v6, s[16:23] dmask:0x3 glc
  is(i.vdata, v(2), operand_type::b64);
  BOOST_TEST(!i.ssamp.present());
}

BOOST_AUTO_TEST_CASE(exports_name_the_vgprs_that_en_asks_for) {
  instruction i = get({0xc40008dd, 0x04030001}); // exp pos1 v1, off, v3, v4 done
  BOOST_TEST(i.exp_target == 13);
  BOOST_TEST(i.exp_en == 13);
  BOOST_TEST(i.src[0].code == v(1));
  BOOST_TEST(i.src[1].code == none);
  BOOST_TEST(i.src[2].code == v(3));
  BOOST_TEST(i.vdata.code == v(4));
  BOOST_TEST((i.exp_done && !i.exp_compr && !i.exp_vm));
  i = get({0xc4001c2f, 0x00000301}); // exp mrt2 v1, v1, v3, v3 done compr vm
  BOOST_TEST(i.src[0].code == v(1));
  BOOST_TEST(i.src[1].code == v(3));
  BOOST_TEST(!i.src[2].present());
  BOOST_TEST((i.exp_done && i.exp_compr && i.exp_vm));
}

// ---------------------------------------------------------------- what is refused

BOOST_AUTO_TEST_CASE(reserved_opcodes_are_refused_by_name_of_the_encoding) {
  BOOST_TEST(says(refusal({0xbf9f0000}), "SOPP opcode 31 is reserved"));
  BOOST_TEST(says(refusal({0xbe80ff00}), "SOP1 opcode 255 is reserved"));
  BOOST_TEST(says(refusal({0x7e00fe00}), "VOP1 opcode 127 is reserved"));
  BOOST_TEST(says(refusal({0xe1c40000, 0}), "MUBUF opcode 113 is reserved")); // an opcode of older chips
  BOOST_TEST(says(refusal({0xdc00c000, 0}), "segment 3"));
  BOOST_TEST(says(refusal({0xcc000000, 0}), "no encoding"));
  BOOST_TEST(says(refusal({0xffffffff, 0xffffffff}), "no encoding"));
}

BOOST_AUTO_TEST_CASE(instructions_of_the_other_chip_are_refused_by_name) {
  const uint32_t fmac = 59u << 25 | 3 << 17 | 4 << 9 | v(5);
  BOOST_TEST((get({fmac}, target::gfx906).op() == op::v_fmac_f32));
  BOOST_TEST(says(refusal({fmac}), "v_fmac_f32 of gfx906"));
}

BOOST_AUTO_TEST_CASE(reserved_operand_codes_are_refused) {
  for (unsigned code : {125u, 209u, 220u, 234u, 249u, 250u}) BOOST_TEST(says(refusal({0x80000000u | code}), "reserved"));
  BOOST_TEST(says(refusal({0x807d0000}), "SDST")); // s_add_u32 with destination 125
  BOOST_TEST(says(refusal({0x800000fe}), "LDS_DIRECT"));
  BOOST_TEST(says(refusal({0xbe801d80}), "constant")); // s_setpc_b64 0
}

BOOST_AUTO_TEST_CASE(scalar_tuples_must_be_aligned_and_inside_the_register_file) {
  BOOST_TEST(says(refusal({0xbe860103}), "s[3:4] is not aligned"));   // s_mov_b64 s[6:7], s[3:4]
  BOOST_TEST(says(refusal({0xbe870102}), "s[7:8] is not aligned"));   // s_mov_b64 s[7:8], s[2:3]
  BOOST_TEST(says(refusal({0xbe86016b}), "vcc_hi"));                  // s_mov_b64 s[6:7], vcc_hi
  BOOST_TEST(says(refusal({0xbe86017c}), "m0"));                      // s_mov_b64 s[6:7], m0
  BOOST_TEST(says(refusal({0xc00a0181, 0}), "s[6:9] is not aligned")); // s_load_dwordx4 s[6:9]
  BOOST_TEST(says(refusal({0xc02a0201, 0}), "s[2:5] is not aligned")); // s_buffer_load_dwordx4 s[8:11], s[2:5]
  BOOST_TEST(says(refusal({0xc00a1901, 0}), "runs past s101"));       // s_load_dwordx4 s[100:103]
  BOOST_TEST(says(refusal({0xd0e80003, 0x00020501}), "s[3:4] is not aligned")); // v_cmp_f_u64_e64 s[3:4]
}

BOOST_AUTO_TEST_CASE(vgpr_tuples_must_end_at_v255) {
  BOOST_TEST(get({0xdc5c8000, 0xfc7f0000}).dst.code == v(252));                       // global_load_dwordx4 v[252:255]
  BOOST_TEST(says(refusal({0xdc5c8000, 0xfd7f0000}), "v[253:256] runs past v255"));
}

BOOST_AUTO_TEST_CASE(a_missing_second_dword_is_refused) {
  for (uint32_t w : {0xc0020001u, 0x800000ffu, 0x7e0002ffu, 0x7e0002fau, 0x7e0002f9u, 0xd1c80000u, 0xd8000000u, 0xdc508000u, 0xe0500000u, 0xe8000000u, 0xf0000100u,
                     0xc4000001u, 0xba000001u, 0x2e000100u})
    BOOST_TEST(says(refusal({w}), "second dword"));
  BOOST_TEST(says(decode(nullptr, 0, target::gfx900).error, "ends here"));
}

BOOST_AUTO_TEST_CASE(fields_that_mean_nothing_must_be_zero) {
  BOOST_TEST(says(refusal({0xbf8a0001}), "SIMM16 must be 0"));             // s_barrier 1
  BOOST_TEST(says(refusal({0xd8000000, 0x00010000}), "DATA1 must be 0"));  // ds_add_u32
  BOOST_TEST(says(refusal({0xdc001000, 0x00000000}), "reserved"));         // FLAT opcode 0
  BOOST_TEST(says(refusal({0xdc501000, 0x00000000}), "bit 12"));           // flat_load_dword, 13-bit offset
  BOOST_TEST(says(refusal({0xdc502000, 0x00000000}), "LDS"));              // flat_load_dword lds
  BOOST_TEST(says(refusal({0xe0740000 | 1 << 16, 0x80020200}), "LDS"));    // buffer_store_dwordx2 lds
  BOOST_TEST(says(refusal({0xe0f40000, 0x80020000}), "must have LDS"));    // buffer_store_lds_dword without LDS
  BOOST_TEST(says(refusal({0xf0440700, 0x00040206}), "DMASK"));            // image_atomic_cmpswap dmask:7
}

BOOST_AUTO_TEST_CASE(reserved_dpp_and_sdwa_controls_are_refused) {
  BOOST_TEST(says(refusal({0x7e0002fa, 0xff010001}), "DPP_CTRL 0x100"));
  BOOST_TEST(says(refusal({0x7e0002fa, 0xff015001}), "DPP_CTRL 0x150")); // row_newbcast, of later chips
  BOOST_TEST(says(refusal({0x7e0002f9, 0x00060701}), "DST_SEL"));
  BOOST_TEST(says(refusal({0x7e0002f9, 0x00061e01}), "DST_UNUSED"));
  BOOST_TEST(says(refusal({0x7e0002f9, 0x00071601}), "SRC0_SEL"));
  BOOST_TEST(says(refusal({0x7e0008fa, 0xff000001}), "v_cvt_f64_i32 has no DPP form"));
  BOOST_TEST(says(refusal({0x2c0002f9, 0x06060601}), "v_mac_f32 has no SDWA form"));
  BOOST_TEST(says(refusal({0xd1c80000, 0x040004ff}), "literal")); // VOP3
}

BOOST_AUTO_TEST_CASE(random_dwords_decode_or_are_refused_and_never_read_past_the_code) {
  std::mt19937_64 random(2024);
  unsigned right = 0, wrong = 0;
  static const uint32_t tops[] = {0x00000000, 0x7c000000, 0x7e000000, 0x80000000, 0xb0000000, 0xbe800000, 0xbf000000, 0xbf800000, 0xc0000000, 0xc4000000,
                                  0xd0000000, 0xd3800000, 0xd4000000, 0xd8000000, 0xdc000000, 0xe0000000, 0xe8000000, 0xf0000000};
  for (unsigned n = 0; n < 600000; ++n) {
    const unsigned available = 1 + static_cast<unsigned>(random() % 2);
    const std::unique_ptr<uint32_t[]> words(new uint32_t[available]); // exactly as long as said: the sanitizer sees a read past it
    for (unsigned w = 0; w < available; ++w) words[w] = static_cast<uint32_t>(random());
    if (n % 2) words[0] = (words[0] & 0x03ffffff) | tops[random() % (sizeof tops / sizeof tops[0])];
    const target chip = n % 3 ? target::gfx900 : target::gfx906;
    const decode_result d = decode(words.get(), available, chip);
    if (!d) {
      ++wrong;
      BOOST_REQUIRE(!d.error.empty());
      continue;
    }
    ++right;
    BOOST_REQUIRE(d.error.empty());
    BOOST_REQUIRE((d.inst.size_bytes == 4 || (d.inst.size_bytes == 8 && available == 2)));
    BOOST_REQUIRE(d.inst.words[0] == words[0]);
    BOOST_REQUIRE(!disassemble(d.inst, chip).empty());
    for (const operand* o : {&d.inst.dst, &d.inst.sdst, &d.inst.src[0], &d.inst.src[1], &d.inst.src[2], &d.inst.vaddr, &d.inst.vdata, &d.inst.vdata2})
      if (o->present() && o->is_vgpr()) BOOST_REQUIRE(o->vgpr() + dwords_of(o->type) <= 256u);
  }
  BOOST_TEST(right > 100000u);
  BOOST_TEST(wrong > 100000u);
}

BOOST_AUTO_TEST_CASE(the_table_finds_every_row_by_encoding_number_and_chip) {
  unsigned count = 0;
  const opcode_info* table = opcode_table(count);
  BOOST_TEST(count == 1515u);
  for (unsigned n = 0; n < count; ++n)
    for (target chip : {target::gfx900, target::gfx906}) {
      const bool has = table[n].targets & (chip == target::gfx900 ? GFX900 : GFX906);
      const opcode_info* found = find_opcode(table[n].encoding, table[n].number, chip);
      BOOST_TEST((found == &table[n]) == has);
    }
  BOOST_TEST(find_opcode(encoding::VOP3, 5000, target::gfx900) == nullptr);
}
