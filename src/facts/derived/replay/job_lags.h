// Describes the changes that a replay can make: what each edge and transfer then takes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/time_units.h"
#include "facts/derived/replay/job_replay.h"
#include "facts/derived/replay/own_work.h"
#include "stepscope/phrase.h"

namespace stepscope {

// Factors of edges, transfers and waits; empty lists change nothing. Several changes multiply.
class ChangedLags {
 public:
  explicit ChangedLags(const JobGraph& graph)
      : graph_(graph), changes_(graph.ranks.size()), transfers_(graph.instances.size(), 1) {
    bounds_.fill(1);
  }

  // Every unit of the rank takes as long as `expected` says.
  void TakeUnits(uint32_t rank, const std::vector<int64_t>& expected);
  // Those of the rank's units that are chosen take this share of their time.
  void ScaleUnits(uint32_t rank, std::vector<bool> chosen, double factor);
  // Edges of a rank for which factor(index) is not 1.
  void ScaleEdges(uint32_t rank, const std::function<double(size_t)>& factor);
  // Those of all ranks whose time is spent on it.
  void ScaleBound(Bound bound, double factor) {
    bounds_[static_cast<size_t>(bound)] *= static_cast<float>(factor);
    by_bound_ = true;
  }
  void ScaleTransfers(const std::function<double(const JobInstance&)>& factor);
  // Members of a collective no longer wait for one another: each takes only its transfer.
  void WaitForNobody() { waits_ = false; }

  int64_t Of(uint32_t rank, uint32_t edge) const {
    const JobEdge& e = graph_.ranks[rank].graph.edges[edge];
    const OfRank& changes = changes_[rank];
    if (!changes.any && !by_bound_) return e.lag;
    int64_t lag = Scaled(e.lag, bounds_[static_cast<size_t>(e.bound)]);
    if (!changes.edges.empty()) lag = Scaled(lag, changes.edges[edge]);
    if (changes.units.empty()) return lag;
    const uint32_t unit = graph_.work[rank].unit_of[edge];
    for (const ScaledUnits& units : changes.units) {
      if (unit != kNowhere && units.chosen[unit]) lag = Scaled(lag, units.factor);
    }
    return lag;
  }
  int64_t OfTransfer(const JobMember& member) const {
    return Scaled(member.transfer, transfers_[member.instance]);
  }
  bool Waits(const JobInstance& /*instance*/) const { return waits_; }

 private:
  struct ScaledUnits {
    std::vector<bool> chosen;
    float factor = 1;
  };
  struct OfRank {
    std::vector<float> edges;  // factors; empty: all 1
    std::vector<ScaledUnits> units;
    bool any = false;
  };

  std::vector<float>& EdgesOf(uint32_t rank);
  static int64_t Scaled(int64_t lag, double factor) {
    return factor == 1 ? lag : ToInt64(static_cast<double>(lag) * factor);
  }

  const JobGraph& graph_;
  std::array<float, static_cast<size_t>(Bound::kCount)> bounds_{};
  bool by_bound_ = false;
  std::vector<OfRank> changes_;
  std::vector<float> transfers_;  // by instance
  bool waits_ = true;
};

// Changes that somebody asked for.
struct AskedLags {
  ChangedLags lags;
  // The change that nothing in the recording is concerned by, and why; empty: there is none.
  Phrase absent;
  int64_t saved_by_formula = 0;  // ns per step, beside what the lags save
  // What was assumed where a change is more than other durations; empty: nothing.
  Phrase assumption;
};

// As recorded, but what nothing explains is left out: where work begins, or the host goes on, more
// than 20 us later than usual after all it is known to wait for, it does so as late as usual. How
// far steps then are from what was recorded is the error of a replay; with every residual kept, any
// graph is exact.
class ExplainedLags {
 public:
  explicit ExplainedLags(const JobGraph& graph);

  int64_t Of(uint32_t rank, uint32_t edge) const {
    constexpr int64_t kUnexplained = 20 * kMicrosecond;
    const JobEdge& e = graph_.ranks[rank].graph.edges[edge];
    const auto of = WaitClass(e);
    if (!of) return e.lag;
    const int64_t usual = usual_[rank][*of];
    return e.lag > usual + kUnexplained ? usual : e.lag;
  }
  static int64_t OfTransfer(const JobMember& member) { return member.transfer; }
  static bool Waits(const JobInstance& /*instance*/) { return true; }

 private:
  // 0: edges into the start of work, 1: into the end of a wait of the host; absent: others, which
  // are work themselves.
  static std::optional<size_t> WaitClass(const JobEdge& edge) {
    switch (edge.reason) {
      case Reason::kStream:
      case Reason::kWait:
        if (edge.bound == Bound::kCpu) return std::nullopt;  // of a partial (partial_gaps.h)
        return 0;
      case Reason::kLaunch:
        return 0;
      case Reason::kSync:
        return 1;
      default:
        return std::nullopt;
    }
  }

  const JobGraph& graph_;
  std::vector<std::array<int64_t, 2>> usual_;  // of each rank: before work, and of the host
};

extern template class JobReplay<ChangedLags>;
extern template class JobReplay<ExplainedLags>;

}  // namespace stepscope
