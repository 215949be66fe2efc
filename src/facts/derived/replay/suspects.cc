// Compares ranks with their peers, and with their earlier steps.
#include "facts/derived/replay/suspects.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/change_point.h"
#include "base/robust.h"
#include "facts/derived/replay/expected_work.h"

namespace stepscope {
namespace {

constexpr double kFarBeyond = 6;          // deviations of all excesses
constexpr double kLeastExcess = 0.005;    // of a step
constexpr double kLeastOfOneName = 0.03;  // of a step
constexpr size_t kMostSuspects = 8;       // a machine of which most ranks are is one
constexpr size_t kMostOfMachine = 16;     // ranks
constexpr double kOfUnits = 0.3;          // of what units take, that they grew by
constexpr double kOfExcess = 0.5;
constexpr double kMuchOfStep = 0.1;
constexpr double kHardly = 0.05;     // of what they take since
constexpr double kMuchLonger = 0.5;  // of all that a rank does itself
constexpr size_t kLeastSince = 4;    // steps in which they do
constexpr size_t kEnoughBefore = 4;  // steps, to compare a rank with itself

// Whether two changes began in one step, as far as noise lets it be seen.
bool AreAboutOne(size_t a, size_t b) { return std::max(a, b) - std::min(a, b) <= 1; }

class SuspectFinder {
 public:
  SuspectFinder(const JobGraph& graph, const std::vector<OwnWork>& work, double usual_step)
      : graph_(graph), work_(work), usual_step_(usual_step) {}

  std::vector<Suspect> Find() {
    CompareWithPeers();
    std::vector<Suspect> found = BeyondPeers();
    for (uint32_t r = 0; r < work_.size(); ++r) {
      if (std::ranges::find(found, r, &Suspect::rank) != found.end()) continue;
      if (!longer_[r]) continue;
      found.push_back({.rank = r, .of_one_name = true, .of = longer_[r]->name});
    }
    std::vector<std::optional<Rise>> rises;
    for (uint32_t r = 0; r < work_.size(); ++r) rises.push_back(OwnRise(r));
    for (uint32_t r = 0; r < work_.size(); ++r) {
      const auto known = std::ranges::find(found, r, &Suspect::rank);
      const std::optional<Rise>& rise = rises[r];
      if (!rise || IsShared(r, *rise, rises)) continue;
      const bool always = known != found.end() && known->first < kEnoughBefore;
      const bool clear = rise->IsClear(usual_step_);
      const bool later = always && !AreAboutOne(known->first, rise->at);
      if (always && !known->of_one_name && !(clear && later)) continue;
      Suspect own{.rank = r, .first = rise->at, .as_before = true};
      own.expected = ExpectedAsBefore(work_[r], own.first);
      if (MayBeLoad(*rise, own)) {
        // What no load explains is priced alone, where it has a name.
        if (!clear || work_[r].of_partial) continue;
        own.of_all = false;
        own.of_one_name = true;
        own.of = rise->of;
        KeepOthers(own);
      } else if (own.of_all) {
        own.first = SinceAllTakes(r, own.first);
        own.expected = ExpectedAsBefore(work_[r], own.first);
      }
      if (known == found.end()) {
        found.push_back(std::move(own));
      } else {
        *known = std::move(own);
      }
    }
    LeaveOutLoad(found);
    return MostOf(std::move(found));
  }

 private:
  // ns of the units of each name, of each step. `time_of`: of the unit with this index.
  template <class TimeOf>
  std::map<WorkName, std::vector<int64_t>> SeriesOf(const OwnWork& work,
                                                    const TimeOf& time_of) const {
    std::map<WorkName, std::vector<int64_t>> series;
    for (const UnitRun& run : work.runs) {
      std::vector<int64_t>& values = series[run.of];
      values.resize(graph_.steps.size(), 0);
      for (uint32_t u = run.first; u < run.first + run.count; ++u)
        values[run.step] = AddSaturated(values[run.step], time_of(u));
    }
    return series;
  }

  // Units of one name that take far longer than on the peers in all steps.
  struct Longer {
    WorkName name;
    std::vector<int64_t> beyond;  // ns, of each step
  };

  void CompareWithPeers() {
    beyond_.resize(work_.size());
    longer_.resize(work_.size());
    for (uint32_t first = 0; first < work_.size(); ++first) {
      const std::vector<uint32_t>& peers = work_[first].peers;
      if (peers.size() < 2 || peers.front() != first) continue;
      const PeerTimes times(work_, peers);
      for (const uint32_t r : peers) {
        const std::vector<int64_t> expected = times.Expected(r);
        beyond_[r] = BeyondExpected(graph_, work_[r], expected);
        if (!work_[r].of_partial) longer_[r] = AlwaysLonger(work_[r], expected);
      }
    }
  }

  // Those that take the most of it; absent: none do.
  std::optional<Longer> AlwaysLonger(const OwnWork& work,
                                     const std::vector<int64_t>& expected) const {
    auto series =
        SeriesOf(work, [&](size_t u) { return SubtractSaturated(work.times[u], expected[u]); });
    std::optional<Longer> most;
    double longest = kLeastOfOneName * usual_step_;
    for (auto& [name, beyond] : series) {
      std::vector<double> values(beyond.begin(), beyond.end());
      const double usual = Median(values);
      if (usual <= longest || usual < kFarBeyond * kDeviationPerMad * MadOf(values)) continue;
      longest = usual;
      most = {name, std::move(beyond)};
    }
    return most;
  }

  // The largest excess first, and what is expected of them.
  std::vector<Suspect> MostOf(std::vector<Suspect> found) const {
    for (Suspect& suspect : found) {
      const std::vector<int64_t> late = BeyondOf(suspect);
      for (size_t s = suspect.first; s < late.size(); ++s)
        suspect.excess = AddSaturated(suspect.excess, std::max<int64_t>(late[s], 0));
    }
    std::ranges::stable_sort(found, std::ranges::greater{}, &Suspect::excess);
    MarkMachines(found);
    Cut(found);
    ExpectAsPeers(found);
    return found;
  }

  const std::string& MachineOf(const Suspect& suspect) const {
    return graph_.ranks[suspect.rank].rank->machine;
  }

  void MarkMachines(std::vector<Suspect>& found) const {
    std::map<std::string_view, std::pair<size_t, size_t>> machines;  // its ranks, and suspects
    for (const JobRank& job : graph_.ranks) ++machines[job.rank->machine].first;
    for (const Suspect& suspect : found) ++machines[MachineOf(suspect)].second;
    for (Suspect& suspect : found) {
      const auto [ranks, suspects] = machines.at(MachineOf(suspect));
      suspect.of_machine = suspects > 1 && 2 * suspects >= ranks && ranks < graph_.ranks.size();
    }
  }

  // Each set of suspects that may be late together costs replays.
  void Cut(std::vector<Suspect>& found) const {
    std::map<std::string_view, size_t> kept;  // suspects of machines
    size_t sets = 0;
    std::erase_if(found, [&](const Suspect& suspect) {
      if (!suspect.of_machine) return ++sets > kMostSuspects;
      size_t& of_machine = kept[MachineOf(suspect)];
      if (of_machine == 0 && ++sets > kMostSuspects) return true;
      return ++of_machine > kMostOfMachine;
    });
  }

  std::vector<int64_t> BeyondOf(const Suspect& suspect) const {
    if (suspect.as_before) return BeyondExpected(graph_, work_[suspect.rank], suspect.expected);
    return suspect.of_one_name ? longer_[suspect.rank]->beyond : beyond_[suspect.rank];
  }

  void ExpectAsPeers(std::vector<Suspect>& suspects) const {
    std::map<uint32_t, PeerTimes> times;  // by first peer
    for (Suspect& suspect : suspects) {
      if (suspect.as_before) continue;
      const std::vector<uint32_t>& peers = work_[suspect.rank].peers;
      const auto of_peers = times.try_emplace(peers.front(), work_, peers).first;
      suspect.expected = of_peers->second.Expected(suspect.rank);
      if (suspect.of_one_name) KeepOthers(suspect);
    }
  }

  // What has other names is expected to take what it takes.
  void KeepOthers(Suspect& suspect) const {
    const OwnWork& work = work_[suspect.rank];
    for (const UnitRun& run : work.runs) {
      if (run.of != suspect.of)
        std::ranges::copy(work.TimesOf(run), suspect.expected.begin() + run.first);
    }
  }

  std::optional<ChangePoint> RiseIn(const std::vector<int64_t>& values) const {
    auto change = FindChangePoint(values, kLeastExcess * usual_step_);
    if (change && change->Difference() <= 0) change.reset();
    return change;
  }

  // Units of one name that take longer since a step, all together.
  struct Rise {
    WorkName of;
    size_t at = 0;  // index into JobGraph::steps
    double by = 0;  // ns
    double before = 0;

    // Whether it is no load, which makes all take longer: what there was doubles by much of a step,
    // or something is new.
    bool IsClear(double step) const {
      const bool is_new = before < kHardly * by;
      return is_new ? by >= kLeastOfOneName * step : by > before && by >= kMuchOfStep * step;
    }
  };

  // The units of the rank that grew most: by much of what they take, in four steps or more.
  std::optional<Rise> OwnRise(uint32_t rank) const {
    const OwnWork& work = work_[rank];
    const auto series = SeriesOf(work, [&](size_t u) { return work.times[u]; });
    std::optional<Rise> most;
    for (const auto& [of, values] : series) {
      const auto change = RiseIn(values);
      if (!change || change->Difference() < kOfUnits * change->since) continue;
      if (values.size() - change->at < kLeastSince) continue;
      if (!most || change->Difference() > most->by)
        most = {of, change->at, change->Difference(), change->before};
    }
    return most;
  }

  // Since when all that the rank does takes longer, an index: what grew most is noisier, and may
  // have grown later.
  size_t SinceAllTakes(uint32_t rank, size_t first) const {
    const OwnWork& work = work_[rank];
    std::vector<int64_t> all(graph_.steps.size(), 0);
    for (const UnitRun& run : work.runs) {
      for (const int64_t time : work.TimesOf(run))
        all[run.step] = AddSaturated(all[run.step], time);
    }
    const auto change = RiseIn(all);
    return change && change->at < first ? change->at : first;
  }

  // Whether half of the other ranks with the same work grew alike: that is no lateness.
  bool IsShared(uint32_t rank, const Rise& rise,
                const std::vector<std::optional<Rise>>& rises) const {
    const auto alike = std::ranges::count_if(work_[rank].peers, [&](uint32_t peer) {
      const std::optional<Rise>& other = rises[peer];
      return peer != rank && other && other->of == rise.of && 2 * other->by > rise.by &&
             AreAboutOne(other->at, rise.at);
    });
    return alike > 0 && 2 * alike >= std::ssize(work_[rank].peers) - 1;
  }

  // Whether everything takes somewhat longer, as where a machine is busy with something else, and
  // not most of it what rose.
  bool MayBeLoad(const Rise& rise, Suspect& own) const {
    const OwnWork& work = work_[own.rank];
    double now = 0, expected = 0;
    for (const UnitRun& run : work.runs) {
      if (run.step < own.first) continue;
      for (uint32_t u = run.first; u < run.first + run.count; ++u) {
        now += static_cast<double>(work.times[u]);
        expected += static_cast<double>(own.expected[u]);
      }
    }
    const auto steps = static_cast<double>(graph_.steps.size() - own.first);
    const double excess = now - expected;
    own.of_all = rise.by * steps < kOfExcess * excess;
    return own.of_all && excess < kMuchLonger * expected;
  }

  // Where all that processors do takes longer on several ranks, since about one step, something
  // else runs on their machine.
  void LeaveOutLoad(std::vector<Suspect>& found) const {
    const std::vector<Suspect> all = found;
    std::erase_if(found, [&](const Suspect& s) {
      return MayBeShared(s) && std::ranges::any_of(all, [&](const Suspect& other) {
               return MayBeShared(other) && other.rank != s.rank &&
                      AreAboutOne(other.first, s.first);
             });
    });
  }

  bool MayBeShared(const Suspect& s) const {
    return s.of_all && graph_.ranks[s.rank].rank->on_host;
  }

  // How ranks with the same work vary in each step, around the middle one of them: of three, one
  // that takes longer is half of what each other is compared with.
  void AddVariation(const OwnWork& work, std::vector<double>& all) const {
    const bool on_host = graph_.ranks[work.peers.front()].rank->on_host;
    if (work.peers.size() == 2 && !on_host) {
      for (const uint32_t peer : work.peers) AddVariationInTime(beyond_[peer], all);
      return;
    }
    for (size_t s = 0; s < graph_.steps.size(); ++s) {
      std::vector<double> of_step;
      for (const uint32_t peer : work.peers)
        of_step.push_back(static_cast<double>(beyond_[peer][s]));
      const double middle = Median(of_step);
      for (const double excess : of_step) all.push_back(excess - middle);
    }
  }

  // Of two ranks neither is the middle one: how each varies around its level, before and since a
  // change. The slower one is then the one to look at; processors are too often busy for that.
  void AddVariationInTime(const std::vector<int64_t>& beyond, std::vector<double>& all) const {
    const auto change = FindChangePoint(beyond, kLeastExcess * usual_step_);
    const double usual = Median(std::vector<double>(beyond.begin(), beyond.end()));
    for (size_t s = 0; s < beyond.size(); ++s) {
      const double level = !change ? usual : s < change->at ? change->before : change->since;
      all.push_back(static_cast<double>(beyond[s]) - level);
    }
  }

  // Ranks that take far longer than their peers, compared with these.
  std::vector<Suspect> BeyondPeers() const {
    std::vector<double> all;
    for (uint32_t r = 0; r < work_.size(); ++r) {
      if (work_[r].HasPeers() && work_[r].peers.front() == r) AddVariation(work_[r], all);
    }
    const double noise = all.empty() ? 0 : kDeviationPerMad * MadOf(all);
    const double least = std::max(kFarBeyond * noise, kLeastExcess * usual_step_);
    std::vector<Suspect> found;
    for (uint32_t r = 0; r < work_.size(); ++r) {
      if (beyond_[r].empty() || static_cast<double>(std::ranges::max(beyond_[r])) <= least)
        continue;
      const auto change = RiseIn(beyond_[r]);
      found.push_back({.rank = r, .first = change ? change->at : 0});
      for (size_t s = 0; s < beyond_[r].size(); ++s) {
        if (static_cast<double>(beyond_[r][s]) > least) found.back().late.push_back(s);
      }
    }
    return found;
  }

  const JobGraph& graph_;
  const std::vector<OwnWork>& work_;
  double usual_step_ = 0;
  // Of each rank with peers: ns beyond these, of each step; and what is always longer.
  std::vector<std::vector<int64_t>> beyond_;
  std::vector<std::optional<Longer>> longer_;
};

}  // namespace

std::vector<int64_t> BeyondExpected(const JobGraph& graph, const OwnWork& work,
                                    const std::vector<int64_t>& expected) {
  std::vector<int64_t> beyond(graph.steps.size(), 0);
  for (const UnitRun& run : work.runs) {
    int64_t& sum = beyond[run.step];
    for (uint32_t u = run.first; u < run.first + run.count; ++u)
      sum = AddSaturated(sum, SubtractSaturated(work.times[u], expected[u]));
  }
  return beyond;
}

std::vector<Suspect> FindSuspects(const JobGraph& graph, const std::vector<OwnWork>& work,
                                  double usual_step) {
  return SuspectFinder(graph, work, usual_step).Find();
}

}  // namespace stepscope
