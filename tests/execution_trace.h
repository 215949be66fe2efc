// Makes small execution traces of PyTorch, and operators of its profiler that they are of.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::testing {

// What a node says of its inputs, as JSON lists.
struct NodeText {
  std::string_view values = "[[1,2,0,12,4,\"cpu\"],[3,4,0,20,4,\"cpu\"]]";
  std::string_view shapes = "[[3,4],[4,5]]";
  std::string_view types = R"_(["Tensor(float)","Tensor(float)"])_";
};

// Since 2023-10.
inline std::string ExecutionNodeText(int64_t number, std::string_view name,
                                     const NodeText& inputs = {}, int64_t thread = 1) {
  return fmt::format(
      R"({{"id":{0},"name":"{1}","ctrl_deps":1,"inputs":{{"values":{2},"shapes":{3},"types":{4}}},
          "outputs":{{"values":[],"shapes":[],"types":[]}},"attrs":[
          {{"name":"rf_id","type":"uint64","value":{5}}},{{"name":"tid","type":"uint64","value":{6}}}]}})",
      number + 100, name, inputs.values, inputs.shapes, inputs.types, number, thread);
}

// Before.
inline std::string OldNodeText(int64_t number, std::string_view name, const NodeText& inputs = {},
                               int64_t thread = 1) {
  return fmt::format(
      R"({{"name":"{}","id":{},"rf_id":{},"parent":1,"tid":{},"inputs":{},"input_shapes":{},"input_types":{},"outputs":[]}})",
      name, number + 100, number, thread, inputs.values, inputs.shapes, inputs.types);
}

inline std::string ExecutionTraceText(const std::vector<std::string>& nodes, int64_t process = 9,
                                      std::string_view schema = "1.1.1-chakra.0.0.4") {
  return fmt::format(R"({{"schema": "{}", "pid": {}, "time": "t", "start_ts": 1, "nodes": [{}]}})",
                     schema, process, fmt::join(nodes, ","));
}

// An operator of process 9, which was recorded without shapes. `ids` as "External id":4.
inline std::string OperatorText(std::string_view name, int64_t start, int64_t duration,
                                std::string_view ids, int64_t process = 9, int64_t thread = 9) {
  return fmt::format(
      R"({{"ph":"X","cat":"cpu_op","name":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
      name, process, thread, start, duration, ids);
}

// A kernel that a call at `start` launched.
inline std::string LaunchedText(int64_t start, int64_t correlation = 1) {
  return fmt::format(
      R"({{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":{0},"dur":1,)"
      R"("args":{{"correlation":{1}}}}},{{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,)"
      R"("ts":{2},"dur":5,"args":{{"device":0,"stream":7,"correlation":{1}}}}})",
      start, correlation, start + 5);
}

}  // namespace stepscope::testing
