// Plays the script's words on the host: nested calls, device memory, the backward pass.
#include <algorithm>

#include "demo/rank_job.h"

namespace stepscope::demo {
namespace {

constexpr int64_t kArena = 0x7f2a'4000'0000;  // where device memory begins
constexpr int64_t kReserveStep = int64_t{1} << 21;
constexpr int64_t kCallCost = 900;
constexpr int64_t kMemoryCost = 300;

// Host time of a call itself, before and after what happens inside it.
struct Cost {
  int64_t before = 0, after = 0;
};
constexpr Cost kOperatorCost = {3'200, 1'400};
constexpr Cost kNoteCost = {2'500, 1'800};
constexpr Cost kPythonCost = {1'100, 600};
constexpr Cost kEngineCost = {20'000, 15'000};  // to hand over to the autograd thread and back

// What waits for the next batch, and what takes its place where the host-bound time is Python's
// own.
constexpr std::string_view kLoader = "torch/utils/data/dataloader.py(716): __next__";
const Node& Logging() {
  static const Node kLogging{.act = Act::kPython,
                             .name = "train.py(96): log_metrics",
                             .children = {Node{.act = Act::kFetch}}};
  return kLogging;
}

}  // namespace

void RankJob::Play(const Node& node) {
  switch (node.act) {
    case Act::kGroup:
      return PlayChildren(node);
    case Act::kOperator:
      return PlayOperator(node);
    case Act::kAnnotation:
      return PlayNote(node);
    case Act::kPython:
      if (plan_.options.gap_in_python && node.name == kLoader) return PlayPython(Logging());
      return PlayPython(node);
    case Act::kModule:
      return PlayPython(node);
    case Act::kCall:
      Call(*node.call, false, kCallCost);
      return;
    case Act::kLaunch:
      return LaunchActivity(node);
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
      waits_[static_cast<size_t>(message_.lane)][0] = last_on_[0];
      return WaitBetweenStreams(StreamOf(message_.lane), kComputeStream);
    case Act::kComputeWaits:
      gpu_.ComputeWaitsForComm();
      return WaitBetweenStreams(kComputeStream, kCommStream);
    case Act::kFirstStage:
      return HasPrevious() ? void() : PlayChildren(node);
    case Act::kLastStage:
      return HasNext() ? void() : PlayChildren(node);
    case Act::kReduceTensor:
      return ReduceTensor();
    case Act::kExchangeExperts:
      return ExchangeExperts();
  }
}

void RankJob::PlayChildren(const Node& node) {
  for (const Node& child : node.children) Play(child);
}

void RankJob::PlayLayers(const Node& node) {
  for (int i = 0; i < plan_.layers; ++i) PlayChildren(node);
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
  if (node.link == Link::kEvaluate && reduces_) LaunchReadyBuckets(backward_done_);
}

void RankJob::PlayNote(const Node& node) {
  operators_.push_back(++external_id_);
  notes_.push_back({.node = &node, .external_id = external_id_, .host_start = now_});
  Spend(kNoteCost.before);
  PlayChildren(node);
  CloseNote();
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
  Spend(kEngineCost.before);
  thread_ = Thread::kAutograd;
  backward_done_ = 0;
  PlayChildren(node);
  LaunchReadyBuckets(kAfterBackward);
  thread_ = Thread::kMain;
  Spend(kEngineCost.after);
}

void RankJob::LaunchReadyBuckets(int64_t done) {
  while (next_bucket_ < plan_.buckets.size() && plan_.buckets[next_bucket_].ready <= done) {
    if (plan_.options.unknown_library) {
      PlayChildren(plan_.script->unknown_all_reduce);
    } else {
      const int group = plan_.GroupOf(next_bucket_);
      if (plan_.parallel) {
        ReduceBucket(plan_.buckets[next_bucket_++], group);
        continue;
      }
      message_ = {.elements = plan_.buckets[next_bucket_].elements,
                  .sequence = ++collectives_[static_cast<size_t>(group)],
                  .group = group};
      PlayChildren(plan_.script->all_reduce);
      message_ = {};
    }
    ++next_bucket_;
  }
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

}  // namespace stepscope::demo
