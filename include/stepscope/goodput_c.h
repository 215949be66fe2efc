// Records what a training job does, for the accounting of its time: the stable C interface.
// stepscope/goodput.h wraps it for C++; Python has a module of its own.
//
// What a call promises the training thread:
//   - It takes no lock, allocates nothing and never fails the program: it says in its result
//   whether
//     the event was recorded, and ignoring the result is fine. It calls the kernel for nothing, but
//     a store that meets the file's page while it is being synced may have to wait for that: with
//     100 syncs a second one call in 10,000 took 0.1 ms or more, the slowest 2 ms.
//   - An event whose call has returned STEPSCOPE_GOODPUT_OK is kept if the process is then killed,
//     in whatever way. If the machine loses power, at most the last second is lost (`sync_ns`).
//   - Any thread may call at any time between open and close, signal handlers included.
//
// Events go into segments: files of a folder, made ahead of time with all their blocks
// (docs/formats/goodput-segments.md). When the disk is full events are dropped and counted, and the
// recording says so once there is room again. A forked child that records goes on as a recorder of
// its own, into files of its own; its first call opens them, so that one call is slow.
//
// All functions take NULL for the recorder, and then do nothing: that is a recorder switched off.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

// NOLINTBEGIN(modernize-use-using): C has no other
typedef struct stepscope_goodput stepscope_goodput;  // a recorder

// What can happen. The numbers are stored, and never change. Beside each: what an event of that
// kind has in addition to its time.
enum stepscope_goodput_kind {
  STEPSCOPE_GOODPUT_JOB_START = 1,
  STEPSCOPE_GOODPUT_JOB_END = 2,            // as planned
  STEPSCOPE_GOODPUT_STEP_START = 3,         // step
  STEPSCOPE_GOODPUT_STEP_END = 4,           // step
  STEPSCOPE_GOODPUT_HEARTBEAT = 5,          // the recorder writes these itself
  STEPSCOPE_GOODPUT_RESUME_FROM = 6,        // step: the first one to run
  STEPSCOPE_GOODPUT_PREEMPTION_NOTICE = 7,  // text: what the platform said
  STEPSCOPE_GOODPUT_CHECKPOINT_COMMIT = 8,  // step: the last one it holds; text: where
  STEPSCOPE_GOODPUT_ACCELERATOR_INIT_BEGIN = 9,
  STEPSCOPE_GOODPUT_ACCELERATOR_INIT_END = 10,
  STEPSCOPE_GOODPUT_TRAINING_PREP_BEGIN = 11,
  STEPSCOPE_GOODPUT_TRAINING_PREP_END = 12,
  STEPSCOPE_GOODPUT_DATA_LOADING_BEGIN = 13,
  STEPSCOPE_GOODPUT_DATA_LOADING_END = 14,
  STEPSCOPE_GOODPUT_CUSTOM_BEGIN = 15,        // text: what blocks training, such as "eval"
  STEPSCOPE_GOODPUT_CUSTOM_END = 16,          // text
  STEPSCOPE_GOODPUT_ELASTIC_WAIT_BEGIN = 17,  // text: "slice_down", "scale_up"
  STEPSCOPE_GOODPUT_ELASTIC_WAIT_END = 18,    // text
  STEPSCOPE_GOODPUT_ELASTIC_REINIT_BEGIN = 19,
  STEPSCOPE_GOODPUT_ELASTIC_REINIT_END = 20,
  STEPSCOPE_GOODPUT_ELASTIC_SLICES = 21,                // counts: active, total, available slices
  STEPSCOPE_GOODPUT_CHECKPOINT_SAVE = 22,               // step, text: directory, checkpoint
  STEPSCOPE_GOODPUT_CHECKPOINT_RESTORE = 23,            // the same
  STEPSCOPE_GOODPUT_CHECKPOINT_EMERGENCY_RESTORE = 24,  // the same
  STEPSCOPE_GOODPUT_JOB_SUBMITTED = 25,
  STEPSCOPE_GOODPUT_RESOURCES = 26,   // counts: requested, allocated, healthy chips
  STEPSCOPE_GOODPUT_SPARE_SWAP = 27,  // text: what for what
  STEPSCOPE_GOODPUT_WORK = 28         // step, counts: tokens, billions of FLOPs
};

// What became of an event.
enum stepscope_goodput_result {
  STEPSCOPE_GOODPUT_OK = 0,
  STEPSCOPE_GOODPUT_DROPPED = 1,  // no room; the recording will say how many
  STEPSCOPE_GOODPUT_OFF = 2,      // no recorder
  STEPSCOPE_GOODPUT_WRONG = 3     // no such kind of event; nothing was recorded
};

// A number that is not known; as a time, now.
static const int64_t STEPSCOPE_GOODPUT_UNKNOWN = INT64_MIN;

// Fill in with stepscope_goodput_defaults, then change what you like. Later versions add fields at
// the end. Texts are copied.
typedef struct stepscope_goodput_options {
  size_t size;            // of this struct, as the program was compiled
  const char* directory;  // where segments go, made if need be; one folder may serve a whole job
  const char* job;        // the name of the job, the same over all its restarts
  const char* attempt;    // of this attempt, the same in all its processes; NULL: not known
  int64_t rank;           // of this process; -1: not known
  int64_t segment_bytes;  // size of a file: 64 KB to 1 GB; 4 MB hold 130,000 steps
  int64_t heartbeat_ns;   // time between heartbeats: 10 s; 0: none
  int64_t sync_ns;        // time between syncs to disk: 1 s, at least 10 ms
  int no_thread;          // 1: no thread of its own, the program calls stepscope_goodput_tick
  // Told once of everything that goes wrong, in a sentence that is valid during the call, from the
  // thread of the recorder or that of open. Must not call the recorder. NULL: nobody is told.
  void (*on_problem)(void* context, const char* sentence);
  void* context;
} stepscope_goodput_options;

// The spans of a checkpoint in ns, each as its start and its duration; unknown where not measured.
typedef struct stepscope_goodput_checkpoint {
  int64_t manager[2];        // all that blocked training
  int64_t checkpointer[2];   // of which in the checkpointer
  int64_t wait_for_prev[2];  // saves: waiting for the save before
  int64_t get_old_steps[2];  // saves
  int64_t broadcast[2];      // emergency restores
} stepscope_goodput_checkpoint;

// An event of any kind. Fill in with stepscope_goodput_event_init first.
typedef struct stepscope_goodput_event {
  size_t size;      // of this struct, as the program was compiled
  int kind;         // stepscope_goodput_kind
  int64_t time_ns;  // since 1970; unknown: now
  int64_t step;
  int64_t counts[3];
  const char* text;                                // beyond 2048 bytes it is cut; NULL: none
  size_t text_bytes;                               // 0: up to its NUL
  const stepscope_goodput_checkpoint* checkpoint;  // NULL: none
} stepscope_goodput_event;

// Sets every option to its default; `size` is sizeof *options.
void stepscope_goodput_defaults(stepscope_goodput_options* options, size_t size);

// Starts recording. NULL only when memory ran out. If the folder cannot be written to, on_problem
// is told, events are dropped, and it is tried again every second.
stepscope_goodput* stepscope_goodput_open(const stepscope_goodput_options* options);

// Makes `event` one of that kind with nothing else known; `size` is sizeof *event.
void stepscope_goodput_event_init(stepscope_goodput_event* event, size_t size, int kind);

// Each returns a stepscope_goodput_result.
int stepscope_goodput_record(stepscope_goodput* recorder, const stepscope_goodput_event* event);
int stepscope_goodput_mark(stepscope_goodput* recorder, int kind);  // kinds without anything else
int stepscope_goodput_step_start(stepscope_goodput* recorder, int64_t step);
int stepscope_goodput_step_end(stepscope_goodput* recorder, int64_t step);

// Events dropped since open.
int64_t stepscope_goodput_dropped(const stepscope_goodput* recorder);

// Heartbeat, sync and room ahead, for programs that set no_thread: call it about once a second,
// from a thread that may wait for the disk.
void stepscope_goodput_tick(stepscope_goodput* recorder);

// Waits until the disk holds all that was recorded before: then not even power loss matters.
// A stepscope_goodput_result, DROPPED when it could not be.
int stepscope_goodput_flush(stepscope_goodput* recorder);

// Ends recording and frees the recorder; no other thread may be using it.
void stepscope_goodput_close(stepscope_goodput* recorder);

// NOLINTEND(modernize-use-using)
#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
