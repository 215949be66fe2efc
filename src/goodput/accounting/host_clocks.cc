// Compares the clocks of each attempt by its steps, then those of attempts that must follow each
// other.
#include "goodput/accounting/host_clocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/robust.h"
#include "base/time_units.h"

namespace stepscope::goodput {
namespace {

constexpr int64_t kOff = 10 * kSecond;    // clocks that differ by less are one
constexpr int64_t kSparse = 2 * kMinute;  // steps further apart say little about those between
constexpr int64_t kSamples = 32;          // steps that are compared
constexpr size_t kLookBack = 8;           // attempts of a rank

std::string_view ClockOf(const Run& run) { return run.recording->clock_name(); }

// When the run began the step; between steps that it keeps, by their times.
std::optional<int64_t> TimeOf(const Attempt& attempt, int64_t step) {
  if (step == attempt.told.step) return attempt.told.time;
  const auto [before, after] = attempt.steps.Around(step);
  if (!after) return std::nullopt;
  if (after->step == step) return after->time;
  if (!before || after->time - before->time > kSparse) return std::nullopt;
  const double part =
      static_cast<double>(step - before->step) / static_cast<double>(after->step - before->step);
  const auto span = static_cast<double>(after->time - before->time);
  return before->time + static_cast<int64_t>(part * span);
}

// How much later `run` told the steps that `other` told too; absent: they have too few steps in
// common, or differ now by this and then by that.
std::optional<int64_t> ApartBySteps(const Attempt& run, const Attempt& other) {
  const int64_t first = std::max(run.steps.first().step, other.steps.first().step);
  const int64_t last = std::min(run.told.step, other.told.step);
  std::vector<int64_t> apart;
  int64_t compared = first - 1;
  for (int64_t k = 0; k <= kSamples && first <= last; ++k) {
    int64_t step = first + (last - first) / kSamples * k + (last - first) % kSamples * k / kSamples;
    // The next step that one keeps of each few.
    if (const auto kept = run.steps.Around(step).after; kept && kept->step <= last)
      step = kept->step;
    if (step <= compared) continue;
    compared = step;
    const auto one = TimeOf(run, step), two = TimeOf(other, step);
    if (one && two) apart.push_back(*one - *two);
  }
  if (apart.size() < 2) return std::nullopt;
  const int64_t usual = UpperMedian(apart);
  const auto near =
      std::ranges::count_if(apart, [&](int64_t value) { return std::abs(value - usual) <= kOff; });
  if (3 * near < 2 * std::ssize(apart) || near < 2) return std::nullopt;
  return usual;
}

// A step of the run takes so long on average.
int64_t StepTimeOf(const Attempt& attempt) {
  const int64_t steps = attempt.told.step - attempt.steps.first().step;
  return steps <= 0 ? 0 : (attempt.told.time - attempt.steps.first().time) / steps;
}

// Clocks that are compared, directly or by others.
class Comparison {
 public:
  explicit Comparison(std::span<const Run> runs) {
    for (const Run& run : runs) {
      if (!ClockOf(run).empty()) ++clocks_[std::string(ClockOf(run))].runs;
    }
    size_t number = 0;
    for (auto& [name, clock] : clocks_) clock.island = number++;
  }

  struct Clock {
    int64_t runs = 0;
    size_t island = 0;  // clocks of one are compared
    int64_t move = 0;
  };

  Clock& operator[](std::string_view name) { return clocks_.at(std::string(name)); }
  std::map<std::string, Clock>& clocks() { return clocks_; }

  // `name` must move by `by` more than `other` does, and joins its island.
  void Tie(std::string_view name, std::string_view other, int64_t by) {
    const size_t island = (*this)[name].island, into = (*this)[other].island;
    if (island == into) return;
    const int64_t more = (*this)[other].move + by - (*this)[name].move;
    for (auto& [each, clock] : clocks_) {
      if (clock.island != island) continue;
      clock.island = into;
      clock.move += more;
    }
  }

  // Moves all clocks of an island.
  void Move(size_t island, int64_t by) {
    for (auto& [name, clock] : clocks_) clock.move += clock.island == island ? by : 0;
  }

  // The islands, those of the most runs first, and of those the first ones.
  std::vector<size_t> Islands() const {
    std::map<size_t, int64_t> runs;
    for (const auto& [name, clock] : clocks_) runs[clock.island] += clock.runs;
    std::vector<size_t> islands;
    for (const auto& [island, count] : runs) islands.push_back(island);
    std::ranges::stable_sort(islands, std::greater<>(), [&](size_t i) { return runs[i]; });
    return islands;
  }

  // Of the clocks of an island, that of the most runs stays as it is.
  void KeepTheMost() {
    for (const size_t island : Islands()) {
      std::map<int64_t, int64_t> runs;  // by move
      for (const auto& [name, clock] : clocks_) {
        if (clock.island == island) runs[clock.move] += clock.runs;
      }
      const auto near = [&](int64_t move) {
        int64_t count = 0;
        for (const auto& [other, of_other] : runs) {
          count += std::abs(other - move) <= kOff ? of_other : 0;
        }
        return count;
      };
      const auto most = std::ranges::max_element(runs, {}, [&](const auto& entry) {
        return std::tuple(near(entry.first), entry.first == 0, entry.second);
      });
      Move(island, -most->first);
    }
  }

 private:
  std::map<std::string, Clock> clocks_;
};

// Ties the clocks of ranks that told steps of one attempt. `runs` are by their starts.
void TieBySteps(std::span<const Run> runs, Comparison& clocks) {
  // Of each clock, by name of the attempt and its first step: its lowest rank, and how often.
  using Of = std::pair<const Run*, int64_t>;
  std::map<std::pair<std::string_view, int64_t>, std::map<std::string_view, Of>> alike;
  for (const Run& run : runs) {
    if (!run.steps() || run.rank() == kNoRank || ClockOf(run).empty()) continue;
    auto& [lowest, times] = alike[{run.attempt->id, run.attempt->steps.first().step}][ClockOf(run)];
    if (lowest == nullptr || run.rank() < lowest->rank()) {
      lowest = &run;
      times = 0;
    }
    times += run.rank() == lowest->rank() ? 1 : 0;
  }
  for (const auto& [attempt, by_clock] : alike) {
    if (by_clock.size() < 2) continue;
    const auto& [lead_clock, lead] = *std::ranges::min_element(
        by_clock, {}, [](const auto& entry) { return entry.second.first->rank(); });
    for (const auto& [clock, of_clock] : by_clock) {
      // Of repetitions under one name the first ones are compared, if there are as many.
      const bool same_rank = of_clock.first->rank() == lead.first->rank();
      if (same_rank || of_clock.second != lead.second) continue;
      const Attempt& other = *lead.first->attempt;
      const auto apart = ApartBySteps(*of_clock.first->attempt, other);
      if (!apart) continue;
      const bool off = std::abs(*apart) > std::max(kOff, StepTimeOf(other));
      clocks.Tie(clock, lead_clock, off ? -*apart : 0);
    }
  }
}

// How launchers order two attempts; unordered: they do not tell.
std::partial_ordering OrderOfRestarts(const AttemptName& one, const AttemptName& two) {
  for (const auto part : {&AttemptName::scheduler, &AttemptName::launcher}) {
    const Restarts first = Restarts::Of(one.*part), second = Restarts::Of(two.*part);
    if (first.name != second.name || first.count.has_value() != second.count.has_value())
      return std::partial_ordering::unordered;
    if (first.count != second.count) return first.count <=> second.count;
  }
  return std::partial_ordering::unordered;
}

// Whether `run` went on from a step that `before` made, before that one could have made it.
bool ResumesTooEarly(const Run& before, const Run& run) {
  if (!run.attempt->resumed || !before.steps() || !run.steps()) return false;
  const int64_t first = run.attempt->steps.first().step;
  const auto made = TimeOf(*before.attempt, first - 1);
  return before.attempt->steps.first().step < first && made && run.start() < *made;
}

bool Follows(const Run& before, const Run& run) {
  const std::partial_ordering order = OrderOfRestarts(before.id, run.id);
  return order == std::partial_ordering::less ||
         (order == std::partial_ordering::unordered && ResumesTooEarly(before, run));
}

// The end of `before` is not after the start of `next`.
struct InOrder {
  size_t before = 0, next = 0;  // islands
  int64_t end = 0, start = 0;
};

// What must follow each other, of each rank and of processes without one.
std::vector<InOrder> Orders(std::span<const Run> runs, Comparison& clocks) {
  std::map<int64_t, std::vector<const Run*>> by_rank;
  for (const Run& run : runs) {
    if (!ClockOf(run).empty()) by_rank[run.rank()].push_back(&run);
  }
  std::vector<InOrder> orders;
  const auto add = [&](const Run& before, const Run& next) {
    const auto &one = clocks[ClockOf(before)], &two = clocks[ClockOf(next)];
    if (one.island == two.island || !Follows(before, next)) return;
    const int64_t end = before.steps() ? before.attempt->told.time : before.last();
    orders.push_back({one.island, two.island, end + one.move, next.start() + two.move});
  };
  for (const auto& [rank, of_rank] : by_rank) {
    for (size_t a = 0; a < of_rank.size(); ++a) {
      for (size_t b = a + 1; b < std::min(of_rank.size(), a + 1 + kLookBack); ++b) {
        add(*of_rank[a], *of_rank[b]);
        add(*of_rank[b], *of_rank[a]);
      }
    }
  }
  return orders;
}

// Moves islands so that what must follow follows, by as little as that takes.
void MoveByOrder(std::span<const Run> runs, Comparison& clocks) {
  const std::vector<InOrder> orders = Orders(runs, clocks);
  if (orders.empty()) return;
  std::map<size_t, int64_t> moved;  // the islands that stay where they are now
  for (const size_t island : clocks.Islands()) {
    std::optional<int64_t> least, most;
    for (const InOrder& o : orders) {
      if (o.next == island && moved.contains(o.before)) {
        const int64_t bound = o.end + moved[o.before] - o.start;
        least = std::max(least.value_or(bound), bound);
      }
      if (o.before == island && moved.contains(o.next)) {
        const int64_t bound = o.start + moved[o.next] - o.end;
        most = std::min(most.value_or(bound), bound);
      }
    }
    int64_t by = 0;
    const bool contradict = least && most && *least > *most;
    if (!contradict && least && *least > kOff) by = *least;
    if (!contradict && most && *most < -kOff) by = *most;
    moved[island] = by;
  }
  for (const auto& [island, by] : moved) clocks.Move(island, by);
}

}  // namespace

ClockMoves FindClockMoves(std::span<const Run> runs, Notes& note_counts) {
  Comparison clocks(runs);
  if (clocks.clocks().size() < 2) return {};
  TieBySteps(runs, clocks);
  clocks.KeepTheMost();
  const auto host_of = [&](const std::string& clock) {
    const auto run = std::ranges::find(runs, clock, ClockOf);
    return run->recording->name().host;
  };
  ClockMoves moves;
  const auto take = [&](NoteKind kind) {
    for (const auto& [name, clock] : clocks.clocks()) {
      const int64_t known = moves.contains(name) ? moves[name] : 0;
      if (clock.move == known) continue;
      note_counts.Add(kind, 1,
                      Say("{time} s on {host}", fmt::format("{:+.0f}", Seconds(known - clock.move)),
                          Phrase::Name(host_of(name))));
      moves[name] = clock.move;
    }
  };
  take(NoteKind::kOtherClock);
  MoveByOrder(runs, clocks);
  take(NoteKind::kClockOrder);
  return moves;
}

}  // namespace stepscope::goodput
