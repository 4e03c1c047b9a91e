// SPDX-License-Identifier: Apache-2.0
// `lyra disasm`: the code of an object, or bare machine code, as text.
#pragma once
#include <string>

namespace lyra::platforms {

/// Prints the code of FILE to stdout, as llvm-objdump -d does; an ELF (or an offload bundle) by section and symbol, any other file as machine code from
/// address 0. `target`: chip of bare code, or of the entry wanted of a bundle; "" = gfx900. Returns the number of illegal dwords, which are
/// printed with the reason. Throws observe::input_error.
unsigned disassemble_file(const std::string& file, const std::string& target);

} // namespace lyra::platforms
