// Measures steps in the times of a replay.
#include "facts/derived/replay/job_replay.h"

namespace stepscope {

int64_t EndOfStep(const JobGraph& graph, const JobTimes& times, uint32_t rank,
                  const StepMark& mark) {
  int64_t end = kNoTime;
  for (const uint32_t moment : {mark.host_end, mark.device_end}) {
    if (moment != kNowhere) end = std::max(end, times[rank][moment]);
  }
  return AddSaturated(graph.ranks[rank].origin, end);
}

std::optional<StepEnd> LastEndOf(const JobGraph& graph, const JobTimes& times, size_t step) {
  std::optional<StepEnd> last;
  for (uint32_t r = 0; r < graph.ranks.size(); ++r) {
    const auto& marks = graph.ranks[r].marks;
    const auto mark = std::ranges::lower_bound(marks, graph.steps[step], {}, &StepMark::step);
    if (mark == marks.end() || mark->step != graph.steps[step]) continue;
    for (const uint32_t moment : {mark->host_end, mark->device_end}) {
      if (moment == kNowhere) continue;
      const int64_t time = AddSaturated(graph.ranks[r].origin, times[r][moment]);
      if (!last || time > last->time) last = {r, moment, time};
    }
  }
  return last;
}

namespace {

// When the step begins on a rank, ns on the common clock: where steps were selected, not before the
// one before it has ended.
int64_t BeginOfStep(const JobGraph& graph, const JobTimes& times, uint32_t rank,
                    const StepMark& mark) {
  const JobRank& job = graph.ranks[rank];
  const int64_t begin = AddSaturated(job.origin, times[rank][mark.begin]);
  const auto step = std::ranges::find(job.rank->steps, mark.step, &Step::number);
  if (step == job.rank->steps.end() || step->end_before == kNoTime) return begin;
  const int64_t since_first = SubtractSaturated(step->end_before, job.graph.times.front());
  return std::max(begin, AddSaturated(job.origin, since_first));
}

// ns on the common clock. Ranks begin to record one after another: a step begins when they do, on
// average, as the mean step of ranks does.
class MeanBegin {
 public:
  void Add(int64_t time) {
    if (count_ == 0) first_ = time;
    beyond_ = AddSaturated(beyond_, SubtractSaturated(time, first_));
    ++count_;
  }
  std::optional<int64_t> Mean() const {
    if (count_ == 0) return std::nullopt;
    return AddSaturated(first_, beyond_ / count_);
  }

 private:
  int64_t first_ = 0, beyond_ = 0, count_ = 0;
};

}  // namespace

std::vector<int64_t> StepLengths(const JobGraph& graph, const JobTimes& times) {
  std::vector<int64_t> ends(graph.steps.size(), kNoTime);
  MeanBegin begin;
  for (uint32_t r = 0; r < graph.ranks.size(); ++r) {
    for (const StepMark& mark : graph.ranks[r].marks) {
      const auto at = std::ranges::lower_bound(graph.steps, mark.step);
      if (at == graph.steps.end() || *at != mark.step) continue;
      int64_t& end = ends[static_cast<size_t>(at - graph.steps.begin())];
      end = std::max(end, EndOfStep(graph, times, r, mark));
      if (at != graph.steps.begin()) continue;
      begin.Add(BeginOfStep(graph, times, r, mark));
    }
  }
  std::vector<int64_t> lengths;
  for (size_t s = 0; s < ends.size(); ++s) {
    const int64_t before = s == 0 ? begin.Mean().value_or(ends[s]) : ends[s - 1];
    const int64_t length = SubtractSaturated(ends[s], before);
    lengths.push_back(std::max<int64_t>(length, 0));
  }
  return lengths;
}

std::vector<int64_t> WaitsIn(const JobGraph& graph, const JobTimes& times) {
  std::vector<int64_t> waits(graph.members.size(), 0);
  const auto came = [&](const JobMember& member) {
    return AddSaturated(graph.ranks[member.rank].origin, times[member.rank][member.start]);
  };
  for (const JobInstance& instance : graph.instances) {
    if (instance.message) continue;
    const int64_t last = came(std::ranges::max(graph.Members(instance), {}, came));
    for (uint32_t m = instance.first; m < instance.first + instance.count; ++m)
      waits[m] = SubtractSaturated(last, came(graph.members[m]));
  }
  return waits;
}

JobTimes RecordedTimes(const JobGraph& graph) {
  JobTimes times;
  for (const JobRank& rank : graph.ranks) {
    std::vector<int64_t>& own = times.emplace_back(rank.graph.times);
    const int64_t first = own.front();
    for (int64_t& time : own) time = SubtractSaturated(time, first);
  }
  return times;
}

}  // namespace stepscope
