// SPDX-License-Identifier: Apache-2.0
#include "platforms/bench/kernels.h"
#include "observe/input_error.h"
#include <cstring>

// The assembler puts both files into this object (LYRA_BENCH_CODE and _TABLE: their paths, from CMake).
asm(".pushsection .rodata\n"
    ".balign 64\nlyra_bench_code: .incbin \"" LYRA_BENCH_CODE "\"\nlyra_bench_code_end:\n"
    ".balign 64\nlyra_bench_table: .incbin \"" LYRA_BENCH_TABLE "\"\nlyra_bench_table_end:\n"
    ".popsection\n");
extern "C" const uint8_t lyra_bench_code[] __attribute__((visibility("hidden"))), lyra_bench_code_end[] __attribute__((visibility("hidden"))), lyra_bench_table[] __attribute__((visibility("hidden"))),
    lyra_bench_table_end[] __attribute__((visibility("hidden")));

namespace lyra::platforms::bench {

const uint8_t* kernel_code() { return lyra_bench_code; }
size_t kernel_code_bytes() { return size_t(lyra_bench_code_end - lyra_bench_code); }

kernel_entry find_kernel(const std::string& name) {
  constexpr size_t name_bytes = 40, entry_bytes = name_bytes + 12; // as frame.s lays it out
  for (const uint8_t* p = lyra_bench_table; p < lyra_bench_table_end; p += entry_bytes) {
    if (name != reinterpret_cast<const char*>(p)) continue;
    kernel_entry e;
    std::memcpy(&e, p + name_bytes, 12);
    return e;
  }
  throw observe::input_error("lyra bench", "no kernel \"" + name + "\" in the program");
}

} // namespace lyra::platforms::bench
