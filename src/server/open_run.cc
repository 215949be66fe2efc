// Asking in turn, and keeping answers.
#include "server/open_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

#include "stepscope/write.h"

namespace stepscope::server {
namespace {

constexpr size_t kMostKept = 64;                     // answers of a run
constexpr size_t kMostKeptBytes = size_t{64} << 20;  // packed
constexpr std::chrono::milliseconds kGlance{50};     // how often one who waits is looked after

const Failure kNobodyThere{499, {"who asked is gone", "", ""}};

// The same for the same question. Its parts are told apart by bytes that no name holds.
std::string KeyOf(const AnalyzeOptions& question) {
  std::string key = fmt::format("{}\x1e{}\x1e{}", question.steps, fmt::join(question.only, "\x1f"),
                                fmt::join(question.ranks, ","));
  for (const auto& [name, value] : question.params) key += fmt::format("\x1e{}\x1f{}", name, value);
  return key;
}

}  // namespace

OpenRun::OpenRun(Session session)
    : session_(std::move(session)), timeline_(session_.TakeTimeline()) {
  if (timeline_) timeline_json_ = MakeBody("application/json", ToJson(*timeline_));
}

Attempt<std::shared_ptr<const Body>> OpenRun::Answer(const AnalyzeOptions& question,
                                                     const Gone& gone) {
  std::string key = KeyOf(question);
  if (auto kept = Find(key)) return kept;
  std::unique_lock busy(busy_, std::defer_lock);
  while (!busy.try_lock_for(kGlance)) {
    if (gone()) return std::unexpected(kNobodyThere);
  }
  if (auto kept = Find(key)) return kept;  // of who asked the same and came first
  if (gone()) return std::unexpected(kNobodyThere);
  const auto answer = session_.Analyze(question);
  busy.unlock();
  if (!answer) return std::unexpected(Failure{400, answer.error()});
  auto body = MakeBody("application/json", ToJson(*answer));
  Keep(std::move(key), body);
  return body;
}

Attempt<ReportSet> OpenRun::Analyze(const AnalyzeOptions& question, const Gone& gone) {
  std::unique_lock busy(busy_, std::defer_lock);
  while (!busy.try_lock_for(kGlance)) {
    if (gone()) return std::unexpected(kNobodyThere);
  }
  if (gone()) return std::unexpected(kNobodyThere);
  auto answer = session_.Analyze(question);
  if (!answer) return std::unexpected(Failure{400, answer.error()});
  return std::move(*answer);
}

std::shared_ptr<const Body> OpenRun::Find(const std::string& question) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(kept_, question, &Kept::question);
  if (found == kept_.end()) return nullptr;
  kept_.splice(kept_.begin(), kept_, found);
  return found->answer;
}

void OpenRun::Keep(std::string question, std::shared_ptr<const Body> answer) {
  const std::lock_guard lock(mutex_);
  kept_bytes_ += answer->bytes.size();
  kept_.push_front({std::move(question), std::move(answer)});
  while (kept_.size() > 1 && (kept_.size() > kMostKept || kept_bytes_ > kMostKeptBytes)) {
    kept_bytes_ -= kept_.back().answer->bytes.size();
    kept_.pop_back();
  }
}

}  // namespace stepscope::server
