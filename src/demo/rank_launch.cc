// Plays the interaction of host and device: launches, synchronization, input wait.
#include <algorithm>
#include <utility>

#include "demo/rank_job.h"

namespace stepscope::demo {
namespace {

constexpr int64_t kLaunchLatency = 3'500;
constexpr int64_t kKernelGap = 900;
constexpr int64_t kLaunchCost = 5'200;
constexpr int64_t kCollectiveLaunchCost = 8'200;
constexpr int64_t kWaitCost = 900;
constexpr int64_t kSynchronizeCost = 6'000;
constexpr int64_t kBetweenCalls = 200;
constexpr int64_t kFetchToWork = 75'000;   // from the batch's arrival to the first work on it
constexpr int64_t kPromptFetch = 120'000;  // of a batch that is ready

// The events that streams wait for.
constexpr int64_t kGradientsReady = 16;
constexpr int64_t kReduced = 17;

}  // namespace

int64_t RankJob::Call(const ApiCall& call, bool linked, int64_t cost, int64_t blocked) {
  const int64_t start = now_;
  Spend(cost);
  now_ += blocked;
  events_->calls.push_back({.call = &call,
                            .thread = thread_,
                            .linked = linked,
                            .start = start,
                            .duration = now_ - start,
                            .external_id = ExternalId(),
                            .correlation = ++correlation_});
  if (call.name == "cudaEventRecord") recorded_ = correlation_;
  Spend(kBetweenCalls);
  return start;
}

void RankJob::LaunchActivity(const Node& node) {
  const Kernel& kernel = *node.kernel;
  if (kernel.kind == ActivityKind::kCommunication) return LaunchCollective(kernel);
  // How long the host must wait for the device is known only when all that is deferred has its
  // time.
  const int64_t blocked = defers_ ? 0 : std::max<int64_t>(0, gpu_.QueueHasRoomAt() - now_);
  const int64_t issued = Call(LaunchCallOf(kernel), true, kLaunchCost, blocked) + blocked;
  const int64_t idle_since = gpu_.compute_free();
  // One after the other: in a call their order, and so the random numbers, would be up to the
  // compiler.
  const int64_t earliest = issued + random_.Around(kLaunchLatency, kHostJitter);
  const int64_t gap = random_.Around(kKernelGap, kHostJitter);
  if (thread_ == Thread::kAutograd) backward_done_ += kernel.nominal;
  if (defers_) {
    return Defer({.ready = earliest,
                  .external_id = ExternalId(),
                  .correlation = correlation_,
                  .kernel = &kernel,
                  .ends_gap = std::exchange(gap_pending_, false),
                  .gap = gap,
                  .duration = DurationOf(kernel)});
  }
  const Slot slot = gpu_.Run(earliest, gap, DurationOf(kernel));
  if (std::exchange(gap_pending_, false)) step_gap_ += slot.start - idle_since;
  AddActivity({.kernel = &kernel,
               .start = slot.start,
               .duration = slot.end - slot.start,
               .external_id = ExternalId(),
               .correlation = correlation_});
  for (OpenNote& note : notes_) {
    if (note.used.start == kNone) note.used.start = slot.start;
    note.used.end = slot.end;
  }
}

int64_t RankJob::DurationOf(const Kernel& kernel) {
  const int64_t duration = random_.Around(kernel.nominal, kKernelJitter);
  if (kernel.kind != ActivityKind::kCompute || !plan_.IsSlow(rank_, device_, step_))
    return duration;
  return static_cast<int64_t>(static_cast<double>(duration) * plan_.options.slow_factor);
}

void RankJob::LaunchCollective(const Kernel& kernel) {
  const int64_t start = Call(LaunchCallOf(kernel), true, kCollectiveLaunchCost);
  const int64_t earliest = start + random_.Around(kLaunchLatency, kHostJitter);
  if (defers_) {
    return Defer({.ready = earliest,
                  .external_id = ExternalId(),
                  .correlation = correlation_,
                  .message = message_,
                  .kernel = &kernel,
                  .note = notes_.back().node,
                  .lane = message_.lane,
                  .gap = random_.Around(kKernelGap, kHostJitter),
                  .meeting = meeting_});
  }
  launches_.push_back(
      {.ready = gpu_.CommReadyAt(earliest) + random_.Around(kKernelGap, kHostJitter),
       .external_id = ExternalId(),
       .correlation = correlation_,
       .message = message_});
}

void RankJob::AddActivity(const DeviceActivity& work) {
  events_->work.push_back(work);
  step_work_.push_back({work.kernel->kind, work.start, work.start + work.duration});
  KernelTruth& kernel = truth_.kernels[static_cast<size_t>(work.kernel - AllKernels().data())];
  ++kernel.count;
  kernel.sum += work.duration;
}

// Waits for the next batch: for as long as to leave the GPU idle for the planted time.
void RankJob::Fetch() {
  const int64_t host_gap = plan_.HostGap(rank_);
  if (host_gap == 0) return Spend(kPromptFetch);
  const int64_t idle_from = std::max(now_, gpu_.compute_free());
  const int64_t gap = std::max<int64_t>(0, random_.Around(host_gap, kKernelJitter) - kFetchToWork);
  now_ = idle_from + gap;
  gap_pending_ = true;
}

void RankJob::Synchronize(std::string_view kind, std::string_view call, int stream) {
  const int64_t drained = std::max(gpu_.compute_free(), gpu_.comm_free());
  const int64_t start =
      Call(*FindCall(call), true, kSynchronizeCost, std::max<int64_t>(0, drained - now_));
  events_->syncs.push_back({.kind = kind,
                            .stream = stream,
                            .start = start + 1'000,
                            .duration = events_->calls.back().duration - 1'500,
                            .external_id = ExternalId(),
                            .correlation = correlation_});
}

void RankJob::WaitBetweenStreams(int stream, int wait_stream) {
  const int64_t start = Call(*FindCall("cudaStreamWaitEvent"), true, kWaitCost);
  events_->syncs.push_back(
      {.kind = "Stream Wait Event",
       .stream = stream,
       .start = start + 300,
       .duration = 400,
       .external_id = ExternalId(),
       .correlation = correlation_,
       .wait_stream = wait_stream,
       .wait_correlation = recorded_,
       .wait_event = wait_stream == kComputeStream ? kGradientsReady : kReduced});
}

}  // namespace stepscope::demo
