// Lists what categories and names mean. Every name was found in a trace or in its library's
// sources.
#include "trace/vocabulary.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "base/ascii.h"
#include "base/match_any.h"
#include "trace/communication_names.h"

namespace stepscope {
namespace {

struct CategoryEntry {
  std::string_view name;  // lower case
  CategoryMeaning meaning;
};

// Older spellings differ in case only ("Kernel", "Memcpy", "Runtime", "Operator" in 2021).
constexpr auto kCategories = std::to_array<CategoryEntry>({
    // Hot ones first: the list is searched in order, once per distinct category.
    {"kernel", {Kind::kCompute, NameDecides::kCommunication}},
    {"gpu_memcpy", {Kind::kMemcpy}},
    {"memcpy", {Kind::kMemcpy}},
    {"gpu_memset", {Kind::kMemset}},
    {"memset", {Kind::kMemset}},
    {"cuda_runtime", {Kind::kRuntime}},
    {"cuda_driver", {Kind::kRuntime}},
    {"runtime", {Kind::kRuntime}},
    {"driver", {Kind::kRuntime}},
    {"hip_runtime", {Kind::kRuntime}},
    {"hip_driver", {Kind::kRuntime}},
    {"cpu_op", {Kind::kOperator, NameDecides::kStep}},
    {"operator", {Kind::kOperator, NameDecides::kStep}},
    {"user_annotation", {Kind::kAnnotation}},
    {"gpu_user_annotation", {Kind::kGpuAnnotation}},
    {"python_function", {Kind::kPython, NameDecides::kWait}},
    {"python", {Kind::kPython, NameDecides::kWait}},
    {"cuda_sync", {Kind::kSync}},
    {"cuda_event", {Kind::kSync}},
    {"overhead", {Kind::kOverhead}},
    {"cuda_profiler_range", {Kind::kCounterRange}},
    {"cpu_instant_event", {Kind::kInstant}},
    {"ac2g", {Kind::kFlow}},
    {"async_cpu_to_gpu", {Kind::kFlow}},
    {"async", {Kind::kFlow}},
    {"fwdbwd", {Kind::kFlow}},
    {"forward_backward", {Kind::kFlow}},
    {"trace", {Kind::kProfilerWindow}},
    {"critical_path", {Kind::kProfilerWindow}},  // of a trace that was exported with it
    // Meta's MTIA: its device records do not say what they are but by name.
    {"mtia_ccp_events", {Kind::kCompute, NameDecides::kActivity}},
    {"mtia_runtime", {Kind::kRuntime}},
    {"mtia_insight", {Kind::kOverhead}},
    // Intel's GPUs and Gaudi.
    {"xpu_runtime", {Kind::kRuntime}},
    {"xpu_driver", {Kind::kRuntime}},
    {"hpu_op", {Kind::kCompute, NameDecides::kActivity}},
    // Ascend, and devices that plug in by PyTorch's PrivateUse1.
    {"npu_kernel", {Kind::kCompute, NameDecides::kActivity}},
    {"ascend_hardware", {Kind::kCompute, NameDecides::kActivity}},
    {"hccl", {Kind::kCommunication}},
    {"enqueue", {Kind::kRuntime}},  // of its task queue
    {"dequeue", {Kind::kRuntime}},
    {"async_task_queue", {Kind::kFlow}},
    {"async_npu", {Kind::kFlow}},
    {"hosttodevice", {Kind::kFlow}},
    {"privateuse1_runtime", {Kind::kRuntime}},
    {"privateuse1_driver", {Kind::kRuntime}},
    {"collective_comm", {Kind::kCommunication}},
    {"glow_runtime", {Kind::kRuntime}},
});

constexpr auto kMemoryParts =
    std::to_array<std::string_view>({"memcpy", "dma_", "_dma", "copyhost", "copydevice"});

constexpr auto kHostToDeviceParts = std::to_array<std::string_view>(
    {"htod", "h2d", "hosttodevice", "host to device", "host -> device", "infeed"});
constexpr auto kDeviceToHostParts = std::to_array<std::string_view>(
    {"dtoh", "d2h", "devicetohost", "device to host", "device -> host", "outfeed"});
constexpr auto kDeviceToDeviceParts = std::to_array<std::string_view>(
    {"dtod", "d2d", "devicetodevice", "device to device", "device -> device", "rocclr_copybuffer"});
constexpr auto kPeerParts = std::to_array<std::string_view>({"ptop", "p2p", "peer"});

// Of PyTorch's loaders and of what jobs call their own.
constexpr auto kDataLoadingParts = std::to_array<std::string_view>(
    {"dataloader", "enumerate(datapipe)", "data_load", "data loading", "dataloading", "load_batch",
     "load_data", "next_batch", "fetch_batch"});
constexpr auto kForwardParts = std::to_array<std::string_view>({".forward", "## forward"});

}  // namespace

std::string_view KindName(Kind kind) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"compute", "communication", "memcpy", "memset", "runtime", "operator", "annotation",
       "python", "python wait", "gpu annotation", "sync", "overhead", "counter range", "instant",
       "counter", "flow", "profiler window", "unknown"});
  static_assert(kNames.size() == static_cast<size_t>(Kind::kCount));
  return kNames[static_cast<size_t>(kind)];
}

CategoryMeaning MeaningOfCategory(std::string_view category) {
  const std::string lower = Lower(category);
  const auto* entry = std::ranges::find(kCategories, lower, &CategoryEntry::name);
  return entry == kCategories.end() ? CategoryMeaning{} : entry->meaning;
}

Kind KindOfActivityName(std::string_view name) {
  if (IsCommunicationName(name)) return Kind::kCommunication;
  const std::string lower = Lower(name);
  if (lower.contains("memset")) return Kind::kMemset;
  if (lower.starts_with("dma") || ContainsAny(lower, kMemoryParts)) return Kind::kMemcpy;
  return Kind::kCompute;
}

// A call of CUDA or HIP, or their drivers: "cudaMalloc", "hipfreeasync", "cumemcreate", in lower
// case.
static bool Allocates(std::string_view lower) {
  for (const std::string_view library : {"cuda", "hip", "cu"}) {
    if (!lower.starts_with(library)) continue;
    const std::string_view call = lower.substr(library.size());
    return StartsWithAny(call, {"malloc", "free", "hostalloc", "hostmalloc", "hostfree", "memalloc",
                                "memfree", "memhostalloc", "memcreate", "memmap", "memunmap",
                                "memrelease", "memsetaccess", "memaddress"});
  }
  return false;
}

CallRole RoleOfCall(std::string_view name) {
  if (name.contains("GraphLaunch")) return CallRole::kGraphLaunch;
  if (name.contains("StreamBeginCapture")) return CallRole::kBeginCapture;
  if (name.contains("StreamEndCapture")) return CallRole::kEndCapture;
  // MTIA's; "ModuleLaunch" is hipExtModuleLaunchKernel, hipModuleLaunchKernel and older kin.
  if (name.contains("LaunchKernel") || name.contains("LaunchCooperativeKernel") ||
      name.contains("ModuleLaunch") ||
      name.starts_with("runFunction - job_prep_and_submit_for_execution")) {
    return CallRole::kLaunch;
  }
  const std::string lower = Lower(name);
  if (lower.contains("memcpy")) return CallRole::kCopy;
  if (lower.contains("memset")) return CallRole::kSet;
  if (lower.contains("streamsynchronize")) return CallRole::kStreamSync;
  if (lower.contains("devicesynchronize") || lower.contains("ctxsynchronize")) {
    return CallRole::kDeviceSync;
  }
  if (lower.contains("eventsynchronize")) return CallRole::kEventSync;
  if (lower.contains("eventrecord")) return CallRole::kEventRecord;
  if (lower.contains("streamwaitevent")) return CallRole::kStreamWait;
  return Allocates(lower) ? CallRole::kAllocate : CallRole::kOther;
}

Kind KindOfHloOp(std::string_view category, std::string_view name) {
  constexpr auto kCollectives = std::to_array<std::string_view>(
      {"all-reduce", "all-gather", "reduce-scatter", "all-to-all", "collective-permute",
       "collective-broadcast", "ragged-all-to-all"});
  constexpr auto kTransfers = std::to_array<std::string_view>(
      {"infeed", "outfeed", "host send", "host recv", "copy-start", "copy-done"});
  const std::string lower = Lower(category.empty() ? name : category);
  if (ContainsAny(lower, kCollectives) || lower.starts_with("send") || lower.starts_with("recv"))
    return Kind::kCommunication;
  return ContainsAny(lower, kTransfers) ? Kind::kMemcpy : Kind::kCompute;
}

bool IsFrameworkRange(std::string_view name) {
  // "scope/op:Type": what the name is about, a colon, a type.
  const size_t colon = name.find(':');
  if (colon != name.npos && colon > 0 && colon + 1 < name.size() && !name.contains(' '))
    return true;
  return name.contains("::") || (name.ends_with(')') && name.contains('(')) ||
         name.starts_with("Eager") || name.starts_with("TFE_") || name.starts_with("end: ") ||
         name == "FunctionRun" || name == "SessionRun";
}

HostActivity HostActivityOfName(std::string_view name) {
  constexpr auto kCompilers = std::to_array<std::string_view>(
      {"xlacompile", "backend_compile", "backendcompile", "entire_frame_compile", "compile_fx",
       "compile_inner", "::compile", "hlopasspipeline", "runhlopasses", "runbackend", "llvmcompile",
       "_compile.compile", "(dynamo_timed)", "trace_to_jaxpr", "lower_jaxpr",
       "lower_sharding_computation"});
  constexpr auto kWrappers = std::to_array<std::string_view>(
      {"EagerExecute", "EagerLocalExecute", "EagerKernelExecute", "FunctionRun", "SessionRun",
       "TFE_Py_", "KernelAndDeviceFunc::Run", "Optimizer.", "ProfilerStep#",
       "DistributedDataParallel.", "DataParallel."});
  const std::string lower = Lower(name);
  if (name.starts_with("IteratorGetNext") || ContainsAny(lower, kDataLoadingParts))
    return HostActivity::kInputWait;
  if (name == "dynamo" || ContainsAny(lower, kCompilers)) return HostActivity::kCompilation;
  if (name.contains("InfeedEnqueue") || name.contains("TransferToInfeed"))
    return HostActivity::kTransfer;
  if (name.starts_with("ExecutorState::Process")) return HostActivity::kExecutor;
  return StartsWithAny(name, kWrappers) ? HostActivity::kWrapper : HostActivity::kOther;
}

CopyPath PathOfCopy(Kind kind, std::string_view name) {
  if (kind == Kind::kMemset) return CopyPath::kSet;
  const std::string lower = Lower(name);
  if (ContainsAny(lower, kPeerParts)) return CopyPath::kPeer;
  if (ContainsAny(lower, kHostToDeviceParts)) return CopyPath::kHostToDevice;
  if (ContainsAny(lower, kDeviceToHostParts)) return CopyPath::kDeviceToHost;
  if (ContainsAny(lower, kDeviceToDeviceParts)) return CopyPath::kDeviceToDevice;
  return CopyPath::kOther;
}

std::string_view CopyPathName(CopyPath path) {
  constexpr auto kNames =
      std::to_array<std::string_view>({"HtoD", "DtoH", "DtoD", "PtoP", "memset", "other"});
  return kNames[static_cast<size_t>(path)];
}

Phase PhaseOfName(std::string_view name) {
  const std::string lower = Lower(name);
  if (ContainsAny(lower, kDataLoadingParts)) return Phase::kDataLoading;
  if (lower.starts_with("optimizer.") || lower.contains("## optimizer")) return Phase::kOptimizer;
  if (lower.contains("backward") || lower.starts_with("autograd::engine") ||
      lower.contains("accumulategrad")) {
    return Phase::kBackward;
  }
  return ContainsAny(lower, kForwardParts) ? Phase::kForward : Phase::kOther;
}

std::string_view PhaseName(Phase phase) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"forward", "backward", "optimizer", "data loading", "other"});
  return kNames[static_cast<size_t>(phase)];
}

std::string_view MemoryUseName(MemoryUse use) {
  constexpr auto kNames =
      std::to_array<std::string_view>({"parameter", "optimizer state", "input", "temporary",
                                       "activation", "gradient", "autograd detail", "unknown"});
  static_assert(kNames.size() == static_cast<size_t>(MemoryUse::kCount));
  return kNames[static_cast<size_t>(use)];
}

MemoryUse MemoryUseOfName(std::string_view name) {
  std::string words = Lower(name);
  std::ranges::replace(words, '_', ' ');
  if (words == "autograd") return MemoryUse::kAutogradDetail;
  auto use = MemoryUse::kParameter;
  while (use != MemoryUse::kCount && words != MemoryUseName(use)) {
    use = static_cast<MemoryUse>(static_cast<uint8_t>(use) + 1);
  }
  return use;
}

int64_t StepNumber(std::string_view name) {
  constexpr std::string_view kPrefix = "ProfilerStep#";
  if (!name.starts_with(kPrefix)) return -1;
  name.remove_prefix(kPrefix.size());
  int64_t number = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc() && end == name.data() + name.size() && number >= 0 ? number : -1;
}

bool IsPythonWait(std::string_view frame) { return frame.starts_with("<built-in method wait of "); }

bool IsOperatorWait(std::string_view operator_name) {
  return operator_name.contains("::wait_tensor");
}

}  // namespace stepscope
