// Compares the mean duration of each kernel across ranks.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "analyses/all.h"
#include "analyses/build.h"
#include "base/saturate.h"
#include "facts/derived/collectives/missing_communication.h"
#include "facts/derived/steps/of_partials.h"
#include "report/humanize.h"

namespace stepscope {
namespace kernel_distribution {
namespace {

constexpr std::string_view kDoc = R"md(
**Question:** Does a kernel take the same time on every rank, and if not, which rank is the outlier?

**Definition:** Kernels that ran on at least two ranks count. `rank_means` has the mean duration of each on each
rank. `kernels` has the lowest and highest of these means, their spread = (highest - lowest) / median, and the
outlier rank, the furthest from the median. Kernels are sorted by the cost of the spread: (highest - median) ×
calls on the slowest rank. Where several devices of a rank compute, as in one process of TensorFlow or JAX, all this is
about devices.

**Limitations:** Ranks may differ in work by design, as with experts, embeddings and pipeline stages. An outlier
rank needs at least three ranks. Where processors compute there is no finding: their operators take longer by whatever
else runs there.

**Interpretation:** A compute kernel that is slower on one rank points to that device: its clock, its temperature, or
other processes. A communication kernel is shortest on the rank that arrives last, because the others wait
inside theirs. Look at the rank with the short collective.
)md";

constexpr auto kParams = std::to_array<Parameter>({
    {"deviation", Parameter::Type::kNumber, "0.1", Unit::kRatio,
     "report ranks whose mean deviates from the median by more than this"},
    {"share", Parameter::Type::kNumber, "0.01", Unit::kRatio,
     "ignore kernels below this share of kernel time"},
});

struct OnRank {
  int64_t rank = 0;
  int64_t device = -1;  // -1: all of the rank's
  int64_t count = 0;
  int64_t sum = 0;
  double Mean() const { return static_cast<double>(sum) / static_cast<double>(count); }
};

// One kernel on all ranks that ran it.
struct Kernel {
  Kind kind = Kind::kCompute;
  StringId id = 0;
  std::string_view name;
  std::vector<OnRank> ranks;  // ascending

  int64_t count = 0, sum = 0;
  double median = 0;
  const OnRank* fastest = nullptr;
  const OnRank* slowest = nullptr;
  const OnRank* odd = nullptr;  // the outlier: furthest from the median
  double Spread() const { return median > 0 ? (slowest->Mean() - fastest->Mean()) / median : 0; }
  double Cost() const { return (slowest->Mean() - median) * static_cast<double>(slowest->count); }
  double Deviation(const OnRank& rank) const { return median > 0 ? rank.Mean() / median - 1 : 0; }
};

void Summarize(Kernel& kernel) {
  std::vector<double> means;
  for (const OnRank& rank : kernel.ranks) {
    kernel.count += rank.count;
    kernel.sum = AddSaturated(kernel.sum, rank.sum);
    means.push_back(rank.Mean());
  }
  std::ranges::sort(means);
  const size_t half = means.size() / 2;
  kernel.median = means.size() % 2 == 1 ? means[half] : (means[half - 1] + means[half]) / 2;
  const auto by_mean = [](const OnRank& rank) { return rank.Mean(); };
  kernel.fastest = &*std::ranges::min_element(kernel.ranks, {}, by_mean);
  kernel.slowest = &*std::ranges::max_element(kernel.ranks, {}, by_mean);
  kernel.odd = &*std::ranges::max_element(
      kernel.ranks, {}, [&](const OnRank& rank) { return std::abs(rank.Mean() - kernel.median); });
}

// Whether several devices of one rank compute.
bool HasDevices(const Facts& facts) {
  const RankActivity* of = nullptr;
  for (const DeviceFacts& device : facts.devices) {
    if (device.total.Compute() == 0) continue;
    if (device.rank == of) return true;
    of = device.rank;
  }
  return false;
}

// Kernels that ran on at least two ranks, or devices, costliest spread first.
std::vector<Kernel> CollectKernels(const Facts& facts) {
  std::map<std::pair<Kind, StringId>, std::vector<OnRank>> found;
  std::vector<RankKernels> of_devices;
  if (HasDevices(facts)) of_devices = MeasureKernelsOfDevices(facts.ranks);
  for (const RankKernels& rank : of_devices.empty() ? facts.kernels : of_devices) {
    for (const KernelStatistics& k : rank.kernels) {
      found[{k.kind, k.name}].push_back({rank.rank, rank.device, k.count, k.sum});
    }
  }
  std::vector<Kernel> kernels;
  kernels.reserve(found.size());
  for (auto& [key, ranks] : found) {
    if (ranks.size() < 2) continue;
    kernels.push_back({key.first, key.second, (*facts.names)[key.second], std::move(ranks)});
    Summarize(kernels.back());
  }
  std::ranges::sort(kernels, [](const Kernel& a, const Kernel& b) {
    if (a.Cost() != b.Cost()) return a.Cost() > b.Cost();
    return std::pair(a.name, a.kind) < std::pair(b.name, b.kind);
  });
  return kernels;
}

int64_t Rounded(double ns) { return std::llround(ns); }

std::string KindText(Kind kind) { return std::string(KernelKindName(kind)); }

Cell DeviceOf(const OnRank& rank) { return When(rank.device >= 0, rank.device); }

// With two ranks the outlier is unknown.
bool HasOutlier(const Kernel& kernel) {
  return kernel.ranks.size() >= 3 && kernel.odd->Mean() != kernel.median;
}

Table KernelTable(const std::vector<Kernel>& kernels) {
  Table table{
      .key = "kernels",
      .title = "Kernel spread across ranks",
      .columns = {KeyColumn("name", "name"), Words(KeyColumn("kind", "kind")),
                  CountColumn("ranks", "ranks"), CountColumn("count", "count"),
                  TimeColumn("mean", "mean"), TimeColumn("min", "lowest mean"),
                  ValueColumn("fastest_rank", "fastest rank"),
                  ValueColumn("fastest_device", "fastest device"),
                  TimeColumn("max", "highest mean"), ValueColumn("slowest_rank", "slowest rank"),
                  ValueColumn("slowest_device", "slowest device"),
                  RatioColumn("spread", "spread, % of median"),
                  ValueColumn("odd_rank", "outlier rank"),
                  ValueColumn("odd_device", "outlier device")},
      .text_rows = 10};
  for (const Kernel& k : kernels) {
    const double mean = static_cast<double>(k.sum) / static_cast<double>(k.count);
    table.rows.push_back(
        {std::string(k.name), KindText(k.kind), static_cast<int64_t>(k.ranks.size()), k.count,
         Rounded(mean), Rounded(k.fastest->Mean()), k.fastest->rank, DeviceOf(*k.fastest),
         Rounded(k.slowest->Mean()), k.slowest->rank, DeviceOf(*k.slowest), k.Spread(),
         When(HasOutlier(k), k.odd->rank), HasOutlier(k) ? DeviceOf(*k.odd) : Cell()});
  }
  return table;
}

Table MeanTable(const std::vector<Kernel>& kernels) {
  Table table{.key = "rank_means",
              .title = "Mean duration per rank",
              .columns = {KeyColumn("name", "name"), Words(KeyColumn("kind", "kind")),
                          KeyColumn("rank", "rank"), KeyColumn("device", "device"),
                          CountColumn("count", "count"), TimeColumn("mean", "mean")},
              .text_rows = 0};
  for (const Kernel& k : kernels) {
    for (const OnRank& rank : k.ranks) {
      table.rows.push_back({std::string(k.name), KindText(k.kind), rank.rank, DeviceOf(rank),
                            rank.count, Rounded(rank.Mean())});
    }
  }
  return table;
}

// The deviations of one rank, summed over all kernels that it is slower in.
struct Deviant {
  double cost = 0;  // ns on that rank
  int64_t kernels = 0;
  const Kernel* worst = nullptr;
  const OnRank* rank = nullptr;  // of that one
  double worst_cost = 0;
};

using Deviants = std::map<std::pair<int64_t, int64_t>, Deviant>;  // by rank and device

void AddDeviation(Deviants& deviants, const Kernel& kernel, const OnRank& rank) {
  Deviant& d = deviants[{rank.rank, rank.device}];
  const double cost = (rank.Mean() - kernel.median) * static_cast<double>(rank.count);
  d.cost += cost;
  ++d.kernels;
  if (d.worst == nullptr || cost > d.worst_cost) {
    d.worst = &kernel;
    d.rank = &rank;
    d.worst_cost = cost;
  }
}

const Deviant* Worst(const Deviants& deviants) {
  const auto worst =
      std::ranges::max_element(deviants, {}, [](const auto& d) { return d.second.cost; });
  return worst == deviants.end() ? nullptr : &worst->second;
}

// The ranks that lose about as much, and so are as slow.
std::vector<int64_t> RanksLike(const Deviants& deviants, const Deviant& worst) {
  constexpr double kAsMuch = 0.75;
  std::vector<int64_t> ranks;
  for (const auto& [place, d] : deviants) {
    if (d.cost >= kAsMuch * worst.cost) ranks.push_back(place.first);
  }
  const auto again = std::ranges::unique(ranks);
  ranks.erase(again.begin(), again.end());
  return ranks;
}

Phrase PlaceOf(const Facts& facts, const OnRank& rank) {
  return SayPlace(facts, rank.rank, rank.device);
}

std::string_view Noun(const OnRank& rank) { return rank.device >= 0 ? "device" : "rank"; }

Phrase Evidence(const Facts& facts, const Deviant& d) {
  const Kernel& k = *d.worst;
  const Phrase which =
      d.kernels == 1 ? Phrase() : Say("{count} kernels deviate; worst: ", d.kernels);
  return which + Say("{kernel}{within} has mean {mean} on {who} vs median {median} of {count} "
                     "{noun}s ({change})",
                     ShortNameOf(facts, k.id), InModule(facts, k.id), HumanTime(d.rank->Mean()),
                     PlaceOf(facts, *d.rank), HumanTime(k.median),
                     HumanCount(static_cast<int64_t>(k.ranks.size())), Noun(*d.rank),
                     fmt::format("{:+.0f}%", k.Deviation(*d.rank) * 100));
}

void AddFindings(Report& report, const Facts& facts, const std::vector<Kernel>& kernels,
                 const Params& params) {
  // Operators of hosts take longer by whatever else runs there: `stragglers` and `steps` tell that
  // from more work.
  if (facts.OnHost()) return;
  int64_t total = 0;
  for (const Kernel& k : kernels) total = AddSaturated(total, k.sum);
  const double share = params.Number("share"), most = params.Number("deviation");
  const MissingCommunication& missing = MissingCommunicationOf(facts);
  Deviants slow;
  for (const Kernel& k : kernels) {
    if (k.ranks.size() < 3 || static_cast<double>(k.sum) < share * static_cast<double>(total))
      continue;
    // The duration of a collective contains wait time, which `stragglers` covers.
    if (k.kind == Kind::kCommunication || missing.MayBe(k.id)) continue;
    for (const OnRank& rank : k.ranks) {
      if (k.Deviation(rank) > most) AddDeviation(slow, k, rank);
    }
  }
  if (const Deviant* d = Worst(slow)) {
    const Phrase who = PlaceOf(facts, *d->rank);
    const std::vector<int64_t> alike = RanksLike(slow, *d);
    report.findings.push_back(
        {.message = alike.size() == 1 ? Say("{who} runs kernels slower than the other {noun}s.",
                                            Capitalized(who), Noun(*d->rank))
                                      : Say("{ranks} run kernels slower than the other {noun}s.",
                                            Capitalized(SayRanks(alike)), Noun(*d->rank)),
         .because = Evidence(facts, *d),
         .hint = d->rank->device >= 0
                     ? Say("check {device}: clocks and temperature ({command}), other processes, "
                           "more work than other devices; see stragglers",
                           who, CommandForClocks(facts))
                     : Say("check the device of {rank}: clocks and temperature ({command}), other "
                           "processes, more work than other ranks; see stragglers",
                           who, CommandForClocks(facts)),
         .impact = Rounded(d->cost),
         .table = "kernels",
         .cause = {CauseKind::kCompute, d->rank->rank},
         .nearness = Nearness::kPart});
  }
}

Report Run(const Facts& facts, const Params& params) {
  Report report = StartReport(kKernelDistribution, facts);
  if (report.status == Status::kUnavailable) return report;
  const std::vector<Kernel> kernels = CollectKernels(facts);
  if (kernels.empty()) {
    MakeUnavailable(report, HasDevices(facts) ? "no kernel ran on more than one device"
                                              : "no kernel ran on more than one rank");
    return report;
  }
  const Kernel& first = kernels.front();
  report.headline =
      Say("{kernels} ran on several {noun}s; largest cost of spread: {kernel} ({fast} on "
          "{fastest}, {slow} on {slowest}).",
          Plural(kernels.size(), "kernel"), Noun(*first.slowest), ShortNameOf(facts, first.id),
          HumanTime(first.fastest->Mean()), PlaceOf(facts, *first.fastest),
          HumanTime(first.slowest->Mean()), PlaceOf(facts, *first.slowest));
  report.tables.push_back(KernelTable(kernels));
  report.tables.push_back(MeanTable(kernels));
  // Whether a kernel waits for others is known of whole recordings alone where a rank has several
  // devices.
  if (std::ranges::all_of(facts.ranks, TellsLateRanks)) AddFindings(report, facts, kernels, params);
  return report;
}

}  // namespace
}  // namespace kernel_distribution

const Analysis kKernelDistribution = {
    .name = "kernel_distribution",
    .title = "Kernel time by rank",
    .label = "Kernels by rank",
    .group = AnalysisGroup::kRanks,
    .summary = "Kernels slower on some ranks",
    .doc = kernel_distribution::kDoc,
    .needs = kRankActivityNeeds,
    .of_partials = OfPartials::kAllSteps,
    .params = kernel_distribution::kParams,
    .run = &kernel_distribution::Run,
};

}  // namespace stepscope
