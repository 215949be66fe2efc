// Makes small files as rocprofv3 writes them in JSON.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace stepscope::testing {

// One process: a processor and two GPUs, kernels 1 and 2, and the events that are added.
class RocprofProcess {
 public:
  explicit RocprofProcess(int64_t process = 144) : process_(process) {}

  RocprofProcess& Kernel(int64_t kernel, int64_t start, int64_t end, int64_t correlation = 0,
                         int64_t agent = 21, int64_t queue = 3, int64_t stream = 0) {
    return Add(kernels_, fmt::format(R"({{"size":184,"kind":11,"operation":2,"thread_id":161,
        "correlation_id":{{"internal":{2},"external":0}},"start_timestamp":{0},"end_timestamp":{1},
        "dispatch_info":{{"agent_id":{{"handle":{4}}},"queue_id":{{"handle":{5}}},"kernel_id":{3},
        "dispatch_id":1,"private_segment_size":0,"group_segment_size":1024,
        "workgroup_size":{{"x":256,"y":1,"z":1}},"grid_size":{{"x":2000,"y":2,"z":1}}}},
        "stream_id":{{"handle":{6}}}}})",
                                     start, end, correlation, kernel, agent, queue, stream));
  }
  // Of operation 0 (hipLaunchKernel), 1 (hipMemcpyAsync).
  RocprofProcess& Call(int64_t operation, int64_t start, int64_t end, int64_t correlation) {
    return Add(calls_, CallText(1, operation, start, end, correlation));
  }
  RocprofProcess& Range(const std::string& text, int64_t start, int64_t end, int64_t correlation) {
    Add(messages_, fmt::format(R"({{"key":{},"value":"{}"}})", correlation, text));
    return Add(ranges_, CallText(2, 0, start, end, correlation));
  }
  RocprofProcess& Collective(int64_t start, int64_t end, int64_t correlation) {
    return Add(collectives_, CallText(3, 0, start, end, correlation));
  }
  RocprofProcess& Copy(int64_t direction, int64_t from, int64_t to, int64_t start, int64_t end) {
    return Add(copies_, fmt::format(R"({{"kind":12,"operation":{},"thread_id":161,
        "correlation_id":{{"internal":9,"external":0}},"start_timestamp":{},"end_timestamp":{},
        "dst_agent_id":{{"handle":{}}},"src_agent_id":{{"handle":{}}},"bytes":4096,
        "stream_id":{{"handle":5}}}})",
                                    direction, start, end, to, from));
  }

  std::string Text() const {
    return fmt::format(R"({{"metadata":{{"node":{{"hostname":"node7"}},"pid":{},"init_time":1}},
        "agents":[{{"id":{{"handle":20}},"type":1,"name":"EPYC","node_id":0,"logical_node_type_id":0}},
         {{"id":{{"handle":21}},"type":2,"name":"gfx942","product_name":"AMD Instinct MI300X",
           "cu_count":304,"max_waves_per_cu":32,"wave_front_size":64,"gfx_target_version":90402,
           "max_engine_clk_fcompute":2100,"node_id":1,"logical_node_type_id":0,
           "mem_banks":[{{"heap_type":1,"size_in_bytes":1000}},{{"heap_type":0,"size_in_bytes":7}}]}},
         {{"id":{{"handle":22}},"type":2,"name":"gfx942","product_name":"AMD Instinct MI300X",
           "node_id":2,"logical_node_type_id":1}}],
        "strings":{{"buffer_records":[{{"kind":"NONE","operations":[]}},
          {{"kind":"HIP_RUNTIME_API","operations":["hipLaunchKernel","hipMemcpyAsync"]}},
          {{"kind":"MARKER_CORE_RANGE_API","operations":["roctxThreadRangeA"]}},
          {{"kind":"RCCL_API","operations":["ncclAllReduce"]}}],"marker_api":[{}]}},
        "kernel_symbols":[{{"kernel_id":0,"kernel_name":"","formatted_kernel_name":"0"}},
          {{"kernel_id":1,"kernel_name":"_Z4gemmi.kd","formatted_kernel_name":"gemm",
            "demangled_kernel_name":"gemm(int) [clone .kd]","arch_vgpr_count":32}},
          {{"kernel_id":2,"kernel_name":"x","demangled_kernel_name":"ncclDevKernel_Generic_1(args).kd"}}],
        "buffer_records":{{"kernel_dispatch":[{}],"hip_api":[{}],"marker_api":[{}],"rccl_api":[{}],
          "memory_copy":[{}],"scratch_memory":[{{"kind":13}}]}}}})",
                       process_, messages_, kernels_, calls_, ranges_, collectives_, copies_);
  }

 private:
  RocprofProcess& Add(std::string& list, const std::string& element) {
    list += (list.empty() ? "" : ",") + element;
    return *this;
  }
  static std::string CallText(int64_t kind, int64_t operation, int64_t start, int64_t end,
                              int64_t correlation) {
    return fmt::format(
        R"({{"kind":{},"operation":{},"correlation_id":{{"internal":{},"external":0}},
        "start_timestamp":{},"end_timestamp":{},"thread_id":161}})",
        kind, operation, correlation, start, end);
  }

  int64_t process_;
  std::string kernels_, calls_, ranges_, messages_, collectives_, copies_;
};

inline std::string RocprofText(const std::vector<RocprofProcess>& processes) {
  std::string all;
  for (const RocprofProcess& process : processes) all += (all.empty() ? "" : ",") + process.Text();
  return "{\"rocprofiler-sdk-tool\":[" + all + "]}";
}

}  // namespace stepscope::testing
