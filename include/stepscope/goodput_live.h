// Goodput of jobs that run: a server for recorders on other hosts and for Prometheus, and the state
// of all jobs of a folder as a report.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "stepscope/program_goodput.h"
#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope {

struct GoodputServeOptions {
  std::string folder;  // of segments, made if need be
  // A ledger in PostgreSQL, which gets what the folder holds some seconds later; empty: none.
  std::string store;
  std::string host = "127.0.0.1";
  int port = 9461;    // 0: any that is free
  std::string token;  // who posts events must say it; empty: nobody need, on loopback only
  // Where scalars for TensorBoard go, a folder of each job, twice a minute; empty: nowhere.
  std::string tensorboard;
  // What the chips can do, and what a token costs them where the model's shape is given: then there
  // is MFU. Without a number of chips, as many as a job asks for. The speed is not looked at.
  std::optional<ProgramOptions> program;
  // A collector that all metrics are pushed to (OTLP/HTTP in JSON), "http://host:4318"; empty:
  // none.
  std::string otlp;
  int64_t otlp_every = 60'000'000'000;  // ns
  // Called once the server listens, with its address and warnings to pass on.
  std::function<void(const std::string& url, const std::string& warning)> on_ready;
  // Called with a sentence when something goes wrong that does not end the server; from any thread.
  std::function<void(const std::string& sentence)> on_problem;
};

// Serves until the process gets SIGINT or SIGTERM. Must be called from the main thread before
// others are started: they shall not get these signals.
//
//   POST /v1/events   JSON lines of events (docs/formats/goodput-http.md), at most 8 MB. Answers
//                     once they will outlive this process.
//   GET  /metrics     all jobs, for Prometheus
//   GET  /healthz     "ok"; this and /metrics ask for no token
//
// Fails when it cannot listen there, would listen beyond loopback without a token, or does not know
// the chip.
Result<void> GoodputServe(const GoodputServeOptions& options);

// Follows a folder of segments.
class GoodputWatch {
 public:
  // `program` as of a server.
  explicit GoodputWatch(const std::string& folder,
                        const std::optional<ProgramOptions>& program = std::nullopt);
  ~GoodputWatch();
  GoodputWatch(GoodputWatch&&) noexcept;
  GoodputWatch& operator=(GoodputWatch&&) noexcept;

  // The state now: one report, "watch", with a table of all jobs; when `job` is given, or the only
  // one there is, with more about it. Fails when the folder cannot be read, or
  // the chip is not known.
  Result<ReportSet> Now(const std::string& job = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace stepscope
