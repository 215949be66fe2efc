// Compares the ranks of each group with one of them, and chains groups by their best pairs.
#include "facts/collectives/clocks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>

#include "base/robust.h"
#include "base/saturate.h"

namespace stepscope {
namespace {

constexpr int64_t kDriftSpan = 10'000'000'000;  // ns; over less, drift is below the noise
constexpr size_t kDriftSamples = 20;
constexpr int64_t kMostOffset = int64_t{1} << 61;
constexpr double kMostDrift = 1e-3;  // a clock further out is no clock
constexpr size_t kFewest = 2;        // common ends that show how they scatter
constexpr int64_t kClearOffset = 4;  // error bars: machines of one name that have two clocks

// A collective that two ranks left together.
struct CommonEnd {
  int64_t time = 0;     // on the clock of the rank compared with
  int64_t apart = 0;    // how much later the other clock says
  int64_t shorter = 0;  // the shorter of both durations
};

// Rank `to` against rank `from`.
struct Comparison {
  uint32_t from = 0, to = 0;
  bool one_clock = false;  // devices of one rank, or ranks of one machine
  bool exchange = false;   // by collectives that do not end quite together
  bool measured = true;    // false: nothing was compared
  int64_t offset = 0, error = 0;
  double drift = 0;
};

// The median slope between samples half the recording apart.
double DriftOf(const std::vector<CommonEnd>& ends) {
  std::vector<double> slopes;
  const size_t half = ends.size() / 2;
  for (size_t i = 0; i + half < ends.size(); ++i) {
    const int64_t passed = Apart(ends[i + half].time, ends[i].time);
    if (passed <= 0) continue;
    slopes.push_back(static_cast<double>(Apart(ends[i + half].apart, ends[i].apart)) /
                     static_cast<double>(passed));
  }
  const double drift = slopes.empty() ? 0 : UpperMedian(slopes);
  return std::abs(drift) <= kMostDrift ? drift : 0;
}

// REQUIRES: `ends` not empty.
void Compare(std::vector<CommonEnd>& ends, int64_t origin, Comparison& c) {
  const auto [first, last] = std::ranges::minmax_element(ends, {}, &CommonEnd::time);
  if (ends.size() >= kDriftSamples && Apart(last->time, first->time) > kDriftSpan) {
    std::ranges::sort(ends, {}, &CommonEnd::time);
    c.drift = DriftOf(ends);
  }
  std::vector<int64_t> offsets;
  offsets.reserve(ends.size());
  for (const CommonEnd& end : ends) {
    offsets.push_back(Apart(end.apart, Drifted(c.drift, end.time, origin)));
  }
  c.offset = UpperMedian(offsets);
  // Neither can have left before the other came: the offset is off by a duration at most.
  c.error = std::ranges::min(ends, {}, &CommonEnd::shorter).shorter;
  if (ends.size() < kFewest) return;
  c.error = std::llround(std::ceil(kDeviationPerMad * static_cast<double>(MadOf(offsets))));
}

// The same for devices of one rank.
void CompareOneClock(const std::vector<CommonEnd>& ends, Comparison& c) {
  std::vector<int64_t> apart;
  apart.reserve(ends.size());
  for (const CommonEnd& end : ends) apart.push_back(std::abs(end.apart));
  c.error = std::llround(std::ceil(kDeviationPerMad * static_cast<double>(UpperMedian(apart))));
}

// The same for ranks of machines with one name, which says little: many are "localhost".
void CompareOneMachine(std::vector<CommonEnd>& ends, int64_t origin, Comparison& c) {
  int64_t closest = INT64_MAX;
  for (const CommonEnd& end : ends) closest = std::min(closest, std::abs(end.apart));
  Compare(ends, origin, c);
  if (closest > c.error && std::abs(c.offset) / kClearOffset > c.error) return;
  c.one_clock = true;
  c.offset = 0;
  c.drift = 0;
  c.error = closest;
}

class Aligner {
 public:
  explicit Aligner(const CollectiveFacts& facts)
      : facts_(facts), ends_(facts.ranks.size()), counts_(facts.ranks.size(), 0) {}

  std::vector<Clock> Align() {
    for (const CollectivePart& part : facts_.parts) origin_ = std::min(origin_, part.start);
    for (const bool exchange : {false, true}) {
      for (size_t m = 0; m < facts_.matches.size();) {
        size_t end = m;
        while (end < facts_.matches.size() && facts_.matches[end].group == facts_.matches[m].group)
          ++end;
        CompareGroup({facts_.matches.data() + m, end - m}, exchange);
        m = end;
      }
    }
    CompareNeighbors();
    Join();
    return Chain();
  }

 private:
  using Matches = std::span<const CollectiveMatch>;

  static bool Counts(const CollectiveMatch& match, bool exchange) {
    return match.Matched() && Synchronizes(match.op) && EndsTogether(match.op) != exchange;
  }

  // The rank with the most collectives in the group.
  uint32_t ChooseReference(Matches matches, bool exchange) {
    std::vector<uint32_t> met;
    for (const CollectiveMatch& match : matches) {
      if (!Counts(match, exchange)) continue;
      for (const CollectivePart& part : facts_.Parts(match)) {
        if (counts_[part.rank]++ == 0) met.push_back(part.rank);
      }
    }
    uint32_t reference = kNobody;
    std::ranges::sort(met);
    for (const uint32_t rank : met) {
      if (reference == kNobody || counts_[rank] > counts_[reference]) reference = rank;
    }
    for (const uint32_t rank : met) counts_[rank] = 0;
    return reference;
  }

  void CompareGroup(Matches matches, bool exchange) {
    const uint32_t reference = ChooseReference(matches, exchange);
    if (reference == kNobody) return;
    std::vector<uint32_t> met;
    for (const CollectiveMatch& match : matches) {
      if (!Counts(match, exchange)) continue;
      const auto parts = facts_.Parts(match);
      const auto own = std::ranges::find(parts, reference, &CollectivePart::rank);
      if (own == parts.end()) continue;
      for (const CollectivePart& part : parts) {
        if (part.rank == reference) continue;
        if (ends_[part.rank].empty()) met.push_back(part.rank);
        ends_[part.rank].push_back(
            {own->end, Apart(part.end, own->end), std::min(part.duration(), own->duration())});
      }
    }
    for (const uint32_t rank : met) {
      const bool one_clock = facts_.ranks[rank].rank == facts_.ranks[reference].rank;
      Comparison& c = comparisons_.emplace_back(
          Comparison{.from = reference, .to = rank, .one_clock = one_clock, .exchange = exchange});
      if (one_clock)
        CompareOneClock(ends_[rank], c);
      else if (OnOneMachine(facts_.ranks[rank], facts_.ranks[reference]))
        CompareOneMachine(ends_[rank], origin_, c);
      else
        Compare(ends_[rank], origin_, c);
      ends_[rank].clear();
    }
  }

  // Devices of one rank have one clock even if no collective joins them, and so have the ranks of
  // one machine, where nothing contradicts.
  void CompareNeighbors() {
    std::map<std::string_view, uint32_t> last_of_machine;
    for (uint32_t r = 0; r < facts_.ranks.size(); ++r) {
      const RankCollectives& rank = facts_.ranks[r];
      if (r > 0 && rank.rank == facts_.ranks[r - 1].rank) {
        comparisons_.push_back(
            {.from = r - 1, .to = r, .one_clock = true, .exchange = true, .measured = false});
      } else if (const auto [at, is_first] = last_of_machine.try_emplace(rank.machine, r);
                 !is_first && !rank.machine.empty()) {
        comparisons_.push_back({.from = at->second, .to = r, .exchange = true, .measured = false});
        at->second = r;
      }
    }
  }

  // A spanning forest of the best comparisons.
  void Join() {
    std::ranges::sort(comparisons_, {}, [](const Comparison& c) {
      return std::tuple(!c.one_clock, c.exchange, !c.measured, c.error, c.from, c.to);
    });
    std::vector<uint32_t> parent(facts_.ranks.size());
    std::iota(parent.begin(), parent.end(), 0u);
    const auto root = [&](uint32_t rank) {
      while (parent[rank] != rank) rank = parent[rank] = parent[parent[rank]];
      return rank;
    };
    std::erase_if(comparisons_, [&](const Comparison& c) {
      const uint32_t from = root(c.from), to = root(c.to);
      parent[from] = to;
      return from == to;
    });
  }

  // Walks each tree from its lowest rank. Offsets, drifts and errors add up along the way.
  std::vector<Clock> Chain() const {
    struct Edge {
      uint32_t to;
      int64_t offset, error;
      double drift;
    };
    std::vector<std::vector<Edge>> edges(facts_.ranks.size());
    for (const Comparison& c : comparisons_) {
      edges[c.from].push_back({c.to, c.offset, c.error, c.drift});
      edges[c.to].push_back({c.from, -c.offset, c.error, -c.drift});
    }
    std::vector<Clock> clocks(facts_.ranks.size());
    std::vector<uint32_t> open;
    for (uint32_t start = 0; start < clocks.size(); ++start) {
      if (clocks[start].known || edges[start].empty()) continue;
      clocks[start] = {.known = true, .reference = start, .origin = origin_};
      open.push_back(start);
      while (!open.empty()) {
        const uint32_t at = open.back();
        open.pop_back();
        for (const Edge& edge : edges[at]) {
          if (clocks[edge.to].known) continue;
          const Clock& from = clocks[at];
          clocks[edge.to] = {
              .known = true,
              .reference = start,
              .offset = std::clamp(from.offset + edge.offset, -kMostOffset, kMostOffset),
              .drift = std::clamp(from.drift + edge.drift, -kMostDrift, kMostDrift),
              .origin = origin_,
              .error = AddSaturated(from.error, edge.error)};
          open.push_back(edge.to);
        }
      }
    }
    return clocks;
  }

  const CollectiveFacts& facts_;
  int64_t origin_ = INT64_MAX;
  std::vector<std::vector<CommonEnd>> ends_;  // by rank, of the group that is compared
  std::vector<int64_t> counts_;               // by rank, likewise
  std::vector<Comparison> comparisons_;
};

}  // namespace

std::vector<Clock> AlignClocks(const CollectiveFacts& facts) { return Aligner(facts).Align(); }

}  // namespace stepscope
