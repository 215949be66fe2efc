// Classifies events.
//
// Device activities are decided by the event's category, never by its having a stream: host
// operators of Triton and synchronization records carry streams too. Which kind of device activity
// a kernel is (compute or communication) is decided by its collective arguments first, then by its
// name, and last by the call that launched it (collective_calls.h).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "trace/kernel_vocabulary.h"

namespace stepscope {

enum class Kind : uint8_t {
  // Accelerator work, in the order reports show it.
  kCompute,
  kCommunication,
  kMemcpy,
  kMemset,
  // The host's side.
  kRuntime,     // calls into the driver or runtime: launches, copies, synchronization, queries
  kOperator,    // framework operators
  kAnnotation,  // ranges the framework or the user named, ProfilerStep#N among them
  kPython,      // Python call stack
  kPythonWait,  // of it, a call in which the thread waits for communication that it began
  // Records about either side.
  kGpuAnnotation,   // an annotation's shadow on the device: spans work, is none
  kSync,            // synchronization as the device saw it: spans waiting, is not an activity
  kOverhead,        // the profiler's own cost
  kCounterRange,    // hardware counters over a range of kernels
  kInstant,         // a moment, such as a memory allocation
  kCounter,         // a value over time
  kFlow,            // one end of an arrow between two events
  kProfilerWindow,  // the span of the recording itself
  kUnknown,         // a category this vocabulary does not list
  kCount
};

std::string_view KindName(Kind kind);  // "compute", "communication", "memcpy", ...

// True for what occupies an accelerator.
constexpr bool IsDeviceActivity(Kind kind) { return kind <= Kind::kMemset; }
constexpr bool IsMemory(Kind kind) { return kind == Kind::kMemcpy || kind == Kind::kMemset; }

// A set of kinds: what a reader is asked to keep.
class KindSet {
 public:
  constexpr KindSet() = default;
  constexpr KindSet(std::initializer_list<Kind> kinds) {
    for (Kind kind : kinds) bits_ |= 1u << static_cast<unsigned>(kind);
  }
  static constexpr KindSet All() {
    KindSet all;
    all.bits_ = (1u << static_cast<unsigned>(Kind::kCount)) - 1;
    return all;
  }
  constexpr bool Has(Kind kind) const { return bits_ >> static_cast<unsigned>(kind) & 1; }
  constexpr KindSet operator|(KindSet other) const {
    other.bits_ |= bits_;
    return other;
  }

 private:
  uint32_t bits_ = 0;
};

// What a reader is asked to keep: events of these kinds, and of what they say about themselves the
// texts and numbers that are many and that few ask for.
struct Wanted {
  KindSet kinds;
  bool inputs = false;   // shapes and types of operators' inputs
  bool kernels = false;  // how kernels were launched, and the compiler's operations they are

  constexpr Wanted() = default;
  constexpr Wanted(KindSet set, bool with_inputs = false, bool with_kernels = false)
      : kinds(set), inputs(with_inputs), kernels(with_kernels) {}
  static constexpr Wanted All() { return {KindSet::All(), true, true}; }
  constexpr bool Has(Kind kind) const { return kinds.Has(kind); }
  constexpr Wanted operator|(Wanted other) const {
    return {kinds | other.kinds, inputs || other.inputs, kernels || other.kernels};
  }
};

inline constexpr KindSet kPythonFrames = {Kind::kPython, Kind::kPythonWait};

inline constexpr KindSet kDeviceActivity = {Kind::kCompute, Kind::kCommunication, Kind::kMemcpy,
                                            Kind::kMemset};

// What a category says about its events, as profilers of 2021 to today spell it, and what of that
// the event's name may still change.
enum class NameDecides : uint8_t {
  kNothing,
  kCommunication,  // kernels: compute, or communication
  kActivity,       // accelerators whose category does not tell kernels from copies: any of the four
  kStep,           // operators: older profilers recorded a step as one
  kWait,           // Python's frames: the methods that wait
};
struct CategoryMeaning {
  Kind kind = Kind::kUnknown;
  NameDecides name_decides = NameDecides::kNothing;
};
CategoryMeaning MeaningOfCategory(std::string_view category);

// The kind of device activity a name alone stands for, where the category leaves it open.
Kind KindOfActivityName(std::string_view name);

// What a runtime call or driver is for, by its name in CUDA, HIP and their like.
enum class CallRole : uint8_t {
  kLaunch,  // puts a kernel on a stream: cudaLaunchKernel, cuLaunchKernelEx, hipExtModuleLaunch...
  kGraphLaunch,  // puts the many kernels of a graph on a stream
  kCopy,
  kSet,
  kStreamSync,  // waits for all activities of one stream
  kDeviceSync,  // waits for all activities of a device
  kEventSync,   // waits for an event recorded on a stream
  kEventRecord,
  kStreamWait,    // makes a stream wait for an event; the host goes on
  kBeginCapture,  // from here on the thread's launches become nodes of a graph, and do not run
  kEndCapture,
  kAllocate,  // takes memory of the device or locked memory of the host, or gives it back
  kCaptured,  // a launch, copy or set that became a node of a graph: by its place, not by its name
  kOther,
};
CallRole RoleOfCall(std::string_view name);

// Whether such a call puts kernels on a device; memcpy and memset are not meant.
constexpr bool LaunchesKernels(CallRole role) {
  return role == CallRole::kLaunch || role == CallRole::kGraphLaunch;
}

// Whether such a call puts anything on a stream.
constexpr bool PutsOnStream(CallRole role) {
  return LaunchesKernels(role) || role == CallRole::kCopy || role == CallRole::kSet;
}

// Between which memories a copy moves data, or whether it sets memory, by the name of its record:
// "Memcpy HtoD (Pinned -> Device)", "CopyHostToDevice", "Memset (Device)".
enum class CopyPath : uint8_t {
  kHostToDevice,
  kDeviceToHost,
  kDeviceToDevice,
  kPeer,
  kSet,
  kOther
};
CopyPath PathOfCopy(Kind kind, std::string_view name);
std::string_view CopyPathName(CopyPath path);  // "HtoD", "DtoH", "DtoD", "PtoP", "memset", "other"

// What an operation of a compiled program (HLO) does on a device, by its category or else its name:
// "all-reduce.3" is communication, "infeed" and copies to and from the host are copies.
Kind KindOfHloOp(std::string_view category, std::string_view name);

// Whether a range of the host belongs to a framework, as against what users name: operators
// ("model/dense/MatMul:MatMul"), functions of a runtime ("PjitFunction(f)",
// "ExecutorState::Process").
bool IsFrameworkRange(std::string_view name);

// What a range of the host means for the step it is in, by its name.
enum class HostActivity : uint8_t {
  kInputWait,    // the step waits for the next batch: "enumerate(DataLoader)...", "IteratorGetNext"
  kCompilation,  // a program is compiled, not run
  kTransfer,     // data is handed to the device: "InfeedEnqueueTuple"
  kExecutor,     // operators are dispatched: "ExecutorState::Process"
  kWrapper,      // spans what happens in it and says nothing of its own: "EagerExecute"
  kOther,
};
HostActivity HostActivityOfName(std::string_view name);

// Which phase of a training step an operator or annotation of this name belongs to, with all below
// it; kOther if the name does not tell.
enum class Phase : uint8_t { kForward, kBackward, kOptimizer, kDataLoading, kOther };
Phase PhaseOfName(std::string_view name);
std::string_view PhaseName(Phase phase);  // "forward", "backward", "optimizer", "data loading", ...

// What memory is used for, as the framework works it out, in the order of its exports.
enum class MemoryUse : uint8_t {
  kParameter,
  kOptimizerState,
  kInput,
  kTemporary,
  kActivation,
  kGradient,
  kAutogradDetail,
  kUnknown,
  kCount
};
std::string_view MemoryUseName(MemoryUse use);  // "parameter", "optimizer state", ...
// The use of that name, however it is spelt: "OPTIMIZER_STATE", "Optimizer state"; kCount for none.
MemoryUse MemoryUseOfName(std::string_view name);

// N of "ProfilerStep#N"; -1 for any other name.
int64_t StepNumber(std::string_view name);

// Whether a frame of Python's is the method that waits for a collective or message: that of the
// handle which PyTorch gives back for it.
bool IsPythonWait(std::string_view frame);
// The same of an operator: the one that waits for functional collectives.
bool IsOperatorWait(std::string_view operator_name);

}  // namespace stepscope
