// SPDX-License-Identifier: Apache-2.0
#include "dispatch/loaded_job.h"
#include "fabric/address_space.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

namespace lyra::dispatch {

namespace {
constexpr uint64_t chunk_bytes = 1 << 16;

/// Copies a file to device memory piece by piece.
void load_file(const std::filesystem::path& file, device_memory& memory, uint64_t address, const source_place& place) {
  std::ifstream in(file, std::ios::binary);
  if (!in) place.fail(fmt::format("cannot read \"{}\"", file.string()));
  std::vector<char> chunk(chunk_bytes);
  while (in.read(chunk.data(), long(chunk.size())), in.gcount() > 0) {
    memory.write(address, chunk.data(), uint64_t(in.gcount()));
    address += uint64_t(in.gcount());
  }
}

void fill(const scalar& value, device_memory& memory, uint64_t address, uint64_t bytes) {
  if (value.bits == 0) return; // memory starts as zero
  const unsigned each = size_of(value.type);
  std::vector<uint8_t> chunk(std::min(bytes + 7, chunk_bytes) / 8 * 8);
  for (size_t i = 0; i + each <= chunk.size(); i += each) std::memcpy(&chunk[i], &value.bits, each);
  for (uint64_t done = 0; done < bytes; done += chunk.size()) memory.write(address + done, chunk.data(), std::min<uint64_t>(chunk.size(), bytes - done));
}

/// Is there an s_getreg_b32 of TRAPSTS (SOPK opcode 17, register 3)? A constant that looks like one costs simulation speed, nothing else.
template <class Bytes> bool contains_trapsts_read(const Bytes& code) {
  for (size_t k = 0; k + 4 <= code.size(); k += 4) {
    uint32_t word;
    std::memcpy(&word, reinterpret_cast<const char*>(code.data()) + k, 4);
    if ((word & 0xff800000u) == 0xb8800000u && (word & 63) == 3) return true;
  }
  return false;
}
} // namespace

loaded_job::loaded_job(const job& j, device_memory& memory, const machine_limits& limits) : job_(j) {
  if (job_.code.raw) {
    std::ifstream in(job_.code.file, std::ios::binary);
    if (!in) job_.code.place.fail(fmt::format("cannot read \"{}\"", job_.code.file.string()));
    raw_code_.assign(std::istreambuf_iterator<char>(in), {});
    if (raw_code_.size() >= 4 && !std::memcmp(raw_code_.data(), "\x7f" "ELF", 4)) job_.code.place.fail(fmt::format("\"{}\" is an ELF file: give it as `object`, not as `raw`", job_.code.file.string()));
    target_ = job_.code.target.value_or(limits.chip);
    code_bytes_ = raw_code_.size();
  } else {
    object_ = std::make_unique<code_object>(code_object::load(job_.code.file, limits.chip));
    target_ = object_->chip();
    code_bytes_ = object_->image_bytes();
    for (const auto& d : job_.dispatches) {
      try {
        object_->find_kernel(d.kernel);
      } catch (const observe::input_error& e) {
        d.place.fail(fmt::format("{}: {}", job_.code.file.filename().string(), e.text()));
      }
    }
  }
  place_fixed();
  load_code(memory);
  load_images(memory);
  load_buffers(memory);
  load_descriptors(memory);
  set_residency(memory);
  if (object_) make_object_packets(memory, limits);
  else {
    for (const auto& d : job_.dispatches)
      packets_.push_back(std::make_unique<fabric::dispatch_packet>(
          make_raw_packet(job_, d, code_address_, target_, [&](const std::string& n) { return address_of(n); }, uint32_t(packets_.size()), [&](const std::string& n) { return descriptor_of(n); })));
  }
  const bool reads_trapsts = object_ ? contains_trapsts_read(object_->image_at(fabric::sign_extended(code_address_))) : contains_trapsts_read(raw_code_);
  for (size_t k = 0; k < packets_.size(); ++k) {
    const dispatch_spec& d = job_.dispatches[k];
    packets_[k]->reads_trapsts = reads_trapsts;
    if (d.trap_handler) packets_[k]->trap_handler = address_of(d.trap_handler->buffer) + d.trap_handler->offset;
    if (d.trap_memory) packets_[k]->trap_memory = address_of(d.trap_memory->buffer) + d.trap_memory->offset;
  }
}

void loaded_job::place_fixed() {
  if (job_.code.address) {
    code_address_ = fabric::canonical(*job_.code.address);
    layout_.reserve(code_address_, code_bytes_, "code", job_.code.place);
  }
  for (const auto& b : job_.buffers)
    if (b.address) layout_.reserve(fabric::canonical(*b.address), b.bytes, "buffer " + b.name, b.place);
  for (const auto& i : job_.images)
    if (i.address) layout_.reserve(fabric::canonical(*i.address), i.device_bytes(), "image " + i.name, i.place);
}

void loaded_job::load_code(device_memory& memory) {
  if (!job_.code.address) code_address_ = layout_.allocate(code_bytes_, "code", code_object::image_alignment);
  memory.map(code_address_, code_bytes_);
  if (object_) {
    const auto image = object_->image_at(fabric::sign_extended(code_address_));
    memory.write(code_address_, image.data(), image.size());
  } else {
    memory.write(code_address_, raw_code_.data(), raw_code_.size());
  }
}

void loaded_job::load_buffers(device_memory& memory) {
  for (const auto& b : job_.buffers) {
    const uint64_t address = b.address ? fabric::canonical(*b.address) : layout_.allocate(b.bytes, "buffer " + b.name);
    buffers_.push_back({b.name, address, b.bytes});
    memory.map(address, b.bytes);
    if (b.file) load_file(*b.file, memory, address, b.place);
    else if (b.fill) fill(*b.fill, memory, address, b.bytes);
  }
}

void loaded_job::load_images(device_memory& memory) {
  for (const auto& i : job_.images) {
    if (i.is_view()) continue;
    const uint64_t bytes = i.device_bytes(), address = i.address ? fabric::canonical(*i.address) : layout_.allocate(bytes, "image " + i.name, std::max<uint64_t>(i.alignment(), address_layout::page));
    images_.push_back({i.name, address, bytes});
    memory.map(address, bytes);
    load_image(i, memory, address);
  }
  const uint64_t bytes = job_.images.size() * image_object_bytes + job_.samplers.size() * sampler_object_bytes;
  if (!bytes) return;
  objects_ = layout_.allocate(bytes, "image and sampler descriptors");
  memory.map(objects_, bytes);
  for (const auto& i : job_.images) {
    const auto o = image_object(i, image_address(i.name));
    memory.write(fabric::canonical(address_of(i.name)), o.data(), sizeof o);
  }
  for (const auto& x : job_.samplers) {
    const auto o = sampler_object(x);
    memory.write(fabric::canonical(address_of(x.name)), o.data(), sizeof o);
  }
}

void loaded_job::load_descriptors(device_memory& memory) {
  for (const auto& b : job_.buffers)
    for (const auto& d : b.descriptors) {
      const uint64_t at = buffer(b.name).address + d.offset;
      if (d.what == descriptor_spec::kind::pointer) {
        const uint64_t p = address_of(d.name);
        memory.write(at, &p, 8);
        continue;
      }
      const auto words = descriptor_of(d.name);
      memory.write(at, words.data(), words.size() * 4);
    }
}

/// Last of all: the content stands.
void loaded_job::set_residency(device_memory& memory) {
  for (const auto& b : job_.buffers)
    for (const auto& r : b.non_resident) memory.make_non_resident(buffer(b.name).address + r.first, r.bytes);
  for (const auto& i : job_.images)
    for (const auto& r : i.non_resident) memory.make_non_resident(image_address(i.name) + r.first, r.bytes);
}

uint64_t loaded_job::image_address(const std::string& name) const {
  const image_spec* i = job_.find_image(name);
  for (const auto& p : images_)
    if (i && p.name == (i->is_view() ? i->view_of : name)) return p.address;
  throw observe::input_error(job_.file.string(), fmt::format("no image \"{}\"", name));
}

/// As programs see it: a buffer's memory, an image's or sampler's descriptor.
uint64_t loaded_job::address_of(const std::string& name) const {
  for (size_t k = 0; k < job_.images.size(); ++k)
    if (job_.images[k].name == name) return fabric::sign_extended(objects_ + k * image_object_bytes);
  for (size_t k = 0; k < job_.samplers.size(); ++k)
    if (job_.samplers[k].name == name) return fabric::sign_extended(objects_ + job_.images.size() * image_object_bytes + k * sampler_object_bytes);
  return fabric::sign_extended(buffer(name).address);
}

/// T# (8 dwords), S# or V# (4).
std::vector<uint32_t> loaded_job::descriptor_of(const std::string& name) const {
  if (const image_spec* i = job_.find_image(name)) {
    const auto o = image_object(*i, image_address(name));
    return {o.begin(), o.begin() + (i->texel_buffer ? 4 : 8)};
  }
  if (const sampler_spec* x = job_.find_sampler(name)) {
    const auto o = sampler_object(*x);
    return {o.begin(), o.begin() + 4};
  }
  const auto& b = buffer(name);
  const auto o = buffer_descriptor_words(fabric::sign_extended(b.address), b.bytes);
  return {o.begin(), o.end()};
}

const placed_buffer& loaded_job::buffer(const std::string& name) const {
  for (const auto& b : buffers_)
    if (b.name == name) return b;
  throw observe::input_error(job_.file.string(), fmt::format("no buffer \"{}\"", name));
}

void loaded_job::make_object_packets(device_memory& memory, const machine_limits& limits) {
  const uint64_t base = fabric::sign_extended(code_address_);
  const size_t count = job_.dispatches.size();

  // one area for all: kernarg segments (a line each at least), then the AQL ring, then the queue object
  const auto line_up = [](uint64_t v, uint64_t to) { return (v + to - 1) / to * to; };
  std::vector<uint64_t> kernarg(count);
  uint64_t bytes = 0, wave_bytes = 0;
  for (size_t i = 0; i < count; ++i) {
    const kernel& k = object_->find_kernel(job_.dispatches[i].kernel);
    bytes = line_up(bytes, std::max<uint64_t>(64, k.kernarg_align));
    kernarg[i] = bytes;
    bytes += std::max<uint64_t>(k.kernarg_bytes, 1);
    wave_bytes = std::max(wave_bytes, scratch_wave_size(scratch_item_bytes(k, limits.dynamic_stack_bytes)));
  }
  uint32_t ring_packets = 1;
  while (ring_packets < count) ring_packets *= 2;
  const uint64_t ring_at = line_up(bytes, 4096), queue_at = line_up(ring_at + uint64_t(ring_packets) * 64, 256);
  const uint64_t area = layout_.allocate(queue_at + queue_object_bytes, "kernel arguments and queue");
  memory.map(area, queue_at + queue_object_bytes);

  uint64_t scratch = 0;
  if (wave_bytes) {
    scratch_slots_ = limits.waves;
    scratch = layout_.allocate(wave_bytes * scratch_slots_, "scratch", 65536);
    memory.map(scratch, wave_bytes * scratch_slots_);
  }
  const auto queue = queue_object(area + ring_at, ring_packets, count, scratch, wave_bytes * scratch_slots_, wave_bytes);
  memory.write(area + queue_at, queue.data(), queue.size());

  for (size_t i = 0; i < count; ++i) {
    const dispatch_spec& d = job_.dispatches[i];
    const kernel& k = object_->find_kernel(d.kernel);
    launch_memory m;
    m.kernarg = area + kernarg[i];
    m.aql_packet = area + ring_at + i * 64;
    m.queue = area + queue_at;
    m.scratch_base = scratch;
    m.scratch_bytes = wave_bytes * scratch_slots_;
    m.scratch_wave_bytes = wave_bytes;
    m.id = uint32_t(i);
    const kernarg_segment s = build_kernarg(k, d, [&](const std::string& n) { return address_of(n); }, m.queue, &job_);
    const uint32_t scratch_bytes = scratch_item_bytes(k, limits.dynamic_stack_bytes);
    packets_.push_back(std::make_unique<fabric::dispatch_packet>(make_packet(*object_, k, base, d, m, s.lds_bytes, scratch_bytes)));
    if (!s.bytes.empty()) memory.write(m.kernarg, s.bytes.data(), s.bytes.size());
    const auto aql = aql_packet(k, base, d, s.lds_bytes, scratch_bytes, m.kernarg);
    memory.write(m.aql_packet, aql.data(), aql.size());
  }
}

std::string loaded_job::describe_pc(uint64_t pc) const {
  const uint64_t offset = fabric::canonical(pc) - code_address_;
  if (fabric::canonical(pc) < code_address_ || offset >= code_bytes_) return "";
  if (object_) return object_->symbolize(offset);
  return fmt::format("{}+{:#x}", job_.code.file.filename().string(), offset);
}

} // namespace lyra::dispatch
