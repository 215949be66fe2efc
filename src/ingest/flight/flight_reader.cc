// Tells files by their first bytes, and reads them in parallel.
#include "ingest/flight/flight_reader.h"

#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/byte_order_mark.h"
#include "base/parallel.h"
#include "base/time_units.h"
#include "ingest/discover.h"
#include "ingest/flight/flight_document.h"
#include "ingest/flight/rank_of_dump.h"
#include "ingest/flight/several_jobs.h"
#include "ingest/pickle/json_values.h"
#include "ingest/pickle/pickle_reader.h"
#include "ingest/pickle/pickle_values.h"
#include "ingest/ras/ras_reader.h"
#include "ingest/stacks/stack_text.h"

namespace stepscope {
namespace {

constexpr size_t kMostFiles = 200'000;

// Keys of a dump: at its beginning where they are sorted, and few otherwise. Traces of PyTorch have
// some of them too.
bool LooksLikeJsonDump(std::string_view bytes) {
  const size_t begin = bytes.find_first_not_of(" \t\r\n");
  if (begin == bytes.npos || bytes[begin] != '{') return false;
  for (const std::string_view key : {"\"schemaVersion\"", "\"distributedInfo\"", "\"traceEvents\""})
    if (bytes.find(key) != bytes.npos) return false;
  for (const std::string_view key : {"\"comm_lib_version\"", "\"nccl_version\"", "\"pg_config\"",
                                     "\"pg_status\"", "\"collective_seq_id\""})
    if (bytes.find(key) != bytes.npos) return true;
  return false;
}

struct Seen {
  HangFile kind = HangFile::kNone;
  bool sure = false;  // else it may be another pickle
};

Seen LookAt(const std::string& path, const Places& places) {
  auto source = places.Open(path);
  if (!source) return {};
  const std::string_view bytes = source->Peek(kHangSniff);
  return {HangFileOf(bytes), SureHangFileOf(bytes) != HangFile::kNone};
}

struct OneFile {
  std::string path;
  HangFile kind = HangFile::kDump;
  bool sure = true;
  bool empty = false;
  std::optional<RankDump> dump;
  std::optional<RankStack> stack;
  std::optional<RasStatus> ras;
  Error problem;
  int64_t bytes = 0;
};

bool HasDumps(std::span<const OneFile> files) {
  return std::ranges::any_of(
      files, [](const OneFile& file) { return file.kind == HangFile::kDump && file.sure; });
}

// Files of other content, and empty ones, are damaged dumps where dumps have such names.
void DropOthers(std::vector<OneFile>& files) {
  std::set<std::string> forms;
  for (const OneFile& file : files)
    if (file.kind == HangFile::kDump && file.sure) forms.insert(FormOfName(file.path));
  std::erase_if(files, [&](OneFile& file) {
    const bool named = forms.contains(FormOfName(file.path));
    file.sure |= named && file.kind == HangFile::kDump;
    return file.kind == HangFile::kNone && !named;
  });
}

std::vector<OneFile> FilesIn(const std::string& folder, const Places& places) {
  std::vector<OneFile> files;
  const auto items = places.List(folder);
  if (!items) return files;
  for (const StoredItem& item : *items) {
    if (files.size() >= kMostFiles || item.kind != StoredItem::Kind::kFile) continue;
    const Seen seen = LookAt(item.path, places);
    files.push_back({.path = item.path, .kind = seen.kind, .sure = seen.sure});
  }
  DropOthers(files);
  return files;
}

void AddFolder(const std::string& folder, const Places& places, std::vector<OneFile>& files) {
  auto here = FilesIn(folder, places);
  const bool dumps = HasDumps(here);
  std::ranges::move(here, std::back_inserter(files));
  for (const std::string& below : FoldersIn(folder, places)) {
    auto more = FilesIn(below, places);
    if (dumps && HasDumps(more)) continue;
    std::ranges::move(more, std::back_inserter(files));
  }
}

Result<std::vector<OneFile>> FindFiles(std::span<const std::string> paths, const Places& places) {
  std::vector<OneFile> files;
  for (const std::string& path : paths) {
    const auto item = places.Find(path);
    if (!item) return std::unexpected(item.error());
    if (item->kind == StoredItem::Kind::kNone)
      return std::unexpected(NothingAt(path, places.Stored(path)));
    if (item->kind == StoredItem::Kind::kFolder) {
      AddFolder(path, places, files);
      continue;
    }
    const HangFile kind = LookAt(path, places).kind;
    files.push_back({.path = path, .kind = kind == HangFile::kNone ? HangFile::kDump : kind});
  }
  std::ranges::sort(files, NaturalLess, &OneFile::path);
  return files;
}

const Error& NoRank() {
  static const Error error{"which rank left it is not known", "", "put the rank into its name"};
  return error;
}

// A storage tells no such time.
int64_t WrittenAt(const std::string& path) {
  struct stat facts{};
  if (stat(path.c_str(), &facts) != 0) return kAbsent;
  return facts.st_mtim.tv_sec * kSecond + facts.st_mtim.tv_nsec;
}

void ReadDump(OneFile& file, ByteSource source) {
  auto dump = ReadFlightDump(std::move(source), file.path);
  if (!dump) {
    file.problem = dump.error();
  } else if (dump->rank < 0) {
    file.problem = NoRank();
  } else {
    file.dump = std::move(*dump);
    file.dump->written = WrittenAt(file.path);
  }
}

// The number in a name may be the process, as people name what py-spy prints.
void ReadStack(OneFile& file, ByteSource source) {
  const std::string text = ReadUpTo(source, kMostStackBytes);
  auto stack = ReadStackText(WithoutByteOrderMark(text));
  const auto rank = RankOfName(file.path);
  if (!stack) {
    file.problem = stack.error();
  } else if (!rank || *rank == stack->process) {
    file.problem = NoRank();
  } else {
    stack->rank = *rank;
    stack->path = file.path;
    file.stack = std::move(*stack);
  }
}

void ReadStatus(OneFile& file, ByteSource source) {
  auto ras = ReadRas(std::move(source));
  if (!ras) {
    file.problem = ras.error();
    return;
  }
  ras->path = file.path;
  file.ras = std::move(*ras);
}

void ReadOne(OneFile& file, const Places& places) {
  if (const auto item = places.Find(file.path); item)
    file.bytes = std::max<int64_t>(item->bytes, 0);
  auto source = places.Open(file.path);
  if (!source) {
    file.problem = source.error();
  } else if (file.kind == HangFile::kNone && source->Peek(1).empty()) {
    file.problem = {"the file is empty", file.path, ""};
    file.empty = true;
  } else if (file.kind == HangFile::kStacks) {
    ReadStack(file, std::move(*source));
  } else if (file.kind == HangFile::kRas) {
    ReadStatus(file, std::move(*source));
  } else {
    ReadDump(file, std::move(*source));
  }
}

Phrase WhyUnread(const OneFile& file) {
  const Error& problem = file.problem;
  return problem.where.empty() || problem.where == file.path
             ? Phrase(problem.what)
             : Say("{problem} ({where})", problem.what, problem.where);
}

void AddUnread(const OneFile& file, FoundDumps& found) {
  const Phrase why = WhyUnread(file);
  if (file.kind == HangFile::kStacks) {
    found.notes.push_back(
        {"unreadable_stacks", 1, Say("stacks cannot be read: {why}", why), file.path});
  } else if (file.kind == HangFile::kRas) {
    found.notes.push_back(
        {"unreadable_ras", 1, Say("a status of NCCL's RAS cannot be read: {why}", why), file.path});
  } else if (!file.sure) {
    found.notes.push_back(
        {"not_a_dump", 1, Say("a pickle beside the dumps was left out: {why}", why), file.path});
  } else {
    found.notes.push_back(
        {"unreadable_dump", 1, Say("a dump cannot be read: {why}", why), file.path});
  }
}

class Keeper {
 public:
  explicit Keeper(FoundDumps& found) : found_(found) {}

  void Keep(OneFile& file) {
    InputFile input{.path = file.path, .bytes = file.bytes, .problem = file.problem.what};
    if (file.dump) {
      input.rank = file.dump->rank;
      input.events = file.dump->recorded;
      KeepDump(*file.dump);
    } else if (file.stack) {
      input.rank = file.stack->rank;
      const auto [at, added] = stacks_.try_emplace(input.rank, found_.stacks.size());
      if (added) found_.stacks.emplace_back();
      found_.stacks[at->second] = std::move(*file.stack);
    } else if (file.ras) {
      found_.ras.push_back(std::move(*file.ras));
    } else {
      if (!file.empty) AddUnread(file, found_);
      const bool named = file.sure || file.kind == HangFile::kNone;
      const bool dump = file.kind == HangFile::kDump || file.kind == HangFile::kNone;
      if (named && dump) input.rank = KeepUnusable(file);
    }
    found_.files.push_back(std::move(input));
  }
  int64_t replaced() const { return replaced_; }

 private:
  int64_t KeepUnusable(const OneFile& file) {
    const int64_t rank = RankOfName(file.path).value_or(-1);
    const Phrase why = file.empty ? Phrase("its dump is empty")
                                  : Say("its dump cannot be read ({why})", WhyUnread(file));
    if (rank >= 0) found_.unusable.push_back({rank, why, file.empty});
    return rank;
  }

  void KeepDump(RankDump& dump) {
    const auto [at, added] = dumps_.try_emplace(dump.rank, found_.dumps.size());
    if (added) {
      found_.dumps.push_back(std::move(dump));
      return;
    }
    ++replaced_;
    RankDump& kept = found_.dumps[at->second];
    if (IsNewer(dump, kept)) kept = std::move(dump);
  }

  // By their operations; by their files where these do not tell.
  static bool IsNewer(const RankDump& dump, const RankDump& kept) {
    const bool told = dump.newest != kAbsent && kept.newest != kAbsent;
    if (told && dump.newest != kept.newest) return dump.newest > kept.newest;
    return dump.written > kept.written;
  }

  FoundDumps& found_;
  std::map<int64_t, size_t> dumps_, stacks_;
  int64_t replaced_ = 0;
};

Result<void> OfOneJob(std::vector<OneFile>& files) {
  std::vector<RankDump> dumps;
  for (OneFile& file : files)
    if (file.dump) dumps.push_back(std::move(*file.dump));
  const auto one = RefuseSeveralJobs(dumps);
  size_t next = 0;
  for (OneFile& file : files)
    if (file.dump) *file.dump = std::move(dumps[next++]);
  return one;
}

}  // namespace

Result<RankDump> ReadFlightDump(ByteSource source, const std::string& path) {
  const bool pickle = PickleReader::Begins(source.Peek(2));
  const auto tree = pickle ? ReadPickle(std::move(source)) : ReadJson(std::move(source));
  if (!tree) return std::unexpected(tree.error());
  auto dump = ReadFlightDocument(*tree);
  if (!dump) return dump;
  dump->path = path;
  // Pickles have the key of the operations, of none too.
  if (pickle && tree->Find(tree->root, "entries").kind != Value::Kind::kList) ++dump->odd;
  dump->rank_inside = RankOfContent(*dump).value_or(-1);
  dump->rank = RankOfDump(path, RankOfContent(*dump));
  return dump;
}

HangFile HangFileOf(std::string_view bytes) {
  bytes = WithoutByteOrderMark(bytes);
  if (LooksLikeRas(bytes)) return HangFile::kRas;
  if (PickleReader::Begins(bytes) || LooksLikeJsonDump(bytes)) return HangFile::kDump;
  return LooksLikeStacks(bytes) ? HangFile::kStacks : HangFile::kNone;
}

HangFile SureHangFileOf(std::string_view bytes) {
  const HangFile kind = HangFileOf(bytes);
  if (kind != HangFile::kDump) return kind;
  for (const std::string_view key :
       {"pg_config", "pg_status", "nccl_version", "comm_lib_version", "collective_seq_id"})
    if (bytes.find(key) != bytes.npos) return kind;
  return HangFile::kNone;
}

Result<FoundDumps> ReadDumps(std::span<const std::string> paths, int threads,
                             const Places& places) {
  auto files = FindFiles(paths, places);
  if (!files) return std::unexpected(files.error());
  ParallelFor(files->size(), static_cast<size_t>(std::max(threads, 0)),
              [&](size_t i) { ReadOne((*files)[i], places); });
  if (const auto one = OfOneJob(*files); !one) return std::unexpected(one.error());
  FoundDumps found;
  Keeper keeper(found);
  for (OneFile& file : *files) keeper.Keep(file);
  if (keeper.replaced() > 0)
    found.notes.push_back({"several_dumps_of_a_rank", keeper.replaced(),
                           "dumps were left out: another one of the rank is newer", ""});
  std::ranges::sort(found.dumps, {}, &RankDump::rank);
  std::ranges::sort(found.stacks, {}, &RankStack::rank);
  if (!found.dumps.empty() || !found.stacks.empty() || !found.ras.empty()) return found;
  if (files->empty()) {
    return std::unexpected(
        Error{"no Flight Recorder dumps are in this directory", paths.empty() ? "" : paths.front(),
              "set TORCH_FR_BUFFER_SIZE=2000 and TORCH_FR_DUMP_TEMP_FILE; see docs/hang.md"});
  }
  const auto unread = std::ranges::find_if(
      *files, [](const OneFile& file) { return file.kind != HangFile::kNone; });
  const OneFile& first = unread == files->end() ? files->front() : *unread;
  return std::unexpected(first.problem.what.empty()
                             ? Error{"no dump can be read", first.path, ""}
                             : Error{first.problem.what, first.path, first.problem.hint});
}

}  // namespace stepscope
