// Implements the reading of one file.
#include "session/load_file.h"

#include <algorithm>
#include <array>
#include <functional>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/parallel.h"
#include "base/spare_threads.h"
#include "base/stop.h"
#include "facts/activity/rank_activity_builder.h"
#include "session/redact_run.h"

namespace stepscope {
namespace {

// The number of the process whose threads the trace has; empty: there are several, or none.
std::string ProcessOf(const Trace& trace) {
  constexpr std::string_view kDigits = "0123456789";
  std::string process;
  for (const Track& track : trace.tracks) {
    const bool number =
        !track.process.empty() && track.process.find_first_not_of(kDigits) == std::string::npos;
    if (track.is_stream || !number) continue;
    if (!process.empty() && process != track.process) return "";
    process = track.process;
  }
  return process;
}

// What a damaged file's own report says in the list of files.
std::string ProblemOf(const Notes& notes) {
  for (const NoteKind kind : {NoteKind::kCorrupt, NoteKind::kTruncated, NoteKind::kMalformed}) {
    if (notes.Count(kind) > 0) return std::string(NoteMessage(kind));
  }
  return "";
}

// What `map` said of the trace that a partial was made of.
std::string ProblemOfTrace(const std::vector<Note>& notes) {
  for (const NoteKind kind : {NoteKind::kCorrupt, NoteKind::kTruncated, NoteKind::kMalformed}) {
    if (std::ranges::find(notes, NoteName(kind), &Note::name) != notes.end())
      return std::string(NoteMessage(kind));
  }
  return "";
}

void Fail(LoadedFile& file, Error error, NoteKind note) {
  file.error = std::move(error);
  if (file.error.where.empty()) file.error.where = file.info.path;
  file.info.problem = file.error.what;
  file.notes.Add(note, 1, file.error.what);
}

// Threads that have no file to read help.
RecordedEvents KeepEvents(const Trace& trace, std::atomic<int>& spare_threads) {
  const SpareThreads helpers(spare_threads, UINT64_MAX);
  return RecordedEvents(trace, helpers.count() + 1);
}

// All parts are made at once where there are threads to spare, the longest first: of the trace,
// they change nothing but the notes, which one of them does.
void TakeActivityAndEvents(LoadedFile& file, Trace& trace, std::atomic<int>& spare_threads) {
  RankActivityBuilder activity(trace, Events::kKeep);
  const auto parts = std::to_array<std::function<void()>>(
      {[&] { activity.TakeHost(); }, [&] { file.events = KeepEvents(trace, spare_threads); },
       [&] { activity.TakeDevices(); }});
  {
    const SpareThreads helpers(spare_threads, parts.size() - 1);
    ParallelFor(parts.size(), helpers.count() + 1, [&](size_t p) { parts[p](); });
  }
  file.rank = activity.Finish();
  file.events.TakeFields(trace);  // which the activities have no use for any more
}

// On a thread to spare, host and devices at once; else one after the other in less memory.
RankActivity TakeActivity(Trace& trace, const LoadOptions& load) {
  if (load.keep_trace) return BuildRankActivity(trace, Events::kKeep);
  const SpareThreads helpers(*load.read.spare_threads, 1);
  if (helpers.count() == 0) return BuildRankActivity(trace, Events::kRelease);
  RankActivityBuilder activity(trace, Events::kKeep);
  ParallelFor(2, 2, [&](size_t p) { p == 0 ? activity.TakeHost() : activity.TakeDevices(); });
  return activity.Finish();
}

// What threads of the host do, where they may be the device (facts/activity/host_device.h).
constexpr Wanted kHostAsDevice(KindSet{Kind::kOperator}, /*with_inputs=*/true,
                               /*with_kernels=*/true);

// Reads a file again where it records no device and what its host does was not asked for: numbers
// are those of the job, whatever analyses ask.
void ReadAgainAsHost(Trace& trace, const LoadedFile& file, const Places& places,
                     ReadOptions options, ReadFailure& failure) {
  const bool has_all =
      options.keep.Has(Kind::kOperator) && options.keep.inputs && options.keep.kernels;
  if (has_all || trace.gpu_events_in_file > 0) return;
  options.keep = options.keep | kHostAsDevice;
  options.observer = nullptr;
  options.part = file.part;
  std::atomic<int64_t> ignored = 0;  // the bytes were counted once
  auto source = places.Open(file.info.path, &ignored, &failure);
  if (!source) return failure.Set(source.error());
  if (auto again = ReadTrace(std::move(*source), options)) trace = std::move(*again);
}

// `failure`: of a file in a storage, somewhere in it.
void TakeTrace(LoadedFile& file, Trace trace, const LoadOptions& load, ReadFailure& failure) {
  ReadAgainAsHost(trace, file, load.places, load.read, failure);
  if (load.execution_traces != nullptr)
    load.execution_traces->Join(file.info.path, trace, file.more_notes);
  if (load.redactor != nullptr) RedactTrace(trace, *load.redactor);
  if (load.keep_events)
    TakeActivityAndEvents(file, trace, *load.read.spare_threads);
  else
    file.rank = TakeActivity(trace, load);
  file.info.events = trace.events_in_file;
  file.info.gpu_events = trace.gpu_events_in_file;
  file.info.problem = ProblemOf(trace.notes);
  if (const auto failed = failure.Get()) {
    file.cut = failed;
    file.info.problem = std::string(NoteMessage(NoteKind::kTruncated)) + ": " + failed->what;
    if (trace.notes.Count(NoteKind::kTruncated) == 0) trace.notes.Add(NoteKind::kTruncated);
  }
  if (file.rank.condensed) file.info.problem = ProblemOfTrace(file.more_notes);
  file.notes = std::move(trace.notes);
  file.process = ProcessOf(trace);
  file.own_rank = trace.meta.rank;
  file.world_size = trace.meta.world_size;
  file.memory_only = trace.meta.memory_only;
  file.used = true;
  if (load.keep_trace)
    file.trace = std::make_shared<const Trace>(std::move(trace));
  else
    file.strings = std::move(trace.strings);
}

// The recordings of one file, on the threads that have no file to read.
void TakeRecordings(LoadedFile& file, std::vector<Recording> recordings, const LoadOptions& load,
                    ReadFailure& failure) {
  for (size_t part = 1; part < recordings.size(); ++part) {
    file.parts.emplace_back().info = file.info;
    file.parts.back().part = part;
  }
  const SpareThreads helpers(*load.read.spare_threads, recordings.size() - 1);
  ParallelFor(recordings.size(), helpers.count() + 1, [&](size_t part) {
    LoadedFile& into = part == 0 ? file : file.parts[part - 1];
    into.more_notes = std::move(recordings[part].notes);
    into.source = std::move(recordings[part].source);
    TakeTrace(into, std::move(recordings[part].trace), load, failure);
  });
}

// A file that is named as compressed and is not may have lost its first bytes.
bool MayBeDamaged(const LoadedFile& file, const LoadOptions& load) {
  auto again = load.places.Open(file.info.path, nullptr);
  if (!again) return false;
  const bool empty = again->Peek(1).empty();
  const bool as_named = empty || again->compressed() || !file.info.path.ends_with(".gz");
  return !as_named || IsDamaged(*std::move(again));
}

void ReadFile(LoadedFile& file, const LoadOptions& load, std::atomic<int64_t>& bytes_read) {
  ReadFailure failure;
  auto source = load.places.Open(file.info.path, &bytes_read, &failure);
  if (!source) return Fail(file, source.error(), NoteKind::kUnreadable);
  auto recordings = ReadRecordings(std::move(*source), load.read);
  if ((!recordings && failure.Get()) || failure.refused())
    return Fail(file, *failure.Get(), NoteKind::kUnreadable);
  if (!recordings)
    return Fail(file, recordings.error(),
                MayBeDamaged(file, load) ? NoteKind::kUnreadable : NoteKind::kNotATrace);
  TakeRecordings(file, std::move(*recordings), load, failure);
}

}  // namespace

Error ReadingWasCanceled() { return {"reading was canceled", "", ""}; }

void LoadFile(LoadedFile& file, const LoadOptions& options, std::atomic<int64_t>& bytes_read) {
  try {
    const StopScope scope(options.stop);
    StopIfAsked();
    ReadFile(file, options, bytes_read);
  } catch (const Stopped&) {
    Fail(file, ReadingWasCanceled(), NoteKind::kUnreadable);
  } catch (const std::bad_alloc&) {
    Fail(file, {"cannot read the trace: out of memory", "", "analyze fewer ranks at a time"},
         NoteKind::kUnreadable);
  } catch (const std::system_error& problem) {
    Fail(file,
         {std::string("no thread could be started: ") + problem.what(), "", "set `threads` to 1"},
         NoteKind::kUnreadable);
  }
}

}  // namespace stepscope
