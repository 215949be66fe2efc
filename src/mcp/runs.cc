// Keeps open runs.
#include "mcp/runs.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "mcp/say.h"
#include "stepscope/compare.h"
#include "stepscope/find_runs.h"
#include "stepscope/plugin.h"

namespace stepscope::mcp {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostAnswers = 4;  // of a run
constexpr size_t kMostListed = 20;  // runs

// Another text when the files of the run are others, or were written again.
std::string StampOfFiles(const std::string& path, const RunInfo* run) {
  std::string stamp;
  for (const FoundRun& found : FindRuns(path)) stamp += fmt::format("{}:", found.version);
  if (run == nullptr) return stamp;
  for (const InputFile& file : run->files) {
    std::error_code failed;
    const auto size = fs::file_size(file.path, failed);
    const auto written = fs::last_write_time(file.path, failed).time_since_epoch().count();
    stamp += fmt::format("{}:{};", size, written);
  }
  return stamp;
}

Error Several(const std::string& path, const std::vector<std::string>& runs) {
  std::string list;
  for (size_t i = 0; i < std::min(runs.size(), kMostListed); ++i)
    list += (i == 0 ? "" : ", ") + Quoted(runs[i]);
  return {fmt::format("this directory holds {} runs", runs.size()), path,
          "give one of " + list + (runs.size() > kMostListed ? ", ..." : "")};
}

// What a dropped run needed.
void GiveMemoryBack() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

std::function<void(const Progress&)> ProgressTo(const CallContext& context) {
  return [&context](const Progress& progress) {
    context.progress(
        static_cast<double>(progress.bytes_done), static_cast<double>(progress.bytes_total),
        fmt::format("bytes read; {} of {} files", progress.files_done, progress.files_total));
  };
}

// Only what the question names and the input has is an answer.
Result<ReportSet> OnlyFound(Result<ReportSet> answer) {
  if (!answer) return answer;
  for (const Report& report : answer->reports) {
    if (report.absent) return std::unexpected(*report.absent);
  }
  return answer;
}

}  // namespace

Result<std::string> Runs::Find(const std::string& path) const {
  auto resolved = roots_.Resolve(path);
  if (!resolved) return resolved;
  std::vector<std::string> below;
  for (const FoundRun& found : FindRuns(*resolved)) {
    if (roots_.Holds(found.path)) below.push_back(found.path);
  }
  if (below.size() > 1) return std::unexpected(Several(path, below));
  std::string run = below.empty() ? *resolved : below.front();
  if (const auto checked = roots_.CheckLinks(run); !checked)
    return std::unexpected(checked.error());
  return run;
}

Result<Runs::Kept*> Runs::Open(const std::string& path, const CallContext& context) {
  const auto same = std::ranges::find(kept_, path, &Kept::path);
  if (same != kept_.end()) {
    if (same->stamp == StampOfFiles(path, &same->session.run())) {
      kept_.splice(kept_.begin(), kept_, same);
      return &kept_.front();
    }
    kept_.erase(same);
  }
  // First, so that there are never more than `keep` in memory.
  while (!kept_.empty() && kept_.size() >= options_.keep) kept_.pop_back();
  GiveMemoryBack();
  OpenOptions open{
      .threads = options_.threads, .settings = options_.settings, .redact = options_.redact};
  open.max_input = options_.max_input;
  open.on_progress = ProgressTo(context);
  open.stop = context.stop;
  auto session = Session::Open({&path, 1}, open);
  if (!session) return std::unexpected(session.error());
  int64_t bytes = 0;
  for (const InputFile& file : session->run().files) bytes += file.bytes;
  context.progress(static_cast<double>(bytes), static_cast<double>(bytes), "all bytes read");
  const std::string stamp = StampOfFiles(path, &session->run());
  kept_.push_front({.path = path, .stamp = stamp, .session = std::move(*session), .answers = {}});
  return &kept_.front();
}

Result<Answered> Runs::Answer(const std::string& path, const Asked& asked,
                              const CallContext& context) {
  const auto run = Find(path);
  if (!run) return std::unexpected(run.error());
  const auto kept = Open(*run, context);
  if (!kept) return std::unexpected(kept.error());
  auto& answers = (*kept)->answers;
  const auto same =
      std::ranges::find_if(answers, [&](const auto& answer) { return answer.first == asked; });
  if (same != answers.end()) {
    answers.splice(answers.begin(), answers, same);
    return same->second;
  }
  auto answer = OnlyFound((*kept)->session.Analyze({.only = asked.only,
                                                    .steps = asked.steps,
                                                    .ranks = asked.ranks,
                                                    .groups = {},
                                                    .params = {},
                                                    .stop = context.stop}));
  if (!answer) return std::unexpected(answer.error());
  answers.emplace_front(asked, std::make_shared<const ReportSet>(*std::move(answer)));
  if (answers.size() > kMostAnswers) answers.pop_back();
  return answers.front().second;
}

Result<Answered> Runs::Compared(const std::string& before, const std::string& after, Asked asked,
                                const CallContext& context) {
  asked.only = ComparedAnalyses();
  const auto ask = [&](const std::string& path) -> AskForRanks {
    return [&](const std::vector<int64_t>& ranks) {
      Asked of_run = asked;
      if (!ranks.empty()) of_run.ranks = ranks;
      return Answer(path, of_run, context);
    };
  };
  const auto runs = AskBoth(ask(before), ask(after), !asked.ranks.empty());
  if (!runs) return std::unexpected(runs.error());
  return std::make_shared<const ReportSet>(Compare(*runs));
}

}  // namespace stepscope::mcp
