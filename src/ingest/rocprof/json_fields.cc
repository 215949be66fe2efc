// Lists paths in every spelling of past versions.
#include "ingest/rocprof/json_fields.h"

#include <unordered_map>

namespace stepscope::rocprof {

namespace {

const std::unordered_map<std::string_view, List>& Lists() {
  static const std::unordered_map<std::string_view, List> kLists = {
      {"agents", List::kAgents},
      {"kernel_symbols", List::kKernels},
      {"strings/buffer_records", List::kOperations},
      {"strings/marker_api", List::kMessages},
      {"buffer_records/kernel_dispatch", List::kDispatches},
      {"buffer_records/memory_copy", List::kCopies},
      {"buffer_records/hip_api", List::kRuntimeCalls},
      {"buffer_records/hsa_api", List::kRuntimeCalls},
      {"buffer_records/rocdecode_api", List::kRuntimeCalls},
      {"buffer_records/rocjpeg_api", List::kRuntimeCalls},
      {"buffer_records/hipfile_api", List::kRuntimeCalls},
      {"buffer_records/rocshmem_api", List::kRuntimeCalls},
      {"buffer_records/rccl_api", List::kCollectiveCalls},
      {"buffer_records/marker_api", List::kRanges}};
  return kLists;
}

}  // namespace

List ListAt(std::string_view path) {
  const auto at = Lists().find(path);
  if (at != Lists().end()) return at->second;
  constexpr std::string_view kEvents = "buffer_records/";
  const bool events = path.starts_with(kEvents) && !path.substr(kEvents.size()).contains('/');
  return events ? List::kOther : List::kNone;
}

std::string_view PathOfList(std::string_view name, std::string_view key) {
  if (name == "marker_api")
    return key == "key" ? "strings/marker_api" : "buffer_records/marker_api";
  for (const auto& [path, list] : Lists()) {
    if (path.substr(path.rfind('/') + 1) == name) return path;
  }
  return {};
}

const Value* ValueAt(std::string_view path) {
  static const std::unordered_map<std::string_view, Value> kValues = {
      {"start_timestamp", Value::kStart},
      {"end_timestamp", Value::kEnd},
      {"correlation_id/internal", Value::kCorrelation},
      {"thread_id", Value::kThread},
      {"kind", Value::kKind},
      {"operation", Value::kOperation},
      {"dispatch_info/agent_id/handle", Value::kAgent},
      {"dispatch_info/queue_id/handle", Value::kQueue},
      {"stream_id/handle", Value::kStream},
      {"dispatch_info/kernel_id", Value::kKernel},
      {"dispatch_info/group_segment_size", Value::kLocalMemory},
      {"dispatch_info/workgroup_size/x", Value::kBlockX},
      {"dispatch_info/workgroup_size/y", Value::kBlockY},
      {"dispatch_info/workgroup_size/z", Value::kBlockZ},
      {"dispatch_info/grid_size/x", Value::kGridX},
      {"dispatch_info/grid_size/y", Value::kGridY},
      {"dispatch_info/grid_size/z", Value::kGridZ},
      {"src_agent_id/handle", Value::kFrom},
      {"dst_agent_id/handle", Value::kTo},
      {"bytes", Value::kBytes},
      {"id/handle", Value::kNumber},
      {"type", Value::kAgentType},
      {"logical_node_type_id", Value::kPlace},
      {"node_id", Value::kNode},
      {"cu_count", Value::kUnits},
      {"max_waves_per_cu", Value::kWaves},
      {"wave_front_size", Value::kLanes},
      {"max_engine_clk_fcompute", Value::kClock},
      {"gfx_target_version", Value::kTarget},
      {"mem_banks/heap_type", Value::kHeap},
      {"mem_banks/size_in_bytes", Value::kHeapBytes},
      {"kernel_id", Value::kKernel},
      {"arch_vgpr_count", Value::kRegisters},
      {"key", Value::kKey}};
  const auto at = kValues.find(path);
  return at == kValues.end() ? nullptr : &at->second;
}

const Word* WordAt(std::string_view path) {
  static const std::unordered_map<std::string_view, Word> kWords = {
      {"demangled_kernel_name", Word::kDemangled},
      {"formatted_kernel_name", Word::kFormatted},
      {"truncated_kernel_name", Word::kTruncated},
      {"kernel_name", Word::kPlain},
      {"name", Word::kPlain},
      {"product_name", Word::kProduct},
      {"kind", Word::kKind},
      {"value", Word::kMessage}};
  const auto at = kWords.find(path);
  return at == kWords.end() ? nullptr : &at->second;
}

}  // namespace stepscope::rocprof
