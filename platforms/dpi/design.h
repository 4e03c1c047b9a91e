// SPDX-License-Identifier: Apache-2.0
// The one design of a process that uses the C interface.
#pragma once
#include "dispatch/loaded_job.h"
#include "platforms/machine.h"
#include "platforms/machine_files.h"
#include "rtl/axi4_master.h"
#include "rtl/axi4_slave.h"
#include <deque>
#include <stdexcept>

namespace lyra::platforms::dpi {

/// Bits of a vector, taken or put from bit 0 on.
class bit_reader {
public:
  explicit bit_reader(const unsigned* words) : words_(words) {}
  uint64_t take(unsigned bits) {
    uint64_t v = 0;
    for (unsigned i = 0; i < bits;) {
      const unsigned at = (position_ + i) % 32, n = std::min(32 - at, bits - i);
      v |= uint64_t(words_[(position_ + i) / 32] >> at & (n == 32 ? ~0u : (1u << n) - 1)) << i;
      i += n;
    }
    position_ += bits;
    return v;
  }
  void take(void* to, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) static_cast<uint8_t*>(to)[i] = uint8_t(take(8));
  }

private:
  const unsigned* words_;
  unsigned position_ = 0;
};
class bit_writer {
public:
  bit_writer(unsigned* words, unsigned bits) : words_(words) { std::fill_n(words, (bits + 31) / 32, 0u); }
  void put(uint64_t v, unsigned bits) {
    for (unsigned i = 0; i < bits;) {
      const unsigned at = (position_ + i) % 32, n = std::min(32 - at, bits - i);
      words_[(position_ + i) / 32] |= unsigned(v >> i & (n == 32 ? ~0u : (1u << n) - 1)) << at;
      i += n;
    }
    position_ += bits;
  }
  void put(const void* from, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) put(static_cast<const uint8_t*>(from)[i], 8);
  }

private:
  unsigned* words_;
  unsigned position_ = 0;
};

/// An AXI4 block whose pins are the caller's.
class caller_pins final : public rtl::axi_block {
public:
  rtl::axi_in master;
  rtl::axi_slave_pins slave;
  void sample(rtl::axi_slave_pins& out) override { out = slave; }
  void edge() override {}
  void drive(const rtl::axi_in& in) override { master = in; }
};

struct lds_bench;
struct l2_bench;

struct design {
  std::unique_ptr<described_machine> described;
  std::unique_ptr<platforms::machine> machine;
  std::unique_ptr<dispatch::loaded_job> job;
  std::vector<std::unique_ptr<fabric::dispatch_packet>> packets; ///< of lyra_dispatch
  std::vector<caller_pins*> pins;                                ///< "rtl:pins", in the order of the channels
  std::unique_ptr<lds_bench> lds;
  std::vector<std::unique_ptr<l2_bench>> l2;
  bool clean = true;                    ///< nothing has been started since the beginning or the last reset: no cache holds anything
  fabric::picoseconds reset_end = 0;    ///< kernel time; while reset is asserted
  std::unique_ptr<sc_core::sc_event> tick; ///< so that time passes while nothing happens
  std::string error;
  design();
  ~design();

  memory::backing_store& store();
  const observe::statistics& statistics();
  fabric::run_state& run_state();
  /// Lets time pass up to `end` (kernel time), also while nothing happens: a kernel may complain about sc_start without activity. Elaborates at the first call.
  void pass(fabric::picoseconds end);
};
design& the_design();

/// Runs f; an exception becomes the error and -1. Faults of the machine too.
template <class F> int guarded(F f) {
  design& s = the_design();
  try {
    const int r = f(s);
    return r;
  } catch (const sc_core::sc_report& e) {
    s.error = std::string(e.get_msg_type()) + ": " + e.get_msg();
  } catch (const std::exception& e) {
    s.error = e.what();
  }
  return -1;
}

/// Blocks alone (blocks.cpp).
int open_lds(design& s, const std::string& machine, const std::vector<std::string>& settings);
int open_l2(design& s, const std::string& machine, const std::vector<std::string>& settings, unsigned data_bits);

} // namespace lyra::platforms::dpi
