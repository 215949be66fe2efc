// Builds device activities from the columns of a trace.
#include "facts/activity/rank_activity_builder.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "base/robust.h"
#include "base/sort_runs.h"
#include "base/stop.h"
#include "base/time_units.h"
#include "facts/activity/device_records.h"
#include "facts/activity/evaluations.h"
#include "facts/activity/frame_records.h"
#include "facts/activity/host_device.h"
#include "facts/activity/host_records.h"
#include "facts/activity/one_time_work.h"
#include "facts/activity/settle_steps.h"
#include "trace/sparse_walk.h"

namespace stepscope {
namespace {

// After so many events the memory of those that were read is given back.
constexpr EventId kReleaseAfter = 1 << 18;

class Builder {
 public:
  Builder(Trace& trace, Events events) : trace_(trace), events_(events), frames_(trace) {}
  void CollectHost();
  void CollectActivity();
  RankActivity Join();

 private:
  void AddDraft(EventId event, int64_t correlation, int64_t step, int32_t detail);
  void AddStep(EventId event, int64_t number);
  void LeaveOutliersOut();
  void IndexCalls();
  void FindStreams();
  bool ComesFirst(uint32_t a, uint32_t b) const;
  void SetOrder();
  void AddActivity();
  uint32_t CallOf(int64_t correlation);
  int32_t StepOf(size_t draft, int64_t launched) const;
  template <class Visit>
  void ForEachLinkedCall(const Visit& visit);
  void FindIncompleteSteps();
  void CountLaunches();
  void TakeCondensed();

  Trace& trace_;
  const Events events_;
  RankActivity out_;
  FrameRecords frames_;
  std::vector<uint32_t> threads_;  // of each track
  // The work in the order of the file, with numbers of tracks for streams:
  ActivityList drafts_;
  NarrowArray<int64_t> correlations_;
  NarrowArray<int64_t> said_steps_;  // number of the step the trace puts it in, or -1
  std::vector<uint32_t> stream_of_track_;
  std::vector<uint32_t> order_;  // of the drafts
  std::map<int64_t, int32_t> step_by_number_;
  std::vector<uint32_t> by_correlation_;  // the calls with a correlation id, by that id, then start
  size_t found_ = 0;                      // where CallOf() looked last
  std::vector<bool> call_used_;  // by call: whether work of its correlation id was recorded
};

void Builder::CollectHost() {
  HostRecords host(trace_);
  SparseWalk steps(trace_.Ints(IntField::kStep));
  SparseWalk evaluations(trace_.Ints(IntField::kEvaluationCalls));
  StopChecks checks;
  for (EventId e = 0; e < trace_.size(); ++e) {
    checks.Turn();
    // An operator is one where loops on the host are steps: the first of each iteration.
    const Kind kind = trace_.kinds()[e];
    const bool may_step = kind == Kind::kAnnotation || kind == Kind::kOperator;
    const int64_t step = may_step ? steps.At(e).value_or(-1) : -1;
    if (step >= 0) AddStep(e, step);
    if (const auto calls = evaluations.At(e)) {
      const int64_t start = trace_.starts()[e];
      out_.evaluations.push_back({start, start + trace_.durations()[e], *calls, trace_.names()[e]});
    }
    host.Take(e);
  }
  *out_.host = host.Finish();
  threads_ = host.TakeThreadsOfTracks();
  IndexCalls();
}

void Builder::CollectActivity() {
  DeviceRecords device(trace_, out_);
  SparseWalk correlations(trace_.Ints(IntField::kCorrelation));
  SparseWalk steps(trace_.Ints(IntField::kStep));
  ActivityDetails details(trace_, out_);
  StopChecks checks;
  for (EventId e = 0; e < trace_.size(); ++e) {
    checks.Turn();
    if (IsDeviceActivity(trace_.kinds()[e])) {
      AddDraft(e, correlations.At(e).value_or(-1), steps.At(e).value_or(-1), details.Take(e));
    }
    device.Take(e);
    frames_.Take(e);
    if (events_ == Events::kRelease && (e + 1) % kReleaseAfter == 0) trace_.Release(e + 1);
  }
  device.Finish();
  LeaveOutliersOut();
  FindStreams();
  SetOrder();
}

void Builder::AddDraft(EventId event, int64_t correlation, int64_t step, int32_t detail) {
  const int64_t start = trace_.starts()[event];
  const int64_t duration = trace_.durations()[event];
  if (duration > kDay) return trace_.notes.Add(NoteKind::kHugeDuration);
  drafts_.Append({.start = start,
                  .end = start + duration,
                  .name = trace_.names()[event],
                  .stream = trace_.tracks_of()[event],
                  .detail = detail,
                  .kind = trace_.kinds()[event]});
  correlations_.Append(correlation);
  said_steps_.Append(step);
}

void Builder::AddStep(EventId event, int64_t number) {
  const int64_t start = trace_.starts()[event];
  out_.steps.push_back({number, start, start + trace_.durations()[event], true});
}

// A record with a broken clock, such as a start of 0, would stretch every span to half a century.
void Builder::LeaveOutliersOut() {
  if (drafts_.empty()) return;
  std::vector<int64_t> starts;
  starts.reserve(drafts_.size());
  for (const Activity& activity : drafts_) starts.push_back(activity.start);
  const auto is_outlier = [median = UpperMedian(starts)](int64_t start) {
    return start < median - kDay || start > median + kDay;
  };
  const auto outliers = std::ranges::count_if(starts, is_outlier);
  if (outliers == 0) return;
  trace_.notes.Add(NoteKind::kClockStep, outliers);
  const auto drafts = std::exchange(drafts_, {});
  const auto correlations = std::exchange(correlations_, {});
  const auto said_steps = std::exchange(said_steps_, {});
  for (size_t i = 0; i < drafts.size(); ++i) {
    if (is_outlier(drafts[i].start)) continue;
    drafts_.Append(drafts[i]);
    correlations_.Append(correlations[i]);
    said_steps_.Append(said_steps[i]);
  }
}

void Builder::IndexCalls() {
  const auto& calls = out_.host->calls;
  const auto correlation = [&](uint32_t call) { return calls[call].correlation; };
  by_correlation_.reserve(calls.size());
  for (uint32_t c = 0; c < calls.size(); ++c) {
    if (calls[c].correlation != 0) by_correlation_.push_back(c);
  }
  SortRuns(by_correlation_, {}, correlation);
}

// Correlation joins work to its launch; one launch of a graph has many kernels. Should two calls
// share a correlation id, the earlier one is the launch.
uint32_t Builder::CallOf(int64_t correlation) {
  const auto correlation_of = [&](uint32_t call) { return out_.host->calls[call].correlation; };
  const auto is_it = [&](size_t at) {
    return at < by_correlation_.size() && correlation_of(by_correlation_[at]) == correlation;
  };
  ++found_;  // often the next one
  const bool is_next = is_it(found_) && correlation_of(by_correlation_[found_ - 1]) != correlation;
  if (!is_next) {
    const auto at = std::ranges::lower_bound(by_correlation_, correlation, {}, correlation_of);
    found_ = static_cast<size_t>(at - by_correlation_.begin());
  }
  return is_it(found_) ? by_correlation_[found_] : kNoCall;
}

void Builder::FindStreams() {
  std::map<std::pair<int64_t, int64_t>, uint32_t> index;
  std::vector<bool> has_work(trace_.tracks.size());
  for (const Activity& activity : drafts_) has_work[activity.stream] = true;
  for (size_t t = 0; t < has_work.size(); ++t) {
    if (has_work[t]) index.try_emplace({trace_.tracks[t].device, trace_.tracks[t].stream});
  }
  for (auto& [key, position] : index) {
    const auto [device, stream] = key;
    if (out_.devices.empty() || out_.devices.back() != device) out_.devices.push_back(device);
    position = static_cast<uint32_t>(out_.streams.size());
    out_.streams.push_back({device, stream, static_cast<uint32_t>(out_.devices.size() - 1)});
  }
  stream_of_track_.resize(trace_.tracks.size());
  for (size_t t = 0; t < trace_.tracks.size(); ++t) {
    const auto at = index.find({trace_.tracks[t].device, trace_.tracks[t].stream});
    if (trace_.tracks[t].is_stream && at != index.end()) stream_of_track_[t] = at->second;
  }
}

// Of two drafts that start together, which comes first: by end, then stream, then name.
bool Builder::ComesFirst(uint32_t a, uint32_t b) const {
  const Activity x = drafts_[a], y = drafts_[b];
  if (x.end != y.end) return x.end < y.end;
  const uint32_t stream = stream_of_track_[x.stream], other = stream_of_track_[y.stream];
  if (stream != other) return stream < other;
  return x.name != y.name && trace_.strings[x.name] < trace_.strings[y.name];
}

// By start.
void Builder::SetOrder() {
  struct Draft {
    int64_t start = 0;
    uint32_t number = 0;
  };
  const auto before = [this](const Draft& a, const Draft& b) {
    return a.start != b.start ? a.start < b.start : ComesFirst(a.number, b.number);
  };
  std::vector<Draft> sorted;
  sorted.reserve(drafts_.size());
  for (uint32_t d = 0; d < drafts_.size(); ++d) sorted.push_back({drafts_[d].start, d});
  SortRuns(sorted, before);
  order_.reserve(sorted.size());
  for (const Draft& draft : sorted) order_.push_back(draft.number);
}

// The one the trace says, else the one that its launch lies in.
int32_t Builder::StepOf(size_t draft, int64_t launched) const {
  const auto said = step_by_number_.find(said_steps_[draft]);
  if (said != step_by_number_.end()) return said->second;
  return launched == kNoTime ? kNoStep : out_.StepAt(launched);
}

void Builder::AddActivity() {
  std::vector<int64_t> busy_until(out_.streams.size(), kNoTime);
  call_used_.resize(out_.host->calls.size());
  int64_t without = 0, outside = 0, overlaps = 0;
  for (const uint32_t draft : order_) {
    Activity activity = drafts_[draft];
    activity.stream = stream_of_track_[activity.stream];
    activity.call = CallOf(correlations_[draft]);
    if (activity.call == kNoCall) {
      ++without;
    } else {
      activity.launched = out_.host->calls[activity.call].start;
      call_used_[activity.call] = true;
    }
    activity.step = StepOf(draft, activity.launched);
    if (activity.step == kNoStep && activity.launched != kNoTime && !out_.steps.empty()) ++outside;
    int64_t& until = busy_until[activity.stream];
    activity.free_since = until;
    if (activity.start < until) ++overlaps;
    until = std::max(until, activity.end);
    out_.activities.Append(activity);
  }
  const auto note = [this](NoteKind kind, int64_t count) {
    if (count > 0) trace_.notes.Add(kind, count);
  };
  note(NoteKind::kWithoutLaunch, without);
  note(NoteKind::kOutsideSteps, outside);
  note(NoteKind::kOverlapping, overlaps);
}

// Calls visit(call, used) for every call with a correlation id; used: it has an activity. Of
// several with one id the first one knows.
template <class Visit>
void Builder::ForEachLinkedCall(const Visit& visit) {
  bool used = false;
  int64_t correlation = 0;
  for (const uint32_t c : by_correlation_) {
    const Call& call = out_.host->calls[c];
    if (call.correlation != correlation) used = call_used_[c];
    correlation = call.correlation;
    visit(call, used);
  }
}

// A step is complete when the last kernel launch within it has its kernel in the trace. Where no
// work says which call launched it, launches tell nothing.
void Builder::FindIncompleteSteps() {
  if (!out_.activities.empty() && std::ranges::none_of(call_used_, std::identity())) return;
  struct Last {
    int64_t start = kNoTime;
    bool used = true;
  };
  std::vector<Last> last(out_.steps.size());
  ForEachLinkedCall([&](const Call& call, bool used) {
    if (!LaunchesKernels(call.role)) return;
    const int32_t step = out_.StepAt(call.start);
    if (step == kNoStep) return;
    Last& l = last[static_cast<size_t>(step)];
    if (call.start >= l.start) l = {call.start, used};
  });
  for (size_t s = 0; s < last.size(); ++s) out_.steps[s].complete = last[s].used;
}

void Builder::CountLaunches() {
  LaunchCount& count = out_.launches;
  ForEachLinkedCall([&](const Call& call, bool used) {
    if (call.role == CallRole::kCaptured) ++count.captured;
    if (!LaunchesKernels(call.role)) return;
    ++count.calls;
    if (!used) ++count.without_kernel;
  });
  // Launches that say no id have no activity where there is none at all.
  if (!out_.activities.empty()) return;
  for (const Call& call : out_.host->calls) {
    if (call.correlation != 0 || !LaunchesKernels(call.role)) continue;
    ++count.calls;
    ++count.without_kernel;
  }
}

// What a partial says of the recording counts, and not what is missing in the partial.
void Builder::TakeCondensed() {
  const CondensedRecording& of = *trace_.meta.condensed;
  out_.condensed = trace_.meta.condensed;
  out_.on_host = of.on_host;
  out_.host_communicates = of.host_communicates;
  for (Stream& stream : out_.streams) stream.of_host = of.on_host;
  out_.launches = {of.launches, of.launches_without_kernel, of.launches_captured};
  for (Step& step : out_.steps)
    step.complete = !std::ranges::binary_search(of.incomplete_steps, step.number);
  trace_.notes = {};
}

RankActivity Builder::Join() {
  frames_.Finish(threads_, *out_.host);
  if (out_.steps.empty()) out_.steps = StepsFromOptimizer(out_.host->ranges, trace_);
  step_by_number_ = SettleSteps(out_.steps, trace_.notes);
  if (trace_.notes.Count(NoteKind::kTruncated) > 0) {
    DropCutSteps(out_.host->ranges, out_.steps);
    const auto is_gone = [&](const auto& step) { return step.second >= std::ssize(out_.steps); };
    std::erase_if(step_by_number_, is_gone);
  }
  TakeEvaluationsOut(out_, trace_.strings);
  AddActivity();
  FindIncompleteSteps();
  CountLaunches();
  FindOneTimeWork(out_, trace_.strings);
  out_.framework = trace_.meta.framework;
  out_.world_size = std::max<int64_t>(trace_.meta.world_size.value_or(1), 1);
  out_.group_members = std::move(trace_.meta.group_members);
  out_.group_descriptions = std::move(trace_.meta.group_descriptions);
  out_.machine = trace_.meta.machine;
  out_.device_name = trace_.meta.device_name;
  out_.properties = std::move(trace_.meta.devices);
  std::ranges::stable_sort(out_.properties, {}, &DeviceProperties::device);
  out_.programs = std::move(trace_.programs);
  out_.has_python = trace_.meta.has_python;
  out_.memory_only = trace_.meta.memory_only;
  out_.recorded_by = trace_.meta.recorded_by;
  if (trace_.meta.condensed) {
    TakeCondensed();
    return std::move(out_);
  }
  const OnHost on_host = out_.recorded_by == RecordedBy::kAscend
                             ? OnHost::kUnknown
                             : ComputesOnHost(out_, trace_.strings, trace_.meta.lists_no_device);
  const int64_t groups = trace_.meta.process_groups.value_or(0);
  const int64_t group_size = groups == 1 ? out_.world_size : groups > 1 ? 0 : -1;
  if (on_host != OnHost::kUnknown) {
    out_.assumed_on_host = on_host == OnHost::kAssumed;
    TakeHostForDevice(out_, trace_.strings, group_size);
  } else {
    TakeHostCommunication(out_, trace_.strings, group_size);
  }
  if (out_.recorded_by == RecordedBy::kAscend && out_.activities.empty())
    trace_.notes.Add(NoteKind::kOfAscend);
  else if (out_.activities.empty() && !out_.memory_only)
    trace_.notes.Add(NoteKind::kNoGpuEvents);
  return std::move(out_);
}

}  // namespace

struct RankActivityBuilder::State {
  Builder builder;
};

RankActivityBuilder::RankActivityBuilder(Trace& trace, Events events)
    : state_(std::make_unique<State>(State{Builder(trace, events)})) {}
RankActivityBuilder::~RankActivityBuilder() = default;

void RankActivityBuilder::TakeHost() { state_->builder.CollectHost(); }
void RankActivityBuilder::TakeDevices() { state_->builder.CollectActivity(); }
RankActivity RankActivityBuilder::Finish() { return state_->builder.Join(); }

RankActivity BuildRankActivity(Trace& trace, Events events) {
  RankActivityBuilder builder(trace, events);
  builder.TakeHost();  // first: while the one is collected, little is held of the other
  builder.TakeDevices();
  return builder.Finish();
}

}  // namespace stepscope
