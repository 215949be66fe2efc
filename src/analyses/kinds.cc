// Chooses the kind of each enumerator, in one switch per enum.
#include "analyses/kinds.h"

#include "facts/paths/what_if.h"

namespace stepscope {

ColumnKind KindOf(StepCategory category) {
  switch (category) {
    case StepCategory::kDeviceCompute:
      return ColumnKind::kCompute;
    case StepCategory::kDeviceToDevice:
      return ColumnKind::kMemory;
    case StepCategory::kDeviceCollectives:
      return ColumnKind::kCommunication;
    case StepCategory::kHostCompute:
      return ColumnKind::kHost;
    case StepCategory::kLaunch:
      return ColumnKind::kLaunch;
    case StepCategory::kInput:
      return ColumnKind::kInput;
    case StepCategory::kOutput:
      return ColumnKind::kOutput;
    case StepCategory::kCompilation:
    case StepCategory::kOneTime:
      return ColumnKind::kCompilation;
    case StepCategory::kOther:
    case StepCategory::kCount:
      break;
  }
  return ColumnKind::kOther;
}

ColumnKind KindOf(InputCategory category) {
  switch (category) {
    case InputCategory::kReadOnDemand:
    case InputCategory::kReadInAdvance:
      return ColumnKind::kInput;
    case InputCategory::kPreprocessing:
    case InputCategory::kEnqueuing:
      return ColumnKind::kHost;
    case InputCategory::kLoaderWorkers:
      return ColumnKind::kWait;
    case InputCategory::kOther:
    case InputCategory::kCount:
      break;
  }
  return ColumnKind::kOther;
}

ColumnKind KindOf(Phase phase) {
  switch (phase) {
    case Phase::kForward:
      return ColumnKind::kForward;
    case Phase::kBackward:
      return ColumnKind::kBackward;
    case Phase::kOptimizer:
      return ColumnKind::kOptimizer;
    case Phase::kDataLoading:
      return ColumnKind::kInput;
    case Phase::kOther:
      break;
  }
  return ColumnKind::kOther;
}

ColumnKind KindOf(Bound bound) {
  switch (bound) {
    case Bound::kCompute:
      return ColumnKind::kCompute;
    case Bound::kCommunication:
      return ColumnKind::kCommunication;
    case Bound::kMemory:
      return ColumnKind::kMemory;
    case Bound::kLaunch:
      return ColumnKind::kLaunch;
    case Bound::kKernelGap:
      return ColumnKind::kIdle;
    case Bound::kCpu:
      return ColumnKind::kHost;
    case Bound::kDataLoading:
      return ColumnKind::kInput;
    case Bound::kOneTime:
      return ColumnKind::kCompilation;
    case Bound::kSync:
      return ColumnKind::kWait;
    case Bound::kNoRecord:
    case Bound::kCount:
      break;
  }
  return ColumnKind::kOther;
}

ColumnKind KindOfChange(std::string_view change) {
  const auto changes = ParseChanges(change);
  if (!changes || changes->size() != 1) return ColumnKind::kOther;
  switch (changes->front().target) {
    case Change::Target::kBound:
      return KindOf(changes->front().bound);
    case Change::Target::kKernel:
      return ColumnKind::kCompute;
    case Change::Target::kOperator:
      return ColumnKind::kHost;
  }
  return ColumnKind::kOther;
}

}  // namespace stepscope
