// Writes partials: reads the traces of a shard, some at once, and writes them in the order of their
// names.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "analyses/all.h"
#include "base/parallel.h"
#include "base/stop.h"
#include "base/system_error.h"
#include "base/url_word.h"
#include "condense/condense.h"
#include "ingest/discover.h"
#include "ingest/rank_name.h"
#include "partials/partial_table.h"
#include "report/columns.h"
#include "report/humanize.h"
#include "session/load_file.h"
#include "session/map_sources.h"
#include "stepscope/partials.h"
#include "trace/notes.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

// A trace of the shard, and what became of it.
struct MapItem {
  std::string path;
  RankTrace source;
  int64_t place = 0;  // among the traces of all shards
  std::vector<PartialTable> tables;
  std::vector<int64_t> ranks;
  std::optional<Error> error;
  bool is_trace = true;  // else trying again would not help
};

// Why not all of the file was read, if so: a partial of what came would stay, although the next try
// may read the rest.
std::optional<Error> CutShort(const LoadedFile& file) {
  std::optional<Error> cut = file.cut;
  for (const LoadedFile& part : file.parts) cut = cut ? cut : part.cut;
  return cut;
}

bool Failed(const MapItem& item) { return item.error && item.is_trace; }

// A recording says its rank, or its file's name does if it is alone there; else it has its place,
// as if all files held as many as this one.
int64_t RankOf(LoadedFile& file, const MapItem& item, size_t recordings) {
  if (file.own_rank) return *file.own_rank;
  const auto named = recordings == 1 ? RankFromPath(item.path) : std::nullopt;
  const int64_t place =
      item.place * static_cast<int64_t>(recordings) + static_cast<int64_t>(file.part);
  file.notes.Add(named ? NoteKind::kRankFromName : NoteKind::kRankFromOrder);
  return named.value_or(place);
}

class Mapper {
 public:
  Mapper(const MapOptions& options, std::vector<std::string> all)
      : options_(options), places_(options.storage, LimitOf(options.max_input)) {
    for (size_t i = static_cast<size_t>(options.shard.index); i < all.size();
         i += static_cast<size_t>(options.shard.count))
      items_.push_back(
          {.path = all[i], .source = SourceAt(all[i], places_), .place = static_cast<int64_t>(i)});
  }

  const std::vector<MapItem>& items() const { return items_; }

  Result<void> Write(const std::string& file, const std::string& sources) {
    ParquetWriter writer(file, {kPartialInfos.begin(), kPartialInfos.end()});
    if (const auto created = writer.Create(); !created) return created;
    const size_t at_once = 4 * ThreadsFor(options_.threads);
    for (size_t first = 0; first < items_.size(); first += at_once) {
      const size_t count = std::min(at_once, items_.size() - first);
      if (const auto written = WriteSome(std::span(items_).subspan(first, count), writer); !written)
        return written;
      Tell(first + count);
    }
    const auto failed = std::ranges::find_if(items_, Failed);
    const bool some =
        std::ranges::any_of(items_, [](const MapItem& i) { return !i.ranks.empty(); });
    if (failed != items_.end() && !some) return std::unexpected(*failed->error);
    std::vector<std::pair<std::string, std::string>> about = {
        {std::string(kPartialVersionKey), std::string(kPartialVersion)}};
    if (failed == items_.end())
      about.emplace_back(kPartialSourcesKey, sources);
    else
      about.emplace_back(kPartialUnreadKey, Unread());
    return writer.Commit(std::move(about));
  }

 private:
  // Reads them side by side, and writes them in their order.
  Result<void> WriteSome(std::span<MapItem> items, ParquetWriter& writer) {
    ParallelFor(items.size(), ThreadsFor(options_.threads), [&](size_t i) { Map(items[i]); });
    StopIfAsked();
    for (MapItem& item : items) {
      for (PartialTable& table : item.tables) {
        if (const auto added = writer.Append(table.Finish()); !added) return added;
      }
      item.tables.clear();
    }
    return {};
  }

  // The traces that could not be read, as JSON.
  std::string Unread() const {
    std::vector<std::string> paths;
    for (const MapItem& item : items_) {
      if (Failed(item)) paths.push_back(item.path);
    }
    return PathsAsJson(paths);
  }

  void Tell(size_t done) const {
    if (!options_.on_progress) return;
    options_.on_progress(
        {.files_done = static_cast<int>(done), .files_total = static_cast<int>(items_.size())});
  }

  void Map(MapItem& item) {
    LoadedFile file{.info = {.path = item.path}};
    // All that changes what the analyses of partials see: whether the host computes, where steps
    // begin, and which work waited for other work.
    std::atomic<int> no_threads = 0;
    LoadFile(file,
             {.read = {.keep = kOverview.needs | Wanted(KindSet{Kind::kSync}),
                       .spare_threads = &no_threads},
              .places = places_,
              .stop = options_.stop},
             bytes_read_);
    item.is_trace = file.notes.Count(NoteKind::kNotATrace) == 0 && !file.memory_only;
    item.error = file.used ? CutShort(file) : file.error;
    if (item.error) return;
    const size_t recordings = 1 + file.parts.size();
    Condense(file, recordings, item);
    for (LoadedFile& part : file.parts) Condense(part, recordings, item);
  }

  static void Condense(LoadedFile& file, size_t recordings, MapItem& item) {
    if (!file.used || file.memory_only) return;
    file.rank.rank = RankOf(file, item, recordings);
    std::vector<Note> notes = file.notes.List(item.path);
    std::ranges::move(file.more_notes, std::back_inserter(notes));
    stepscope::Condense({.rank = &file.rank,
                         .names = &file.names(),
                         .events = file.info.events,
                         .gpu_events = file.info.gpu_events,
                         .notes = std::move(notes),
                         .process = file.own_rank ? file.process : "",
                         .source = item.source},
                        item.tables.emplace_back());
    item.ranks.push_back(file.rank.rank);
  }

  const MapOptions& options_;
  Places places_;
  std::atomic<int64_t> bytes_read_ = 0;
  std::vector<MapItem> items_;
};

Table FilesTable(const std::vector<MapItem>& items) {
  Table table{.key = "files",
              .title = "Files of the shard",
              .columns = {KeyColumn("path", "file"), CountColumn("ranks", "ranks"),
                          ValueColumn("problem", "problem")},
              .rows = {},
              .text_rows = 8};
  for (const MapItem& item : items)
    table.rows.push_back(
        {item.path, std::ssize(item.ranks), item.error ? Cell(item.error->what) : Cell()});
  return table;
}

void AddNotes(Report& report, int64_t failed, int64_t no_traces) {
  if (failed > 0)
    report.notes.push_back({"not_mapped", failed,
                            "traces could not be read: their ranks are missing, and are tried "
                            "again the next time",
                            ""});
  if (no_traces > 0)
    report.notes.push_back(
        {"no_traces", no_traces, "files were left out: they are not traces", ""});
}

ReportSet Written(const Mapper& mapper, const std::string& file, int64_t bytes, bool again) {
  Report report{.analysis = "map", .title = "Partials"};
  int64_t ranks = 0, failed = 0, no_traces = 0;
  for (const MapItem& item : mapper.items()) {
    ranks += std::ssize(item.ranks);
    failed += Failed(item) ? 1 : 0;
    no_traces += item.is_trace ? 0 : 1;
  }
  if (again) {
    report.headline = Say("{file} is there already, of the same {traces}.", Phrase::Name(file),
                          Plural(mapper.items().size(), "trace"));
  } else {
    report.headline =
        mapper.items().empty()
            ? Say("There are fewer traces than shards: {file} says that this one has none.",
                  Phrase::Name(file))
            : Say("{ranks} in {file}: {bytes}.", Plural(static_cast<size_t>(ranks), "partial"),
                  Phrase::Name(file), HumanBytes(static_cast<double>(bytes)));
    report.tables.push_back(FilesTable(mapper.items()));
  }
  report.metrics = {{"ranks", "partials written", ranks, Unit::kCount},
                    {"failed", "traces that could not be read", failed, Unit::kCount},
                    {"bytes", "size of the file", bytes, Unit::kBytes}};
  AddNotes(report, failed, no_traces);
  ReportSet answer;
  answer.verdict = report.headline;
  answer.reports.push_back(std::move(report));
  return answer;
}

}  // namespace

Result<ReportSet> MapRanks(std::span<const std::string> paths, const MapOptions& options) {
  try {
    if (const auto place = CheckIsPlace(options.folder); !place)
      return std::unexpected(place.error());
    const StopScope scope(options.stop);
    const Places places(options.storage, LimitOf(options.max_input));
    auto found = FindTraces(paths, places);
    if (!found) return std::unexpected(found.error());
    Mapper mapper(options, std::move(found->files));
    std::vector<RankTrace> traces;
    for (const MapItem& item : mapper.items()) traces.push_back(item.source);
    std::error_code error;
    fs::create_directories(options.folder, error);
    if (error)
      return std::unexpected(
          SystemError("cannot make the directory", error.value(), options.folder));
    const std::string file = fs::path(options.folder) / ShardFileName(options.shard);
    const std::string sources = SourcesAsJson(traces);
    const bool again = SourcesIn(file) == sources;
    if (!again) {
      if (const auto written = mapper.Write(file, sources); !written)
        return std::unexpected(written.error());
    }
    return Written(mapper, file, static_cast<int64_t>(fs::file_size(file, error)), again);
  } catch (const Stopped&) {
    return std::unexpected(Error{"mapping was canceled", "", ""});
  }
}

Result<std::vector<int64_t>> MissingShards(const std::string& folder, int64_t count) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return std::unexpected(NothingAt(folder, /*stored=*/false));
  std::vector<int64_t> missing;
  for (int64_t index = 0; index < count; ++index) {
    if (!ArePartials(fs::path(folder) / ShardFileName({index, count}))) missing.push_back(index);
  }
  return missing;
}

}  // namespace stepscope
