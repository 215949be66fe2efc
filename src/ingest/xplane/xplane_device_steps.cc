// Finds the step that each activity of the devices belongs to.
#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include "ingest/xplane/xplane_device.h"

namespace stepscope {

// A step of several cores reaches from the first to begin to the last to end.
std::vector<DevicePlanes::DeviceStep> DevicePlanes::StepsOfDevices() const {
  std::map<int64_t, DeviceStep> steps;
  for (const DeviceStep& step : device_steps_) {
    DeviceStep& all = steps.try_emplace(step.number, step).first->second;
    all.start = std::min(all.start, step.start);
    all.end = std::max(all.end, step.end);
  }
  std::vector<DeviceStep> list;
  for (const auto& [number, step] : steps) list.push_back(step);
  std::ranges::sort(list, {}, &DeviceStep::start);
  return list;
}

// The activities in the trace, device by device in order of time.
std::vector<EventId> DevicePlanes::Work() const {
  std::vector<EventId> work;
  work.reserve(static_cast<size_t>(work_));
  for (EventId e = 0; e < trace_.size(); ++e) {
    if (trace_.tracks[trace_.tracks_of()[e]].is_stream) work.push_back(e);
  }
  const auto in_time = [this](EventId e) {
    return std::tuple(trace_.tracks[trace_.tracks_of()[e]].device, trace_.starts()[e], e);
  };
  if (!std::ranges::is_sorted(work, {}, in_time)) std::ranges::sort(work, {}, in_time);
  return work;
}

// Work belongs to the step that launched it. What was launched by a call that was not recorded goes
// with the work before it.
std::vector<int64_t> DevicePlanes::StepsFromLaunches(const std::vector<EventId>& work) const {
  std::vector<int64_t> steps;
  steps.reserve(work.size());
  int64_t device = -1;
  size_t near = 0;
  const auto& correlations = trace_.Ints(IntField::kCorrelation);
  size_t at = 0;  // in the column: work comes in about the order of events
  for (const EventId e : work) {
    const int64_t own = trace_.tracks[trace_.tracks_of()[e]].device;
    bool known = false;
    if (at >= correlations.size() || correlations.event(at) != e) at = correlations.LowerBound(e);
    const bool launched = at < correlations.size() && correlations.event(at) == e;
    int64_t step = launched ? groups_.StepOfLaunch(correlations.value(at++), known, near) : -1;
    if (!known && !steps.empty() && own == device) step = steps.back();
    steps.push_back(step);
    device = own;
  }
  return steps;
}

std::vector<int64_t> DevicePlanes::StepsFromIntervals(
    const std::vector<EventId>& work, const std::vector<DeviceStep>& steps,
    std::span<const Evaluation> evaluations) const {
  const auto evaluates = [&](int64_t time) {
    const auto after = std::ranges::upper_bound(evaluations, time, {}, &Evaluation::start);
    return after != evaluations.begin() && time < std::prev(after)->end;
  };
  std::vector<int64_t> numbers;
  for (const EventId e : work) {
    const int64_t start = trace_.starts()[e];
    auto after = std::ranges::upper_bound(steps, start, {}, &DeviceStep::start);
    // The last step reaches to the end of its own work.
    const bool within =
        after != steps.begin() && (start < std::prev(after)->end || after == steps.end());
    numbers.push_back(within && !evaluates(start) ? std::prev(after)->number : -1);
  }
  return numbers;
}

// Adds steps that no event of the host marks, and evaluations between them.
void DevicePlanes::AddMarkers(const std::vector<DeviceStep>& steps,
                              const std::vector<Evaluation>& evaluations, StringId name) {
  if (steps.empty() || !keep_.Has(Kind::kAnnotation)) return;
  const auto track = static_cast<TrackId>(trace_.tracks.size());
  trace_.tracks.push_back({.process = "steps", .thread = "steps", .name = "steps"});
  for (const DeviceStep& step : steps) {
    if (trace_.size() >= kNotKept - 1) return;
    trace_.Add({step.start, step.end - step.start, name, track, Kind::kAnnotation});
    trace_.Set(IntField::kStep, step.number);
  }
  for (const Evaluation& run : evaluations) {
    if (trace_.size() >= kNotKept - 1) return;
    trace_.Add({run.start, run.end - run.start, run.function, track, Kind::kAnnotation});
    trace_.Set(IntField::kEvaluationCalls, run.calls);
  }
}

// Fields are set in the order of events, which is not that of time.
void DevicePlanes::WriteSteps(const std::vector<EventId>& work, const std::vector<int64_t>& steps) {
  const auto [first, last] = std::ranges::minmax(work);
  std::vector<int64_t> by_event(last - first + size_t{1}, -1);
  for (size_t i = 0; i < work.size(); ++i) by_event[work[i] - first] = steps[i];
  for (size_t i = 0; i < by_event.size(); ++i) {
    if (by_event[i] >= 0) trace_.Set(static_cast<EventId>(first + i), IntField::kStep, by_event[i]);
  }
}

void DevicePlanes::MarkSteps() {
  std::vector<DeviceStep> own = StepsOfDevices();
  std::string_view name = "step";
  ModuleRuns::Found found;
  if (own.empty() && groups_.roots().empty()) {
    found = runs_.Find(trace_.strings, programs_);
    for (const FoundStep& step : found.steps)
      own.push_back({static_cast<int64_t>(own.size()), step.start, step.end});
    if (!own.empty()) {
      name = trace_.strings[found.module];
      trace_.notes.Add(NoteKind::kStepsFromModule, static_cast<int64_t>(own.size()), name);
    }
  }
  if (own.empty() && groups_.roots().empty()) return;
  const std::vector<EventId> work = Work();
  const auto steps =
      own.empty() ? StepsFromLaunches(work) : StepsFromIntervals(work, own, found.evaluations);
  if (!work.empty()) WriteSteps(work, steps);
  AddMarkers(own, found.evaluations, trace_.strings.Intern(name));
}

}  // namespace stepscope
