// SPDX-License-Identifier: Apache-2.0
#include "platforms/host_memory.h"
#include <cstdint>
#include <cstdlib>
#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace lyra::platforms {

void use_huge_pages() {
#ifdef __GLIBC__
  constexpr int reserve = 1 << 30; // address space only; what is never touched costs nothing
  mallopt(M_MMAP_THRESHOLD, 64 << 20); // smaller blocks come from the heap
  mallopt(M_TRIM_THRESHOLD, reserve);
  mallopt(M_TOP_PAD, reserve);
  void* volatile block = std::malloc(1 << 20); // grows the heap by the reserve; where the system does not allow it, malloc does without. volatile: a compiler may drop a pair
  std::free(block);
  mallopt(M_TOP_PAD, 1 << 20);
  constexpr uintptr_t huge = 2 << 20;
  const uintptr_t top = reinterpret_cast<uintptr_t>(sbrk(0)) & ~(huge - 1);
  const uintptr_t bottom = (reinterpret_cast<uintptr_t>(block) + huge - 1) & ~(huge - 1);
  if (top > bottom && top - bottom <= uintptr_t(reserve) * 2) madvise(reinterpret_cast<void*>(bottom), top - bottom, MADV_HUGEPAGE); // a wish: its failure changes nothing but speed
#endif
}

} // namespace lyra::platforms
