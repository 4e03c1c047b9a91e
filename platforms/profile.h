// SPDX-License-Identifier: Apache-2.0
// `lyra run --profile`: the disassembly with what each instruction cost, as text, CSV or a page.
#pragma once
#include "dispatch/loaded_job.h"
#include "dispatch/source_lines.h"
#include "observe/statistics_json.h"
#include "platforms/machine.h"
#include <string>
#include <unordered_map>
#include <vector>

namespace lyra::platforms {

struct profile_line {
  uint64_t pc = 0, offset = 0; ///< offset: from the code's first byte, as `lyra disasm` counts
  std::string text;            ///< disassembly, with the target of a branch
  compute_unit::profile_record record; ///< all zero where no wave came by
  bool load = false;           ///< asks a cache for lines: has a hit rate
  dispatch::source_position source;
  uint64_t cycles() const;     ///< wave-cycles of all causes
};

/// A function of the object, or the raw code.
struct profile_section {
  std::string name;
  std::vector<profile_line> lines; ///< by address; code that changed while it ran has several lines of one address
  uint64_t cycles = 0;
};

struct profile {
  profile() = default;
  profile(profile&&) = default; ///< not copied: sections point into `lines`
  observe::about_pairs about;
  bool timed = true;                                ///< false: loosely timed, executions and lanes only
  dispatch::source_lines lines;                     ///< owns the file names in the sections
  std::vector<profile_section> sections;            ///< those that waves came by, the most costly first
  uint64_t stalls[compute_unit::stall_count] = {};  ///< of all lines
  uint64_t cycles = 0;                              ///< of all lines: the machine's wave-cycles, but for waves that never had an instruction
};

/// After the run and `machine::close_statistics`; the machine's code cache must have profiled.
profile take_profile(machine& m, const dispatch::loaded_job& job, const observe::about_pairs& about);

std::string profile_text(const profile& p);
std::string profile_csv(const profile& p);  ///< one row an instruction, units in the header
std::string profile_html(const profile& p); ///< self-contained: no network, sortable, a bar of causes a line

/// "-": text to stdout; else by the name's end: .txt, .csv, .html. Throws observe::input_error.
void write_profile(const std::string& file, const profile& p);
/// Throws observe::input_error where write_profile would not know the form.
void check_profile_name(const std::string& file);

/// One row a wave, units in the header: place, life, instructions, cycles by cause. Ordered by wave. Throws observe::input_error.
void write_wave_accounts(const std::string& file, std::vector<compute_unit::wave_account> accounts, const dispatch::loaded_job& job);

/// Lines of source files that can be read; "" for others.
class source_text {
public:
  const std::string& line(const dispatch::source_position& at);
private:
  std::unordered_map<std::string, std::vector<std::string>> files_;
};

} // namespace lyra::platforms
