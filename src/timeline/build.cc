// Finds the axis, orders the tracks, and joins collectives across ranks.
#include "timeline/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/parallel.h"
#include "base/saturate.h"
#include "base/time_units.h"
#include "facts/collectives/collectives.h"
#include "facts/steps/steps.h"
#include "timeline/counters.h"
#include "timeline/host_kinds.h"
#include "timeline/state.h"

namespace stepscope {
namespace {

// Events of a recording begin within a day of their middle, and last a day at most.
constexpr int64_t kLongestRecording = 3 * kDay;
// Recordings further apart than this are not of one run, as far as their clocks tell.
constexpr int64_t kFarApart = int64_t{1} << 50;

std::string NameOf(const RankActivity& rank) {
  return rank.window == 0 ? fmt::format("rank {}", rank.rank)
                          : fmt::format("rank {}, window {}", rank.rank, rank.window);
}

// Whether an event of this kind is something that a rank did, and no record about the recording or
// the Python frames around it, which last as long as the process.
bool IsWork(Kind kind) {
  switch (kind) {
    case Kind::kPython:
    case Kind::kPythonWait:
    case Kind::kOverhead:
    case Kind::kInstant:
    case Kind::kCounter:
    case Kind::kFlow:
    case Kind::kProfilerWindow:
      return false;
    default:
      return true;
  }
}

// From the first start to the last end of a track's work, on its recording's clock.
std::optional<std::pair<int64_t, int64_t>> WorkOf(const EventStore& events) {
  if (std::ranges::all_of(events.Kinds(), IsWork)) {
    return std::pair(events.first_start(), events.last_end());
  }
  std::optional<std::pair<int64_t, int64_t>> work;
  if (std::ranges::none_of(events.Kinds(), IsWork)) return work;
  for (size_t i = 0; i < events.size(); ++i) {
    if (!IsWork(events.KindOf(i))) continue;
    if (!work) work.emplace(events.Start(i), events.End(i));
    work->first = std::min(work->first, events.Start(i));
    work->second = std::max(work->second, events.End(i));
  }
  return work;
}

// What is shown together: a device, a process.
struct Group {
  int64_t order = 0;
  std::vector<uint32_t> counters, tracks;
};

// Devices by number; then what has tracks, as they come; then what has counters alone.
std::vector<Group> GroupsOf(const std::vector<RecordedTrack>& tracks,
                            const std::vector<RecordedCounter>& counters) {
  constexpr int64_t kNoDevice = int64_t{1} << 62;
  std::vector<Group> groups;
  std::map<std::string_view, size_t> index;
  const auto group_of = [&](std::string_view name, int64_t order) -> Group& {
    const auto [at, is_new] = index.try_emplace(name, groups.size());
    if (is_new) groups.push_back({.order = order, .counters = {}, .tracks = {}});
    return groups[at->second];
  };
  for (uint32_t t = 0; t < tracks.size(); ++t) {
    const bool is_device = tracks[t].device >= 0;
    group_of(tracks[t].group, is_device ? tracks[t].device : kNoDevice).tracks.push_back(t);
  }
  for (uint32_t c = 0; c < counters.size(); ++c) {
    const bool is_device = counters[c].device >= 0;
    group_of(counters[c].group, is_device ? counters[c].device : kNoDevice + 1)
        .counters.push_back(c);
  }
  std::ranges::stable_sort(groups, {}, &Group::order);
  return groups;
}

class Builder {
 public:
  explicit Builder(TimelineInput& input)
      : input_(input), state_(std::make_unique<Timeline::State>()) {}

  Timeline Build();

 private:
  void FollowAllCounters();
  std::optional<int64_t> FirstTime(size_t recording) const;
  void PlaceOnAxis();
  void AddRecording(uint32_t recording);
  void AddSteps(uint32_t recording);
  void AddCounter(uint32_t recording, RecordedCounter& counter);
  void AddTrack(uint32_t recording, uint32_t track);
  void Extend(uint32_t recording, int64_t own_end) {
    state_->end = std::max(state_->end, state_->axes[recording].ToCommon(own_end));
  }
  void ExtendWork(int64_t begin, int64_t end);
  void SettleWork();
  void AddPeers();
  void IndexStreams();
  std::optional<EventRef> Find(const CollectivePart& part) const;

  TimelineInput& input_;
  std::unique_ptr<Timeline::State> state_;
  CollectiveFacts collectives_;
  std::vector<std::vector<RecordedCounter>> counters_;  // of each recording
  std::vector<int64_t> firsts_;                         // when each begins, on its own clock
  bool has_work_ = false;
  // Recording, device and stream: the tracks of its activities.
  std::map<std::tuple<uint32_t, int64_t, int64_t>, std::vector<uint32_t>> streams_;
};

void Builder::FollowAllCounters() {
  counters_.resize(input_.ranks.size());
  ParallelFor(counters_.size(), 0, [&](size_t i) {
    counters_[i] = FollowCounters(*input_.names_of_ranks, input_.ranks[i]);
    auto& in_trace = state_->recordings[i].counters;
    std::ranges::move(in_trace, std::back_inserter(counters_[i]));
    in_trace = {};
  });
}

// When the first event begins. Where there are none, counters tell: the middle one of their first
// points, as clocks may be broken.
std::optional<int64_t> Builder::FirstTime(size_t recording) const {
  std::optional<int64_t> first;
  for (const RecordedTrack& track : state_->recordings[recording].tracks) {
    const int64_t start = track.events.first_start();
    if (!first || start < *first) first = start;
  }
  if (first) return first;
  std::vector<int64_t> begins;
  for (const RecordedCounter& counter : counters_[recording]) {
    begins.push_back(counter.points.front().time);
  }
  if (begins.empty()) return std::nullopt;
  std::ranges::sort(begins);
  return begins[begins.size() / 2];
}

// The axis begins with the first event of all recordings. A recording whose clock is nowhere near
// the others' begins with it.
void Builder::PlaceOnAxis() {
  std::map<int64_t, Clock> clocks;
  for (const RankCollectives& rank : collectives_.ranks) clocks[rank.rank] = rank.clock;
  std::vector<Clock> clock_of;
  std::vector<int64_t> begins, known;
  for (size_t i = 0; i < input_.ranks.size(); ++i) {
    const RankActivity& rank = input_.ranks[i];
    const Clock clock = clocks[rank.rank];
    const auto first = FirstTime(i);
    firsts_.push_back(first.value_or(0));
    clock_of.push_back(clock);
    begins.push_back(Axis(clock, 0).ToCommon(firsts_.back()));
    if (first) known.push_back(begins.back());
    state_->ranks.push_back({.rank = rank.rank,
                             .window = rank.window,
                             .name = NameOf(rank),
                             .aligned = clock.known || input_.ranks.size() == 1});
  }
  std::ranges::sort(known);
  const int64_t middle = known.empty() ? 0 : known[known.size() / 2];
  const auto near = [&](int64_t begin) {
    const int64_t apart = SubtractSaturated(begin, middle);
    return apart >= -kFarApart && apart <= kFarApart;
  };
  const auto first_near = std::ranges::find_if(known, near);
  const int64_t zero = first_near == known.end() ? 0 : *first_near;
  for (size_t i = 0; i < begins.size(); ++i) {
    state_->axes.emplace_back(clock_of[i], near(begins[i]) ? zero : begins[i]);
    state_->ranks[i].aligned = state_->ranks[i].aligned && near(begins[i]);
  }
}

// As the reports have them: a step begins where the one before it ended, and ends with its last
// work. Of one that another covers whole there is nothing to draw.
void Builder::AddSteps(uint32_t recording) {
  NarrowArray<int64_t> starts, durations;
  NarrowArray<uint32_t> names;
  const std::vector<Step>& steps = input_.ranks[recording].steps;
  const std::vector<StepStretch> stretches = StepStretches(input_.ranks[recording]);
  for (size_t s = 0; s < steps.size(); ++s) {
    const auto& [start, end, _] = stretches[s];
    const int64_t off = SubtractSaturated(start, firsts_[recording]);
    if (off < 0 || off > kLongestRecording || end <= start) continue;
    const int64_t duration = std::min(SubtractSaturated(end, start), kDay);
    starts.Append(start);
    durations.Append(duration);
    names.Append(state_->names.Intern(fmt::format("step {}", steps[s].number)));
    const Axis& axis = state_->axes[recording];
    state_->steps.push_back({.rank_index = recording,
                             .number = steps[s].number,
                             .start = axis.ToCommon(start),
                             .end = axis.ToCommon(start + duration)});
    ExtendWork(state_->steps.back().start, state_->steps.back().end);
  }
  if (starts.empty()) return;
  const std::vector<Kind> kinds(starts.size(), Kind::kAnnotation);
  std::vector<uint32_t> ids(starts.size());
  std::iota(ids.begin(), ids.end(), 0u);
  const EventStore& store = state_->step_stores.emplace_back(
      EventColumns{.starts = starts, .durations = durations, .names = names, .kinds = kinds},
      std::move(ids));
  state_->data.push_back(
      {.recording = recording, .steps = static_cast<uint32_t>(state_->step_stores.size() - 1)});
  state_->tracks.push_back({.rank_index = recording,
                            .kind = TrackKind::kSteps,
                            .group = "steps",
                            .name = "steps",
                            .rows = static_cast<uint32_t>(store.rows()),
                            .events = store.size()});
  Extend(recording, store.last_end());
}

void Builder::AddCounter(uint32_t recording, RecordedCounter& counter) {
  if (counter.points.empty()) return;
  const int64_t first = firsts_[recording];
  std::erase_if(counter.points, [&](const CounterPoint& point) {
    const int64_t off = SubtractSaturated(point.time, first);
    return off < -kLongestRecording || off > kLongestRecording || !std::isfinite(point.value);
  });
  if (counter.points.empty()) return;
  // What it was before the axis begins, it is there.
  const int64_t begin = state_->axes[recording].ToOwn(0);
  double most = counter.points.front().value;
  for (CounterPoint& point : counter.points) {
    point.time = std::max(point.time, begin);
    most = std::max(most, point.value);
  }
  Extend(recording, counter.points.back().time);
  state_->counters.emplace_back(counter.points);
  state_->data.push_back(
      {.recording = recording, .counter = static_cast<uint32_t>(state_->counters.size() - 1)});
  state_->tracks.push_back({.rank_index = recording,
                            .kind = TrackKind::kCounter,
                            .group = counter.group,
                            .name = counter.name,
                            .rows = 0,
                            .events = counter.points.size(),
                            .unit = counter.unit,
                            .max = most});
  counter = {};
}

void Builder::AddTrack(uint32_t recording, uint32_t track) {
  RecordedTrack& recorded = state_->recordings[recording].tracks[track];
  state_->track_ids[recording][track] = static_cast<uint32_t>(state_->tracks.size());
  state_->data.push_back({.recording = recording, .recorded = track});
  state_->tracks.push_back({.rank_index = recording,
                            .kind = recorded.kind,
                            .group = recorded.group,
                            .name = recorded.name,
                            .rows = static_cast<uint32_t>(recorded.events.rows()),
                            .events = recorded.events.size()});
  state_->events += recorded.events.size();
  Extend(recording, recorded.events.last_end());
  if (const auto work = WorkOf(recorded.events)) {
    const Axis& axis = state_->axes[recording];
    ExtendWork(axis.ToCommon(work->first), axis.ToCommon(work->second));
  }
}

void Builder::ExtendWork(int64_t begin, int64_t end) {
  if (!has_work_) std::tie(state_->work_begin, state_->work_end) = std::pair(begin, end);
  has_work_ = true;
  state_->work_begin = std::min(state_->work_begin, begin);
  state_->work_end = std::max(state_->work_end, end);
}

void Builder::SettleWork() {
  state_->work_begin = std::clamp(state_->work_begin, int64_t{0}, state_->end);
  state_->work_end =
      has_work_ ? std::clamp(state_->work_end, int64_t{0}, state_->end) : state_->end;
}

// Steps first; then group by group, counters below what they are about: what runs is looked at
// first.
void Builder::AddRecording(uint32_t recording) {
  auto& tracks = state_->recordings[recording].tracks;
  auto& counters = counters_[recording];
  TakeKindsOfHost(input_.ranks[recording], *input_.names_of_ranks, state_->names,
                  state_->recordings[recording]);
  state_->track_ids[recording].resize(tracks.size());
  state_->left_out += state_->recordings[recording].left_out;
  AddSteps(recording);
  for (const Group& group : GroupsOf(tracks, counters)) {
    for (const uint32_t t : group.tracks) AddTrack(recording, t);
    for (const uint32_t c : group.counters) AddCounter(recording, counters[c]);
  }
  counters = {};
}

void Builder::IndexStreams() {
  for (uint32_t r = 0; r < state_->recordings.size(); ++r) {
    const auto& tracks = state_->recordings[r].tracks;
    for (uint32_t t = 0; t < tracks.size(); ++t) {
      const bool has_work = tracks[t].kind == TrackKind::kStream && tracks[t].line == Line::kMain;
      if (has_work) streams_[{r, tracks[t].device, tracks[t].stream}].push_back(t);
    }
  }
}

// The event that the activity of a part is, by its stream and times.
std::optional<EventRef> Builder::Find(const CollectivePart& part) const {
  const RankActivity& rank = input_.ranks[part.recording];
  const Activity& activity = rank.activities[part.activity];
  const Stream& stream = rank.streams[activity.stream];
  const auto of_stream = streams_.find({part.recording, stream.device, stream.stream});
  if (of_stream == streams_.end()) return std::nullopt;
  for (const uint32_t t : of_stream->second) {
    const RecordedTrack& track = state_->recordings[part.recording].tracks[t];
    for (size_t row = 0; row < track.events.rows(); ++row) {
      const auto [begin, end] = track.events.Row(row);
      for (size_t i = track.events.FirstFrom(begin, end, activity.start);
           i < end && track.events.Start(i) == activity.start; ++i) {
        if (track.events.End(i) != activity.end || track.events.KindOf(i) != activity.kind)
          continue;
        return EventRef{state_->track_ids[part.recording][t], static_cast<uint32_t>(i)};
      }
    }
  }
  return std::nullopt;
}

void Builder::AddPeers() {
  IndexStreams();
  for (size_t m = 0; m < collectives_.matches.size(); ++m) {
    const CollectiveMatch& match = collectives_.matches[m];
    if (!match.Matched()) continue;
    for (uint32_t p = match.first; p < match.first + match.count; ++p) {
      const auto event = Find(collectives_.parts[p]);
      if (!event) continue;
      state_->parts.push_back({*event, static_cast<uint32_t>(m), p == match.last});
    }
  }
  state_->parts_by_event.resize(state_->parts.size());
  std::iota(state_->parts_by_event.begin(), state_->parts_by_event.end(), 0u);
  std::ranges::sort(state_->parts_by_event, {}, [this](uint32_t p) {
    const EventRef event = state_->parts[p].event;
    return std::pair(event.track, event.event);
  });
}

Timeline Builder::Build() {
  state_->names = std::move(input_.names);
  state_->recordings = std::move(input_.recordings);
  state_->recordings.resize(input_.ranks.size());
  state_->track_ids.resize(input_.ranks.size());
  collectives_ = DeriveCollectives(*input_.names_of_ranks, input_.ranks, input_.ranks);
  FollowAllCounters();
  PlaceOnAxis();
  for (uint32_t i = 0; i < input_.ranks.size(); ++i) AddRecording(i);
  SettleWork();
  for (size_t i = 0; i < state_->ranks.size(); ++i) {
    state_->ranks[i].own_begin = state_->axes[i].ToOwn(0);
    state_->ranks[i].own_end = state_->axes[i].ToOwn(state_->end);
  }
  AddPeers();
  return Timeline(std::move(state_));
}

}  // namespace

Timeline BuildTimeline(TimelineInput input) { return Builder(input).Build(); }

}  // namespace stepscope
