// SPDX-License-Identifier: Apache-2.0
// FST output: GTKWave's vcd2fst makes it of a VCD file.
#pragma once
#include <string>

namespace lyra::platforms {

/// Does the name ask for FST ("waves.fst")?
bool is_fst(const std::string& file);
/// Throws observe::input_error where vcd2fst is not in PATH: before a run that would end without its waves.
void require_vcd2fst();
/// Makes `fst` of `vcd` and removes `vcd`. Throws observe::input_error where vcd2fst fails; then `vcd` stays.
void convert_to_fst(const std::string& vcd, const std::string& fst);

} // namespace lyra::platforms
