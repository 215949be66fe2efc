// Records what a training job does, for the accounting of its time (C++17).
//
//   stepscope::GoodputRecorder goodput({.directory = "/shared/goodput", .job = "llm-7b"});
//   goodput.JobStart();
//   for (int64_t step = first; step < last; ++step) {
//     goodput.StepStart(step);
//     Train(step);
//   }
//   goodput.JobEnd();
//
// Create one per recording process: rank 0 or all ranks. Rank and restarts come from the
// environment of torchrun, Slurm, MPI or Kubernetes. Recording takes a fraction of a microsecond,
// no lock and no allocation, and never throws. A recorded event survives a kill of the process;
// stepscope/goodput_c.h states the guarantees. Calls return whether the event was recorded, which
// may be ignored.
//
// Wraps that C interface; only the C functions need linking.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "stepscope/goodput_c.h"

namespace stepscope {

struct GoodputOptions {
  std::string directory;  // for segments, created if missing; may be shared by a job
  std::string job;        // the same over all restarts
  std::string attempt;    // a name of this attempt; not needed
  int64_t rank = -1;      // of this process; -1: as the environment says
  bool enabled = true;    // false: every call does nothing
  void (*on_problem)(void* context, const char* sentence) = nullptr;  // as in goodput_c.h
  bool group_readable = false;  // the owner's group may read new files; else only the owner
};

class GoodputRecorder {
 public:
  // ns since 1970, for earlier events. kNow: the time of the call.
  using Time = int64_t;
  static constexpr Time kNow = std::numeric_limits<int64_t>::min();
  static constexpr int64_t kUnknown = kNow;  // an unknown number

  explicit GoodputRecorder(const GoodputOptions& options) {
    if (!options.enabled) return;
    stepscope_goodput_options all;
    stepscope_goodput_defaults(&all, sizeof all);
    all.directory = options.directory.c_str();
    all.job = options.job.c_str();
    all.attempt = options.attempt.c_str();
    all.rank = options.rank;
    all.on_problem = options.on_problem;
    all.group_readable = options.group_readable ? 1 : 0;
    recorder_ = stepscope_goodput_open(&all);
  }

  // Start and end of the job.
  bool JobStart(Time at = kNow) { return Record(STEPSCOPE_GOODPUT_JOB_START, at); }
  bool JobEnd(Time at = kNow) { return Record(STEPSCOPE_GOODPUT_JOB_END, at); }
  bool JobSubmitted(Time at) { return Record(STEPSCOPE_GOODPUT_JOB_SUBMITTED, at); }
  // What ends this process: "exception std::bad_alloc".
  bool ProcessEnd(std::string_view cause) { return Text(STEPSCOPE_GOODPUT_PROCESS_END, cause); }
  bool ResumeFrom(int64_t step) { return Step(STEPSCOPE_GOODPUT_RESUME_FROM, step); }
  bool PreemptionNotice(std::string_view message = {}) {
    return Text(STEPSCOPE_GOODPUT_PREEMPTION_NOTICE, message);
  }

  // Steps. No end is needed if the next start follows at once.
  bool StepStart(int64_t step) {
    return stepscope_goodput_step_start(recorder_, step) == STEPSCOPE_GOODPUT_OK;
  }
  bool StepEnd(int64_t step) {
    return stepscope_goodput_step_end(recorder_, step) == STEPSCOPE_GOODPUT_OK;
  }
  bool Work(int64_t step, int64_t tokens, int64_t billion_flops = kUnknown) {
    return Counts(STEPSCOPE_GOODPUT_WORK, step, tokens, billion_flops, kUnknown);
  }

  // Work before the first step, and beside or between steps.
  bool AcceleratorInitBegin() { return Record(STEPSCOPE_GOODPUT_ACCELERATOR_INIT_BEGIN); }
  bool AcceleratorInitEnd() { return Record(STEPSCOPE_GOODPUT_ACCELERATOR_INIT_END); }
  bool TrainingPrepBegin() { return Record(STEPSCOPE_GOODPUT_TRAINING_PREP_BEGIN); }
  bool TrainingPrepEnd() { return Record(STEPSCOPE_GOODPUT_TRAINING_PREP_END); }
  bool DataLoadingBegin() { return Record(STEPSCOPE_GOODPUT_DATA_LOADING_BEGIN); }
  bool DataLoadingEnd() { return Record(STEPSCOPE_GOODPUT_DATA_LOADING_END); }
  // What blocks training, by a name of your own: "eval".
  bool CustomBegin(std::string_view what) { return Text(STEPSCOPE_GOODPUT_CUSTOM_BEGIN, what); }
  bool CustomEnd(std::string_view what) { return Text(STEPSCOPE_GOODPUT_CUSTOM_END, what); }
  // What a checkpoint blocks, for programs without Orbax; `step`: the last one it holds. The end of
  // a save says that it succeeded.
  bool CheckpointSaveBegin(int64_t step) {
    return Step(STEPSCOPE_GOODPUT_CHECKPOINT_SAVE_BEGIN, step);
  }
  bool CheckpointSaveEnd(int64_t step, std::string_view tier = {}) {
    return Text(STEPSCOPE_GOODPUT_CHECKPOINT_SAVE_END, tier, step);
  }
  bool CheckpointRestoreBegin(int64_t step = kUnknown) {
    return Step(STEPSCOPE_GOODPUT_CHECKPOINT_RESTORE_BEGIN, step);
  }
  bool CheckpointRestoreEnd(int64_t step = kUnknown) {
    return Step(STEPSCOPE_GOODPUT_CHECKPOINT_RESTORE_END, step);
  }
  // A checkpoint up to `step` can be restored from now on, from `tier`.
  bool CheckpointCommit(int64_t step, std::string_view tier = {}) {
    return Text(STEPSCOPE_GOODPUT_CHECKPOINT_COMMIT, tier, step);
  }

  // A property to group jobs by: "team", "user", "project", "cluster", "queue".
  bool Label(std::string_view key, std::string_view value) {
    return Text(STEPSCOPE_GOODPUT_LABEL, std::string(key).append("=").append(value));
  }

  // Chips and slices coming and going. What is not known is kUnknown.
  bool Resources(int64_t requested, int64_t allocated, int64_t healthy) {
    return Counts(STEPSCOPE_GOODPUT_RESOURCES, kUnknown, requested, allocated, healthy);
  }
  bool SpareSwap(std::string_view what) { return Text(STEPSCOPE_GOODPUT_SPARE_SWAP, what); }
  bool ElasticSlices(int64_t active, int64_t total, int64_t available) {
    return Counts(STEPSCOPE_GOODPUT_ELASTIC_SLICES, kUnknown, active, total, available);
  }
  bool ElasticWaitBegin(std::string_view why) {
    return Text(STEPSCOPE_GOODPUT_ELASTIC_WAIT_BEGIN, why);
  }
  bool ElasticWaitEnd(std::string_view why) {
    return Text(STEPSCOPE_GOODPUT_ELASTIC_WAIT_END, why);
  }
  bool ElasticReinitBegin() { return Record(STEPSCOPE_GOODPUT_ELASTIC_REINIT_BEGIN); }
  bool ElasticReinitEnd() { return Record(STEPSCOPE_GOODPUT_ELASTIC_REINIT_END); }

  // Waits until the disk holds everything: then not even power loss matters.
  bool Flush() { return stepscope_goodput_flush(recorder_) == STEPSCOPE_GOODPUT_OK; }
  // Events that had no room.
  int64_t dropped() const { return stepscope_goodput_dropped(recorder_); }
  // For what has no method here.
  stepscope_goodput* c() { return recorder_; }

  GoodputRecorder(GoodputRecorder&& other) noexcept
      : recorder_(std::exchange(other.recorder_, nullptr)) {}
  GoodputRecorder& operator=(GoodputRecorder&& other) noexcept {
    std::swap(recorder_, other.recorder_);
    return *this;
  }
  ~GoodputRecorder() { stepscope_goodput_close(recorder_); }

 private:
  bool Record(int kind, Time at = kNow) {
    return Counts(kind, kUnknown, kUnknown, kUnknown, kUnknown, at);
  }
  bool Step(int kind, int64_t step) { return Counts(kind, step, kUnknown, kUnknown, kUnknown); }
  bool Counts(int kind, int64_t step, int64_t a, int64_t b, int64_t c, Time at = kNow) {
    stepscope_goodput_event event;
    stepscope_goodput_event_init(&event, sizeof event, kind);
    event.time_ns = at;
    event.step = step;
    event.counts[0] = a;
    event.counts[1] = b;
    event.counts[2] = c;
    return stepscope_goodput_record(recorder_, &event) == STEPSCOPE_GOODPUT_OK;
  }
  bool Text(int kind, std::string_view text, int64_t step = kUnknown) {
    stepscope_goodput_event event;
    stepscope_goodput_event_init(&event, sizeof event, kind);
    event.step = step;
    event.text = text.empty() ? nullptr : text.data();
    event.text_bytes = text.size();
    return stepscope_goodput_record(recorder_, &event) == STEPSCOPE_GOODPUT_OK;
  }

  stepscope_goodput* recorder_ = nullptr;
};

}  // namespace stepscope
