// Asks replays what each suspect costs.
#include "facts/derived/replay/origins.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "base/change_point.h"
#include "base/robust.h"
#include "facts/derived/replay/job_lags.h"

namespace stepscope {
namespace {

constexpr double kFarBeyond = 6;        // deviations of all excesses
constexpr double kLeastExcess = 0.005;  // of a step
constexpr double kLeastCost = 0.03;     // of a step
constexpr double kBeyondError = 3;      // standard errors of what it saves
constexpr double kMostSteps = 0.75;     // that it saves something in
constexpr size_t kMostSuspects = 8;
constexpr size_t kLeastSteps = 3;
constexpr double kOfUnits = 0.3;  // of what units take, that they grew by
constexpr double kOfExcess = 0.5;
constexpr double kMuchLonger = 0.5;  // of all that a rank does itself
constexpr size_t kLeastSince = 4;    // steps in which they do
constexpr size_t kEnoughBefore = 4;  // steps, to compare a rank with itself

struct Suspect {
  uint32_t rank = 0;
  size_t first = 0;               // the first step that is late, index into JobGraph::steps
  std::vector<int64_t> expected;  // of each of its units, ns
  bool of_one_name = false;       // only units of one name should take less
  bool as_before = false;         // these are from its own earlier steps, not from its peers
  int64_t excess = 0;             // ns, of all steps since
};

class Finder {
 public:
  explicit Finder(const Facts& facts) : graph_(JobGraphOf(facts)), work_(OwnWorkOf(facts)) {}

  Origins Find() {
    out_.recorded = StepLengths(graph_, RecordedTimes(graph_));
    if (graph_.steps.size() < kLeastSteps) return std::move(out_);
    usual_step_ = Median(std::vector<double>(out_.recorded.begin(), out_.recorded.end()));
    std::vector<Suspect> suspects = Suspects();
    std::vector<int64_t> before = StepLengths(graph_, ReplayJob(graph_, RecordedLags{&graph_}));
    ChangedLags taken(graph_);
    while (!suspects.empty()) {
      Origin most = Ask(taken, before, suspects.front());
      size_t at = 0;
      for (size_t i = 1; i < suspects.size(); ++i) {
        Origin origin = Ask(taken, before, suspects[i]);
        if (Sum(origin.saved) <= Sum(most.saved)) continue;
        most = std::move(origin);
        at = i;
      }
      if (!out_.found.empty() && most.as_before)  // chance makes all ranks slower now and then
        most.costs = most.costs && 2 * Sum(most.saved) > Sum(out_.found.front().saved);
      taken.TakeUnits(work_[suspects[at].rank], suspects[at].rank, suspects[at].expected);
      suspects.erase(suspects.begin() + static_cast<std::ptrdiff_t>(at));
      for (size_t s = 0; s < before.size(); ++s)
        before[s] = SubtractSaturated(before[s], most.saved[s]);
      out_.found.push_back(std::move(most));
    }
    return std::move(out_);
  }

 private:
  static double Sum(const std::vector<int64_t>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
  }

  // ns beyond what is expected, of each step.
  std::vector<int64_t> Beyond(uint32_t rank, const std::vector<int64_t>& expected) const {
    std::vector<int64_t> beyond(graph_.steps.size(), 0);
    const std::vector<OwnUnit>& units = work_[rank].units;
    for (size_t u = 0; u < units.size(); ++u) {
      int64_t& sum = beyond[units[u].step];
      sum = AddSaturated(sum, SubtractSaturated(units[u].time, expected[u]));
    }
    return beyond;
  }

  std::vector<int64_t> AsPeers(uint32_t rank) const {
    std::vector<int64_t> expected;
    for (const OwnUnit& unit : work_[rank].units)
      expected.push_back(TimeOfPeers(work_, rank, unit));
    return expected;
  }

  // Since a step, the median of the steps before: 0 of what few of them have.
  std::vector<int64_t> AsBefore(uint32_t rank, size_t first) const {
    std::map<uint64_t, std::vector<double>> before;
    for (const OwnUnit& unit : work_[rank].units) {
      if (unit.step < first) before[unit.key].push_back(static_cast<double>(unit.time));
    }
    std::map<uint64_t, int64_t> usual;
    for (auto& [key, times] : before) {
      times.resize(first, 0);
      usual[key] = ToInt64(Median(times));
    }
    std::vector<int64_t> expected;
    for (const OwnUnit& unit : work_[rank].units) {
      const auto known = usual.find(unit.key);
      const int64_t now = known == usual.end() ? 0 : known->second;
      expected.push_back(unit.step < first ? unit.time : now);
    }
    return expected;
  }

  std::optional<ChangePoint> RiseIn(const std::vector<int64_t>& values) const {
    auto change = FindChangePoint(values, kLeastExcess * usual_step_);
    if (change && change->Difference() <= 0) change.reset();
    return change;
  }

  // Units of one name that take longer since a step, all together.
  struct Rise {
    UnitKind kind = UnitKind::kDevice;
    StringId name = kNoString;
    size_t at = 0;  // index into JobGraph::steps
    double by = 0;  // ns
  };

  // The units of the rank that grew most: by much of what they take, in four steps or more.
  std::optional<Rise> OwnRise(uint32_t rank) const {
    std::map<std::pair<UnitKind, StringId>, std::vector<int64_t>> series;
    for (const OwnUnit& unit : work_[rank].units) {
      std::vector<int64_t>& values = series[{unit.kind, unit.name}];
      values.resize(graph_.steps.size(), 0);
      values[unit.step] = AddSaturated(values[unit.step], unit.time);
    }
    std::optional<Rise> most;
    for (const auto& [of, values] : series) {
      const auto change = RiseIn(values);
      if (!change || change->Difference() < kOfUnits * change->since) continue;
      if (values.size() - change->at < kLeastSince) continue;
      if (!most || change->Difference() > most->by)
        most = {of.first, of.second, change->at, change->Difference()};
    }
    return most;
  }

  // Whether ranks with the same work grew alike: that is no lateness.
  bool IsShared(uint32_t rank, const Rise& rise,
                const std::vector<std::optional<Rise>>& rises) const {
    return std::ranges::any_of(work_[rank].peers, [&](uint32_t peer) {
      const std::optional<Rise>& other = rises[peer];
      return peer != rank && other && other->kind == rise.kind && other->name == rise.name &&
             2 * other->by > rise.by &&
             std::max(other->at, rise.at) - std::min(other->at, rise.at) <= 1;
    });
  }

  // Whether everything takes somewhat longer, as where a machine is busy with something else, and
  // not most of it what rose.
  bool MayBeLoad(const Rise& rise, const Suspect& own) const {
    const std::vector<OwnUnit>& units = work_[own.rank].units;
    double now = 0, expected = 0;
    for (size_t u = 0; u < units.size(); ++u) {
      if (units[u].step < own.first) continue;
      now += static_cast<double>(units[u].time);
      expected += static_cast<double>(own.expected[u]);
    }
    const auto steps = static_cast<double>(graph_.steps.size() - own.first);
    const double excess = now - expected;
    return rise.by * steps < kOfExcess * excess && excess < kMuchLonger * expected;
  }

  // Ranks that take far longer than their peers, compared with these.
  std::vector<Suspect> BeyondPeers() const {
    std::vector<std::vector<int64_t>> beyond(work_.size());
    std::vector<std::vector<int64_t>> expected(work_.size());
    std::vector<double> all;
    for (uint32_t r = 0; r < work_.size(); ++r) {
      if (!work_[r].HasPeers()) continue;
      expected[r] = AsPeers(r);
      beyond[r] = Beyond(r, expected[r]);
      for (const int64_t excess : beyond[r]) all.push_back(static_cast<double>(excess));
    }
    const double noise = all.empty() ? 0 : kDeviationPerMad * MadOf(all);
    const double least = std::max(kFarBeyond * noise, kLeastExcess * usual_step_);
    std::vector<Suspect> found;
    for (uint32_t r = 0; r < work_.size(); ++r) {
      if (beyond[r].empty() || static_cast<double>(std::ranges::max(beyond[r])) <= least) continue;
      const auto change = RiseIn(beyond[r]);
      found.push_back(
          {.rank = r, .first = change ? change->at : 0, .expected = std::move(expected[r])});
    }
    return found;
  }

  // Of a rank with peers: the units of one name that take far longer in all steps, the most of
  // them; only these are then expected to be as on the peers. Absent: none do.
  std::optional<Suspect> AlwaysLonger(uint32_t rank) const {
    if (!work_[rank].HasPeers()) return std::nullopt;
    const std::vector<OwnUnit>& units = work_[rank].units;
    std::vector<int64_t> peers = AsPeers(rank);
    std::map<std::pair<UnitKind, StringId>, std::vector<double>> series;
    for (size_t u = 0; u < units.size(); ++u) {
      std::vector<double>& values = series[{units[u].kind, units[u].name}];
      values.resize(graph_.steps.size(), 0);
      values[units[u].step] += static_cast<double>(SubtractSaturated(units[u].time, peers[u]));
    }
    std::pair<UnitKind, StringId> most;
    double longest = kLeastCost * usual_step_;
    for (auto& [of, values] : series) {
      const double usual = Median(values);
      if (usual <= longest || usual < kFarBeyond * kDeviationPerMad * MadOf(values)) continue;
      longest = usual;
      most = of;
    }
    if (longest == kLeastCost * usual_step_) return std::nullopt;
    Suspect suspect{.rank = rank, .of_one_name = true};
    for (size_t u = 0; u < units.size(); ++u) {
      const bool same = std::pair(units[u].kind, units[u].name) == most;
      suspect.expected.push_back(same ? peers[u] : units[u].time);
    }
    return suspect;
  }

  std::vector<Suspect> Suspects() const {
    std::vector<Suspect> found = BeyondPeers();
    for (uint32_t r = 0; r < work_.size(); ++r) {
      if (std::ranges::find(found, r, &Suspect::rank) != found.end()) continue;
      if (auto suspect = AlwaysLonger(r)) found.push_back(std::move(*suspect));
    }
    std::vector<std::optional<Rise>> rises;
    for (uint32_t r = 0; r < work_.size(); ++r) rises.push_back(OwnRise(r));
    for (uint32_t r = 0; r < work_.size(); ++r) {
      const auto known = std::ranges::find(found, r, &Suspect::rank);
      const std::optional<Rise>& rise = rises[r];
      if (!rise || IsShared(r, *rise, rises)) continue;
      const bool always = known != found.end() && known->first < kEnoughBefore;
      if (always && !known->of_one_name) continue;
      Suspect own{.rank = r, .first = rise->at, .as_before = true};
      own.expected = AsBefore(r, own.first);
      if (MayBeLoad(*rise, own)) continue;
      if (known == found.end()) {
        found.push_back(std::move(own));
      } else {
        *known = std::move(own);
      }
    }
    for (Suspect& suspect : found) {
      const std::vector<int64_t> late = Beyond(suspect.rank, suspect.expected);
      for (size_t s = suspect.first; s < late.size(); ++s)
        suspect.excess = AddSaturated(suspect.excess, std::max<int64_t>(late[s], 0));
    }
    std::ranges::stable_sort(found, std::ranges::greater{}, &Suspect::excess);
    if (found.size() > kMostSuspects) found.resize(kMostSuspects);
    return found;
  }

  Origin Ask(const ChangedLags& taken, const std::vector<int64_t>& before,
             const Suspect& suspect) const {
    ChangedLags lags = taken;
    lags.TakeUnits(work_[suspect.rank], suspect.rank, suspect.expected);
    const std::vector<int64_t> with = StepLengths(graph_, ReplayJob(graph_, lags));
    Origin origin{.rank = suspect.rank, .as_before = suspect.as_before};
    for (size_t s = 0; s < with.size(); ++s)
      origin.saved.push_back(SubtractSaturated(before[s], with[s]));
    if (suspect.first > 0) origin.since = graph_.steps[suspect.first];
    Describe(suspect, origin);
    Weigh(suspect.first, origin);
    return origin;
  }

  // What of the rank takes longer since the step.
  void Describe(const Suspect& suspect, Origin& origin) const {
    const std::vector<OwnUnit>& units = work_[suspect.rank].units;
    std::map<std::pair<UnitKind, StringId>, int64_t> names;
    for (size_t u = 0; u < units.size(); ++u) {
      if (units[u].step < suspect.first) continue;
      const int64_t beyond = SubtractSaturated(units[u].time, suspect.expected[u]);
      origin.excess = AddSaturated(origin.excess, beyond);
      if (units[u].kind == UnitKind::kDevice)
        origin.of_devices = AddSaturated(origin.of_devices, beyond);
      int64_t& sum = names[{units[u].kind, units[u].name}];
      sum = AddSaturated(sum, beyond);
    }
    const auto steps = static_cast<int64_t>(graph_.steps.size() - suspect.first);
    origin.excess /= steps;
    origin.of_devices /= steps;
    const auto most =
        std::ranges::max_element(names, {}, [](const auto& name) { return name.second; });
    if (most != names.end() && most->second > 0) std::tie(origin.kind, origin.name) = most->first;
  }

  void Weigh(size_t first, Origin& origin) const {
    const auto from = static_cast<std::ptrdiff_t>(first);
    std::vector<double> saved(origin.saved.begin() + from, origin.saved.end());
    const double usual = Median(saved), steps = static_cast<double>(saved.size());
    const auto useful = std::ranges::count_if(saved, [](double s) { return s > 0; });
    // Of a median: 1.25 times that of a mean.
    const double error = 1.25 * kDeviationPerMad * MadOf(saved) / std::sqrt(steps);
    origin.costs = usual >= kLeastCost * usual_step_ && usual >= kBeyondError * error &&
                   static_cast<double>(useful) >= kMostSteps * steps;
  }

  const JobGraph& graph_;
  const std::vector<OwnWork>& work_;
  double usual_step_ = 0;
  Origins out_;
};

Origins FindOrigins(const Facts& facts) { return Finder(facts).Find(); }

}  // namespace

const Origins& OriginsOf(const Facts& facts) { return facts.memo.Of<FindOrigins>(facts); }

}  // namespace stepscope
