// Collects the steps of each device by number, and finds the change points.
#include "facts/derived/steps/step_changes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/change_point.h"
#include "base/distribution.h"
#include "base/rise.h"
#include "base/robust.h"
#include "base/saturate.h"
#include "facts/steps/step_use.h"

namespace stepscope {
namespace {

// Values by step number, ascending.
struct Numbered {
  std::vector<int64_t> steps, values;

  void Add(int64_t step, int64_t value) {
    steps.push_back(step);
    values.push_back(value);
  }
};

constexpr double kAlso = 1.0 / 3;    // of the largest rise
constexpr double kClearly = 2;       // times the level before, where values scatter
constexpr double kApart = 1.25;      // the same where no value before is as high as one since
constexpr double kBetween = 1.15;    // of the highest before, the lowest since
constexpr size_t kFewestApart = 4;   // values on each side, then
constexpr double kMostSteps = 0.75;  // of the steps of the rank that has most

constexpr size_t kParts = static_cast<size_t>(StepQuantity::kCount);
using Parts = std::array<Numbered, kParts>;

// What of base/change_point.h and base/rise.h finds a change.
enum class Search : uint8_t { kChangePoint, kRise, kSpell, kApart };

class Collector {
 public:
  Collector(std::span<const RankSteps> ranks, bool on_host) : ranks_(ranks), on_host_(on_host) {
    CollectTimes();
  }

  StepChanges Find() {
    StepChanges changes{.lacks_ranks = lacks_ranks_, .median = median_, .steps = times_.steps};
    Search search = Search::kChangePoint;
    for (const Search next :
         {Search::kChangePoint, Search::kRise, Search::kSpell, Search::kApart}) {
      if (changes.Told() != nullptr) break;
      search = next;
      (search == Search::kSpell ? changes.spell : changes.step_time) =
          Find(search, StepQuantity::kStepTime, times_, -1, -1);
      if (changes.step_time && MayBeLoad(*changes.step_time)) changes.step_time.reset();
    }
    for (const RankSteps& rank : ranks_) CollectParts(rank);
    for (const auto& [key, parts] : parts_) {
      for (size_t q = 0; q < kParts; ++q) {
        const auto quantity = static_cast<StepQuantity>(q);
        auto change = Find(Search::kChangePoint, quantity, parts[q], key.first, key.second);
        if (!change && changes.Told() != nullptr)  // where step time scatters, so do parts of it
          change = Find(search, quantity, parts[q], key.first, key.second);
        if (!change && changes.Told() != nullptr && search == Search::kApart)
          change = Around(*changes.Told(), quantity, parts[q], key.first, key.second);
        if (change) changes.parts.push_back(*change);
      }
    }
    if (changes.Told() != nullptr && !AnyRises(changes)) AddAround(changes);
    BeginWithPart(changes);
    for (size_t q = 0; q < kParts; ++q) {
      const StepChange* largest = changes.LargestRise(static_cast<StepQuantity>(q));
      if (largest != nullptr)
        changes.parts[static_cast<size_t>(largest - changes.parts.data())].also =
            CountAlso(*largest);
    }
    return changes;
  }

 private:
  // The ranks that recorded most of the steps that any has. Steps are synchronized: a trace that
  // ends early hides no change.
  std::set<int64_t> RanksWithMostSteps() const {
    std::map<int64_t, int64_t> counts;
    int64_t most = 0;
    for (const RankSteps& rank : ranks_)
      most = std::max(most, counts[rank.rank->rank] += std::ssize(rank.steps));
    std::set<int64_t> numbers;
    for (const auto& [rank, count] : counts) {
      if (static_cast<double>(count) >= kMostSteps * static_cast<double>(most))
        numbers.insert(rank);
    }
    return numbers;
  }

  // Of steps that some ranks did not record the mean would change with the ranks: only steps of all
  // these ranks count.
  void CollectTimes() {
    struct Sum {
      int64_t time = 0, ranks = 0;
    };
    std::map<int64_t, Sum> sums;
    const std::set<int64_t> numbers = RanksWithMostSteps();
    for (const RankSteps& rank : ranks_) {
      if (!numbers.contains(rank.rank->rank)) {
        lacks_ranks_ = true;
        continue;
      }
      for (const StepBreakdown& step : rank.steps) {
        Sum& sum = sums[step.window.number];
        sum.time = AddSaturated(sum.time, step.Total());
        ++sum.ranks;
      }
    }
    for (const auto& [number, sum] : sums) {
      if (sum.ranks == std::ssize(numbers)) times_.Add(number, sum.time / sum.ranks);
    }
    std::vector<int64_t> sorted = times_.values;
    median_ = Describe(sorted).p50;
    least_ = kLeastStepChange * static_cast<double>(median_);
    limits_ = {.least = least_, .times = kClearly};
  }

  bool MayBeLoad(const StepChange& change) const {
    const auto [low, high] = std::minmax(change.before, change.after);
    return on_host_ && change.steps_after < kFewestSince &&
           static_cast<double>(high) < kApart * static_cast<double>(low);
  }

  bool Counts(int64_t step) const { return std::ranges::binary_search(times_.steps, step); }

  // Recordings of one rank follow one another.
  void CollectParts(const RankSteps& rank) {
    std::vector<StepWindow> windows;
    for (const StepBreakdown& step : rank.steps) windows.push_back(step.window);
    const auto uses = UseOfDevices(*rank.rank, windows);
    Parts& own = parts_[{rank.rank->rank, -1}];
    for (size_t s = 0; s < windows.size(); ++s) {
      if (!Counts(windows[s].number)) continue;
      At(own, StepQuantity::kInput)
          .Add(windows[s].number, TimeOf(rank.steps[s], StepCategory::kInput));
      At(own, StepQuantity::kOther)
          .Add(windows[s].number, TimeOf(rank.steps[s], StepCategory::kOther));
    }
    for (size_t d = 0; d < uses.size(); ++d) {
      const bool only = uses.size() == 1;
      Parts& device = only ? own : parts_[{rank.rank->rank, rank.rank->devices[d]}];
      for (size_t s = 0; s < windows.size(); ++s) {
        if (Counts(windows[s].number)) AddUse(device, windows[s].number, uses[d][s]);
      }
    }
  }

  static Numbered& At(Parts& parts, StepQuantity quantity) {
    return parts[static_cast<size_t>(quantity)];
  }
  static void AddUse(Parts& parts, int64_t step, const StepUse& use) {
    At(parts, StepQuantity::kCompute).Add(step, use.compute);
    At(parts, StepQuantity::kIdle).Add(step, use.idle);
    At(parts, StepQuantity::kExposed).Add(step, use.exposed);
  }

  // What a rank does behind the last collective of a step makes its own step longer, and those of
  // the ranks that wait for it from the next one on: step time changes where the rank's does.
  static void BeginWithPart(StepChanges& changes) {
    constexpr double kMost = 0.5;
    if (!changes.step_time || changes.step_time->Difference() <= 0) return;
    StepChange& told = *changes.step_time;
    const auto is_behind = [&](const StepChange& part) {
      const bool of_rank = part.quantity == StepQuantity::kCompute ||
                           part.quantity == StepQuantity::kInput ||
                           part.quantity == StepQuantity::kOther;
      return of_rank && part.since == told.last_before &&
             static_cast<double>(part.Difference()) >=
                 kMost * static_cast<double>(told.Difference());
    };
    const auto at = std::ranges::lower_bound(changes.steps, told.last_before);
    const bool any_before = at != changes.steps.begin() && at != changes.steps.end();
    if (!any_before || std::ranges::none_of(changes.parts, is_behind)) return;
    told.since = told.last_before;
    told.last_before = *std::prev(at);
    ++told.steps_after;
    if (told.steps_before > 1) --told.steps_before;
  }

  // The last step of the level since the change, where it ends before the steps do.
  static std::optional<int64_t> LastOf(const ChangePoint& change, const Numbered& numbered) {
    constexpr size_t kFewest = 2;
    const double middle = (change.before + change.since) / 2;
    const bool rises = change.since > change.before;
    size_t end = numbered.values.size();
    while (end > change.at && (static_cast<double>(numbered.values[end - 1]) < middle) == rises)
      --end;
    const bool ends = end > change.at && end + kFewest <= numbered.values.size();
    return ends ? std::optional(numbered.steps[end - 1]) : std::nullopt;
  }

  std::optional<StepChange> Find(Search search, StepQuantity quantity, const Numbered& numbered,
                                 int64_t rank, int64_t device) const {
    StepChange change{.quantity = quantity, .rank = rank, .device = device};
    const auto fill = [&](size_t at, size_t before_count, double before, double since) {
      change.since = numbered.steps[at];
      change.last_before = numbered.steps[at - 1];
      change.before = RoundToInt64(before);
      change.after = RoundToInt64(since);
      change.steps_before = static_cast<int64_t>(before_count);
      change.steps_after = std::ssize(numbered.values) - static_cast<int64_t>(at);
    };
    if (search == Search::kChangePoint) {
      const auto point = FindChangePoint(numbered.values, least_);
      if (!point) return std::nullopt;
      fill(point->at, point->before_count, point->before, point->since);
      change.until = LastOf(*point, numbered);
      return change;
    }
    const auto rise = search == Search::kRise    ? FindRise(numbered.values, limits_)
                      : search == Search::kSpell ? FindSpell(numbered.values, limits_)
                                                 : FindApart(numbered.values);
    if (!rise) return std::nullopt;
    fill(rise->at, rise->at, rise->before, rise->since);
    if (rise->end < numbered.steps.size()) change.until = numbered.steps[rise->end - 1];
    return change;
  }

  // The values of steps before this one, and since it.
  static std::pair<std::vector<double>, std::vector<double>> SplitAt(int64_t step,
                                                                     const Numbered& numbered) {
    std::pair<std::vector<double>, std::vector<double>> sides;
    for (size_t s = 0; s < numbered.steps.size(); ++s)
      (numbered.steps[s] < step ? sides.first : sides.second)
          .push_back(static_cast<double>(numbered.values[s]));
    return sides;
  }

  // What rises with step time by a good part of that, though it scatters too much to find it alone.
  static std::optional<StepChange> Around(const StepChange& told, StepQuantity quantity,
                                          const Numbered& numbered, int64_t rank, int64_t device) {
    auto [before, since] = SplitAt(told.since, numbered);
    if (before.empty() || since.empty()) return std::nullopt;
    StepChange change = told;
    change.quantity = quantity;
    change.rank = rank;
    change.device = device;
    change.steps_before = std::ssize(before);
    change.steps_after = std::ssize(since);
    change.before = RoundToInt64(Median(std::move(before)));
    change.after = RoundToInt64(Median(std::move(since)));
    const bool much =
        static_cast<double>(change.Difference()) >= kAlso * static_cast<double>(told.Difference());
    return much ? std::optional(change) : std::nullopt;
  }

  static bool AnyRises(const StepChanges& changes) {
    for (size_t q = 0; q < kParts; ++q) {
      if (changes.LargestRise(static_cast<StepQuantity>(q)) != nullptr) return true;
    }
    return false;
  }

  // Where none has a change of its own.
  void AddAround(StepChanges& changes) const {
    const StepChange told = *changes.Told();
    for (const auto& [key, parts] : parts_) {
      for (size_t q = 0; q < kParts; ++q) {
        const auto quantity = static_cast<StepQuantity>(q);
        if (quantity == StepQuantity::kStepTime) continue;
        if (auto change = Around(told, quantity, parts[q], key.first, key.second))
          changes.parts.push_back(*change);
      }
    }
    std::ranges::sort(changes.parts, {},
                      [](const StepChange& c) { return std::tuple(c.rank, c.device, c.quantity); });
  }

  // A rise for good with a gap between the levels.
  std::optional<stepscope::Rise> FindApart(std::span<const int64_t> values) const {
    const auto rise = FindRise(values, {.least = least_, .times = kApart});
    if (!rise || rise->end < values.size()) return std::nullopt;
    const auto before = values.first(rise->at), since = values.subspan(rise->at);
    const bool enough = std::min(before.size(), since.size()) >= kFewestApart;
    const auto highest = static_cast<double>(std::ranges::max(before));
    const auto lowest = static_cast<double>(std::ranges::min(since));
    return enough && lowest >= kBetween * highest ? rise : std::nullopt;
  }

  int64_t CountAlso(const StepChange& change) const {
    const auto rises = [&](const auto& entry) {
      const auto& [key, parts] = entry;
      if (key == std::pair(change.rank, change.device)) return false;
      const auto [before, since] =
          SplitAt(change.since, parts[static_cast<size_t>(change.quantity)]);
      return !before.empty() && !since.empty() &&
             Median(since) - Median(before) >= kAlso * static_cast<double>(change.Difference());
    };
    return std::ranges::count_if(parts_, rises);
  }

  std::span<const RankSteps> ranks_;
  bool on_host_ = false;
  Numbered times_;
  bool lacks_ranks_ = false;
  int64_t median_ = 0;
  double least_ = 0;
  RiseLimits limits_;
  std::map<std::pair<int64_t, int64_t>, Parts> parts_;  // by rank and device
};

StepChanges FindStepChanges(const Facts& facts) {
  const std::vector<RankSteps>& ranks = RankStepsOf(facts);
  if (ranks.empty() || ranks.front().whole_recording) return {};
  return Collector(ranks, facts.OnHost()).Find();
}

TypicalSteps FindTypicalStepsOf(const Facts& facts) {
  const std::optional<StepChange>& change = StepChangesOf(facts).step_time;
  return FindTypicalSteps(RankStepsOf(facts), change ? std::optional(change->since) : std::nullopt);
}

// Those whose number `counts` holds for, of ranks that have any.
template <class Counts>
std::vector<RankSteps> StepsThat(std::vector<RankSteps> ranks, const Counts& counts) {
  for (RankSteps& own : ranks)
    std::erase_if(own.steps, [&](const StepBreakdown& s) { return !counts(s.window.number); });
  std::erase_if(ranks, [](const RankSteps& own) { return own.steps.empty(); });
  return ranks;
}

std::vector<RankSteps> FindStepsToMend(const Facts& facts) {
  const std::vector<RankSteps>& ranks = TypicalStepsOf(facts).ranks;
  const std::optional<int64_t> since = SinceRise(facts);
  return since ? StepsSince(ranks, *since) : ranks;
}

}  // namespace

std::string_view StepQuantityName(StepQuantity quantity) {
  constexpr std::array<std::string_view, kParts> kNames = {
      "step time", "compute", "input wait", "all others", "idle", "exposed communication"};
  return kNames[static_cast<size_t>(quantity)];
}

const StepChange* StepChanges::Rise(StepQuantity quantity, int64_t rank, int64_t device) const {
  const auto is_it = [&](const StepChange& c) {
    return c.quantity == quantity && c.rank == rank && c.Difference() > 0 &&
           (device == -1 || c.device == -1 || c.device == device);
  };
  const auto at = std::ranges::find_if(parts, is_it);
  return at == parts.end() ? nullptr : &*at;
}

bool StepChanges::AreNear(int64_t a, int64_t b) const {
  return std::abs(std::ranges::lower_bound(steps, a) - std::ranges::lower_bound(steps, b)) <= 1;
}

std::vector<int64_t> StepChanges::StretchOf(const StepChange& change) const {
  if (!change.until) return {};
  return {std::ranges::lower_bound(steps, change.since),
          std::ranges::upper_bound(steps, *change.until)};
}

const StepChange* StepChanges::LargestRise(StepQuantity quantity) const {
  const StepChange* const told = Told();
  const StepChange* largest = nullptr;
  for (const StepChange& c : parts) {
    if (told == nullptr || c.quantity != quantity || c.Difference() <= 0) continue;
    // The same host event can reach a device a step earlier or later.
    if (!AreNear(c.since, told->since)) continue;
    if (largest == nullptr || c.Difference() > largest->Difference()) largest = &c;
  }
  return largest;
}

const StepChanges& StepChangesOf(const Facts& facts) {
  return facts.memo.Of<FindStepChanges>(facts);
}

const TypicalSteps& TypicalStepsOf(const Facts& facts) {
  return facts.memo.Of<FindTypicalStepsOf>(facts);
}

const std::vector<RankSteps>& StepsToMend(const Facts& facts) {
  return facts.memo.Of<FindStepsToMend>(facts);
}

std::optional<int64_t> SinceRise(const Facts& facts) {
  const std::optional<StepChange>& change = StepChangesOf(facts).step_time;
  return change && change->Difference() > 0 ? std::optional(change->since) : std::nullopt;
}

std::vector<RankSteps> StepsSince(std::vector<RankSteps> ranks, int64_t since) {
  return StepsThat(std::move(ranks), [&](int64_t step) { return step >= since; });
}

std::vector<RankSteps> StepsBefore(std::vector<RankSteps> ranks, int64_t since) {
  return StepsThat(std::move(ranks), [&](int64_t step) { return step < since; });
}

}  // namespace stepscope
