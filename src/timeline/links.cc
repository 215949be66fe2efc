// Finds related events: operators around an event, its launch, its activities, its peers.
#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "timeline/describe.h"
#include "timeline/state.h"

namespace stepscope {
namespace {

constexpr size_t kMostLinks = 256;
constexpr size_t kDeepestStack = 512;

class Describer {
 public:
  Describer(const Timeline::State& state, EventRef ref)
      : state_(state),
        data_(state.data[ref.track]),
        recording_(state.recordings[data_.recording]),
        events_(state.Events(ref.track)) {
    out_.event = state.EventAt(ref);
  }

  EventDetails Describe() {
    if (data_.IsSteps()) return std::move(out_);
    out_.fields = FieldsOf(state_, recording_, events_.Source(out_.event.ref.event));
    AddCorrelated();
    AddWaitedFor();
    AddAwaitedByHost();
    AddQueuedBehind();
    AddPeers();
    AddStack();
    AddShapesOfOperator();
    return std::move(out_);
  }

 private:
  const RecordedTrack& TrackOf(EventRef ref) const {
    return recording_.tracks[state_.data[ref.track].recorded];
  }
  Kind KindAt(EventRef ref) const { return state_.Events(ref.track).KindOf(ref.event); }
  void Link(LinkKind kind, EventRef ref) {
    if (out_.links.size() < kMostLinks) out_.links.push_back({kind, state_.EventAt(ref)});
  }
  EventRef AtNumber(uint32_t number) const;
  template <class F>
  void ForEachCorrelated(int64_t correlation, const F& f) const;
  void AddCorrelated();
  void AddWaitedFor();
  void AddAwaitedByHost();
  void AddQueuedBehind();
  struct Ended {
    std::optional<EventRef> event;
    int64_t end = INT64_MIN;
  };
  void LastEnded(uint32_t track, int64_t time, Ended& last) const;
  void AddPeers();
  void AddStack();
  void AddShapesOfOperator();
  void AddAround(EventRef inner, uint32_t track);

  const Timeline::State& state_;
  const TrackData& data_;
  const RecordedEvents& recording_;
  const EventStore& events_;
  EventDetails out_;
  std::optional<EventRef> launch_;
};

// Of activities and calls: the inputs of the innermost operator that says them.
void Describer::AddShapesOfOperator() {
  const auto shapes_of = [&](EventRef ref) {
    const uint32_t source = state_.Events(ref.track).Source(ref.event);
    return recording_.Texts(TextField::kInputShapes).Find(source);
  };
  const Kind kind = KindAt(out_.event.ref);
  if (kind != Kind::kRuntime && !IsDeviceActivity(kind)) return;
  for (const TimelineEvent& around : out_.stack) {
    const auto text = shapes_of(around.ref);
    if (!text) continue;
    const std::string_view shapes = state_.names[recording_.Shared(*text)];
    out_.fields.push_back({"operator_shapes", "inputs of " + std::string(around.name),
                           std::string(shapes), Unit::kNone});
    return;
  }
}

// The event with this number in the recording.
EventRef Describer::AtNumber(uint32_t number) const {
  const auto after = std::ranges::upper_bound(recording_.tracks, number, {}, &RecordedTrack::first);
  const auto track = static_cast<size_t>(after - recording_.tracks.begin()) - 1;
  return {state_.track_ids[data_.recording][track], number - recording_.tracks[track].first};
}

template <class F>
void Describer::ForEachCorrelated(int64_t correlation, const F& f) const {
  recording_.Correlations().ForEachEventOf(correlation, [&](uint32_t number) {
    f(AtNumber(number));
    return out_.links.size() < kMostLinks;
  });
}

void Describer::AddCorrelated() {
  const EventRef self = out_.event.ref;
  const bool is_call = KindAt(self) == Kind::kRuntime;
  const auto correlation = recording_.Correlations().Find(TrackOf(self).first + self.event);
  if (!correlation) return;
  ForEachCorrelated(*correlation, [&](EventRef other) {
    const bool other_is_call = KindAt(other) == Kind::kRuntime;
    if (is_call == other_is_call) return;
    if (!is_call && !launch_) launch_ = other;
    Link(is_call ? LinkKind::kActivity : LinkKind::kLaunch, other);
  });
}

// A wait of a stream or the host names the call that recorded the event it waits for.
void Describer::AddWaitedFor() {
  const uint32_t source = events_.Source(out_.event.ref.event);
  const auto correlation = recording_.Ints(IntField::kWaitCorrelation).Find(source);
  if (!correlation || *correlation <= 0) return;
  ForEachCorrelated(*correlation, [&](EventRef other) {
    if (KindAt(other) == Kind::kRuntime) Link(LinkKind::kWait, other);
  });
}

// A call that waits for a device or stream returns when the last activity there has ended. Which
// stream is known from the device's own record of the wait.
void Describer::AddAwaitedByHost() {
  const CallRole role =
      KindAt(out_.event.ref) == Kind::kRuntime ? RoleOfCall(out_.event.name) : CallRole::kOther;
  std::optional<std::pair<int64_t, int64_t>> stream;  // and its device
  for (const EventLink& link : out_.links) {
    const RecordedTrack& track = TrackOf(link.event.ref);
    if (track.line == Line::kSync) stream = {track.device, track.stream};
  }
  if (role != CallRole::kDeviceSync && (role != CallRole::kStreamSync || !stream)) return;
  const int64_t start = events_.Start(out_.event.ref.event);
  const int64_t end = events_.End(out_.event.ref.event);
  Ended last;
  for (uint32_t t = 0; t < recording_.tracks.size(); ++t) {
    const RecordedTrack& track = recording_.tracks[t];
    if (track.kind != TrackKind::kStream || track.line != Line::kMain) continue;
    const bool waited_for =
        role == CallRole::kDeviceSync || std::pair(track.device, track.stream) == *stream;
    if (waited_for) LastEnded(t, end, last);
  }
  if (last.event && last.end > start) Link(LinkKind::kWait, *last.event);
}

// An activity launched before those ahead of it in its stream had ended waited for that.
void Describer::AddQueuedBehind() {
  const EventRef self = out_.event.ref;
  if (!IsDeviceActivity(KindAt(self)) || !launch_) return;
  Ended ahead;
  LastEnded(state_.data[self.track].recorded, events_.Start(self.event), ahead);
  const int64_t launched = state_.Events(launch_->track).Start(launch_->event);
  if (ahead.event && ahead.event != self && ahead.end > launched) {
    Link(LinkKind::kWait, *ahead.event);
  }
}

// Makes `last` the event of the track that ends last by `time`, if it ends after `last`.
void Describer::LastEnded(uint32_t track, int64_t time, Ended& last) const {
  const EventStore& events = recording_.tracks[track].events;
  for (size_t row = 0; row < events.rows(); ++row) {
    if (events.Crowded(row)) continue;
    const auto [begin, end] = events.Row(row);
    size_t after = events.FirstFrom(begin, end, time);
    if (after > begin && events.End(after - 1) > time) --after;
    if (after == begin || events.End(after - 1) <= last.end) continue;
    last = {EventRef{state_.track_ids[data_.recording][track], static_cast<uint32_t>(after - 1)},
            events.End(after - 1)};
  }
}

void Describer::AddPeers() {
  const EventRef self = out_.event.ref;
  const auto event_of = [this](uint32_t p) {
    const EventRef event = state_.parts[p].event;
    return std::pair(event.track, event.event);
  };
  const auto at = std::ranges::lower_bound(state_.parts_by_event, std::pair(self.track, self.event),
                                           {}, event_of);
  if (at == state_.parts_by_event.end() || state_.parts[*at].event != self) return;
  const PeerPart& own = state_.parts[*at];
  const auto [begin, end] = std::ranges::equal_range(state_.parts, own.match, {}, &PeerPart::match);
  for (auto part = begin; part != end; ++part) {
    if (part->last && !own.last) Link(LinkKind::kWait, part->event);
  }
  for (auto part = begin; part != end; ++part) {
    if (part->event != self) Link(LinkKind::kPeer, part->event);
  }
}

// Adds the events of a track that are around `inner`: on each row there is one at most.
void Describer::AddAround(EventRef inner, uint32_t track) {
  const EventStore& within = state_.Events(inner.track);
  const int64_t start = within.Start(inner.event), end = within.End(inner.event);
  const uint32_t id = state_.track_ids[data_.recording][track];
  const EventStore& events = recording_.tracks[track].events;
  // On its own track what is around lies above.
  const size_t rows = id == inner.track ? events.RowOf(inner.event) : events.rows();
  for (size_t row = 0; row < rows && out_.stack.size() < kDeepestStack; ++row) {
    if (events.Crowded(row)) continue;
    const auto [begin, row_end] = events.Row(row);
    const size_t after = events.FirstFrom(begin, row_end, start + 1);
    if (after == begin || events.End(after - 1) < std::max(end, start + 1)) continue;
    out_.stack.push_back(state_.EventAt({id, static_cast<uint32_t>(after - 1)}));
  }
}

void Describer::AddStack() {
  const EventRef inner = launch_.value_or(out_.event.ref);
  const RecordedTrack& track = TrackOf(inner);
  if (track.kind != TrackKind::kThread) return;
  for (uint32_t t = 0; t < recording_.tracks.size(); ++t) {
    const RecordedTrack& other = recording_.tracks[t];
    const bool of_thread = other.source == track.source && other.kind == TrackKind::kThread;
    if (of_thread && (other.line == Line::kMain || other.line == Line::kPython)) {
      AddAround(inner, t);
    }
  }
  std::ranges::stable_sort(out_.stack, [](const TimelineEvent& a, const TimelineEvent& b) {
    return std::tuple(-a.start, a.duration, -static_cast<int64_t>(a.row)) <
           std::tuple(-b.start, b.duration, -static_cast<int64_t>(b.row));
  });
}

}  // namespace

Result<EventDetails> Timeline::Describe(EventRef ref) const {
  if (const auto there = state_->Check(ref); !there) return std::unexpected(there.error());
  return Describer(*state_, ref).Describe();
}

}  // namespace stepscope
