// Reports host and device time per annotation of the user or the framework.
#include <algorithm>
#include <map>
#include <tuple>

#include "analyses/all.h"
#include "analyses/build.h"
#include "base/saturate.h"
#include "base/stop.h"
#include "report/humanize.h"

namespace stepscope {
namespace user_annotations {
namespace {

constexpr std::string_view kDoc = R"md(
**Question:** How long are the annotations in the code (record_function, ProfilerStep, NVTX), and how much device time
do they launch?

**Definition:** By rank and name. `host` ranges are the annotation's durations on the host. `device` ranges are their
counterpart on the device, from the first to the last activity launched in them. `count`, `sum`, `mean`, `min`, `max`
and `stddev` are of the ranges. `kernels` and `gpu_time` are of the activities: on the host side those launched inside, on the device
side those that ran inside on that stream. Each activity counts for its innermost annotation only.

**Limitations:** Activities of other threads do not count, such as parts of backward, because no annotation of the main
thread contains them. On the device side, annotations that never launched anything are missing.

**Interpretation:** Annotate parts of your step with torch.profiler.record_function to see their device time. If a host
range is much longer than its gpu_time, the device waits.
)md";

struct Key {
  int64_t rank;
  bool device;  // side
  StringId name;
  auto operator<=>(const Key&) const = default;
};

struct Sum {
  KernelStatistics ranges;
  int64_t kernels = 0, gpu_time = 0;

  void AddActivity(const Activity& activity) {
    ++kernels;
    gpu_time = AddSaturated(gpu_time, activity.duration());
  }
};
using Sums = std::map<Key, Sum>;

void AddHostSide(const Facts& facts, const RankActivity& rank, Sums& sums) {
  const HostOps& host = *rank.host;
  const auto is_annotation = [](const HostRange& r) { return r.kind == Kind::kAnnotation; };
  StopChecks checks;
  for (const HostRange& range : host.ranges) {
    checks.Turn();
    if (!is_annotation(range) || !facts.Counts(rank, range.start)) continue;
    sums[{rank.rank, false, range.name}].ranges.Add(range.duration());
  }
  for (const Activity& activity : rank.activities) {
    const auto call = rank.CallOf(activity);
    const int32_t at = !call ? kNoRange : host.FindAround(call->range, is_annotation);
    if (at == kNoRange) continue;
    sums[{rank.rank, false, host.ranges[static_cast<size_t>(at)].name}].AddActivity(activity);
  }
}

// The open ranges of each stream, as time advances.
class OpenRanges {
 public:
  explicit OpenRanges(const RankActivity& rank)
      : held_work_(rank.ranges.size()), ranges_(rank.ranges) {
    for (uint32_t r = 0; r < ranges_.size(); ++r) {
      streams_[{ranges_[r].device, ranges_[r].stream}].ranges.push_back(r);
    }
    for (auto& [key, stream] : streams_) {
      std::ranges::stable_sort(stream.ranges, {}, [&](uint32_t r) {
        return std::pair(ranges_[r].start, -ranges_[r].end);
      });
    }
  }

  // The innermost range on this stream that contains `time`, or null. REQUIRES: `time` ascends
  // from call to call.
  const DeviceRange* At(int64_t device, int64_t stream, int64_t time) {
    const auto found = streams_.find({device, stream});
    if (found == streams_.end()) return nullptr;
    State& s = found->second;
    for (; s.next < s.ranges.size() && ranges_[s.ranges[s.next]].start <= time; ++s.next) {
      Leave(s, ranges_[s.ranges[s.next]].start);
      s.open.push_back(s.ranges[s.next]);
    }
    Leave(s, time);
    for (size_t i = s.open.size(); i-- > 0 && !held_work_[s.open[i]];) held_work_[s.open[i]] = true;
    return s.open.empty() ? nullptr : &ranges_[s.open.back()];
  }

  // Whether any activity queried so far began in the range of this index.
  bool HeldWork(size_t range) const { return held_work_[range]; }

 private:
  struct State {
    std::vector<uint32_t> ranges, open;
    size_t next = 0;
  };
  void Leave(State& s, int64_t time) const {
    while (!s.open.empty() && ranges_[s.open.back()].end <= time) s.open.pop_back();
  }

  std::vector<bool> held_work_;
  const std::vector<DeviceRange>& ranges_;
  std::map<std::pair<int64_t, int64_t>, State> streams_;
};

// The device lags the host, so with selected steps, device ranges with selected activities count.
void AddDeviceSide(const Facts& facts, const RankActivity& rank, Sums& sums) {
  OpenRanges open(rank);
  for (const Activity& activity : rank.activities) {
    const Stream& stream = rank.streams[activity.stream];
    const DeviceRange* range = open.At(stream.device, stream.stream, activity.start);
    if (range != nullptr) sums[{rank.rank, true, range->name}].AddActivity(activity);
  }
  for (size_t r = 0; r < rank.ranges.size(); ++r) {
    if (!facts.selected.empty() && !open.HeldWork(r)) continue;
    const DeviceRange& range = rank.ranges[r];
    sums[{rank.rank, true, range.name}].ranges.Add(range.end - range.start);
  }
}

Table AnnotationsTable(const Facts& facts, const Sums& sums) {
  Table table{
      .key = "annotations",
      .title = "Annotations by device time",
      .columns = {KeyColumn("rank", "rank"), Words(KeyColumn("side", "side")),
                  KeyColumn("annotation", "annotation"), CountColumn("count", "count"),
                  TimeColumn("sum", "sum"), TimeColumn("mean", "mean"), TimeColumn("min", "min"),
                  TimeColumn("max", "max"), Detail(TimeColumn("stddev", "std dev")),
                  CountColumn("kernels", "kernels"), TimeColumn("gpu_time", "device time")},
      .text_rows = 12};
  for (const auto& [key, sum] : sums) {
    const KernelStatistics& ranges = sum.ranges;
    const bool any = ranges.count > 0;
    table.rows.push_back(
        {key.rank, key.device ? "device" : "host", std::string((*facts.names)[key.name]),
         ranges.count, ranges.sum, When(any, any ? ranges.sum / ranges.count : 0),
         When(any, ranges.min), When(any, ranges.max),
         When(ranges.count > 1, RoundToInt64(ranges.Deviation())), sum.kernels, sum.gpu_time});
  }
  // Steps come last: other analyses have tables of steps.
  const ColumnOf rank(table, "rank"), side(table, "side"), name(table, "annotation"),
      sum_of(table, "sum"), gpu_time(table, "gpu_time");
  std::ranges::stable_sort(table.rows, [&](const auto& a, const auto& b) {
    const bool a_step = StepNumber(name.Text(a)) >= 0;
    const bool b_step = StepNumber(name.Text(b)) >= 0;
    return std::tie(a_step, gpu_time(b), sum_of(b), name(a), side(a), rank(a)) <
           std::tie(b_step, gpu_time(a), sum_of(a), name(b), side(b), rank(b));
  });
  return table;
}

Report Run(const Facts& facts, const Params&) {
  Report report{.analysis = std::string(kUserAnnotations.name),
                .title = std::string(kUserAnnotations.title)};
  Sums sums;
  for (const RankActivity& rank : facts.ranks) {
    AddHostSide(facts, rank, sums);
    AddDeviceSide(facts, rank, sums);
  }
  if (sums.empty()) {
    MakeUnavailable(report,
                    Say("there are no annotations in the selection: annotate parts of the step "
                        "with {how}",
                        Say(kAnnotate, facts)));
    return report;
  }
  Table table = AnnotationsTable(facts, sums);
  const auto& first = table.rows[0];
  const int64_t most = ColumnOf(table, "gpu_time").Int(first);
  report.headline =
      most == 0 ? Phrase("No activity was launched in an annotation.")
                : Say("{annotation} ({side}) has the most device time ({time}).",
                      Phrase::Name(ColumnOf(table, "annotation").Text(first)),
                      ColumnOf(table, "side").Text(first), HumanTime(static_cast<double>(most)));
  report.tables.push_back(std::move(table));
  return report;
}

}  // namespace
}  // namespace user_annotations

const Analysis kUserAnnotations = {
    .name = "user_annotations",
    .title = "User annotations",
    .label = "Annotations",
    .group = AnalysisGroup::kHost,
    .summary = "Host and device time per annotation",
    .doc = user_annotations::kDoc,
    .needs = kRankActivityNeeds | KindSet{Kind::kGpuAnnotation},
    .params = {},
    .run = &user_annotations::Run,
};

}  // namespace stepscope
