// Plays the script for one rank: the host's clock, its launches, and what the profiler records.
#include "demo/rank_job.h"

#include <algorithm>
#include <array>
#include <utility>

namespace stepscope::demo {
namespace {

constexpr int64_t kJobStart = 1'234'567'890'123'456;  // ns since the base time: some day of the quarter
constexpr int64_t kLaunchLatency = 3'500;
constexpr int64_t kKernelGap = 900;
constexpr int64_t kFetchToWork = 75'000;  // from the batch's arrival to the first work on it
constexpr int64_t kPromptFetch = 120'000; // of a batch that is ready
constexpr int64_t kArena = 0x7f2a'4000'0000;
constexpr int64_t kStaticBytes = 16 * 12 * 2048 * 2048;  // weights and optimizer state of a layer
constexpr int64_t kReserveStep = int64_t{1} << 21;

// Host time of a call itself, before and after what happens inside it.
struct Cost {
  int64_t before = 0, after = 0;
};
constexpr Cost kOperatorCost = {3'200, 1'400};
constexpr Cost kNoteCost = {2'500, 1'800};
constexpr Cost kPythonCost = {1'100, 600};
constexpr int64_t kLaunchCost = 5'200;
constexpr int64_t kCallCost = 900;
constexpr int64_t kMemoryCost = 300;

constexpr int64_t kCollectiveJitter = 20;  // thousandths

const Node& StepNote() {
  static const Node kNode = {.act = Act::kAnnotation, .name = "ProfilerStep#"};
  return kNode;
}

const Node& CollectiveNote() {
  static const Node kNode = {.act = Act::kAnnotation, .name = "nccl:all_reduce"};
  return kNode;
}

// The functions that are on the stack for as long as the profiler runs.
std::span<const Node> OuterFrames() {
  static const std::array<Node, 3> kFrames = {
      Node{.act = Act::kPython, .name = "train.py(214): <module>"},
      Node{.act = Act::kPython, .name = "train.py(187): main"},
      Node{.act = Act::kPython, .name = "train.py(131): train"}};
  return kFrames;
}

}  // namespace

RankJob::RankJob(const Plan& plan, int rank)
    : plan_(plan),
      rank_(rank),
      random_(plan.options.seed, static_cast<uint64_t>(rank)),
      trace_start_(kJobStart + random_.Below(200'000)),
      now_(trace_start_ + 150'000),
      modules_(plan.script->modules),
      allocated_(kStaticBytes * plan.options.layers),
      reserved_(allocated_) {
  for (size_t i = 0; i < OuterFrames().size(); ++i) frames_.push_back(++python_id_);
  truth_.kernels.resize(AllKernels().size());
}

void RankJob::Open(int64_t step, Events& events) {
  events_ = &events;
  std::ranges::fill(modules_, 0);
  launches_.clear();
  step_work_.clear();
  next_bucket_ = 0;
  step_gap_ = 0;
  OpenStepNote(step);
  PlayChildren(plan_.script->opening);
}

void RankJob::Close(int64_t step, Events& events) {
  events_ = &events;
  AddCollectives();
  PlayChildren(plan_.script->closing);
  FreeBlocks(static_cast<int64_t>(blocks_.size()));
  const int64_t start = notes_.front().host_start;
  CloseNote();
  truth_.steps.push_back({.step = step,
                          .start = start,
                          .end = now_,
                          .gpu = Measure(step_work_),
                          .host_gap = step_gap_});
  Spend(30'000);
}

void RankJob::Finish(Events& events) {
  events_ = &events;
  Synchronize("Context Sync", "cudaDeviceSynchronize", -1);
  Spend(20'000);
  if (!plan_.options.stacks) return;
  for (size_t i = 0; i < OuterFrames().size(); ++i) {
    const auto depth = static_cast<int64_t>(i);
    const int64_t start = trace_start_ + 40'000 + depth * 1'200;
    events_->frames.push_back({.node = &OuterFrames()[i],
                               .start = start,
                               .duration = now_ - depth * 800 - start,
                               .id = depth + 1,
                               .parent = i == 0 ? kNone : depth});
  }
}

void RankJob::OpenStepNote(int64_t step) {
  operators_.push_back(++external_id_);
  notes_.push_back(
      {.node = &StepNote(), .number = step, .external_id = external_id_, .host_start = now_});
  Spend(kNoteCost.before);
}

// Closes the innermost annotation, which began in this or an earlier stretch.
void RankJob::CloseNote() {
  Spend(kNoteCost.after);
  const OpenNote note = notes_.back();
  notes_.pop_back();
  operators_.pop_back();
  events_->ranges.push_back({.node = note.node,
                             .thread = thread_,
                             .start = note.host_start,
                             .duration = now_ - note.host_start,
                             .external_id = note.external_id,
                             .number = note.number});
  if (note.used.start == kNone) return;
  events_->gpu_ranges.push_back({.node = note.node,
                                 .start = note.used.start,
                                 .duration = note.used.end - note.used.start,
                                 .external_id = note.external_id,
                                 .number = note.number});
}

void RankJob::Play(const Node& node) {
  switch (node.act) {
    case Act::kGroup:
      return PlayChildren(node);
    case Act::kOperator:
      return PlayOperator(node);
    case Act::kAnnotation:
      return PlayNote(node);
    case Act::kPython:
    case Act::kModule:
      return PlayPython(node);
    case Act::kCall:
      Call(*node.call, false, kCallCost);
      return;
    case Act::kLaunch:
      return LaunchWork(node);
    case Act::kAllocate:
      return ChangeMemory(node.amount);
    case Act::kFree:
      return FreeBlocks(node.amount);
    case Act::kLayers:
      return PlayLayers(node);
    case Act::kBackward:
      return PlayBackward(plan_.script->backward);
    case Act::kFetch:
      return Fetch();
    case Act::kSynchronize:
      return Synchronize("Stream Sync", "cudaStreamSynchronize", kComputeStream);
    case Act::kCommWaits:
      gpu_.CommWaitsForCompute();
      return WaitBetweenStreams(kCommStream, kComputeStream);
    case Act::kComputeWaits:
      gpu_.ComputeWaitsForComm();
      return WaitBetweenStreams(kComputeStream, kCommStream);
  }
}

void RankJob::PlayChildren(const Node& node) {
  for (const Node& child : node.children) Play(child);
}

void RankJob::PlayLayers(const Node& node) {
  for (int i = 0; i < plan_.options.layers; ++i) PlayChildren(node);
}

void RankJob::PlayOperator(const Node& node) {
  if (node.link == Link::kEvaluate && !sequences_.empty()) {
    evaluated_ = sequences_.back();
    sequences_.pop_back();
  }
  const size_t index = events_->ranges.size();
  HostRange range{.node = &node,
                  .thread = thread_,
                  .start = now_,
                  .external_id = ++external_id_,
                  .message = message_};
  if (node.link == Link::kForward) {
    range.sequence = ++sequence_;
    sequences_.push_back(range.sequence);
  } else if (node.link != Link::kNone) {
    range.sequence = evaluated_;
  }
  events_->ranges.push_back(range);
  operators_.push_back(external_id_);
  Spend(kOperatorCost.before);
  PlayChildren(node);
  Spend(kOperatorCost.after);
  operators_.pop_back();
  events_->ranges[index].duration = now_ - range.start;
  if (node.link == Link::kEvaluate) LaunchReadyBuckets(backward_done_);
}

void RankJob::PlayNote(const Node& node) {
  operators_.push_back(++external_id_);
  notes_.push_back({.node = &node, .external_id = external_id_, .host_start = now_});
  Spend(kNoteCost.before);
  PlayChildren(node);
  CloseNote();
}

void RankJob::PlayPython(const Node& node) {
  const int64_t number = node.act == Act::kModule ? modules_[node.module]++
                         : node.addressed         ? kArena + random_.Below(16) * 0x1a40
                                                  : kNone;
  if (!plan_.options.stacks) return PlayChildren(node);
  const size_t index = events_->frames.size();
  const int64_t start = now_;
  events_->frames.push_back({.node = &node,
                             .start = start,
                             .id = ++python_id_,
                             .parent = frames_.back(),
                             .number = number});
  frames_.push_back(python_id_);
  Spend(kPythonCost.before);
  PlayChildren(node);
  Spend(kPythonCost.after);
  frames_.pop_back();
  events_->frames[index].duration = now_ - start;
}

// The autograd thread works while the main thread waits for it, so that one clock serves both.
void RankJob::PlayBackward(const Node& node) {
  Spend(20'000);
  thread_ = Thread::kAutograd;
  backward_done_ = 0;
  PlayChildren(node);
  LaunchReadyBuckets(kAfterBackward);
  thread_ = Thread::kMain;
  Spend(15'000);
}

void RankJob::LaunchReadyBuckets(int64_t done) {
  while (next_bucket_ < plan_.buckets.size() && plan_.buckets[next_bucket_].ready <= done) {
    message_ = {.elements = plan_.buckets[next_bucket_].elements, .sequence = ++collective_};
    PlayChildren(plan_.script->all_reduce);
    message_ = {};
    ++next_bucket_;
  }
}

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
  Spend(200);
  return start;
}

void RankJob::LaunchWork(const Node& node) {
  const Kernel& kernel = *node.kernel;
  if (kernel.kind == WorkKind::kCommunication) return LaunchCollective(kernel);
  const int64_t blocked = std::max<int64_t>(0, gpu_.QueueHasRoomAt() - now_);
  const int64_t issued = Call(LaunchCallOf(kernel), true, kLaunchCost, blocked) + blocked;
  const int64_t idle_since = gpu_.compute_free();
  const Slot slot = gpu_.Run(issued + random_.Around(kLaunchLatency, kHostJitter),
                             random_.Around(kKernelGap, kHostJitter), DurationOf(kernel));
  if (std::exchange(gap_pending_, false)) step_gap_ += slot.start - idle_since;
  if (thread_ == Thread::kAutograd) backward_done_ += kernel.nominal;
  AddWork({.kernel = &kernel,
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
  if (kernel.kind != WorkKind::kCompute || !plan_.IsSlow(rank_)) return duration;
  return static_cast<int64_t>(static_cast<double>(duration) * plan_.options.slow_factor);
}

void RankJob::LaunchCollective(const Kernel& kernel) {
  const int64_t start = Call(LaunchCallOf(kernel), true, kLaunchCost + 3'000);
  const int64_t earliest = start + random_.Around(kLaunchLatency, kHostJitter);
  launches_.push_back({.ready = gpu_.CommReadyAt(earliest) + random_.Around(kKernelGap, kHostJitter),
                       .external_id = ExternalId(),
                       .correlation = correlation_,
                       .message = message_});
}

// The collectives of this step, now that it is known when they ran.
void RankJob::AddCollectives() {
  for (const Launch& launch : launches_) {
    const int64_t duration = launch.slot.end - launch.slot.start;
    AddWork({.kernel = FindKernel("all_reduce"),
             .stream = kCommStream,
             .start = launch.slot.start,
             .duration = duration,
             .external_id = launch.external_id,
             .correlation = launch.correlation,
             .message = launch.message});
    events_->gpu_ranges.push_back({.node = &CollectiveNote(),
                                   .stream = kCommStream,
                                   .start = launch.slot.start,
                                   .duration = duration,
                                   .external_id = launch.external_id});
  }
}

// Waits for the next batch: for as long as to leave the GPU idle for the planted time.
void RankJob::Fetch() {
  if (plan_.host_gap == 0) return Spend(kPromptFetch);
  const int64_t idle_from = std::max(now_, gpu_.compute_free());
  const int64_t gap = std::max<int64_t>(0, random_.Around(plan_.host_gap, kKernelJitter) - kFetchToWork);
  now_ = idle_from + gap;
  gap_pending_ = true;
}

void RankJob::Synchronize(std::string_view kind, std::string_view call, int stream) {
  const int64_t drained = std::max(gpu_.compute_free(), gpu_.comm_free());
  const int64_t start = Call(*FindCall(call), true, 6'000, std::max<int64_t>(0, drained - now_));
  events_->syncs.push_back({.kind = kind,
                            .stream = stream,
                            .start = start + 1'000,
                            .duration = events_->calls.back().duration - 1'500,
                            .external_id = ExternalId(),
                            .correlation = correlation_});
}

void RankJob::WaitBetweenStreams(int stream, int wait_stream) {
  const int64_t start = Call(*FindCall("cudaStreamWaitEvent"), true, kCallCost);
  events_->syncs.push_back({.kind = "Stream Wait Event",
                            .stream = stream,
                            .start = start + 300,
                            .duration = 400,
                            .external_id = ExternalId(),
                            .correlation = correlation_,
                            .wait_stream = wait_stream,
                            .wait_correlation = recorded_,
                            .wait_event = cuda_event_});
}

void RankJob::ChangeMemory(int64_t bytes) {
  const int64_t below = std::min(allocated_, allocated_ + bytes);
  allocated_ += bytes;
  if (bytes > 0) blocks_.push_back(bytes);
  reserved_ = std::max(reserved_, (allocated_ + kReserveStep - 1) / kReserveStep * kReserveStep);
  events_->memory.push_back({.thread = thread_,
                             .time = now_,
                             .address = kArena + below,
                             .bytes = bytes,
                             .allocated = allocated_,
                             .reserved = reserved_});
  Spend(kMemoryCost);
}

void RankJob::FreeBlocks(int64_t blocks) {
  for (; blocks > 0 && !blocks_.empty(); --blocks) {
    const int64_t bytes = blocks_.back();
    blocks_.pop_back();
    ChangeMemory(-bytes);
  }
}

void RankJob::AddWork(const GpuWork& work) {
  events_->work.push_back(work);
  step_work_.push_back({work.kernel->kind, work.start, work.start + work.duration});
  KernelTruth& kernel = truth_.kernels[static_cast<size_t>(work.kernel - AllKernels().data())];
  ++kernel.count;
  kernel.sum += work.duration;
}

void AllReduce(const Plan& plan, int64_t step, std::span<RankJob> ranks) {
  constexpr uint64_t kStream = uint64_t{1} << 40;  // far from the ranks' streams of random numbers
  Random random(plan.options.seed, kStream + static_cast<uint64_t>(step));
  for (size_t i = 0; i < plan.buckets.size(); ++i) {
    int64_t all_there = 0;
    for (RankJob& rank : ranks) {
      RankJob::Launch& launch = rank.launches_[i];
      launch.slot.start = std::max(launch.ready, rank.gpu_.comm_free() + kKernelGap);
      all_there = std::max(all_there, launch.slot.start);
    }
    const int64_t end = all_there + random.Around(plan.buckets[i].duration, kCollectiveJitter);
    for (RankJob& rank : ranks) {
      rank.launches_[i].slot.end = end;
      rank.gpu_.RunCollective(rank.launches_[i].slot);
    }
  }
}

}  // namespace stepscope::demo
