// Computes the breakdown of each step: every moment belongs to one part, so the parts sum to the
// step.
//
// Activities and their order are the TensorFlow Profiler's: when several go on at once, the
// device's computing counts before its copies, copies before waiting for input, and all that the
// host does comes last. Unlike there, computing in 8 bits and in a precision that nothing tells
// have their own, and a step is a stretch of the time line (StepWindow), so that steps add up to
// the run.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/intervals.h"
#include "base/saturate.h"
#include "base/string_table.h"
#include "facts/activity/rank_activity.h"

namespace stepscope {

// From the last in order to the first.
enum class StepPart : uint8_t {
  kOther,        // nothing that was recorded
  kHostCompute,  // operators of the framework on the host
  kAllocation,   // calls that allocate or free memory of a device
  kCompilation,
  kHostToDevice,  // and the calls that copy
  kLaunch,        // calls that put activities on a device, an executor that prepares them
  kOneTime,       // graph capture, context creation, module loading, tuning of convolutions
  kCollective,
  kInputWait,       // the host waits for the next batch
  kDeviceToDevice,  // memcpy and memset within and between devices
  kDeviceToHost,
  kComputeUnknown,  // computing in a precision that neither name nor operands tell
  kCompute32,       // 32 bits and more
  kCompute16,
  kCompute8,
  kCount
};
inline constexpr size_t kStepParts = static_cast<size_t>(StepPart::kCount);

// A step's share of the time line (StepStretch): where the host runs ahead of the device, a step
// lasts as long as the device needs for it.
struct StepWindow {
  int64_t number = 0;
  int64_t start = 0;  // ns
  int64_t end = 0;
};

// The windows of a recording's complete steps, by start. Empty windows are left out, and so are
// steps without activities of a device where other steps have some.
std::vector<StepWindow> StepWindows(const RankActivity& rank);

struct StepBreakdown {
  StepWindow window;
  std::array<int64_t, kStepParts> time{};  // ns; adds up to the window

  int64_t Of(StepPart part) const { return time[static_cast<size_t>(part)]; }
  int64_t Total() const { return window.end - window.start; }
  int64_t Compute() const {
    return AddSaturated(AddSaturated(Of(StepPart::kComputeUnknown), Of(StepPart::kCompute32)),
                        AddSaturated(Of(StepPart::kCompute16), Of(StepPart::kCompute8)));
  }
};

// Of every window, what it went to.
std::vector<StepBreakdown> BreakStepsDown(const RankActivity& rank, const StringTable& names,
                                          std::span<const StepWindow> windows);

// When the windows went to these parts.
IntervalSet StretchesOf(const RankActivity& rank, const StringTable& names,
                        std::span<const StepWindow> windows, std::span<const StepPart> parts);

// The same by the roles of PyTorch's TensorBoard plugin, the first in order last.
enum class StepRole : uint8_t {
  kOther,
  kCpuExec,
  kDataLoader,
  kRuntime,
  kCommunication,
  kMemset,
  kMemcpy,
  kKernel,
  kCount
};
inline constexpr size_t kStepRoles = static_cast<size_t>(StepRole::kCount);
std::vector<std::array<int64_t, kStepRoles>> StepRoles(const RankActivity& rank,
                                                       const StringTable& names,
                                                       std::span<const StepWindow> windows);

}  // namespace stepscope
