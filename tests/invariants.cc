// Checks every relation that invariants.h lists.
#include "tests/invariants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "tests/answer.h"

namespace stepscope::testing {
namespace {

using DeviceKey = std::tuple<int64_t, int64_t, int64_t>;  // rank, window, device

DeviceKey KeyOf(const Row& row) { return {row.Int("rank"), row.Int("window"), row.Int("device")}; }

class Checker {
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
    CheckCollectives();
    CheckStragglers();
    CheckImbalance();
    return std::move(broken_);
  }

 private:
  void Equal(std::string_view what, int64_t a, int64_t b) {
    if (a != b) broken_.push_back(fmt::format("{}: {} is not {}", what, a, b));
  }
  void Ordered(std::string_view what, int64_t low, int64_t high) {
    if (low > high) broken_.push_back(fmt::format("{}: {} is more than {}", what, low, high));
  }

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

  void CheckStreams() {
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

  // wait + transfer <= duration + error bar: every collective is split into the two.
  void CheckCollectives() {
    std::map<int64_t, int64_t> kernels, duration;
    for (const Row& row : RowsOf(answer_, "kernel_breakdown", "kernels")) {
      if (row.Text("kind") != "communication") continue;
      kernels[row.Int("rank")] += row.Int("count");
      duration[row.Int("rank")] += row.Int("sum");
    }
    int64_t blame = 0, wait = 0;
    for (const Row& row : RowsOf(answer_, "collectives", "ranks")) {
      const int64_t rank = row.Int("rank");
      Equal(fmt::format("matched + unmatched = communication kernels of rank {}", rank),
            row.Int("matched") + row.Int("unmatched"), kernels[rank]);
      Equal("a clock is known with its error", row.Has("clock_offset") ? 1 : 0,
            row.Has("clock_error") ? 1 : 0);
      if (!row.Has("wait")) continue;
      for (const char* part : {"wait", "transfer", "blame", "clock_error"}) {
        Ordered(part, 0, row.Int(part));
      }
      Ordered("wait + transfer <= duration + error bar", row.Int("wait") + row.Int("transfer"),
              duration[rank] + row.Int("clock_error"));
      Ordered("times last <= matched", row.Int("times_last"), row.Int("matched"));
      blame += row.Int("blame");
      wait += row.Int("wait");
    }
    Equal("blame = waiting", blame, wait);
    for (const Row& row : RowsOf(answer_, "collectives", "collectives")) {
      if (row.Has("wait_max")) Ordered("wait_max", 0, row.Int("wait_max"));
    }
  }

  void CheckStragglers() {
    double scores = 0;
    int64_t before = INT64_MAX;
    for (const Row& row : RowsOf(answer_, "stragglers", "ranks")) {
      Ordered("worst first", row.Int("blame"), before);
      before = row.Int("blame");
      Ordered("lost", 0, row.Int("lost"));
      Ordered("lost <= waiting caused", row.Int("lost"), row.Int("blame"));
      if (row.Has("score")) scores += row.Real("score");
    }
    if (scores != 0 && std::abs(scores - 1) > 1e-6) {
      broken_.push_back(fmt::format("scores add up to {}, not to 1", scores));
    }
  }

  void CheckImbalance() {
    for (const Row& row : RowsOf(answer_, "imbalance", "matrix")) {
      for (const char* part : {"compute", "exposed", "idle"}) Ordered(part, 0, row.Int(part));
      Ordered("compute + exposed + idle <= step_time",
              row.Int("compute") + row.Int("exposed") + row.Int("idle"), row.Int("step_time"));
    }
  }

  const ReportSet& answer_;
  std::map<DeviceKey, Row> devices_;
  std::vector<std::string> broken_;
};

}  // namespace

std::vector<std::string> BrokenInvariants(const ReportSet& answer) {
  return Checker(answer).Check();
}

}  // namespace stepscope::testing
