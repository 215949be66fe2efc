// Answers about memory snapshots, and keeps the latest answers.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

#include "server/refusal.h"
#include "server/sources.h"
#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope::server {

// The answer about a snapshot with its pictures, joined to the traces beside it where they can be
// read; a note says where they cannot.
Result<ReportSet> AskSnapshot(const SnapshotView& snapshot, const std::stop_token& stop = {});

// May be used from many threads: questions wait for one another, as a large snapshot takes seconds
// and hundreds of megabytes.
class Snapshots {
 public:
  // The JSON of AskSnapshot(). A file that has changed is read again. Gives up once `gone`.
  Attempt<std::shared_ptr<const Body>> Ask(const SnapshotView& snapshot, const Gone& gone);

 private:
  struct Kept {
    std::string path;
    uint64_t version = 0;
    std::shared_ptr<const Body> answer;
  };
  std::shared_ptr<const Body> Find(const std::string& path, uint64_t version);

  std::timed_mutex busy_;  // over reading
  std::mutex mutex_;       // over all below
  std::list<Kept> kept_;   // the latest first
};

}  // namespace stepscope::server
