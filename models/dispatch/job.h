// SPDX-License-Identifier: Apache-2.0
// A job file, read and checked by itself: code, buffers, dispatches, expectations, outputs. Nothing is loaded yet (see loaded_job.h).
#pragma once
#include "dispatch/image_job.h"
#include "isa/opcode.h"
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lyra::dispatch {

struct code_spec {
  bool raw = false;
  std::filesystem::path file;
  std::optional<isa::target> target;  ///< raw only; default the machine's own
  std::optional<uint64_t> address;    ///< 256-byte aligned
  source_place place;
};

struct buffer_spec {
  std::string name;
  std::optional<std::filesystem::path> file;
  uint64_t bytes = 0;                 ///< `size`, else the file's size
  std::optional<scalar> fill;
  std::optional<uint64_t> address;    ///< 256-byte aligned, as given (may have bits 63:48 set)
  std::vector<descriptor_spec> descriptors; ///< written over the initial content
  std::vector<byte_range> non_resident;
  source_place place;
};

struct argument_spec {
  enum class kind : uint8_t { value, bytes, buffer, local, image, sampler } what = kind::value;
  scalar value;
  std::vector<uint8_t> bytes;
  std::string name;                   ///< of the buffer, image or sampler
  uint64_t offset = 0;                ///< into the buffer
  uint32_t local_bytes = 0;
  source_place place;
  /// "f32", "12 bytes", "buffer", "local": for messages.
  std::string describe() const;
};

struct user_sgpr_spec {
  /// A number, half of an address (a buffer's memory, an image's or sampler's descriptor in memory), or a whole descriptor (T# 8, V# and S# 4 SGPRs).
  enum class kind : uint8_t { value, address_lo, address_hi, descriptor } what = kind::value;
  uint32_t value = 0;
  unsigned sgprs = 1;
  std::string name;
  uint64_t offset = 0;
  source_place place;
};

/// A place in a buffer.
struct buffer_place {
  std::string buffer;
  uint64_t offset = 0;
};

struct dispatch_spec {
  uint32_t grid[3] = {1, 1, 1}, workgroup[3] = {1, 1, 1};
  unsigned dimensions = 3;            ///< entries of `grid`
  bool barrier = true;                ///< waits for the dispatches before it
  source_place place;
  std::optional<buffer_place> trap_handler, trap_memory; ///< TBA, TMA
  // object launches
  std::string kernel;
  std::vector<argument_spec> args;
  source_place args_place;
  // raw launches
  uint32_t sgprs = 16, vgprs = 4, lds = 0, scratch = 0;
  std::vector<user_sgpr_spec> user_sgprs;
  std::string workgroup_id = "x";     ///< components that follow the user SGPRs, in this order
  unsigned workitem_id = 0;
  uint32_t float_mode = 0xc0;
};

struct expect_spec {
  std::string buffer;                 ///< its name; empty: an image
  std::string image;                  ///< compared in its host form
  std::optional<std::filesystem::path> file;
  std::optional<scalar> value;        ///< for every element
  data_type type = data_type::u8;
  double abs = 0, rel = 0;
  uint64_t ulp = 0;
  uint64_t offset = 0;                ///< bytes
  uint64_t count = 0;                 ///< elements; always set once the job is read
  source_place place;
};

struct output_spec {
  std::string buffer, image;          ///< one of them
  uint64_t offset = 0, bytes = 0;     ///< part that is written: a level of an image, or all
  std::filesystem::path file;
  source_place place;
};

struct job {
  std::filesystem::path file;
  code_spec code;
  std::vector<buffer_spec> buffers;   ///< in the order of the file
  std::vector<image_spec> images;     ///< a view behind the image it looks at
  std::vector<sampler_spec> samplers;
  std::vector<dispatch_spec> dispatches;
  std::vector<expect_spec> expects;
  std::vector<output_spec> outputs;
  const buffer_spec* find_buffer(const std::string& name) const;
  const image_spec* find_image(const std::string& name) const;
  const sampler_spec* find_sampler(const std::string& name) const;
};

/// Reads a job file and checks all that can be known without the code: keys, types, ranges, buffer names, files that exist and their sizes.
/// Throws observe::input_error with file:line and, where one is near, the right name.
job load_job(const std::filesystem::path& file);
/// The same from text; relative paths start at `directory`.
job parse_job(const std::string& text, const std::string& name, const std::filesystem::path& directory);

} // namespace lyra::dispatch
