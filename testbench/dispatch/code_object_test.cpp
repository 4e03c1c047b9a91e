// SPDX-License-Identifier: Apache-2.0
// Code objects as clang makes them, against what LLVM's own tools say of them; and everything that can be wrong with one.
#include "dispatch/code_object.h"
#include "dispatch/support.h"
#include "support/systemc_test.h"
#include <random>
#include <regex>

using namespace lyra::dispatch;
using support::contains;
using support::error_of;

namespace {
const char* two_kernels = R"(
__attribute__((used)) constant int a_table[4] = {1, 2, 3, 4};
__attribute__((used)) constant int b_table[4] = {5, 6, 7, 8};
__attribute__((used)) constant int *const constant tables[2] = {a_table, b_table};
kernel void add(global float *y, global const float *x, float a, int n) {
  int i = __builtin_amdgcn_workitem_id_x();
  if (i < n) y[i] += a * x[i] + tables[n & 1][i & 3];
}
kernel __attribute__((reqd_work_group_size(64, 2, 1))) void sum(global int *o, local int *l, char c, local double *d) {
  l[__builtin_amdgcn_workitem_id_x()] = c; d[0] = c;
  __builtin_amdgcn_s_barrier();
  o[0] = l[3] + (int)d[0] + __builtin_amdgcn_workgroup_id_y();
}
kernel void spill(global int *o, int n) {
  int t[40];
  for (int i = 0; i < 40; ++i) t[i] = o[i];
  o[n] = t[n] + t[n * 7 % 40];
}
)";
} // namespace

BOOST_AUTO_TEST_CASE(kernels_arguments_and_sizes_are_what_the_compiler_wrote) {
  support::scratch_directory d;
  const auto o = code_object::load(support::compile(d, two_kernels, "k"));
  BOOST_TEST(o.version() == 4u);
  BOOST_TEST(o.target_id() == "gfx900");
  BOOST_TEST((o.chip() == lyra::isa::target::gfx900));
  BOOST_REQUIRE(o.kernels().size() == 3u);
  const kernel& k = o.find_kernel("add");
  const auto args = k.explicit_arguments();
  BOOST_REQUIRE(args.size() == 4u);
  const uint32_t offsets[] = {0, 8, 16, 20}, sizes[] = {8, 8, 4, 4};
  for (int i = 0; i < 4; ++i) {
    BOOST_TEST(args[i]->offset == offsets[i]);
    BOOST_TEST(args[i]->size == sizes[i]);
  }
  BOOST_TEST((args[0]->kind == argument_kind::global_buffer));
  BOOST_TEST(args[2]->type_name == "float");
  BOOST_TEST(contains(k.signature(), "float*, float*, float, int"));
  const kernel& s = o.find_kernel("sum");
  BOOST_TEST((s.explicit_arguments()[1]->kind == argument_kind::dynamic_shared_pointer));
  BOOST_TEST(s.explicit_arguments()[3]->pointee_align == 8u);
  BOOST_TEST(s.required_workgroup[0] == 64u);
  BOOST_TEST(s.required_workgroup[1] == 2u);
  BOOST_TEST(s.max_workgroup == 128u);
  BOOST_TEST(o.find_kernel("spill").descriptor.private_segment_bytes >= 160u);
  BOOST_TEST(o.find_kernel("sum.kd").name == "sum"); // the descriptor's symbol names the kernel too
}

// llvm-objdump prints a descriptor as assembler directives: each of ours must say the same.
BOOST_AUTO_TEST_CASE(descriptors_agree_with_llvm_for_every_kernel_and_chip) {
  support::scratch_directory d;
  for (const std::string chip : {"gfx900", "gfx906"})
    for (const std::string flags : {"-O0 -mcode-object-version=3", "-O2 -mcode-object-version=4", "-O2 -mcode-object-version=4 -Xclang -fdenormal-fp-math-f32=preserve-sign"}) {
      const auto file = support::compile(d, two_kernels, "k", chip, flags);
      const auto o = code_object::load(file);
      const std::string text = support::run("llvm-objdump-15 -d -j .rodata " + file.string());
      unsigned seen = 0;
      for (const kernel& k : o.kernels()) {
        const size_t begin = text.find(".amdhsa_kernel " + k.name + "\n");
        BOOST_REQUIRE(begin != std::string::npos);
        const std::string part = text.substr(begin, text.find(".end_amdhsa_kernel", begin) - begin);
        const auto value = [&](const std::string& directive) {
          std::smatch m;
          BOOST_REQUIRE_MESSAGE(std::regex_search(part, m, std::regex("\\.amdhsa_" + directive + " (\\d+)")), directive);
          ++seen;
          return unsigned(std::stoul(m[1]));
        };
        const auto& kd = k.descriptor;
        BOOST_TEST(kd.group_segment_bytes == value("group_segment_fixed_size"));
        BOOST_TEST(kd.private_segment_bytes == value("private_segment_fixed_size"));
        BOOST_TEST(kd.kernarg_bytes == value("kernarg_size"));
        BOOST_TEST(kd.vgprs() == value("next_free_vgpr"));
        BOOST_TEST(kd.private_segment_buffer() == value("user_sgpr_private_segment_buffer"));
        BOOST_TEST(kd.dispatch_ptr() == value("user_sgpr_dispatch_ptr"));
        BOOST_TEST(kd.queue_ptr() == value("user_sgpr_queue_ptr"));
        BOOST_TEST(kd.kernarg_segment_ptr() == value("user_sgpr_kernarg_segment_ptr"));
        BOOST_TEST(kd.dispatch_id() == value("user_sgpr_dispatch_id"));
        BOOST_TEST(kd.flat_scratch_init() == value("user_sgpr_flat_scratch_init"));
        BOOST_TEST(kd.private_segment_size() == value("user_sgpr_private_segment_size"));
        BOOST_TEST((kd.rsrc2 & 1) == value("system_sgpr_private_segment_wavefront_offset"));
        BOOST_TEST((kd.rsrc2 >> 7 & 1) == value("system_sgpr_workgroup_id_x"));
        BOOST_TEST((kd.rsrc2 >> 8 & 1) == value("system_sgpr_workgroup_id_y"));
        BOOST_TEST((kd.rsrc2 >> 9 & 1) == value("system_sgpr_workgroup_id_z"));
        BOOST_TEST((kd.rsrc2 >> 11 & 3) == value("system_vgpr_workitem_id"));
        BOOST_TEST((kd.rsrc1 >> 16 & 3) == value("float_denorm_mode_32"));
        BOOST_TEST((kd.rsrc1 >> 18 & 3) == value("float_denorm_mode_16_64"));
      }
      BOOST_TEST(seen == o.kernels().size() * 18);
    }
}

BOOST_AUTO_TEST_CASE(version_3_and_4_and_target_features_are_told_apart) {
  support::scratch_directory d;
  const auto id = [&](const std::string& chip, const std::string& flags) { return code_object::load(support::compile(d, two_kernels, "k", chip, flags)).target_id(); };
  BOOST_TEST(id("gfx906", "-mcode-object-version=4") == "gfx906");
  BOOST_TEST(id("gfx906:xnack-", "-mcode-object-version=4") == "gfx906:xnack-");
  BOOST_TEST(id("gfx906:sramecc+:xnack-", "-mcode-object-version=4") == "gfx906:sramecc+:xnack-");
  BOOST_TEST(id("gfx900:xnack+", "-mcode-object-version=4") == "gfx900:xnack+");
  BOOST_TEST(id("gfx900:xnack-", "-mcode-object-version=3") == "gfx900");
  BOOST_TEST(id("gfx900:xnack+", "-mcode-object-version=3") == "gfx900:xnack+");
  BOOST_TEST(code_object::load(support::compile(d, two_kernels, "k", "gfx900", "-mcode-object-version=3")).version() == 3u);
}

BOOST_AUTO_TEST_CASE(pointers_in_global_data_follow_the_load_address) {
  support::scratch_directory d;
  const auto file = support::compile(d, two_kernels, "k");
  const auto o = code_object::load(file);
  // Where the table of pointers and the two tables lie, LLVM's tool says.
  std::map<std::string, uint64_t> symbol;
  const std::string text = support::run("llvm-readelf-15 -s " + file.string());
  for (const char* name : {"a_table", "b_table", "tables"}) {
    std::smatch m;
    BOOST_REQUIRE(std::regex_search(text, m, std::regex("([0-9a-f]{16}) .* " + std::string(name) + "\n")));
    symbol[name] = std::stoull(m[1], nullptr, 16);
  }
  for (const uint64_t base : {uint64_t(0x10000), uint64_t(0xffff'8000'1234'5000)}) {
    const auto image = o.image_at(base);
    BOOST_REQUIRE(image.size() == o.image_bytes());
    uint64_t pointer[2];
    std::memcpy(pointer, &image[symbol["tables"]], sizeof pointer);
    BOOST_TEST(pointer[0] == base + symbol["a_table"]);
    BOOST_TEST(pointer[1] == base + symbol["b_table"]);
    int32_t values[4];
    std::memcpy(values, &image[symbol["b_table"]], sizeof values);
    BOOST_TEST(values[3] == 8);
  }
  // code and constants keep their distance: the segments stand where the program headers say
  for (const auto& s : o.segments()) BOOST_TEST(s.address + s.memory_bytes <= o.image_bytes());
}

BOOST_AUTO_TEST_CASE(absolute_relocations_of_symbols_use_their_addresses) {
  support::scratch_directory d;
  const auto s = d.write("k.s", std::string(R"(
.text
.globl f
.type f,@function
f: s_endpgm
.data
.globl datum
.p2align 3
datum: .quad 7
.globl where
where: .quad datum+16
.quad f
.section .rodata
.p2align 6
.amdhsa_kernel f
.amdhsa_next_free_vgpr 1
.amdhsa_next_free_sgpr 1
.end_amdhsa_kernel
.amdgpu_metadata
amdhsa.version: [1, 1]
amdhsa.target: amdgcn-amd-amdhsa--gfx900
amdhsa.kernels:
  - {.name: f, .symbol: f.kd, .kernarg_segment_size: 0, .kernarg_segment_align: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 1, .vgpr_count: 1, .max_flat_workgroup_size: 64}
.end_amdgpu_metadata
)"));
  const std::string o = (d.path / "k.o").string(), co = (d.path / "k.co").string();
  support::run("clang-15 --target=amdgcn-amd-amdhsa -mcpu=gfx900 -c " + s.string() + " -o " + o + " && ld.lld-15 -shared " + o + " -o " + co);
  BOOST_REQUIRE(contains(support::run("llvm-readelf-15 -r " + co), "R_AMDGPU_ABS64"));
  std::smatch m;
  const std::string text = support::run("llvm-readelf-15 -s " + co);
  BOOST_REQUIRE(std::regex_search(text, m, std::regex("([0-9a-f]{16}) .* datum\n")));
  const uint64_t datum = std::stoull(m[1], nullptr, 16);
  const auto object = code_object::load(co);
  const auto image = object.image_at(0x7000);
  uint64_t v[3];
  std::memcpy(v, &image[datum], sizeof v);
  BOOST_TEST(v[0] == 7u);
  BOOST_TEST(v[1] == 0x7000 + datum + 16);
  BOOST_TEST(v[2] == 0x7000 + object.find_kernel("f").entry_address);
  BOOST_TEST(contains(error_of([&] { code_object::load(o); }), "not linked"));
}

BOOST_AUTO_TEST_CASE(addresses_are_named_by_function_and_offset) {
  support::scratch_directory d;
  const auto o = code_object::load(support::compile(d, two_kernels, "k"));
  const uint64_t entry = o.find_kernel("sum").entry_address;
  BOOST_TEST(o.symbolize(entry) == "sum");
  BOOST_TEST(o.symbolize(entry + 8) == "sum+0x8");
  BOOST_TEST(o.symbolize(0) == "");
  BOOST_TEST(o.symbolize(~uint64_t(0)) == "");
}

BOOST_AUTO_TEST_CASE(info_text_shows_what_a_user_asks_for) {
  support::scratch_directory d;
  const std::string t = code_object::load(support::compile(d, two_kernels, "k", "gfx906:xnack-")).describe();
  for (const char* part : {"amdgcn-amd-amdhsa--gfx906:xnack-", "version 4", "add\n", "spill\n", "global_buffer", "float* (global)", "dynamic_shared_pointer", "always 64 x 2 x 1", "waves a SIMD", "kernarg_segment_ptr"})
    BOOST_TEST(contains(t, part), part);
}

BOOST_AUTO_TEST_CASE(wrong_files_are_named_with_cause_and_remedy) {
  support::scratch_directory d;
  const auto file = support::compile(d, two_kernels, "good");
  const auto o = code_object::load(file);
  BOOST_TEST(contains(error_of([&] { code_object::load(d.path / "none.co"); }), "none.co: cannot read the code object"));
  BOOST_TEST(contains(error_of([&] { code_object::load(d.write("raw.bin", std::string("\x81\x00\x00\xbf", 4))); }), "does not begin as an ELF file"));
  BOOST_TEST(contains(error_of([&] { code_object::load("/proc/self/exe"); }), "foreign ELF file"));
  BOOST_TEST(contains(error_of([&] { code_object::load(support::compile(d, "kernel void k(global int *o) { *o = 1; }", "new", "gfx1030")); }), "wrong target: the code is for gfx1030"));
  BOOST_TEST(contains(error_of([&] { code_object::load(support::compile(d, "kernel void k(global int *o) { *o = 1; }", "new", "gfx908")); }), "gfx908"));
  BOOST_TEST(contains(error_of([&] { code_object::load(support::compile(d, "kernel void k(global int *o) { *o = 1; }", "new", "gfx900", "-mcode-object-version=2")); }), "code object version 2"));
  const std::string missing = error_of([&] { o.find_kernel("ad"); });
  BOOST_TEST(contains(missing, "good.co: no kernel \"ad\""));
  BOOST_TEST(contains(missing, "did you mean \"add\"?"));
  BOOST_TEST(contains(error_of([&] { o.find_kernel("quite_different"); }), "it has: add, sum, spill"));
  auto bytes = support::read_file(file);
  bytes[7] = 0; // OS/ABI
  BOOST_TEST(contains(error_of([&] { code_object::parse(bytes, "x.co"); }), "wrong ELF OS/ABI 0"));
}

BOOST_AUTO_TEST_CASE(a_file_truncated_anywhere_is_an_error_and_never_a_crash) {
  support::scratch_directory d;
  const auto bytes = support::read_file(support::compile(d, two_kernels, "k"));
  for (size_t n = 0; n < bytes.size(); n += 13) {
    const std::string e = error_of([&] { code_object::parse({bytes.begin(), bytes.begin() + long(n)}, "cut.co").image_at(0x1000); });
    BOOST_REQUIRE_MESSAGE(contains(e, "cut.co: "), "no error at " << n);
  }
}

BOOST_AUTO_TEST_CASE(random_damage_is_an_error_or_harmless_but_never_a_crash) {
  support::scratch_directory d;
  const auto bytes = support::read_file(support::compile(d, two_kernels, "k"));
  std::mt19937 random(7);
  unsigned errors = 0, parsed = 0;
  for (int round = 0; round < 4000; ++round) {
    auto damaged = bytes;
    for (unsigned k = 1 + random() % 4; k; --k) {
      // the headers, notes and symbols are at the front; spare none
      const size_t at = random() % (round % 2 ? 0x300 : damaged.size());
      damaged[at] = uint8_t(random());
    }
    const std::string e = error_of([&] {
      const auto o = code_object::parse(damaged, "damaged.co");
      o.image_at(0x10000);
      o.describe();
      ++parsed;
    });
    if (!e.empty()) { ++errors; BOOST_REQUIRE(contains(e, "damaged.co: ")); }
  }
  BOOST_TEST(errors > 500u);
  BOOST_TEST(errors + parsed == 4000u);
}

BOOST_AUTO_TEST_CASE(an_offload_bundle_gives_the_code_object_for_the_chip) {
  support::scratch_directory d;
  const auto a = support::read_file(support::compile(d, two_kernels, "a", "gfx900")), b = support::read_file(support::compile(d, two_kernels, "b", "gfx906"));
  const auto bundle = [](const std::vector<std::pair<std::string, std::vector<uint8_t>>>& parts) {
    std::string head = "__CLANG_OFFLOAD_BUNDLE__", body;
    const auto u64 = [&](uint64_t v) { head.append(reinterpret_cast<const char*>(&v), 8); };
    u64(parts.size());
    for (const auto& [id, bytes] : parts) {
      u64(4096 + body.size()); u64(bytes.size()); u64(id.size());
      head += id;
      body.append(bytes.begin(), bytes.end());
    }
    head.resize(4096);
    head += body;
    return std::vector<uint8_t>(head.begin(), head.end());
  };
  const std::vector<uint8_t> none;
  const auto both = bundle({{"host-x86_64-unknown-linux", none}, {"hipv4-amdgcn-amd-amdhsa--gfx900", a}, {"hipv4-amdgcn-amd-amdhsa--gfx906:xnack-", b}});
  BOOST_TEST(code_object::parse(both, "f", lyra::isa::target::gfx906).target_id() == "gfx906");
  BOOST_TEST(code_object::parse(both, "f", lyra::isa::target::gfx900).target_id() == "gfx900");
  BOOST_TEST(code_object::parse(bundle({{"hip-amdgcn-amd-amdhsa--gfx906", b}}), "f", lyra::isa::target::gfx900).target_id() == "gfx906"); // the only one
  BOOST_TEST(contains(error_of([&] { code_object::parse(both, "f"); }), "several fitting code objects"));
  BOOST_TEST(contains(error_of([&] { code_object::parse(bundle({{"hipv4-amdgcn-amd-amdhsa--gfx90a", a}}), "f"); }), "without code for gfx900 or gfx906; it holds: hipv4-amdgcn-amd-amdhsa--gfx90a"));
  for (size_t n = 24; n < 4200; n += 37) BOOST_TEST(error_of([&] { code_object::parse({both.begin(), both.begin() + long(n)}, "f", lyra::isa::target::gfx900); }) != "");
}
