// Words the findings of the step overview.
#include "analyses/overview_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "analyses/build.h"
#include "analyses/changes.h"
#include "analyses/overview_functions.h"
#include "analyses/overview_rules.h"
#include "analyses/saves.h"
#include "analyses/thread_wait.h"
#include "analyses/uneven_ranks.h"
#include "base/saturate.h"
#include "facts/derived/collectives/missing_communication.h"
#include "facts/derived/lateness/work_rises.h"
#include "facts/derived/python/step_function.h"
#include "facts/derived/steps/of_partials.h"
#include "facts/derived/steps/step_changes.h"
#include "facts/derived/steps/unrecorded.h"
#include "report/humanize.h"
#include "trace/frame_name.h"
#include "trace/library_frames.h"
#include "trace/vocabulary.h"

namespace stepscope {
namespace overview {
namespace {

constexpr double kHigh = 0.15;   // of a step: a threshold of the TensorFlow Profiler
constexpr double kLittle = 0.1;  // of a step, that one function takes: it does not stand out
constexpr double kFewSixteen = 0.10;
constexpr Advice kMixPrecision{
    "compute in bf16 or fp16 (torch.autocast); matrix products run several times faster",
    "compute in bf16 or fp16 (Keras mixed precision); matrix products run several times faster",
    "compute in jnp.bfloat16; matrix products run several times faster"};
constexpr AdviceByPurpose kNarrow{
    kMixPrecision,
    ForAll("load the weights in bf16 or fp16, or quantized; matrix products run several times "
           "faster"),
    kMixPrecision};

// What a comparison names.
void AddName(std::string_view key, std::string_view title, std::string_view name, Report& report) {
  if (!name.empty())
    report.metrics.push_back(
        {std::string(key), Phrase(title), std::string(name), Unit::kNone, true});
}

// The name of the longest range in which these ranks compile; kNoString: there is none.
StringId LongestCompilation(const Facts& facts, const std::vector<RankSteps>& ranks) {
  std::map<StringId, bool> compiles;
  StringId longest = kNoString;
  int64_t most = 0;
  for (const RankSteps& own : ranks) {
    for (const HostRange& range : own.rank->host->ranges) {
      if (range.duration() <= most) continue;
      const auto [at, is_new] = compiles.try_emplace(range.name);
      if (is_new)
        at->second = HostActivityOfName((*facts.names)[range.name]) == HostActivity::kCompilation;
      if (!at->second || !facts.Counts(*own.rank, range.start)) continue;
      longest = range.name;
      most = range.duration();
    }
  }
  return longest;
}

// What takes most of the category, as far as its moments have a name: a range of a compiler, or a
// function that the evidence names.
Phrase EventOf(const Facts& facts, const Rule& rule, const std::vector<RankSteps>& ranks,
               const FrameTimes& python) {
  const bool compiles = rule.category == StepCategory::kCompilation;
  const StringId range = compiles ? LongestCompilation(facts, ranks) : kNoString;
  if (range != kNoString) return Phrase::Name(std::string((*facts.names)[range]));
  const auto most = python.Leaders(1);
  return most.empty() ? Phrase() : Phrase::Name(LabelOf(most.front().name));
}

struct NamedRanks {
  std::vector<RankSteps> ranks;
  FrameTimes python;  // during the category
};

// The ranks with most of the category. Where no function stands out in what these run between
// operators, all ranks: it is nothing that one has and others do not.
NamedRanks RanksToName(const Facts& facts, const std::vector<RankSteps>& ranks, const Rule& rule,
                       const UnevenRanks& uneven) {
  std::vector<RankSteps> counted = RanksThatCount(facts, ranks, uneven);
  FrameTimes python = PythonDuring(facts, counted, rule.category);
  const bool by_function = rule.category == StepCategory::kOther && HasPython(facts);
  if (!by_function || counted.size() == ranks.size() || !python.Leaders(1, kStandsOut).empty())
    return {std::move(counted), std::move(python)};
  return {ranks, PythonDuring(facts, ranks, rule.category)};
}

// The ranks that have most of the time between operators because each does more, as findings of
// their own tell; empty: others have it, or all.
std::vector<int64_t> ToldRanks(const Facts& facts, const std::vector<RankSteps>& ranks) {
  std::set<int64_t> told;
  for (const WorkRise& rise : WorkRisesOf(facts).rises) {
    if (rise.kind == WorkKind::kBetween && rise.ranks.size() == 1) told.insert(rise.ranks.front());
  }
  if (told.empty()) return {};
  const auto most = PythonDuring(facts, ranks, StepCategory::kOther).Leaders(1, kStandsOut);
  if (most.empty()) return {};
  const std::vector<int64_t>& leads = most.front().ranks;  // ascending
  return std::ranges::includes(told, leads) ? leads : std::vector<int64_t>();
}

// ns of one rank: all of the category, or of time between operators what the function takes that is
// named, and whose price it is.
int64_t TimeToSave(const std::vector<RankSteps>& counted, StepCategory category,
                   const FrameTimes& python) {
  const int64_t all = TimeOf(SumOf(counted), category);
  const auto most = python.Leaders(1, kStandsOut);
  const bool named = category == StepCategory::kOther && !most.empty();
  return (named ? most.front().time : all) / std::ssize(counted);
}

// `all`: the ranks of the job, of which `ranks` are asked about; `told`: of them the one that
// another finding tells.
void AddFinding(const Facts& facts, const Rule& rule, const std::vector<RankSteps>& all,
                const std::vector<RankSteps>& ranks, std::optional<int64_t> told,
                const std::optional<Lead>& lead, Report& report) {
  const bool marked = !ranks.front().whole_recording;
  const bool by_function = rule.category == StepCategory::kOther && HasPython(facts);
  const StepBreakdown sum = SumOf(ranks);
  const double share = Share(TimeOf(sum, rule.category), sum.Total());
  if (share < kHigh) return;
  // Where most time is in operators, much of that between them is due to recording.
  const bool of_operators = rule.category == StepCategory::kOther &&
                            ((lead && lead->of_operators) || IsOfPartials(facts));
  if (of_operators && share < 2 * kHigh) return;
  const UnevenRanks uneven = FindUnevenRanks(ranks, rule.category);
  const auto [counted, python] = RanksToName(facts, ranks, rule, uneven);
  if (!marked && by_function && python.Leaders(1, kStandsOut).empty()) return;
  const bool some = counted.size() < all.size();
  const std::set<int64_t> numbers = RankNumbersOf(counted);
  const std::vector<int64_t> named(numbers.begin(), numbers.end());
  const Phrase on_some = some ? SayRanks(named) : Phrase();
  if (by_function && ranks.size() == all.size())
    AddName("largest_function", "largest function between operators",
            LargestFrame(python, kStandsOut), report);
  if (rule.category == StepCategory::kCompilation)
    AddName("compiled_program", "program compiled within steps", ProgramCompiled(facts, ranks),
            report);
  // Python's functions have ranks of their own.
  const bool says_ranks = !some && !HasPython(facts);
  std::optional<int64_t> rank;
  if (some && named.size() == 1) rank = named.front();
  if (says_ranks && uneven.ranks.size() == 1) rank = uneven.ranks.front();
  if (told) rank = told;
  if (const auto own = RankBehindChange(facts, all, CauseOf(rule.category))) rank = own;
  const std::string time = HumanTime(StatisticsOf(counted, rule.category).mean);
  const std::string of = HumanTime(StatisticsOfTotals(counted).mean);
  const std::string_view category = SayCategory(rule.category, facts);
  Phrase because = marked ? Say("{category}: {time} of {total} per step", category, time, of)
                          : Say("{category}: {time} of {total}", category, time, of);
  because += SayPython(python, StatisticsOfTotals(counted).steps);
  if (by_function) because += SayGrowingCalls(facts, counted, python);
  // A little here and there, as in any small model: there is nothing to take out, or not much.
  const bool no_leader = by_function && python.Leaders(1, kStandsOut).empty();
  const Phrase more = no_leader ? SayMoreOnOne(facts, counted) : Phrase();
  const bool diffuse = no_leader && more.empty() && facts.OnHost() && !some && share < 2 * kHigh;
  const int64_t cost = TimeToSave(counted, rule.category, python);
  const bool little =
      by_function && !no_leader && facts.OnHost() &&
      static_cast<double>(cost) < kLittle * static_cast<double>(ExtentOf(counted).time);
  Where where{.event = EventOf(facts, rule, counted, python)};
  Phrase message = MessageOf(facts, rule, counted, python, on_some, more, lead, where);
  if (says_ranks) message += SayUnevenRanks(uneven);
  if (const auto waits = by_function && marked ? WaitsForFileLock(python) : std::nullopt)
    message += SayFileLock(*waits, StatisticsOfTotals(counted).steps);
  const auto of_thread = by_function ? KindOfThread(facts, rank, SinceRise(facts)) : std::nullopt;
  report.findings.push_back({.message = std::move(message),
                             .because = std::move(because),
                             .hint = HintOf(rule, counted, python, facts),
                             .impact = cost,
                             .table = "step_time",
                             .cause = {of_thread.value_or(CauseOf(rule.category)), rank},
                             .nearness = Nearness::kPart,
                             .extent = ExtentOf(counted),
                             .where = std::move(where),
                             .at_most = diffuse || little ? Severity::kMedium : Severity::kHigh});
}

}  // namespace

Extent ExtentOf(const std::vector<RankSteps>& ranks) {
  const StepStatistics total = StatisticsOfTotals(ranks);
  const double steps = static_cast<double>(total.steps) / static_cast<double>(ranks.size());
  return {ToInt64(total.mean * steps), steps};
}

std::string_view SayOnce(StepCategory category) {
  return category == StepCategory::kOneTime ? kOneTimeWork : "Compilation";
}

void AddFindings(const Facts& facts, const std::vector<RankSteps>& ranks, bool has_work,
                 const std::optional<Lead>& lead, Report& report) {
  const bool idle_known = has_work && !facts.MostKernelsMissing();
  const bool marked = !ranks.front().whole_recording;
  for (const Rule& rule : Rules()) {
    // What a step spends is unknown without steps; that most of a recording happens once is not,
    // nor which function holds a host up that computes.
    const bool is_once =
        rule.category == StepCategory::kOneTime || rule.category == StepCategory::kCompilation;
    const bool by_function = rule.category == StepCategory::kOther && HasPython(facts);
    if (!marked && !is_once && !(by_function && facts.OnHost())) continue;
    // Without a device, launching and other host activity is expected.
    if (!idle_known && rule.category != StepCategory::kCompilation) continue;
    const std::vector<int64_t> told =
        by_function ? ToldRanks(facts, ranks) : std::vector<int64_t>();
    AddFinding(facts, rule, ranks, ranks,
               told.size() == 1 ? std::optional(told.front()) : std::nullopt, lead, report);
    if (told.empty()) continue;
    // What they have most of hides what others have.
    std::vector<RankSteps> others = ranks;
    std::erase_if(others, [&](const RankSteps& own) {
      return std::ranges::binary_search(told, own.rank->rank);
    });
    if (!others.empty()) AddFinding(facts, rule, ranks, others, std::nullopt, lead, report);
  }
}

void AddPrecisionFinding(const Facts& facts, const std::vector<RankSteps>& ranks,
                         const StepBreakdown& sum, Report& report) {
  const int64_t compute = sum.Compute();
  const int64_t wide = sum.Of(StepPart::kCompute32);
  const int64_t narrow = AddSaturated(sum.Of(StepPart::kCompute16), sum.Of(StepPart::kCompute8));
  const double share = Share(narrow, compute);
  // Only where most compute is known to be 32 bit, and compute is a relevant part of steps.
  if (compute == 0 || share >= kFewSixteen || Share(wide, compute) < 0.5) return;
  if (Share(compute, sum.Total()) < kModerately) return;
  report.findings.push_back(
      {.message = Say("Compute in 16 bit or less is {share} of compute time.",
                      share > 0 ? HumanRatio(share) : "0%"),
       .because = Say("{time} of compute per rank in 32 bit",
                      HumanTime(static_cast<double>(wide) / static_cast<double>(ranks.size()))),
       .hint = Say(kNarrow, facts),
       .impact = wide / 2 / static_cast<int64_t>(ranks.size()),
       .table = "step_time",
       .cause = {CauseKind::kPrecision},
       .nearness = Nearness::kPart,
       .extent = ExtentOf(ranks)});
}

constexpr Advice kRecordDevices{
    "record with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], one profiler at a time; "
    "another tool that uses "
    "CUPTI (DCGM profiling, Nsight) takes the device's records",
    "record with device_tracer_level=1, one profiler at a time; another tool that uses CUPTI (DCGM "
    "profiling, Nsight) "
    "takes the device's records",
    "record with device_tracer_level=1, one profiler at a time; another tool that uses CUPTI (DCGM "
    "profiling, Nsight) "
    "takes the device's records",
    "",
    "",
    "record with `rocprofv3 --sys-trace`, one profiler at a time",
    "record with `nsys profile --trace=cuda,nvtx`, one profiler at a time"};

void AddMissingKernels(const Facts& facts, Report& report) {
  if (!facts.MostKernelsMissing()) return;
  const Phrase what = facts.devices.empty() ? Phrase("No accelerator activity was recorded")
                                            : SayMissingKernels(facts);
  report.headline = what + ". " + report.headline;
  report.findings.push_back(
      {.severity = Severity::kHigh,
       .message = what + ".",
       .because = Say("{count} of {calls} launch calls have no activity with their correlation id",
                      HumanCount(facts.launches.without_kernel), HumanCount(facts.launches.calls)),
       .hint = Say(kRecordDevices, facts),
       .table = "launches",
       .cause = {CauseKind::kRecording}});
}

namespace {

size_t CountRanks(const Facts& facts) {
  std::set<int64_t> ranks;
  for (const RankActivity& rank : facts.ranks) ranks.insert(rank.rank);
  return ranks.size();
}

}  // namespace

void AddMissingCommunication(const Facts& facts, Report& report) {
  const MissingCommunication& missing = MissingCommunicationOf(facts);
  if (missing.world_size == 0) return;
  Phrase said =
      missing.size_told
          ? Say("Communication of the {count} ranks was not recognized", missing.world_size)
          : Say("Communication of the {count} recorded ranks was not recognized",
                CountRanks(facts));
  Phrase because = NoCommunication(facts);
  if (missing.longer) {
    const auto& [rank, share, others] = *missing.longer;
    said += Say("; rank {rank} computes {share} longer than {others}", rank, HumanRatio(share),
                others.size() == 1 ? SayRanks(others) : Phrase("the others"));
    because +=
        "; kernels that run as often on all ranks take longer there, so the others may wait "
        "for it";
  }
  report.headline += " " + said + ".";
  report.findings.push_back(
      {.severity = Severity::kMedium,
       .message = said + ".",
       .because = std::move(because),
       .hint = Say(
           "read compute time with care: in every analysis, communication counts as compute{or}; "
           "record all ranks for at least one step",
           !facts.OnHost()         ? ""
           : RecordedPython(facts) ? " or as Python between operators"
                                   : " or as time between operators"),
       .table = "step_time",
       .cause = {CauseKind::kRecording}});
}

Phrase SayUnrecorded(const Facts& facts, const std::vector<RankSteps>& ranks) {
  constexpr double kMost = 0.5;
  if (facts.MostKernelsMissing() || RecordedPython(facts)) return {};
  const StepBreakdown sum = SumOf(ranks);
  if (Share(TimeOf(sum, StepCategory::kOther), sum.Total()) < kMost) return {};
  return " " + SayNothingRecorded(facts, ranks);
}

}  // namespace overview
}  // namespace stepscope
