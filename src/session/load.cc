// Reads the files of a run.
#include "session/load.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "base/parallel.h"
#include "base/stop.h"
#include "facts/activity/host_device.h"
#include "ingest/execution_trace/execution_reader.h"
#include "ingest/places.h"
#include "ingest/rank_name.h"
#include "session/execution_traces.h"
#include "session/job_of_files.h"
#include "session/load_file.h"
#include "session/name.h"
#include "session/other_jobs.h"
#include "session/partials.h"
#include "session/progress.h"
#include "session/redact_run.h"
#include "session/snapshots.h"
#include "session/stuck_job.h"

namespace stepscope {
namespace {

InputFile FindInput(const std::string& path, const Places& places) {
  InputFile input{.path = path};
  if (const auto item = places.Find(path)) {
    input.bytes = std::max<int64_t>(item->bytes, 0);
    input.written = item->written;
    input.version = item->version;
  }
  return input;
}

// Each recording as a file of its own, those of one file behind one another.
std::vector<LoadedFile> WithParts(std::vector<LoadedFile> files) {
  if (std::ranges::all_of(files, [](const LoadedFile& file) { return file.parts.empty(); }))
    return files;
  std::vector<LoadedFile> all;
  for (LoadedFile& file : files) {
    std::vector<LoadedFile> parts = std::move(file.parts);
    all.push_back(std::move(file));
    std::ranges::move(parts, std::back_inserter(all));
  }
  return all;
}

// What joins execution traces to traces.
constexpr Wanted kJoined(KindSet{Kind::kOperator, Kind::kAnnotation}, /*with_inputs=*/true,
                         /*with_kernels=*/false);

std::vector<LoadedFile> LoadFiles(const std::vector<std::string>& paths, Wanted keep,
                                  const OpenOptions& options, const redact::Redactor* redactor,
                                  ExecutionTraces& execution_traces) {
  const Places places(options.storage, LimitOf(options.max_input));
  std::vector<LoadedFile> files(paths.size());
  Progress totals{.files_total = static_cast<int>(paths.size())};
  for (size_t i = 0; i < paths.size(); ++i) {
    files[i].info = FindInput(paths[i], places);
    totals.bytes_total += files[i].info.bytes;
  }
  // The largest first, so that no thread is left with a large one at the end.
  std::vector<size_t> order(paths.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](size_t i) { return files[i].info.bytes; });

  const size_t threads = ThreadsFor(options.threads);
  // A thread for each file. Those that find no file left help the others: one file alone is
  // inflated and parsed on two threads, and so is the last of many.
  std::atomic<int> spare_threads = static_cast<int>(threads - std::min(threads, files.size()));
  if (options.keep_events) keep = keep | TimelineNeeds();
  if (options.keep_traces) keep = Wanted::All();
  const bool join = keep.inputs && !execution_traces.paths().empty();
  if (join) execution_traces.Read(places, threads);
  if (join) keep = keep | kJoined;
  const LoadOptions read{.read = {.keep = keep, .spare_threads = &spare_threads},
                         .keep_events = options.keep_events,
                         .keep_trace = options.keep_traces && !options.keep_events,
                         .redactor = redactor,
                         .execution_traces = join ? &execution_traces : nullptr,
                         .places = places,
                         .stop = options.stop};
  std::atomic<int64_t> bytes_read = 0;
  std::atomic<int> files_read = 0;
  std::atomic<size_t> files_begun = 0;
  const ProgressTicker ticker(options.on_progress, totals, bytes_read, files_read);
  ParallelFor(files.size(), threads, [&](size_t i) {
    ++files_begun;
    LoadFile(files[order[i]], read, bytes_read);
    ++files_read;
    if (files_begun == files.size()) ++spare_threads;
  });
  return WithParts(std::move(files));
}

// Two files are one recording if all their activities agree: a copy that was written with more
// about its events, as `export` does, has others beside them.
bool SameRecording(const LoadedFile& a, const LoadedFile& b) {
  if (a.memory_only != b.memory_only || a.world_size != b.world_size) return false;
  if (a.memory_only) {
    const auto& x = a.rank.host->memory_timelines;
    const auto& y = b.rank.host->memory_timelines;
    return !x.empty() && !y.empty() && x.front().changes == y.front().changes;
  }
  if (a.rank.activities.size() != b.rank.activities.size()) return false;
  if (a.rank.activities.empty()) return false;  // nothing to tell them apart by
  return std::ranges::equal(
      a.rank.activities, b.rank.activities, [&](const Activity& x, const Activity& y) {
        return x.start == y.start && x.end == y.end && a.names()[x.name] == b.names()[y.name];
      });
}

// Gives every memory timeline its rank: the one in its name, else the only one there is, else the
// first that has none.
void SettleRanksOfMemory(std::vector<LoadedFile>& files) {
  std::set<int64_t> ranks, taken;
  for (LoadedFile& file : files) {
    if (file.used) (file.memory_only ? taken : ranks).insert(file.info.rank);
  }
  const int64_t only = ranks.size() == 1 ? *ranks.begin() : -1;
  const bool alone = ranks.empty() && std::ranges::count_if(files, &LoadedFile::used) == 1;
  for (LoadedFile& file : files) {
    if (!file.used || !file.memory_only || file.info.rank >= 0) continue;
    file.info.rank = only;
    if (only >= 0) continue;
    for (const int64_t rank : ranks) {
      if (file.info.rank < 0 && !taken.contains(rank)) file.info.rank = rank;
    }
    for (int64_t rank = 0; file.info.rank < 0; ++rank) {
      if (!taken.contains(rank) && !ranks.contains(rank)) file.info.rank = rank;
    }
    taken.insert(file.info.rank);
    if (!alone) file.notes.Add(NoteKind::kRankFromOrder);
  }
}

// Numbers the recordings without a rank in order; snapshots of one process share theirs.
void NumberRest(std::vector<LoadedFile>& files, std::set<int64_t>& taken) {
  using Process = std::pair<std::string, size_t>;
  std::map<Process, int64_t> processes;  // by what their snapshots are named, and by part
  const auto process_of = [](const LoadedFile& file) {
    const std::string process = ProcessOfSnapshot(file.info.path);
    return Process(process.empty() ? file.info.path : process, file.part);
  };
  std::set<Process> recorded;
  for (const LoadedFile& file : files) {
    if (file.used && !file.memory_only) recorded.insert(process_of(file));
  }
  // Which say so themselves.
  const auto holds_several = [](const LoadedFile& file) {
    return std::ranges::find(file.more_notes, "rank_from_device", &Note::name) !=
           file.more_notes.end();
  };
  int64_t next = 0;
  for (LoadedFile& file : files) {
    if (!file.used || file.memory_only || file.info.rank >= 0) continue;
    const auto [process, is_new] = processes.try_emplace(process_of(file), next);
    while (is_new && !taken.insert(process->second).second) process->second = ++next;
    file.info.rank = process->second;
    if (recorded.size() > 1 && !holds_several(file)) file.notes.Add(NoteKind::kRankFromOrder);
  }
}

// Gives every recording its rank: the trace's own, else the one in its name, else a free one in
// order; then the memory timelines.
void SettleRanks(std::vector<LoadedFile>& files) {
  std::set<int64_t> taken;
  std::set<std::string> shared;  // files of several recordings, whose names are of none
  for (const LoadedFile& file : files) {
    if (file.part > 0) shared.insert(file.info.path);
  }
  for (LoadedFile& file : files) {
    if (!file.used) continue;
    const auto named =
        shared.contains(file.info.path) ? std::nullopt : RankFromPath(file.info.path);
    file.info.rank = file.own_rank.value_or(named.value_or(-1));
    if (file.info.rank >= 0 && !file.memory_only) taken.insert(file.info.rank);
    if (file.own_rank && named && *file.own_rank != *named)
      file.notes.Add(NoteKind::kRankDisagrees);
    if (!file.own_rank && named) file.notes.Add(NoteKind::kRankFromName);
  }
  NumberRest(files, taken);
  SettleRanksOfMemory(files);
}

// By which the files of one rank are ordered.
int64_t RecordedTime(const LoadedFile& file) {
  const auto& timelines = file.rank.host->memory_timelines;
  if (!timelines.empty()) return timelines.front().changes.back().time;
  return file.rank.activities.empty() ? kNoTime : file.rank.activities.front().start;
}

// The least number of a snapshot; 0: there are none.
int64_t FirstSnapshot(const std::vector<LoadedFile>& files) {
  std::optional<int64_t> first;
  for (const LoadedFile& file : files) {
    const int64_t number = NumberOfSnapshot(file.info.path);
    if (file.used && number >= 0) first = std::min(first.value_or(number), number);
  }
  return first.value_or(0);
}

// Orders files by rank and time, drops repeated recordings and numbers the windows of each rank,
// and behind them its memory timelines.
void SettleWindows(std::vector<LoadedFile>& files) {
  std::ranges::stable_sort(files, {}, [](const LoadedFile& f) {
    return std::tuple(!f.used, f.info.rank, f.memory_only, RecordedTime(f));
  });
  const int64_t first = FirstSnapshot(files);
  const LoadedFile* previous = nullptr;
  for (LoadedFile& file : files) {
    if (!file.used) continue;
    const bool same_rank = previous != nullptr && previous->info.rank == file.info.rank &&
                           previous->memory_only == file.memory_only;
    const bool same = same_rank && SameRecording(*previous, file);
    if (same || (same_rank && RepeatsSnapshot(*previous, file))) {
      file.used = false;
      file.info.rank = -1;
      file.info.problem = (same ? "duplicate of " : "repeats a part of ") + previous->info.path;
      file.notes.Add(same ? NoteKind::kDuplicateFile : NoteKind::kRepeatedSnapshot);
      continue;
    }
    // Snapshots of one number are of one time, though a process lacks some before.
    file.info.window = std::max(same_rank ? previous->info.window + 1 : 0,
                                NumberOfSnapshot(file.info.path) - first);
    file.rank.rank = file.info.rank;
    file.rank.window = file.info.window;
    previous = &file;
  }
  std::ranges::stable_sort(files, {}, [](const LoadedFile& f) { return !f.used; });
}

void MergeNames(LoadedFile& file, StringTable& names) {
  std::vector<StringId> merged(file.names().size(), kNoString);
  ForEachName(file.rank, [&](StringId& name) {
    StringId& id = merged[name];
    if (id == kNoString) id = names.Intern(file.names()[name]);
    name = id;
  });
  file.strings = {};
}

// What is replaced elsewhere must not be told by a path.
void AddSource(LoadedFile& file, LoadedRun& run) {
  if (run.redactor || file.memory_only) return;
  if (!file.rank.condensed)
    file.source = {.read = true,
                   .path = file.info.path,
                   .bytes = file.info.bytes,
                   .written = file.info.written};
  if (file.source.path.empty()) return;
  file.source.rank = file.info.rank;
  run.sources.push_back(std::move(file.source));
}

// A memory timeline belongs to the first recording of its rank, or is all there is of that rank.
void AddRecording(LoadedFile& file, LoadedRun& run) {
  const bool goes_with_it =
      file.memory_only && !run.ranks.empty() && run.ranks.back().rank == file.info.rank;
  if (!goes_with_it) {
    run.ranks.push_back(std::move(file.rank));
    run.events.push_back(std::move(file.events));
    run.traces.push_back(std::move(file.trace));
    run.files.push_back(file.memory_only ? std::nullopt : std::optional(run.info.files.size() - 1));
    return;
  }
  const auto first = std::ranges::find(run.ranks, file.info.rank, &RankActivity::rank);
  std::ranges::move(file.rank.host->memory_timelines,
                    std::back_inserter(first->host->memory_timelines));
}

// Where a rank has an accelerator, one without is not taken to compute on its processors.
void SettleHosts(std::vector<RankActivity>& ranks) {
  if (std::ranges::none_of(
          ranks, [](const RankActivity& r) { return !r.activities.empty() && !r.on_host; }))
    return;
  for (RankActivity& rank : ranks) {
    if (rank.assumed_on_host) TakeNoDevice(rank);
  }
}

std::vector<FileOfJob> FilesOfJob(const std::vector<LoadedFile>& files) {
  std::vector<FileOfJob> of_job;
  for (const LoadedFile& file : files) {
    if (file.used && !file.memory_only)
      of_job.push_back(
          {file.info.path, file.world_size, file.own_rank.has_value(), &file.rank, file.process});
  }
  return of_job;
}

// How many, and the first few with their reasons.
Error NoneCouldBeRead(const std::vector<LoadedFile>& files) {
  constexpr size_t kNamedFiles = 3;
  Error error = files.front().error;
  if (files.size() > 1) {
    error.what = "none of the " + std::to_string(files.size()) + " files can be read";
    for (size_t i = 0; i < std::min(kNamedFiles, files.size()); ++i) {
      error.what += (i == 0 ? ": " : "; ") + files[i].info.path + ": " + files[i].error.what;
    }
    if (files.size() > kNamedFiles) {
      error.what += "; and " + std::to_string(files.size() - kNamedFiles) + " more";
    }
    error.where.clear();  // it and the hint were about the first
    error.hint.clear();
  }
  if (error.hint.empty())
    error.hint =
        "give traces from the profiler of PyTorch (.json, .json.gz), TensorFlow or JAX "
        "(.xplane.pb), reports of Nsight Systems (.sqlite), or what rocprofv3 records (.json, .db)";
  return error;
}

}  // namespace

Result<LoadedRun> LoadPaths(std::span<const std::string> paths, Wanted keep,
                            const OpenOptions& options) {
  try {
    const StopScope scope(options.stop);
    const Places places(options.storage, LimitOf(options.max_input));
    auto found = FindTraces(paths, places);
    if (!found) return std::unexpected(OfStuckJob(paths, places).value_or(found.error()));
    std::ranges::move(ExecutionTracesBelow(paths, found->files, places),
                      std::back_inserter(found->files));
    auto run = LoadRun(*found, keep, options);
    if (!run && options.stop.stop_requested()) return run;
    if (!run && !AreOfStuckJob(found->files)) return run;
    if (!run) return std::unexpected(OfStuckJob(paths, places).value_or(run.error()));
    run->info.name = NameOfRun(paths);
    if (found->captured.empty()) NoteStuckJob(paths, *found, places, run->info.notes);
    return run;
  } catch (const Stopped&) {
    return std::unexpected(ReadingWasCanceled());
  }
}

Result<LoadedRun> LoadRun(const FoundTraces& all_found, Wanted keep, const OpenOptions& options) {
  FoundTraces found = all_found;
  ExecutionTraces execution_traces(found.files, Places(options.storage, LimitOf(options.max_input)),
                                   ThreadsFor(options.threads));
  if (found.files.empty() && !execution_traces.paths().empty()) {
    Error alone = ExecutionTraceAlone();
    alone.where = execution_traces.paths().front();
    return std::unexpected(std::move(alone));
  }
  std::optional<redact::Redactor> redactor;
  if (options.redact) {
    auto learned = RedactorOf(found.files, Places(options.storage, LimitOf(options.max_input)),
                              *options.redact, options.threads);
    if (!learned) return std::unexpected(learned.error());
    redactor = std::move(*learned);
  }
  auto files =
      LoadFiles(found.files, keep, options, redactor ? &*redactor : nullptr, execution_traces);
  if (options.stop.stop_requested()) return std::unexpected(ReadingWasCanceled());
  if (std::ranges::none_of(files, &LoadedFile::used)) {
    return std::unexpected(NoneCouldBeRead(files));
  }
  SettleRanks(files);
  SettleWindows(files);
  if (auto checked = CheckNotBoth(files); !checked) return std::unexpected(checked.error());
  NumberStepsOn(files);
  const std::vector<FileOfJob> of_job = FilesOfJob(files);
  if (auto checked = CheckOneJob(of_job); !checked) return std::unexpected(checked.error());
  if (auto checked = CheckSameWorld(of_job); !checked) return std::unexpected(checked.error());
  if (auto checked = CheckOneRun(of_job); !checked) return std::unexpected(checked.error());
  if (auto checked = CheckOneStart(of_job); !checked) return std::unexpected(checked.error());
  LoadedRun run;
  run.places = Places(options.storage, LimitOf(options.max_input));
  run.threads = options.threads;
  run.redactor = std::move(redactor);
  run.info.notes = found.notes;
  run.execution_traces = execution_traces.Joined();
  std::ranges::move(execution_traces.NotesOfFiles(), std::back_inserter(run.info.notes));
  run.captured = found.captured;
  NoteJob(of_job, run.info);
  NoteProfilers(of_job, run.info);
  NoteSnapshots(files, run.info);
  std::set<int64_t> ranks;
  for (LoadedFile& file : files) {
    std::ranges::move(file.notes.List(file.info.path), std::back_inserter(run.info.notes));
    for (Note& note : file.more_notes) {
      if (note.where.empty()) note.where = file.info.path;
      run.info.notes.push_back(std::move(note));
    }
    run.info.files.push_back(file.info);
    run.parts.push_back(file.part);
    if (!file.used) continue;
    ranks.insert(file.info.rank);
    AddSource(file, run);
    file.events.ShareNames(file.strings, run.event_names);
    MergeNames(file, run.names);
    AddRecording(file, run);
  }
  SettleHosts(run.ranks);
  run.info.ranks = static_cast<int64_t>(ranks.size());
  return run;
}

Result<ByteSource> OpenAgain(const InputFile& file, const Places& places,
                             std::atomic<int64_t>* bytes_read, ReadFailure* failure) {
  const InputFile now = FindInput(file.path, places);
  const bool same =
      now.bytes == file.bytes && now.written == file.written && now.version == file.version;
  auto source = places.Open(file.path, bytes_read, failure);
  if (!source || same) return source;
  return std::unexpected(Error{"the file was written to after it had been read", file.path,
                               "open the traces again: the reports are of what it held before"});
}

}  // namespace stepscope
