// Takes the spans of one process: saves, loading, custom events.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/ascii.h"
#include "base/saturate.h"
#include "goodput/accounting/recording.h"

namespace stepscope::goodput {
namespace {

std::optional<Bucket> BucketOfSpan(EventKind end, const std::string& text) {
  switch (end) {
    case EventKind::kAcceleratorInitEnd:
      return Bucket::kAcceleratorInit;
    case EventKind::kTrainingPrepEnd:
      return Bucket::kTrainingPrep;
    case EventKind::kCustomEnd:
      return Bucket::kCustom;
    case EventKind::kElasticReinitEnd:
      return Bucket::kElasticReinit;
    case EventKind::kCheckpointSaveEnd:
      return Bucket::kSave;
    case EventKind::kCheckpointRestoreEnd:
      return Bucket::kRestore;
    case EventKind::kElasticWaitEnd:
      return Upper(text).contains("SCALE_UP") ? Bucket::kElasticUp : Bucket::kElasticDown;
    default:
      return std::nullopt;
  }
}

}  // namespace

bool JobTotals::HasRoom() const { return labels.size() + 1 < kMostLabels; }

uint8_t JobTotals::LabelOf(std::string type) {
  if (type.empty()) type = "UNKNOWN";
  const auto found = std::ranges::find(labels, type);
  if (found != labels.end()) return static_cast<uint8_t>(found - labels.begin());
  if (labels.size() + 1 >= kMostLabels) {
    note_counts.Add(NoteKind::kManyCustomTypes);
    if (labels.size() < kMostLabels) labels.emplace_back("(more types)");
    return kMostLabels - 1;
  }
  labels.push_back(std::move(type));
  return static_cast<uint8_t>(labels.size() - 1);
}

void Recording::Lay(Attempt& attempt, int64_t start, int64_t end, Bucket bucket, uint8_t label,
                    JobTotals& job) {
  if (end < start) return job.note_counts.Add(NoteKind::kNegativeDuration);
  if (end == start || thin_) return;
  attempt.overlays.Add(start, end, bucket, label);
  ++job.kept;
  if (attempt.steps.empty()) return;
  // Between steps they are not part of the step.
  const int64_t to = std::min(end, attempt.step_end.value_or(end));
  attempt.blocked += std::max<int64_t>(0, to - std::max(start, attempt.told.time));
}

void Recording::AddSpanEnd(const Event& event, Attempt& attempt, JobTotals& job) {
  const auto start = IsCurrent(attempt) ? attempt.open.Close(event) : std::nullopt;
  if (!start) return job.note_counts.Add(NoteKind::kEndWithoutBegin);
  if (event.kind == EventKind::kDataLoadingEnd) {
    // The library's logs do not tell whether loading blocks the steps.
    if (recorder_ || attempt.steps.empty()) {
      Lay(attempt, *start, event.time, Bucket::kDataLoading, 0, job);
    } else if (event.time >= *start) {
      attempt.async_loading = AddSaturated(attempt.async_loading, event.time - *start);
    }
  } else if (const auto bucket = BucketOfSpan(event.kind, event.text)) {
    const uint8_t label = bucket == Bucket::kCustom ? job.LabelOf(Upper(event.text)) : uint8_t{0};
    if (event.kind == EventKind::kCheckpointSaveEnd) {
      if (!thin_) ++job.saves;
      attempt.TakeSaved(event.step);
    }
    Lay(attempt, *start, event.time, *bucket, label, job);
  }
  // Slices change while a job is dying too, so a returning slice alone does not prove it alive.
  if (event.kind != EventKind::kElasticWaitEnd) attempt.last = std::max(attempt.last, event.time);
}

void Recording::AddCheckpoint(const Event& event, Attempt& attempt, JobTotals& job) {
  const auto [start, duration] = event.checkpoint.manager;
  if (start == kUnknown || duration == kUnknown || duration == 0) return;
  const bool is_save = event.kind == EventKind::kCheckpointSave;
  if (is_save) {
    if (!thin_) ++job.saves;
    attempt.TakeSaved(event.step);
  }
  Lay(attempt, start, start + duration, is_save ? Bucket::kSave : Bucket::kRestore, 0, job);
  attempt.last = std::max(attempt.last, start + duration);
}

}  // namespace stepscope::goodput
