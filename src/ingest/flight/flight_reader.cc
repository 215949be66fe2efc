// Tells dumps from other files by their first bytes, and reads them in parallel.
#include "ingest/flight/flight_reader.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/parallel.h"
#include "ingest/discover.h"
#include "ingest/flight/flight_document.h"
#include "ingest/pickle/json_values.h"
#include "ingest/pickle/pickle_reader.h"
#include "ingest/pickle/pickle_values.h"

namespace stepscope {
namespace {

constexpr size_t kLookedAt = 8 << 10;
constexpr size_t kMostFiles = 200'000;
constexpr int64_t kMostRank = 100'000'000;

// Keys of a dump: at its beginning where they are sorted, and few otherwise.
bool LooksLikeJsonDump(std::string_view bytes) {
  if (bytes.substr(0, bytes.find_first_not_of(" \t\r\n")).size() == bytes.size()) return false;
  if (bytes[bytes.find_first_not_of(" \t\r\n")] != '{') return false;
  for (const std::string_view key : {"\"comm_lib_version\"", "\"nccl_version\"", "\"pg_config\"",
                                     "\"pg_status\"", "\"collective_seq_id\""})
    if (bytes.find(key) != bytes.npos) return true;
  return false;
}

bool LooksLikeDump(const std::string& path, const Places& places) {
  auto source = places.Open(path);
  if (!source) return false;
  const std::string_view bytes = source->Peek(kLookedAt);
  return PickleReader::Begins(bytes) || LooksLikeJsonDump(bytes);
}

// The last number of a file's name: 12 of "nccl_trace_rank_12.pkl".
std::optional<int64_t> RankOfName(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  size_t end = name.size();
  while (end > 0 && !is_digit(name[end - 1])) --end;
  size_t begin = end;
  while (begin > 0 && is_digit(name[begin - 1])) --begin;
  int64_t rank = -1;
  const auto [stop, error] = std::from_chars(name.data() + begin, name.data() + end, rank);
  if (begin == end || error != std::errc() || rank > kMostRank) return std::nullopt;
  return rank;
}

// The only rank that is in all groups of the dump, or the one at its own end of a message in the
// default group, whose ranks are global.
std::optional<int64_t> RankOfContent(const RankDump& dump) {
  for (const DumpOperation& operation : dump.operations) {
    const DumpGroup& group = dump.groups[operation.group];
    if (operation.from < 0 || group.description != "default_pg") continue;
    return operation.name == "send" ? operation.from : operation.to;
  }
  std::map<int64_t, size_t> seen;
  size_t groups = 0;
  for (const DumpGroup& group : dump.groups) {
    if (group.members.empty()) continue;
    ++groups;
    for (const int64_t member : group.members) ++seen[member];
  }
  std::erase_if(seen, [&](const auto& one) { return one.second < groups; });
  if (groups == 0 || seen.size() != 1) return std::nullopt;
  return seen.begin()->first;
}

void AddDumps(const std::string& folder, const Places& places, std::vector<std::string>& files) {
  const auto items = places.List(folder);
  if (!items) return;
  for (const StoredItem& item : *items) {
    if (files.size() >= kMostFiles) return;
    if (item.kind == StoredItem::Kind::kFile && LooksLikeDump(item.path, places))
      files.push_back(item.path);
  }
}

Result<std::vector<std::string>> FindFiles(std::span<const std::string> paths,
                                           const Places& places) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    const auto item = places.Find(path);
    if (!item) return std::unexpected(item.error());
    if (item->kind == StoredItem::Kind::kNone)
      return std::unexpected(NothingAt(path, places.Stored(path)));
    if (item->kind == StoredItem::Kind::kFile) {
      files.push_back(path);
      continue;
    }
    const size_t before = files.size();
    AddDumps(path, places, files);
    if (files.size() > before) continue;
    for (const std::string& folder : FoldersIn(path, places)) AddDumps(folder, places, files);
  }
  std::ranges::sort(files, NaturalLess);
  return files;
}

struct OneFile {
  std::string path;
  std::optional<RankDump> dump;
  Error problem;
  int64_t bytes = 0;
};

void ReadOne(OneFile& file, const Places& places) {
  if (const auto item = places.Find(file.path); item)
    file.bytes = std::max<int64_t>(item->bytes, 0);
  auto source = places.Open(file.path);
  auto dump = source ? ReadFlightDump(std::move(*source), file.path)
                     : Result<RankDump>(std::unexpected(source.error()));
  if (!dump) {
    file.problem = dump.error();
  } else if (dump->rank < 0) {
    file.problem = {"which rank left it is not known", file.path, "put the rank into its name"};
  } else {
    file.dump = std::move(*dump);
  }
}

void Keep(OneFile& file, FoundDumps& found, std::map<int64_t, size_t>& at_rank, int64_t& replaced) {
  InputFile input{.path = file.path, .bytes = file.bytes, .problem = file.problem.what};
  if (file.dump) {
    input.rank = file.dump->rank;
    input.events = file.dump->recorded;
    const auto [at, added] = at_rank.try_emplace(input.rank, found.dumps.size());
    if (added) {
      found.dumps.push_back(std::move(*file.dump));
    } else {
      ++replaced;
      RankDump& kept = found.dumps[at->second];
      if (file.dump->newest > kept.newest) kept = std::move(*file.dump);
    }
  } else {
    const Phrase why = file.problem.where.empty() || file.problem.where == file.path
                           ? Phrase(file.problem.what)
                           : Say("{problem} ({where})", file.problem.what, file.problem.where);
    found.notes.push_back(
        {"unreadable_dump", 1, Say("a dump cannot be read: {why}", why), file.path});
  }
  found.files.push_back(std::move(input));
}

}  // namespace

Result<RankDump> ReadFlightDump(ByteSource source, const std::string& path) {
  const bool pickle = PickleReader::Begins(source.Peek(2));
  const auto tree = pickle ? ReadPickle(std::move(source)) : ReadJson(std::move(source));
  if (!tree) return std::unexpected(tree.error());
  auto dump = ReadFlightDocument(*tree);
  if (!dump) return dump;
  dump->path = path;
  dump->rank = RankOfName(path).or_else([&] { return RankOfContent(*dump); }).value_or(-1);
  return dump;
}

Result<FoundDumps> ReadDumps(std::span<const std::string> paths, int threads,
                             const Places& places) {
  const auto names = FindFiles(paths, places);
  if (!names) return std::unexpected(names.error());
  std::vector<OneFile> files;
  for (const std::string& name : *names) files.push_back({.path = name});
  ParallelFor(files.size(), static_cast<size_t>(std::max(threads, 0)),
              [&](size_t i) { ReadOne(files[i], places); });
  FoundDumps found;
  std::map<int64_t, size_t> at_rank;
  int64_t replaced = 0;
  for (OneFile& file : files) Keep(file, found, at_rank, replaced);
  if (replaced > 0)
    found.notes.push_back({"several_dumps_of_a_rank", replaced,
                           "dumps were left out: another one of the rank is newer", ""});
  std::ranges::sort(found.dumps, {}, &RankDump::rank);
  if (!found.dumps.empty()) return found;
  if (!files.empty())
    return std::unexpected(
        files.front().problem.what.empty()
            ? Error{"no dump can be read", files.front().path, ""}
            : Error{files.front().problem.what, files.front().path, files.front().problem.hint});
  return std::unexpected(
      Error{"no Flight Recorder dumps are in this directory", paths.empty() ? "" : paths.front(),
            "set TORCH_FR_BUFFER_SIZE=2000 and TORCH_FR_DUMP_TEMP_FILE; see docs/hang.md"});
}

}  // namespace stepscope
