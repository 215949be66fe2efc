// Captures from running jobs for the page: one at a time, in the background.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "server/runs.h"
#include "stepscope/capture.h"
#include "stepscope/result.h"

namespace stepscope::server {

// What the page asks for.
struct CaptureAsk {
  std::string door;                // "torch": processes of this machine; "grpc": profiler servers
  std::string servers;             // of door "grpc": "host:9012,host2:9012"
  std::vector<int64_t> pids;       // of door "torch": only these
  std::string job;                 // of door "torch": those of this job
  int64_t duration = 500'000'000;  // ns
  bool dry_run = false;            // only list who would be captured
};

class Captures {
 public:
  using Door = std::function<Result<CaptureResult>(const CaptureAsk&, const CaptureOptions&)>;

  // `runs` gets what was captured, and outlives this. `door` is asked on a thread of its own.
  explicit Captures(Runs& runs, Door door = CaptureThrough);
  ~Captures();  // gives the capture up that runs

  // Begins one, and returns its number. Fails while another runs, and for an unknown door.
  Result<int64_t> Start(CaptureAsk ask);
  // Ends it as soon as it can; nothing where none runs.
  void Stop();

  // How far the latest one is, or what came of it. "null" where there was none.
  std::string Json() const;

 private:
  struct Capture {
    int64_t number = 0;
    CaptureAsk ask;
    CaptureProgress progress;
    bool done = false;
    std::optional<CaptureResult> result;
    std::optional<Error> error;
    std::string run;  // the id of the run that it became; empty: none
  };

  static Result<CaptureResult> CaptureThrough(const CaptureAsk& ask, const CaptureOptions& options);
  void Work(const std::shared_ptr<Capture>& capture, const std::stop_token& stop);

  Runs& runs_;
  Door door_;
  mutable std::mutex mutex_;  // over all below
  std::shared_ptr<Capture> latest_;
  std::jthread worker_;  // the last member: ends before the others do
};

}  // namespace stepscope::server
