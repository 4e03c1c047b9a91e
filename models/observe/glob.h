// SPDX-License-Identifier: Apache-2.0
// Name patterns: * any characters (dots too), ? one character, [abc] and [0-9] one of a set.
#pragma once
#include <string_view>

namespace lyra::observe {

bool glob_match(std::string_view pattern, std::string_view name);

} // namespace lyra::observe
