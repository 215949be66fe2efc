// Checks every relation that invariants.h lists.
#include "tests/invariants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <ranges>
#include <string>
#include <tuple>
#include <utility>

#include "tests/answer.h"
#include "tests/invariant_relations.h"

namespace stepscope::testing {
namespace {

using DeviceKey = std::tuple<int64_t, int64_t, int64_t>;  // rank, window, device

DeviceKey KeyOf(const Row& row) { return {row.Int("rank"), row.Int("window"), row.Int("device")}; }

class Checker : Relations {
 public:
  explicit Checker(const ReportSet& answer) : answer_(answer) {}

  std::vector<std::string> Check() {
    for (const Row& row : RowsOf(answer_, "temporal_breakdown", "ranks")) {
      devices_.emplace(KeyOf(row), row);
    }
    CheckTemporal("ranks");
    CheckTemporal("steps");
    CheckOverlap();
    CheckKinds();
    CheckKernels("kernels");
    CheckKernels("top");
    CheckStreams();
    CheckPhases();
    CheckLaunches();
    CheckCollectives();
    CheckAllReduces();
    CheckStepGaps();
    CheckOperators();
    CheckMfu();
    for (const std::string& finding : FindingsWithoutEvidence(answer_)) {
      broken_.push_back("a finding has its evidence in a table: " + finding);
    }
    for (const std::string& cell : UnknownKinds(answer_)) {
      broken_.push_back("a row has a known kind: " + cell);
    }
    return std::move(broken_);
  }

 private:
  void CheckTemporal(std::string_view table) {
    for (const Row& row : RowsOf(answer_, "temporal_breakdown", table)) {
      Equal("idle + busy = span", row.Int("idle") + row.Int("busy"), row.Int("span"));
      Equal("compute + non_compute = busy", row.Int("compute") + row.Int("non_compute"),
            row.Int("busy"));
      for (const char* part : {"idle", "compute", "non_compute"}) Ordered(part, 0, row.Int(part));
    }
  }

  void CheckOverlap() {
    for (const Row& row : RowsOf(answer_, "comm_overlap", "ranks")) {
      Equal("overlapped + exposed = communication", row.Int("overlapped") + row.Int("exposed"),
            row.Int("communication"));
      const Row& device = devices_.at(KeyOf(row));
      Ordered("overlapped <= compute", row.Int("overlapped"), device.Int("compute"));
      Ordered("exposed <= non_compute", row.Int("exposed"), device.Int("non_compute"));
      for (const char* part : {"overlapped", "exposed"}) Ordered(part, 0, row.Int(part));
    }
  }

  // The time of the rows of `kinds` of this rank that hold every one of `parts`.
  int64_t TimeOfKinds(const Cell& rank, std::initializer_list<std::string_view> parts) {
    int64_t sum = 0;
    for (const Row& row : RowsOf(answer_, "kernel_breakdown", "kinds")) {
      const std::string& kinds = row.Text("kinds");
      const bool wanted =
          std::ranges::all_of(parts, [&](auto part) { return kinds.contains(part); });
      if (row.At("rank") == rank && wanted) sum += row.Int("time");
    }
    return sum;
  }

  int64_t SumOfRank(const Cell& rank, std::string_view analysis, std::string_view column) {
    int64_t sum = 0;
    for (const Row& row : RowsOf(answer_, analysis, "ranks")) {
      if (rank == Cell("all") || row.At("rank") == rank) sum += row.Int(column);
    }
    return sum;
  }

  void CheckKinds() {
    std::vector<Cell> ranks = {"all"};
    for (const auto& [key, row] : devices_) ranks.push_back(row.At("rank"));
    for (const Cell& rank : ranks) {
      Equal("kinds = busy", TimeOfKinds(rank, {}), SumOfRank(rank, "temporal_breakdown", "busy"));
      Equal("kinds with compute = compute", TimeOfKinds(rank, {"compute"}),
            SumOfRank(rank, "temporal_breakdown", "compute"));
      Equal("kinds with communication = communication", TimeOfKinds(rank, {"communication"}),
            SumOfRank(rank, "comm_overlap", "communication"));
      Equal("kinds with compute and communication = overlapped",
            TimeOfKinds(rank, {"compute", "communication"}),
            SumOfRank(rank, "comm_overlap", "overlapped"));
    }
  }

  void CheckKernels(std::string_view table) {
    for (const Row& row : RowsOf(answer_, "kernel_breakdown", table)) {
      Ordered("min <= mean", row.Int("min"), row.Int("mean"));
      Ordered("mean <= max", row.Int("mean"), row.Int("max"));
      Ordered("count * min <= sum", row.Int("count") * row.Int("min"), row.Int("sum"));
      Ordered("sum <= count * max", row.Int("sum"), row.Int("count") * row.Int("max"));
      Ordered("stddev <= max - min", row.Int("stddev"), row.Int("max") - row.Int("min"));
    }
  }

  // Kernels are all work but copies and sets; what operators launched is no more than all work.
  void CheckOperators() {
    std::map<int64_t, int64_t> kernels, work;
    for (const Row& row : RowsOf(answer_, "kernel_breakdown", "kernels")) {
      work[row.Int("rank")] += row.Int("sum");
      if (row.Text("kind") != "memory") kernels[row.Int("rank")] += row.Int("sum");
    }
    for (const Row& row : RowsOf(answer_, "kernels", "kernels")) {
      kernels[row.Int("rank")] -= row.Int("total");
    }
    for (const auto& [rank, difference] : kernels)
      Equal("kernels = kernel_breakdown", difference, 0);
    for (const Row& row : RowsOf(answer_, "operators", "operators")) {
      Ordered("an operator's own time", 0, row.Int("self"));
      Ordered("self <= total", row.Int("self"), row.Int("total"));
      if (row.Text("side") == "device") work[row.Int("rank")] -= row.Int("self");
    }
    for (const auto& [rank, left] : work) Ordered("launched by operators <= work", 0, left);
    for (const Row& row : RowsOf(answer_, "flops", "operators")) {
      if (row.Has("utilization")) Ordered("FLOPs", 0, static_cast<int64_t>(row.Real("flops")));
    }
    CheckShapes();
  }

  // An operator has the same calls by shape as where its FLOPs count, or more.
  void CheckShapes() {
    std::map<std::string, int64_t> calls;
    for (const Row& row : RowsOf(answer_, "shapes", "shapes")) {
      calls[row.Text("operator")] += row.Int("calls");
      Ordered("longest <= device time", row.Int("longest"), row.Int("device_time"));
      Ordered("mean <= longest", row.Int("mean"), row.Int("longest"));
    }
    for (const Row& row : RowsOf(answer_, "flops", "top")) {
      const auto of_operator = calls.find(row.Text("operator"));
      if (of_operator != calls.end()) of_operator->second -= row.Int("occurrences");
    }
    for (const auto& [op, more] : calls) Ordered("counted calls <= calls of " + op, 0, more);
  }

  // The MFU over all steps lies between those of the steps.
  void CheckMfu() {
    const auto& all = ReportOf(answer_, "steps").series;
    const auto mfu = std::ranges::find(all, "mfu", &Series::key);
    const auto& metrics = ReportOf(answer_, "flops").metrics;
    const auto whole = std::ranges::find(metrics, "mfu", &Metric::key);
    if (mfu == all.end() || whole == metrics.end() || !whole->title.contains("steps")) return;
    const auto [least, most] = std::ranges::minmax(mfu->points | std::views::values);
    const double value = std::get<double>(whole->value);
    if (value < least * (1 - 1e-9) || value > most * (1 + 1e-9)) {
      broken_.push_back(fmt::format("mfu: {} is not within {} and {}", value, least, most));
    }
  }

  void CheckStreams() {
    if (RowsOf(answer_, "idle_time", "streams").empty()) return;  // of jobs that compute on hosts
    std::map<int64_t, int64_t> events;
    for (const Row& row : RowsOf(answer_, "idle_time", "streams")) {
      events[row.Int("rank")] += row.Int("events");
      int64_t covered = row.Int("busy");
      for (const char* part : {"host_wait", "kernel_wait", "other"}) {
        Ordered(part, 0, row.Int(part));
        covered += row.Int(part);
      }
      Ordered("gaps + busy of a stream <= span", covered, devices_.at(KeyOf(row)).Int("span"));
    }
    for (const Row& row : RowsOf(answer_, "kernel_breakdown", "kernels")) {
      events[row.Int("rank")] -= row.Int("count");
    }
    for (const auto& [rank, difference] : events) {
      Equal(fmt::format("events on streams of rank {} = kernels", rank), difference, 0);
    }
  }

  // Phases divide the busy time of a device, and that of each of its steps.
  void CheckPhases() {
    std::map<DeviceKey, int64_t> phases;
    for (const Row& row : RowsOf(answer_, "phases", "steps")) {
      Ordered("a phase's busy time", 0, row.Int("busy"));
      Ordered("busy <= work", row.Int("busy"), row.Int("work"));
      phases[KeyOf(row)] += row.Int("busy");
    }
    for (const auto& [key, busy] : phases) {
      Equal("phases = busy", busy, devices_.at(key).Int("busy"));
    }
  }

  // Every piece of work is launched and queued once, or said to have no launch.
  void CheckLaunches() {
    std::map<DeviceKey, int64_t> events, linked;
    for (const Row& row : RowsOf(answer_, "idle_time", "streams")) {
      events[KeyOf(row)] += row.Int("events");
    }
    for (const Row& row : RowsOf(answer_, "launch_stats", "ranks")) {
      Equal("gpu_events = events", row.Int("gpu_events"), events[KeyOf(row)]);
      linked[KeyOf(row)] = row.Int("with_launch");
      Ordered("short_kernels <= with_launch", row.Int("short_kernels"), row.Int("with_launch"));
    }
    for (const Row& row : RowsOf(answer_, "queue_length", "streams")) {
      linked[KeyOf(row)] -= row.Int("operations") - row.Int("without_launch");
      if (row.Has("mean")) {
        Ordered("waiting_max <= max", row.Int("waiting_max"), row.Int("max"));
        Ordered("mean <= max", static_cast<int64_t>(row.Real("mean")), row.Int("max"));
      }
    }
    for (const auto& [key, difference] : linked) Equal("queued = launched", difference, 0);
    for (const Row& row : RowsOf(answer_, "memory_bandwidth", "kinds")) {
      Ordered("copies are busy no longer than the device", row.Int("busy"),
              devices_.at(KeyOf(row)).Int("busy"));
    }
  }

  // wait + transfer <= duration + error bar: every collective is split into the two.
  void CheckCollectives() {
    std::map<int64_t, int64_t> kernels, duration;
    for (const Row& row : RowsOf(answer_, "kernel_breakdown", "kernels")) {
      if (row.Text("kind") != "communication") continue;
      // A framework's call on a host starts a collective that has a record of its own.
      if (!row.Text("name").contains("c10d")) kernels[row.Int("rank")] += row.Int("count");
      duration[row.Int("rank")] += row.Int("sum");
    }
    const auto participant = [](const Row& row, const std::string& prefix) {
      const std::string device = prefix + "device";
      return std::pair(row.Int(prefix + "rank"), row.Has(device) ? row.Int(device) : -1);
    };
    std::map<std::pair<int64_t, int64_t>, int64_t> waited_for;
    for (const Row& row : RowsOf(answer_, "collectives", "waits"))
      waited_for[participant(row, "for_")] += row.Int("wait");
    std::map<int64_t, int64_t> counted;
    int64_t as_last = 0, wait = 0;
    for (const Row& row : RowsOf(answer_, "collectives", "ranks")) {
      const int64_t rank = row.Int("rank");
      counted[rank] += row.Int("matched") + row.Int("unmatched");
      Equal("a clock is known with its error", row.Has("clock_offset") ? 1 : 0,
            row.Has("clock_error") ? 1 : 0);
      if (!row.Has("wait")) continue;
      for (const char* part : {"wait", "transfer", "as_last", "clock_error"}) {
        Ordered(part, 0, row.Int(part));
      }
      Ordered("wait + transfer <= duration + error bar", row.Int("wait") + row.Int("transfer"),
              duration[rank] + row.Int("clock_error"));
      Ordered("times last <= matched", row.Int("times_last"), row.Int("matched"));
      Equal("waited for it, rank by rank = as last", waited_for[participant(row, "")],
            row.Int("as_last"));
      as_last += row.Int("as_last");
      wait += row.Int("wait");
    }
    for (const auto& [rank, own] : counted) {
      Equal(fmt::format("matched + unmatched = communication kernels of rank {}", rank), own,
            kernels[rank]);
    }
    Equal("as last = waiting", as_last, wait);
    for (const Row& row : RowsOf(answer_, "collectives", "collectives")) {
      if (row.Has("wait_max")) Ordered("wait_max", 0, row.Int("wait_max"));
    }
  }

  void CheckAllReduces() {
    for (const Row& row : RowsOf(answer_, "allreduce_check", "ranks")) {
      Ordered("exposed", 0, row.Int("exposed"));
      Ordered("exposed <= measured", row.Int("exposed"), row.Int("measured"));
      Ordered("transfer <= measured", row.Int("transfer"), row.Int("measured"));
      Ordered("measured <= span", row.Int("measured"), devices_.at(KeyOf(row)).Int("span"));
    }
  }

  // Gaps between the steps of a device follow one another within its span.
  void CheckStepGaps() {
    std::map<DeviceKey, int64_t> gaps;
    for (const Row& row : RowsOf(answer_, "step_gaps", "gaps")) {
      Ordered("a gap's idle time", 0, row.Int("idle"));
      Ordered("idle + copies <= gap", row.Int("idle") + row.Int("copies"), row.Int("gap"));
      gaps[KeyOf(row)] += row.Int("gap");
    }
    for (const auto& [key, gap] : gaps) {
      Ordered("gaps <= span", gap, devices_.at(key).Int("span"));
    }
    for (const Row& row : RowsOf(answer_, "step_gaps", "ranks")) {
      Ordered("idle between steps <= idle", row.Int("idle"), devices_.at(KeyOf(row)).Int("idle"));
    }
  }

  const ReportSet& answer_;
  std::map<DeviceKey, Row> devices_;
};

}  // namespace

std::vector<std::string> BrokenInvariants(const ReportSet& answer) {
  std::vector<std::string> broken = Checker(answer).Check();
  std::ranges::move(BrokenStepInvariants(answer), std::back_inserter(broken));
  return broken;
}

}  // namespace stepscope::testing
