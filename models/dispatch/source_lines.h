// SPDX-License-Identifier: Apache-2.0
// Which source line an address of a code object comes from: its DWARF line table (clang -g), read by libdw.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace lyra::dispatch {

struct source_position {
  const std::string* file = nullptr; ///< null: not known
  unsigned line = 0;                 ///< from 1; 0: the compiler named none
};

class source_lines {
public:
  /// No lines at all.
  source_lines() = default;
  /// Of the ELF file's bytes. A file without a line table gives an empty object; damaged units of it are left out.
  explicit source_lines(const std::vector<uint8_t>& elf);
  /// For an address in the object's own address space (load base 0). The result's file lives as long as this object.
  source_position at(uint64_t address) const;
  bool empty() const { return rows_.empty(); }

private:
  struct row { uint64_t address; uint32_t file, line; bool end; }; ///< `end`: first address behind a sequence
  std::vector<row> rows_;                                         ///< by address
  std::vector<std::string> files_;
};

} // namespace lyra::dispatch
