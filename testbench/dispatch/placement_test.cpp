// SPDX-License-Identifier: Apache-2.0
// Workgroup placement against a plain model of the compute unit's resources.
#include "dispatch/placement.h"
#include "support/systemc_test.h"
#include <algorithm>
#include <random>
#include <set>

using namespace lyra::dispatch;

namespace {
/// Every register, slot and LDS byte of a CU, one entry each.
struct plain_cu {
  std::vector<std::vector<bool>> slot, vgpr;
  std::vector<unsigned> sgprs;
  std::vector<bool> lds;
  explicit plain_cu(const cu_resources& r) : slot(r.simds, std::vector<bool>(r.wave_slots)), vgpr(r.simds, std::vector<bool>(r.vgprs)), sgprs(r.simds, 0), lds(r.lds_bytes) {}
  static unsigned up(unsigned v, unsigned g) { return (v + g - 1) / g * g; }
  void set(const cu_resources& r, const group_needs& n, const group_place& p, bool value) {
    BOOST_REQUIRE(p.count == n.waves);
    for (unsigned i = 0; i < p.count; ++i) {
      const auto& w = p.waves[i];
      BOOST_REQUIRE(w.simd < r.simds);
      BOOST_REQUIRE(w.slot < r.wave_slots);
      BOOST_REQUIRE(slot[w.simd][w.slot] != value);
      slot[w.simd][w.slot] = value;
      BOOST_REQUIRE(w.vgpr_base % r.vgpr_granule == 0);
      BOOST_REQUIRE(w.vgpr_base + n.vgprs <= r.vgprs);
      for (unsigned k = 0; k < up(n.vgprs, r.vgpr_granule); ++k) {
        BOOST_REQUIRE(vgpr[w.simd].at(w.vgpr_base + k) != value);
        vgpr[w.simd][w.vgpr_base + k] = value;
      }
      sgprs[w.simd] += value ? up(n.sgprs, r.sgpr_granule) : -up(n.sgprs, r.sgpr_granule);
      BOOST_REQUIRE(sgprs[w.simd] <= r.sgprs);
    }
    const unsigned bytes = up(n.lds_bytes, r.lds_granule);
    BOOST_REQUIRE(p.lds_base % r.lds_granule == 0);
    for (unsigned k = 0; k < bytes; ++k) {
      BOOST_REQUIRE(lds.at(p.lds_base + k) != value);
      lds[p.lds_base + k] = value;
    }
  }
  /// Could the group be placed? Counts the waves each SIMD can take.
  bool room(const cu_resources& r, const group_needs& n) const {
    unsigned waves = 0;
    for (unsigned s = 0; s < r.simds; ++s) {
      const unsigned slots = unsigned(std::count(slot[s].begin(), slot[s].end(), false));
      const unsigned by_sgprs = (r.sgprs - sgprs[s]) / up(n.sgprs, r.sgpr_granule);
      unsigned by_vgprs = 0, run = 0;
      for (const bool taken : vgpr[s]) {
        run = taken ? 0 : run + 1;
        if (run == up(n.vgprs, r.vgpr_granule)) { ++by_vgprs; run = 0; }
      }
      waves += std::min({slots, by_sgprs, by_vgprs});
    }
    unsigned run = 0, best = 0;
    for (const bool taken : lds) best = std::max(best, run = taken ? 0 : run + 1);
    return waves >= n.waves && best >= up(n.lds_bytes, r.lds_granule);
  }
};
} // namespace

BOOST_AUTO_TEST_CASE(resources_are_never_oversubscribed_and_never_refused_without_need) {
  const cu_resources r;
  std::mt19937 random(1);
  unsigned placed = 0, refused = 0;
  for (int round = 0; round < 60; ++round) {
    cu_occupancy cu(r);
    plain_cu plain(r);
    std::vector<std::pair<group_needs, group_place>> running;
    for (int step = 0; step < 120; ++step) {
      if (!running.empty() && random() % 5 < 2) {
        const size_t i = random() % running.size();
        cu.release(running[i].first, running[i].second);
        plain.set(r, running[i].first, running[i].second, false);
        running.erase(running.begin() + long(i));
        continue;
      }
      const group_needs n{1 + unsigned(random() % 16), 1 + unsigned(random() % (random() % 3 ? 40 : 256)), 1 + unsigned(random() % 112), unsigned(random() % 3 ? random() % 4096 : random() % 65537)};
      group_place p;
      const bool room = plain.room(r, n);
      const shortage s = cu.place(n, p);
      BOOST_REQUIRE((s == shortage::none) == room);
      if (s != shortage::none) { ++refused; continue; }
      ++placed;
      plain.set(r, n, p, true);
      running.emplace_back(n, p);
    }
    unsigned waves = 0;
    for (const auto& [n, p] : running) waves += n.waves;
    BOOST_REQUIRE(cu.waves() == waves);
  }
  BOOST_TEST(placed > 1000u);
  BOOST_TEST(refused > 1000u);
}

BOOST_AUTO_TEST_CASE(waves_of_a_group_spread_over_the_simds) {
  cu_occupancy cu{cu_resources{}};
  group_place p;
  BOOST_TEST((cu.place({4, 24, 32, 0}, p) == shortage::none));
  for (unsigned i = 0; i < 4; ++i) {
    BOOST_TEST(p.waves[i].simd == i);
    BOOST_TEST(p.waves[i].slot == 0);
    BOOST_TEST(p.waves[i].vgpr_base == 0);
  }
  BOOST_TEST((cu.place({6, 24, 32, 0}, p) == shortage::none));
  const unsigned simds[] = {0, 1, 2, 3, 0, 1}, bases[] = {24, 24, 24, 24, 48, 48};
  for (unsigned i = 0; i < 6; ++i) {
    BOOST_TEST(p.waves[i].simd == simds[i]);
    BOOST_TEST(p.waves[i].vgpr_base == bases[i]);
  }
  BOOST_TEST((cu.place({1, 24, 32, 0}, p) == shortage::none));
  BOOST_TEST(p.waves[0].simd == 2); // the emptier ones first
}

BOOST_AUTO_TEST_CASE(occupancy_limits_are_the_published_ones) {
  const auto waves_with = [](unsigned vgprs, unsigned sgprs, uint32_t lds) {
    cu_occupancy cu{cu_resources{}};
    group_place p;
    unsigned n = 0;
    while (cu.place({1, vgprs, sgprs, lds}, p) == shortage::none) ++n;
    return n;
  };
  BOOST_TEST(waves_with(24, 16, 0) == 40u);
  BOOST_TEST(waves_with(25, 16, 0) == 36u);  // 28 VGPRs: 9 waves a SIMD
  BOOST_TEST(waves_with(32, 16, 0) == 32u);
  BOOST_TEST(waves_with(64, 16, 0) == 16u);
  BOOST_TEST(waves_with(128, 16, 0) == 8u);
  BOOST_TEST(waves_with(256, 16, 0) == 4u);
  BOOST_TEST(waves_with(4, 80, 0) == 40u);
  BOOST_TEST(waves_with(4, 81, 0) == 32u);   // 96 SGPRs: 8 waves a SIMD
  BOOST_TEST(waves_with(4, 102, 0) == 28u);  // 112 SGPRs: 7
  BOOST_TEST(waves_with(4, 16, 4097) == 14u); // 4608 bytes
  BOOST_TEST(waves_with(4, 16, 65536) == 1u);
}

BOOST_AUTO_TEST_CASE(what_lacks_is_named) {
  const auto lack = [](const group_needs& first, const group_needs& second) {
    cu_occupancy cu{cu_resources{}};
    group_place p;
    while (cu.place(first, p) == shortage::none) {}
    return cu.place(second, p);
  };
  BOOST_TEST((lack({4, 4, 16, 0}, {1, 4, 16, 0}) == shortage::wave_slots));
  BOOST_TEST((lack({4, 128, 16, 0}, {1, 4, 16, 0}) == shortage::vgprs));
  BOOST_TEST((lack({4, 4, 112, 0}, {1, 4, 32, 0}) == shortage::sgprs)); // 16 SGPRs are left
  BOOST_TEST((lack({1, 4, 16, 32768}, {1, 4, 16, 512}) == shortage::lds));
}

BOOST_AUTO_TEST_CASE(a_group_that_can_never_fit_is_told_by_its_reason) {
  const cu_resources r;
  BOOST_TEST(never_fits({16, 64, 48, 65536}, r) == "");
  BOOST_TEST(never_fits({16, 68, 48, 0}, r).find("16 waves of 68 VGPRs") == 0u);
  BOOST_TEST(never_fits({17, 4, 16, 0}, r).find("17 waves") == 0u);
  BOOST_TEST(never_fits({1, 260, 16, 0}, r).find("260 VGPRs") == 0u);
  BOOST_TEST(never_fits({1, 4, 16, 65537}, r).find("66048 bytes of LDS") == 0u);
  // agreement with an empty CU, over everything
  std::mt19937 random(5);
  for (int i = 0; i < 20000; ++i) {
    const group_needs n{1 + unsigned(random() % 16), 1 + unsigned(random() % 256), 1 + unsigned(random() % 112), unsigned(random() % 70000)};
    cu_occupancy cu(r);
    group_place p;
    BOOST_REQUIRE((cu.place(n, p) == shortage::none) == never_fits(n, r).empty());
  }
}

namespace {
std::vector<unsigned> sequence(cu_order::policy p, unsigned cus, unsigned engines, unsigned n, const std::set<unsigned>& full = {}) {
  cu_order o(p, cus, engines);
  std::vector<unsigned> s;
  for (unsigned i = 0; i < n; ++i) {
    const unsigned c = o.next([&](unsigned x) { return !full.count(x); });
    s.push_back(c);
    if (c < cus) o.taken(c);
  }
  return s;
}
} // namespace

BOOST_AUTO_TEST_CASE(order_policies_go_over_the_compute_units_as_named) {
  using policy = cu_order::policy;
  BOOST_TEST((sequence(policy::in_order, 8, 2, 10) == std::vector<unsigned>{0, 1, 2, 3, 4, 5, 6, 7, 0, 1}));
  BOOST_TEST((sequence(policy::in_order, 8, 2, 8, {1, 4}) == std::vector<unsigned>{0, 2, 3, 5, 6, 7, 0, 2}));
  BOOST_TEST((sequence(policy::round_robin, 8, 2, 10) == std::vector<unsigned>{0, 4, 1, 5, 2, 6, 3, 7, 0, 4}));
  BOOST_TEST((sequence(policy::round_robin, 8, 4, 8, {2, 3}) == std::vector<unsigned>{0, 4, 6, 1, 5, 7, 0, 4}));
  BOOST_TEST((sequence(policy::round_robin, 3, 1, 5) == std::vector<unsigned>{0, 1, 2, 0, 1}));
  BOOST_TEST((sequence(policy::in_order, 2, 1, 1, {0, 1}) == std::vector<unsigned>{2})); // none
  // 60 CUs on 4 engines, 64 on 4, 7 on 3: every CU once before any twice
  for (const auto& [cus, engines] : {std::pair{60u, 4u}, {64u, 4u}}) {
    const auto s = sequence(policy::round_robin, cus, engines, cus);
    BOOST_TEST(std::set<unsigned>(s.begin(), s.end()).size() == cus);
  }
}
