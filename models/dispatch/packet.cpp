// SPDX-License-Identifier: Apache-2.0
#include "dispatch/packet.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace lyra::dispatch {

namespace {

template <class A, class T> void put(A& bytes, size_t at, T value) { std::memcpy(&bytes[at], &value, sizeof value); }

/// OpenCL scalar types by name: 'i' integer, 'f' floating point, 0 unknown (vectors, structs, typedefs).
char scalar_class(const std::string& type) {
  static const char* integers[] = {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "bool", "size_t", "unsigned char", "unsigned short", "unsigned int", "unsigned long", "signed char"};
  static const char* floats[] = {"half", "float", "double"};
  for (const char* n : integers) if (type == n) return 'i';
  for (const char* n : floats) if (type == n) return 'f';
  return 0;
}

std::string describe(const kernel_argument& a) {
  std::string s = a.type_name.empty() ? a.value_kind : a.type_name;
  return fmt::format("{}{}, {} bytes", a.name.empty() ? "" : a.name + ": ", s, a.size);
}

/// Empty, or why an image does not fit a kernel's argument type ("image2d_t"); unknown types fit.
std::string image_type_error(const std::string& type, const image_spec& i) {
  static const std::pair<const char*, isa::image_type> types[] = {{"image1d_t", isa::image_type::dim_1d}, {"image2d_t", isa::image_type::dim_2d}, {"image3d_t", isa::image_type::dim_3d},
    {"image1d_array_t", isa::image_type::array_1d}, {"image2d_array_t", isa::image_type::array_2d}, {"image2d_depth_t", isa::image_type::dim_2d}, {"image2d_array_depth_t", isa::image_type::array_2d},
    {"image2d_msaa_t", isa::image_type::msaa_2d}, {"image2d_array_msaa_t", isa::image_type::msaa_array_2d}};
  const bool wants_buffer = type == "image1d_buffer_t";
  const std::string is = i.texel_buffer ? "buffer" : isa::image_type_names()[unsigned(i.resource.type) - 8];
  if (wants_buffer) return i.texel_buffer ? "" : fmt::format("needs an image with type = \"buffer\", \"{}\" is {}", i.name, is);
  for (const auto& [name, t] : types)
    if (type == name && (i.texel_buffer || i.resource.type != t)) return fmt::format("needs an image with type = \"{}\", \"{}\" is {}", isa::image_type_names()[unsigned(t) - 8], i.name, is);
  return "";
}

/// Images and samplers: the address of a descriptor.
void put_descriptor(const kernel& k, const kernel_argument& a, unsigned index, const argument_spec& s, const name_address& address_of, const job* j, std::vector<uint8_t>& out) {
  const auto wrong = [&](const std::string& why) { s.place.fail(fmt::format("kernel \"{}\": argument {} ({}) {}", k.name, index, describe(a), why)); };
  const bool image = s.what == argument_spec::kind::image;
  const char* const given = image ? "an image" : "a sampler";
  if (a.kind == argument_kind::image && !image) wrong("is an image: it takes {image=\"name\"}, not a sampler");
  if (a.kind == argument_kind::sampler && image) wrong("is a sampler: it takes {sampler=\"name\"}, not an image");
  if (a.size != 8 || a.kind == argument_kind::by_value) wrong(fmt::format("is no {}: {} does not fit", image ? "image" : "sampler", given));
  if (const image_spec* i = image && j ? j->find_image(s.name) : nullptr)
    if (const std::string e = image_type_error(a.type_name, *i); !e.empty()) wrong(e);
  const uint64_t address = address_of(s.name);
  std::memcpy(&out[a.offset], &address, 8);
}

/// Puts one explicit argument. `lds` is where the next dynamic LDS block may start.
void put_argument(const kernel& k, const kernel_argument& a, unsigned index, const argument_spec& s, const name_address& address_of, const job* j, uint32_t& lds, std::vector<uint8_t>& out) {
  const auto wrong = [&](const std::string& why) { s.place.fail(fmt::format("kernel \"{}\": argument {} ({}) {}", k.name, index, describe(a), why)); };
  using kind = argument_spec::kind;
  if (a.kind == argument_kind::dynamic_shared_pointer) {
    if (s.what != kind::local) wrong(fmt::format("is a pointer to local memory: it takes {{local=BYTES}}, not {}", s.describe()));
    lds = (lds + a.pointee_align - 1) / a.pointee_align * a.pointee_align;
    std::memcpy(&out[a.offset], &lds, std::min<size_t>(a.size, 4));
    lds += s.local_bytes;
    return;
  }
  if (s.what == kind::local) wrong("is no pointer to local memory: {local=...} does not fit");
  const bool pointer = a.kind != argument_kind::by_value;
  switch (s.what) {
    case kind::image: case kind::sampler: put_descriptor(k, a, index, s, address_of, j, out); return;
    case kind::buffer: {
      if (a.size != 8) wrong("is no 64-bit pointer: a buffer does not fit");
      if (!pointer && (scalar_class(a.type_name) == 'f')) wrong("is a floating point value, not a buffer");
      const uint64_t address = address_of(s.name) + s.offset;
      std::memcpy(&out[a.offset], &address, 8);
      return;
    }
    case kind::bytes:
      if (s.bytes.size() != a.size) wrong(fmt::format("needs {} bytes, the job gives {}", a.size, s.bytes.size()));
      std::copy(s.bytes.begin(), s.bytes.end(), out.begin() + a.offset);
      return;
    default: {
      const unsigned size = size_of(s.value.type);
      if (pointer && (size != 8 || is_float(s.value.type))) wrong(fmt::format("is a pointer: it takes {{buffer=\"name\"}}, not {}", s.describe()));
      if (size != a.size) wrong(fmt::format("does not fit {} ({} bytes)", s.describe(), size));
      const char c = scalar_class(a.type_name);
      if (c && (c == 'f') != is_float(s.value.type)) wrong(fmt::format("is {}, the job gives {}", c == 'f' ? "a floating point value" : "an integer", s.describe()));
      std::memcpy(&out[a.offset], &s.value.bits, size);
    }
  }
}

void put_hidden(const kernel_argument& a, const dispatch_spec& d, uint64_t queue, uint32_t dynamic_lds, std::vector<uint8_t>& out) {
  const std::string k = a.value_kind.substr(7);
  const auto axis = [&] { return unsigned(k.back() - 'x'); };
  const auto starts = [&](const char* p) { return k.rfind(p, 0) == 0; };
  uint64_t v = 0; // offsets, hidden_none, printf and host call buffers, heap, default queue, completion action, multigrid: zero
  if (starts("block_count_")) v = d.grid[axis()] / d.workgroup[axis()];
  else if (starts("group_size_")) v = d.workgroup[axis()];
  else if (starts("remainder_")) v = d.grid[axis()] % d.workgroup[axis()];
  else if (k == "grid_dims") v = d.dimensions;
  else if (k == "private_base") v = private_aperture_hi;
  else if (k == "shared_base") v = shared_aperture_hi;
  else if (k == "queue_ptr") v = queue;
  else if (k == "dynamic_lds_size") v = dynamic_lds;
  std::memcpy(&out[a.offset], &v, std::min<size_t>(a.size, 8));
}

} // namespace

kernarg_segment build_kernarg(const kernel& k, const dispatch_spec& d, const name_address& address_of, uint64_t queue, const job* j) {
  const auto args = k.explicit_arguments();
  if (args.size() != d.args.size())
    d.args_place.fail(fmt::format("kernel \"{}\" takes {} argument{}, the job gives {}: {}", k.name, args.size(), args.size() == 1 ? "" : "s", d.args.size(), k.signature()));
  kernarg_segment s;
  s.bytes.assign(k.kernarg_bytes, 0);
  s.lds_bytes = k.descriptor.group_segment_bytes;
  for (unsigned i = 0; i < args.size(); ++i) put_argument(k, *args[i], i, d.args[i], address_of, j, s.lds_bytes, s.bytes);
  for (const auto& a : k.arguments)
    if (a.hidden()) put_hidden(a, d, queue, s.lds_bytes - k.descriptor.group_segment_bytes, s.bytes);
  if (s.lds_bytes > 65536) d.place.fail(fmt::format("kernel \"{}\": a workgroup needs {} bytes of LDS ({} static), a compute unit has 65536", k.name, s.lds_bytes, k.descriptor.group_segment_bytes));
  return s;
}

uint32_t scratch_item_bytes(const kernel& k, uint32_t dynamic_stack_bytes) {
  const bool dynamic = k.uses_dynamic_stack || k.descriptor.uses_dynamic_stack();
  return dynamic ? std::max(k.descriptor.private_segment_bytes, dynamic_stack_bytes) : k.descriptor.private_segment_bytes;
}

std::array<uint32_t, 4> scratch_descriptor(uint64_t base, uint64_t bytes) {
  constexpr uint32_t swizzle_enable = 1u << 31, dst_sel_xyzw = 4 | 5 << 3 | 6 << 6 | 7 << 9, nfmt_uint = 4u << 12, index_stride_64 = 3u << 21, add_tid = 1u << 23;
  // With add_tid the data format field is stride[17:14]: it stays 0, as compilers make it.
  return {uint32_t(base), uint32_t(base >> 32 & 0xffff) | swizzle_enable, uint32_t(std::min<uint64_t>(bytes, UINT32_MAX)), dst_sel_xyzw | nfmt_uint | index_stride_64 | add_tid};
}

std::array<uint8_t, 64> aql_packet(const kernel& k, uint64_t load_base, const dispatch_spec& d, uint32_t lds_bytes, uint32_t scratch_bytes, uint64_t kernarg) {
  std::array<uint8_t, 64> p{};
  constexpr uint16_t kernel_dispatch = 2, acquire_system = 2 << 9, release_system = 2 << 11;
  put(p, 0, uint16_t(kernel_dispatch | uint16_t(d.barrier) << 8 | acquire_system | release_system));
  put(p, 2, uint16_t(d.dimensions));
  for (int i = 0; i < 3; ++i) {
    put(p, size_t(4 + 2 * i), uint16_t(d.workgroup[i]));
    put(p, size_t(12 + 4 * i), d.grid[i]);
  }
  put(p, 24, scratch_bytes);
  put(p, 28, lds_bytes);
  put(p, 32, load_base + k.descriptor_address);
  put(p, 40, kernarg);
  return p;
}

std::array<uint8_t, 256> queue_object(uint64_t ring, uint32_t ring_packets, uint64_t written, uint64_t scratch_base, uint64_t scratch_bytes, uint64_t scratch_wave_bytes) {
  std::array<uint8_t, 256> q{};
  // hsa_queue_t
  put(q, 4, uint32_t(1));             // features: kernel dispatch
  put(q, 8, ring);
  put(q, 24, ring_packets);
  put(q, 32, uint64_t(1));            // id
  // amd_queue_t
  put(q, 56, written);                // write_dispatch_id
  put(q, 64, shared_aperture_hi);     // group_segment_aperture_base_hi
  put(q, 68, private_aperture_hi);    // private_segment_aperture_base_hi
  put(q, 136, uint32_t(128));         // read_dispatch_id_field_base_byte_offset
  put(q, 140, uint32_t(scratch_wave_bytes / 1024) << 12); // compute_tmpring_size: WAVESIZE
  const auto v = scratch_descriptor(scratch_base, scratch_bytes);
  for (int i = 0; i < 4; ++i) put(q, size_t(144 + 4 * i), v[size_t(i)]);
  put(q, 160, scratch_base);
  put(q, 168, scratch_bytes);
  put(q, 176, uint32_t(scratch_wave_bytes / 64));
  put(q, 180, uint32_t(2));           // queue_properties: 64-bit pointers
  return q;
}

uint32_t initial_mode(const kernel_descriptor& d) {
  const auto bit = [](uint32_t r, unsigned from, unsigned to) { return (r >> from & 1) << to; };
  return (d.rsrc1 >> 12 & 255) | bit(d.rsrc1, 21, 8) | bit(d.rsrc1, 23, 9) | bit(d.rsrc1, 22, 11) | (d.rsrc2 >> 24 & 127) << 12 | bit(d.rsrc1, 26, 23);
}

fabric::dispatch_packet make_packet(const code_object& o, const kernel& k, uint64_t load_base, const dispatch_spec& d, const launch_memory& m, uint32_t lds_bytes, uint32_t scratch_bytes) {
  const kernel_descriptor& kd = k.descriptor;
  const uint64_t items = uint64_t(d.workgroup[0]) * d.workgroup[1] * d.workgroup[2];
  if (items > k.max_workgroup) d.place.fail(fmt::format("kernel \"{}\" was compiled for workgroups of at most {} work-items, the job asks for {}", k.name, k.max_workgroup, items));
  if (k.required_workgroup[0] && !std::equal(k.required_workgroup, k.required_workgroup + 3, d.workgroup))
    d.place.fail(fmt::format("kernel \"{}\" needs workgroups of {} x {} x {} (reqd_work_group_size), the job asks for {} x {} x {}", k.name, k.required_workgroup[0], k.required_workgroup[1],
                             k.required_workgroup[2], d.workgroup[0], d.workgroup[1], d.workgroup[2]));
  fabric::dispatch_packet p;
  p.id = m.id;
  p.kernel = k.name;
  p.target = o.chip();
  p.entry_pc = load_base + k.entry_address;
  std::copy_n(d.grid, 3, p.grid);
  std::copy_n(d.workgroup, 3, p.workgroup);

  const auto push64 = [&](uint64_t v) { p.user_sgprs.push_back(uint32_t(v)); p.user_sgprs.push_back(uint32_t(v >> 32)); };
  if (kd.private_segment_buffer())
    for (const uint32_t w : scratch_descriptor(m.scratch_base, m.scratch_bytes)) p.user_sgprs.push_back(w);
  if (kd.dispatch_ptr()) push64(m.aql_packet);
  if (kd.queue_ptr()) push64(m.queue);
  if (kd.kernarg_segment_ptr()) push64(m.kernarg);
  if (kd.dispatch_id()) push64(m.id);
  if (kd.flat_scratch_init()) push64(m.scratch_base);
  if (kd.private_segment_size()) p.user_sgprs.push_back(scratch_bytes);
  if (p.user_sgprs.size() > kd.user_sgprs())
    throw observe::input_error(o.file(), fmt::format("kernel \"{}\": its descriptor counts {} user SGPRs but enables {}", k.name, kd.user_sgprs(), p.user_sgprs.size()));
  p.user_sgprs.resize(kd.user_sgprs());

  p.workgroup_id_count = 0;
  for (uint8_t i = 0; i < 3; ++i) {
    p.workgroup_id[i] = kd.rsrc2 >> (7 + i) & 1;
    if (p.workgroup_id[i]) p.workgroup_id_order[p.workgroup_id_count++] = i;
  }
  p.workgroup_info = kd.rsrc2 >> 10 & 1;
  p.scratch_wave_offset = kd.rsrc2 & 1;
  p.workitem_id = uint8_t(std::min(kd.rsrc2 >> 11 & 3, 2u));
  p.mode = initial_mode(kd);
  p.vgprs = kd.vgprs();
  p.sgprs = kd.sgprs();
  p.lds_bytes = lds_bytes;
  p.scratch_bytes = scratch_bytes;
  p.scratch_base = m.scratch_base;
  p.scratch_wave_bytes = scratch_bytes ? m.scratch_wave_bytes : 0;
  p.barrier = d.barrier;
  return p;
}

fabric::dispatch_packet make_raw_packet(const job& j, const dispatch_spec& d, uint64_t code_address, isa::target chip, const name_address& address_of, uint32_t id, const name_descriptor& descriptor_of) {
  fabric::dispatch_packet p;
  p.id = id;
  p.kernel = j.code.file.filename().string();
  p.target = chip;
  p.entry_pc = code_address;
  std::copy_n(d.grid, 3, p.grid);
  std::copy_n(d.workgroup, 3, p.workgroup);
  for (const auto& u : d.user_sgprs) {
    if (u.what == user_sgpr_spec::kind::value) { p.user_sgprs.push_back(u.value); continue; }
    if (u.what == user_sgpr_spec::kind::descriptor) {
      for (const uint32_t w : descriptor_of(u.name)) p.user_sgprs.push_back(w);
      continue;
    }
    const uint64_t a = address_of(u.name) + u.offset;
    p.user_sgprs.push_back(uint32_t(u.what == user_sgpr_spec::kind::address_lo ? a : a >> 32));
  }
  p.workgroup_id_count = uint8_t(d.workgroup_id.size());
  for (bool& given : p.workgroup_id) given = false;
  for (size_t i = 0; i < d.workgroup_id.size(); ++i) {
    const uint8_t axis = uint8_t(d.workgroup_id[i] - 'x');
    p.workgroup_id_order[i] = axis;
    p.workgroup_id[axis] = true;
  }
  p.workitem_id = uint8_t(d.workitem_id);
  p.mode = d.float_mode | 1u << 8; // DX10_CLAMP 1, IEEE 0
  p.vgprs = d.vgprs;
  p.sgprs = d.sgprs;
  p.lds_bytes = d.lds;
  p.scratch_bytes = d.scratch; // where it lies is the code's business (FLAT_SCRATCH)
  p.barrier = d.barrier;
  return p;
}

} // namespace lyra::dispatch
