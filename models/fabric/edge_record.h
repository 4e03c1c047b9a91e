// SPDX-License-Identifier: Apache-2.0
// The requests of an edge as lines of text: written by a recorder, read again for a replay.
//
//   # comment
//   R ps address length policy                          READ
//   W ps address length policy mask data                WRITE; mask: bit i: byte i of the data (hexadecimal), data: bytes in hexadecimal
//   C ps address control policy                         cache maintenance (number of fabric::cache_control)
//   A ps address operation bytes returns n {lane offset operand compare} line     global atomic packet; line: 64 bytes (zeros on edges above L2)
//   V ps ...                                            one wave instruction: all inputs of fabric::wave_request (edge_record.cpp)
// Numbers are decimal, addresses, masks and operands hexadecimal. policy: glc + 2 slc + 4 nv.
//   L ps lead ...                                       one workgroup to a compute unit (sent `lead` ps ahead): the packet and where its waves go (edge_record.cpp). The code and the data
//                                                       that it runs on are in memory: what plays it again loads the job there first.
#pragma once
#include "fabric/context.h"
#include "fabric/launch.h"
#include "fabric/ports.h"
#include <deque>
#include <fstream>

namespace lyra::fabric {

/// One line for a request that is effective at `at`; "" for a request that a file cannot hold.
std::string record_line(payload& p, picoseconds at);

struct recorded_request {
  picoseconds at = 0;
  payload* p = nullptr; ///< reference count 1
  picoseconds lead = 0; ///< how long before `at` it was sent (launches)
};
/// Reads requests back. Instructions of waves are decoded for `chip`; they live as long as the reader.
class record_reader {
public:
  /// Throws observe::input_error where the file cannot be read.
  record_reader(const std::string& file, const context& context, isa::target chip = isa::target::gfx900);
  ~record_reader();
  /// The next request; false at the end. Throws observe::input_error with file and line where one is not well formed.
  bool next(recorded_request& r);

private:
  struct launches;
  payload* wave(std::istream& in);
  payload* launch(std::istream& in);
  std::string file_;
  std::ifstream in_;
  context context_;
  isa::target chip_;
  unsigned line_ = 0;
  std::deque<isa::instruction> instructions_;
  std::unique_ptr<launches> launches_; ///< made at the first one
};

/// Stands in an edge and writes its requests to a file; nothing else changes. Bind `in` to the initiator's end and `out` to the target's.
class edge_recorder : public sc_core::sc_module, private resettable, private tlm::tlm_fw_transport_if<>, private tlm::tlm_bw_transport_if<> {
public:
  edge_recorder(sc_core::sc_module_name name, const std::string& file);
  ~edge_recorder() override;
  tlm::tlm_target_socket<bus_width_bits> in;
  tlm::tlm_initiator_socket<bus_width_bits> out;
  uint64_t recorded() const { return recorded_; }
  uint64_t left_out() const { return left_out_; } ///< requests that a file cannot hold

private:
  void record(payload& p, picoseconds at);
  void on_reset() override; ///< the file begins anew: times do
  tlm::tlm_sync_enum nb_transport_fw(payload& p, tlm::tlm_phase& phase, sc_core::sc_time& t) override;
  tlm::tlm_sync_enum nb_transport_bw(payload& p, tlm::tlm_phase& phase, sc_core::sc_time& t) override { return in->nb_transport_bw(p, phase, t); }
  void b_transport(payload& p, sc_core::sc_time& t) override;
  unsigned transport_dbg(payload& p) override { return out->transport_dbg(p); }
  bool get_direct_mem_ptr(payload& p, tlm::tlm_dmi& dmi) override { return out->get_direct_mem_ptr(p, dmi); }
  void invalidate_direct_mem_ptr(sc_dt::uint64 a, sc_dt::uint64 b) override { in->invalidate_direct_mem_ptr(a, b); }
  std::ofstream file_;
  std::string name_;
  uint64_t recorded_ = 0, left_out_ = 0;
};

} // namespace lyra::fabric
