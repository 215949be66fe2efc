// From a recording's columns to its accelerator work.
#include "facts/rank_work.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "facts/device_records.h"
#include "trace/sparse_walk.h"

namespace stepscope {
namespace {

constexpr int64_t kDay = int64_t{86'400} * 1'000'000'000;

// Where to find the call of a correlation id.
struct CallKey {
  int64_t correlation;
  uint32_t call;
};

class Builder {
 public:
  explicit Builder(Trace& trace) : trace_(trace) {}
  RankWork Build();

 private:
  struct Pending {
    Work work;
    int64_t correlation;
    int64_t step;  // number of the step it belongs to, where the trace says so; else -1
  };

  void Collect();
  void AddWork(EventId event, int64_t correlation, int64_t step, int32_t detail);
  void AddStep(EventId event, int64_t number);
  void StepsFromOptimizer();
  void LeaveOutliersOut();
  void LinkLaunches();
  void SortStreams();
  void AssignSteps();
  void FindIncompleteSteps();
  void FollowStreams();

  Trace& trace_;
  RankWork out_;
  std::vector<Pending> pending_;
  std::vector<CallKey> keys_;    // of the calls with a correlation id, by that id, then start
  std::vector<bool> call_used_;  // by call: whether work of its correlation id was recorded
};

void Builder::Collect() {
  SparseWalk correlations(trace_.Ints(IntField::kCorrelation));
  SparseWalk steps(trace_.Ints(IntField::kStep));
  WorkDetails details(trace_, out_);
  const auto kinds = trace_.kinds();
  for (EventId e = 0; e < trace_.size(); ++e) {
    const Kind kind = kinds[e];
    const int64_t step = steps.At(e).value_or(-1);
    if (kind == Kind::kAnnotation && step >= 0) AddStep(e, step);
    if (IsGpuWork(kind)) AddWork(e, correlations.At(e).value_or(-1), step, details.Take(e));
  }
}

void Builder::AddWork(EventId event, int64_t correlation, int64_t step, int32_t detail) {
  const int64_t start = trace_.starts()[event];
  const int64_t duration = trace_.durations()[event];
  if (duration > kDay) return trace_.notes.Add(NoteKind::kHugeDuration);
  const Work work{.start = start,
                  .end = start + duration,
                  .name = trace_.names()[event],
                  .stream = trace_.tracks_of()[event],  // a stream index only after SortStreams()
                  .detail = detail,
                  .kind = trace_.kinds()[event]};
  pending_.push_back({work, correlation, step});
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
  const auto kinds = trace_.kinds();
  for (EventId e = 0; e < trace_.size(); ++e) {
    const StringId name = trace_.names()[e];
    if (kinds[e] == Kind::kAnnotation && trace_.strings[name].starts_with("Optimizer.step#"))
      ends[name].push_back(trace_.starts()[e] + trace_.durations()[e]);
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
  if (pending_.empty()) return;
  std::vector<int64_t> starts;
  starts.reserve(pending_.size());
  for (const Pending& p : pending_) starts.push_back(p.work.start);
  const auto middle = starts.begin() + static_cast<std::ptrdiff_t>(starts.size() / 2);
  std::ranges::nth_element(starts, middle);
  const auto far = [median = *middle](const Pending& p) {
    return p.work.start < median - kDay || p.work.start > median + kDay;
  };
  const auto removed = std::erase_if(pending_, far);
  if (removed > 0) trace_.notes.Add(NoteKind::kClockStep, static_cast<int64_t>(removed));
}

// Correlation joins work to its launch; one launch of a graph has many kernels. Should two calls
// share a correlation id, the earlier one is the launch.
void Builder::LinkLaunches() {
  const auto& calls = out_.host->calls;
  for (size_t c = 0; c < calls.size(); ++c) {
    if (calls[c].correlation != 0)
      keys_.push_back({calls[c].correlation, static_cast<uint32_t>(c)});
  }
  if (!std::ranges::is_sorted(keys_, {}, &CallKey::correlation)) {
    std::ranges::stable_sort(keys_, {}, &CallKey::correlation);
  }
  call_used_.resize(calls.size());
  int64_t without = 0;
  for (Pending& p : pending_) {
    const auto at = std::ranges::lower_bound(keys_, p.correlation, {}, &CallKey::correlation);
    if (at == keys_.end() || at->correlation != p.correlation) {
      ++without;
      continue;
    }
    p.work.call = at->call;
    p.work.launched = calls[at->call].start;
    call_used_[at->call] = true;
  }
  if (without > 0) trace_.notes.Add(NoteKind::kWithoutLaunch, without);
}

void Builder::SortStreams() {
  std::map<std::pair<int64_t, int64_t>, uint32_t> index;
  for (const Pending& p : pending_) {
    const Track& track = trace_.tracks[p.work.stream];
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
  out_.work.reserve(pending_.size());
  for (Pending& p : pending_) {
    p.work.stream = by_track[p.work.stream];
    out_.work.push_back(p.work);
  }
  std::ranges::sort(out_.work, [this](const Work& a, const Work& b) {
    if (a.start != b.start) return a.start < b.start;
    if (a.end != b.end) return a.end < b.end;
    if (a.stream != b.stream) return a.stream < b.stream;
    return trace_.strings[a.name] < trace_.strings[b.name];
  });
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
  for (Pending& p : pending_) {
    if (const auto said = index.find(p.step); said != index.end()) {
      p.work.step = said->second;
      continue;
    }
    if (p.work.launched == kNoTime) continue;
    p.work.step = out_.StepAt(p.work.launched);
    if (p.work.step == kNoStep) ++outside;
  }
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
  for (size_t i = 0; i < keys_.size(); ++i) {
    const Call& call = out_.host->calls[keys_[i].call];
    if (i == 0 || keys_[i].correlation != keys_[i - 1].correlation)
      used = call_used_[keys_[i].call];
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
  *out_.host = BuildHostWork(trace_);
  Collect();
  if (out_.steps.empty()) StepsFromOptimizer();
  LeaveOutliersOut();
  LinkLaunches();
  AssignSteps();
  FindIncompleteSteps();
  SortStreams();
  FollowStreams();
  CollectDeviceRecords(trace_, out_);
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

RankWork BuildRankWork(Trace& trace) { return Builder(trace).Build(); }

}  // namespace stepscope
