// Implements the C interface of the recorder. No exception or signal leaves it.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "goodput/recorder/labels.h"
#include "goodput/recorder/recorder.h"
#include "stepscope/goodput_c.h"

using stepscope::goodput::CheckpointTimes;
using stepscope::goodput::EventKind;
using stepscope::goodput::kUnknown;
using stepscope::goodput::Record;
using stepscope::goodput::Recorder;
using stepscope::goodput::RecorderOptions;

// A recorder and the options to open it again in a forked child.
struct stepscope_goodput {
  RecorderOptions options;
  std::atomic<Recorder*> recorder = nullptr;
  std::atomic<int64_t> dropped = 0;  // while another thread opens it in a child
  std::atomic<bool> opening = false;
};

namespace {

std::string TextOf(const char* text) { return text == nullptr ? "" : text; }

// Copies as much of a struct as the caller was compiled with; the rest keeps its defaults.
template <class T>
void CopyKnown(T& to, const T& from) {
  const size_t size = from.size < sizeof to ? from.size : sizeof to;
  std::memcpy(static_cast<void*>(&to), &from, size);
}

RecorderOptions OptionsOf(const stepscope_goodput_options& given) {
  stepscope_goodput_options all;
  stepscope_goodput_defaults(&all, sizeof all);
  CopyKnown(all, given);
  RecorderOptions options{.directory = TextOf(all.directory),
                          .job = TextOf(all.job),
                          .attempt = TextOf(all.attempt),
                          .rank = all.rank,
                          .segment_bytes = all.segment_bytes,
                          .heartbeat = all.heartbeat_ns,
                          .sync = all.sync_ns,
                          .background = all.no_thread == 0,
                          .group_readable = all.group_readable != 0,
                          .on_problem = {}};
  if (options.directory.empty()) options.directory = ".";
  if (all.on_problem != nullptr) {
    options.on_problem = [tell = all.on_problem, context = all.context](
                             const std::string& message) { tell(context, message.c_str()); };
  }
  return options;
}

// Opens a new recorder in a forked child. The parent's stays untouched: its thread does not exist
// here, and its locks may be held for ever. Null if another thread opens it or memory ran out.
Recorder* AfterFork(stepscope_goodput* handle) {
  if (handle->opening.exchange(true)) return nullptr;
  Recorder* recorder = handle->recorder.load();
  if (recorder->forked()) {
    try {
      recorder = new Recorder(handle->options);
      handle->dropped.store(0);
      handle->recorder.store(recorder);
    } catch (...) {
      recorder = nullptr;
    }
  }
  handle->opening.store(false);
  return recorder;
}

Recorder* Here(stepscope_goodput* handle) {
  Recorder* const recorder = handle->recorder.load(std::memory_order_acquire);
  if (!recorder->forked()) [[likely]]
    return recorder;
  return AfterFork(handle);
}

int Write(stepscope_goodput* handle, Record& record) {
  if (handle == nullptr) return STEPSCOPE_GOODPUT_OFF;
  Recorder* const recorder = Here(handle);
  if (recorder == nullptr) {
    handle->dropped.fetch_add(1);
    return STEPSCOPE_GOODPUT_DROPPED;
  }
  return recorder->Write(record) ? STEPSCOPE_GOODPUT_OK : STEPSCOPE_GOODPUT_DROPPED;
}

// Checks that the public numbers equal the stored ones.
template <class Public>
constexpr bool Same(Public number, EventKind kind) {
  return static_cast<int>(number) == static_cast<int>(kind);
}
static_assert(Same(STEPSCOPE_GOODPUT_JOB_START, EventKind::kJobStart));
static_assert(Same(STEPSCOPE_GOODPUT_CHECKPOINT_COMMIT, EventKind::kCheckpointCommit));
static_assert(Same(STEPSCOPE_GOODPUT_CUSTOM_END, EventKind::kCustomEnd));
static_assert(Same(STEPSCOPE_GOODPUT_ELASTIC_SLICES, EventKind::kElasticSlices));
static_assert(Same(STEPSCOPE_GOODPUT_WORK, EventKind::kActivity));
static_assert(Same(STEPSCOPE_GOODPUT_CHECKPOINT_SAVE_BEGIN, EventKind::kCheckpointSaveBegin));
static_assert(Same(STEPSCOPE_GOODPUT_LABEL, EventKind::kLabel));
static_assert(Same(STEPSCOPE_GOODPUT_PROCESS_END, EventKind::kProcessEnd));

// Others write the kinds between.
bool IsKind(int kind) {
  return kind >= STEPSCOPE_GOODPUT_JOB_START && kind <= STEPSCOPE_GOODPUT_LABEL &&
         kind != static_cast<int>(EventKind::kDropped) &&
         kind != static_cast<int>(EventKind::kJobState);
}

CheckpointTimes::Span SpanOf(const int64_t (&span)[2]) { return {span[0], span[1]}; }

CheckpointTimes CheckpointOf(const stepscope_goodput_checkpoint& given) {
  return {.manager = SpanOf(given.manager),
          .checkpointer = SpanOf(given.checkpointer),
          .wait_for_prev = SpanOf(given.wait_for_prev),
          .get_old_steps = SpanOf(given.get_old_steps),
          .broadcast = SpanOf(given.broadcast)};
}

// One rank says them for all.
void RecordLabels(stepscope_goodput* handle,
                  const std::vector<std::pair<std::string, std::string>>& labels) {
  for (const auto& [name, value] : labels) {
    std::string text = name;
    text.append("=").append(value);
    Record record{.kind = EventKind::kLabel, .text = text};
    Write(handle, record);
  }
}

}  // namespace

void stepscope_goodput_defaults(stepscope_goodput_options* options, size_t size) {
  const RecorderOptions defaults;
  const stepscope_goodput_options all{.size = size,
                                      .directory = nullptr,
                                      .job = nullptr,
                                      .attempt = nullptr,
                                      .rank = defaults.rank,
                                      .segment_bytes = defaults.segment_bytes,
                                      .heartbeat_ns = defaults.heartbeat,
                                      .sync_ns = defaults.sync,
                                      .no_thread = 0,
                                      .on_problem = nullptr,
                                      .context = nullptr,
                                      .group_readable = 0};
  std::memset(options, 0, size);
  std::memcpy(options, &all, size < sizeof all ? size : sizeof all);
}

stepscope_goodput* stepscope_goodput_open(const stepscope_goodput_options* options) {
  try {
    auto handle = std::make_unique<stepscope_goodput>();
    handle->options = OptionsOf(*options);
    const auto labels =
        stepscope::goodput::LabelsOf([](const char* name) { return std::getenv(name); });
    handle->options.job = stepscope::goodput::JobOfTeam(handle->options.job, labels);
    handle->recorder.store(new Recorder(handle->options));
    if (handle->options.rank <= 0) RecordLabels(handle.get(), labels);
    return handle.release();
  } catch (...) {
    return nullptr;
  }
}

void stepscope_goodput_event_init(stepscope_goodput_event* event, size_t size, int kind) {
  const stepscope_goodput_event all{.size = size,
                                    .kind = kind,
                                    .time_ns = kUnknown,
                                    .step = kUnknown,
                                    .counts = {kUnknown, kUnknown, kUnknown},
                                    .text = nullptr,
                                    .text_bytes = 0,
                                    .checkpoint = nullptr};
  std::memset(event, 0, size);
  std::memcpy(event, &all, size < sizeof all ? size : sizeof all);
}

int stepscope_goodput_record(stepscope_goodput* recorder, const stepscope_goodput_event* event) {
  if (recorder == nullptr) return STEPSCOPE_GOODPUT_OFF;
  stepscope_goodput_event all;
  stepscope_goodput_event_init(&all, sizeof all, 0);
  CopyKnown(all, *event);
  if (!IsKind(all.kind)) return STEPSCOPE_GOODPUT_WRONG;
  CheckpointTimes times;
  if (all.checkpoint != nullptr) times = CheckpointOf(*all.checkpoint);
  Record record{.kind = static_cast<EventKind>(all.kind),
                .time = all.time_ns,
                .step = all.step,
                .counts = {all.counts[0], all.counts[1], all.counts[2]},
                .checkpoint = all.checkpoint != nullptr ? &times : nullptr};
  if (all.text != nullptr) {
    record.text = {all.text, all.text_bytes != 0 ? all.text_bytes : std::strlen(all.text)};
  }
  return Write(recorder, record);
}

int stepscope_goodput_mark(stepscope_goodput* recorder, int kind) {
  return stepscope_goodput_mark_step(recorder, kind, kUnknown);
}

int stepscope_goodput_mark_step(stepscope_goodput* recorder, int kind, int64_t step) {
  if (recorder != nullptr && !IsKind(kind)) return STEPSCOPE_GOODPUT_WRONG;
  Record record{.kind = static_cast<EventKind>(kind), .step = step};
  return Write(recorder, record);
}

int stepscope_goodput_step_start(stepscope_goodput* recorder, int64_t step) {
  Record record{.kind = EventKind::kStepStart, .step = step};
  return Write(recorder, record);
}

int stepscope_goodput_step_end(stepscope_goodput* recorder, int64_t step) {
  Record record{.kind = EventKind::kStepEnd, .step = step};
  return Write(recorder, record);
}

int64_t stepscope_goodput_dropped(const stepscope_goodput* recorder) {
  if (recorder == nullptr) return 0;
  const int64_t before = recorder->dropped.load();
  return before + recorder->recorder.load()->dropped();
}

void stepscope_goodput_tick(stepscope_goodput* recorder) {
  if (recorder == nullptr) return;
  try {
    Recorder* const here = Here(recorder);
    if (here != nullptr) here->Tick(stepscope::goodput::MonotonicClock());
  } catch (...) {
    return;  // no memory: the next tick tries again
  }
}

int stepscope_goodput_flush(stepscope_goodput* recorder) {
  if (recorder == nullptr) return STEPSCOPE_GOODPUT_OFF;
  Recorder* const here = Here(recorder);
  return here != nullptr && here->Flush() ? STEPSCOPE_GOODPUT_OK : STEPSCOPE_GOODPUT_DROPPED;
}

void stepscope_goodput_close(stepscope_goodput* recorder) {
  if (recorder == nullptr) return;
  Recorder* const own = recorder->recorder.load();
  if (!own->forked()) delete own;
  delete recorder;
}
