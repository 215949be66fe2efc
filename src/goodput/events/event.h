// What a training job says about itself: the one event model that recorders write, ledgers store
// and the accounting reads.
//
// An event says that something happened at a time. Spans are two events, a begin and an end, since
// a killed process writes no end; only what others measured for us (Orbax's checkpoints) comes as
// one event with durations. Absent numbers are kUnknown, absent texts are empty.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace stepscope::goodput {

inline constexpr int64_t kUnknown = std::numeric_limits<int64_t>::min();

// The numbers are part of what recorders write: add at the end, never renumber.
// After each kind: the fields of Event that it uses beside the identity and the times.
enum class EventKind : uint8_t {
  kNone = 0,  // no event, or one of a kind this version does not know

  // The life of an attempt, that is of one attempt of the job's processes.
  kJobStart = 1,
  kJobEnd = 2,     // the job ended as planned
  kStepStart = 3,  // step
  kStepEnd = 4,    // step
  kHeartbeat = 5,
  kResumeFrom = 6,        // step: the first one this attempt will run
  kPreemptionNotice = 7,  // text: what the platform said
  kCheckpointCommit = 8,  // step: the last one it holds; text: tier ("local", "gs://...")
  kAcceleratorInitBegin = 9,
  kAcceleratorInitEnd = 10,
  kTrainingPrepBegin = 11,
  kTrainingPrepEnd = 12,
  kDataLoadingBegin = 13,
  kDataLoadingEnd = 14,
  kCustomBegin = 15,  // text: what, as the user named it ("eval")
  kCustomEnd = 16,    // text

  // Elastic training: slices come and go while the job lives.
  kElasticWaitBegin = 17,  // text: "slice_down", "scale_up", ...
  kElasticWaitEnd = 18,    // text
  kElasticReinitBegin = 19,
  kElasticReinitEnd = 20,
  kElasticSlices = 21,  // counts: active, total, available slices

  // Checkpoints as Orbax measured them.
  kCheckpointSave = 22,              // step, text: directory, checkpoint
  kCheckpointRestore = 23,           // step, text: directory, checkpoint
  kCheckpointEmergencyRestore = 24,  // step, text: directory, checkpoint

  // Before and around the attempts, as schedulers say it.
  kJobSubmitted = 25,
  kResources = 26,  // counts: requested, allocated, healthy chips; kUnknown: not said
  kSpareSwap = 27,  // text: what was swapped for what

  // Work done, for program goodput.
  kActivity = 28,  // step (optional), counts: tokens, billions of FLOPs (int64 holds no more)

  // A recorder had no room: counts[0] events before this one were not written.
  kDropped = 29,

  kCount
};

// Orbax's measurements. kUnknown where the entry has null or nothing.
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

  // When: ns since the epoch by the host's wall clock, and by a clock that never steps, whose zero
  // is the boot of `writer`'s host.
  int64_t time = kUnknown;
  int64_t monotonic = kUnknown;

  // Who: (writer, sequence) is unique, so that ingesting twice counts once. Events of others, such
  // as the reference library's, have neither.
  std::string job;
  std::string attempt;          // one attempt of the job; empty: told by kJobStart alone
  std::string writer;           // host, rank and boot
  int64_t sequence = kUnknown;  // 0, 1, ... by writer

  // What: see EventKind.
  int64_t step = kUnknown;
  int64_t counts[3] = {kUnknown, kUnknown, kUnknown};
  std::string text;
  CheckpointTimes checkpoint;

  friend bool operator==(const Event&, const Event&) = default;
};

// When it happened: of a checkpoint without a time of its own, when it began to block.
inline int64_t TimeOf(const Event& event) {
  return event.time == kUnknown ? event.checkpoint.manager.start : event.time;
}

// The kind that opens or closes the same span; kNone when `kind` is no end of a span.
constexpr EventKind BeginOf(EventKind end) {
  switch (end) {
    case EventKind::kAcceleratorInitEnd:
    case EventKind::kTrainingPrepEnd:
    case EventKind::kDataLoadingEnd:
    case EventKind::kCustomEnd:
    case EventKind::kElasticWaitEnd:
    case EventKind::kElasticReinitEnd:
      return static_cast<EventKind>(static_cast<uint8_t>(end) - 1);
    default:
      return EventKind::kNone;
  }
}

// "job_start", "step_start", ...: stable names, for exports and notes.
std::string_view EventKindName(EventKind kind);

// The kind of that name; kNone when there is none.
EventKind EventKindNamed(std::string_view name);

}  // namespace stepscope::goodput
