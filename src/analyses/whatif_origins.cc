// Says what origins cost, by replays, with the function or thread behind each.
#include "analyses/whatif_origins.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analyses/build.h"
#include "analyses/changes.h"
#include "analyses/excess.h"
#include "analyses/late_words.h"
#include "analyses/thread_wait.h"
#include "analyses/whatif_worths.h"
#include "base/saturate.h"
#include "facts/derived/lateness/lateness.h"
#include "facts/derived/lateness/work_rises.h"
#include "facts/derived/python/other_threads.h"
#include "facts/derived/python/step_function.h"
#include "facts/derived/replay/join_ranks.h"
#include "facts/derived/replay/origins.h"
#include "facts/derived/replay/replay_error.h"
#include "facts/derived/steps/of_partials.h"
#include "facts/derived/steps/step_categories.h"
#include "report/humanize.h"

namespace stepscope::whatif {
namespace {

// ", most of it in gemm in Linear", ", most of it before aten::linear".
Phrase SayUnits(const Facts& facts, const OriginRank& late) {
  if (late.of.name == kNoString) return {};
  const Phrase name = SayMost(facts, {{late.of.name, 1}});
  return late.of.kind == UnitKind::kBefore ? Say(", most of it before {unit}", name)
                                           : Say(", most of it in {unit}", name);
}

// " since step 3", " in steps 3, 6 and 9", " in 5 of 12 steps".
Phrase SayWhen(const JobGraph& graph, const Origin& origin) {
  constexpr size_t kFew = 4;
  if (origin.since) return Say(" since step {first}", *origin.since);
  if (origin.in_steps.empty()) return {};
  if (origin.in_steps.size() > kFew)
    return Say(" in {count} of {all} steps", origin.in_steps.size(), graph.steps.size());
  const auto first = std::span(origin.in_steps).first(origin.in_steps.size() - 1);
  return Say(" in steps {steps} and {last}", fmt::format("{}", fmt::join(first, ", ")),
             origin.in_steps.back());
}

// " of host node-17", where all of these ranks are on it; else empty.
Phrase SayHost(const JobGraph& graph, const Origin& origin) {
  const std::string& machine = graph.ranks[origin.late.rank].rank->machine;
  const bool one = std::ranges::all_of(origin.with, [&](const OriginRank& other) {
    return graph.ranks[other.rank].rank->machine == machine;
  });
  return one && !machine.empty() ? Say(" of host {name}", Phrase::Name(machine)) : Phrase();
}

std::vector<int64_t> RanksOf(const JobGraph& graph, const Origin& origin) {
  std::vector<int64_t> ranks{graph.ranks[origin.late.rank].rank->rank};
  for (const OriginRank& other : origin.with) ranks.push_back(graph.ranks[other.rank].rank->rank);
  std::ranges::sort(ranks);
  return ranks;
}

// "Ranks 5 and 9 together hold the job up since step 3", "Ranks 8 to 15 of host node-1 together
// ...".
Phrase SayWho(const JobGraph& graph, const Origin& origin) {
  const std::vector<int64_t> ranks = RanksOf(graph, origin);
  const Phrase who = Capitalized(SayRanks(ranks)), when = SayWhen(graph, origin);
  if (graph.ranks.size() == 1) return Say("{rank} takes longer{when}", who, when);
  return ranks.size() > 1 ? Say("{ranks}{host} together hold the job up{when}", who,
                                SayHost(graph, origin), when)
                          : Say("{rank} holds the job up{when}", who, when);
}

// `alike`: how many of its peers are as late, itself among them.
Phrase SayThan(const JobGraph& graph, const OriginRank& late, size_t alike) {
  if (late.as_before) return "than before";
  return Say("than on {ranks} with the same work",
             Plural(graph.work[late.rank].peers.size() - alike, "rank"));
}

// `saved` by mending them, ns per step: on processors a sum over threads that overlap is far more
// than that, and is not told.
Phrase SayExcess(const Facts& facts, const OriginRank& late, bool several, double saved) {
  constexpr double kOverlaps = 1.5;
  const JobGraph& graph = JobGraphOf(facts);
  const Phrase than = SayThan(graph, late, 1);
  const std::string more = HumanTime(static_cast<double>(late.excess));
  const Phrase units = SayUnits(facts, late);
  if (!several && facts.OnHost() && static_cast<double>(late.excess) > kOverlaps * saved)
    return Say("its own work takes longer {than}{units}", than, units);
  if (!several)
    return Say("its own work takes {time} more per step {than}{units}", more, than, units);
  return Say("rank {rank}'s own work takes {time} more per step{since} {than}{units}",
             graph.ranks[late.rank].rank->rank, more,
             late.since ? Say(" since step {first}", *late.since) : Phrase(), than, units);
}

// Whether the same takes longer on both, so that one clause tells of both.
bool AreAlike(const JobGraph& graph, const OriginRank& a, const OriginRank& b) {
  const auto by_device = [](const OriginRank& late) { return 2 * late.of_devices > late.excess; };
  return a.of == b.of && a.since == b.since && a.as_before == b.as_before &&
         by_device(a) == by_device(b) && graph.work[a.rank].peers == graph.work[b.rank].peers;
}

// Of ranks that are alike, the one with most of it first.
Phrase SayExcessOf(const Facts& facts, const std::vector<OriginRank>& alike) {
  const JobGraph& graph = JobGraphOf(facts);
  std::vector<int64_t> numbers;
  for (const OriginRank& late : alike) numbers.push_back(graph.ranks[late.rank].rank->rank);
  std::ranges::sort(numbers);
  const OriginRank& first = alike.front();
  const std::string least = HumanTime(static_cast<double>(alike.back().excess)),
                    most = HumanTime(static_cast<double>(first.excess));
  return Say("the own work of {ranks} takes {time} more per step{since} {than}{units}",
             SayRanks(numbers),
             least == most ? Phrase(most) : Say("{least} to {most}", least, most),
             first.since ? Say(" since step {first}", *first.since) : Phrase(),
             SayThan(graph, first, alike.size()), SayUnits(facts, first));
}

// Of all of them, the one with most of it first.
Phrase SayExcesses(const Facts& facts, const Origin& origin, double saved) {
  std::vector<OriginRank> ranks = origin.with;
  ranks.push_back(origin.late);
  std::ranges::stable_sort(ranks, std::ranges::greater{}, &OriginRank::excess);
  const bool several = ranks.size() > 1;
  Phrase all;
  while (!ranks.empty()) {
    std::vector<OriginRank> alike, others;
    for (const OriginRank& late : ranks) {
      const bool is = AreAlike(JobGraphOf(facts), ranks.front(), late);
      (is ? alike : others).push_back(late);
    }
    all += Phrase(all.empty() ? "" : "; ") +
           (alike.size() > 1 ? SayExcessOf(facts, alike)
                             : SayExcess(facts, alike.front(), several, saved));
    ranks = std::move(others);
  }
  return all;
}

// " in gemm alone" where only that was changed, so that what it costs is the cost of that.
Phrase SayOnly(const Facts& facts, const OriginRank& late) {
  if (!late.of_one_name || late.of.name == kNoString) return {};
  const Phrase name = SayMost(facts, {{late.of.name, 1}});
  return late.of.kind == UnitKind::kBefore ? Say(" before {unit} alone", name)
                                           : Say(" in {unit} alone", name);
}

// Behind what the rank's host takes longer before some operator, than before or than on a rank with
// the same work.
std::optional<FrameTimes::Leader> FunctionOf(const Facts& facts, const Origin& origin) {
  const OriginRank& late = origin.late;
  const JobGraph& graph = JobGraphOf(facts);
  if (late.of.kind == UnitKind::kDevice || late.of.name == kNoString || !HasPython(facts))
    return std::nullopt;
  const auto since = [&](int64_t step) { return !origin.since || step >= *origin.since; };
  const auto steps_of = [&](uint32_t rank) {
    return StepsOfRank(facts, graph.ranks[rank].rank->rank);
  };
  const RankSteps* const own = steps_of(late.rank);
  if (own == nullptr) return std::nullopt;
  const RankWindows slow{own->rank, WindowsOf(*own, since)};
  const auto behind = [&](const RankWindows& others) -> std::optional<FrameTimes::Leader> {
    const int64_t least = late.excess / 2;
    auto function = FunctionBehind(facts, slow, others, least);
    if (!function) return std::nullopt;
    // It calls the operators before which time goes, or an operator calls it.
    const bool is_it = late.of.kind == UnitKind::kBefore
                           ? RunsBetween(facts, slow, *function, least) ||
                                 Calls(facts, slow, function->name, late.of.name)
                           : RunsIn(facts, *slow.rank, function->name, late.of.name);
    return is_it ? std::move(function) : std::nullopt;
  };
  if (late.as_before) return behind({own->rank, WindowsOf(*own, std::not_fn(since))});
  for (const uint32_t peer : graph.work[late.rank].peers) {
    const RankSteps* const other = peer == late.rank ? nullptr : steps_of(peer);
    if (other == nullptr) continue;
    if (auto function = behind({other->rank, WindowsOf(*other, since)})) return function;
  }
  return std::nullopt;
}

// What mending it saves of each step, ns; of the function behind it, where only this rank runs
// that, and leaving it out saves more: the rank's own work counts what takes less since then, too.
std::vector<int64_t> SavedOf(const Facts& facts, const Origin& origin,
                             const std::optional<FrameTimes::Leader>& function,
                             std::span<const AskedChange> changes) {
  const auto asks = [&](const AskedChange& change) {
    return function && change.since == origin.since && change.function &&
           change.function->name == function->name &&
           (change.function->ranks.size() == 1 || HasOneRank(facts));
  };
  const auto at = std::ranges::find_if(changes, asks);
  if (at == changes.end()) return origin.saved;
  std::vector<int64_t> saved = OriginsOf(facts).recorded;
  for (size_t s = 0; s < saved.size(); ++s) saved[s] = SubtractSaturated(saved[s], at->lengths[s]);
  const auto mean = [&](const std::vector<int64_t>& of) {
    return MeanStep(facts, of, origin.since);
  };
  // Where only units of one name were changed, the rank costs at least that.
  const bool within = origin.late.of_one_name || mean(saved) <= origin.late.excess;
  return within && mean(saved) > mean(origin.saved) ? saved : origin.saved;
}

// The thread that holds Python's lock of the late rank since then, as other analyses name it; null:
// none is known.
const ConcurrentThread* ThreadOf(const Facts& facts, const Origin& origin) {
  if (!facts.OnHost() || !origin.since || !origin.with.empty()) return nullptr;
  const int64_t rank = JobGraphOf(facts).ranks[origin.late.rank].rank->rank;
  // Operators that take longer only later wait for the same lock.
  const ConcurrentThread* thread = ThreadBy(facts, rank, *origin.since);
  const bool waits = thread != nullptr && thread->locks.count > 0 && origin.late.as_before &&
                     origin.late.of.kind == UnitKind::kHost;
  return waits ? thread : ThreadSince(facts, rank, *origin.since);
}

// ", where thread 8644 runs _aggregate (hooks.py:69), which holds Python's lock".
Phrase SayThreadOf(const ConcurrentThread* thread) {
  return thread == nullptr ? Phrase()
                           : Say(", where {thread} runs {function}, which holds Python's lock",
                                 SayThread(*thread), SayLeader(thread->works));
}

// "; the median step before took 150 ms".
Phrase SayBefore(const std::optional<ShorterSteps>& shorter) {
  return shorter ? Say("; the median step before took {time}",
                       HumanTime(static_cast<double>(shorter->before)))
                 : Phrase();
}

// Whether half of what takes longer, or more, is its data loader, compared with the other ranks.
bool WaitsForInput(const Facts& facts, const OriginRank& late) {
  const auto& ranks = facts.collectives.ranks;
  if (ranks.size() < 2 || late.as_before) return false;
  const int64_t number = JobGraphOf(facts).ranks[late.rank].rank->rank;
  const auto at = std::ranges::find(ranks, number, &RankCollectives::rank);
  if (at == ranks.end()) return false;
  const Efforts& efforts = EffortsOf(facts);
  const auto i = static_cast<size_t>(at - ranks.begin());
  const int64_t steps = efforts.own[i].steps;
  return steps > 0 && 2 * (efforts.beyond[i].input / steps) >= late.excess;
}

constexpr double kNearlyAll = 0.8;  // of what it takes longer
constexpr std::string_view kCheckDevice =
    "check clocks, temperature and power of the device, and whether the rank has more work than "
    "others";

double PartOfDevices(const OriginRank& late) {
  return static_cast<double>(late.of_devices) /
         static_cast<double>(std::max<int64_t>(late.excess, 1));
}

Phrase HintOf(const Facts& facts, const OriginRank& late, const ConcurrentThread* thread,
              const std::optional<FrameTimes::Leader>& function) {
  if (thread != nullptr) return MoveThread(*thread);
  const WorkRise* work = WorkRisesOf(facts).Of(JobGraphOf(facts).ranks[late.rank].rank->rank);
  const bool has_more = work != nullptr && work->kind != WorkKind::kBetween;
  if (has_more && late.of.kind == UnitKind::kHost) return LateHint(*work, facts);
  if (late.as_before && CauseOfChange(facts).kind == CauseKind::kInput)
    return LateHint(LateReason::kInput, facts);
  if (late.of.name != kNoString && late.of.kind == UnitKind::kHost) {
    const Phrase callback = SpeedUpCallback(facts, late.of.name, std::nullopt);
    if (!callback.empty()) return callback;
  }
  if (2 * late.of_devices > late.excess) return kCheckDevice;
  if (function) return SpeedUp(facts, *function);
  if (facts.OnHost() && late.as_before && late.since) {
    const int64_t rank = JobGraphOf(facts).ranks[late.rank].rank->rank;
    const auto excess = ExcessSince(facts, rank, *late.since);
    if (excess && KindOf(*excess) == ExcessKind::kSize)
      return LateHint(LateReason::kLargerInputs, facts);
    if (excess && SizeIsUnknown(*excess)) return Say(kRecordSizes, facts);
  }
  if (facts.OnHost() && late.as_before && late.of.kind == UnitKind::kHost)
    return "its operators take longer: look at what else runs on its cores, at their clock and at "
           "the number of threads";
  if (WaitsForInput(facts, late)) return LateHint(LateReason::kInput, facts);
  if (IsOfPartials(facts)) return "look at what its host does between launches: open its trace";
  return "look at what its host does between launches: see `python`";
}

// What mending an origin is worth, and what is behind it.
struct Priced {
  const ConcurrentThread* thread = nullptr;
  std::optional<FrameTimes::Leader> function;
  double recorded = 0, saved = 0;       // ns per step
  double before = 0;                    // ns per step, saved in the same steps by those before it
  Phrase who;                           // where others are joined: all of them,
  bool as_one = false;                  // which nothing tells apart
  Phrase alone;                         // what of it is saved without those
  Phrase hint;                          // what to try
  Phrase others;                        // and of those that are joined
  double error = 0;                     // of the replay, a ratio
  std::optional<ShorterSteps> shorter;  // with this and those before it mended
};

// Operators that take a little longer than before may do so by other load.
bool MayBeLoad(const Facts& facts, const Origin& origin, const Priced& price) {
  constexpr double kLittle = 0.1;  // of a step
  return facts.OnHost() && origin.late.as_before && origin.with.empty() &&
         origin.late.of.kind == UnitKind::kHost && !price.function && price.thread == nullptr &&
         price.saved < kLittle * price.recorded;
}

// ", by input wait": what ranks that are late together have in common, where accelerators compute.
Phrase SayWhy(const Facts& facts, const Origin& origin) {
  if (origin.with.empty() || facts.OnHost()) return {};
  const auto all = [&](const auto& has) {
    return has(origin.late) && std::ranges::all_of(origin.with, has);
  };
  if (all([](const OriginRank& late) { return PartOfDevices(late) > kNearlyAll; }))
    return ", by longer kernels";
  return all([&](const OriginRank& late) {
    return PartOfDevices(late) < 1 - kNearlyAll && WaitsForInput(facts, late);
  })
             ? Phrase(", by input wait")
             : Phrase();
}

// "; rank 6: check clocks ...": of those that are late together, and not, or not only, for what the
// first hint is about.
Phrase HintsOfOthers(const Facts& facts, const Origin& origin, const Phrase& first) {
  const JobGraph& graph = JobGraphOf(facts);
  std::vector<std::pair<Phrase, std::vector<int64_t>>> hints;
  std::vector<OriginRank> late = origin.with;
  late.push_back(origin.late);
  for (const OriginRank& other : late) {
    const bool both = PartOfDevices(other) > 1 - kNearlyAll && PartOfDevices(other) < kNearlyAll;
    const Phrase hint = both ? Phrase(kCheckDevice) : HintOf(facts, other, nullptr, std::nullopt);
    if (hint == first) continue;
    auto same = std::ranges::find(hints, hint, [](const auto& h) { return h.first; });
    if (same == hints.end()) same = hints.insert(same, {hint, {}});
    same->second.push_back(graph.ranks[other.rank].rank->rank);
  }
  Phrase text;
  for (auto& [hint, ranks] : hints) {
    std::ranges::sort(ranks);
    text += Say("; {ranks}: {hint}", SayRanks(ranks), hint);
  }
  return text;
}

Phrase MessageOf(const Facts& facts, const Origin& origin, const Priced& price) {
  const JobGraph& graph = JobGraphOf(facts);
  const Phrase who = price.who.empty() ? SayWho(graph, origin) + SayThreadOf(price.thread)
                                       : Say("{ranks}{host} together hold the job up{when}",
                                             Capitalized(price.who), "", SayWhen(graph, origin));
  const std::string saved = HumanTime(price.saved), of = HumanTime(price.recorded);
  const Phrase time = price.shorter ? Say("up to {time}", saved) : Phrase(saved);
  const Phrase only = price.function ? Say(" in {function}", SayLeader(*price.function))
                                     : SayOnly(facts, origin.late);
  const Phrase why = price.who.empty() && only.empty() ? SayWhy(facts, origin) : Phrase();
  const Phrase end = only + why + price.alone;
  return origin.in_steps.empty()
             ? Say("{who}: {saved} of {recorded} per step{only}.", who, time, of, end)
             : Say("{who}: {saved} of {recorded} per step on average{only}.", who, time, of, end);
}

Phrase EvidenceOf(const Facts& facts, const Origin& origin, const Priced& price) {
  const Phrase excesses = SayExcesses(facts, origin, price.saved);
  const std::string without = HumanTime(price.recorded - price.before - price.saved);
  const Phrase replay =
      price.before > 0
          ? Say("{excess}; a replay without that, and without what costs more, takes {time} (± "
                "{error})",
                excesses, without, HumanRatio(price.error))
          : Say("{excess}; a replay without that takes {time} (± {error})", excesses, without,
                HumanRatio(price.error));
  return replay + SayBefore(price.shorter);
}

Finding FindingOf(const Facts& facts, const Origin& origin, const Priced& price, bool known) {
  const JobGraph& graph = JobGraphOf(facts);
  const int64_t rank = graph.ranks[origin.late.rank].rank->rank;
  const bool to_balance = facts.OnHost() && !origin.since && origin.with.empty() &&
                          !price.function && GetsLargerInputs(facts, rank);
  const double worth = price.saved * (to_balance ? ShareOfBalancing(graph.ranks.size()) : 1);
  const bool may_be_load = MayBeLoad(facts, origin, price);
  Finding finding{
      .message = MessageOf(facts, origin, price),
      .because =
          EvidenceOf(facts, origin, price) +
          (to_balance ? Say("; balancing it saves {time} per step", HumanTime(worth)) : Phrase()),
      .hint = price.hint + price.others,
      .impact = ToInt64(worth * static_cast<double>(StepsSince(graph, origin.since))),
      .table = "changes",
      .cause = {CauseKind::kWait, origin.with.empty() ? std::optional(rank) : std::nullopt},
      .nearness = may_be_load ? Nearness::kSymptom
                              : Nearness::kPart,  // under what says why, if that is known
      .extent = ExtentOfSteps(facts),
      .since = origin.since,
      .at_most = may_be_load ? Severity::kLow : Severity::kHigh,
      // Of some of its units alone, it says what the rank costs at least.
      .by_replay = !origin.late.of_one_name && ReplayErrorOf(facts).Prices(origin.since)};
  if (known && !price.shorter && !origin.late.of_one_name)
    finding.worth =
        WorthOf(worth, price.recorded, price.error, static_cast<double>(origin.late.excess));
  if (!origin.with.empty()) finding.where.ranks = RanksOf(graph, origin);
  if (price.function) finding.where.event = Phrase::Name(LabelOf(price.function->name));
  return finding;
}

// Where ranks are late at once for several reasons, mending one saves only what the others leave:
// little of what it saves when they are mended, too. The first is late whenever this one is.
bool HidesBehind(const Facts& facts, const Origin& origin, const Origin& first, double saved) {
  constexpr double kMuch = 0.25;  // of what it saves with them
  const bool always = !first.since || (origin.since && *origin.since >= *first.since);
  if (!always || !origin.in_steps.empty() || !first.in_steps.empty()) return false;
  return saved - static_cast<double>(MeanStep(facts, origin.alone, origin.since)) >= kMuch * saved;
}

// `saved` by mending the later, too, ns per step since the first is late.
void Join(const Facts& facts, const Origin& later, const Priced& price, double saved,
          Origin& origin, Priced& joined) {
  const JobGraph& graph = JobGraphOf(facts);
  if (joined.who.empty()) {
    const Phrase host = SayHost(graph, origin);
    joined.who = SayRanks(RanksOf(graph, origin)) + host;
    joined.as_one = host.empty();
    joined.alone = Say(", {time} of it by {ranks} alone", HumanTime(joined.saved), joined.who);
  }
  const Phrase ranks = SayRanks(RanksOf(graph, later)), host = SayHost(graph, later);
  const Phrase when = later.since != origin.since ? SayWhen(graph, later) : Phrase();
  if (price.hint != joined.hint && !joined.others.contains(price.hint.str()))
    joined.others += Say("; {ranks}: {hint}", ranks, price.hint);
  joined.others += price.others;
  origin.with.push_back(later.late);
  origin.with.insert(origin.with.end(), later.with.begin(), later.with.end());
  joined.as_one = joined.as_one && host.empty() && when.empty();
  joined.who = joined.as_one ? SayRanks(RanksOf(graph, origin))
                             : Say("{first} and {second}", joined.who, ranks + host + when);
  joined.saved += saved;
}

}  // namespace

void AddOriginFindings(Report& report, const Facts& facts, std::span<const AskedChange> changes) {
  const Origins& origins = OriginsOf(facts);
  const auto mean = [&](const std::vector<int64_t>& lengths, const Origin& origin) {
    return static_cast<double>(MeanStep(facts, lengths, origin.since));
  };
  std::vector<int64_t> lengths = origins.recorded;
  std::vector<std::pair<Origin, Priced>> priced;
  for (const Origin& origin : origins.found) {
    Priced price{.thread = ThreadOf(facts, origin),
                 .recorded = static_cast<double>(RecordedStep(facts, origin.since)),
                 .error = ReplayErrorOf(facts).OfPrice(origin.since)};
    if (price.thread == nullptr) price.function = FunctionOf(facts, origin);
    price.hint = HintOf(facts, origin.late, price.thread, price.function);
    if (!facts.OnHost() && !origin.with.empty())
      price.others = HintsOfOthers(facts, origin, price.hint);
    for (const Origin& first : std::span(&origins.found.front(), &origin))
      price.before += mean(first.saved, origin);
    const std::vector<int64_t> saved = SavedOf(facts, origin, price.function, changes);
    for (size_t s = 0; s < saved.size(); ++s) lengths[s] = SubtractSaturated(lengths[s], saved[s]);
    price.saved = mean(saved, origin);
    if (priced.empty() || !HidesBehind(facts, origin, priced.back().first, price.saved)) {
      price.shorter = ShorterThanBefore(facts, lengths, origin.since);
      priced.emplace_back(origin, std::move(price));
      continue;
    }
    auto& [first, joined] = priced.back();
    Join(facts, origin, price, mean(saved, first), first, joined);
    joined.shorter = ShorterThanBefore(facts, lengths, first.since);
  }
  const bool known = report.status == Status::kOk;
  for (const auto& [origin, price] : priced)
    report.findings.push_back(FindingOf(facts, origin, price, known));
}

}  // namespace stepscope::whatif
