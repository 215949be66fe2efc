// Compares compute and idle time of ranks in each step; the data of a heat map.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "analyses/all.h"
#include "analyses/build.h"
#include "base/robust.h"
#include "base/saturate.h"
#include "facts/derived/collectives/exposed_waits.h"
#include "facts/derived/lateness/stages.h"
#include "facts/derived/steps/step_changes.h"
#include "facts/derived/steps/step_parts.h"
#include "report/humanize.h"
#include "report/kinds.h"

namespace stepscope {
namespace imbalance {
namespace {

constexpr std::string_view kDoc = R"md(
**Question:** Do all ranks have equal compute in every step, and if not, is it always the same rank?

**Definition:** Per rank and step, `step_time` is the span of its activities: from the start of the first to the end of
the last activity that the host launched in the step. The step time of `overview` has the host's part too. The parts of
the span are `compute` (the union of compute kernels), `exposed` communication, `idle`, and the rest, which is exposed
copies. `wait` is the part of `exposed` until the last rank has entered the collective, `own` the span without it.
`typical`: the step counts for means. `steps` has the spread of every step over its ranks: spread = (largest -
smallest) / largest. Clocks of different ranks are not compared.

**Limitations:** Activities launched outside steps do not count. In data-parallel training, every rank waits for the
slowest, so spans are equal and only compute shows the cause. `exposed` contains that wait time.

**Interpretation:** Color ranks over steps by `compute`. A row that stands out is a slow device or a larger share of the
work; a column is a step with unusual data. A few ranks that compute longer than all others in nearly all steps are named
together. Pipeline stages and expert-parallel ranks differ by design. A single rank that others wait for is a finding of
`stragglers`. Where processors compute, imbalance is a finding if one rank computes
longer by twice what that varies, or if inputs are unequal; otherwise other programs on the machine explain it.
)md";

constexpr auto kParams = std::to_array<Parameter>({
    {"share", Parameter::Type::kNumber, "0.05", Unit::kRatio,
     "ignore imbalance below this share of the longest compute"},
});

// One rank in one step.
struct InStep {
  const DeviceFacts* device = nullptr;
  const Occupancy* activity = nullptr;
};
using Steps = std::map<int64_t, std::vector<InStep>>;

// Ranks that only copy for others do not count as ranks with little compute.
bool Computes(const DeviceFacts& device) { return device.total.Compute() > 0; }

Steps CollectSteps(const Facts& facts) {
  Steps steps;
  for (const DeviceFacts& device : facts.devices) {
    if (!Computes(device)) continue;
    for (size_t s = 0; s < device.by_step.size(); ++s) {
      if (!device.by_step[s].any) continue;
      steps[device.rank->steps[s].number].push_back({&device, &device.by_step[s]});
    }
  }
  return steps;
}

// ns that devices wait in collectives of steps and compute nothing, by recording, device and step,
// all indices.
using Waits = std::map<std::tuple<uint32_t, uint32_t, int32_t>, int64_t>;

Waits WaitsOf(const Facts& facts) {
  ExposedWaits exposed(facts);
  std::map<Waits::key_type, std::vector<PartWait>> parts;
  for (const PartWait& wait : exposed.All()) {
    const RankActivity& rank = facts.ranks[wait.part->recording];
    const Activity& activity = rank.activities[wait.part->activity];
    if (activity.step == kNoStep) continue;
    const uint32_t device = rank.streams[activity.stream].device_index;
    parts[{wait.part->recording, device, activity.step}].push_back(wait);
  }
  Waits waits;
  for (const auto& [key, of_step] : parts) waits[key] = exposed.Of(of_step);
  return waits;
}

// Numbers of the steps of a recording that count for means.
std::set<int64_t> TypicalNumbers(const Facts& facts, const RankActivity* rank) {
  std::set<int64_t> numbers;
  const std::vector<RankSteps>& all = TypicalStepsOf(facts).ranks;
  if (const auto own = std::ranges::find(all, rank, &RankSteps::rank); own != all.end()) {
    for (const StepBreakdown& step : own->steps) numbers.insert(step.window.number);
  }
  return numbers;
}

Table MatrixTable(const Facts& facts) {
  Table table{.key = "matrix", .title = "Ranks by step", .columns = DeviceKeys(), .text_rows = 0};
  AddColumns(table, {KeyColumn("step", "step"), TimeColumn("step_time", "span"),
                     TimeColumn("compute", "compute"), TimeColumn("exposed", "exposed"),
                     TimeColumn("idle", "idle")});
  SetKinds(table, {{"compute", ColumnKind::kCompute},
                   {"exposed", ColumnKind::kCommunication},
                   {"idle", ColumnKind::kIdle}});
  const Waits waits = WaitsOf(facts);
  if (!waits.empty()) {
    AddColumns(table, {TimeColumn("own", "without waiting"),
                       TimeColumn("wait", "waiting for other devices")});
    SetKinds(table, {{"wait", ColumnKind::kWait}});
  }
  table.columns.push_back(Words({"typical", "typical", Unit::kNone, Role::kValue, true}));
  for (const DeviceFacts& device : facts.devices) {
    const std::set<int64_t> typical = TypicalNumbers(facts, device.rank);
    const auto recording = static_cast<uint32_t>(device.rank - facts.ranks.data());
    for (size_t s = 0; s < device.by_step.size(); ++s) {
      const Occupancy& o = device.by_step[s];
      if (!o.any) continue;
      const int64_t number = device.rank->steps[s].number;
      auto row = DeviceCells(device);
      row.insert(row.end(), {number, o.Span(), o.Compute(), o.Exposed(), o.Idle()});
      if (!waits.empty()) {
        const auto at = waits.find({recording, device.device_index, static_cast<int32_t>(s)});
        const int64_t wait = at == waits.end() ? 0 : std::min(at->second, o.Exposed());
        row.insert(row.end(), {o.Span() - wait, wait});
      }
      row.emplace_back(typical.contains(number) ? "yes" : "no");
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

struct Spread {
  int64_t min = INT64_MAX, max = 0;
  double sum = 0;
  const DeviceFacts* longest = nullptr;

  void Add(int64_t value, const DeviceFacts* device) {
    if (longest == nullptr || value > max) longest = device;
    min = std::min(min, value);
    max = std::max(max, value);
    sum += static_cast<double>(value);
  }
};

struct StepSpread {
  int64_t ranks = 0;
  Spread time, compute, exposed;
};

StepSpread Measure(const std::vector<InStep>& cells) {
  StepSpread spread{.ranks = std::ssize(cells)};
  for (const InStep& cell : cells) {
    spread.time.Add(cell.activity->Span(), cell.device);
    spread.compute.Add(cell.activity->Compute(), cell.device);
    spread.exposed.Add(cell.activity->Exposed() + cell.activity->Idle(), cell.device);
  }
  return spread;
}

// `devices`: ranks have several.
Table StepTable(const std::map<int64_t, StepSpread>& steps, bool devices) {
  Table table{
      .key = "steps",
      .title = "Step spread across ranks",
      .columns = {KeyColumn("step", "step"), CountColumn("ranks", "ranks"),
                  TimeColumn("step_time_min", "min span"), TimeColumn("step_time_max", "max span"),
                  RatioColumn("step_time_spread", "spread, % of max"),
                  TimeColumn("compute_min", "min compute"),
                  TimeColumn("compute_max", "max compute"),
                  ValueColumn("compute_max_rank", "max compute rank"),
                  ValueColumn("compute_max_device", "its device", Unit::kNone, !devices),
                  RatioColumn("compute_spread", "compute spread, % of max")},
      .text_rows = 8};
  for (const auto& [step, s] : steps) {
    table.rows.push_back({step, s.ranks, s.time.min, s.time.max,
                          Ratio(s.time.max - s.time.min, s.time.max), s.compute.min, s.compute.max,
                          s.compute.longest->rank->rank, s.compute.longest->device,
                          Ratio(s.compute.max - s.compute.min, s.compute.max)});
  }
  return table;
}

// Sums over all steps that several ranks have.
struct Totals {
  double uneven = 0;   // ns: the longest compute minus the mean
  double longest = 0;  // ns: the longest compute
  double waiting = 0;  // ns: exposed and idle of the mean rank, the most that balancing can save
  struct Longest {
    int64_t steps = 0;
    double uneven = 0;  // ns, in these steps
  };
  // The steps in which each device had the longest compute; in the order of facts.devices.
  std::map<const DeviceFacts*, Longest> most;

  double Share() const { return longest > 0 ? uneven / longest : 0; }

  // Whether that device is behind most of it, be it in few steps, and twice as much as any other:
  // of two, one is behind half of it by chance.
  bool StandsOut(const DeviceFacts* device) const {
    constexpr double kTwice = 2;
    const double own = most.at(device).uneven;
    return own * 2 > uneven && std::ranges::all_of(most, [&](const auto& m) {
             return m.first == device || own >= kTwice * m.second.uneven;
           });
  }

  // The device behind most of the imbalance, and how often. REQUIRES: Share() > 0.
  const std::pair<const DeviceFacts* const, Longest>& Worst() const {
    return *std::ranges::max_element(most, {}, [](const auto& m) { return m.second.uneven; });
  }
};

Totals AddUp(const std::map<int64_t, StepSpread>& steps) {
  Totals t;
  for (const auto& [step, s] : steps) {
    const auto ranks = static_cast<double>(s.ranks);
    const double uneven = static_cast<double>(s.compute.max) - s.compute.sum / ranks;
    t.uneven += uneven;
    t.longest += static_cast<double>(s.compute.max);
    t.waiting += s.exposed.sum / ranks;
    if (s.compute.max == s.compute.min) continue;
    Totals::Longest& longest = t.most[s.compute.longest];
    ++longest.steps;
    longest.uneven += uneven;
  }
  return t;
}

// What is compared: "device" where a rank has several.
std::string_view Noun(const Facts& facts) {
  const bool several = std::ranges::any_of(
      facts.devices, [](const DeviceFacts& device) { return device.rank->devices.size() > 1; });
  return several ? "device" : "rank";
}

// Whether most wait time in collectives is for that device. Then stragglers reports it.
bool IsWaitedFor(const CollectiveFacts& c, const DeviceFacts& device) {
  int64_t all = 0;
  for (const RankCollectives& r : c.ranks) all = AddSaturated(all, r.blame);
  const uint32_t participant = c.ParticipantOf(device.rank->rank, device.device);
  const int64_t own = participant == kNobody ? 0 : c.ranks[participant].blame;
  return all > 0 && own >= all / 2;
}

// How far beyond the median of the others a device computes in its steps, over how much that
// varies, as a standard deviation; 0 where few steps tell.
double Clearness(const Steps& steps, const DeviceFacts* device) {
  constexpr size_t kEnough = 4;
  std::vector<double> beyond;
  for (const auto& [step, cells] : steps) {
    std::vector<double> others;
    double own = 0;
    for (const InStep& cell : cells) {
      const auto compute = static_cast<double>(cell.activity->Compute());
      if (cell.device == device)
        own = compute;
      else
        others.push_back(compute);
    }
    if (!others.empty()) beyond.push_back(own - Median(std::move(others)));
  }
  if (beyond.size() < kEnough) return 0;
  const double median = Median(beyond);
  for (double& b : beyond) b = std::abs(b - median);
  const double varies = kDeviationPerMad * Median(std::move(beyond));
  return varies > 0 ? median / varies : median > 0 ? HUGE_VAL : 0;
}

// By how much the mean rank has smaller inputs than the one that computes longest in each step;
// absent: sizes were not recorded.
std::optional<double> UnevenWork(const Facts& facts, const Steps& steps) {
  const std::vector<StepParts>& ranks = StepPartsOf(facts);
  double longest = 0, mean = 0;
  for (size_t s = 0; !ranks.empty() && s < ranks.front().steps.size(); ++s) {
    const auto cells = steps.find(ranks.front().steps[s]);
    if (cells == steps.end()) continue;
    const InStep& most = *std::ranges::max_element(
        cells->second, {}, [](const InStep& cell) { return cell.activity->Compute(); });
    for (const StepParts& rank : ranks) {
      double elements = 0;
      for (const auto& [name, op] : rank.operators) elements += static_cast<double>(op.elements[s]);
      if (rank.rank == most.device->rank->rank) longest += elements;
      mean += elements / static_cast<double>(ranks.size());
    }
  }
  return longest > 0 ? std::optional((longest - mean) / longest) : std::nullopt;
}

// Operators of hosts take longer or shorter by whatever else runs there: imbalance is that one rank
// computes longer in nearly all steps, or that those with larger inputs do. Where all are known to
// have inputs as large, no data can be balanced. Stages of a pipeline have unequal work by design,
// and `stragglers` compares them.
bool MayBeLoad(const Facts& facts, const Steps& steps, const Totals& t, double least) {
  constexpr double kClear = 2;
  if (!facts.OnHost()) return false;
  if (TiedByMessages(facts)) return true;
  const DeviceFacts* most = t.Worst().first;
  const std::optional<double> uneven = UnevenWork(facts, steps);
  if (uneven.value_or(0) >= least) return false;
  return Clearness(steps, most) < kClear || (uneven && !t.StandsOut(most));
}

struct Longer {
  std::vector<int64_t> ranks;  // empty: one alone, or all alike
  size_t all = 0;              // ranks
};

// Of accelerators the ranks that compute longer than all others: in nearly all steps, each is
// nearer to the longest than to the mean.
Longer LongerRanks(const Facts& facts, const Steps& steps) {
  constexpr size_t kEnough = 3;
  constexpr double kNearlyAll = 0.8;
  if (facts.OnHost() || steps.size() < kEnough) return {};
  std::map<int64_t, size_t> times;  // by rank
  std::set<int64_t> ranks;
  for (const auto& [step, cells] : steps) {
    const StepSpread spread = Measure(cells);
    const double mean = spread.compute.sum / static_cast<double>(spread.ranks);
    const double between = (mean + static_cast<double>(spread.compute.max)) / 2;
    std::set<int64_t> longer;
    for (const InStep& cell : cells) {
      const int64_t rank = cell.device->rank->rank;
      ranks.insert(rank);
      if (static_cast<double>(cell.activity->Compute()) > between) longer.insert(rank);
    }
    for (const int64_t rank : longer) ++times[rank];
  }
  Longer longer{.ranks = {}, .all = ranks.size()};
  for (const auto& [rank, count] : times) {
    if (static_cast<double>(count) >= kNearlyAll * static_cast<double>(steps.size()))
      longer.ranks.push_back(rank);
  }
  if (longer.ranks.size() < 2 || longer.ranks.size() == ranks.size()) longer.ranks.clear();
  return longer;
}

// Of several that compute longer than all others. Were they as fast, a step would take what they
// compute longer than those: that is more than they do than the mean, which they are part of.
Finding FindingOfSeveral(const Totals& t, const Longer& longer, const Phrase& less) {
  const Phrase who = SayRanks(longer.ranks);
  const auto all = static_cast<double>(longer.all);
  const double beyond_others = all / (all - static_cast<double>(longer.ranks.size()));
  return {.message = Say("Compute imbalance is {share} of the longest compute: {ranks} compute "
                         "longest.",
                         HumanRatio(t.Share()), who),
          .because = Say("{less}; {ranks} are nearer to it than to the mean in nearly all steps",
                         less, who),
          .hint = Say("check whether {ranks} are slower or have more work; see kernel_distribution",
                      who),
          .impact = ToInt64(beyond_others * std::min(t.uneven, t.waiting)),
          .table = "steps",
          .cause = {CauseKind::kCompute},
          .nearness = Nearness::kPart,
          .where = {.ranks = longer.ranks}};
}

// One of the devices of a rank.
Where WhereOf(const DeviceFacts& device) {
  if (device.rank->devices.size() < 2) return {};
  return {.ranks = {device.rank->rank}, .device = device.device};
}

void AddFinding(Report& report, const Facts& facts, const Totals& t, const Steps& all,
                size_t steps) {
  const auto& [device, longest] = t.Worst();
  const bool of_one = t.StandsOut(device);
  const Phrase less = Say("over {steps}, {noun}s compute {time} less than the slowest on average",
                          Plural(steps, "step"), Noun(facts), HumanTime(t.uneven));
  if (const Longer longer = LongerRanks(facts, all); !longer.ranks.empty()) {
    report.findings.push_back(FindingOfSeveral(t, longer, less));
    return;
  }
  if (longest.uneven * 2 > t.uneven && IsWaitedFor(facts.collectives, *device)) return;
  const Phrase who = SayDevice(*device);
  const double impact = std::min(t.uneven, t.waiting);
  report.findings.push_back(
      {.message =
           Say("Compute imbalance is {share} of the longest compute.", HumanRatio(t.Share())),
       .because = of_one ? Say("{less}; worst: {who} (slowest in {slowest})", less, who,
                               Plural(static_cast<size_t>(longest.steps), "step"))
                         : Say("{less}; no {noun} stands out", less, Noun(facts)),
       .hint = of_one ? Say("check whether {who} is slower or has more work; see "
                            "kernel_distribution",
                            who)
                      : "balance the data: pack or sort sequences by length, so that all ranks get "
                        "equal work in each step",
       .impact = static_cast<int64_t>(impact),
       .table = "steps",
       .cause = {CauseKind::kCompute, of_one ? std::optional(device->rank->rank) : std::nullopt},
       .nearness = Nearness::kPart,
       .where = of_one ? WhereOf(*device) : Where()});
}

Report Run(const Facts& facts, const Params& params) {
  Report report = StartReport(kImbalance, facts);
  if (report.status == Status::kUnavailable) return report;
  if (facts.devices.size() == 1) {
    MakeUnavailable(report, "only one rank has device activity");
    return report;
  }
  if (!facts.HasSteps()) {
    MakeUnavailable(report, Say("no steps are marked: {advice}", Say(kMarkSteps, facts)));
    return report;
  }
  if (std::ranges::count_if(facts.devices, Computes) < 2) {
    MakeUnavailable(report, "fewer than two devices compute");
    return report;
  }
  std::map<int64_t, StepSpread> spreads;
  const Steps steps = CollectSteps(facts);
  for (const auto& [step, cells] : steps) {
    if (cells.size() > 1) spreads.emplace(step, Measure(cells));
  }
  if (spreads.empty()) {
    MakeUnavailable(report, "no step has activities on two ranks");
    return report;
  }
  const Totals t = AddUp(spreads);
  const std::string_view noun = Noun(facts);
  report.headline =
      Say("Over {steps}, {noun}s compute {share} less than the slowest {noun}, on average.",
          Plural(spreads.size(), "step"), noun, HumanRatio(t.Share()));
  report.metrics = {{"compute_imbalance", "imbalance, % of longest", t.Share(), Unit::kRatio}};
  report.tables.push_back(StepTable(spreads, noun == "device"));
  report.tables.push_back(MatrixTable(facts));
  const double least = params.Number("share");
  if (t.Share() < least || t.Share() <= 0) return report;
  if (!MayBeLoad(facts, steps, t, least)) AddFinding(report, facts, t, steps, spreads.size());
  return report;
}

}  // namespace
}  // namespace imbalance

const Analysis kImbalance = {
    .name = "imbalance",
    .title = "Rank imbalance",
    .label = "Imbalance",
    .group = AnalysisGroup::kRanks,
    .summary = "Compute and idle time by rank and step",
    .doc = imbalance::kDoc,
    .needs = kRankActivityNeeds,
    .of_partials = OfPartials::kYes,
    .params = imbalance::kParams,
    .run = &imbalance::Run,
};

}  // namespace stepscope
