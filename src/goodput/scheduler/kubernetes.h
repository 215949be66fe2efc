// What Kubernetes says about a job: its events, as `kubectl get events -o json` prints them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "goodput/events/event.h"
#include "goodput/events/oddities.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

struct KubernetesOptions {
  // The name of the Job, JobSet or training job; what controllers made for it is named after it.
  // Empty: all events are of one job.
  std::string job;
  int64_t chips_per_pod = 1;
  // How many pods the job needs; 0: as many as were ever there at once.
  int64_t pods = 0;
};

// Reads a List of Event objects (v1 or events.k8s.io/v1) about Pods, Jobs, JobSets and Kueue's
// Workloads, in any order. A pod counts as allocated from Scheduled, as healthy from Started, and
// until a Killing, Preempted, Evicted, ... Kueue's Pending and the controllers' first word submit
// the job, its Suspended pauses one that was not evicted, Completed and its kin end it. Events are
// kept by a cluster for an hour: a list that begins later begins in the middle. What is no event
// that could be read is counted. Fails when the text is no list of events.
Result<std::vector<Event>> ReadKubernetes(std::string_view text, const KubernetesOptions& options,
                                          Oddities& oddities);

}  // namespace stepscope::goodput
