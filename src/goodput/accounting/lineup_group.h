// Defines a group of runs: what the processes of one attempt recorded.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "base/time_units.h"
#include "goodput/accounting/attempt.h"
#include "goodput/accounting/late_rank.h"
#include "goodput/accounting/recording.h"
#include "goodput/accounting/writer.h"

namespace stepscope::goodput {

// Two heartbeats and the clocks of hosts: how long after the last sign a rank may join.
inline constexpr int64_t kLineupSilence = 30 * kSecond;
// Steps for so long after another process began: that one was only replaced.
inline constexpr int64_t kGoesOn = kMinute;

struct Run {
  Attempt* attempt = nullptr;
  const Recording* recording = nullptr;
  AttemptName id;
  const Attempt* recorded = nullptr;  // `attempt` itself, or what it is a copy of with times moved
  int64_t moved = 0;                  // by how much

  int64_t rank() const { return recording->name().rank; }
  bool anonymous() const { return recording->writer().empty(); }
  int64_t start() const { return attempt->start; }
  int64_t last() const { return attempt->last; }
  bool steps() const { return !attempt->steps.empty(); }
  bool StepsAfter(int64_t time) const { return steps() && attempt->told.time > time + kGoesOn; }
};

struct Group {
  std::vector<Run> runs;

  int64_t Last() const { return std::ranges::max(runs, {}, &Run::last).last(); }
  int64_t Start() const { return std::ranges::min(runs, {}, &Run::start).start(); }
  // The run whose course is the attempt's.
  const Run& Lead() const {
    return *std::ranges::min_element(runs, {}, [](const Run& r) {
      return std::tuple(!r.steps(), r.steps() && r.recording->thin(), r.rank());
    });
  }
  // The latest run of the same process or rank.
  const Run* Before(const Run& run) const {
    for (auto r = runs.rbegin(); r != runs.rend(); ++r) {
      const bool same_rank = run.rank() != kNoRank && r->rank() == run.rank();
      if (r->recording == run.recording || same_rank) return &*r;
    }
    return nullptr;
  }
  // Whether the process tells no step, and another of its rank those that `which` says: it was
  // forked from it, as workers of loaders are.
  template <typename Which>
  bool IsHelper(const Run& run, Which which) const {
    return !run.steps() && run.rank() != kNoRank && std::ranges::any_of(runs, [&](const Run& r) {
      return r.rank() == run.rank() && r.steps() && which(r);
    });
  }
};

// The run, of the lowest rank, that went on with steps long after the last sign of this one, as if
// nothing had happened; null: none, so this one's end may be the attempt's.
const Run* NextToTell(const Group& group, const Run& run);

// Who tells the attempt's course: who tells its beginning, if the leader's log lacks it; the
// leader; and, each time a log breaks off, who goes on.
std::vector<Run> Tellers(const Group& group);

// Whether the leader's log begins in the midst of the steps that `first` tells. No: `first` is the
// leader, whose log breaks off, and the other goes on.
bool BeginsLate(const Run& first, const Run& lead);

// The course that several tell, each from the last sign of the one before it on. Sets `known_to` to
// the longest time between two steps that the later ones told, ns.
std::unique_ptr<Attempt> JoinCourses(std::span<const Run> tellers, int64_t& known_to);

// Why the attempt ended and who went first, in the words of JointAttempt; sets its notice, cause,
// reason, first_gone and behind. REQUIRES: the rest of `joint` is set.
void FindCause(const Group& group, JointAttempt& joint);

// Since when others are in a step that the leader did not begin, having ended the one before.
std::optional<int64_t> WaitedSince(const Group& group, const Attempt& lead);

// Absent: no rank takes a twentieth of a step more than the others, or it cannot be told.
std::optional<LateRank> FindLateRank(const Group& group);

}  // namespace stepscope::goodput
