// SPDX-License-Identifier: Apache-2.0
// All kernels of `lyra bench` in one piece of code.
.include "frame.s"
.include "latency.s"
.include "lds.s"
.include "memory.s"
.include "alu.s"
.include "issue.s"
.include "perftest.s"
