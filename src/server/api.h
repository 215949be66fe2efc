// Answers the addresses of the server, which docs/serve.md lists.
#pragma once

#include <string>

#include "server/gate.h"
#include "server/refusal.h"
#include "server/runs.h"

namespace stepscope::server {

class Api {
 public:
  // `runs` must outlive it.
  Api(Gate gate, Runs& runs) : gate_(std::move(gate)), runs_(runs) {}

  // From many threads.
  Response Answer(const Request& request) const;

 private:
  Gate gate_;
  Runs& runs_;
};

// The JSON of /api/state and /api/analyses.
std::string StateJson(const std::vector<RunView>& runs, const std::vector<LedgerView>& ledgers);
std::string AnalysesJson();

}  // namespace stepscope::server
