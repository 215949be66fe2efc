// Reads Kubernetes events about a job, as `kubectl get events -o json` prints them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "goodput/events/notes.h"
#include "goodput/scheduler/scheduled_job.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

struct KubernetesOptions {
  // The name of the Job, JobSet or training job; what controllers made for it is named after it.
  // Empty: all jobs of the list.
  std::string job;
  int64_t chips_per_pod = 1;
  // Pods that the job needs; 0: the maximum seen at once.
  int64_t pods = 0;
};

// Reads a List of Event objects (v1 or events.k8s.io/v1) about Pods, Jobs, JobSets and Kueue's
// Workloads, in any order. A pod is allocated from Scheduled and healthy from Started, until
// Killing, Preempted, Evicted, ... Kueue's Pending or a controller's first event submits the job,
// Suspended pauses a job that was not evicted, Completed and similar reasons end it. Pods belong to
// the controller that they are named after. Clusters keep
// events for an hour, so the list may lack the beginning. Counts unreadable events. Fails if the
// text is not a list of events.
Result<std::vector<ScheduledJob>> ReadKubernetes(std::string_view text,
                                                 const KubernetesOptions& options,
                                                 Notes& note_counts);

}  // namespace stepscope::goodput
