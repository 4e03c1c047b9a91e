// SPDX-License-Identifier: Apache-2.0
// AMD HSA code objects: linked ELF64 files for amdgcn-amd-amdhsa, gfx900 and gfx906, code object versions 3, 4 and 5.
// Layout, descriptors, metadata and relocations as LLVM's "User Guide for AMDGPU Backend" describes them.
#pragma once
#include "isa/opcode.h"
#include "observe/input_error.h"
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace lyra::dispatch {

/// What a kernel argument holds (`.value_kind` of the metadata).
enum class argument_kind : uint8_t { by_value, global_buffer, dynamic_shared_pointer, image, sampler, pipe, queue, hidden };

struct kernel_argument {
  argument_kind kind = argument_kind::by_value;
  std::string value_kind;    ///< as in the metadata: tells the hidden ones apart
  std::string name;          ///< "" where the compiler gave none
  std::string type_name;     ///< "float*", "" where the compiler gave none
  std::string address_space; ///< "global", "constant", "local", ""
  std::string access;        ///< "read_only", ...
  uint32_t offset = 0, size = 0; ///< bytes in the kernarg segment
  uint32_t pointee_align = 1;    ///< dynamic_shared_pointer: alignment of what it points to
  bool hidden() const { return kind == argument_kind::hidden; }
};

/// The 64-byte kernel descriptor.
struct kernel_descriptor {
  uint32_t group_segment_bytes = 0;   ///< static LDS a workgroup
  uint32_t private_segment_bytes = 0; ///< scratch a work-item
  uint32_t kernarg_bytes = 0;
  int64_t entry_offset = 0;           ///< from the descriptor to the first instruction
  uint32_t rsrc1 = 0, rsrc2 = 0, rsrc3 = 0;
  uint16_t properties = 0;            ///< kernel_code_properties

  bool private_segment_buffer() const { return properties & 1; }
  bool dispatch_ptr() const { return properties >> 1 & 1; }
  bool queue_ptr() const { return properties >> 2 & 1; }
  bool kernarg_segment_ptr() const { return properties >> 3 & 1; }
  bool dispatch_id() const { return properties >> 4 & 1; }
  bool flat_scratch_init() const { return properties >> 5 & 1; }
  bool private_segment_size() const { return properties >> 6 & 1; }
  bool wavefront_size32() const { return properties >> 10 & 1; }
  bool uses_dynamic_stack() const { return properties >> 11 & 1; }
  unsigned vgprs() const { return ((rsrc1 & 63) + 1) * 4; }           ///< granule of 4
  unsigned sgprs() const { return ((rsrc1 >> 6 & 15) / 2 + 1) * 16; } ///< granule of 16, with VCC, FLAT_SCRATCH and XNACK_MASK
  unsigned user_sgprs() const { return rsrc2 >> 1 & 31; }
};

struct kernel {
  std::string name;         ///< without ".kd"
  std::string symbol;       ///< of the descriptor: "saxpy.kd"
  uint64_t descriptor_address = 0, entry_address = 0; ///< in the object's own address space (load base 0)
  kernel_descriptor descriptor;
  std::vector<kernel_argument> arguments;
  uint32_t kernarg_bytes = 0, kernarg_align = 8;
  uint32_t max_workgroup = 1024;  ///< work-items (.max_flat_workgroup_size)
  uint32_t required_workgroup[3] = {0, 0, 0}; ///< .reqd_workgroup_size, 0 where free
  unsigned sgpr_count = 0, vgpr_count = 0, sgpr_spills = 0, vgpr_spills = 0; ///< as the compiler counted
  bool uses_dynamic_stack = false;
  std::string language;
  std::vector<const kernel_argument*> explicit_arguments() const;
  /// "saxpy(y: float*, x: float*, a: float, n: int)"
  std::string signature() const;
};

struct segment {
  uint64_t address = 0, file_bytes = 0, memory_bytes = 0;
  bool writable = false, executable = false;
};

class code_object {
public:
  /// Reads a file: an ELF, or an uncompressed offload bundle that holds one for a Vega chip (`wanted` is preferred where there are several).
  /// Throws observe::input_error with the file's name for everything that is wrong with it.
  static code_object load(const std::filesystem::path& file, std::optional<isa::target> wanted = {});
  /// The same from memory; `name` stands in messages.
  static code_object parse(std::vector<uint8_t> bytes, const std::string& name, std::optional<isa::target> wanted = {});

  const std::string& file() const { return file_; }
  const std::vector<uint8_t>& elf() const { return elf_; } ///< the file's bytes (of a bundle: the object's)
  isa::target chip() const { return chip_; }
  const std::string& target_id() const { return target_id_; } ///< "gfx906:sramecc+:xnack-"
  unsigned version() const { return version_; }               ///< code object version: 3, 4, 5
  const std::vector<segment>& segments() const { return segments_; }
  const std::vector<kernel>& kernels() const { return kernels_; }
  /// Throws with the nearest name where there is no such kernel.
  const kernel& find_kernel(const std::string& name) const;

  /// Memory the object takes, from its lowest address (0) on; load it at a multiple of `image_alignment`.
  uint64_t image_bytes() const { return image_.size(); }
  static constexpr uint64_t image_alignment = 4096;
  /// The image with all relocations done for load address `base`. Throws for a symbol that nobody defines.
  std::vector<uint8_t> image_at(uint64_t base) const;

  /// A function symbol, in the object's own address space (load base 0).
  struct function { uint64_t address, size; std::string name; };
  /// Every function, by address; one a address.
  const std::vector<function>& functions() const { return functions_; }
  /// "saxpy+0x40" for an address in the object (load base 0); "" outside of its functions.
  std::string symbolize(uint64_t address) const;
  /// Everything that is in the object, as text: what `lyra info` prints.
  std::string describe() const;

private:
  struct relocation { uint64_t address; uint32_t type; uint64_t symbol_value; bool undefined; std::string symbol; int64_t addend; };
  [[noreturn]] void fail(const std::string& text) const { throw observe::input_error(file_, text); }
  void read_header(const std::vector<uint8_t>& bytes);
  void read_segments(struct elf_reader& elf);
  void read_symbols(struct elf_reader& elf);
  void read_metadata(const uint8_t* data, size_t bytes);
  void find_kernels();

  std::string file_, target_id_;
  std::vector<uint8_t> elf_;
  isa::target chip_ = isa::target::gfx900;
  unsigned version_ = 4;
  std::vector<segment> segments_;
  std::vector<uint8_t> image_;
  std::vector<kernel> kernels_;
  std::unordered_map<std::string, size_t> kernel_index_;
  std::unordered_map<std::string, uint64_t> symbols_;
  std::vector<function> functions_; ///< by address
  std::vector<relocation> relocations_;
};

/// Chip by name ("gfx900", "gfx906"); none for others.
std::optional<isa::target> find_chip(const std::string& name);
const char* chip_name(isa::target chip);

} // namespace lyra::dispatch
