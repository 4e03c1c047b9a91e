// SPDX-License-Identifier: Apache-2.0
// A job in a machine's memory, ready to be dispatched: code, buffers, kernarg segments, queue, scratch, and the packets in order.
#pragma once
#include "dispatch/address_layout.h"
#include "dispatch/image_memory.h"
#include "dispatch/packet.h"
#include <memory>

namespace lyra::dispatch {

/// What the loader must know of the machine.
struct machine_limits {
  isa::target chip = isa::target::gfx900; ///< for raw code without a target
  unsigned waves = 40;                    ///< wave slots of the whole machine: how many waves can have scratch at once
  uint32_t dynamic_stack_bytes = 16384;   ///< scratch a work-item of kernels with a stack of unknown depth
};

struct placed_buffer { std::string name; uint64_t address = 0, bytes = 0; }; ///< 48-bit address

class loaded_job {
public:
  /// Lays out and writes everything. Throws observe::input_error (kernels, arguments, overlaps, files).
  loaded_job(const job& j, device_memory& memory, const machine_limits& limits);
  loaded_job(const loaded_job&) = delete;
  loaded_job& operator=(const loaded_job&) = delete;

  /// Takes everything out of the memory again (device_memory::unmap): another job can be laid out, or this one loaded anew.
  void unload(device_memory& memory) const {
    for (const auto& r : layout_.ranges()) memory.unmap(r.first, r.bytes);
  }

  const job& spec() const { return job_; }
  /// In the order of the job; addresses stay valid as long as this object.
  const std::vector<std::unique_ptr<fabric::dispatch_packet>>& packets() const { return packets_; }
  const std::vector<placed_buffer>& buffers() const { return buffers_; }
  const placed_buffer& buffer(const std::string& name) const;
  /// Address of an image's texels (a view's: those it looks at).
  uint64_t image_address(const std::string& name) const;
  const code_object* object() const { return object_.get(); } ///< null for raw code
  isa::target code_target() const { return target_; }
  uint64_t code_address() const { return code_address_; }
  uint64_t code_bytes() const { return code_bytes_; }
  uint64_t scratch_slots() const { return scratch_slots_; }  ///< waves that can have scratch at once

  /// "buffer x + 0x10", "code + 0x40": for messages about an address (48 bits).
  std::string describe_address(uint64_t address) const { return layout_.describe(address); }
  /// "saxpy+0x40" or "shader.bin+0x40" for a PC; "" outside of the code.
  std::string describe_pc(uint64_t pc) const;

private:
  void place_fixed();
  void load_code(device_memory& memory);
  void load_buffers(device_memory& memory);
  void load_images(device_memory& memory);
  void load_descriptors(device_memory& memory);
  void set_residency(device_memory& memory);
  uint64_t address_of(const std::string& name) const;
  std::vector<uint32_t> descriptor_of(const std::string& name) const;
  void make_object_packets(device_memory& memory, const machine_limits& limits);

  job job_;
  std::unique_ptr<code_object> object_;
  std::vector<uint8_t> raw_code_;
  isa::target target_ = isa::target::gfx900;
  address_layout layout_;
  uint64_t code_address_ = 0, code_bytes_ = 0, scratch_slots_ = 0;
  std::vector<placed_buffer> buffers_, images_; ///< images: texels, without views
  uint64_t objects_ = 0; ///< image objects in the order of the job, then sampler objects
  std::vector<std::unique_ptr<fabric::dispatch_packet>> packets_;
};

} // namespace lyra::dispatch
