// SPDX-License-Identifier: Apache-2.0
// Which memory channel owns an address. Plain C++.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>

namespace lyra::fabric {

enum class hash_kind : uint8_t {
  linear,  ///< block number modulo channels
  xor_fold ///< all digits (base: number of channels) of the block number XORed: power-of-two strides spread over all channels
};

/// Blocks of `interleave_bytes` are spread over `channels` owners. Both kinds give every channel one block of each run of `channels` blocks,
/// so (channel, block / channels) names a block uniquely.
class address_hash {
public:
  address_hash() = default;
  address_hash(hash_kind kind, unsigned channels, unsigned interleave_bytes) : kind_(kind), channels_(channels) {
    if (channels == 0) throw std::invalid_argument("address hash over 0 channels: give at least one");
    if (interleave_bytes < 64 || (interleave_bytes & (interleave_bytes - 1)) != 0)
      throw std::invalid_argument("address hash with an interleave of " + std::to_string(interleave_bytes) + " bytes: it must be a power of two of 64 or more");
    while (1u << shift_ < interleave_bytes) ++shift_;
    power_of_two_ = (channels & (channels - 1)) == 0;
    if (kind == hash_kind::xor_fold && !power_of_two_)
      throw std::invalid_argument("address hash xor_fold over " + std::to_string(channels) + " channels: it needs a power of two; use linear");
    while (1u << bits_ < channels) ++bits_;
    if (bits_ != 0)
      for (first_fold_ = bits_; first_fold_ * 2 < 48;) first_fold_ *= 2; // 48-bit addresses
  }
  static hash_kind kind_of(const std::string& name) {
    if (name == "linear") return hash_kind::linear;
    if (name == "xor_fold") return hash_kind::xor_fold;
    throw std::invalid_argument("unknown address hash '" + name + "': linear or xor_fold");
  }

  unsigned channels() const { return channels_; }
  unsigned interleave_bytes() const { return 1u << shift_; }
  unsigned operator()(uint64_t address) const {
    uint64_t block = address >> shift_;
    if (!power_of_two_) return unsigned(block % channels_);
    if (kind_ == hash_kind::xor_fold)
      for (unsigned s = first_fold_; s >= bits_ && s != 0; s /= 2) block ^= block >> s; // halving folds XOR all digits into the lowest
    return unsigned(block & (channels_ - 1));
  }

private:
  hash_kind kind_ = hash_kind::linear;
  unsigned channels_ = 1, shift_ = 0, bits_ = 0, first_fold_ = 0;
  bool power_of_two_ = true;
};

} // namespace lyra::fabric
