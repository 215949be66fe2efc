// Answers the addresses of the server, which docs/serve.md lists.
#pragma once

#include <optional>
#include <string>

#include "server/captures.h"
#include "server/dropped.h"
#include "server/gate.h"
#include "server/ledger_answer.h"
#include "server/refusal.h"
#include "server/runs.h"
#include "server/snapshots.h"
#include "server/sql_answer.h"
#include "server/trace_api.h"

namespace stepscope::server {

class Api {
 public:
  // All but `gate` must outlive it.
  Api(Gate gate, Runs& runs, Dropped& dropped, Ledgers& ledgers, Snapshots& snapshots,
      Captures& captures, SqlBox& sql, TraceDoor traces)
      : gate_(std::move(gate)),
        runs_(runs),
        dropped_(dropped),
        ledgers_(ledgers),
        snapshots_(snapshots),
        captures_(captures),
        sql_(sql),
        traces_(traces) {}

  // Of a request with a body, before it is read: only files that are let in may have one.
  std::optional<Response> RefuseBody(const Request& request) const;

  // From many threads.
  Response Answer(const Request& request) const;

 private:
  Gate gate_;
  Runs& runs_;
  Dropped& dropped_;
  Ledgers& ledgers_;
  Snapshots& snapshots_;
  Captures& captures_;
  SqlBox& sql_;
  TraceDoor traces_;
};

// The JSON of /api/state and /api/analyses.
// `takes_files`: files can be dropped on the page.
std::string StateJson(const std::vector<RunView>& runs, const std::vector<LedgerView>& ledgers,
                      const std::vector<HangView>& hangs,
                      const std::vector<SnapshotView>& snapshots, bool takes_files);
std::string AnalysesJson();

}  // namespace stepscope::server
