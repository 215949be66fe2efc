// Compares a run of traces with one job: by name, by the scheduler's id, by time and by host.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "goodput/accounting/jobs.h"
#include "goodput/accounting/partition.h"
#include "stepscope/goodput_match.h"
#include "stepscope/phrase.h"

namespace stepscope::goodput {

// The later ones are stronger.
enum class NameEvidence : uint8_t { kNone, kSchedulerId, kLastPart, kWhole };

// What tells that a run is of a job.
struct JobEvidence {
  NameEvidence name = NameEvidence::kNone;
  std::string id;                  // the scheduler's, of kSchedulerId
  std::string host;                // that recorded the job and a trace, or is against it
  std::optional<int64_t> attempt;  // index of the one that ran then
  bool within = false;             // its time meets that of the traces, without tolerance
  Phrase against;                  // why the run is not of this job; empty: nothing is
};

// Whether the run has this name: all of it, or what follows the last '/'.
NameEvidence NameOf(const RunOfJob& run, std::string_view job);

// Whether a name of the run may be the id of a scheduler: "4711", "slurm-4711".
bool MayBeId(const RunOfJob& run);

// From the job's events.
JobEvidence EvidenceOf(const RunOfJob& run, Job& job);

}  // namespace stepscope::goodput
