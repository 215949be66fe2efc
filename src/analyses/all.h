// Lists every analysis. A new one is named here, in both places.
#pragma once

#include "analyses/analysis.h"

namespace stepscope {

extern const Analysis kOverview, kBreakdown, kSteps, kInputPipeline, kTemporalBreakdown,
    kCommOverlap, kIdleTime, kStepGaps, kKernelBreakdown, kKernelDistribution, kKernelGroups,
    kKernels, kOperators, kShapes, kModules, kPython, kHloOperators, kFlops, kLayout, kCollectives,
    kAllreduceCheck, kStragglers, kImbalance, kCriticalPath, kWhatif, kPhases, kLaunchStats,
    kQueueLength, kMemoryBandwidth, kOperatorKernels, kKernelSequences, kUserAnnotations,
    kMemoryTimeline, kMemoryProfile, kPrograms, kCuptiCounters;

// In the order reports are shown.
inline constexpr const Analysis* kAllAnalyses[] = {
    &kOverview,        &kBreakdown,       &kSteps,          &kInputPipeline,   &kTemporalBreakdown,
    &kCommOverlap,     &kIdleTime,        &kStepGaps,       &kKernelBreakdown, &kKernelDistribution,
    &kKernelGroups,    &kKernels,         &kOperators,      &kShapes,          &kModules,
    &kPython,          &kHloOperators,    &kFlops,          &kLayout,          &kCollectives,
    &kAllreduceCheck,  &kStragglers,      &kImbalance,      &kCriticalPath,    &kWhatif,
    &kPhases,          &kLaunchStats,     &kQueueLength,    &kMemoryBandwidth, &kOperatorKernels,
    &kKernelSequences, &kUserAnnotations, &kMemoryTimeline, &kMemoryProfile,   &kPrograms,
    &kCuptiCounters,
};

}  // namespace stepscope
