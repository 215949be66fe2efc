// Tells runs apart, opens each for what is wanted, and asks.
#include "query/open_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "base/folder_bytes.h"
#include "stepscope/find_runs.h"
#include "stepscope/goodput_ledger.h"

namespace stepscope::query {
namespace {

namespace fs = std::filesystem;

// The smallest report, for tables that need none: what was read stands in every answer.
constexpr const char* kSmallest = "steps";

std::vector<std::string> AnalysesFor(const Wanted& wanted) {
  if (wanted.all) return {};
  if (wanted.analyses.empty()) return {kSmallest};
  return wanted.analyses;
}

// Files are one run together, as everywhere; what is below directories are runs of their own.
std::vector<std::vector<std::string>> RunsOf(std::span<const std::string> paths,
                                             const StorageRef& storage) {
  std::vector<std::vector<std::string>> runs;
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    const std::vector<FoundRun> found = FindRuns(path, storage);
    // A path without a run is opened all the same, which says what is wrong with it.
    const bool alone = found.empty() || (found.size() == 1 && found.front().path == path);
    std::error_code error;
    if (alone && (found.empty() || !fs::is_directory(path, error))) {
      files.push_back(path);
      continue;
    }
    for (const FoundRun& run : found) runs.push_back({run.path});
  }
  if (!files.empty()) runs.insert(runs.begin(), files);
  return runs;
}

// Takes ledgers out of the paths. A directory may hold a ledger and traces.
Result<std::vector<std::string>> TakeLedgers(std::span<const std::string> paths,
                                             const Wanted& wanted, const StorageRef& storage,
                                             const std::stop_token& stop, OpenLedgers& ledgers) {
  std::vector<std::string> others;
  for (const std::string& path : paths) {
    const bool ledger = IsGoodputLedger(path);
    if (ledger) ledgers.paths.push_back(path);
    if (!ledger || (!IsGoodputDatabase(path) && !FindRuns(path, storage).empty()))
      others.push_back(path);
  }
  if (wanted.ledgers && !ledgers.paths.empty()) {
    if (const auto read = ReadLedgers(ledgers, stop); !read) return std::unexpected(read.error());
  }
  return others;
}

// Files that take less on disk are read once, and kept for events, in two to four times as much
// memory; of larger ones a rank is read again when its turn comes: twice the time for the memory of
// one rank.
constexpr int64_t kMostKept = 128'000'000;

int64_t BytesOnDisk(const std::vector<std::string>& paths) {
  int64_t bytes = 0;
  for (const std::string& path : paths) {
    std::error_code error;
    const auto size = fs::file_size(path, error);
    bytes += error ? BytesIn(path) : static_cast<int64_t>(size);
  }
  return bytes;
}

// Runs in several directories often have one name.
void MakeNamesUnique(std::vector<QueriedRun>& runs) {
  std::set<std::string> taken;
  for (QueriedRun& run : runs) {
    const std::string name = run.name;
    for (int n = 2; !taken.insert(run.name).second; ++n) run.name = fmt::format("{}#{}", name, n);
  }
}

Result<void> Ask(OpenRuns& open, const Wanted& wanted, const QueryOptions& options,
                 const std::stop_token& stop) {
  MakeNamesUnique(open.runs);
  for (const QueriedRun& run : open.runs) {
    AnalyzeOptions question = options.analyze;
    question.only = AnalysesFor(wanted);
    question.stop = stop;
    auto answer = run.session->Analyze(question);
    if (!answer) return std::unexpected(answer.error());
    open.answers.push_back({run.name, std::move(*answer), run.session->Traces()});
  }
  return {};
}

}  // namespace

Result<OpenRuns> OpenPaths(std::span<const std::string> paths, const Wanted& wanted,
                           const QueryOptions& options, const std::stop_token& stop) {
  OpenRuns open;
  OpenOptions how = options.open;
  how.analyses = AnalysesFor(wanted);
  how.advice = wanted.all || !wanted.analyses.empty();
  how.keep_events = false;
  how.stop = stop;
  int64_t kept = 0;
  const auto traces = TakeLedgers(paths, wanted, how.storage, stop, open.ledgers);
  if (!traces) return std::unexpected(traces.error());
  for (const std::vector<std::string>& run : RunsOf(*traces, how.storage)) {
    kept += wanted.events ? BytesOnDisk(run) : 0;
    how.keep_traces = wanted.events && !how.storage && kept < kMostKept;
    auto session = Session::Open(run, how);
    if (!session) return std::unexpected(session.error());
    open.sessions.push_back(std::make_unique<Session>(std::move(*session)));
    open.runs.push_back({open.sessions.back()->run().name, open.sessions.back().get()});
  }
  if (const auto asked = Ask(open, wanted, options, stop); !asked)
    return std::unexpected(asked.error());
  return open;
}

Result<OpenRuns> AskRuns(std::vector<QueriedRun> runs, const Wanted& wanted,
                         const QueryOptions& options, const std::stop_token& stop) {
  OpenRuns open{.sessions = {}, .runs = std::move(runs), .answers = {}, .ledgers = {}};
  if (const auto asked = Ask(open, wanted, options, stop); !asked)
    return std::unexpected(asked.error());
  return open;
}

}  // namespace stepscope::query
