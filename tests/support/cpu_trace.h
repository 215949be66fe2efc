// Writes traces of jobs that compute on hosts, as PyTorch does.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace stepscope::testing {

// One rank's trace as PyTorch writes it; times are milliseconds.
class CpuTrace {
 public:
  explicit CpuTrace(int rank, std::string_view properties = "[]", int groups = 1, int ranks = 2)
      : text_(fmt::format(
            R"({{"schemaVersion":1,"deviceProperties":{},"distributedInfo":{{"backend":"gloo","rank":{},"world_size":{},"pg_count":{}}},"traceEvents":[)",
            properties, rank, ranks, groups)) {}

  CpuTrace& Add(std::string_view category, std::string_view name, double start, double duration,
                int thread = 1, std::string_view args = "") {
    text_ += fmt::format(
        R"({}{{"ph":"X","cat":"{}","name":"{}","pid":9,"tid":{},"ts":{:.3f},"dur":{:.3f},"args":{{{}}}}})",
        first_ ? "" : ",\n", category, name, thread, 1e3 * start, 1e3 * duration, args);
    first_ = false;
    return *this;
  }

  // A step that computes twice for 10 ms, `python` ms apart, and reduces until `end`, side by side
  // with the second.
  CpuTrace& Step(int number, double start, double python, double end) {
    Add("user_annotation", fmt::format("ProfilerStep#{}", number), start, end - start);
    Add("cpu_op", "aten::linear", start, 10).Add("cpu_op", "aten::addmm", start + 1, 9);
    Add("cpu_op", "autograd::engine::evaluate_function: AddmmBackward0", start + 10 + python, 10);
    Add("cpu_op", "c10d::allreduce_", start + 12 + python, 0.05);
    return Add("user_annotation", "gloo:all_reduce", start + 13 + python, end - start - 13 - python,
               2, R"("Input Dims":[[1000]],"Input type":["float"])");
  }

  std::string End() const { return text_ + "]}"; }

 private:
  std::string text_;
  bool first_ = true;
};

}  // namespace stepscope::testing
