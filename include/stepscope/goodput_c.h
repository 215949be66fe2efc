// Records what a training job does, for the accounting of its time: the stable C interface.
// stepscope/goodput.h wraps it for C++; Python has its own module.
//
// Guarantees for the training thread:
//   - A call takes no lock, allocates nothing and never fails the program. Its result tells whether
//     the event was recorded and may be ignored. It makes no system call. A store to a page that is
//     being synced may wait: with 100 syncs per second, 1 call in 10,000 took 0.1 ms or more, the
//     slowest 2 ms.
//   - An event whose call returned STEPSCOPE_GOODPUT_OK survives any kill of the process. A power
//   loss
//     loses at most the last second (`sync_ns`).
//   - Any thread and any signal handler may call between open and close.
//
// Events go into segments: files in a directory, created ahead with all their blocks
// (docs/formats/goodput-segments.md). On a full disk events are dropped and counted, and the count
// is recorded once there is room. A forked child records as a recorder of its own, into its own
// files; its first call creates them and is slow.
//
// STEPSCOPE_LABELS="team=nlp,project=llm" in the environment is recorded by rank 0, and so are
// cluster, queue, user and account of a Slurm job. With a team, the job is named "team/job" in
// ledgers.
//
// All functions accept NULL as the recorder and then do nothing: a recorder that is switched off.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

// NOLINTBEGIN(modernize-use-using): C has no other
typedef struct stepscope_goodput stepscope_goodput;  // a recorder

// Kinds of events. The numbers are stored and never change. Comments list the fields of a kind
// besides its time.
enum stepscope_goodput_kind {
  STEPSCOPE_GOODPUT_JOB_START = 1,
  STEPSCOPE_GOODPUT_JOB_END = 2,            // as planned
  STEPSCOPE_GOODPUT_STEP_START = 3,         // step
  STEPSCOPE_GOODPUT_STEP_END = 4,           // step
  STEPSCOPE_GOODPUT_HEARTBEAT = 5,          // the recorder writes these itself
  STEPSCOPE_GOODPUT_RESUME_FROM = 6,        // step: the first one to run
  STEPSCOPE_GOODPUT_PREEMPTION_NOTICE = 7,  // text: the platform's message
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
  STEPSCOPE_GOODPUT_SPARE_SWAP = 27,  // text: which node replaced which
  STEPSCOPE_GOODPUT_WORK = 28,        // step, counts: tokens, billions of FLOPs
  // 29, 31 and 37 are the recorder's, schedulers' and watches' own.
  STEPSCOPE_GOODPUT_PROCESS_END = 30,  // text: what ended the process: "exception ValueError: ..."
  STEPSCOPE_GOODPUT_CHECKPOINT_SAVE_BEGIN = 32,     // step: the last one it holds
  STEPSCOPE_GOODPUT_CHECKPOINT_SAVE_END = 33,       // step, text: where
  STEPSCOPE_GOODPUT_CHECKPOINT_RESTORE_BEGIN = 34,  // step
  STEPSCOPE_GOODPUT_CHECKPOINT_RESTORE_END = 35,    // step
  STEPSCOPE_GOODPUT_LABEL = 36                      // text: "team=nlp"
};

// The result of recording an event.
enum stepscope_goodput_result {
  STEPSCOPE_GOODPUT_OK = 0,
  STEPSCOPE_GOODPUT_DROPPED = 1,  // no room; the count will be recorded
  STEPSCOPE_GOODPUT_OFF = 2,      // no recorder
  STEPSCOPE_GOODPUT_WRONG = 3     // unknown kind; nothing was recorded
};

// An unknown number; as a time, now.
static const int64_t STEPSCOPE_GOODPUT_UNKNOWN = INT64_MIN;

// Fill in with stepscope_goodput_defaults, then change fields. Later versions add fields at the
// end. Texts are copied.
typedef struct stepscope_goodput_options {
  size_t size;            // of this struct, as the program was compiled
  const char* directory;  // for segments, created if missing; may be shared by a job
  const char* job;        // name of the job, the same over all restarts; see STEPSCOPE_LABELS
  const char* attempt;    // a name of this attempt; not needed
  int64_t rank;           // of this process; -1: as the environment says
  int64_t segment_bytes;  // size of a file: 64 KB to 1 GB; 4 MB hold 130,000 steps
  int64_t heartbeat_ns;   // time between heartbeats: 10 s; 0: none
  int64_t sync_ns;        // time between syncs to disk: 1 s, at least 10 ms
  int no_thread;          // 1: no background thread; the program calls stepscope_goodput_tick
  // Called once per problem with a sentence that is valid during the call, from the recorder's
  // thread or that of open. Must not call the recorder. NULL: not called.
  void (*on_problem)(void* context, const char* sentence);
  void* context;
  int group_readable;  // 1: the owner's group may read new files and directories; 0: the owner only
} stepscope_goodput_options;

// The spans of a checkpoint: start and duration in ns; unknown if not measured.
typedef struct stepscope_goodput_checkpoint {
  int64_t manager[2];        // all that blocked training
  int64_t checkpointer[2];   // part in the checkpointer
  int64_t wait_for_prev[2];  // saves: wait for the previous save
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
  const char* text;                                // cut after 2048 bytes; NULL: none
  size_t text_bytes;                               // 0: up to its NUL
  const stepscope_goodput_checkpoint* checkpoint;  // NULL: none
} stepscope_goodput_event;

// Sets every option to its default; `size` is sizeof *options.
void stepscope_goodput_defaults(stepscope_goodput_options* options, size_t size);

// Starts recording. NULL only if memory ran out. If the directory is not writable, on_problem is
// called, events are dropped, and the recorder tries again every second.
stepscope_goodput* stepscope_goodput_open(const stepscope_goodput_options* options);

// Initializes `event` with that kind and all else unknown; `size` is sizeof *event.
void stepscope_goodput_event_init(stepscope_goodput_event* event, size_t size, int kind);

// Each returns a stepscope_goodput_result.
int stepscope_goodput_record(stepscope_goodput* recorder, const stepscope_goodput_event* event);
int stepscope_goodput_mark(stepscope_goodput* recorder, int kind);  // kinds without further fields
// The same with a step: a checkpoint's begin and end.
int stepscope_goodput_mark_step(stepscope_goodput* recorder, int kind, int64_t step);
int stepscope_goodput_step_start(stepscope_goodput* recorder, int64_t step);
int stepscope_goodput_step_end(stepscope_goodput* recorder, int64_t step);

// Events dropped since open.
int64_t stepscope_goodput_dropped(const stepscope_goodput* recorder);

// Writes heartbeats, syncs and makes room, for programs that set no_thread. Call it about once a
// second from a thread that may wait for the disk.
void stepscope_goodput_tick(stepscope_goodput* recorder);

// Syncs all earlier events to disk, so that they survive power loss. Returns a
// stepscope_goodput_result, DROPPED on failure.
int stepscope_goodput_flush(stepscope_goodput* recorder);

// Ends recording and frees the recorder; no other thread may be using it.
void stepscope_goodput_close(stepscope_goodput* recorder);

// NOLINTEND(modernize-use-using)
#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
