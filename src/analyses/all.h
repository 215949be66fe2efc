// The one list of analyses: a new one is named here, in both places.
#pragma once

#include "analyses/analysis.h"

namespace stepscope {

extern const Analysis kTemporalBreakdown, kCommOverlap, kIdleTime, kKernelBreakdown,
    kKernelDistribution, kKernelGroups, kCollectives, kStragglers, kImbalance, kCriticalPath,
    kPhases, kLaunchStats, kQueueLength, kMemoryBandwidth, kOperatorKernels, kKernelSequences,
    kUserAnnotations, kMemoryTimeline, kCuptiCounters, kOperators, kKernels, kHloOperators, kFlops;

// In the order reports are shown.
inline constexpr const Analysis* kAllAnalyses[] = {
    &kTemporalBreakdown,
    &kCommOverlap,
    &kIdleTime,
    &kKernelBreakdown,
    &kKernelDistribution,
    &kKernelGroups,
    &kCollectives,
    &kStragglers,
    &kImbalance,
    &kCriticalPath,
    &kPhases,
    &kLaunchStats,
    &kQueueLength,
    &kMemoryBandwidth,
    &kOperatorKernels,
    &kKernelSequences,
    &kUserAnnotations,
    &kMemoryTimeline,
    &kCuptiCounters,
    &kOperators,
    &kKernels,
    &kHloOperators,
    &kFlops,
};

}  // namespace stepscope
