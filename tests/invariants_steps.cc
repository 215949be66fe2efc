// Checks the relations of invariants.h about steps, the critical path and memory.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/answer.h"
#include "tests/invariant_relations.h"

namespace stepscope::testing {
namespace {

class StepChecker : Relations {
 public:
  explicit StepChecker(const ReportSet& answer) : answer_(answer) {}

  std::vector<std::string> Check() {
    CheckPath();
    CheckStragglers();
    CheckImbalance();
    CheckMemoryUses();
    CheckMemoryPeaks();
    CheckSteps();
    return std::move(broken_);
  }

 private:
  // The bounds and segments of a path tile its span, and no change that removes something makes it
  // longer, or shorter by more than what it removes of the path.
  void CheckPath() {
    std::map<std::pair<int64_t, int64_t>, std::map<std::string, int64_t>> bounds;
    for (const Row& row : RowsOf(answer_, "critical_path", "bounds")) {
      Ordered("a bound takes time", 1, row.Int("time"));
      bounds[{row.Int("rank"), row.Int("window")}][row.Text("bound")] = row.Int("time");
    }
    int64_t shown = -1, segments = 0;
    for (const Row& row : RowsOf(answer_, "critical_path", "ranks")) {
      if (shown < 0) segments = row.Int("segments");
      if (shown < 0) shown = row.Int("span");
      int64_t sum = 0;
      auto& times = bounds[{row.Int("rank"), row.Int("window")}];
      for (const auto& [bound, time] : times) sum += time;
      Equal("bounds = span", sum, row.Int("span"));
      Equal("path + no_record = span", row.Int("path") + times["no_record"], row.Int("span"));
    }
    // Where all are listed they follow one another; where only the longest are, there are holes.
    const auto listed = RowsOf(answer_, "critical_path", "segments");
    const bool all = static_cast<int64_t>(listed.size()) == segments;
    int64_t end = 0;
    for (const Row& row : listed) {
      Ordered("a segment begins where the one before ended", end, row.Int("start"));
      if (all) Equal("a segment begins where the one before ended", row.Int("start"), end);
      Ordered("a segment takes time", 1, row.Int("duration"));
      end = row.Int("start") + row.Int("duration");
    }
    if (shown >= 0 && all) Equal("segments = span", end, shown);
    Ordered("segments <= span", end, std::max<int64_t>(shown, 0));
    const std::map<std::string, std::string> removed = {{"compute*0", "gpu_compute"},
                                                        {"communication*0", "gpu_communication"},
                                                        {"launch*0", "launch_overhead"},
                                                        {"data_loading*0", "data_loading"},
                                                        {"cpu*0", "cpu"}};
    for (const Row& row : RowsOf(answer_, "critical_path", "what_if")) {
      const auto bound = removed.find(row.Text("change"));
      if (bound == removed.end()) continue;
      Ordered("removing saves", 0, row.Int("saved"));
      Ordered("no more than it takes of the path", row.Int("saved"),
              bounds[{row.Int("rank"), row.Int("window")}][bound->second]);
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

  // The uses of a memory timeline add up to what it holds.
  void CheckMemoryUses() {
    for (const Row& all : RowsOf(answer_, "memory_timeline", "timelines")) {
      int64_t peak = 0, before = 0, last = 0;
      for (const Row& row : RowsOf(answer_, "memory_timeline", "uses")) {
        if (row.At("rank") != all.At("rank") || row.At("timeline") != all.At("timeline")) continue;
        peak += row.Int("at_peak");
        before += row.Int("before");
        last += row.Int("last");
        Ordered("at the peak <= highest", row.Int("at_peak"), row.Int("highest"));
      }
      Equal("uses at the peak = peak", peak, all.Int("peak"));
      Equal("uses before = before", before, all.Int("before"));
      Equal("uses at last = last", last, all.Int("last"));
    }
  }

  // What is in memory at an allocator's peak adds up to it, where it says what it has in use.
  void CheckMemoryPeaks() {
    using Key = std::tuple<Cell, Cell, Cell, Cell>;
    const auto key_of = [](const Row& row) {
      return Key(row.At("rank"), row.At("window"), row.At("device"), row.At("allocator"));
    };
    std::map<Key, int64_t> held;
    for (const Row& row : RowsOf(answer_, "memory_profile", "at_peak")) {
      held[key_of(row)] += row.Int("bytes");
    }
    for (const Row& row : RowsOf(answer_, "memory_profile", "devices")) {
      const auto at = held.find(key_of(row));
      if (row.Has("used") && at != held.end())
        Equal("held at the peak = peak", at->second, row.Int("peak"));
      if (row.Has("persistent"))
        Ordered("persistent <= peak", row.Int("persistent"), row.Int("peak"));
    }
    for (const Row& row : RowsOf(answer_, "memory_profile", "steps")) {
      Ordered("lowest <= end", row.Int("lowest"), row.Int("end"));
      Ordered("end <= peak of the step", row.Int("end"), row.Int("peak"));
      if (row.Has("kept")) Ordered("kept <= allocated", row.Int("kept"), row.Int("allocated"));
    }
  }

  // What is said of each step is part of it, and both analyses that list steps mean the same ones.
  void CheckSteps() {
    std::map<std::tuple<int64_t, int64_t, int64_t>, int64_t> overview;
    const auto key_of = [](const Row& row) {
      return std::tuple(row.Int("rank"), row.Int("window"), row.Int("step"));
    };
    for (const Row& row : RowsOf(answer_, "overview", "steps"))
      overview[key_of(row)] = row.Int("time");
    for (const Row& row : RowsOf(answer_, "steps", "steps")) {
      const int64_t time = row.Int("step_time");
      if (!overview.empty()) Equal("step time", time, overview[key_of(row)]);
      Ordered("input <= step", row.Int("input_wait"), time);
      if (!row.Has("idle")) continue;
      Ordered("idle", 0, row.Int("idle"));
      Ordered("idle + exposed <= step", row.Int("idle") + row.Int("exposed_communication"), time);
    }
    for (const Row& row : RowsOf(answer_, "steps", "breakdown")) {
      int64_t sum = 0;
      for (const char* category :
           {"device_compute", "device_to_device", "device_collectives", "host_compute",
            "kernel_launch", "input", "output", "compilation", "all_others"}) {
        sum += row.Int(category);
      }
      Ordered("categories <= step", sum, row.Int("step_time"));
    }
  }

  const ReportSet& answer_;
};

}  // namespace

std::vector<std::string> BrokenStepInvariants(const ReportSet& answer) {
  return StepChecker(answer).Check();
}

}  // namespace stepscope::testing
