// SPDX-License-Identifier: Apache-2.0
// How the program gets its memory from the host.
#pragma once

namespace lyra::platforms {

/// Lets the heap grow in huge pages where the kernel has them on request: a machine of 64 compute units touches tens of megabytes within a fraction of a second,
/// and one page fault for each 4 KB of it takes up to half of a short run. To be called once, before anything big is allocated. Does nothing elsewhere than on glibc.
void use_huge_pages();

} // namespace lyra::platforms
