// Runs the threads and synchronizes them.
#include "demo/production.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "demo/folder.h"

namespace stepscope::demo {
namespace {

constexpr int64_t kFirstStep = 3;  // a profiler usually skips the first steps

size_t WorkersFor(const DemoOptions& options) {
  constexpr size_t kMost = 16;
  const size_t processors = std::max(1u, std::thread::hardware_concurrency());
  return std::min({processors, kMost, static_cast<size_t>(options.ranks)});
}

}  // namespace

Production::Production(const Plan& plan, const std::string& folder)
    : plan_(plan),
      errors_(static_cast<size_t>(plan.options.ranks)),
      workers_(WorkersFor(plan.options)),
      compressors_(workers_),
      together_(static_cast<std::ptrdiff_t>(workers_)) {
  const bool compress = plan.options.compress;
  for (int rank = 0; rank < plan.options.ranks; ++rank) {
    jobs_.emplace_back(plan, rank);
    writers_.emplace_back(plan.options, rank);
    // As Work() deals the ranks out.
    GzipCompressor& gzip = compressors_[static_cast<size_t>(rank) % workers_];
    files_.emplace_back(folder + "/" + TraceName(rank, compress), compress ? &gzip : nullptr,
                        FileWriter::Temporary::kNamed);
  }
}

Result<void> Production::Run() {
  {
    std::vector<std::jthread> helpers;
    for (size_t i = 1; i < workers_; ++i) helpers.emplace_back([this, i] { Work(i); });
    Work(0);
  }
  for (std::optional<Error>& error : errors_) {
    if (error) return std::unexpected(*std::move(error));
  }
  return {};
}

void Production::Work(size_t worker) {
  Scratch scratch;
  const auto for_my_ranks = [&](const auto& act) {
    for (size_t rank = worker; rank < jobs_.size(); rank += workers_) {
      if (!errors_[rank]) act(rank);
    }
  };
  for_my_ranks([&](size_t rank) { Begin(rank, scratch); });
  for (int64_t step = kFirstStep; !done_; ++step) {
    for_my_ranks([&](size_t rank) {
      jobs_[rank].Open(step, scratch.events);
      Record(rank, scratch);
    });
    together_.arrive_and_wait();
    if (worker == 0 && !Failed()) AllReduce(plan_, step, jobs_);
    together_.arrive_and_wait();
    for_my_ranks([&](size_t rank) {
      jobs_[rank].Close(step, scratch.events);
      Record(rank, scratch);
    });
    together_.arrive_and_wait();
    if (worker == 0) done_ = Failed() || IsComplete(step - kFirstStep + 1);
    together_.arrive_and_wait();
  }
  for_my_ranks([&](size_t rank) { End(rank, scratch); });
}

void Production::Begin(size_t rank, Scratch& scratch) {
  Check(rank, files_[rank].Create());
  writers_[rank].Header(scratch.text);
  Append(rank, scratch);
}

// Writes the events in `scratch` to the rank's file.
void Production::Record(size_t rank, Scratch& scratch) {
  Write(rank, scratch);
  Append(rank, scratch);
}

// Turns the events into text, as the clock of the rank's host says when they were.
void Production::Write(size_t rank, Scratch& scratch) {
  scratch.events.Shift(plan_.ClockOffset(static_cast<int>(rank)));
  writers_[rank].Body(scratch.events, scratch.text);
  scratch.events.Clear();
}

void Production::End(size_t rank, Scratch& scratch) {
  jobs_[rank].Finish(scratch.events);
  Write(rank, scratch);
  const int64_t offset = plan_.ClockOffset(static_cast<int>(rank));
  writers_[rank].Footer(jobs_[rank].trace_start() + offset, jobs_[rank].now() + offset,
                        scratch.text);
  Append(rank, scratch);
  Check(rank, files_[rank].Finish());
}

void Production::Append(size_t rank, Scratch& scratch) {
  if (!errors_[rank]) Check(rank, files_[rank].Append(scratch.text.view()));
  scratch.text.Clear();
}

void Production::Check(size_t rank, Result<void> result) {
  if (!result && !errors_[rank]) errors_[rank] = std::move(result.error());
}

bool Production::Failed() const {
  return std::ranges::any_of(errors_, [](const auto& error) { return error.has_value(); });
}

bool Production::IsComplete(int64_t steps) const {
  const auto is_large = [this](const FileWriter& file) {
    return file.raw_bytes() >= plan_.options.min_raw_bytes;
  };
  return steps >= plan_.options.steps && std::ranges::all_of(files_, is_large);
}

Result<void> Production::Commit() {
  for (FileWriter& file : files_) {
    if (auto done = file.Commit(); !done) return done;
  }
  return {};
}

std::vector<RankTruth> Production::Truth() const {
  std::vector<RankTruth> truth;
  for (size_t rank = 0; rank < jobs_.size(); ++rank) {
    truth.push_back(jobs_[rank].truth());
    truth.back().file = TraceName(static_cast<int>(rank), plan_.options.compress);
    truth.back().events = writers_[rank].events();
    truth.back().raw_bytes = files_[rank].raw_bytes();
  }
  return truth;
}

}  // namespace stepscope::demo
