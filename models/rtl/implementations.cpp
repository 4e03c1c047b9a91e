// SPDX-License-Identifier: Apache-2.0
#include "rtl/implementations.h"
#include "observe/input_error.h"
#include <algorithm>

namespace lyra::rtl {

implementations& implementations::instance() {
  static implementations all;
  return all;
}

choice parse_choice(const std::string& parameter, const std::string& text, const std::vector<std::string>& known) {
  if (text == "tlm") return {};
  choice c;
  if (text.rfind("rtl:", 0) == 0) c = {choice::kind::rtl, text.substr(4)};
  else if (text.rfind("compare:", 0) == 0) c = {choice::kind::compare, text.substr(8)};
  else throw observe::input_error(parameter, "\"" + text + "\" is no implementation: give tlm, rtl:NAME or compare:NAME");
  if (std::find(known.begin(), known.end(), c.name) == known.end())
    throw observe::input_error(parameter, known.empty() ? "\"" + text + "\": this program holds no RTL for it; a program that links Verilated blocks registers them (docs/rtl.md)"
                                                        : "\"" + text + "\": no such RTL block; this program holds " + observe::join(known) + observe::did_you_mean(c.name, known));
  return c;
}

} // namespace lyra::rtl
