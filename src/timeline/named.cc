// Finds events by their whole name: the longest within a time, and the next that lasts about as
// long.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "timeline/name_match.h"
#include "timeline/state.h"
#include "trace/frame_name.h"

namespace stepscope {
namespace {

constexpr size_t kBetweenLooksAtStop = 1 << 16;  // events

Error NamedStopped() { return Error{"the search was stopped", "", ""}; }

// The tracks of trace events there are.
std::vector<uint32_t> TracksOfTraces(const Timeline::State& state) {
  std::vector<uint32_t> tracks;
  for (uint32_t track = 0; track < state.tracks.size(); ++track) {
    if (state.HasTraceEvents(track)) tracks.push_back(track);
  }
  return tracks;
}

// The longest so far.
struct LongestSoFar {
  int64_t duration = -1, start = 0;
  EventRef ref;

  void Take(int64_t length, int64_t time, EventRef event) {
    if (std::tuple(-length, time, event.track, event.event) >=
        std::tuple(-duration, start, ref.track, ref.event))
      return;
    *this = {.duration = length, .start = time, .ref = event};
  }
};

// By recording, the number of exactly this name; where no event of any has it, of a frame of
// Python's that reports call so: "save (train.py:40)".
std::vector<uint32_t> MeantNumbersOf(const Timeline::State& state, std::string_view name) {
  std::vector<uint32_t> numbers = NumbersOf(state, name);
  const bool known = std::ranges::any_of(numbers, [](uint32_t n) { return n != kNoString; });
  if (known || name.empty()) return numbers;
  for (size_t r = 0; r < numbers.size(); ++r) {
    const RecordedEvents& recording = state.recordings[r];
    for (uint32_t n = 0; n < recording.names() && numbers[r] == kNoString; ++n) {
      const bool is = recording.Uses(n) > 0 &&
                      LabelOf(ParseFrameName(state.names[recording.Shared(n)])) == name;
      if (is) numbers[r] = n;
    }
  }
  return numbers;
}

// Which kinds of events are meant.
using MeantKinds = std::array<bool, static_cast<size_t>(Kind::kCount)>;

MeantKinds MeantKindsOf(const Timeline& timeline, std::string_view kind) {
  MeantKinds kinds;
  for (size_t k = 0; k < kinds.size(); ++k) {
    kinds[k] = kind.empty() || ColumnKindName(timeline.column_kinds()[k]) == kind;
  }
  return kinds;
}

// `name`: kNoString for any.
void LongestOfRow(const Timeline::State& state, const TimelineNamed& named, const MeantKinds& kinds,
                  uint32_t track, size_t row, uint32_t name, const std::stop_token& stop,
                  LongestSoFar& longest) {
  const Axis& axis = state.AxisOf(track);
  const EventStore& events = state.Events(track);
  const int64_t from = axis.ToOwn(named.from);
  const auto [begin, end] = events.Meeting(row, from, axis.ToOwn(named.to));
  for (size_t i = begin; i < end; ++i) {
    if ((i - begin) % kBetweenLooksAtStop == 0 && stop.stop_requested()) return;
    if (name != kNoString && events.Name(i) != name) continue;
    if (!kinds[static_cast<size_t>(events.KindOf(i))]) continue;
    if (events.End(i) <= from && events.Start(i) < from) continue;
    longest.Take(events.Duration(i), axis.ToCommon(events.Start(i)),
                 {track, static_cast<uint32_t>(i)});
  }
}

// Before and behind what an occurrence is looked for, in the order of Find().
using Moment = std::tuple<int64_t, uint32_t, uint32_t>;  // start, track, event

struct Lengths {
  int64_t least = 0, most = 0;
};

// The first event of a row behind `after` that has the name and lasts so long.
std::optional<Moment> FirstBehind(const Timeline::State& state, uint32_t track, size_t row,
                                  uint32_t name, Lengths lengths, const Moment& after,
                                  const std::stop_token& stop) {
  const Axis& axis = state.AxisOf(track);
  const EventStore& events = state.Events(track);
  const auto [begin, end] = events.Row(row);
  // One ns earlier, since clocks that drift round.
  const size_t at = events.FirstFrom(begin, end, axis.ToOwn(std::get<0>(after)) - 1);
  for (size_t i = at; i < end; ++i) {
    if ((i - at) % kBetweenLooksAtStop == 0 && stop.stop_requested()) break;
    const int64_t length = events.Duration(i);
    if (events.Name(i) != name || length < lengths.least || length > lengths.most) continue;
    const Moment here{axis.ToCommon(events.Start(i)), track, static_cast<uint32_t>(i)};
    if (here > after) return here;
  }
  return std::nullopt;
}

std::optional<Moment> FirstOfAll(const Timeline::State& state, const std::vector<uint32_t>& numbers,
                                 Lengths lengths, const Moment& after,
                                 const std::stop_token& stop) {
  std::optional<Moment> first;
  for (size_t r = 0; r < state.recordings.size(); ++r) {
    if (numbers[r] == kNoString) continue;
    for (const uint32_t track : state.track_ids[r]) {
      for (size_t row = 0; row < state.Events(track).rows(); ++row) {
        const auto here = FirstBehind(state, track, row, numbers[r], lengths, after, stop);
        if (here && (!first || *here < *first)) first = here;
      }
    }
  }
  return first;
}

}  // namespace

Result<std::optional<TimelineEvent>> Timeline::LongestNamed(const TimelineNamed& named,
                                                            std::stop_token stop) const {
  const auto numbers = MeantNumbersOf(*state_, named.name);
  const MeantKinds meant = MeantKindsOf(*this, named.kind);
  LongestSoFar longest;
  for (const uint32_t track : named.tracks.empty() ? TracksOfTraces(*state_) : named.tracks) {
    if (track >= state_->tracks.size()) return std::unexpected(state_->CheckTrack(track).error());
    const uint32_t name = numbers[state_->data[track].recording];
    if (!state_->HasTraceEvents(track)) continue;
    if (name == kNoString && !named.name.empty()) continue;
    for (size_t row = 0; row < state_->Events(track).rows(); ++row) {
      LongestOfRow(*state_, named, meant, track, row, name, stop, longest);
    }
  }
  if (stop.stop_requested()) return std::unexpected(NamedStopped());
  if (longest.duration < 0) return std::nullopt;
  return state_->EventAt(longest.ref);
}

Result<std::optional<TimelineEvent>> Timeline::NextOccurrence(EventRef ref, int64_t least,
                                                              int64_t most,
                                                              std::stop_token stop) const {
  if (const auto there = state_->Check(ref); !there) return std::unexpected(there.error());
  const auto numbers = NumbersOf(*state_, state_->names[state_->NameId(ref.track, ref.event)]);
  const Lengths lengths{.least = least, .most = most};
  const Moment here{state_->EventAt(ref).start, ref.track, ref.event};
  auto next = FirstOfAll(*state_, numbers, lengths, here, stop);
  if (!next) next = FirstOfAll(*state_, numbers, lengths, {INT64_MIN / 4, 0, 0}, stop);
  if (stop.stop_requested()) return std::unexpected(NamedStopped());
  if (!next) return std::nullopt;
  return state_->EventAt({std::get<1>(*next), std::get<2>(*next)});
}

}  // namespace stepscope
