// SPDX-License-Identifier: Apache-2.0
#include "platforms/edge_records.h"
#include "observe/input_error.h"
#include <algorithm>

namespace lyra::platforms {

edge_records::edge_records(const std::vector<std::string>& wanted) {
  for (const auto& w : wanted) {
    const size_t eq = w.find('=');
    if (eq == std::string::npos || eq == 0 || eq + 1 == w.size()) throw observe::input_error("--record " + w, "give EDGE=FILE, like cu0.cu-lds=lds.txt");
    wanted_[w.substr(0, eq)] = w.substr(eq + 1);
  }
}

edge_binder edge_records::binder() {
  if (wanted_.empty()) return {};
  return [this](const std::string& name, tlm::tlm_initiator_socket<fabric::bus_width_bits>& from, tlm::tlm_target_socket<fabric::bus_width_bits>& to) {
    edges_.push_back(name);
    const auto w = wanted_.find(name);
    if (w == wanted_.end()) { from.bind(to); return; }
    recorders_.push_back(std::make_unique<fabric::edge_recorder>(sc_core::sc_gen_unique_name("recorder"), w->second));
    from.bind(recorders_.back()->in);
    recorders_.back()->out.bind(to);
  };
}

void edge_records::check() const {
  for (const auto& [name, file] : wanted_)
    if (std::find(edges_.begin(), edges_.end(), name) == edges_.end())
      throw observe::input_error("--record " + name, "the machine has no such edge" + observe::did_you_mean(name, edges_) + " (docs/rtl.md lists them)");
}

} // namespace lyra::platforms
