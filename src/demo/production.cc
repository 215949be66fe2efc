// Runs the threads and synchronizes them.
#include "demo/production.h"

#include <algorithm>
#include <exception>
#include <new>
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
      devices_(static_cast<size_t>(plan.options.devices)),
      errors_(static_cast<size_t>(plan.options.ranks)),
      workers_(WorkersFor(plan.options)),
      compressors_(workers_),
      together_(static_cast<std::ptrdiff_t>(workers_)) {
  const bool compress = plan.options.compress;
  for (int rank = 0; rank < plan.options.ranks; ++rank) {
    for (int device = 0; device < plan.options.devices; ++device)
      jobs_.emplace_back(plan, rank, device);
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
    for (size_t i = 1; i < workers_; ++i) {
      try {
        helpers.emplace_back([this, i] { Work(i); });
      } catch (const std::exception&) {
        errors_[i] = Error{"no thread left", "", ""};
        together_.arrive_and_drop();
      }
    }
    Work(0);
  }
  for (std::optional<Error>& error : errors_) {
    if (error) return std::unexpected(*std::move(error));
  }
  return {};
}

// All threads must come to where they wait for one another.
void Production::Try(size_t rank, const auto& act) {
  try {
    act();
  } catch (const std::bad_alloc&) {
    errors_[rank] = Error{"out of memory", "", ""};  // which allocates nothing
  }
}

void Production::Work(size_t worker) {
  Scratch scratch;
  const auto for_my_ranks = [&](const auto& act) {
    for (size_t rank = worker; rank < files_.size(); rank += workers_) {
      if (!errors_[rank]) Try(rank, [&] { act(rank); });
    }
  };
  for_my_ranks([&](size_t rank) { Begin(rank, scratch); });
  for (int64_t step = kFirstStep; !done_; ++step) {
    for_my_ranks([&](size_t rank) { OpenStep(rank, step, scratch); });
    together_.arrive_and_wait();
    if (worker == 0 && !Failed()) Try(0, [&] { Meet(plan_, step, jobs_); });
    together_.arrive_and_wait();
    for_my_ranks([&](size_t rank) { CloseStep(rank, step, scratch); });
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

void Production::OpenStep(size_t rank, int64_t step, Scratch& scratch) {
  for (size_t device = 0; device < devices_; ++device) {
    RankJob& job = JobOf(rank, device);
    if (device > 0) job.Join(JobOf(rank, 0));
    job.Open(step, scratch.events);
    Record(rank, device, scratch);
  }
}

// The first device's thread, which annotates the step, waits for the others.
void Production::CloseStep(size_t rank, int64_t step, Scratch& scratch) {
  RankJob& first = JobOf(rank, 0);
  int64_t others = 0;
  for (size_t device = 1; device < devices_; ++device) {
    JobOf(rank, device).Close(step, scratch.events);
    others = std::max(others, JobOf(rank, device).now());
    Record(rank, device, scratch);
  }
  first.WaitUntil(others);
  first.Close(step, scratch.events);
  for (size_t device = 1; device < devices_; ++device) JobOf(rank, device).LeaveWith(first);
  Record(rank, 0, scratch);
}

// Writes the events in `scratch` to the rank's file.
void Production::Record(size_t rank, size_t device, Scratch& scratch) {
  Write(rank, device, scratch);
  Append(rank, scratch);
}

// Turns the events into text, as the clock of the rank's host says when they were.
void Production::Write(size_t rank, size_t device, Scratch& scratch) {
  scratch.events.Shift(plan_.ClockOffset(static_cast<int>(rank)));
  writers_[rank].Body(scratch.events, static_cast<int>(device), scratch.text);
  scratch.events.Clear();
}

void Production::End(size_t rank, Scratch& scratch) {
  int64_t end = 0;
  for (size_t device = 0; device < devices_; ++device) {
    JobOf(rank, device).Finish(scratch.events);
    end = std::max(end, JobOf(rank, device).now());
    Write(rank, device, scratch);
  }
  const int64_t offset = plan_.ClockOffset(static_cast<int>(rank));
  writers_[rank].Footer(JobOf(rank, 0).trace_start() + offset, end + offset, scratch.text);
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
  for (size_t job = 0; job < jobs_.size(); ++job) {
    const size_t rank = job / devices_;
    truth.push_back(jobs_[job].truth());
    truth.back().rank = static_cast<int>(rank);
    truth.back().device = writers_[rank].DeviceOf(static_cast<int>(job % devices_));
    truth.back().file = TraceName(static_cast<int>(rank), plan_.options.compress);
    truth.back().events = writers_[rank].events();
    truth.back().raw_bytes = files_[rank].raw_bytes();
  }
  return truth;
}

}  // namespace stepscope::demo
