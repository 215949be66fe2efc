// Answers SQL of the page about runs that are in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "server/open_run.h"
#include "server/refusal.h"
#include "stepscope/query.h"

namespace stepscope::server {

struct SqlLimits {
  int64_t timeout = 60'000'000'000;  // ns, of reading and answering; 0: none
  int64_t memory = 0;                // bytes, as QueryOptions
};

struct SqlAsk {
  std::string statement;
  std::string client;  // who asks: a later statement of the same ends the one before
  int64_t rows = 0;    // most rows of the answer
  AnalyzeOptions question;
  std::vector<std::pair<std::string, std::shared_ptr<OpenRun>>> runs;  // by name
};

// Statements are answered one at a time: each may use the memory of the limits.
class SqlBox {
 public:
  explicit SqlBox(const SqlLimits& limits) : limits_(limits) {}

  // {"columns": [{"name", "type"}], "rows": [[...]], "more": whether there are more rows,
  //  "notes": [...]}. Types are "whole", "real", "boolean" and "text". Given up when the client is
  // gone or asks something else.
  Attempt<std::shared_ptr<const Body>> Answer(const SqlAsk& ask, const Gone& gone);

 private:
  class Turn;
  SqlLimits limits_;
  std::timed_mutex busy_;  // while one is answered
  std::mutex mutex_;       // over all below
  std::vector<std::pair<std::string, std::shared_ptr<std::stop_source>>> open_;  // by client
};

}  // namespace stepscope::server
