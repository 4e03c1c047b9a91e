// SPDX-License-Identifier: Apache-2.0
// Issue: one to five types of instructions from one to ten waves of a SIMD.
#include "platforms/bench/benchmark.h"
#include <algorithm>
#include <fmt/format.h>

namespace lyra::platforms::bench {

void add_issue(std::vector<benchmark>& rows) {
  for (unsigned types = 1; types <= 5; ++types)
    for (unsigned waves = 1; waves <= 10; ++waves) {
      benchmark b;
      b.name = fmt::format("issue.{}_types_{}_waves", types, waves);
      b.meaning = fmt::format("instructions a turn of one SIMD: {} waves, each {} in turn", waves, types == 1 ? "VALU" : types == 2 ? "VALU, SALU" : types == 3 ? "VALU, SALU, branch" : types == 4 ? "VALU, SALU, branch, LDS" : "VALU, SALU, branch, LDS, VMEM");
      b.unit = "1/turn";
      b.measurement.kernel = fmt::format("issue_types_{}", types);
      b.cu(waves, 256).lds(4096).lanes(pattern::strided, 4).as(figure::rate_simd).counting("instructions");
      b.published(std::min(types, waves), confidence::measured, "CLRX: 1, 2, 3, 4, 5, 5 .. waves; Omniperf: one a type", "GCN1-3");
      rows.push_back(std::move(b));
    }
}

} // namespace lyra::platforms::bench
