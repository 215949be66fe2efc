// Produces the trace files of all ranks: plays the job step by step on a few threads.
//
// What is recorded is written at once: memory holds at most half a step of a few ranks.
#pragma once

#include <barrier>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file_writer.h"
#include "demo/events.h"
#include "demo/json_text.h"
#include "demo/kineto_writer.h"
#include "demo/plan.h"
#include "demo/rank_job.h"
#include "demo/truth.h"
#include "stepscope/result.h"

namespace stepscope::demo {

class Production {
 public:
  // `plan` must outlive the production.
  Production(const Plan& plan, const std::string& folder);

  // Writes all files, under their partial names. Call it once.
  Result<void> Run();
  // Gives the files their names. REQUIRES: Run() succeeded.
  Result<void> Commit();

  // What was written, of each device. REQUIRES: Run() succeeded.
  std::vector<RankTruth> Truth() const;

 private:
  // What a thread reuses from rank to rank.
  struct Scratch {
    Events events;
    JsonText text;
  };

  // The ranks are dealt out to the threads, which go through every step together.
  void Work(size_t worker);
  void Try(size_t rank, const auto& act);
  void Begin(size_t rank, Scratch& scratch);
  void OpenStep(size_t rank, int64_t step, Scratch& scratch);
  void CloseStep(size_t rank, int64_t step, Scratch& scratch);
  void Write(size_t rank, size_t device, Scratch& scratch);
  void Record(size_t rank, size_t device, Scratch& scratch);
  void End(size_t rank, Scratch& scratch);
  void Append(size_t rank, Scratch& scratch);
  void Check(size_t rank, Result<void> result);
  bool Failed() const;
  bool IsComplete(int64_t steps) const;

  RankJob& JobOf(size_t rank, size_t device) { return jobs_[rank * devices_ + device]; }

  const Plan& plan_;
  size_t devices_;             // of each rank
  std::vector<RankJob> jobs_;  // by rank, then device
  std::vector<KinetoWriter> writers_;
  std::vector<FileWriter> files_;
  std::vector<std::optional<Error>> errors_;  // the first of each rank
  size_t workers_;
  std::vector<GzipCompressor> compressors_;  // one per worker, for all files of its ranks
  std::barrier<> together_;
  bool done_ = false;  // written by the first worker, between two meetings of all
};

}  // namespace stepscope::demo
