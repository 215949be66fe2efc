// Finds, reads and joins execution traces.
#include "session/execution_traces.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "base/ascii.h"
#include "base/parallel.h"
#include "base/stop.h"
#include "ingest/discover.h"
#include "ingest/execution_trace/execution_reader.h"
#include "ingest/execution_trace/node_match.h"
#include "ingest/rank_name.h"

namespace stepscope {
namespace {

constexpr size_t kMostFolders = 16;
constexpr size_t kMostFiles = 4096;  // in one of them

struct Fit {
  size_t file = 0;
  NodeMatch match;
};

std::string NameOf(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

// Names that only profilers give are not looked into. Of a file in a storage, where a look costs
// megabytes, the name must be one that people give to execution traces.
bool MayBeExecutionTrace(const std::string& path, bool stored) {
  const bool json = path.ends_with(".json") || path.ends_with(".json.gz");
  if (!json || path.contains(".pt.trace.json")) return false;
  std::error_code ignored;
  if (!stored && !std::filesystem::is_regular_file(path, ignored)) return false;  // read once only
  const std::string name = Lower(NameOf(path));
  constexpr auto kNames = std::to_array<std::string_view>(
      {"_et.", "_et_", "et_", "et.", "_eg_", "execution", "chakra"});
  const auto has = [&](std::string_view word) {
    return word.starts_with("et") ? name.starts_with(word) : name.contains(word);
  };
  return !stored || std::ranges::any_of(kNames, has);
}

Phrase SayHow(JoinedBy by) {
  switch (by) {
    case JoinedBy::kRecordFunction:
      return Say("joined by \"Record function id\"");
    case JoinedBy::kExternalId:
      return Say("joined by \"External id\"");
    case JoinedBy::kOrder:
      return Say("joined by the order of calls on each thread");
  }
  return {};
}

bool LooksLikeOne(const std::string& path, const Places& places) {
  if (!MayBeExecutionTrace(path, places.Stored(path))) return false;
  auto source = places.Open(path);
  return source && LooksLikeExecutionTrace(source->Peek(kExecutionSniff));
}

// Empty where the directory has JSON of other kinds: it may be another run.
std::vector<std::string> ExecutionTracesAlone(const std::string& folder, const Places& places) {
  std::vector<std::string> found;
  const auto items = places.List(folder);
  if (!items || items->size() > kMostFiles) return found;
  for (const StoredItem& item : *items) {
    const bool json = item.path.ends_with(".json") || item.path.ends_with(".json.gz");
    if (item.kind != StoredItem::Kind::kFile || !json) continue;
    if (!LooksLikeOne(item.path, places)) return {};
    found.push_back(item.path);
  }
  return found;
}

// Keeps what is of the rank, then what fits most.
void KeepBest(std::vector<Fit>& fits, const std::vector<std::string>& paths,
              std::optional<int64_t> rank) {
  const auto rank_of = [&](const Fit& fit) { return RankFromPath(paths[fit.file]); };
  if (rank) {
    std::erase_if(fits, [&](const Fit& fit) { return rank_of(fit).value_or(*rank) != *rank; });
    if (std::ranges::any_of(fits, [&](const Fit& fit) { return rank_of(fit).has_value(); }))
      std::erase_if(fits, [&](const Fit& fit) { return !rank_of(fit); });
  }
  size_t most = 0;
  for (const Fit& fit : fits) most = std::max(most, fit.match.pairs.size());
  std::erase_if(fits, [&](const Fit& fit) { return fit.match.pairs.size() < most; });
}

std::optional<ExecutionTrace> ReadAt(const std::string& path, const Places& places,
                                     Phrase& problem) {
  ReadFailure failure;
  auto source = places.Open(path, nullptr, &failure);
  if (!source) {
    problem = source.error().what;
    return std::nullopt;
  }
  auto trace = ReadExecutionTrace(std::move(*source));
  if (const auto failed = failure.Get())
    problem = failed->what;
  else if (!trace)
    problem = trace.error().what;
  if (!trace || failure.refused()) return std::nullopt;
  return std::move(*trace);
}

}  // namespace

ExecutionTraces::ExecutionTraces(std::vector<std::string>& files, const Places& places,
                                 size_t threads)
    : mutex_(std::make_unique<std::mutex>()) {
  std::vector<char> is_one(files.size(), 0);
  ParallelFor(files.size(), threads,
              [&](size_t i) { is_one[i] = LooksLikeOne(files[i], places) ? 1 : 0; });
  std::vector<std::string> others;
  for (size_t i = 0; i < files.size(); ++i)
    (is_one[i] != 0 ? paths_ : others).push_back(std::move(files[i]));
  files = std::move(others);
}

void ExecutionTraces::Read(const Places& places, size_t threads) {
  files_.resize(paths_.size());
  ParallelFor(paths_.size(), threads, [&](size_t i) {
    try {
      if (auto trace = ReadAt(paths_[i], places, files_[i].problem))
        files_[i].trace = std::move(*trace);
    } catch (const std::bad_alloc&) {
      files_[i].problem = "out of memory";
    } catch (const Stopped&) {
      files_[i].trace = {};  // whoever stopped it gets no answer
    }
  });
}

void ExecutionTraces::Join(const std::string& path, Trace& trace, std::vector<Note>& notes) {
  std::vector<Fit> fits;
  for (size_t f = 0; f < files_.size(); ++f) {
    if (auto match = MatchNodes(files_[f].trace, trace)) fits.push_back({f, std::move(*match)});
  }
  KeepBest(fits, paths_, trace.meta.rank ? trace.meta.rank : RankFromPath(path));
  if (fits.empty()) return;
  const std::string name = NameOf(paths_[fits.front().file]);
  const std::lock_guard lock(*mutex_);
  for (const Fit& fit : fits) files_[fit.file].used_by = path;
  if (fits.size() > 1) {
    notes.push_back(
        {"execution_traces_alike", std::ssize(fits),
         Say("execution traces were not used: several fit the trace alike: {file}", name)});
    return;
  }
  const Fit& fit = fits.front();
  const int64_t given = TakeInputs(files_[fit.file].trace, fit.match, trace);
  joined_[path] = paths_[fit.file];
  if (given == 0) return;
  notes.push_back({"inputs_of_execution_trace", given,
                   Say("operators were given the shapes and types in {file}, {how}", name,
                       SayHow(fit.match.by))});
  if (fit.match.without_node > 0)
    notes.push_back({"without_execution_node", fit.match.without_node,
                     Say("operators and annotations are not in the execution trace {file}", name)});
}

std::vector<Note> ExecutionTraces::NotesOfFiles() const {
  std::vector<Note> notes;
  for (size_t f = 0; f < files_.size(); ++f) {
    const File& file = files_[f];
    if (file.trace.nodes.empty()) {
      notes.push_back({"execution_trace_unreadable", 1,
                       Say("the execution trace was not used: {problem}", file.problem),
                       paths_[f]});
      continue;
    }
    if (file.used_by.empty())
      notes.push_back({"execution_trace_unused", 1,
                       "the execution trace was not used: no trace of its process has the same "
                       "operators under the same numbers",
                       paths_[f]});
    if (file.trace.ends_early)
      notes.push_back({"execution_trace_truncated", 1,
                       "the execution trace was used in part: it ends early, or is damaged",
                       paths_[f]});
    if (file.trace.left_out > 0)
      notes.push_back({"unreadable_execution_node", file.trace.left_out,
                       "nodes of the execution trace were skipped: their numbers are not unique",
                       paths_[f]});
  }
  return notes;
}

std::map<std::string, std::string> ExecutionTraces::Joined() const { return joined_; }

std::vector<std::string> ExecutionTracesBelow(std::span<const std::string> paths,
                                              std::span<const std::string> files,
                                              const Places& places) {
  std::vector<std::string> found;
  for (const std::string& path : paths) {
    const auto item = places.Find(path);
    if (!item || item->kind != StoredItem::Kind::kFolder) continue;
    const std::vector<std::string> below = FoldersIn(path, places);
    for (const std::string& folder : std::span(below).first(std::min(below.size(), kMostFolders)))
      std::ranges::move(ExecutionTracesAlone(folder, places), std::back_inserter(found));
  }
  std::erase_if(found, [&](const std::string& path) {
    return std::ranges::find(files, path) != files.end();
  });
  return found;
}

void JoinAgain(const std::string& execution_trace, const Places& places, Trace& trace) {
  Phrase problem;
  const auto nodes = ReadAt(execution_trace, places, problem);
  if (!nodes) return;
  if (const auto match = MatchNodes(*nodes, trace)) TakeInputs(*nodes, *match, trace);
}

}  // namespace stepscope
