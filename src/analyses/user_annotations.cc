// Device time under the ranges that the user or the framework named.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "analyses/all.h"
#include "analyses/build.h"
#include "base/saturate.h"
#include "base/stop.h"
#include "report/humanize.h"

namespace stepscope {
namespace {

constexpr std::string_view kDoc = R"md(
**Answers:** how long are the annotated ranges of the code (record_function, ProfilerStep, NVTX-like names), and
how much work does the device do for each?

**Counts:** by rank and name. `host` ranges are what the annotation lasted on the host; `device` ranges are their
shadow on the device, from the first to the last work launched under them. `count`, `sum`, `mean`,
`min`, `max` are of the ranges; `kernels` and `gpu_time` of the work: on the host's side what was
launched within, on the device's what ran within on that stream, each piece of work under its
innermost annotation alone.

**Cannot see:** work of other threads (backward, in part), which no annotation of the main thread is around,
and annotations that never launched anything on the device's side.

**Read it so:** name the parts of your step with torch.profiler.record_function, and this table says which part
the device works for. A host range much longer than its gpu_time keeps the device waiting.
)md";

struct Key {
  int64_t rank;
  bool device;  // side
  StringId name;
  auto operator<=>(const Key&) const = default;
};

struct Sum {
  int64_t count = 0, sum = 0, min = INT64_MAX, max = 0;
  int64_t kernels = 0, gpu_time = 0;

  void AddRange(int64_t duration) {
    ++count;
    sum = AddSaturated(sum, duration);
    min = std::min(min, duration);
    max = std::max(max, duration);
  }
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
    sums[{rank.rank, false, range.name}].AddRange(range.duration());
  }
  for (const Activity& activity : rank.activities) {
    const auto call = rank.CallOf(activity);
    const int32_t at = !call ? kNoRange : host.FindAround(call->range, is_annotation);
    if (at == kNoRange) continue;
    sums[{rank.rank, false, host.ranges[static_cast<size_t>(at)].name}].AddActivity(activity);
  }
}

// The ranges of each stream that are open as time goes on.
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

  // The innermost range on this stream around work that begins at `time`, or null. REQUIRES:
  // ascending times.
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

  // Whether any work asked about so far began within the range of this index.
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

// The device runs behind the host: with steps selected, its ranges count that hold selected work.
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
    sums[{rank.rank, true, range.name}].AddRange(range.end - range.start);
  }
}

Table AnnotationsTable(const Facts& facts, const Sums& sums) {
  Table table{.key = "annotations",
              .title = "Annotated ranges, those with most device work first",
              .columns = {KeyColumn("rank", "rank"), KeyColumn("side", "side"),
                          KeyColumn("annotation", "annotation"), CountColumn("count", "count"),
                          TimeColumn("sum", "sum"), TimeColumn("mean", "mean"),
                          TimeColumn("min", "min"), TimeColumn("max", "max"),
                          CountColumn("kernels", "kernels"), TimeColumn("gpu_time", "GPU time")},
              .text_rows = 12};
  for (const auto& [key, sum] : sums) {
    const bool any = sum.count > 0;
    table.rows.push_back({key.rank, key.device ? "device" : "host",
                          std::string((*facts.names)[key.name]), sum.count, sum.sum,
                          When(any, any ? sum.sum / sum.count : 0), When(any, sum.min),
                          When(any, sum.max), sum.kernels, sum.gpu_time});
  }
  // Steps last: the other analyses have tables of steps.
  std::ranges::stable_sort(table.rows, [](const auto& a, const auto& b) {
    const bool a_step = StepNumber(std::get<std::string>(a[2])) >= 0;
    const bool b_step = StepNumber(std::get<std::string>(b[2])) >= 0;
    return std::tie(a_step, b[9], b[4], a[2], a[1], a[0]) <
           std::tie(b_step, a[9], a[4], b[2], b[1], b[0]);
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
                    "there are no annotations in what was selected: name parts of the step with "
                    "torch.profiler.record_function(\"name\")");
    return report;
  }
  Table table = AnnotationsTable(facts, sums);
  const auto& first = table.rows[0];
  const int64_t most = std::get<int64_t>(first[9]);
  report.headline =
      most == 0 ? "No device work was launched under an annotation."
                : fmt::format("{} ({}) launches the most device work, {}.",
                              std::get<std::string>(first[2]), std::get<std::string>(first[1]),
                              HumanTime(static_cast<double>(most)));
  report.tables.push_back(std::move(table));
  return report;
}

}  // namespace

const Analysis kUserAnnotations = {
    .name = "user_annotations",
    .title = "User annotations",
    .summary = "Host and device time per annotation",
    .doc = kDoc,
    .needs = kRankActivityNeeds | KindSet{Kind::kGpuAnnotation},
    .params = {},
    .run = &Run,
};

}  // namespace stepscope
