// Follows running jobs: a server for recorders on other hosts and for Prometheus, and reports on
// the jobs of a directory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stepscope/program_goodput.h"
#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope {

struct TeamToken {
  std::string team;  // "*": all
  std::string token;
  bool read = false, write = false;
};

struct GoodputServeOptions {
  std::string folder;  // of segments, created if missing
  // A ledger in PostgreSQL that receives the events some seconds later; empty: none.
  std::string store;
  // Another such server that gets all events too, "http[s]://host:port", and its token; empty:
  // none. While it cannot take them they are kept here, and sent later; events sent twice count
  // once.
  std::string to, to_token;
  std::string host = "127.0.0.1";
  int port = 9461;  // 0: any free port
  // Names besides those of this machine by which clients call the server: a Host header with
  // another name is refused, since a web page may have made it up.
  std::vector<std::string> allow_hosts;
  bool group_readable = false;  // new files and directories: for the owner's group too
  std::string token;            // required to post events; empty: none, on loopback only
  // Tokens of teams instead. A team's token that may write posts events of jobs "TEAM/...": other
  // names get that prefix. One that may read gets the metrics of these jobs; of the team "*", of
  // all jobs.
  std::vector<TeamToken> team_tokens;
  // Directory for TensorBoard scalars, one subdirectory per job, twice a minute; empty: none.
  std::string tensorboard;
  // Chip, and model shape if known; enables MFU. Without a number of chips, uses what a job
  // requests. The speed is ignored.
  std::optional<ProgramOptions> program;
  // Collector to push metrics to (OTLP/HTTP in JSON), "http://host:4318"; empty: none.
  std::string otlp;
  int64_t otlp_every = 60'000'000'000;  // ns
  // Called once the server listens, with its address and a warning for the user.
  std::function<void(const std::string& url, const std::string& warning)> on_ready;
  // Called from any thread with a sentence about a problem that does not end the server, and once
  // it is over: "over after 41.0 s: SENTENCE".
  std::function<void(const std::string& sentence)> on_problem;
  // Called after the signal to end with a sentence about what the end waits for, if there is much.
  std::function<void(const std::string& sentence)> on_end;
};

// Serves until SIGINT or SIGTERM. Call from the main thread before starting others, which must not
// receive these signals.
//
//   POST /v1/events   JSON lines of events (docs/formats/goodput-http.md), at most 8 MB. Answers
//                     once they survive this process.
//   GET  /metrics     all jobs, for Prometheus
//   GET  /healthz     "ok"; this and, without tokens of teams, /metrics need no token
//
// Warns by `on_problem` when the disk has less than a tenth or 1 GB left: events are lost on a full
// one.
//
// Fails if it cannot listen, would listen beyond loopback without a token, or does not know the
// chip.
Result<void> GoodputServe(const GoodputServeOptions& options);

// Follows a directory of segments.
class GoodputWatch {
 public:
  // `program`: as for GoodputServe().
  explicit GoodputWatch(const std::string& folder,
                        const std::optional<ProgramOptions>& program = std::nullopt);
  ~GoodputWatch();
  GoodputWatch(GoodputWatch&&) noexcept;
  GoodputWatch& operator=(GoodputWatch&&) noexcept;

  // Reports the current state as "watch": a table of all jobs, with details of `job` or the only
  // job. Fails if the directory cannot be read or the chip is unknown.
  Result<ReportSet> Now(const std::string& job = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace stepscope
