// From a recording's columns to its accelerator work.
#include "facts/rank_work.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/stop.h"
#include "facts/device_records.h"
#include "facts/host_records.h"
#include "trace/sparse_walk.h"

namespace stepscope {
namespace {

constexpr int64_t kDay = int64_t{86'400} * 1'000'000'000;

// After so many events the memory of those that were read is given back.
constexpr EventId kLetGoAfter = 1 << 18;

class Builder {
 public:
  Builder(Trace& trace, Events events) : trace_(trace), events_(events) {}
  RankWork Build();

 private:
  void Collect();
  void AddWork(EventId event, int64_t correlation, int64_t step, int32_t detail);
  void AddStep(EventId event, int64_t number);
  void StepsFromOptimizer();
  void LeaveOutliersOut();
  void IndexCalls();
  void LinkLaunches();
  void SortStreams();
  void AssignSteps();
  void FindIncompleteSteps();
  void FollowStreams();

  Trace& trace_;
  const Events events_;
  RankWork out_;
  // Of each piece of work, in the order of the file until it is sorted:
  std::vector<int64_t> correlations_;
  std::vector<int64_t>
      said_steps_;  // number of the step the trace puts it in, or -1; empty: of none
  std::vector<uint32_t> by_correlation_;  // the calls with a correlation id, by that id, then start
  std::vector<bool> call_used_;  // by call: whether work of its correlation id was recorded
};

void Builder::Collect() {
  const auto count = static_cast<size_t>(std::ranges::count_if(trace_.kinds(), IsGpuWork));
  out_.work.reserve(count);
  correlations_.reserve(count);
  HostRecords host(trace_);
  DeviceRecords device(trace_, out_);
  SparseWalk correlations(trace_.Ints(IntField::kCorrelation));
  SparseWalk steps(trace_.Ints(IntField::kStep));
  WorkDetails details(trace_, out_);
  StopChecks checks;
  for (EventId e = 0; e < trace_.size(); ++e) {
    checks.Turn();
    const Kind kind = trace_.kinds()[e];
    const int64_t step = steps.At(e).value_or(-1);
    if (kind == Kind::kAnnotation && step >= 0) AddStep(e, step);
    if (IsGpuWork(kind)) AddWork(e, correlations.At(e).value_or(-1), step, details.Take(e));
    host.Take(e);
    device.Take(e);
    if (events_ == Events::kLetGo && (e + 1) % kLetGoAfter == 0) trace_.LetGo(e + 1);
  }
  if (events_ == Events::kLetGo) trace_.LetGo(static_cast<EventId>(trace_.size()));
  *out_.host = host.Finish();
  device.Finish();
}

void Builder::AddWork(EventId event, int64_t correlation, int64_t step, int32_t detail) {
  const int64_t start = trace_.starts()[event];
  const int64_t duration = trace_.durations()[event];
  if (duration > kDay) return trace_.notes.Add(NoteKind::kHugeDuration);
  out_.work.push_back({.start = start,
                       .end = start + duration,
                       .name = trace_.names()[event],
                       .stream = trace_.tracks_of()[event],  // its index only after SortStreams()
                       .detail = detail,
                       .kind = trace_.kinds()[event]});
  correlations_.push_back(correlation);
  if (step >= 0) {
    said_steps_.reserve(out_.work.capacity());
    said_steps_.resize(out_.work.size() - 1, -1);
  }
  if (step >= 0 || !said_steps_.empty()) said_steps_.push_back(step);
}

void Builder::AddStep(EventId event, int64_t number) {
  const int64_t start = trace_.starts()[event];
  out_.steps.push_back({number, start, start + trace_.durations()[event], true});
}

// Training loops without profiler.step() still step their optimizer: what lies between the ends of
// two of its steps is one of the loop's. Of several optimizers the one counts that steps least
// often: the others may do so several times in a turn of the loop.
void Builder::StepsFromOptimizer() {
  std::map<StringId, std::vector<int64_t>> ends;
  for (const HostRange& range : out_.host->ranges) {
    if (range.kind == Kind::kAnnotation &&
        trace_.strings[range.name].starts_with("Optimizer.step#"))
      ends[range.name].push_back(range.end);
  }
  std::erase_if(ends, [](const auto& of_one) { return of_one.second.size() < 2; });
  if (ends.empty()) return;
  auto& [name, rarest] =
      *std::ranges::min_element(ends, {}, [](const auto& of_one) { return of_one.second.size(); });
  std::ranges::sort(rarest);
  for (size_t i = 1; i < rarest.size(); ++i)
    out_.steps.push_back({static_cast<int64_t>(i - 1), rarest[i - 1], rarest[i], true});
  trace_.notes.Add(NoteKind::kStepsFromOptimizer, static_cast<int64_t>(out_.steps.size()),
                   trace_.strings[name]);
}

// A record with a broken clock, such as a start of 0, would stretch every span to half a century.
void Builder::LeaveOutliersOut() {
  auto& work = out_.work;
  if (work.empty()) return;
  std::vector<int64_t> starts;
  starts.reserve(work.size());
  for (const Work& w : work) starts.push_back(w.start);
  const auto middle = starts.begin() + static_cast<std::ptrdiff_t>(starts.size() / 2);
  std::ranges::nth_element(starts, middle);
  const int64_t median = *middle;
  size_t kept = 0;
  for (size_t i = 0; i < work.size(); ++i) {
    if (work[i].start < median - kDay || work[i].start > median + kDay) continue;
    work[kept] = work[i];
    correlations_[kept] = correlations_[i];
    if (!said_steps_.empty()) said_steps_[kept] = said_steps_[i];
    ++kept;
  }
  const size_t removed = work.size() - kept;
  work.resize(kept);
  if (removed > 0) trace_.notes.Add(NoteKind::kClockStep, static_cast<int64_t>(removed));
}

void Builder::IndexCalls() {
  const auto& calls = out_.host->calls;
  const auto correlation = [&](uint32_t call) { return calls[call].correlation; };
  by_correlation_.reserve(calls.size());
  for (uint32_t c = 0; c < calls.size(); ++c) {
    if (calls[c].correlation != 0) by_correlation_.push_back(c);
  }
  if (!std::ranges::is_sorted(by_correlation_, {}, correlation)) {
    std::ranges::sort(by_correlation_, {},
                      [&](uint32_t call) { return std::pair(correlation(call), call); });
  }
}

// Correlation joins work to its launch; one launch of a graph has many kernels. Should two calls
// share a correlation id, the earlier one is the launch.
void Builder::LinkLaunches() {
  IndexCalls();
  const auto& calls = out_.host->calls;
  call_used_.resize(calls.size());
  int64_t without = 0;
  for (size_t i = 0; i < out_.work.size(); ++i) {
    const auto at =
        std::ranges::lower_bound(by_correlation_, correlations_[i], {},
                                 [&](uint32_t call) { return calls[call].correlation; });
    if (at == by_correlation_.end() || calls[*at].correlation != correlations_[i]) {
      ++without;
      continue;
    }
    out_.work[i].call = *at;
    out_.work[i].launched = calls[*at].start;
    call_used_[*at] = true;
  }
  correlations_ = {};
  if (without > 0) trace_.notes.Add(NoteKind::kWithoutLaunch, without);
}

void Builder::SortStreams() {
  std::map<std::pair<int64_t, int64_t>, uint32_t> index;
  for (const Work& work : out_.work) {
    const Track& track = trace_.tracks[work.stream];
    index.try_emplace({track.device, track.stream});
  }
  for (auto& [key, position] : index) {
    const auto [device, stream] = key;
    if (out_.devices.empty() || out_.devices.back() != device) out_.devices.push_back(device);
    position = static_cast<uint32_t>(out_.streams.size());
    out_.streams.push_back({device, stream, static_cast<uint32_t>(out_.devices.size() - 1)});
  }
  std::vector<uint32_t> by_track(trace_.tracks.size());
  for (size_t t = 0; t < trace_.tracks.size(); ++t) {
    const auto at = index.find({trace_.tracks[t].device, trace_.tracks[t].stream});
    if (trace_.tracks[t].is_stream && at != index.end()) by_track[t] = at->second;
  }
  for (Work& work : out_.work) work.stream = by_track[work.stream];
  const auto before = [this](const Work& a, const Work& b) {
    if (a.start != b.start) return a.start < b.start;
    if (a.end != b.end) return a.end < b.end;
    if (a.stream != b.stream) return a.stream < b.stream;
    return trace_.strings[a.name] < trace_.strings[b.name];
  };
  if (!std::ranges::is_sorted(out_.work, before)) std::ranges::sort(out_.work, before);
}

void Builder::AssignSteps() {
  auto& steps = out_.steps;
  std::ranges::sort(steps, {}, [](const Step& s) { return std::tuple(s.start, s.end, s.number); });
  std::map<int64_t, int64_t> seen;
  const auto repeated = std::erase_if(steps, [&](const Step& s) { return seen[s.number]++ > 0; });
  if (repeated > 0) trace_.notes.Add(NoteKind::kRepeatedStep, static_cast<int64_t>(repeated));
  if (steps.empty()) return;
  std::map<int64_t, int32_t> index;
  for (size_t s = 0; s < steps.size(); ++s) index[steps[s].number] = static_cast<int32_t>(s);
  int64_t outside = 0;
  for (size_t i = 0; i < out_.work.size(); ++i) {
    Work& work = out_.work[i];
    const auto said = said_steps_.empty() ? index.end() : index.find(said_steps_[i]);
    if (said != index.end()) {
      work.step = said->second;
      continue;
    }
    if (work.launched == kNoTime) continue;
    work.step = out_.StepAt(work.launched);
    if (work.step == kNoStep) ++outside;
  }
  said_steps_ = {};
  if (outside > 0) trace_.notes.Add(NoteKind::kOutsideSteps, outside);
}

// A step is complete when the last kernel launch within it has its kernel in the trace.
void Builder::FindIncompleteSteps() {
  struct Last {
    int64_t start = kNoTime;
    bool used = true;
  };
  std::vector<Last> last(out_.steps.size());
  bool used = false;  // by any work; where two calls share a correlation id, the first one knows
  int64_t correlation = 0;
  for (const uint32_t c : by_correlation_) {
    const Call& call = out_.host->calls[c];
    if (call.correlation != correlation) used = call_used_[c];
    correlation = call.correlation;
    if (!LaunchesKernels(call.role)) continue;
    const int32_t step = out_.StepAt(call.start);
    if (step == kNoStep) continue;
    Last& l = last[static_cast<size_t>(step)];
    if (call.start >= l.start) l = {call.start, used};
  }
  for (size_t s = 0; s < last.size(); ++s) out_.steps[s].complete = last[s].used;
}

void Builder::FollowStreams() {
  std::vector<int64_t> busy_until(out_.streams.size(), kNoTime);
  int64_t overlaps = 0;
  for (Work& work : out_.work) {
    int64_t& until = busy_until[work.stream];
    work.free_since = until;
    if (work.start < until) ++overlaps;
    until = std::max(until, work.end);
  }
  if (overlaps > 0) trace_.notes.Add(NoteKind::kOverlapping, overlaps);
}

RankWork Builder::Build() {
  Collect();
  if (out_.steps.empty()) StepsFromOptimizer();
  LeaveOutliersOut();
  LinkLaunches();
  AssignSteps();
  FindIncompleteSteps();
  SortStreams();
  FollowStreams();
  if (out_.work.empty() && !trace_.meta.memory_only) trace_.notes.Add(NoteKind::kNoGpuEvents);
  out_.device_name = trace_.meta.device_name;
  out_.properties = std::move(trace_.meta.devices);
  out_.memory_only = trace_.meta.memory_only;
  return std::move(out_);
}

}  // namespace

int32_t RankWork::StepAt(int64_t time) const {
  const auto after = std::ranges::upper_bound(steps, time, {}, &Step::start);
  for (auto step = after; step != steps.begin();) {
    --step;
    if (time < step->end) return static_cast<int32_t>(step - steps.begin());
    if (after - step >= 2) break;  // annotations follow one another: no need to look further back
  }
  return kNoStep;
}

RankWork BuildRankWork(Trace& trace, Events events) { return Builder(trace, events).Build(); }

}  // namespace stepscope
