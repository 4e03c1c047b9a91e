// SPDX-License-Identifier: Apache-2.0
#include "dispatch/source_lines.h"
#include <algorithm>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <unordered_map>

namespace lyra::dispatch {

source_lines::source_lines(const std::vector<uint8_t>& bytes) {
  std::vector<char> copy(bytes.begin(), bytes.end()); // libelf wants memory that it may write to
  elf_version(EV_CURRENT);
  Elf* elf = elf_memory(copy.data(), copy.size());
  if (!elf) return;
  if (Dwarf* dwarf = dwarf_begin_elf(elf, DWARF_C_READ, nullptr)) {
    std::unordered_map<std::string, uint32_t> known;
    Dwarf_Off offset = 0, next = 0;
    for (size_t header = 0; dwarf_nextcu(dwarf, offset, &next, &header, nullptr, nullptr, nullptr) == 0; offset = next) {
      Dwarf_Die unit;
      Dwarf_Lines* lines = nullptr;
      size_t count = 0;
      if (!dwarf_offdie(dwarf, offset + header, &unit) || dwarf_getsrclines(&unit, &lines, &count) != 0) continue;
      for (size_t i = 0; i < count; ++i) {
        Dwarf_Line* l = dwarf_onesrcline(lines, i);
        Dwarf_Addr address = 0;
        int number = 0;
        bool end = false;
        if (!l || dwarf_lineaddr(l, &address) || dwarf_lineno(l, &number) || dwarf_lineendsequence(l, &end)) continue;
        const char* file = dwarf_linesrc(l, nullptr, nullptr);
        const auto [at, added] = known.try_emplace(file ? file : "?", uint32_t(files_.size()));
        if (added) files_.push_back(at->first);
        rows_.push_back({address, at->second, uint32_t(number), end});
      }
    }
    dwarf_end(dwarf);
  }
  elf_end(elf);
  // where a sequence ends and another begins, the beginning counts; of several rows at one address the last
  std::stable_sort(rows_.begin(), rows_.end(), [](const row& a, const row& b) { return a.address != b.address ? a.address < b.address : a.end > b.end; });
}

source_position source_lines::at(uint64_t address) const {
  auto it = std::upper_bound(rows_.begin(), rows_.end(), address, [](uint64_t a, const row& r) { return a < r.address; });
  if (it == rows_.begin() || (--it)->end) return {};
  return {&files_[it->file], it->line};
}

} // namespace lyra::dispatch
