// SPDX-License-Identifier: Apache-2.0
// Where the sources and the build are. In one object file, so that a compiler cache serves the tests in every checkout.
#pragma once
#include <string>

namespace directories {
std::string source(); ///< the root of the checkout
std::string build();  ///< the build directory: platforms/lyra is below it
} // namespace directories
