// Joins partials: reads which recordings there are, orders them by rank, and writes one after the
// other.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/saturate.h"
#include "base/stop.h"
#include "base/url_word.h"
#include "ingest/discover.h"
#include "ingest/partial/partial_about.h"
#include "ingest/partial/partial_file.h"
#include "partials/partial_table.h"
#include "report/columns.h"
#include "report/humanize.h"
#include "session/map_sources.h"
#include "stepscope/partials.h"

namespace stepscope {
namespace {

// A row group: the partial of a recording.
struct Piece {
  int64_t rank = 0, start = 0, end = 0;
  size_t file = 0, group = 0;
};

Result<ParquetFile> OpenShard(const std::string& path) {
  auto source = Places().Open(path);
  if (!source) return std::unexpected(source.error());
  auto file = OpenPartials(*std::move(source));
  if (file) return file;
  Error error = file.error();
  error.where = path;
  return std::unexpected(std::move(error));
}

// Files of partials that stay open: each is read and checked once, where they are not many; of
// many, each holds little.
class OpenShards {
 public:
  explicit OpenShards(const std::vector<std::string>& files) : files_(files) {}

  Result<ParquetFile*> At(size_t number) {
    if (const auto known = open_.find(number); known != open_.end()) return &known->second;
    if (open_.size() == kMostOpen) open_.clear();
    auto file = OpenShard(files_[number]);
    if (!file) return std::unexpected(file.error());
    return &open_.emplace(number, *std::move(file)).first->second;
  }

 private:
  static constexpr size_t kMostOpen = 256;

  const std::vector<std::string>& files_;
  std::map<size_t, ParquetFile> open_;  // by place among the files
};

// The least value of a column.
int64_t LeastOf(const ParquetTable& table, std::string_view name) {
  const ParquetColumn* column = table.Find(name);
  int64_t least = INT64_MAX;
  for (size_t i = 0; column != nullptr && i < column->ints.size(); ++i) {
    if (column->present[i]) least = std::min(least, column->ints[i]);
  }
  return least;
}

// The last end of what has a start and a duration.
int64_t LastEnd(const ParquetTable& table) {
  const ParquetColumn *start = table.Find("start"), *duration = table.Find("duration");
  int64_t last = INT64_MIN;
  if (start == nullptr || duration == nullptr) return last;
  for (size_t i = 0; i < std::min(start->ints.size(), duration->ints.size()); ++i) {
    if (start->present[i] && duration->present[i])
      last = std::max(last, AddSaturated(start->ints[i], duration->ints[i]));
  }
  return last;
}

// Fails where a rank was recorded in two files at the same time: these are of two jobs, which would
// be taken for one. The same recording in both is no matter. `pieces`: by rank, then start.
Result<void> CheckOneJob(const std::vector<Piece>& pieces, const std::vector<std::string>& files) {
  for (size_t i = 1; i < pieces.size(); ++i) {
    const Piece &a = pieces[i - 1], &b = pieces[i];
    const bool same = a.start == b.start && a.end == b.end;
    if (a.rank != b.rank || a.file == b.file || same || b.start >= a.end) continue;
    return std::unexpected(
        Error{fmt::format("rank {} is in two of these files at the same time: they are of two jobs",
                          a.rank),
              fmt::format("{} and {}", files[a.file], files[b.file]),
              "merge the partials of each job by themselves"});
  }
  return {};
}

Result<void> AddPieces(OpenShards& shards, size_t number, std::vector<Piece>& pieces,
                       std::set<std::string>& unread) {
  const auto opened = shards.At(number);
  if (!opened) return std::unexpected(opened.error());
  ParquetFile* const file = *opened;
  if (const std::string* paths = file->metadata().About(kPartialUnreadKey))
    std::ranges::copy(PathsIn(*paths), std::inserter(unread, unread.end()));
  constexpr auto kColumns = std::to_array<std::string_view>({"rank", "start", "duration"});
  for (size_t group = 0; group < file->metadata().groups.size(); ++group) {
    const auto table = file->Read(group, kColumns);
    if (!table) return std::unexpected(table.error());
    pieces.push_back({.rank = LeastOf(*table, "rank"),
                      .start = LeastOf(*table, "start"),
                      .end = LastEnd(*table),
                      .file = number,
                      .group = group});
  }
  return {};
}

// A column as it is written; without any value where the file has none such.
FlatColumn Flat(const ParquetTable& table, std::string_view name) {
  FlatColumn flat{.present = std::vector<bool>(static_cast<size_t>(table.rows))};
  const ParquetColumn* column = table.Find(name);
  if (column == nullptr) return flat;
  flat.present = column->present;
  std::vector<uint32_t> ids(column->names.size(), UINT32_MAX);
  for (size_t i = 0; i < column->size(); ++i) {
    if (!column->present[i]) continue;
    if (!column->ints.empty()) flat.ints.push_back(column->ints[i]);
    if (!column->reals.empty()) flat.reals.push_back(column->reals[i]);
    if (column->texts.empty()) continue;
    uint32_t& id = ids[column->texts[i]];
    if (id == UINT32_MAX) {
      id = static_cast<uint32_t>(flat.names.size());
      flat.names.push_back(column->names[column->texts[i]]);
    }
    flat.texts.push_back(id);
  }
  return flat;
}

Result<void> Copy(ParquetFile& from, size_t group, ParquetWriter& to) {
  StopIfAsked();
  std::vector<std::string_view> names;
  for (const FlatColumnInfo& info : kPartialInfos) names.push_back(info.name);
  const auto table = from.Read(group, names);
  if (!table) return std::unexpected(table.error());
  std::vector<FlatColumn> columns;
  for (const std::string_view name : names) columns.push_back(Flat(*table, name));
  return to.Append(columns);
}

Result<void> CopyAll(OpenShards& shards, const std::vector<Piece>& pieces,
                     const std::set<std::string>& unread, ParquetWriter& writer) {
  if (const auto created = writer.Create(); !created) return created;
  for (const Piece& piece : pieces) {
    const auto file = shards.At(piece.file);
    if (!file) return std::unexpected(file.error());
    if (const auto copied = Copy(**file, piece.group, writer); !copied) return copied;
  }
  std::vector<std::pair<std::string, std::string>> about = {
      {std::string(kPartialVersionKey), std::string(kPartialVersion)}};
  if (!unread.empty())
    about.emplace_back(kPartialUnreadKey, PathsAsJson(std::vector(unread.begin(), unread.end())));
  return writer.Commit(std::move(about));
}

ReportSet Merged(size_t pieces, size_t files, const std::string& file) {
  std::error_code none;
  const auto bytes = static_cast<int64_t>(std::filesystem::file_size(file, none));
  Report report{.analysis = "merge", .title = "Partials"};
  report.headline =
      Say("{partials} of {files} in {file}: {bytes}.", Plural(pieces, "partial"),
          Plural(files, "file"), Phrase::Name(file), HumanBytes(static_cast<double>(bytes)));
  report.metrics = {{"ranks", "partials written", static_cast<int64_t>(pieces), Unit::kCount},
                    {"bytes", "size of the file", bytes, Unit::kBytes}};
  ReportSet answer;
  answer.verdict = report.headline;
  answer.reports.push_back(std::move(report));
  return answer;
}

}  // namespace

Result<ReportSet> MergePartials(std::span<const std::string> paths, const std::string& file) {
  if (const auto place = CheckIsPlace(file); !place) return std::unexpected(place.error());
  const auto found = FindTraces(paths, Places());
  if (!found) return std::unexpected(found.error());
  OpenShards shards(found->files);
  std::vector<Piece> pieces;
  std::set<std::string> unread;  // traces that could not be read
  for (size_t i = 0; i < found->files.size(); ++i) {
    if (const auto added = AddPieces(shards, i, pieces, unread); !added)
      return std::unexpected(added.error());
  }
  std::ranges::stable_sort(pieces, {}, [](const Piece& p) { return std::tuple(p.rank, p.start); });
  if (const auto one = CheckOneJob(pieces, found->files); !one) return std::unexpected(one.error());
  ParquetWriter writer(file, {kPartialInfos.begin(), kPartialInfos.end()});
  if (const auto copied = CopyAll(shards, pieces, unread, writer); !copied)
    return std::unexpected(copied.error());
  return Merged(pieces.size(), found->files.size(), file);
}

}  // namespace stepscope
