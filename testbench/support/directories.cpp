// SPDX-License-Identifier: Apache-2.0
#include "support/directories.h"

std::string directories::source() { return LYRA_SOURCE_DIR; }
std::string directories::build() { return LYRA_BINARY_DIR; }
