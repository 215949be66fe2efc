// Holds a run that was read, and caches its answers.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "server/refusal.h"
#include "stepscope/goodput_match.h"
#include "stepscope/session.h"
#include "stepscope/timeline.h"

namespace stepscope::server {

// May be used from many threads: questions to its session wait for one another.
class OpenRun {
 public:
  // What bounds every answer.
  struct Most {
    int64_t names = AnalyzeOptions().most_names;  // as in AnalyzeOptions
    int64_t rows = 0;                             // as for AnswerForPage()
  };

  // Takes the timeline from the session, which was opened with this path.
  explicit OpenRun(Session session, const std::string& path, const Most& most);
  explicit OpenRun(Session session) : OpenRun(std::move(session), "", Most()) {}

  // The JSON of AnswerForPage(); or, `brief`, without metrics, tables, series and notes: what a
  // list of reports needs. Kept for who asks again. Once `gone`, nothing
  // is begun, and what was begun is given up when all who wait for the same have gone.
  Attempt<std::shared_ptr<const Body>> Answer(const AnalyzeOptions& question, const Gone& gone,
                                              bool brief = false);

  // A grid of a table that Answer() has cut, or a column of it, by its name in PageAnswer::grids.
  // 404 where there is none.
  Attempt<std::shared_ptr<const Body>> Grid(AnalyzeOptions question, const std::string& name,
                                            const Gone& gone);

  // The same as data, not kept.
  Attempt<ReportSet> Analyze(const AnalyzeOptions& question, const Gone& gone);

  // The session, which nobody else asks until this ends.
  struct Borrowed {
    std::unique_lock<std::timed_mutex> busy;
    const Session* session = nullptr;
  };
  Attempt<Borrowed> Borrow(const Gone& gone);

  // What was read, which no question changes.
  const RunInfo& run() const { return session_.run(); }

  // As Session::TracesOf(), for who asks while others do.
  std::span<const RankTrace> TracesOf(int64_t rank) const { return session_.TracesOf(rank); }

  // What tells of which job it is.
  const RunOfJob& of_job() const { return of_job_; }

  // Null where there is none; then `timeline_error` says why.
  const Timeline* timeline() const { return timeline_ ? &*timeline_ : nullptr; }
  const Error& timeline_error() const { return timeline_.error(); }
  // Its ranks, steps and tracks.
  const std::shared_ptr<const Body>& timeline_json() const { return timeline_json_; }

 private:
  struct Kept {
    std::string question;
    std::shared_ptr<const Body> answer;
  };
  struct Question;
  class Seat;
  // Waits until nobody else asks the session.
  Attempt<std::unique_lock<std::timed_mutex>> Turn(const Gone& gone);
  // REQUIRES: busy_ is held.
  Attempt<ReportSet> Ask(const AnalyzeOptions& question, const std::stop_token& stop);
  std::shared_ptr<const Body> Find(const std::string& question);
  void Keep(std::string question, std::shared_ptr<const Body> answer);

  Session session_;
  Most most_;
  RunOfJob of_job_;
  Result<Timeline> timeline_;
  std::shared_ptr<const Body> timeline_json_;
  std::timed_mutex busy_;  // over questions to session_
  std::mutex mutex_;       // over all below
  std::list<Kept> kept_;   // the latest used first
  size_t kept_bytes_ = 0;
  // Of an analysis, by question: the latest used first.
  using Grids = std::map<std::string, std::shared_ptr<const Body>>;
  struct KeptGrids {
    std::string question;
    Grids grids;
    size_t bytes = 0;
  };
  std::shared_ptr<const Body> FindGrid(const std::string& question, const std::string& name);
  void KeepGrids(const AnalyzeOptions& question, const std::map<std::string, std::string>& grids);
  std::list<KeptGrids> grids_;
  std::vector<std::shared_ptr<Question>> open_;  // for which somebody waits
};

}  // namespace stepscope::server
