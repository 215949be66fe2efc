// Plays a rank's steps from begin to end, and the collectives of all ranks.
#include "demo/rank_job.h"

#include <algorithm>
#include <array>

#include "demo/meetings.h"

namespace stepscope::demo {
namespace {

constexpr int64_t kJobStart = 1'234'567'890'123'456;     // ns since the base time: in mid-quarter
constexpr int64_t kStaticBytes = 16 * 12 * 2048 * 2048;  // weights and optimizer state of a layer
constexpr int64_t kCollectiveGap = 900;                  // between collectives on their stream
constexpr int64_t kCollectiveJitter = 20;                // thousandths
constexpr int64_t kBetweenSteps = 30'000;                // of the host
constexpr int64_t kProfilerStop = 20'000;
constexpr int64_t kCaptureCost = 5'000;  // of a call
constexpr int64_t kThreadStart = 15'000;
// Numbers of one process are its own: those of its next device begin so much higher.
constexpr int64_t kIdsOfADevice = 100'000'000;

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

RankJob::RankJob(const Plan& plan, int rank, int device)
    : plan_(plan),
      rank_(rank),
      device_(device),
      random_(plan.options.seed, static_cast<uint64_t>(rank * plan.options.devices + device)),
      trace_start_(kJobStart + random_.Below(200'000)),
      now_(trace_start_ + 150'000),
      modules_(plan.script->modules),
      external_id_(device * kIdsOfADevice + 1024),
      correlation_(device * kIdsOfADevice + 20000),
      python_id_(device * kIdsOfADevice),
      sequence_(device * kIdsOfADevice + 400),
      allocated_(kStaticBytes * plan.layers),
      reserved_(allocated_) {
  for (size_t i = 0; i < OuterFrames().size(); ++i) frames_.push_back(++python_id_);
  truth_.kernels.resize(AllKernels().size());
  if (plan.parallel) PreparePlace();
}

void RankJob::Join(const RankJob& first) {
  trace_start_ = first.trace_start_;
  now_ = first.step_start_;
  Spend(kThreadStart);
}

void RankJob::LeaveWith(const RankJob& first) {
  truth_.steps.back().start = first.truth_.steps.back().start;
  truth_.steps.back().end = first.truth_.steps.back().end;
  now_ = first.now_;
}

void RankJob::Open(int64_t step, Events& events) {
  events_ = &events;
  step_ = step;
  std::ranges::fill(modules_, 0);
  launches_.clear();
  step_work_.clear();
  next_bucket_ = 0;
  step_gap_ = 0;
  OpenStepNote(step);
  if (truth_.steps.empty() && plan_.options.graph_capture > 0) CaptureGraph();
  if (plan_.parallel) return PlayStage();
  PlayChildren(plan_.script->opening);
}

void RankJob::Close(int64_t step, Events& events) {
  events_ = &events;
  if (plan_.parallel) {
    AddLaunches();
  } else {
    AddCollectives();
  }
  PlayChildren(plan_.parallel ? plan_.script->stage_closing : plan_.script->closing);
  FreeBlocks(static_cast<int64_t>(blocks_.size()));
  if (Leads()) {
    now_ = std::max(now_, closes_after_);
    CloseNote();
  }
  truth_.steps.push_back({.step = step,
                          .start = step_start_,
                          .end = now_,
                          .gpu = Measure(step_work_),
                          .host_gap = step_gap_});
  Spend(kBetweenSteps);
}

void RankJob::Finish(Events& events) {
  events_ = &events;
  Synchronize("Context Sync", "cudaDeviceSynchronize", -1);
  Spend(kProfilerStop);
  if (!plan_.options.stacks) return;
  for (size_t i = 0; i < OuterFrames().size(); ++i) {
    const auto depth = static_cast<int64_t>(i);
    const int64_t start = trace_start_ + 40'000 + depth * 1'200;
    const int64_t id = device_ * kIdsOfADevice + depth + 1;
    events_->frames.push_back({.node = &OuterFrames()[i],
                               .start = start,
                               .duration = now_ - depth * 800 - start,
                               .id = id,
                               .parent = i == 0 ? kNone : id - 1});
  }
}

void RankJob::OpenStepNote(int64_t step) {
  step_start_ = now_;
  if (!Leads()) return;
  operators_.push_back(++external_id_);
  notes_.push_back(
      {.node = &StepNote(), .number = step, .external_id = external_id_, .host_start = now_});
}

// Launches while a stream is captured become nodes of a graph: no kernel runs.
void RankJob::CaptureGraph() {
  const int64_t end = now_ + plan_.options.graph_capture;
  Call(*FindCall("cudaStreamBeginCapture"), false, kCaptureCost);
  while (now_ < end) Call(*FindCall("cudaLaunchKernel"), false, kCaptureCost);
  Call(*FindCall("cudaStreamEndCapture"), false, kCaptureCost);
}

// The collectives of this step, now that it is known when they ran.
void RankJob::AddCollectives() {
  const bool unknown = plan_.options.unknown_library;
  const Kernel& kernel = *FindKernel(unknown ? "unknown_all_reduce" : "all_reduce");
  for (const Launch& launch : launches_) {
    const int64_t duration = launch.slot.end - launch.slot.start;
    AddActivity({.kernel = &kernel,
                 .stream = kCommStream,
                 .start = launch.slot.start,
                 .duration = duration,
                 .external_id = launch.external_id,
                 .correlation = launch.correlation,
                 .message = launch.message});
    if (unknown) continue;
    events_->gpu_ranges.push_back({.node = &CollectiveNote(),
                                   .stream = kCommStream,
                                   .start = launch.slot.start,
                                   .duration = duration,
                                   .external_id = launch.external_id});
  }
}

void AllReduce(const Plan& plan, int64_t step, std::span<RankJob> jobs) {
  constexpr uint64_t kStream = uint64_t{1} << 40;  // far from the jobs' streams of random numbers
  Random random(plan.options.seed, kStream + static_cast<uint64_t>(step));
  for (size_t i = 0; i < plan.buckets.size(); ++i) {
    const size_t groups =
        plan.GroupOf(i) == kRail ? static_cast<size_t>(plan.options.ranks_per_host) : 1;
    for (size_t g = 0; g < groups; ++g) {
      int64_t all_there = 0;
      for (size_t j = g; j < jobs.size(); j += groups) {
        Launch& launch = jobs[j].launches_[i];
        launch.slot.start = std::max(launch.ready, jobs[j].gpu_.comm_free() + kCollectiveGap);
        all_there = std::max(all_there, launch.slot.start);
      }
      const int64_t duration = plan.DurationOf(i, static_cast<int>(g));
      const int64_t end = all_there + random.Around(duration, kCollectiveJitter);
      for (size_t j = g; j < jobs.size(); j += groups) {
        jobs[j].launches_[i].slot.end = end;
        jobs[j].gpu_.RunCollective(jobs[j].launches_[i].slot);
      }
    }
  }
}

void Meet(const Plan& plan, int64_t step, std::span<RankJob> jobs) {
  if (!plan.parallel) return AllReduce(plan, step, jobs);
  std::vector<std::span<Launch>> launches;
  for (RankJob& job : jobs) launches.emplace_back(job.launches_);
  PlaceLaunches(plan.options.seed, launches);
}

}  // namespace stepscope::demo
