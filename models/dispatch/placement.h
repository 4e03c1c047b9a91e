// SPDX-License-Identifier: Apache-2.0
// Where workgroups go: wave slots, VGPRs, SGPRs and LDS of one compute unit, and the order in which compute units are tried. Plain C++, no kernel.
#pragma once
#include "fabric/parameters.h"
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace lyra::dispatch {

/// What one compute unit has. VGPRs are counted per lane.
struct cu_resources {
  unsigned simds = 4, wave_slots = 10;
  unsigned vgprs = 256, vgpr_granule = 4;
  unsigned sgprs = 800, sgpr_granule = 16;
  unsigned lds_bytes = 65536, lds_granule = 512;

  template <class V> void describe(V&& v) {
    v("simds", simds, {"SIMDs", 1, 8, nullptr, "Vega ISA 1", "SIMDs of a compute unit"});
    v("wave_slots", wave_slots, {"waves", 1, 32, nullptr, "Vega ISA 1", "wave slots of a SIMD"});
    v("vgprs", vgprs, {"registers", 4, 1024, nullptr, "Vega ISA 3", "VGPRs of a SIMD, per lane"});
    v("vgpr_granule", vgpr_granule, {"registers", 1, 64, nullptr, "LLVM AMDGPU usage, GFX9", "VGPRs are allocated in multiples of this"});
    v("sgprs", sgprs, {"registers", 16, 8192, nullptr, "LLVM AMDGPU usage, GFX9", "SGPRs of a SIMD"});
    v("sgpr_granule", sgpr_granule, {"registers", 1, 128, nullptr, "LLVM AMDGPU usage, GFX9", "SGPRs are allocated in multiples of this"});
    v("lds_bytes", lds_bytes, {"bytes", 0, 1048576, nullptr, "Vega ISA 1", "LDS of a compute unit"});
    v("lds_granule", lds_granule, {"bytes", 4, 65536, nullptr, "LLVM AMDGPU usage, GFX9", "LDS is allocated in multiples of this"});
  }
};

/// What a workgroup takes: registers are those of each of its waves.
struct group_needs { unsigned waves = 1, vgprs = 4, sgprs = 16; uint32_t lds_bytes = 0; };

/// What a compute unit lacked for a workgroup.
enum class shortage : uint8_t { none, wave_slots, vgprs, sgprs, lds };

struct group_place {
  struct wave { uint8_t simd = 0, slot = 0; uint16_t vgpr_base = 0; };
  std::array<wave, 16> waves{};
  unsigned count = 0;
  uint32_t lds_base = 0;
};

/// First-fit allocator of one contiguous space.
class interval_space {
public:
  explicit interval_space(unsigned size = 0, size_t most = 64) : size_(size) { taken_.reserve(most); }
  /// Lowest free position with room for n; false where there is none. n = 0 takes nothing, at 0.
  bool take(unsigned n, unsigned& at);
  void give_back(unsigned at, unsigned n);

private:
  struct interval { unsigned at, size; };
  unsigned size_;
  std::vector<interval> taken_; ///< by position
};

/// The occupancy of one compute unit.
class cu_occupancy {
public:
  explicit cu_occupancy(const cu_resources& r);
  /// Places all waves of a group or none. Waves go to the SIMD with the fewest waves; among equals to the next one round-robin.
  shortage place(const group_needs& n, group_place& p);
  void release(const group_needs& n, const group_place& p);
  unsigned waves() const { return waves_; }
  unsigned waves(unsigned simd) const { return simds_[simd].waves; }

private:
  struct simd {
    uint32_t slots = 0; ///< bit i: slot i is taken
    unsigned waves = 0, sgprs = 0;
    interval_space vgprs;
  };
  void free_wave(const group_needs& n, const group_place::wave& w);
  unsigned round(unsigned v, unsigned granule) const { return (v + granule - 1) / granule * granule; }
  cu_resources have_;
  std::vector<simd> simds_;
  interval_space lds_;
  unsigned waves_ = 0, next_simd_ = 0;
};

/// Why a group can never be placed, even on an empty compute unit; "" when it can.
std::string never_fits(const group_needs& n, const cu_resources& r);

/// The order in which compute units are tried for the next workgroup.
///   in_order     CU 0, 1, 2 ... round and round
///   round_robin  shader engine 0, 1, 2 ... in turn; in each its CUs in turn
///   packed       the lowest-numbered CU that has room: the group waits for it while it takes the one before
class cu_order {
public:
  enum class policy : uint8_t { in_order, round_robin, packed };
  static constexpr const char* choices = "in_order|round_robin|packed";
  static policy find(const std::string& name) { return name == "in_order" ? policy::in_order : name == "packed" ? policy::packed : policy::round_robin; }

  cu_order(policy p, unsigned cus, unsigned shader_engines) : policy_(p), cus_(cus), engines_(shader_engines), last_in_engine_(shader_engines, ~0u), last_engine_(shader_engines - 1), last_(cus - 1) {}
  unsigned engine_of(unsigned cu) const { return unsigned(uint64_t(cu) * engines_ / cus_); }
  unsigned first_of(unsigned engine) const { return unsigned((uint64_t(engine) * cus_ + engines_ - 1) / engines_); }

  bool packed() const { return policy_ == policy::packed; }

  /// The first CU in turn for which `ready(cu)` is true; `cus` when there is none. Does not move on. Not for `packed`, whose CU depends on room alone.
  template <class F> unsigned next(F&& ready) const {
    if (policy_ == policy::in_order) {
      for (unsigned i = 1; i <= cus_; ++i) if (const unsigned c = (last_ + i) % cus_; ready(c)) return c;
      return cus_;
    }
    for (unsigned i = 1; i <= engines_; ++i) {
      const unsigned e = (last_engine_ + i) % engines_, first = first_of(e), n = first_of(e + 1) - first;
      const unsigned start = last_in_engine_[e] == ~0u ? 0 : last_in_engine_[e] - first + 1;
      for (unsigned k = 0; k < n; ++k) if (const unsigned c = first + (start + k) % n; ready(c)) return c;
    }
    return cus_;
  }
  /// A workgroup went to `cu`.
  void taken(unsigned cu) { last_ = cu; last_engine_ = engine_of(cu); last_in_engine_[last_engine_] = cu; }

private:
  policy policy_;
  unsigned cus_, engines_;
  std::vector<unsigned> last_in_engine_;
  unsigned last_engine_, last_;
};

} // namespace lyra::dispatch
