// Plays one device of the synthetic job and the threads that drive it, and records them.
//
// A step is played in two halves, because a collective ends only when all ranks have started it:
//
//   for every device:  Open(step)      up to where the device's collectives are launched
//   Meet(jobs)                         once, when all have opened
//   for every device:  Close(step)
//
// Almost always a rank has one device. Of several the first one's thread leads: it annotates the
// step, in which the others do theirs (Join, WaitUntil, LeaveWith).
//
// Thread-safety: devices of different ranks may be played on different threads; Meet takes
// them all.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "demo/events.h"
#include "demo/gpu.h"
#include "demo/launch.h"
#include "demo/plan.h"
#include "demo/truth.h"

namespace stepscope::demo {

class RankJob {
 public:
  // `plan` must outlive the job.
  RankJob(const Plan& plan, int rank, int device);

  // Lets the threads of a device begin the step that the first of its rank has opened.
  void Join(const RankJob& first);
  // Lets the thread that annotates the step wait for the others before it closes it.
  void WaitUntil(int64_t time) { closes_after_ = time; }
  // The step of the first device of its rank, which was closed, is this one's too.
  void LeaveWith(const RankJob& first);

  // Each appends what it records to `events`.
  void Open(int64_t step, Events& events);
  void Close(int64_t step, Events& events);
  void Finish(Events& events);  // after the last step

  int64_t trace_start() const { return trace_start_; }
  int64_t now() const { return now_; }  // the host's clock
  const RankTruth& truth() const { return truth_; }

 private:
  friend void AllReduce(const Plan& plan, int64_t step, std::span<RankJob> jobs);
  friend void Meet(const Plan& plan, int64_t step, std::span<RankJob> jobs);

  // Which of its neighbors a stage sends to or receives from.
  enum class Neighbor : uint8_t { kNext, kPrevious };
  struct Messages {
    int rank = 0;  // of the neighbor
    Node send, receive;
    int64_t sent = 0, received = 0;
  };

  // An annotation that is open, and the stretch of the compute stream used inside it.
  struct OpenNote {
    const Node* node = nullptr;
    int64_t number = kNone;
    int64_t external_id = 0;
    int64_t host_start = 0;
    Slot used = {.start = kNone};
  };

  void Play(const Node& node);
  void PlayChildren(const Node& node);
  void PlayOperator(const Node& node);
  void PlayNote(const Node& node);
  void PlayPython(const Node& node);
  void PlayLayers(const Node& node);
  void PlayBackward(const Node& node);
  void LaunchReadyBuckets(int64_t done);
  // A job with parallel groups (rank_stage.cc).
  void PreparePlace();
  void PlayStage();
  void PlayStageForward();
  void PlayStageBackward(bool last);
  void ReduceTensor();
  void ExchangeExperts();
  void ReduceBucket(const Bucket& bucket, int group);
  void Reduce(int group, Lane lane, int64_t elements, int64_t duration);
  Message CollectiveOf(int group, Lane lane, int64_t elements);
  void Send(Neighbor to);
  void Receive(Neighbor from);
  Message MessageWith(Neighbor neighbor);
  void PlayMessage(const Node& node, int64_t duration);
  void WaitFor(Lane lane);
  void Defer(Launch launch);
  void AddLaunches();
  bool HasNext() const { return at_.stage + 1 < plan_.options.pipeline; }
  bool HasPrevious() const { return at_.stage > 0; }
  Messages& MessagesWith(Neighbor neighbor) { return neighbors_[static_cast<size_t>(neighbor)]; }
  void LaunchActivity(const Node& node);
  void LaunchCollective(const Kernel& kernel);
  int64_t DurationOf(const Kernel& kernel);
  void Fetch();
  void Synchronize(std::string_view kind, std::string_view call, int stream);
  void WaitBetweenStreams(int stream, int wait_stream);
  void ChangeMemory(int64_t bytes);
  void FreeBlocks(int64_t blocks);
  // Makes a call that costs so much and is blocked for so long; returns when it began. `linked`: it
  // has a counterpart on the device.
  int64_t Call(const ApiCall& call, bool linked, int64_t cost, int64_t blocked = 0);
  void AddActivity(const DeviceActivity& work);
  void AddCollectives();
  void CaptureGraph();
  void OpenStepNote(int64_t step);
  void CloseNote();
  void Spend(int64_t ns) { now_ += random_.Around(ns, kHostJitter); }
  int64_t ExternalId() const { return operators_.empty() ? 0 : operators_.back(); }

  static constexpr int64_t kHostJitter = 250;  // thousandths
  static constexpr int64_t kKernelJitter = 30;

  bool Leads() const { return device_ == 0; }

  const Plan& plan_;
  int rank_, device_;     // device_: of the rank, counted
  int64_t step_ = kNone;  // that is played
  Random random_;
  int64_t trace_start_;
  int64_t now_;
  Gpu gpu_;
  Thread thread_ = Thread::kMain;
  Events* events_ = nullptr;  // during Open, Close and Finish

  // What is open right now.
  std::vector<int64_t> operators_;  // external ids
  std::vector<int64_t> frames_;     // Python ids
  std::vector<OpenNote> notes_;
  std::vector<int64_t> sequences_;  // of forward operators that wait for their backward ones
  std::vector<int64_t> blocks_;     // bytes of device memory, in the order they were taken
  int64_t evaluated_ = kNone;       // the sequence number that is being gone back through
  std::vector<int64_t> modules_;    // calls of each class of modules in this step

  // The last number given out of each kind.
  int64_t external_id_;
  int64_t correlation_;
  int64_t python_id_;
  int64_t sequence_;
  std::array<int64_t, kMostGroups> collectives_ = {};  // of each group
  int64_t recorded_ = kNone;                           // correlation of the latest cudaEventRecord

  int64_t allocated_;
  int64_t reserved_;
  std::vector<Launch> launches_;
  size_t next_bucket_ = 0;
  Message message_;            // of the collective that is being launched
  int64_t backward_done_ = 0;  // nominal compute of the backward pass launched so far
  bool gap_pending_ = false;   // the next GPU work ends the planted gap
  int64_t step_start_ = 0;     // of the annotation
  int64_t closes_after_ = 0;   // so long the annotation stays open
  std::vector<ActivitySpan> step_work_;
  int64_t step_gap_ = 0;
  RankTruth truth_;

  // Of a job with parallel groups: launches of a step get their times all at once, in Meet.
  ParallelPlace at_;
  std::vector<ProcessGroup> groups_;
  bool defers_ = false;
  bool reduces_ = true;  // buckets of gradients become ready
  std::array<Messages, 2> neighbors_;
  int64_t messages_ = 0;                      // sent and received
  Meeting meeting_;                           // that `message_` is for
  std::array<int32_t, kLanes> last_on_ = {};  // the last launch of this step on each lane
  std::array<std::array<int32_t, kLanes>, kLanes> waits_ = {};  // of each lane, for each
};

// Lets every collective of the step begin where each device could, and end on all of its members
// alike.
void Meet(const Plan& plan, int64_t step, std::span<RankJob> jobs);

}  // namespace stepscope::demo
