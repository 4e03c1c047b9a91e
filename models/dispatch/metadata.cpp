// SPDX-License-Identifier: Apache-2.0
#define MSGPACK_NO_BOOST
#include "dispatch/metadata.h"
#include <fmt/format.h>
#include <msgpack.hpp>

namespace lyra::dispatch {

namespace {

/// A map of the metadata, with its place in messages.
class node {
public:
  node(const msgpack::object& o, std::string where, const std::string& file) : object_(o), where_(std::move(where)), file_(file) {
    if (o.type != msgpack::type::MAP) fail("is no map");
  }
  const msgpack::object* find(const char* key) const {
    for (uint32_t i = 0; i < object_.via.map.size; ++i) {
      const auto& kv = object_.via.map.ptr[i];
      if (kv.key.type == msgpack::type::STR && std::string_view(kv.key.via.str.ptr, kv.key.via.str.size) == key) return &kv.val;
    }
    return nullptr;
  }
  std::string text(const char* key, bool needed = false) const {
    const auto* v = find(key);
    if (!v) { if (needed) fail(fmt::format("has no {}", key)); return ""; }
    if (v->type != msgpack::type::STR) fail(fmt::format("{} is no string", key));
    return {v->via.str.ptr, v->via.str.size};
  }
  uint32_t number(const char* key, uint32_t otherwise) const {
    const auto* v = find(key);
    return v ? as_number(*v, key) : otherwise;
  }
  uint32_t number(const char* key) const {
    const auto* v = find(key);
    if (!v) fail(fmt::format("has no {}", key));
    return as_number(*v, key);
  }
  bool flag(const char* key) const {
    const auto* v = find(key);
    if (!v) return false;
    if (v->type == msgpack::type::BOOLEAN) return v->via.boolean;
    return as_number(*v, key) != 0;
  }
  /// Elements of an array; none where the key is missing.
  std::pair<const msgpack::object*, uint32_t> array(const char* key) const {
    const auto* v = find(key);
    if (!v) return {nullptr, 0};
    if (v->type != msgpack::type::ARRAY) fail(fmt::format("{} is no list", key));
    return {v->via.array.ptr, v->via.array.size};
  }
  uint32_t as_number(const msgpack::object& v, const char* key) const {
    if (v.type != msgpack::type::POSITIVE_INTEGER || v.via.u64 > UINT32_MAX) fail(fmt::format("{} is no number that fits", key));
    return uint32_t(v.via.u64);
  }
  [[noreturn]] void fail(const std::string& text) const { throw observe::input_error(file_, "damaged metadata: " + where_ + " " + text); }

private:
  const msgpack::object& object_;
  std::string where_;
  const std::string& file_;
};

argument_kind kind_of(const std::string& k, const node& n) {
  if (k.rfind("hidden_", 0) == 0) return argument_kind::hidden;
  if (k == "by_value") return argument_kind::by_value;
  if (k == "global_buffer") return argument_kind::global_buffer;
  if (k == "dynamic_shared_pointer") return argument_kind::dynamic_shared_pointer;
  if (k == "image") return argument_kind::image;
  if (k == "sampler") return argument_kind::sampler;
  if (k == "pipe") return argument_kind::pipe;
  if (k == "queue") return argument_kind::queue;
  n.fail(fmt::format("has the unknown .value_kind \"{}\"", k));
}

kernel read_kernel(const node& n, const std::string& file) {
  kernel k;
  k.name = n.text(".name", true);
  k.symbol = n.text(".symbol", true);
  if (k.symbol.size() > 3 && k.symbol.compare(k.symbol.size() - 3, 3, ".kd") == 0) k.name = k.symbol.substr(0, k.symbol.size() - 3);
  k.language = n.text(".language");
  k.kernarg_bytes = n.number(".kernarg_segment_size");
  k.kernarg_align = std::max(4u, n.number(".kernarg_segment_align", 8));
  if (k.kernarg_align & (k.kernarg_align - 1) || k.kernarg_align > 4096) n.fail(fmt::format(".kernarg_segment_align {} is no power of two up to 4096", k.kernarg_align));
  if (k.kernarg_bytes > 1u << 20) n.fail(fmt::format(".kernarg_segment_size {} is too large", k.kernarg_bytes));
  k.max_workgroup = n.number(".max_flat_workgroup_size", 1024);
  if (const unsigned w = n.number(".wavefront_size", 64); w != 64) n.fail(fmt::format("is made for waves of {} lanes, Vega has 64", w));
  k.sgpr_count = n.number(".sgpr_count", 0);
  k.vgpr_count = n.number(".vgpr_count", 0);
  k.sgpr_spills = n.number(".sgpr_spill_count", 0);
  k.vgpr_spills = n.number(".vgpr_spill_count", 0);
  k.uses_dynamic_stack = n.flag(".uses_dynamic_stack");
  if (const auto [list, count] = n.array(".reqd_workgroup_size"); count == 3)
    for (int i = 0; i < 3; ++i) k.required_workgroup[i] = n.as_number(list[i], ".reqd_workgroup_size");
  const auto [list, count] = n.array(".args");
  for (uint32_t i = 0; i < count; ++i) {
    const node a(list[i], fmt::format("argument {} of kernel \"{}\"", i, k.name), file);
    kernel_argument arg;
    arg.value_kind = a.text(".value_kind", true);
    arg.kind = kind_of(arg.value_kind, a);
    arg.name = a.text(".name");
    arg.type_name = a.text(".type_name");
    arg.address_space = a.text(".address_space");
    arg.access = a.text(".access");
    arg.offset = a.number(".offset");
    arg.size = a.number(".size");
    arg.pointee_align = std::max(1u, a.number(".pointee_align", 1));
    if (uint64_t(arg.offset) + arg.size > k.kernarg_bytes) a.fail(fmt::format("(offset {}, {} bytes) goes beyond the kernarg segment of {} bytes", arg.offset, arg.size, k.kernarg_bytes));
    k.arguments.push_back(std::move(arg));
  }
  return k;
}

} // namespace

metadata parse_metadata(const uint8_t* data, size_t bytes, const std::string& file) {
  msgpack::object_handle handle;
  try {
    // nothing in the note can have more elements than the note has bytes
    handle = msgpack::unpack(reinterpret_cast<const char*>(data), bytes, nullptr, nullptr, msgpack::unpack_limit(bytes, bytes, bytes, bytes, bytes, 32));
  } catch (const std::exception& e) {
    throw observe::input_error(file, fmt::format("damaged metadata: no MessagePack ({})", e.what()));
  }
  const node root(handle.get(), "the top level", file);
  metadata m;
  m.target = root.text("amdhsa.target");
  const auto [list, count] = root.array("amdhsa.kernels");
  for (uint32_t i = 0; i < count; ++i) m.kernels.push_back(read_kernel(node(list[i], fmt::format("kernel {}", i), file), file));
  return m;
}

} // namespace lyra::dispatch
