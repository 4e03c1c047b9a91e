// SPDX-License-Identifier: Apache-2.0
// From job and code object to what a wave finds: kernarg segment, AQL packet, queue, scratch descriptor, SGPRs, addresses.
#include "dispatch/loaded_job.h"
#include "dispatch/support.h"
#include "support/systemc_test.h"
#include <random>

using namespace lyra::dispatch;
using support::contains;

namespace {

const char* source = R"(
struct pair { int a; float b; };
kernel void all(global int *o, int i, float f, char c, long l, struct pair p, local int *q, local double *r) {
  q[0] = i; r[0] = f; o[0] = c + l + p.a + p.b + q[1] + r[1];
}
kernel void ids(global int *o) { o[__builtin_amdgcn_workgroup_id_z() * 8 + __builtin_amdgcn_workgroup_id_x()] = __builtin_amdgcn_workitem_id_z(); }
kernel void spill(global int *o, int n) { int t[50]; for (int i = 0; i < 50; ++i) t[i] = o[i]; o[n] = t[n] + t[n * 7 % 50]; }
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void fixed(global int *o) { o[0] = 1; }
kernel void lds(global int *o) { local int t[64]; t[o[0]] = 1; o[1] = t[o[2]]; }
)";

struct fixture {
  support::scratch_directory d;
  support::page_memory m;
  fixture() { support::compile(d, source, "k"); }
  std::unique_ptr<loaded_job> load(const std::string& dispatches, const std::string& more = "") {
    const std::string head = "[code]\nobject = \"k.co\"\n" + more + "[buffer.o]\nsize = 5000\n[buffer.b]\nsize = 64\nfill = {u16=0x1234}\n";
    return std::make_unique<loaded_job>(parse_job(head + dispatches, "job.toml", d.path), m, machine_limits{});
  }
  std::string error(const std::string& dispatches, const std::string& more = "") {
    return support::error_of([&] { load(dispatches, more); });
  }
};

std::string dispatch(const std::string& kernel, const std::string& args, const std::string& grid = "[64,1,1]", const std::string& group = "[64,1,1]") {
  return "[[dispatch]]\nkernel = \"" + kernel + "\"\ngrid = " + grid + "\nworkgroup = " + group + "\nargs = [" + args + "]\n";
}
const std::string all_args = "{buffer=\"o\", offset=8}, {i32=-5}, {f32=1.5}, {i8=-1}, {i64=-2}, {bytes=\"0700000000002040\"}, {local=20}, {local=64}";

/// The 64-bit user SGPR pair at index i.
uint64_t pair_at(const lyra::fabric::dispatch_packet& p, size_t i) { return p.user_sgprs.at(i) | uint64_t(p.user_sgprs.at(i + 1)) << 32; }

} // namespace

BOOST_AUTO_TEST_CASE(explicit_arguments_lie_where_the_metadata_says) {
  fixture f;
  const auto j = f.load(dispatch("all", all_args));
  const auto& p = *j->packets().at(0);
  const kernel& k = j->object()->find_kernel("all");
  BOOST_REQUIRE(!k.descriptor.dispatch_ptr());
  const uint64_t kernarg = pair_at(p, 4); // behind the 4 SGPRs of the private segment buffer
  const auto at = [&](int i) { return kernarg + k.explicit_arguments()[size_t(i)]->offset; };
  BOOST_TEST(f.m.get<uint64_t>(at(0)) == j->buffer("o").address + 8);
  BOOST_TEST(f.m.get<int32_t>(at(1)) == -5);
  BOOST_TEST(f.m.get<float>(at(2)) == 1.5f);
  BOOST_TEST(f.m.get<int8_t>(at(3)) == -1);
  BOOST_TEST(f.m.get<int64_t>(at(4)) == -2);
  BOOST_TEST(f.m.get<int32_t>(at(5)) == 7);
  BOOST_TEST(f.m.get<float>(at(5) + 4) == 2.5f);
  BOOST_TEST(f.m.get<uint32_t>(at(6)) == 0u);  // dynamic LDS starts behind the (empty) static part
  BOOST_TEST(f.m.get<uint32_t>(at(7)) == 24u); // 20 bytes, then 8-byte aligned for double
  BOOST_TEST(p.lds_bytes == 24u + 64u);
}

BOOST_AUTO_TEST_CASE(argument_mistakes_name_kernel_argument_and_type) {
  fixture f;
  const auto with = [&](const std::string& kernel, const std::string& args) { return f.error(dispatch(kernel, args)); };
  BOOST_TEST(contains(with("ids", ""), "job.toml:12: kernel \"ids\" takes 1 argument, the job gives 0: ids(int*)"));
  BOOST_TEST(contains(with("ids", "{buffer=\"o\"}, {i32=1}"), "takes 1 argument, the job gives 2"));
  BOOST_TEST(contains(with("spill", "{i32=1}, {i32=1}"), "argument 0 (int*, 8 bytes) is a pointer: it takes {buffer=\"name\"}, not i32"));
  BOOST_TEST(contains(with("spill", "{buffer=\"o\"}, {f32=1.0}"), "argument 1 (int, 4 bytes) is an integer, the job gives f32"));
  BOOST_TEST(contains(with("spill", "{buffer=\"o\"}, {i64=1}"), "argument 1 (int, 4 bytes) does not fit i64 (8 bytes)"));
  BOOST_TEST(contains(with("spill", "{buffer=\"o\"}, {buffer=\"b\"}"), "is no 64-bit pointer"));
  BOOST_TEST(contains(with("spill", "{buffer=\"o\"}, {local=4}"), "is no pointer to local memory"));
  BOOST_TEST(contains(with("spill", "{buffer=\"o\"}, {bytes=\"0011\"}"), "needs 4 bytes, the job gives 2"));
  std::string a = all_args;
  a.replace(a.find("{local=20}"), 10, "{u32=4}");
  BOOST_TEST(contains(with("all", a), "is a pointer to local memory: it takes {local=BYTES}, not u32"));
  a = all_args;
  a.replace(a.find("{local=20}"), 10, "{local=65536}");
  BOOST_TEST(contains(with("all", a), "needs 65600 bytes of LDS"));
  BOOST_TEST(contains(f.error(dispatch("idz", "{buffer=\"o\"}")), "job.toml:8: k.co: no kernel \"idz\" in it; did you mean \"ids\"?"));
  BOOST_TEST(contains(f.error(dispatch("fixed", "{buffer=\"o\"}", "[64]", "[32]")), "needs workgroups of 64 x 1 x 1"));
  BOOST_TEST(contains(f.error(dispatch("ids", "{buffer=\"o\"}", "[1024]", "[1024]")), "compiled for workgroups of at most 256 work-items, the job asks for 1024"));
}

BOOST_AUTO_TEST_CASE(hidden_arguments_of_versions_4_and_5_have_their_values) {
  kernel k;
  k.name = "k";
  k.kernarg_bytes = 256;
  const char* kinds[] = {"hidden_global_offset_x", "hidden_none", "hidden_hostcall_buffer", "hidden_block_count_x", "hidden_block_count_y", "hidden_group_size_x", "hidden_group_size_z",
                         "hidden_remainder_x", "hidden_remainder_y", "hidden_grid_dims", "hidden_private_base", "hidden_shared_base", "hidden_queue_ptr", "hidden_dynamic_lds_size", "hidden_heap_v1"};
  const uint32_t sizes[] = {8, 8, 8, 4, 4, 2, 2, 2, 2, 2, 4, 4, 8, 4, 8};
  const uint64_t values[] = {0, 0, 0, 3, 2, 8, 2, 5, 1, 3, 0x20000, 0x10000, 0x123456789a, 100, 0};
  uint32_t offset = 8;
  for (size_t i = 0; i < std::size(kinds); ++i) {
    kernel_argument a;
    a.kind = argument_kind::hidden;
    a.value_kind = kinds[i];
    a.offset = offset;
    a.size = sizes[i];
    offset += 8;
    k.arguments.push_back(a);
  }
  kernel_argument l;
  l.kind = argument_kind::dynamic_shared_pointer;
  l.size = 4;
  l.pointee_align = 16;
  k.arguments.push_back(l);
  k.descriptor.group_segment_bytes = 20;
  dispatch_spec d;
  d.grid[0] = 29; d.grid[1] = 9; d.grid[2] = 4;
  d.workgroup[0] = 8; d.workgroup[1] = 4; d.workgroup[2] = 2;
  d.args.resize(1);
  d.args[0].what = argument_spec::kind::local;
  d.args[0].local_bytes = 88;
  const auto s = build_kernarg(k, d, [](const std::string&) { return uint64_t(0); }, 0x123456789a);
  for (size_t i = 0; i < std::size(kinds); ++i) {
    uint64_t v = 0;
    std::memcpy(&v, &s.bytes[8 + 8 * i], sizes[i]);
    BOOST_TEST(v == values[i], kinds[i]);
  }
  BOOST_TEST(s.bytes[0] == 32); // static 20, aligned to 16
  BOOST_TEST(s.lds_bytes == 120u);
}

BOOST_AUTO_TEST_CASE(sgprs_and_vgprs_start_as_the_descriptor_asks) {
  fixture f;
  const auto j = f.load(dispatch("ids", "{buffer=\"o\"}", "[24,5,6]", "[4,4,4]"));
  const auto& p = *j->packets()[0];
  const auto& kd = j->object()->find_kernel("ids").descriptor;
  BOOST_TEST(p.user_sgprs.size() == kd.user_sgprs());
  BOOST_TEST(p.workgroup_id[0]);
  BOOST_TEST(!p.workgroup_id[1]);
  BOOST_TEST(p.workgroup_id[2]);
  BOOST_REQUIRE(p.workgroup_id_count == 2);
  BOOST_TEST(p.workgroup_id_order[1] == 2);
  BOOST_TEST(p.workitem_id == 2);
  BOOST_TEST(p.groups() == 6u * 2 * 2);
  BOOST_TEST(p.entry_pc == j->code_address() + j->object()->find_kernel("ids").entry_address);
  BOOST_TEST(p.mode == 0x3f0u); // all denormals, round to nearest, DX10_CLAMP, IEEE: what clang asks for
  BOOST_TEST(j->describe_pc(p.entry_pc + 4) == "ids+0x4");
  BOOST_TEST(j->describe_pc(0x10) == "");
}

BOOST_AUTO_TEST_CASE(scratch_descriptor_is_swizzled_by_lane_and_based_on_the_area) {
  fixture f;
  const auto j = f.load(dispatch("spill", "{buffer=\"o\"}, {i32=3}") + dispatch("ids", "{buffer=\"o\"}"));
  const auto& p = *j->packets()[0];
  BOOST_TEST(p.scratch_bytes == j->object()->find_kernel("spill").descriptor.private_segment_bytes);
  BOOST_TEST(p.scratch_bytes >= 200u);
  BOOST_TEST(p.scratch_wave_bytes == (uint64_t(p.scratch_bytes) * 64 + 1023) / 1024 * 1024);
  BOOST_TEST(p.scratch_wave_offset);
  const uint32_t* v = p.user_sgprs.data();
  BOOST_TEST((v[0] | uint64_t(v[1] & 0xffff) << 32) == p.scratch_base);
  BOOST_TEST(v[1] >> 31 == 1u);          // swizzle enable
  BOOST_TEST((v[1] >> 16 & 0x3fff) == 0u); // stride
  BOOST_TEST(v[2] == p.scratch_wave_bytes * j->scratch_slots());
  BOOST_TEST((v[3] >> 21 & 3) == 3u);    // index stride 64
  BOOST_TEST((v[3] >> 23 & 1) == 1u);    // add_tid
  BOOST_TEST(f.m.mapped(p.scratch_base));
  BOOST_TEST(f.m.mapped(p.scratch_base + v[2] - 1));
  BOOST_TEST(!f.m.mapped(p.scratch_base + v[2] + 4095));
  BOOST_TEST(j->packets()[1]->scratch_wave_bytes == 0u); // no scratch of its own
}

// -O0 kernels read everything HSA has: dispatch packet, queue, ids.
BOOST_AUTO_TEST_CASE(dispatch_packet_and_queue_lie_in_memory_as_hsa_defines_them) {
  support::scratch_directory d;
  support::page_memory m;
  support::compile(d, source, "k", "gfx900", "-O0");
  const std::string head = "[code]\nobject = \"k.co\"\n[buffer.o]\nsize = 5000\n";
  const loaded_job j(parse_job(head + dispatch("ids", "{buffer=\"o\"}") + dispatch("lds", "{buffer=\"o\"}", "[70000,3]", "[16,2]"), "job.toml", d.path), m, {});
  const kernel& k = j.object()->find_kernel("lds");
  const auto& p = *j.packets()[1];
  const auto& kd = k.descriptor;
  BOOST_REQUIRE((kd.private_segment_buffer() && kd.dispatch_ptr() && kd.queue_ptr() && kd.kernarg_segment_ptr() && kd.dispatch_id() && kd.flat_scratch_init()));
  BOOST_REQUIRE(p.user_sgprs.size() == 14u);
  const uint64_t aql = pair_at(p, 4), queue = pair_at(p, 6), kernarg = pair_at(p, 8), id = pair_at(p, 10), flat = pair_at(p, 12);
  BOOST_TEST(id == 1u);
  BOOST_TEST(flat == p.scratch_base);
  BOOST_TEST(aql % 64 == 0u);
  BOOST_TEST(kernarg % 64 == 0u);
  BOOST_TEST((m.get<uint16_t>(aql) & 0xff) == 2u);        // kernel dispatch
  BOOST_TEST((m.get<uint16_t>(aql) >> 8 & 1) == 1u);      // barrier
  BOOST_TEST(m.get<uint16_t>(aql + 2) == 2u);             // dimensions
  BOOST_TEST(m.get<uint16_t>(aql + 4) == 16u);
  BOOST_TEST(m.get<uint16_t>(aql + 6) == 2u);
  BOOST_TEST(m.get<uint16_t>(aql + 8) == 1u);
  BOOST_TEST(m.get<uint32_t>(aql + 12) == 70000u);
  BOOST_TEST(m.get<uint32_t>(aql + 16) == 3u);
  BOOST_TEST(m.get<uint32_t>(aql + 20) == 1u);
  BOOST_TEST(m.get<uint32_t>(aql + 24) == kd.private_segment_bytes);
  BOOST_TEST(m.get<uint32_t>(aql + 28) == 256u);          // static LDS
  BOOST_TEST(m.get<uint64_t>(aql + 32) == j.code_address() + k.descriptor_address);
  BOOST_TEST(m.get<uint64_t>(aql + 40) == kernarg);
  BOOST_TEST(m.get<uint64_t>(kernarg) == j.buffer("o").address);
  BOOST_TEST(m.get<uint64_t>(queue + 8) + 64 == aql);     // ring base; this is packet 1
  BOOST_TEST(m.get<uint32_t>(queue + 24) == 2u);
  BOOST_TEST(m.get<uint32_t>(queue + 0x40) == 0x10000u);  // LDS aperture, bits 63:32: where LLVM reads it
  BOOST_TEST(m.get<uint32_t>(queue + 0x44) == 0x20000u);  // scratch aperture
  BOOST_TEST(m.get<uint64_t>(queue + 160) == p.scratch_base);
  BOOST_TEST(p.workgroup_id_count == 3);
}

BOOST_AUTO_TEST_CASE(mode_takes_every_bit_of_the_descriptor) {
  kernel_descriptor d;
  d.rsrc1 = 0xa5u << 12;
  BOOST_TEST(initial_mode(d) == 0xa5u);
  d.rsrc1 = 1u << 21;
  BOOST_TEST(initial_mode(d) == 1u << 8); // DX10_CLAMP
  d.rsrc1 = 1u << 23;
  BOOST_TEST(initial_mode(d) == 1u << 9); // IEEE
  d.rsrc1 = 1u << 26;
  BOOST_TEST(initial_mode(d) == 1u << 23); // FP16_OVFL
  d.rsrc1 = 0;
  d.rsrc2 = 0x55u << 24;
  BOOST_TEST(initial_mode(d) == 0x55u << 12); // exception enables
}

BOOST_AUTO_TEST_CASE(raw_launches_start_exactly_as_the_job_says) {
  support::scratch_directory d;
  support::page_memory m;
  d.write("s.bin", std::string("\x00\x00\x81\xbf" "data", 8));
  const loaded_job j(parse_job("[code]\nraw = \"s.bin\"\naddress = \"0xffff800000400000\"\n[buffer.t]\nsize = 16\naddress = \"0xffff800000010000\"\n[[dispatch]]\ngrid = [100, 7]\nworkgroup = [8, 8]\nsgprs = 20\nvgprs = 9\nlds = 100\n"
                               "scratch = 12\nuser_sgprs = [5, {buffer_lo=\"t\", offset=4}, {buffer_hi=\"t\"}, -2]\nworkgroup_id = \"zx\"\nworkitem_id = 1\nfloat_mode = 0xf0\nbarrier = false\n", "j", d.path), m, {lyra::isa::target::gfx906});
  const auto& p = *j.packets()[0];
  BOOST_TEST((p.user_sgprs == std::vector<uint32_t>{5, 0x10004, 0xffff8000, 0xfffffffe}));
  BOOST_TEST(p.workgroup_id_count == 2);
  BOOST_TEST(p.workgroup_id_order[0] == 2);
  BOOST_TEST(p.workgroup_id_order[1] == 0);
  BOOST_TEST(!p.workgroup_id[1]);
  BOOST_TEST(p.workitem_id == 1);
  BOOST_TEST(p.mode == 0x1f0u); // float mode, DX10_CLAMP; IEEE is 0
  BOOST_TEST(p.sgprs == 20u);
  BOOST_TEST(p.vgprs == 9u);
  BOOST_TEST(p.lds_bytes == 100u);
  BOOST_TEST(p.scratch_bytes == 12u);
  BOOST_TEST(p.scratch_wave_bytes == 0u); // where scratch lies is the code's business
  BOOST_TEST(!p.scratch_wave_offset);
  BOOST_TEST(!p.barrier);
  BOOST_TEST((p.target == lyra::isa::target::gfx906));
  BOOST_TEST(p.entry_pc == 0x800000400000u);
  BOOST_TEST(m.get<uint32_t>(0x800000400004) == 0x61746164u); // the constant data behind the code
  BOOST_TEST(j.describe_pc(p.entry_pc + 4) == "s.bin+0x4");
}

BOOST_AUTO_TEST_CASE(buffers_are_filled_padded_and_guarded_by_an_unmapped_page) {
  fixture f;
  f.d.write("in.bin", "abc");
  const auto j = f.load("[buffer.f]\nfile = \"in.bin\"\nsize = 10000\n[buffer.w]\nsize = 4099\nfill = {f64=1.0}\n" + dispatch("ids", "{buffer=\"o\"}"));
  const auto& fb = j->buffer("f");
  BOOST_TEST(f.m.get<uint32_t>(fb.address) == 0x00636261u);
  BOOST_TEST(f.m.get<uint32_t>(fb.address + 9996) == 0u);
  const auto& w = j->buffer("w");
  BOOST_TEST(f.m.get<double>(w.address + 4088) == 1.0);
  BOOST_TEST(f.m.get<uint16_t>(w.address + 4096) == 0u); // the low bytes of 1.0; the buffer ends inside an element
  BOOST_TEST(f.m.get<uint16_t>(j->buffer("b").address + 62) == 0x1234u);
  for (const auto& b : j->buffers()) {
    BOOST_TEST(b.address % 4096 == 0u);
    BOOST_TEST(!f.m.mapped((b.address + b.bytes + 4095) / 4096 * 4096), b.name);
    BOOST_TEST(!f.m.mapped(b.address - 1), b.name);
  }
  BOOST_TEST(j->describe_address(w.address + 8) == "buffer w + 0x8");
  BOOST_TEST(j->describe_address(w.address + 4100) == "0x1 bytes behind buffer w");
  BOOST_TEST(j->describe_address(j->buffer("o").address - 16) == "0x10 bytes before buffer o");
  BOOST_TEST(j->describe_address(0x10) == "no allocation near");
}

BOOST_AUTO_TEST_CASE(overlapping_fixed_addresses_are_refused) {
  fixture f;
  const auto two = [&](const std::string& a, const std::string& b) { return f.error("[buffer.p]\nsize = 512\naddress = " + a + "\n[buffer.q]\nsize = 512\naddress = " + b + "\n" + dispatch("ids", "{buffer=\"o\"}")); };
  BOOST_TEST(two("0x20000", "0x20200") == "");
  BOOST_TEST(contains(two("0x20000", "0x20100"), "buffer q at 0x20100..0x20300 overlaps buffer p"));
  BOOST_TEST(contains(two("\"0xffff800000000000\"", "0x800000000000"), "overlaps"));
  BOOST_TEST(contains(f.error("[buffer.p]\nsize = 512\naddress = 0x40000\n" + dispatch("ids", "{buffer=\"o\"}"), "address = 0x40000\n"), "overlaps code"));
  BOOST_TEST(contains(f.error("[buffer.p]\nsize = 512\naddress = \"0xffffffffffffff00\"\n" + dispatch("ids", "{buffer=\"o\"}")), "leaves the 48-bit address space"));
}

BOOST_AUTO_TEST_CASE(automatic_allocations_never_touch_each_other_or_fixed_ones) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    address_layout l;
    for (int i = 0; i < 12; ++i) {
      const uint64_t a = address_layout::lowest + random() % 64 * 256 + random() % 40 * 4096;
      try { l.reserve(a, 1 + random() % 9000, "fixed", {}); } catch (const lyra::observe::input_error&) {} // overlaps are refused
    }
    const size_t fixed = l.ranges().size();
    std::vector<std::pair<uint64_t, uint64_t>> mine;
    for (int i = 0; i < 12; ++i) {
      const uint64_t bytes = 1 + random() % 30000;
      mine.emplace_back(l.allocate(bytes, "auto", random() % 4 ? 4096 : 65536), bytes);
    }
    BOOST_REQUIRE(l.ranges().size() == fixed + 12);
    for (const auto& [a, n] : mine)
      for (const auto& r : l.ranges()) {
        if (r.first == a && r.what == "auto") continue;
        const uint64_t first_page = a / 4096, last_page = (a + n - 1) / 4096;
        const bool apart = r.first / 4096 > last_page + 1 || (r.end() - 1) / 4096 + 1 < first_page;
        BOOST_REQUIRE_MESSAGE(apart, "round " << round << ": " << std::hex << a << "+" << n << " and " << r.first << ".." << r.end());
      }
  }
}
