// Asks one question at a time, and caches answers.
#include "server/open_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "server/ledger_answer.h"
#include "server/page.h"
#include "server/page_answer.h"
#include "server/watched.h"
#include "stepscope/write.h"

namespace stepscope::server {
namespace {

constexpr size_t kMostKept = 64;                     // answers of a run
constexpr size_t kMostKeptBytes = size_t{64} << 20;  // packed

// The same for the same question. Its parts are told apart by bytes that no name holds.
std::string KeyOf(const AnalyzeOptions& question) {
  std::string key = fmt::format("{}\x1e{}\x1e{}", question.steps, fmt::join(question.only, "\x1f"),
                                fmt::join(question.ranks, ","));
  for (const auto& [name, value] : question.params) key += fmt::format("\x1e{}\x1f{}", name, value);
  return key;
}

std::shared_ptr<const Body> BodyOf(const ReportSet& answer) {
  return MakeBody("application/json", ToJson(answer, kOtherLanguages));
}

// A long answer is not copied for it.
ReportSet Brief(const ReportSet& answer) {
  ReportSet brief{.run = answer.run, .verdict = answer.verdict, .reports = {}};
  for (const Report& report : answer.reports)
    brief.reports.push_back({.analysis = report.analysis,
                             .title = report.title,
                             .label = report.label,
                             .group = report.group,
                             .status = report.status,
                             .why = report.why,
                             .headline = report.headline,
                             .findings = report.findings});
  return brief;
}

// "breakdown" of "breakdown.matrix.own".
std::string AnalysisOf(const std::string& grid) { return grid.substr(0, grid.find('.')); }

AnalyzeOptions Only(AnalyzeOptions question, std::string analysis) {
  question.only = {std::move(analysis)};
  return question;
}

}  // namespace

// One that is being answered, or waits to be.
struct OpenRun::Question {
  std::string key;
  size_t waiting = 0;  // for its answer
  std::stop_source stop;
};

// A place among those who wait for the answer to a question. When the last one leaves, it is given
// up.
class OpenRun::Seat {
 public:
  Seat(OpenRun& run, const std::string& key) : run_(run) {
    const std::lock_guard lock(run_.mutex_);
    const auto same = std::ranges::find(run_.open_, key, [](const auto& q) { return q->key; });
    if (same != run_.open_.end()) question_ = *same;
    if (question_ == nullptr) {
      question_ = run_.open_.emplace_back(std::make_shared<Question>(Question{.key = key}));
    }
    ++question_->waiting;
  }
  ~Seat() { Leave(); }
  Seat(const Seat&) = delete;
  Seat& operator=(const Seat&) = delete;

  // Once counts. From any thread.
  void Leave() {
    const std::lock_guard lock(run_.mutex_);
    if (std::exchange(left_, true) || --question_->waiting > 0) return;
    question_->stop.request_stop();
    std::erase(run_.open_, question_);  // who comes now asks anew
  }

  std::stop_token stop() const { return question_->stop.get_token(); }

 private:
  OpenRun& run_;
  std::shared_ptr<Question> question_;
  bool left_ = false;
};

OpenRun::OpenRun(Session session, const std::string& path, const Most& most)
    : session_(std::move(session)),
      most_(most),
      of_job_(RunAt(path, session_.run(), session_.StepsOnClock())),
      timeline_(session_.TakeTimeline()) {
  if (timeline_) timeline_json_ = MakeBody("application/json", ToJson(*timeline_));
}

Attempt<std::shared_ptr<const Body>> OpenRun::Answer(const AnalyzeOptions& question,
                                                     const Gone& gone, bool brief) {
  const std::string full_key = KeyOf(question), brief_key = full_key + "\x1e" + "brief";
  const std::string& key = brief ? brief_key : full_key;
  if (auto kept = Find(key)) return kept;
  Seat seat(*this, full_key);
  auto busy = Turn(gone);
  if (!busy) return std::unexpected(busy.error());
  if (auto kept = Find(key)) return kept;  // of who asked the same and came first
  const Watched watched(gone, [&] { seat.Leave(); });
  auto answer = Ask(question, seat.stop());
  busy->unlock();
  if (!answer) return std::unexpected(answer.error());
  // Who asks for one will ask for the other.
  auto brief_body = BodyOf(Brief(*answer));
  PageAnswer page = AnswerForPage(std::move(*answer), most_.rows);
  auto full_body = MakeBody("application/json", std::move(page.json));
  KeepGrids(question, page.grids);
  Keep(full_key, full_body);
  Keep(brief_key, brief_body);
  return brief ? brief_body : full_body;
}

Attempt<std::shared_ptr<const Body>> OpenRun::Grid(AnalyzeOptions question, const std::string& name,
                                                   const Gone& gone) {
  question = Only(std::move(question), AnalysisOf(name));
  const std::string key = KeyOf(question);
  if (auto kept = FindGrid(key, name)) return kept;
  const auto answer = Analyze(question, gone);
  if (!answer) return std::unexpected(answer.error());
  KeepGrids(question, GridsOf(*answer, most_.rows));
  if (auto made = FindGrid(key, name)) return made;
  return std::unexpected(Failure{404, {"there is no such grid", name, "the answer lists them"}});
}

std::shared_ptr<const Body> OpenRun::FindGrid(const std::string& question,
                                              const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(grids_, question, &KeptGrids::question);
  if (found == grids_.end()) return nullptr;
  grids_.splice(grids_.begin(), grids_, found);
  const auto grid = found->grids.find(name);
  return grid == found->grids.end() ? nullptr : grid->second;
}

void OpenRun::KeepGrids(const AnalyzeOptions& question,
                        const std::map<std::string, std::string>& grids) {
  std::map<std::string, KeptGrids> by_analysis;
  for (const auto& [name, bytes] : grids) {
    KeptGrids& kept = by_analysis[AnalysisOf(name)];
    const char* type = bytes.starts_with('{') ? "application/json" : "application/octet-stream";
    const auto& body = kept.grids[name] = MakeBody(type, bytes);
    kept.bytes += body->bytes.size();
  }
  const std::lock_guard lock(mutex_);
  for (auto& [analysis, kept] : by_analysis) {
    kept.question = KeyOf(Only(question, analysis));
    std::erase_if(grids_, [&](const KeptGrids& old) { return old.question == kept.question; });
    grids_.push_front(std::move(kept));
  }
  size_t bytes = 0;
  for (auto kept = grids_.begin(); kept != grids_.end();) {
    bytes += kept->bytes;
    kept = bytes > kMostKeptBytes && kept != grids_.begin() ? grids_.erase(kept) : std::next(kept);
  }
}

Attempt<ReportSet> OpenRun::Analyze(const AnalyzeOptions& question, const Gone& gone) {
  const auto busy = Turn(gone);
  if (!busy) return std::unexpected(busy.error());
  std::stop_source stop;
  const Watched watched(gone, [&] { stop.request_stop(); });
  return Ask(question, stop.get_token());
}

Attempt<OpenRun::Borrowed> OpenRun::Borrow(const Gone& gone) {
  auto busy = Turn(gone);
  if (!busy) return std::unexpected(busy.error());
  return Borrowed{std::move(*busy), &session_};
}

Attempt<std::unique_lock<std::timed_mutex>> OpenRun::Turn(const Gone& gone) {
  std::unique_lock busy(busy_, std::defer_lock);
  while (!busy.try_lock_for(kLookAfter)) {
    if (gone()) return std::unexpected(kNobodyThere);
  }
  if (gone()) return std::unexpected(kNobodyThere);
  return busy;
}

Attempt<ReportSet> OpenRun::Ask(const AnalyzeOptions& question, const std::stop_token& stop) {
  AnalyzeOptions stoppable = question;
  stoppable.most_names = most_.names;
  stoppable.stop = stop;
  auto answer = session_.Analyze(stoppable);
  if (answer) return std::move(*answer);
  if (stop.stop_requested()) return std::unexpected(kNobodyThere);
  return std::unexpected(Failure{400, answer.error()});
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
  std::erase_if(kept_, [&](const Kept& kept) {
    if (kept.question == question) kept_bytes_ -= kept.answer->bytes.size();
    return kept.question == question;
  });
  kept_bytes_ += answer->bytes.size();
  kept_.push_front({std::move(question), std::move(answer)});
  while (kept_.size() > 1 && (kept_.size() > kMostKept || kept_bytes_ > kMostKeptBytes)) {
    kept_bytes_ -= kept_.back().answer->bytes.size();
    kept_.pop_back();
  }
}

}  // namespace stepscope::server
