// Exports a run. Reads it twice, once for facts and once to write it again, so that at most one
// file at a time is in memory.
#include "stepscope/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "analyses/all.h"
#include "base/parallel.h"
#include "base/sync_folder.h"
#include "base/system_error.h"
#include "base/time_units.h"
#include "export/chakra.h"
#include "export/chrome.h"
#include "export/patterns.h"
#include "export/perfetto.h"
#include "facts/collectives/collectives.h"
#include "facts/steps/steps.h"
#include "ingest/execution_trace/execution_reader.h"
#include "ingest/trace_reader.h"
#include "report/columns.h"
#include "session/data_dependencies.h"
#include "session/load.h"
#include "session/partials.h"
#include "session/progress.h"
#include "session/redact_run.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRunFile = "run.pftrace.gz";

// A recording to be written, and what became of it.
struct ExportItem {
  const InputFile* file = nullptr;
  size_t part = 0;  // which of the recordings in it
  const RankActivity* rank = nullptr;
  std::string path;  // of what is written
  Clock clock;
  int64_t written = 0;
  size_t counters = 0, path_pieces = 0;
  int64_t patterns = 0;
  int64_t damaged = 0, mended = 0;  // events and members, not JSON to the letter
  ChakraCounts chakra;
  std::optional<Error> error;
};

bool Counts(const ExportOptions& options, CounterSeries series) {
  const bool both = options.counter_series == CounterSeries::kBoth;
  return options.counters && (both || options.counter_series == series);
}

Result<void> CheckOptions(const ExportOptions& options) {
  const bool marks = options.path.only_critical || !options.patterns.operator_name.empty();
  if (marks && options.format == ExportFormat::kPerfetto) {
    return std::unexpected(
        Error{"only critical events and patterns cannot be exported for Perfetto alone", "",
              "export each trace as JSON, which Perfetto opens too"});
  }
  const bool adds = options.counters || options.critical_path || marks;
  if (adds && options.format == ExportFormat::kChakra) {
    return std::unexpected(Error{"execution traces hold no counters, critical path or patterns", "",
                                 "export each trace as JSON with these"});
  }
  return {};
}

// What names of files that it writes end in.
std::span<const std::string_view> EndingsOf(ExportFormat format) {
  static constexpr std::string_view kTrace[] = {".json", ".json.gz"},
                                    kPerfetto[] = {".pftrace", ".pftrace.gz"}, kChakra[] = {".et"};
  if (format == ExportFormat::kPerfetto) return kPerfetto;
  return format == ExportFormat::kChakra ? std::span<const std::string_view>(kChakra) : kTrace;
}

bool HasEndingOf(std::string_view name, ExportFormat format) {
  return std::ranges::any_of(EndingsOf(format),
                             [&](std::string_view ending) { return name.ends_with(ending); });
}

// Whether a file is named, not a directory. Fails where its name is one of another format.
Result<bool> NamesFile(const ExportOptions& options) {
  std::error_code none;
  if (fs::is_directory(options.folder, none)) return false;
  if (HasEndingOf(options.folder, options.format)) return true;
  for (const ExportFormat other :
       {ExportFormat::kChrome, ExportFormat::kPerfetto, ExportFormat::kChakra}) {
    if (!HasEndingOf(options.folder, other)) continue;
    return std::unexpected(Error{fmt::format("cannot export to this file: its name would end in {}",
                                             EndingsOf(options.format).back()),
                                 options.folder,
                                 "name a directory, or choose the format of this name"});
  }
  return false;
}

class Exporter {
 public:
  Exporter(LoadedRun run, const ExportOptions& options, const StepSelection& selection)
      : run_(std::move(run)), options_(options), selection_(selection) {}

  Result<ReportSet> Write();

 private:
  Result<void> ChooseItems();
  Result<void> NameItems();
  Result<void> CheckTargets() const;
  std::string NameOf(const RankActivity& rank) const;
  void FindClocks();
  std::vector<ShownClock> ClocksToShow() const;
  Overlay OverlayOf(ExportItem& item) const;
  Result<Trace> Read(const ExportItem& item, ReadOptions read);
  void WriteAll();
  void WriteChrome(ExportItem& item);
  void WritePerfetto();
  std::vector<DataDependency> DataOf(const ExportItem& item);
  void WriteExecutionTrace(ExportItem& item);
  void AddLosses(Report& report) const;
  ReportSet Answer() const;
  Table FilesTable() const;

  LoadedRun run_;
  const ExportOptions& options_;
  StepSelection selection_;
  std::vector<ExportItem> items_;
  fs::path folder_;  // of what is written
  std::atomic<int64_t> bytes_read_ = 0;
  std::atomic<int> files_done_ = 0;
  std::atomic<int> spare_threads_ = 1;
  int64_t left_out_ = 0;
};

std::string Exporter::NameOf(const RankActivity& rank) const {
  if (options_.format == ExportFormat::kPerfetto) return std::string(kRunFile);
  if (options_.format == ExportFormat::kChakra && rank.window == 0)
    return fmt::format("run.{}.et", rank.rank);
  if (options_.format == ExportFormat::kChakra)
    return fmt::format("run.window_{}.{}.et", rank.window, rank.rank);
  if (rank.window == 0) return fmt::format("rank_{}.json.gz", rank.rank);
  return fmt::format("rank_{}.window_{}.json.gz", rank.rank, rank.window);
}

Result<void> Exporter::ChooseItems() {
  for (size_t i = 0; i < run_.ranks.size(); ++i) {
    const RankActivity& rank = run_.ranks[i];
    const std::optional<size_t> file = run_.files[i];
    if (!file) continue;
    const bool wanted = std::ranges::find(options_.ranks, rank.rank) != options_.ranks.end();
    if (!options_.ranks.empty() && !wanted) continue;
    const auto any = [&](const Step& step) { return selection_.Has(step); };
    if (selection_.mode != StepSelection::Mode::kAll && std::ranges::none_of(rank.steps, any)) {
      continue;
    }
    items_.push_back({.file = &run_.info.files[*file], .part = run_.parts[*file], .rank = &rank});
  }
  if (!items_.empty()) return {};
  return std::unexpected(Error{"the selected ranks and steps have nothing to export", "",
                               fmt::format("ranks that were read: {}; steps: {}",
                                           DescribeRanks(run_.ranks), DescribeSteps(run_.ranks))});
}

// In a directory, or of one trace the file that was named.
Result<void> Exporter::NameItems() {
  const auto is_file = NamesFile(options_);
  if (!is_file) return std::unexpected(is_file.error());
  folder_ = *is_file ? fs::path(options_.folder).parent_path() : fs::path(options_.folder);
  if (folder_.empty()) folder_ = ".";
  if (*is_file && options_.format != ExportFormat::kPerfetto && items_.size() > 1)
    return std::unexpected(Error{fmt::format("cannot write {} traces to one file", items_.size()),
                                 options_.folder,
                                 "name a directory, choose one of `ranks`, or export all as one "
                                 "trace for Perfetto"});
  for (ExportItem& item : items_)
    item.path = *is_file ? options_.folder : (folder_ / NameOf(*item.rank)).string();
  return {};
}

// Nothing that was read is written over.
Result<void> Exporter::CheckTargets() const {
  for (const ExportItem& item : items_) {
    for (const InputFile& input : run_.info.files) {
      std::error_code none;  // of a target that does not exist yet
      if (!fs::equivalent(item.path, input.path, none)) continue;
      return std::unexpected(Error{"cannot write the export: it would replace an input trace",
                                   item.path, "name another directory or file as `folder`"});
    }
  }
  return {};
}

void Exporter::FindClocks() {
  const CollectiveFacts facts = DeriveCollectives(run_.names, run_.ranks, run_.ranks);
  std::map<int64_t, Clock> clocks;
  for (const RankCollectives& rank : facts.ranks) clocks[rank.rank] = rank.clock;
  for (ExportItem& item : items_) item.clock = clocks[item.rank->rank];
}

// A recording without activities may begin anywhere: at 0, by its own clock.
std::vector<ShownClock> Exporter::ClocksToShow() const {
  std::vector<ShownClock> clocks;
  for (const ExportItem& item : items_) {
    ShownClock shown{.clock = item.clock};
    const auto& activities = item.rank->activities;
    if (!activities.empty()) {
      shown.first = activities.front().start;
      for (const Activity& activity : activities) shown.last = std::max(shown.last, activity.end);
    }
    clocks.push_back(shown);
  }
  return clocks;
}

Overlay Exporter::OverlayOf(ExportItem& item) const {
  Overlay overlay(run_.names);
  const RankActivity* rank = item.rank;
  RankActivity chosen;
  if (selection_.mode != StepSelection::Mode::kAll) {
    chosen = SelectSteps(*rank, selection_);
    rank = &chosen;
  }
  if (Counts(options_, CounterSeries::kQueue)) AddQueues(*rank, overlay.counters);
  if (Counts(options_, CounterSeries::kBandwidth)) AddBandwidths(*rank, overlay.counters);
  if (options_.critical_path) {
    const PathRegion& region = options_.path;
    AddCriticalPath(*rank, run_.names,
                    {.annotation = region.annotation,
                     .instance = region.instance,
                     .last_instance = region.last_instance},
                    overlay);
    overlay.marks.only_critical = region.only_critical && !overlay.path.empty();
  }
  if (!options_.patterns.operator_name.empty())
    item.patterns = MarkPatterns(*rank, run_.names,
                                 {.operator_name = options_.patterns.operator_name,
                                  .min_length = options_.patterns.min_length,
                                  .top = options_.patterns.top},
                                 overlay.marks);
  item.counters = overlay.counters.size();
  item.path_pieces = overlay.path.size();
  return overlay;
}

Result<Trace> Exporter::Read(const ExportItem& item, ReadOptions read) {
  ReadFailure failure;
  auto source = OpenAgain(*item.file, run_.places, &bytes_read_, &failure);
  if (!source) return std::unexpected(source.error());
  read.spare_threads = &spare_threads_;
  read.part = item.part;
  auto trace = ReadTrace(std::move(*source), read);
  if (const auto failed = failure.Get()) return std::unexpected(*failed);
  if (trace && run_.redactor) RedactTrace(*trace, *run_.redactor);
  ++files_done_;
  return trace;
}

void Exporter::WriteChrome(ExportItem& item) {
  const Overlay overlay = OverlayOf(item);
  ChromeFile file(item.path, KeptTimes::Of(*item.rank, selection_), overlay,
                  run_.redactor ? &*run_.redactor : nullptr);
  const auto write = [&]() -> Result<void> {
    if (auto created = file.Create(); !created) return created;
    const RawEventObserver observer = file.Observer();
    const auto read = Read(item, {.keep = {}, .observer = &observer});
    if (!read) return std::unexpected(read.error());
    item.damaged = read->notes.Count(NoteKind::kMalformed);
    file.AddOverlay();
    return file.Finish();
  };
  if (auto done = write(); !done) item.error = done.error();
  item.written = file.events();
  item.mended = file.mended();
}

void Exporter::WritePerfetto() {
  PerfettoFile file(items_.front().path, ClocksToShow(), run_.redactor ? &*run_.redactor : nullptr);
  const auto write = [&]() -> Result<void> {
    if (auto created = file.Create(); !created) return created;
    for (ExportItem& item : items_) {
      const int64_t before = file.events();
      const RawEventObserver observer = file.Begin(KeptTimes::Of(*item.rank, selection_));
      const auto read = Read(item, {.keep = {}, .observer = &observer});
      if (!read) return std::unexpected(read.error());
      file.End({.rank = item.rank->rank, .window = item.rank->window}, OverlayOf(item));
      item.written = file.events() - before;
      item.damaged = read->notes.Count(NoteKind::kMalformed);
      item.mended = file.mended();
    }
    return file.Finish();
  };
  if (auto done = write(); !done) items_.front().error = done.error();
  left_out_ = file.left_out();
}

// Of operators that got inputs from an execution trace, who reads what others wrote. Where one of
// the files is not there any more, nothing is known.
std::vector<DataDependency> Exporter::DataOf(const ExportItem& item) {
  const auto at = run_.execution_traces.find(item.file->path);
  if (at == run_.execution_traces.end()) return {};
  auto file = run_.places.Open(at->second);
  if (!file) return {};
  const auto nodes = ReadExecutionTrace(std::move(*file), Tensors::kKeep);
  auto source = OpenAgain(*item.file, run_.places, &bytes_read_, nullptr);
  if (!nodes || !source) return {};
  auto trace = ReadTrace(std::move(*source),
                         {.keep = KindSet{Kind::kOperator, Kind::kAnnotation}, .part = item.part});
  if (!trace) return {};
  return DataDependenciesOf(std::move(*trace), *nodes, *item.rank, run_.names,
                            run_.redactor ? &*run_.redactor : nullptr);
}

// Of what the analyses read; the trace is read again where an execution trace tells more.
void Exporter::WriteExecutionTrace(ExportItem& item) {
  const bool all = selection_.mode == StepSelection::Mode::kAll;
  const auto chosen = all ? std::nullopt : std::optional(SelectSteps(*item.rank, selection_));
  const auto counts = WriteChakra(item.path, chosen ? *chosen : *item.rank, run_.names,
                                  KeptTimes::Of(*item.rank, selection_), DataOf(item));
  if (!counts) {
    item.error = counts.error();
    return;
  }
  item.chakra = *counts;
  item.written = counts->nodes;
}

// Progress goes on where reading for the first time left it, at half.
void Exporter::WriteAll() {
  Progress totals{.files_total = static_cast<int>(2 * run_.info.files.size())};
  for (const InputFile& file : run_.info.files) totals.bytes_total += 2 * file.bytes;
  bytes_read_ = totals.bytes_total / 2;
  files_done_ = totals.files_total / 2;
  const ProgressTicker ticker(options_.on_progress, totals, bytes_read_, files_done_);
  if (options_.format == ExportFormat::kPerfetto) return WritePerfetto();
  ParallelFor(items_.size(), static_cast<size_t>(std::max(options_.threads, 0)), [&](size_t i) {
    try {
      if (options_.format == ExportFormat::kChakra)
        WriteExecutionTrace(items_[i]);
      else
        WriteChrome(items_[i]);
    } catch (const std::bad_alloc&) {
      items_[i].error = Error{"cannot export the trace: out of memory", items_[i].file->path,
                              "export fewer ranks at a time"};
    }
  });
}

Table Exporter::FilesTable() const {
  Table table{.key = "files",
              .title = "Exported files",
              .columns = {KeyColumn("rank", "rank"), KeyColumn("window", "window"),
                          ValueColumn("path", "file"), CountColumn("events", "events read"),
                          CountColumn("written", "written"), CountColumn("counters", "counters"),
                          CountColumn("path_pieces", "critical path"),
                          Detail(CountColumn("patterns", "patterns")),
                          TimeColumn("clock_offset", "clock offset"),
                          TimeColumn("clock_error", "clock error")},
              .text_rows = 16};
  for (const ExportItem& item : items_) {
    const bool moved = options_.format == ExportFormat::kPerfetto && item.clock.known;
    table.rows.push_back(
        {item.rank->rank, item.rank->window, item.path, item.file->events, item.written,
         static_cast<int64_t>(item.counters), static_cast<int64_t>(item.path_pieces), item.patterns,
         moved ? Cell(-item.clock.offset) : Cell(), moved ? Cell(item.clock.error) : Cell()});
  }
  return table;
}

// What of the traces is not in the files, or not as it was.
void Exporter::AddLosses(Report& report) const {
  for (const ExportItem& item : items_) {
    if (item.damaged > 0)
      report.notes.push_back(
          {"damaged", item.damaged,
           "pieces of damaged text were left out: events, members or brackets that are not JSON",
           item.file->path});
    if (item.mended > 0)
      report.notes.push_back({"mended", item.mended,
                              "events or members were mended: numbers that JSON cannot hold became "
                              "null, halves of surrogate pairs U+FFFD",
                              item.file->path});
  }
  const auto chakra = [&](int64_t ChakraCounts::* count, std::string name, std::string_view says) {
    for (const ExportItem& item : items_) {
      if (item.chakra.*count > 0)
        report.notes.push_back({name, item.chakra.*count, says, item.file->path});
    }
  };
  chakra(&ChakraCounts::unknown, "communication_as_compute",
         "communication was written as compute: its operation or other rank is not known");
  chakra(&ChakraCounts::without_size, "without_size",
         "communication was written without a size: the trace does not tell its elements");
  if (left_out_ > 0)
    report.notes.push_back({"left_out", left_out_,
                            "events were left out: more than 64 overlap on their track, or "
                            "Perfetto has no such events",
                            ""});
}

ReportSet Exporter::Answer() const {
  Report report{.analysis = "export", .title = "Export"};
  const bool perfetto = options_.format == ExportFormat::kPerfetto;
  const bool one = perfetto || items_.size() == 1;
  report.headline =
      options_.format == ExportFormat::kChakra
          ? Say("Wrote {traces} of MLCommons Chakra to {folder}.",
                one ? Phrase("an execution trace") : Say("{count} execution traces", items_.size()),
                options_.folder)
          : Say("Wrote {traces} to {folder}; open {them} at https://ui.perfetto.dev{browser}.",
                one ? Phrase("a trace") : Say("{count} traces", items_.size()), options_.folder,
                one ? "it" : "them", perfetto ? "" : " or in chrome://tracing");
  report.tables.push_back(FilesTable());
  AddLosses(report);
  const auto unaligned =
      std::ranges::count_if(items_, [](const ExportItem& i) { return !i.clock.known; });
  if (perfetto && items_.size() > 1 && unaligned > 0) {
    report.notes.push_back({"clock_not_aligned", unaligned,
                            "no common collective tells how the rank's clock differs: its times "
                            "stand as they were recorded",
                            ""});
  }
  const auto without_path =
      std::ranges::count_if(items_, [](const ExportItem& i) { return i.path_pieces == 0; });
  if (options_.critical_path && without_path > 0) {
    report.notes.push_back({"no_critical_path", without_path,
                            "traces do not have the requested range: no critical path was added",
                            ""});
  }
  ReportSet answer{.run = run_.info};
  answer.run.steps = options_.steps;
  answer.reports.push_back(std::move(report));
  return answer;
}

Result<ReportSet> Exporter::Write() {
  if (auto chosen = ChooseItems(); !chosen) return std::unexpected(chosen.error());
  if (auto named = NameItems(); !named) return std::unexpected(named.error());
  std::error_code failed;
  fs::create_directories(folder_, failed);
  if (failed) {
    return std::unexpected(
        SystemError("cannot create the directory", failed.value(), folder_.string()));
  }
  if (auto safe = CheckTargets(); !safe) return std::unexpected(safe.error());
  if (options_.format == ExportFormat::kPerfetto) FindClocks();
  WriteAll();
  for (const ExportItem& item : items_) {
    if (item.error) return std::unexpected(*item.error);
  }
  if (auto synced = SyncFolder(folder_.string()); !synced) return std::unexpected(synced.error());
  return Answer();
}

}  // namespace

Result<ReportSet> Export(std::span<const std::string> paths, const ExportOptions& options) {
  if (auto valid = CheckOptions(options); !valid) return std::unexpected(valid.error());
  if (options.folder.empty()) {
    return std::unexpected(Error{"missing directory to export to", "`folder`", "set `folder`"});
  }
  const auto selection = ParseSteps(options.steps);
  if (!selection) return std::unexpected(selection.error());
  OpenOptions open{.threads = options.threads,
                   .redact = options.redact,
                   .max_input = options.max_input,
                   .storage = options.storage};
  if (options.on_progress) {
    open.on_progress = [&](Progress progress) {  // what is read is read once more
      progress.bytes_total *= 2;
      progress.files_total *= 2;
      options.on_progress(progress);
    };
  }
  Wanted needs = options.format == ExportFormat::kChakra ? kChakraNeeds
                 : options.critical_path                 ? kCriticalPath.needs
                                                         : Wanted(kRankActivityNeeds);
  if (!options.patterns.operator_name.empty()) needs = needs | kKernelSequences.needs;
  auto run = LoadPaths(paths, needs, open);
  if (!run) return std::unexpected(run.error());
  if (const auto checked = CheckHasEvents(run->ranks, run->sources); !checked)
    return std::unexpected(checked.error());
  return Exporter(std::move(*run), options, *selection).Write();
}

}  // namespace stepscope
