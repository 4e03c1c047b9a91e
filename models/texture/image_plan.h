// SPDX-License-Identifier: Apache-2.0
// Image instructions (MIMG) without a kernel: from registers and descriptors to texel addresses, and from fetched texels to result registers.
//
// TA calls `plan_image` when the instruction arrives, fetches, writes or locks what the access plan lists, and TD calls `resolve_image_load`
// when all bytes of a fetch are there. Source: Vega ISA 8.2 to 8.4; where it is wrong or silent, docs/images.md says what is done and why.
#pragma once
#include "fabric/address_space.h"
#include "fabric/parameters.h"
#include "fabric/wave_request.h"
#include "texture/access_plan.h"
#include <memory>
#include <string>

namespace lyra::texture {

/// Rates of the image pipeline, and the few registers outside descriptors that images read.
struct image_parameters {
  unsigned quads_per_cycle = 1;          ///< TA: quads (of four lanes, up to 16 texel addresses) whose addresses are made in a cycle
  unsigned load_cycles_64_scattered = 2; ///< cycles a quad of a load whose 8-byte texels do not lie together (4 x 1, 2 x 2 or 1 x 4 in the image)
  unsigned load_half_cycles_128_line = 3; ///< half cycles a quad of a load of different 16-byte texels that lie together
  unsigned load_cycles_128_scattered = 2; ///< cycles a quad of a load of 16-byte texels that do not
  unsigned filter_cycles_32 = 1, filter_cycles_64 = 2, filter_cycles_128 = 4; ///< bilinear cycles a quad by texel size (up to 4, 8, 16 bytes)
  unsigned trilinear_factor = 2;         ///< times, when two mip levels are blended
  unsigned volume_factor = 2;            ///< times, when z is filtered too
  uint64_t border_color_base = 0;        ///< address of the table that border colour type 3 indexes; 0: there is none

  template <class V> void describe(V&& v) {
    v("quads_per_cycle", quads_per_cycle, fabric::parameter_info{"quads", 1, 16, nullptr, "gpuopen.com, GCN memory coalescing: 4 lanes a clock", "image address generation"});
    v("load_cycles_64_scattered", load_cycles_64_scattered, fabric::parameter_info{"cycles", 1, 16, nullptr, "perftest, Radeon VII: 32 a wave", "a quad of 64-bit texels that do not lie together: 4 x 1, 2 x 2 or 1 x 4 in the image"});
    v("load_half_cycles_128_line", load_half_cycles_128_line, fabric::parameter_info{"half cycles", 1, 32, nullptr, "perftest, Radeon VII: 24 a wave", "a quad of different 128-bit texels that lie together"});
    v("load_cycles_128_scattered", load_cycles_128_scattered, fabric::parameter_info{"cycles", 1, 16, nullptr, "perftest, Radeon VII: 32 a wave", "a quad of 128-bit texels that do not lie together"});
    v("filter_cycles_32", filter_cycles_32, fabric::parameter_info{"cycles", 1, 16, nullptr, "gpuopen.com, GCN memory coalescing", "bilinear, a quad of texels up to 32 bits"});
    v("filter_cycles_64", filter_cycles_64, fabric::parameter_info{"cycles", 1, 16, nullptr, "half rate, from counter names and published fp16 rates", "bilinear, a quad of 64-bit texels"});
    v("filter_cycles_128", filter_cycles_128, fabric::parameter_info{"cycles", 1, 16, nullptr, "gpuopen.com, GCN memory coalescing", "bilinear, a quad of 96- and 128-bit texels"});
    v("trilinear_factor", trilinear_factor, fabric::parameter_info{"times", 1, 16, nullptr, "counter names mip_1_cycle, mip_2_cycle", "two mip levels against one"});
    v("volume_factor", volume_factor, fabric::parameter_info{"times", 1, 16, nullptr, "counter name vol_2_cycle", "z filtered against not"});
    v("border_color_base", border_color_base, fabric::parameter_info{"address", 0, 281474976710655.0, nullptr, "assumed", "table of 16-byte border colours for BORDER_COLOR_TYPE 3; 0: none, its use is a fault"});
  }
};

/// What TA has to do with a planned image instruction.
enum class image_action : uint8_t {
  done,   ///< nothing in memory: the results stand in the request (queries, EXEC = 0, an unbound resource, nothing in range)
  fetch,  ///< read all active pieces into plan.data, then call resolve_image_load
  store,  ///< write all active pieces from plan.data. Pieces of one lane are in order; a later lane wins over an earlier one
  atomic, ///< one piece a lane of 4 or 8 bytes; operation from the opcode. Operands are rows of request.vdata: 4 bytes: [0] data,
          ///< [1] comparand; 8 bytes: [0..1] data, [2..3] comparand. With GLC result_dwords and result_mask are set and old values go to result rows
          ///< 0 (and 1), lanes that are not active keep the zeroes put there
  fault   ///< request.fault, fault_lane, fault_address are set; image_state::error says place, cause, what to do
};

/// Times of one instruction, in core cycles for the whole wave, before queueing; from image_parameters.
struct image_cost {
  unsigned address_cycles = 0; ///< TA makes addresses: quads x steps (aniso 1, 2, 4, 6 .. 16; two mip levels; z slices)
  unsigned texel_cycles = 0;   ///< L1 data path and filter: no less than this from the first texel to the last
  unsigned quads = 0;          ///< quads with an active lane
  unsigned texels = 0;         ///< texels requested (lanes x taps), for statistics
  unsigned steps = 1;          ///< most address steps of a quad
  bool filtered = false;       ///< a sample or gather: texel_cycles are those of the filter
};

struct image_work; // everything between plan and resolve: descriptors decoded, filter taps, weights

/// Carries what plan knows to resolve. Reusable without allocation: keep one per instruction in flight.
class image_state {
public:
  image_state();
  ~image_state();
  image_state(image_state&&) noexcept;
  image_state& operator=(image_state&&) noexcept;

  image_action action = image_action::done;
  image_cost cost;
  std::string error; ///< set with image_action::fault: text for people
  image_work& work() { return *work_; }
  const image_work& work() const { return *work_; }

private:
  std::unique_ptr<image_work> work_;
};

/// Value of the extra VGPR of TFE and LWE: 0 where all texels were there and no warning was raised.
constexpr uint32_t texture_nack = 1;        ///< a texel lay in a non-resident page (TFE)
constexpr uint32_t texture_lod_warning = 2; ///< the level of detail was below the resource's MIN_LOD_WARN (LWE)

/// Plans any MIMG instruction: operands, descriptors, level of detail, clamping, addresses, residency. Fills `plan` (reset by it),
/// `state` and, except for fetches, the request's result fields. Lanes outside EXEC are inactive, but their coordinates serve as
/// helper lanes for derivatives. Never throws for bad descriptors: returns image_action::fault.
image_action plan_image(fabric::wave_request& request, fabric::address_space& space, const image_parameters& parameters, image_state& state, access_plan& plan);

/// After image_action::fetch: plan.data holds the bytes of all active pieces (inactive ones are ignored). Decodes, compares, filters,
/// selects and packs into request.result; sets result_dwords (TFE's included) and result_mask.
void resolve_image_load(fabric::wave_request& request, const image_state& state, const access_plan& plan);

} // namespace lyra::texture
