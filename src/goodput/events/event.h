// Defines the event that recorders write, ledgers store and the accounting reads.
//
// A span is two events, a begin and an end, since a killed process writes no end. Only checkpoints
// measured by Orbax are one event with durations. Absent numbers are kUnknown, absent texts are
// empty.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace stepscope::goodput {

// An absent number of an event. Not std::optional: events are many, and segments and the C
// interface store this value (STEPSCOPE_GOODPUT_UNKNOWN).
inline constexpr int64_t kUnknown = std::numeric_limits<int64_t>::min();

// Recorders store these numbers: add at the end, never renumber.
// Comments list the fields of Event that a kind uses besides identity and times.
enum class EventKind : uint8_t {
  kNone = 0,  // no event, or one of an unknown kind

  // The course of an attempt.
  kJobStart = 1,
  kJobEnd = 2,     // the job ended as planned
  kStepStart = 3,  // step
  kStepEnd = 4,    // step
  kHeartbeat = 5,
  kResumeFrom = 6,        // step: the first one this attempt will run
  kPreemptionNotice = 7,  // text: the platform's message
  kCheckpointCommit = 8,  // step: the last one it holds; text: tier ("local", "gs://...")
  kAcceleratorInitBegin = 9,
  kAcceleratorInitEnd = 10,
  kTrainingPrepBegin = 11,
  kTrainingPrepEnd = 12,
  kDataLoadingBegin = 13,
  kDataLoadingEnd = 14,
  kCustomBegin = 15,  // text: the user's name for it ("eval")
  kCustomEnd = 16,    // text

  // Elastic training: slices leave and join a running job.
  kElasticWaitBegin = 17,  // text: "slice_down", "scale_up", ...
  kElasticWaitEnd = 18,    // text
  kElasticReinitBegin = 19,
  kElasticReinitEnd = 20,
  kElasticSlices = 21,  // counts: active, total, available slices

  // Checkpoints as Orbax measured them.
  kCheckpointSave = 22,              // step, text: directory, checkpoint
  kCheckpointRestore = 23,           // step, text: directory, checkpoint
  kCheckpointEmergencyRestore = 24,  // step, text: directory, checkpoint

  // Before and around attempts, from schedulers.
  kJobSubmitted = 25,
  kResources = 26,  // counts: requested, allocated, healthy chips; kUnknown: not given
  kSpareSwap = 27,  // text: which node replaced which

  // Tokens and FLOPs, for program goodput.
  kActivity = 28,  // step (optional), counts: tokens, billions of FLOPs (so that int64 suffices)

  // A recorder had no room: counts[0] events before this one were not written.
  kDropped = 29,

  // How a process and a job ended.
  kProcessEnd = 30,  // text: "exit", or what ended the process
  kJobState = 31,    // from schedulers, text: "completed", "failed", "cancelled", "timed out"

  // Checkpoints without Orbax: what blocks training. `step`: the last one it holds.
  kCheckpointSaveBegin = 32,
  kCheckpointSaveEnd = 33,  // text: tier
  kCheckpointRestoreBegin = 34,
  kCheckpointRestoreEnd = 35,

  kLabel = 36,  // text: "team=nlp", for grouping jobs

  // From `stepscope watch`, and no part of the job's course: text: what a window said, as JSON.
  kWatched = 37,

  kCount
};

// Orbax's measurements; kUnknown if the entry has none.
struct CheckpointTimes {
  struct Span {
    int64_t start = kUnknown;     // ns since the epoch
    int64_t duration = kUnknown;  // ns
    friend bool operator==(const Span&, const Span&) = default;
  };
  Span manager;        // all that blocked training; the event's own time
  Span checkpointer;   // of which in the checkpointer
  Span wait_for_prev;  // saves: waiting for the save before
  Span get_old_steps;  // saves
  Span broadcast;      // emergency restores: to the other slices
  friend bool operator==(const CheckpointTimes&, const CheckpointTimes&) = default;
};

struct Event {
  EventKind kind = EventKind::kNone;

  // ns since 1970 by the host's wall clock, and ns since the boot of `writer`'s host by a clock
  // that never steps.
  int64_t time = kUnknown;
  int64_t monotonic = kUnknown;
  // When a server got it, by the server's clock. Only servers set it, where the two clocks differ.
  int64_t received = kUnknown;

  // (writer, sequence) is unique, so that events ingested twice count once. Events of other tools,
  // such as the reference library, have neither.
  std::string job;
  std::string attempt;          // id of the attempt; empty: only kJobStart separates attempts
  std::string writer;           // host, rank and boot
  int64_t sequence = kUnknown;  // 0, 1, ... by writer

  // Contents: see EventKind.
  int64_t step = kUnknown;
  int64_t counts[3] = {kUnknown, kUnknown, kUnknown};
  std::string text;
  CheckpointTimes checkpoint;

  friend bool operator==(const Event&, const Event&) = default;
};

// Begins the writer of events that came without one: `send` numbers them in the order of their log.
inline constexpr std::string_view kLogWriter = "log/";

// Whether no recorder wrote the event, so that only its content tells it apart from others.
inline bool IsOfLog(const Event& event) {
  return event.writer.empty() || event.writer.starts_with(kLogWriter);
}

// The event's time; for a checkpoint without one, the start of its blocking.
inline int64_t TimeOf(const Event& event) {
  return event.time == kUnknown ? event.checkpoint.manager.start : event.time;
}

// Whether an event of this kind has checkpoint times.
constexpr bool IsCheckpoint(EventKind kind) {
  return kind >= EventKind::kCheckpointSave && kind <= EventKind::kCheckpointEmergencyRestore;
}

// The kind that begins the span that `end` closes; kNone if `end` does not close one.
constexpr EventKind BeginOf(EventKind end) {
  switch (end) {
    case EventKind::kAcceleratorInitEnd:
    case EventKind::kTrainingPrepEnd:
    case EventKind::kDataLoadingEnd:
    case EventKind::kCustomEnd:
    case EventKind::kElasticWaitEnd:
    case EventKind::kElasticReinitEnd:
    case EventKind::kCheckpointSaveEnd:
    case EventKind::kCheckpointRestoreEnd:
      return static_cast<EventKind>(static_cast<uint8_t>(end) - 1);
    default:
      return EventKind::kNone;
  }
}

// "job_start", "step_start", ...: stable names, for exports and notes.
std::string_view EventKindName(EventKind kind);

// The kind of that name; kNone if unknown.
EventKind EventKindNamed(std::string_view name);

}  // namespace stepscope::goodput
