// Plays a stage of a pipeline: all microbatches forward, then all backward, the last one first.
//
// What it launches is deferred: the times of work depend on other ranks throughout the step, and
// are placed together (meetings.h). The host never waits for the device meanwhile.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "demo/rank_job.h"

namespace stepscope::demo {
namespace {

constexpr int64_t kActivations = 8 * 1024 * 2048;  // elements of a microbatch between layers
constexpr int64_t kReduceTime = 110'000;           // of a layer's output, in a host
constexpr int64_t kExchangeTime = 160'000;         // of tokens among experts
constexpr int64_t kMessageTime = 280'000;          // between stages
constexpr int64_t kNormTime = 25'000;              // of one number

// The part of the script for a message, whose annotation names both ends.
Node MessageNode(const Node& part, std::string name) {
  Node node = part;
  node.children.front().children.front().children.front().name = std::move(name);
  return node;
}

uint64_t MeetingOf(const ProcessGroup& group, int64_t sequence) {
  uint64_t number = 0;
  std::from_chars(group.name.data(), group.name.data() + group.name.size(), number);
  return number << 40 | static_cast<uint64_t>(sequence);
}

uint64_t MeetingOf(int from, int to, int64_t count) {
  constexpr int kBits = 16;
  const auto ends = static_cast<uint64_t>(from) << kBits | static_cast<uint64_t>(to);
  return uint64_t{1} << 63 | ends << 31 | static_cast<uint64_t>(count);
}

}  // namespace

// Annotations have numbers within the group, as PyTorch has them.
void RankJob::PreparePlace() {
  groups_ = GroupsOf(plan_.options, rank_);
  at_ = PlaceOf(plan_.options, rank_);
  const Script& script = *plan_.script;
  const auto prepare = [&](Neighbor neighbor, int stage) {
    Messages& messages = MessagesWith(neighbor);
    messages.rank = rank_ + (stage - at_.stage) * plan_.options.tensor * ReplicasOf(plan_.options);
    messages.send = MessageNode(script.send, fmt::format("nccl:send {}->{}", at_.stage, stage));
    messages.receive =
        MessageNode(script.receive, fmt::format("nccl:recv {}<-{}", at_.stage, stage));
  };
  prepare(Neighbor::kNext, at_.stage + 1);
  prepare(Neighbor::kPrevious, at_.stage - 1);
}

void RankJob::PlayStage() {
  last_on_.fill(kNone);
  for (auto& waits : waits_) waits.fill(kNone);
  defers_ = true;
  PlayChildren(plan_.script->stage_opening);
  const int microbatches = plan_.options.microbatches;
  for (int i = 0; i < microbatches; ++i) PlayStageForward();
  for (int i = 0; i < microbatches; ++i) PlayStageBackward(i + 1 == microbatches);
  WaitFor(Lane::kData);
  WaitFor(Lane::kExpertData);
  PlayChildren(plan_.script->stage_norm);
  if (plan_.options.pipeline > 1) Reduce(kPipelineGroup, Lane::kPipeline, 1, kNormTime);
  WaitFor(Lane::kPipeline);
  defers_ = false;
}

void RankJob::PlayStageForward() {
  if (HasPrevious()) Receive(Neighbor::kPrevious);
  PlayChildren(plan_.script->stage_forward);
  if (HasNext()) Send(Neighbor::kNext);
}

void RankJob::PlayStageBackward(bool last) {
  if (HasNext()) Receive(Neighbor::kNext);
  reduces_ = last;
  PlayBackward(plan_.script->stage_backward);
  if (HasPrevious()) Send(Neighbor::kPrevious);
}

void RankJob::ReduceTensor() {
  if (plan_.options.tensor == 1) return;
  Reduce(kTensorGroup, Lane::kTensor, kActivations, kReduceTime);
  WaitFor(Lane::kTensor);
}

void RankJob::ExchangeExperts() {
  if (plan_.options.expert_groups == 1) return;
  message_ = CollectiveOf(kExpertGroup, Lane::kExpert, kActivations);
  message_.operation = "all_to_all";
  PlayMessage(plan_.script->all_to_all, kExchangeTime);
  WaitFor(Lane::kExpert);
}

void RankJob::ReduceBucket(const Bucket& bucket, int group) {
  const Lane lane = group == kDataGroup ? Lane::kData : Lane::kExpertData;
  Reduce(group, lane, bucket.elements, bucket.duration);
}

void RankJob::Reduce(int group, Lane lane, int64_t elements, int64_t duration) {
  message_ = CollectiveOf(group, lane, elements);
  PlayMessage(plan_.script->all_reduce, duration);
}

Message RankJob::CollectiveOf(int group, Lane lane, int64_t elements) {
  const auto number = static_cast<size_t>(group);
  const int64_t sequence = ++collectives_[number];
  meeting_.key = MeetingOf(groups_[number], sequence);
  meeting_.members = groups_[number].count;
  return {.elements = elements, .sequence = sequence, .group = group, .lane = lane};
}

void RankJob::Send(Neighbor to) {
  Messages& messages = MessagesWith(to);
  meeting_ = {.key = MeetingOf(rank_, messages.rank, ++messages.sent), .members = 2};
  message_ = MessageWith(to);
  message_.operation = "send";
  message_.to = messages.rank;
  PlayMessage(messages.send, kMessageTime);
}

// Compute waits for what it receives.
void RankJob::Receive(Neighbor from) {
  Messages& messages = MessagesWith(from);
  meeting_ = {.key = MeetingOf(messages.rank, rank_, ++messages.received), .members = 2};
  message_ = MessageWith(from);
  message_.operation = "recv";
  message_.from = messages.rank;
  const Lane lane = message_.lane;
  PlayMessage(messages.receive, kMessageTime);
  WaitFor(lane);
}

// A rank numbers its messages in a group by itself.
Message RankJob::MessageWith(Neighbor neighbor) {
  return {.elements = kActivations,
          .sequence = ++messages_,
          .group = kPipelineGroup,
          .lane = neighbor == Neighbor::kNext ? Lane::kNext : Lane::kPrevious};
}

void RankJob::PlayMessage(const Node& node, int64_t duration) {
  meeting_.duration = duration;
  PlayChildren(node);
  message_ = {};
}

void RankJob::WaitFor(Lane lane) {
  const int32_t last = last_on_[static_cast<size_t>(lane)];
  if (last == kNone) return;
  waits_[static_cast<size_t>(Lane::kCompute)][static_cast<size_t>(lane)] = last;
  WaitBetweenStreams(kComputeStream, StreamOf(lane));
}

// Work follows its predecessor on its lane, and what its lane was told to wait for.
void RankJob::Defer(Launch launch) {
  const auto lane = static_cast<size_t>(launch.lane);
  launch.after = waits_[lane];
  launch.after[lane] = last_on_[lane];
  if (lane == 0 && last_on_[lane] == kNone)
    launch.ready = std::max(launch.ready, gpu_.compute_free() + launch.gap);
  last_on_[lane] = static_cast<int32_t>(launches_.size());
  launches_.push_back(launch);
}

// What this step launched, now that it is known when it ran.
void RankJob::AddLaunches() {
  Slot compute{.start = kNone, .end = gpu_.compute_free()};
  int64_t communicated = gpu_.comm_free();
  for (const Launch& launch : launches_) {
    const int64_t duration = launch.slot.end - launch.slot.start;
    AddActivity({.kernel = launch.kernel,
                 .stream = StreamOf(launch.lane),
                 .start = launch.slot.start,
                 .duration = duration,
                 .external_id = launch.external_id,
                 .correlation = launch.correlation,
                 .message = launch.message});
    if (launch.lane != Lane::kCompute) {
      communicated = std::max(communicated, launch.slot.end);
      events_->gpu_ranges.push_back({.node = launch.note,
                                     .stream = StreamOf(launch.lane),
                                     .start = launch.slot.start,
                                     .duration = duration,
                                     .external_id = launch.external_id});
      continue;
    }
    if (launch.ends_gap) step_gap_ += launch.slot.start - compute.end;
    if (compute.start == kNone) compute.start = launch.slot.start;
    compute.end = launch.slot.end;
  }
  for (OpenNote& note : notes_) note.used = compute;
  for (const int32_t awaited : waits_[static_cast<size_t>(Lane::kCompute)]) {
    if (awaited == kNone) continue;
    compute.end = std::max(compute.end, launches_[static_cast<size_t>(awaited)].slot.end);
  }
  gpu_.Adopt(compute.end, communicated);
}

}  // namespace stepscope::demo
