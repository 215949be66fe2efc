// Writes each kind of record. Spaces and line breaks are those of libkineto's JSON logger.
#include "demo/kineto_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace stepscope::demo {
namespace {

constexpr int kMultiprocessors = 132;
constexpr int kWarp = 32;

// What a kernel's arguments say about its launch, which is the same every time.
std::string LaunchShape(const Kernel& kernel) {
  const Dim3 grid = kernel.grid, block = kernel.block;
  const double blocks = static_cast<double>(grid.x * grid.y * grid.z) / kMultiprocessors;
  const double warps = blocks * static_cast<double>(block.x * block.y * block.z) / kWarp;
  return fmt::format(
      R"("registers per thread": {},      "shared memory": {},      "blocks per SM": {:.6f},)"
      R"(      "warps per SM": {:.6f},      "grid": [{}, {}, {}],      "block": [{}, {}, {}],)"
      R"(      "est. achieved occupancy %": {})",
      kernel.registers, kernel.shared_memory, blocks, warps, grid.x, grid.y, grid.z, block.x,
      block.y, block.z, std::min(100, static_cast<int>(warps * 100 / 64)));
}

std::string_view LaunchShapeOf(const Kernel& kernel) {
  static const std::vector<std::string> kShapes = [] {
    std::vector<std::string> shapes;
    for (const Kernel& each : AllKernels()) shapes.push_back(LaunchShape(each));
    return shapes;
  }();
  return kShapes[static_cast<size_t>(&kernel - AllKernels().data())];
}

std::string_view CategoryOf(ActivityKind kind) {
  switch (kind) {
    case ActivityKind::kMemcpy:
      return "gpu_memcpy";
    case ActivityKind::kMemset:
      return "gpu_memset";
    case ActivityKind::kCompute:
    case ActivityKind::kCommunication:
      break;
  }
  return "kernel";
}

}  // namespace

void KinetoWriter::Body(const Events& events, int device, JsonText& out) {
  at_ = static_cast<size_t>(device);
  for (const HostRange& range : events.ranges) Write(range, out);
  for (const PythonFrame& frame : events.frames) Write(frame, out);
  for (const MemoryChange& change : events.memory) Write(change, out);
  for (const SyncRecord& sync : events.syncs) Write(sync, out);
  for (const DeviceActivity& work : events.work) Write(work, out);
  for (const RuntimeCall& call : events.calls) Write(call, out);
  for (const GpuRange& range : events.gpu_ranges) Write(range, out);
}

void KinetoWriter::WriteName(const Node& node, int64_t number, JsonText& out) const {
  const std::string_view name = node.name;
  if (node.addressed) {
    const size_t at = name.find('%');
    out.Text(name.substr(0, at)).Hex(number).Text(name.substr(at + 1));
    return;
  }
  out.Text(name);
  if (number != kNone) out.Int(number);
}

void KinetoWriter::WriteFlow(std::string_view kind, bool begins, int64_t id, std::string_view track,
                             int64_t time, JsonText& out) {
  out.Text(begins ? R"(  {
    "ph": "s", "id": )"
                  : R"(  {
    "ph": "f", "id": )");
  out.Int(id).Text(", ").Text(track).Text(R"(, "ts": )").Micros(time).Text(R"(,
    "cat": ")");
  out.Text(kind)
      .Text(R"(", "name": ")")
      .Text(kind)
      .Text(begins ? R"("
  },
)"
                   : R"(", "bp": "e"
  },
)");
  ++events_;
}

void KinetoWriter::Write(const HostRange& range, JsonText& out) {
  const Node& node = *range.node;
  const std::string_view track = TrackOf(range.thread);
  out.Text(node.act == Act::kAnnotation ? R"(  {
    "ph": "X", "cat": "user_annotation", "name": ")"
                                        : R"(  {
    "ph": "X", "cat": "cpu_op", "name": ")");
  WriteName(node, range.number, out);
  out.Text("\", ").Text(track).Text(",\n    \"ts\": ").Micros(range.start);
  out.Text(", \"dur\": ")
      .Micros(range.duration)
      .Text(",\n    \"args\": {\n      \"External id\": ");
  out.Int(range.external_id).Text(",\"Record function id\": 0, ");
  if (range.sequence != kNone) {
    out.Text("\"Sequence number\": ").Int(range.sequence).Text(", \"Fwd thread id\": ");
    out.Int(node.link == Link::kForward ? 0 : static_cast<int64_t>(at_) + 1).Text(", ");
  }
  if (range.message.elements != kNone && node.name == "record_param_comms") {
    out.Text(R"("Collective name": ")").Text(range.message.operation);
    out.Text(R"(", "dtype": "BFloat16", "Rank": )").Int(rank_);
    out.Text(R"(, "In msg nelems": )").Int(range.message.elements);
    out.Text(R"(, "Out msg nelems": )").Int(range.message.elements);
    out.Text(R"(, "Group size": )").Int(GroupOf(range.message).count);
    WriteEnds(range.message, out);
    WriteGroup(range.message, out);
    out.Text(", ");
  } else if (options_.stacks) {
    out.Text(node.inputs);
  }
  out.Text("\"Ev Idx\": ").Int(ev_index_++).Text("\n    }\n  },\n");
  ++events_;
  const bool begins = node.link == Link::kForward;
  if (begins || node.link == Link::kBackward) {
    WriteFlow("fwdbwd", begins, range.sequence, track, range.start, out);
  }
}

// The other end of a message alone, as PyTorch does.
void KinetoWriter::WriteEnds(const Message& message, JsonText& out) {
  if (message.from >= 0) out.Text(R"(, "Src Rank": )").Int(message.from);
  if (message.to >= 0) out.Text(R"(, "Dst Rank": )").Int(message.to);
}

void KinetoWriter::WriteGroup(const Message& message, JsonText& out) const {
  const ProcessGroup& group = GroupOf(message);
  out.Text(R"(, "Process Group Name": ")").Text(group.name);
  out.Text(R"(", "Process Group Description": ")").Text(group.description);
  out.Text(R"(", "Process Group Ranks": ")").Text(listed_[static_cast<size_t>(message.group)]);
  out.Text(R"(", "Seq": )").Int(message.sequence);
}

void KinetoWriter::Write(const PythonFrame& frame, JsonText& out) {
  out.Text(R"(  {
    "ph": "X", "cat": "python_function", "name": ")");
  WriteName(*frame.node, frame.number, out);
  out.Text("\", ").Text(TrackOf(Thread::kMain)).Text(",\n    \"ts\": ").Micros(frame.start);
  out.Text(", \"dur\": ").Micros(frame.duration);
  out.Text(",\n    \"args\": {\n      \"Python parent id\": ");
  if (frame.parent == kNone) {
    out.Text("null");
  } else {
    out.Int(frame.parent);
  }
  out.Text(", \"Python id\": ").Int(frame.id);
  if (frame.node->act == Act::kModule) out.Text(", \"Python module id\": ").Int(frame.number);
  out.Text(", \"Ev Idx\": ").Int(ev_index_++).Text("\n    }\n  },\n");
  ++events_;
}

void KinetoWriter::Write(const MemoryChange& change, JsonText& out) {
  out.Text(R"(  {
    "ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]",
    )");
  out.Text(TrackOf(change.thread)).Text(",\n    \"ts\": ").Micros(change.time);
  out.Text(",\n    \"args\": {\n      \"Total Reserved\": ").Int(change.reserved);
  out.Text(", \"Total Allocated\": ").Int(change.allocated);
  out.Text(", \"Bytes\": ").Int(change.bytes).Text(", \"Addr\": ").Int(change.address);
  out.Text(", \"Device Id\": ").Int(Device()).Text(", \"Device Type\": 1, \"Ev Idx\": ");
  out.Int(ev_index_++).Text("\n    }\n  },\n");
  ++events_;
}

void KinetoWriter::Write(const RuntimeCall& call, JsonText& out) {
  const std::string_view track = TrackOf(call.thread);
  out.Text(call.call->driver ? R"(  {
    "ph": "X", "cat": "cuda_driver", "name": ")"
                             : R"(  {
    "ph": "X", "cat": "cuda_runtime", "name": ")");
  out.Text(call.call->name).Text("\", ").Text(track).Text(",\n    \"ts\": ").Micros(call.start);
  out.Text(", \"dur\": ").Micros(call.duration).Text(",\n    \"args\": {\n      \"External id\": ");
  out.Int(call.external_id).Text(",      \"cbid\": ").Int(call.call->cbid);
  out.Text(", \"correlation\": ").Int(call.correlation).Text("\n    }\n  },\n");
  ++events_;
  WriteFlow("ac2g", call.linked, call.correlation, track, call.start, out);
}

void KinetoWriter::Write(const DeviceActivity& work, JsonText& out) {
  const Kernel& kernel = *work.kernel;
  const std::string_view track = TrackOf(work.stream);
  const bool is_kernel =
      kernel.kind == ActivityKind::kCompute || kernel.kind == ActivityKind::kCommunication;
  out.Text("  {\n    \"ph\": \"X\", \"cat\": \"").Text(CategoryOf(kernel.kind));
  out.Text("\", \"name\": \"").Text(kernel.name).Text("\", ").Text(track);
  out.Text(",\n    \"ts\": ").Micros(work.start).Text(", \"dur\": ").Micros(work.duration);
  out.Text(",\n    \"args\": {\n      \"External id\": ").Int(work.external_id).Text(",      ");
  if (is_kernel) out.Text("\"queued\": 0, ");
  out.Text("\"device\": ").Int(Device()).Text(", \"context\": 1,      \"stream\": ");
  out.Int(work.stream).Text(", \"correlation\": ").Int(work.correlation).Text(",      ");
  if (is_kernel) {
    out.Text(LaunchShapeOf(kernel));
  } else {
    const double speed = static_cast<double>(kernel.bytes) / static_cast<double>(work.duration);
    out.Text("\"bytes\": ").Int(kernel.bytes).Text(", \"memory bandwidth (GB/s)\": ").Real(speed);
  }
  if (work.message.elements != kNone) {
    out.Text(R"(, "Collective name": ")").Text(work.message.operation);
    out.Text(R"(", "In msg nelems": )").Int(work.message.elements);
    out.Text(R"(, "Out msg nelems": )").Int(work.message.elements);
    out.Text(R"(, "Group size": )").Int(GroupOf(work.message).count);
    out.Text(R"(, "dtype": "BFloat16", "In split size": "[]", "Out split size": "[]")");
    WriteEnds(work.message, out);
    WriteGroup(work.message, out);
  }
  out.Text("\n    }\n  },\n");
  ++events_;
  WriteFlow("ac2g", false, work.correlation, track, work.start, out);
}

void KinetoWriter::Write(const GpuRange& range, JsonText& out) {
  out.Text(R"(  {
    "ph": "X", "cat": "gpu_user_annotation", "name": ")");
  WriteName(*range.node, range.number, out);
  out.Text("\", ").Text(TrackOf(range.stream)).Text(",\n    \"ts\": ").Micros(range.start);
  out.Text(", \"dur\": ")
      .Micros(range.duration)
      .Text(",\n    \"args\": {\n      \"External id\": ");
  out.Int(range.external_id).Text("\n    }\n  },\n");
  ++events_;
}

void KinetoWriter::Write(const SyncRecord& sync, JsonText& out) {
  const std::string_view track = TrackOf(sync.stream);
  out.Text(R"(  {
    "ph": "X", "cat": "cuda_sync", "name": ")");
  out.Text(sync.kind).Text("\", ").Text(track).Text(",\n    \"ts\": ").Micros(sync.start);
  out.Text(", \"dur\": ").Micros(sync.duration).Text(",\n    \"args\": {\n      \"External id\": ");
  out.Int(sync.external_id).Text(",\n      \"cuda_sync_kind\": \"").Text(sync.kind).Text("\",\n");
  if (sync.wait_stream != kNone) {
    out.Text("      \"wait_on_stream\": ").Int(sync.wait_stream);
    out.Text(",\n      \"wait_on_cuda_event_record_corr_id\": ").Int(sync.wait_correlation);
    out.Text(",\n      \"wait_on_cuda_event_id\": ").Int(sync.wait_event).Text(",\n");
  }
  out.Text("      \"stream\": ").Int(sync.stream).Text(", \"correlation\": ").Int(sync.correlation);
  out.Text(",\n      \"device\": ").Int(Device()).Text(", \"context\": 1\n    }\n  },\n");
  ++events_;
  WriteFlow("ac2g", false, sync.correlation, track, sync.start, out);
}

}  // namespace stepscope::demo
