// Measures how much communication overlaps with compute.
//
// Communication is overlapped at an instant when any compute kernel runs on the same device at that
// instant. Both sides are unions, so several concurrent kernels count once.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "analyses/all.h"
#include "analyses/build.h"
#include "analyses/comm_overlap_buffers.h"
#include "analyses/comm_overlap_objects.h"
#include "analyses/late_rank.h"
#include "analyses/partial_note.h"
#include "analyses/slow_stage.h"
#include "facts/derived/collectives/exposed_waits.h"
#include "facts/derived/collectives/gradient_syncs.h"
#include "facts/derived/collectives/step_times.h"
#include "facts/derived/lateness/stages.h"
#include "facts/derived/lateness/work_rises.h"
#include "facts/derived/modules/modules.h"
#include "facts/derived/python/called_communication.h"
#include "report/humanize.h"
#include "report/kinds.h"

namespace stepscope {
namespace comm_overlap {
namespace {

constexpr std::string_view kDoc = R"md(
**Question:** How much communication overlaps with compute, and how much is exposed?

**Definition:** Communication is the union of communication kernels of every library (NCCL, RCCL, symmetric
memory, NVSHMEM, ...) on a device. `overlapped` is the part during which any compute kernel runs, `exposed`
the rest, and overlap_ratio = overlapped / communication. A kernel is communication if it carries a
collective's name, by its own name, or if a collective's call launched it.

Gradients are all-reduced repeatedly where several backward passes of DistributedDataParallel, each with as many
all-reduces of the same sizes, lie between every two steps of an optimizer on one thread.

**Limitations:** The cause of long communication is not shown here. A rank that arrives early waits inside the
kernel, so its exposed time is caused by another rank. Overlap has a cost too: compute and communication share memory
bandwidth and multiprocessors.

The finding is of typical steps where there are any and each rank has one device, as `breakdown` tells it.

**Interpretation:** Compare `exposed` with span. In data-parallel training, under 5% of span is good. If it is
much more, use smaller or earlier buckets, prefetch, or send less.
)md";

constexpr double kMinShare = 0.05;  // of step time, or of the span

struct Exposed {
  int64_t communication = 0, exposed = 0, span = 0;
  const DeviceFacts* worst = nullptr;
};

Exposed AddUp(const Facts& facts) {
  Exposed sum;
  for (const DeviceFacts& device : facts.devices) {
    sum.communication += device.total.Communication();
    sum.exposed += device.total.Exposed();
    sum.span += device.total.Span();
    if (sum.worst == nullptr || device.total.Exposed() > sum.worst->total.Exposed()) {
      sum.worst = &device;
    }
  }
  return sum;
}

Phrase HintFor(const Facts& facts, bool waits) {
  if (waits)
    return "see in stragglers which ranks are late: if always one, look at it; if they are late in "
           "turn, balance inputs, and look for other work on their machines";
  if (TiedByMessages(facts)) return kFillPipeline;
  return HideCommunication(facts) + "; " + "see stragglers for wait time";
}

// "; most exposed: ncclAllGather in Shard_0"; empty where no module launched most of it.
Phrase SayMostExposed(const Facts& facts) {
  const Modules& modules = ModulesOf(facts);
  std::map<StringId, double> times;
  for (const auto& [key, time] : modules.exposed) times[key.first] += time;
  const auto most = std::ranges::max_element(times, {}, [&](const auto& entry) {
    return std::pair(entry.second, (*facts.names)[entry.first]);
  });
  if (most == times.end()) return "";
  const std::string place = modules.PlaceOf(most->first, modules.exposed);
  if (place.empty()) return "";
  return "; " + Say("most exposed: {kernel} in {module}", ShortNameOf(facts, most->first),
                    Phrase::Name(place));
}

// "; 12.0 ms per device in all_gather_object".
Phrase SayObjects(const ObjectCollectives& objects, int64_t devices) {
  return "; " + Say("{time} per device in {function}",
                    HumanTime(static_cast<double>(objects.time) / static_cast<double>(devices)),
                    objects.name.empty() ? Phrase("pickled objects and their sizes")
                                         : Phrase::Name(std::string(objects.name)));
}

// "; 45.2% of communication is in all_gather_object, called by collect (hooks.py:11)".
Phrase SayCalled(const CalledCommunication& called, const Exposed& sum) {
  const double share = static_cast<double>(called.time) /
                       static_cast<double>(std::max<int64_t>(sum.communication, 1));
  return Say("; {share} of communication is in {function}, called by {caller}",
             HumanRatio(std::min(share, 1.0)), Phrase::Name(std::string(called.function)),
             Phrase::Name(LabelOf(called.caller)));
}

// Of communication that is not the gradients' alone, advice for what a function calls comes first;
// where it has most, that is all.
Phrase HintForCalled(const CalledCommunication& called, bool most, const Phrase& rest) {
  const Phrase hint = AdviseOnCalls(called);
  return most ? hint : hint + "; " + rest;
}

// Exposed communication, ns of one device or rank.
struct Told {
  int64_t exposed = 0, waiting = 0;  // the first has the second
  Extent of;
  bool in_steps = false;

  double Share(int64_t time) const {
    return static_cast<double>(time) / static_cast<double>(std::max<int64_t>(of.time, 1));
  }
};

// Of typical steps, as `breakdown` tells it. Several devices of a rank have one breakdown: what one
// of them exposes may be hidden there.
std::optional<Told> ToldOfSteps(const Facts& facts) {
  const TypicalTimes& times = TypicalTimesOf(facts);
  const bool whole = times.now.empty() || RankStepsOf(facts).front().whole_recording;
  if (whole || facts.devices.size() != facts.ranks.size()) return std::nullopt;
  const StepTimes sum = TypicalTimes::Sum(times.now);
  const auto ranks = static_cast<int64_t>(times.now.size());
  const int64_t waiting = sum.time[kWaitPart] / ranks;
  const int64_t rest = sum.time[static_cast<size_t>(StepCategory::kDeviceCollectives)] / ranks;
  const double steps = static_cast<double>(sum.steps) / static_cast<double>(ranks);
  return Told{rest + waiting, waiting, {sum.total / ranks, steps}, true};
}

// Of the spans.
Told ToldOfSpans(const Facts& facts, const Exposed& sum) {
  const auto devices = static_cast<int64_t>(facts.devices.size());
  return {.exposed = sum.exposed / devices,
          .waiting = std::min(ExposedWaits(facts).Total(), sum.exposed) / devices,
          .of = {.time = sum.span / devices}};
}

// "Exposed communication beyond wait time is 18.7% of step time."
Phrase SayExposed(const Told& told, bool waits, const Phrase& called) {
  const int64_t said = waits ? told.exposed : told.exposed - told.waiting;
  return Say("Exposed communication{beyond} is {share} of {whole}{called}.",
             told.waiting > told.exposed / 100 && !waits ? " beyond wait time" : "",
             HumanRatio(told.Share(said)), told.in_steps ? "step time" : "span", called);
}

// "; most on rank 1 (1.00 s)", where that is much more than on the others.
Phrase SayMostExposed(const Facts& facts, const Exposed& sum) {
  constexpr double kMuchMore = 1.25;  // of the mean
  const auto most = static_cast<double>(sum.worst->total.Exposed());
  const auto devices = static_cast<double>(facts.devices.size());
  if (most * devices < kMuchMore * static_cast<double>(sum.exposed)) return {};
  return Say("; most on {device} ({time})", SayDevice(*sum.worst), HumanTime(most));
}

// "836 ms of 1.32 s communication per rank, 217 ms of it wait time; most on rank 1 (1.00 s)": of
// all that was recorded.
Phrase SayRecorded(const Facts& facts, const Exposed& sum, int64_t waiting) {
  const auto mean = [&](int64_t time) {
    return HumanTime(static_cast<double>(time) / static_cast<double>(facts.devices.size()));
  };
  return Say("{exposed} of {communication} communication per {noun}{waiting}{most}",
             mean(sum.exposed), mean(sum.communication), DeviceNoun(facts),
             waiting == 0 ? Phrase() : Say(", {time} of it wait time", mean(waiting)),
             SayMostExposed(facts, sum));
}

// Of ranks that have more work in turn, each waits for the others while these have it: why a rank
// waits so long (ns) is that work.
CauseKind CauseOfWaits(const Facts& facts, int64_t waiting) {
  const WorkRises& work = WorkRisesOf(facts);
  for (const WorkRise& rise : work.rises) {
    if (!rise.in_turn || work.ranks == 0) continue;
    if (2 * (rise.Total() / work.ranks) >= waiting) return CauseOf(ReasonOf(facts, rise));
  }
  return CauseKind::kWait;
}

// Where a function of the user's has a part of all communication that counts. Sends and receives
// of a pipeline are what its stages are tied by.
std::optional<CalledCommunication> FindUserCalls(const Facts& facts, const Exposed& sum) {
  if (TiedByMessages(facts)) return std::nullopt;
  const auto& called = CalledCommunicationOf(facts);
  return called && CountsIn(called->time, sum.communication) ? called : std::nullopt;
}

void AddFinding(Report& report, const Facts& facts, const Exposed& sum) {
  const Told of_spans = ToldOfSpans(facts, sum);
  const Told told = ToldOfSteps(facts).value_or(of_spans);
  if (told.Share(told.exposed) < kMinShare) return;
  // Wait time is caused by late ranks, and is a finding of `stragglers`. What would remain without
  // late ranks is a finding of its own, if it is worth saying.
  const int64_t rest = told.exposed - told.waiting;
  const bool waits = told.waiting > told.exposed / 2 && told.Share(rest) < kMinShare;
  const ObjectCollectives objects = FindObjectCollectives(facts);
  const bool of_objects = objects.time > sum.exposed / 2;
  const auto devices = static_cast<int64_t>(facts.devices.size());
  const auto called = FindUserCalls(facts, sum);
  Phrase hint = of_objects ? Phrase(kSendTensors) : HintFor(facts, waits);
  if (called && !waits && !of_objects)
    hint = HintForCalled(*called, called->time > sum.communication / 2, hint);
  report.findings.push_back(
      {.message = SayExposed(told, waits, called ? SayCalled(*called, sum) : Phrase()),
       .because = SayRecorded(facts, sum, of_spans.waiting * devices) +
                  (of_objects ? SayObjects(objects, devices) : SayMostExposed(facts)),
       .hint = AllowForAbsent(facts, hint),
       .impact = waits ? told.exposed : rest,
       .table = "ranks",
       // Stages of a pipeline wait for each other, most of all for a slow one.
       .cause = {waits                   ? CauseOfWaits(facts, told.waiting)
                 : TiedByMessages(facts) ? CauseKind::kWait
                                         : CauseKind::kCommunication},
       .extent = told.in_steps ? told.of : Extent(),
       // Processors communicate slowly by nature: that alone is no fault.
       .at_most = facts.OnHost() ? Severity::kMedium : Severity::kHigh});
}

// Gradients that accumulate need to be reduced once per optimizer step.
void AddRepeatedSyncs(Report& report, const Facts& facts, const Exposed& sum) {
  const auto syncs = FindRepeatedSyncs(facts);
  if (!syncs) return;
  const auto devices = static_cast<int64_t>(facts.devices.size());
  report.findings.push_back(
      {.message = Say("Gradients are all-reduced {count} times per optimizer step: use no_sync.",
                      syncs->per_step),
       .because = Say("{count} backward passes between two optimizer steps, each with {messages}; "
                      "in all {steps}",
                      syncs->per_step, Plural(static_cast<size_t>(syncs->messages), "all-reduce"),
                      Plural(static_cast<size_t>(syncs->steps), "recorded step")),
       .hint = "run all but the last micro-batch of an optimizer step within model.no_sync()",
       .impact = sum.exposed / devices / syncs->per_step * (syncs->per_step - 1),
       .table = "ranks",
       .cause = {CauseKind::kCommunication},
       .nearness = Nearness::kCause});
}

void AddBufferBroadcasts(Report& report, const Facts& facts) {
  const auto found = FindBufferBroadcasts(facts);
  if (!found) return;
  const std::string each = HumanTime(static_cast<double>(found->time) /
                                     static_cast<double>(std::max<int64_t>(found->passes, 1)));
  report.findings.push_back(
      {.message =
           found->bytes < 0
               ? Say("DistributedDataParallel broadcasts buffers in each forward pass: {time} per "
                     "pass.",
                     each)
               : Say("DistributedDataParallel broadcasts buffers in each forward pass: {bytes}, "
                     "{time} per pass.",
                     HumanBytes(static_cast<double>(found->bytes)), each),
       .because =
           Say("{count} recorded forward passes of each rank; waiting for a late rank is not "
               "in it",
               HumanCount(found->passes)),
       .hint = "turn it off (broadcast_buffers=False) where ranks need not have equal buffers, or "
               "make tensors that never change no buffers",
       .impact = found->time,
       .table = "ranks",
       .cause = {CauseKind::kCommunication},
       .nearness = Nearness::kCause});
}

Report Run(const Facts& facts, const Params&) {
  Report report = StartReport(kCommOverlap, facts);
  if (report.status == Status::kUnavailable) return report;
  const Exposed sum = AddUp(facts);
  if (sum.communication == 0) {
    MakeUnavailable(report, NoCommunication(facts));
    return report;
  }
  Table table{.key = "ranks",
              .title = Say("Communication per {noun}", DeviceNoun(facts)),
              .columns = DeviceKeys()};
  AddColumns(table, {TimeColumn("communication", "communication"),
                     TimeColumn("overlapped", "overlapped"), TimeColumn("exposed", "exposed"),
                     RatioColumn("overlap_ratio", "overlap, % of communication"),
                     RatioColumn("exposed_ratio", "exposed, % of span")});
  SetKinds(table, {{"overlapped", ColumnKind::kOverlap}, {"exposed", ColumnKind::kCommunication}});
  for (const DeviceFacts& device : facts.devices) {
    const Occupancy& o = device.total;
    auto row = DeviceCells(device);
    row.insert(row.end(), {o.Communication(), o.Overlapped(), o.Exposed(),
                           Ratio(o.Overlapped(), o.Communication()), Ratio(o.Exposed(), o.Span())});
    table.rows.push_back(std::move(row));
  }
  report.tables.push_back(std::move(table));
  const double hidden =
      1.0 - static_cast<double>(sum.exposed) / static_cast<double>(sum.communication);
  report.headline = Say("{share} of communication time overlaps with compute.", HumanRatio(hidden));
  report.metrics = {
      {"overlap_ratio", "overlap, % of communication", hidden, Unit::kRatio},
      {"exposed_ratio", "exposed, % of span", Ratio(sum.exposed, sum.span), Unit::kRatio}};
  AddFinding(report, facts, sum);
  AddRepeatedSyncs(report, facts, sum);
  AddBufferBroadcasts(report, facts);
  NotePartials(facts, report);
  return report;
}

}  // namespace
}  // namespace comm_overlap

const Analysis kCommOverlap = {
    .name = "comm_overlap",
    .title = "Communication overlap",
    .label = "Overlap",
    .group = AnalysisGroup::kRanks,
    .summary = "Overlapped and exposed communication",
    .doc = comm_overlap::kDoc,
    .needs = kRankActivityNeeds | KindSet{Kind::kOperator},
    .numbers_need = kRankActivityNeeds,
    .of_partials = OfPartials::kYes,
    .params = {},
    .run = &comm_overlap::Run,
};

}  // namespace stepscope
