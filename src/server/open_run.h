// A run that was read, and the answers it gave.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "server/http.h"
#include "stepscope/session.h"
#include "stepscope/timeline.h"

namespace stepscope::server {

using Gone = std::function<bool()>;

// May be used from many threads: questions to its session wait for one another.
class OpenRun {
 public:
  // Takes the timeline from the session.
  explicit OpenRun(Session session);

  // Exactly what `analyze --format json` prints. Kept for who asks again; once `gone` nothing is
  // begun.
  Attempt<std::shared_ptr<const Body>> Answer(const AnalyzeOptions& question, const Gone& gone);

  // The same as data, not kept.
  Attempt<ReportSet> Analyze(const AnalyzeOptions& question, const Gone& gone);

  const std::string& name() const { return session_.run().name; }

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
  std::shared_ptr<const Body> Find(const std::string& question);
  void Keep(std::string question, std::shared_ptr<const Body> answer);

  Session session_;
  Result<Timeline> timeline_;
  std::shared_ptr<const Body> timeline_json_;
  std::timed_mutex busy_;  // over questions to session_
  std::mutex mutex_;       // over kept_ and kept_bytes_
  std::list<Kept> kept_;   // the latest used first
  size_t kept_bytes_ = 0;
};

}  // namespace stepscope::server
