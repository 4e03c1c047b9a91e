// SPDX-License-Identifier: Apache-2.0
// Tables of scalar operations.
#pragma once
#include "alu/execute.h"
#include "alu/scalar_source.h"

namespace lyra::alu {

struct scalar_row { isa::op id; handler execute; };
struct scalar_rows { const scalar_row* first; unsigned count; };

scalar_rows scalar_alu_rows();
scalar_rows scalar_control_rows();

} // namespace lyra::alu
