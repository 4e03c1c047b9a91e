// SPDX-License-Identifier: Apache-2.0
// Latency against working set as an SVG picture.
#include "platforms/bench/report.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <tuple>

namespace lyra::platforms::bench {

namespace {

constexpr double width = 900, height = 460, left = 70, right = 30, top = 40, bottom = 60;

struct axes {
  double x_low, x_high, y_low, y_high; // log2 of bytes, log10 of clocks
  double x(double bytes) const { return left + (std::log2(bytes) - x_low) / (x_high - x_low) * (width - left - right); }
  double y(double clocks) const { return height - bottom - (std::log10(clocks) - y_low) / (y_high - y_low) * (height - top - bottom); }
};

std::string bytes_text(double b) { return b >= 1 << 30 ? fmt::format("{:g} GB", b / (1 << 30)) : b >= 1 << 20 ? fmt::format("{:g} MB", b / (1 << 20)) : fmt::format("{:g} KB", b / 1024); }

std::string curve(const axes& a, const std::vector<std::pair<double, double>>& points, const char* colour, const char* name, double label_dy) {
  if (points.empty()) return "";
  std::string out = fmt::format("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"2\" points=\"", colour);
  for (const auto& [x, y] : points) out += fmt::format("{:.1f},{:.1f} ", a.x(x), a.y(y));
  out += "\"/>\n";
  for (const auto& [x, y] : points) out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"><title>{}: {:.1f} clk</title></circle>\n", a.x(x), a.y(y), colour, bytes_text(x), y);
  return out + fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"{}\">{}</text>\n", a.x(points.front().first) + 6, a.y(points.front().second) + label_dy, colour, name);
}

} // namespace

std::string plot(const std::vector<result>& results, const std::string& machine, double mhz) {
  std::vector<std::pair<double, double>> vector, scalar;
  double most = 1000;
  for (const auto& r : results) {
    if (!r.problem.empty() || r.value <= 0) continue;
    if (r.row.name.rfind("sweep.vector_", 0) == 0) vector.emplace_back(double(r.row.measurement.chase.bytes), r.value);
    if (r.row.name.rfind("sweep.scalar_", 0) == 0) scalar.emplace_back(double(r.row.measurement.chase.bytes), r.value);
    if (r.row.name.rfind("sweep.", 0) == 0) most = std::max(most, r.value * 1.2);
  }
  const axes a{10, 30, std::log10(30.0), std::log10(most)};
  std::string out = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n", width, height);
  out += fmt::format("<text x=\"{}\" y=\"22\" font-size=\"15\">Latency of a dependent load against the working set: {} at {:g} MHz</text>\n", left, machine, mhz);
  for (int e = 10; e <= 30; e += 2) {
    const double x = a.x(std::ldexp(1.0, e));
    out += fmt::format("<line x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2}\" stroke=\"#ddd\"/><text x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"middle\">{4}</text>\n", x, top, height - bottom, height - bottom + 18, bytes_text(std::ldexp(1.0, e)));
  }
  for (const double clocks : {30.0, 50.0, 100.0, 200.0, 300.0, 500.0, 700.0, 1000.0, 2000.0, 5000.0}) {
    if (clocks > most) break;
    out += fmt::format("<line x1=\"{0}\" y1=\"{1:.1f}\" x2=\"{2}\" y2=\"{1:.1f}\" stroke=\"#ddd\"/><text x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5:g}</text>\n", left, a.y(clocks), width - right, left - 6, a.y(clocks) + 4, clocks);
  }
  // labels where no curve runs: right of the steps for the caches, left of them for memory
  for (const auto& [v, name, label_at] : {std::tuple{50.0, "K$, mt4g: 50", 30}, {134.0, "L1, gpu-benches: 134", 30}, {264.0, "L2, gpu-benches: 264", 30}, {264 + 0.193 * mhz, "memory, gpu-benches: 378 ns", 22}})
    out += fmt::format("<line x1=\"{0}\" y1=\"{1:.1f}\" x2=\"{2}\" y2=\"{1:.1f}\" stroke=\"#888\" stroke-dasharray=\"5 4\"/><text x=\"{5:.1f}\" y=\"{3:.1f}\" text-anchor=\"end\" fill=\"#666\">{4} (MI100)</text>\n", left, a.y(v), width - right,
                       a.y(v) + (v > 200 && v < 300 ? 14 : -5), name, a.x(std::ldexp(1.0, label_at)));
  // what the same chip measured behind its TLB
  for (const auto& [mb, clocks] : {std::pair{48.0, 540.0}, {140.0, 592.0}, {180.0, 601.0}, {1024.0, 635.0}})
    out += fmt::format("<path d=\"M{0:.1f} {1:.1f} l5 5 l5 -5 l-5 -5 z\" fill=\"none\" stroke=\"#b33\"/>\n", a.x(mb * 1048576) - 5, a.y(clocks + (mhz - 1430) * 0.193));
  out += curve(a, vector, "#1f5fa8", "vector loads", -10);
  out += curve(a, scalar, "#2a8a3c", "scalar loads", 18);
  out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">working set; diamonds: gpu-benches on MI100 beyond 32 MB</text>\n<text transform=\"translate(16 {}) rotate(-90)\" text-anchor=\"middle\">clocks a load</text>\n</svg>\n", width / 2,
                     height - 14, height / 2);
  return out;
}

} // namespace lyra::platforms::bench
