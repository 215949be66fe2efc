// Replays the job once per change.
#include "analyses/whatif_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <span>
#include <utility>

#include "analyses/changes.h"
#include "analyses/thread_wait.h"
#include "base/robust.h"
#include "base/saturate.h"
#include "facts/derived/lateness/late_evidence.h"
#include "facts/derived/lateness/slow_rank.h"
#include "facts/derived/lateness/step_blame.h"
#include "facts/derived/lateness/work_rises.h"
#include "facts/derived/python/leading_function.h"
#include "facts/derived/python/python_time.h"
#include "facts/derived/python/step_function.h"
#include "facts/derived/replay/change_lags.h"
#include "facts/derived/replay/join_ranks.h"
#include "facts/derived/replay/replay_error.h"
#include "facts/derived/steps/of_partials.h"
#include "facts/derived/steps/step_categories.h"
#include "facts/derived/steps/step_changes.h"
#include "trace/library_frames.h"

namespace stepscope::whatif {
namespace {

constexpr size_t kEnoughBefore = 4;  // steps, to compare a rank with itself

// The participant that the others wait for most, where that stands out; absent: none does.
std::optional<uint32_t> MostWaitedFor(const Facts& facts) {
  const Blame sum = BlameIn(facts, [](int64_t) { return true; });
  if (sum.all <= 0) return std::nullopt;
  const auto [rank, caused] =
      *std::ranges::max_element(sum.by_rank, {}, [](const auto& r) { return r.second; });
  const auto ranks = static_cast<double>(facts.collectives.ranks.size());
  const double share = static_cast<double>(caused) / static_cast<double>(sum.all);
  return share < std::min(kFairShares / ranks, kMostOfAll) ? std::nullopt : std::optional(rank);
}

bool IsClearlySlow(const Facts& facts, uint32_t rank) {
  const OwnTimes own(facts);
  return own.Weigh(BlameOfSteps(facts), rank) == LateEvidence::kClear &&
         own.IsAlwaysSlow(rank, std::nullopt);
}

int64_t SumOfAll(const std::vector<std::vector<int64_t>>& times) {
  int64_t sum = 0;
  for (const auto& of_steps : times) {
    for (const int64_t time : of_steps) sum = AddSaturated(sum, time);
  }
  return sum;
}

// ns of a mean step, where each rank runs it in nearly all of its steps, for a fifth of that or
// more. `times`: ns by step of ranks.
std::optional<int64_t> MeanOnAllRanks(const Facts& facts, const FrameTimes::Leader& leader,
                                      const std::vector<std::vector<int64_t>>& times) {
  constexpr double kNearlyAll = 0.8, kFew = 5;
  const bool all = times.size() > 1 && times.size() == RankStepsOf(facts).size();
  if (!all || IsOfLibrary(leader.name)) return std::nullopt;
  double steps = 0;
  for (const auto& of_steps : times) steps += static_cast<double>(of_steps.size());
  const double mean = static_cast<double>(SumOfAll(times)) / std::max(steps, 1.0);
  const bool usual = std::ranges::all_of(times, [&](const auto& of_steps) {
    const auto counts = std::ranges::count_if(
        of_steps, [&](int64_t time) { return kFew * static_cast<double>(time) >= mean; });
    return static_cast<double>(counts) >= kNearlyAll * static_cast<double>(of_steps.size());
  });
  return usual ? std::optional(ToInt64(mean)) : std::nullopt;
}

class ChangeAsker {
 public:
  explicit ChangeAsker(const Facts& facts)
      : facts_(facts), graph_(JobGraphOf(facts)), origins_(OriginsOf(facts)) {}

  std::expected<AskedChanges, Phrase> Ask(std::string_view set) {
    if (auto asked = AskSet(set); !asked) return std::unexpected(std::move(asked.error()));
    const auto of_user = std::ssize(out_);
    if (!ReplayErrorOf(facts_).Prices(std::nullopt)) return AskedChanges{};
    AskOrigins();
    AskMostWaitedFor();
    AskWorkRises();
    AskSlowRanks();
    AskToldChange();
    AskFunctions();
    AskEvaluation();
    for (const SlowLink& link : SlowLinksOf(facts_)) AskLink(link);
    if (!IsOfPartials(facts_)) Try("input: no wait", ColumnKind::kInput);
    Try("link: x2", ColumnKind::kCommunication);
    std::ranges::stable_sort(out_.begin() + of_user, out_.end(), {},
                             [&](const AskedChange& c) { return -c.Saved(facts_); });
    Try("communication: hidden", ColumnKind::kCommunication, true);
    if (const auto kernel = LongestKernel(); !kernel.empty() && !IsOfPartials(facts_))
      Try(fmt::format("kernel {}: gone", kernel), ColumnKind::kCompute, true);
    if (!facts_.OnHost() && !IsOfPartials(facts_))
      Try("host gaps: none", ColumnKind::kLaunch, true);
    return AskedChanges{std::move(out_), without_peers_};
  }

 private:
  std::expected<void, Phrase> AskSet(std::string_view set) {
    const std::vector<JobChange> changes = *ReadJobChanges(set);
    if (changes.empty()) return {};
    const auto add = [&](std::span<const JobChange> some) -> std::expected<void, Phrase> {
      const AskedLags asked = LagsWith(facts_, some);
      if (!asked.absent.empty()) return std::unexpected(asked.absent);
      Add({.text = TextOf(some), .assumption = asked.assumption}, asked);
      return {};
    };
    if (auto all = add(changes); !all || changes.size() == 1) return all;
    for (const JobChange& change : changes) {
      if (auto one = add({&change, 1}); !one) return one;
    }
    return {};
  }

  static std::string TextOf(std::span<const JobChange> changes) {
    std::string text;
    for (const JobChange& change : changes) text += (text.empty() ? "" : "; ") + change.text;
    return text;
  }

  // Each with those that cost more: only then it costs what is said.
  void AskOrigins() {
    AskedChange all{.kind = ColumnKind::kWait};
    all.lengths = origins_.recorded;
    for (const Origin& origin : origins_.found) {
      const bool first = all.text.empty();
      all.text += (first ? "" : "; ") + origin.change;
      all.since = first ? origin.since : std::min(all.since, origin.since);
      for (size_t s = 0; s < origin.saved.size(); ++s)
        all.lengths[s] = SubtractSaturated(all.lengths[s], origin.saved[s]);
      all.path = origin.path;
      out_.push_back(all);
    }
  }

  // Where the search for origins left it out, as for what a rank does between its operators.
  void AskMostWaitedFor() {
    const auto participant = MostWaitedFor(facts_);
    if (!participant) return;
    const int64_t rank = facts_.collectives.ranks[*participant].rank;
    const uint32_t index = graph_.IndexOf(rank);
    if (index == kNowhere || origins_.Of(graph_, rank) != nullptr) return;
    if (!IsClearlySlow(facts_, *participant)) return;
    if (!graph_.work[index].HasPeers()) {
      without_peers_ = rank;
      return;
    }
    AskRank(rank, "all", "median of ranks", std::nullopt);
  }

  // Whether the rank is replayed, and neither an origin nor asked for already.
  bool MayAsk(int64_t rank) const {
    return graph_.IndexOf(rank) != kNowhere && origins_.Of(graph_, rank) == nullptr &&
           std::ranges::none_of(out_, [&](const AskedChange& c) { return c.rank == rank; });
  }

  // Ranks that do more work since a step, and others do not.
  void AskWorkRises() {
    const WorkRises& work = WorkRisesOf(facts_);
    for (const WorkRise& rise : work.rises) {
      const bool alone = rise.ranks.size() == 1 && !work.IsOfAll(rise);
      if (!rise.since || !alone || rise.in_turn || IsBySlowHost(facts_, rise)) continue;
      if (!MayAsk(rise.rank)) continue;
      std::string as = "median of ranks";
      if (graph_.FirstSince(rise.since) >= kEnoughBefore)
        as = fmt::format("before step {}", *rise.since);
      else if (!graph_.work[graph_.IndexOf(rise.rank)].HasPeers())
        continue;
      if (!AskRank(rise.rank, PartOf(rise), as, rise.since))
        AskRank(rise.rank, "all", as, rise.since);
    }
  }

  // Ranks that take longer for all they run since a step, or in a stretch of steps: of all steps.
  void AskSlowRanks() {
    for (const SlowRank& slow : SlowRanksOf(facts_)) {
      if (MayAsk(slow.rank) && graph_.FirstSince(slow.since) >= kEnoughBefore)
        AskRank(slow.rank, "all", fmt::format("before step {}", slow.since), std::nullopt);
    }
  }

  // The rank that explains why steps take longer since one of them, where nothing above names it.
  void AskToldChange() {
    const Cause cause = CauseOfChange(facts_);
    if (!cause.rank || !MayAsk(*cause.rank)) return;
    const StepChange& told = *StepChangesOf(facts_).Told();
    if (facts_.OnHost() && told.steps_after < kFewestSince) return;
    if (graph_.FirstSince(told.since) < kEnoughBefore) return;
    const auto since = told.until ? std::nullopt : std::optional(told.since);
    const bool asks = AskRank(*cause.rank, "all", fmt::format("before step {}", told.since), since);
    // Steps are hardly longer: it only took over from another for whom they waited before.
    if (asks && ShorterThanBefore(facts_, out_.back().lengths, since)) out_.pop_back();
  }

  // What takes longer, alone, so that other work that happens to be shorter then counts for
  // nothing; not known behind a step's last operator.
  std::string PartOf(const WorkRise& rise) const {
    const bool known = rise.kind == WorkKind::kBetween && rise.name != kNoString;
    return known ? fmt::format("before {}", (*facts_.names)[rise.name]) : "all";
  }

  // As TryIfWorth.
  bool AskRank(int64_t rank, std::string_view part, std::string_view as,
               std::optional<int64_t> since) {
    return TryIfWorth({.text = fmt::format("rank {}: {} = {}", rank, part, as),
                       .since = since,
                       .kind = ColumnKind::kWait,
                       .rank = rank});
  }

  // Only where it saves as much as an origin must: whether it does.
  bool TryIfWorth(AskedChange change) {
    const auto before = out_.size();
    const std::optional<int64_t> since = change.since;
    Try(std::move(change));
    if (out_.size() == before) return false;
    const auto step = static_cast<double>(RecordedStep(facts_, since));
    const double least = std::max(kLeastCost, ReplayErrorOf(facts_).OfPrice(since)) * step;
    if (static_cast<double>(out_.back().Saved(facts_)) >= least) return true;
    out_.pop_back();
    return false;
  }

  // Functions with most time between operators: one that runs only at times, on ranks in turn, or
  // that waits for a lock takes its usual time on each rank. Not those around operators that train,
  // but those that a loss or module calls and that hardly run operators.
  void AskFunctions() {
    constexpr size_t kMost = 2;
    constexpr double kLeastShare = 0.1;  // of what is between operators
    constexpr double kLeastOfOwn = 0.25;
    constexpr double kMostlyBetween = 0.75;               // of its time: no part of a forward pass
    constexpr double kShort = 0.35, kLeastOfShort = 0.1;  // of all steps: it is no loop
    const auto all = static_cast<double>(SumOf(RankStepsOf(facts_)).Total());
    const FrameTimes python = PythonDuring(facts_, RankStepsOf(facts_), StepCategory::kOther);
    const std::optional<int64_t> since = SinceOfJob();
    // What waits for Python's lock takes its usual time once the thread that holds it is gone.
    if (ThreadBehindChange(facts_).thread != nullptr) return;
    for (const FrameTimes::Leader& leader : python.Leaders(kMost, kLeastShare)) {
      const std::vector<std::vector<int64_t>> times = TimesOfLeader(leader);
      const auto whole = static_cast<double>(SumOfAll(times));
      const double least =
          leader.ranks.empty() && whole <= kShort * all ? kLeastOfShort : kLeastOfOwn;
      const auto between = static_cast<double>(leader.time);
      const bool is_pass = IsPass(leader.name) || between < kMostlyBetween * whole;
      if (between < least * whole || (is_pass && IsOfModel(facts_, leader.name))) continue;
      Where where;
      TryIfWorth({.text = fmt::format("python {}: gone", leader.name.function),
                  .since = IsSince(since, leader) ? since : std::nullopt,
                  .kind = ColumnKind::kHost,
                  .function = leader,
                  .on_all = MeanOnAllRanks(facts_, leader, times),
                  .in_steps = SayStepsOf(facts_, RankStepsOf(facts_), leader.name, where)});
    }
  }

  // Evaluation between steps, of ranks for which others wait meanwhile.
  void AskEvaluation() {
    if (!OnlySomeEvaluate(facts_)) return;
    for (const RankActivity& rank : facts_.ranks) {
      const auto function = EvaluatingFunction(facts_, rank);
      if (!function) continue;
      TryIfWorth({.text = fmt::format("python {}: gone", function->name.function),
                  .kind = ColumnKind::kHost,
                  .function = function});
      return;
    }
  }

  // Whether it takes as much per step since then as in all steps: what is over by then is worth
  // nothing since.
  bool IsSince(const std::optional<int64_t>& since, const FrameTimes::Leader& leader) const {
    if (!since) return false;
    double all = 0, later = 0, steps = 0, steps_later = 0;
    for (const RankSteps& own : RankStepsOf(facts_)) {
      const std::vector<int64_t> times = TimesIn(facts_, {own.rank, WindowsOf(own)}, leader.name);
      if (times.size() != own.steps.size()) continue;
      for (size_t s = 0; s < times.size(); ++s) {
        const bool counts = own.steps[s].window.number >= *since;
        all += static_cast<double>(times[s]);
        later += counts ? static_cast<double>(times[s]) : 0;
        steps += 1;
        steps_later += counts ? 1 : 0;
      }
    }
    return later * steps >= all * steps_later;
  }

  // The step since which the job is slower, absent: none.
  std::optional<int64_t> SinceOfJob() const {
    if (const auto& change = StepChangesOf(facts_).step_time) return change->since;
    return origins_.found.empty() ? std::nullopt : origins_.found.front().since;
  }

  // ns of each step of all ranks, or of those that lead, with what it calls: on others it may only
  // wait for them.
  std::vector<std::vector<int64_t>> TimesOfLeader(const FrameTimes::Leader& leader) const {
    std::vector<std::vector<int64_t>> times;
    for (const RankSteps& own : RankStepsOf(facts_)) {
      const bool leads = std::ranges::binary_search(leader.ranks, own.rank->rank);
      if (leader.ranks.empty() || leads)
        times.push_back(TimesIn(facts_, {own.rank, WindowsOf(own)}, leader.name));
    }
    return times;
  }

  // As fast as groups alike are, or as it was.
  void AskLink(const SlowLink& link) {
    const std::string& group = facts_.collectives.groups[link.group].label;
    AskedChange change{.text = fmt::format("link {}: x{:.1f}", group, link.times),
                       .since = link.since,
                       .kind = ColumnKind::kCommunication,
                       .link = &link};
    Try(std::move(change));  // a name may hold what divides changes
  }

  // Only where it concerns something.
  void Try(AskedChange change) {
    const auto changes = ReadJobChanges(change.text);
    if (!changes) return;
    if (const AskedLags asked = LagsWith(facts_, *changes); asked.absent.empty())
      Add(std::move(change), asked);
  }

  // Of all ranks: in the steps that findings tell of, too.
  void Try(std::string text, ColumnKind kind, bool upper_bound = false) {
    Try({.text = std::move(text),
         .since = SinceRise(facts_),
         .kind = kind,
         .upper_bound = upper_bound});
  }

  void Add(AskedChange change, const AskedLags& asked) {
    if (!ReplayErrorOf(facts_).Prices(change.since)) return;
    const JobTimes times = ReplayJob(graph_, asked.lags);
    change.lengths = origins_.recorded;
    const std::vector<int64_t> changed = StepLengths(graph_, times);
    const std::vector<int64_t>& unchanged = UnchangedReplayOf(facts_).steps;
    for (size_t s = 0; s < changed.size(); ++s) {
      const int64_t replayed = SubtractSaturated(unchanged[s], changed[s]);
      const int64_t saved = AddSaturated(replayed, asked.saved_by_formula);
      change.lengths[s] = SubtractSaturated(change.lengths[s], saved);
    }
    change.path = CriticalPathSince(graph_, asked.lags, times, graph_.FirstSince(change.since));
    out_.push_back(std::move(change));
  }

  // The name that takes the most time of all ranks, without communication; empty: none does.
  std::string_view LongestKernel() const {
    std::map<StringId, int64_t> times;
    for (const OwnWork& work : graph_.work) {
      for (const UnitRun& run : work.runs) {
        if (run.of.kind != UnitKind::kDevice) continue;
        int64_t& sum = times[run.of.name];
        for (const int64_t time : work.TimesOf(run)) sum = AddSaturated(sum, time);
      }
    }
    const auto most = std::ranges::max_element(times, {}, [](const auto& t) { return t.second; });
    return most == times.end() || most->second <= 0 ? std::string_view()
                                                    : (*facts_.names)[most->first];
  }

  const Facts& facts_;
  const JobGraph& graph_;
  const Origins& origins_;
  std::vector<AskedChange> out_;
  std::optional<int64_t> without_peers_;
};

// Of each of JobGraph::steps, whether it is slow on any rank: recorded, and not among the typical.
std::vector<uint8_t> FindSlow(const Facts& facts) {
  const JobGraph& graph = JobGraphOf(facts);
  std::vector<int64_t> apart(graph.steps.size(), 0);  // ranks that recorded it, less the typical
  const auto count = [&](const std::vector<RankSteps>& ranks, int64_t each) {
    for (const RankSteps& rank : ranks) {
      for (const StepBreakdown& step : rank.steps) {
        const auto at = std::ranges::lower_bound(graph.steps, step.window.number);
        if (at != graph.steps.end() && *at == step.window.number)
          apart[static_cast<size_t>(at - graph.steps.begin())] += each;
      }
    }
  };
  count(RankStepsOf(facts), 1);
  count(TypicalStepsOf(facts).ranks, -1);
  std::vector<uint8_t> slow;
  for (const int64_t ranks : apart) slow.push_back(ranks > 0 ? 1 : 0);
  return slow;
}

}  // namespace

size_t FirstOfMean(const Facts& facts, std::optional<int64_t> since) {
  const JobGraph& graph = JobGraphOf(facts);
  if (since) return graph.FirstSince(since);
  if (graph.steps_left_out > 0) return 1;
  // Of a truncated one it is not known when it began.
  const auto counts = [&](const RankSteps& rank) {
    const auto is_it = [&](const StepBreakdown& step) {
      return step.window.number == graph.steps.front();
    };
    const bool begins = !rank.steps.empty() && is_it(rank.steps.front());
    return std::ranges::any_of(rank.steps, is_it) && !(begins && BeginsWithWarmUp(rank));
  };
  return graph.steps.size() > 1 && !std::ranges::all_of(RankStepsOf(facts), counts) ? 1 : 0;
}

size_t CountSlow(const Facts& facts, std::optional<int64_t> since) {
  const auto& slow = facts.memo.Of<FindSlow>(facts);
  return static_cast<size_t>(
      std::ranges::count(std::span(slow).subspan(FirstOfMean(facts, since)), uint8_t{1}));
}

int64_t RecordedStep(const Facts& facts, std::optional<int64_t> since) {
  constexpr double kSame = 0.02;  // of a step; beyond it ranks do not step together
  const int64_t of_job = MeanStep(facts, OriginsOf(facts).recorded, since);
  if (CountSlow(facts, since) > 0) return of_job;
  const JobGraph& graph = JobGraphOf(facts);
  const size_t first = FirstOfMean(facts, since);
  if (first >= graph.steps.size()) return of_job;
  const double of_ranks = MeanStepOf(TypicalStepsOf(facts), [&](int64_t step) {
    return step >= graph.steps[first] && step <= graph.steps.back();
  });
  const bool same = std::abs(of_ranks - static_cast<double>(of_job)) <= kSame * of_ranks;
  return same ? ToInt64(of_ranks) : of_job;
}

int64_t MeanStep(const Facts& facts, const std::vector<int64_t>& lengths,
                 std::optional<int64_t> since) {
  double sum = 0, count = 0;
  for (size_t s = FirstOfMean(facts, since); s < lengths.size(); ++s) {
    sum += static_cast<double>(lengths[s]);
    ++count;
  }
  return count == 0 ? 0 : ToInt64(sum / count);
}

std::optional<ShorterSteps> ShorterThanBefore(const Facts& facts,
                                              const std::vector<int64_t>& lengths,
                                              std::optional<int64_t> since) {
  constexpr size_t kFewest = 3;  // steps before
  if (!since || !facts.OnHost()) return std::nullopt;
  const size_t from = FirstOfMean(facts, std::nullopt), first = FirstOfMean(facts, since);
  if (first < from + kFewest || first >= lengths.size()) return std::nullopt;
  const std::span<const int64_t> before = std::span(lengths).subspan(from, first - from);
  const ShorterSteps steps{
      .before = RoundToInt64(Median(std::vector<double>(before.begin(), before.end()))),
      .since = MeanStep(facts, lengths, since)};
  const bool is_shorter = static_cast<double>(steps.Difference()) >
                          ReplayError::kMost * static_cast<double>(steps.before);
  // Else what else ran before is over, and steps before tell nothing.
  const bool are_longer = steps.before <= MeanStep(facts, OriginsOf(facts).recorded, since);
  return is_shorter && are_longer ? std::optional(steps) : std::nullopt;
}

int64_t AskedChange::Saved(const Facts& facts) const {
  return SubtractSaturated(MeanStep(facts, OriginsOf(facts).recorded, since),
                           MeanStep(facts, lengths, since));
}

std::expected<AskedChanges, Phrase> AskChanges(const Facts& facts, std::string_view set) {
  return ChangeAsker(facts).Ask(set);
}

}  // namespace stepscope::whatif
