// Implements the public interface: the list of tracks, tiles, and single events.
#include "stepscope/timeline.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "timeline/encode.h"
#include "timeline/state.h"
#include "timeline/tile.h"

namespace stepscope {
namespace {

constexpr size_t kKindCount = static_cast<size_t>(Kind::kCount);

std::array<std::string_view, kKindCount> KindNames() {
  std::array<std::string_view, kKindCount> names;
  for (size_t k = 0; k < kKindCount; ++k) names[k] = KindName(static_cast<Kind>(k));
  return names;
}

ColumnKind ColumnKindOf(Kind kind) {
  switch (kind) {
    case Kind::kCompute:
      return ColumnKind::kCompute;
    case Kind::kCommunication:
      return ColumnKind::kCommunication;
    case Kind::kMemcpy:
    case Kind::kMemset:
      return ColumnKind::kMemory;
    case Kind::kRuntime:
    case Kind::kOperator:
    case Kind::kPython:
    case Kind::kPythonWait:
      return ColumnKind::kHost;
    case Kind::kSync:
      return ColumnKind::kWait;
    case Kind::kAnnotation:
    case Kind::kGpuAnnotation:
    case Kind::kOverhead:
    case Kind::kCounterRange:
    case Kind::kInstant:
    case Kind::kCounter:
    case Kind::kFlow:
    case Kind::kProfilerWindow:
    case Kind::kUnknown:
    case Kind::kCount:
      break;
  }
  return ColumnKind::kOther;
}

std::array<ColumnKind, kKindCount> ColumnKinds() {
  std::array<ColumnKind, kKindCount> kinds;
  for (size_t k = 0; k < kKindCount; ++k) kinds[k] = ColumnKindOf(static_cast<Kind>(k));
  return kinds;
}

Error NoSuch(const std::string& what) { return Error{"there is no " + what, "", ""}; }

// The boxes of a tile and, each once, their names.
struct NamedBoxes {
  std::vector<EncodedBox> boxes;
  std::vector<std::string_view> names;
};

NamedBoxes NameBoxes(const Timeline::State& state, uint32_t track, std::span<const TileBox> boxes) {
  NamedBoxes out;
  out.boxes.reserve(boxes.size());
  std::unordered_map<StringId, uint32_t> known;
  const EventStore& events = state.Events(track);
  const Axis& axis = state.AxisOf(track);
  for (const TileBox& box : boxes) {
    const StringId id = state.NameId(track, box.event);
    const auto [at, is_new] = known.try_emplace(id, static_cast<uint32_t>(out.names.size()));
    if (is_new) out.names.push_back(state.names[id]);
    out.boxes.push_back({.start = static_cast<double>(axis.ToCommon(events.Start(box.event))),
                         .duration = static_cast<double>(events.Duration(box.event)),
                         .event = box.event,
                         .name = at->second,
                         .row = static_cast<uint16_t>(box.row),
                         .kind = events.KindOf(box.event)});
  }
  return out;
}

// The first event of a row after this one, by start and then number.
std::optional<size_t> After(const EventStore& events, size_t row, size_t event) {
  const auto [begin, end] = events.Row(row);
  size_t next = event + 1;  // on the same row
  if (end <= event) next = events.FirstFrom(begin, end, events.Start(event) + 1);
  if (begin > event) next = events.FirstFrom(begin, end, events.Start(event));
  return next < end ? std::optional(next) : std::nullopt;
}

// The last one before it.
std::optional<size_t> Before(const EventStore& events, size_t row, size_t event) {
  const auto [begin, end] = events.Row(row);
  size_t after = event;
  if (end <= event) after = events.FirstFrom(begin, end, events.Start(event) + 1);
  if (begin > event) after = events.FirstFrom(begin, end, events.Start(event));
  return after > begin ? std::optional(after - 1) : std::nullopt;
}

}  // namespace

std::string_view TrackKindName(TrackKind kind) {
  constexpr auto kNames =
      std::to_array<std::string_view>({"steps", "annotations", "thread", "stream", "counter"});
  return kNames[static_cast<size_t>(kind)];
}

std::string_view LinkKindName(LinkKind kind) {
  constexpr auto kNames = std::to_array<std::string_view>({"launch", "work", "peer", "wait"});
  return kNames[static_cast<size_t>(kind)];
}

TimelineEvent Timeline::State::EventAt(EventRef ref) const {
  const EventStore& store = Events(ref.track);
  return {.ref = ref,
          .name = names[NameId(ref.track, ref.event)],
          .kind = KindName(store.KindOf(ref.event)),
          .row = static_cast<uint32_t>(store.RowOf(ref.event)),
          .rank_index = tracks[ref.track].rank_index,
          .start = AxisOf(ref.track).ToCommon(store.Start(ref.event)),
          .duration = store.Duration(ref.event)};
}

Result<void> Timeline::State::CheckTrack(uint32_t track) const {
  if (track >= tracks.size()) {
    return std::unexpected(NoSuch("track " + std::to_string(track)));
  }
  if (data[track].IsCounter()) {
    return std::unexpected(
        Error{"track " + std::to_string(track) + " is a counter and has no events", "", ""});
  }
  return {};
}

Result<void> Timeline::State::Check(EventRef ref) const {
  if (auto track = CheckTrack(ref.track); !track) return track;
  if (ref.event >= Events(ref.track).size()) {
    return std::unexpected(
        NoSuch("event " + std::to_string(ref.event) + " on track " + std::to_string(ref.track)));
  }
  return {};
}

Timeline::Timeline(std::unique_ptr<State> state) : state_(std::move(state)) {}
Timeline::Timeline(Timeline&&) noexcept = default;
Timeline& Timeline::operator=(Timeline&&) noexcept = default;
Timeline::~Timeline() = default;

std::span<const TimelineRank> Timeline::ranks() const { return state_->ranks; }
std::span<const TimelineStep> Timeline::steps() const { return state_->steps; }
std::span<const TimelineTrack> Timeline::tracks() const { return state_->tracks; }
std::span<const std::string_view> Timeline::kinds() const {
  static const auto names = KindNames();
  return names;
}
std::span<const ColumnKind> Timeline::column_kinds() const {
  static const auto kinds = ColumnKinds();
  return kinds;
}
int64_t Timeline::end() const { return state_->end; }
uint64_t Timeline::events() const { return state_->events; }
int64_t Timeline::work_begin() const { return state_->work_begin; }
int64_t Timeline::work_end() const { return state_->work_end; }
uint64_t Timeline::left_out() const { return state_->left_out; }

size_t Timeline::bytes() const {
  size_t sum = (state_->parts.capacity() * sizeof(PeerPart)) +
               state_->parts_by_event.capacity() * sizeof(uint32_t);
  for (const RecordedEvents& recording : state_->recordings) sum += recording.bytes();
  for (const EventStore& steps : state_->step_stores) sum += steps.bytes();
  for (const CounterStore& counter : state_->counters) sum += counter.bytes();
  return sum;
}

Result<std::string> Timeline::Tile(uint32_t track, uint32_t level, uint64_t index) const {
  if (track >= state_->tracks.size()) {
    return std::unexpected(NoSuch("track " + std::to_string(track)));
  }
  if (level > kMostLevel) {
    return std::unexpected(Error{"there is no level " + std::to_string(level), "",
                                 "levels go from 0 to " + std::to_string(kMostLevel)});
  }
  const TileAddress at{track, level, index};
  if (!at.OnAxis()) return EncodeTile(at, {}, {}, {}, {});
  const Axis& axis = state_->AxisOf(track);
  if (state_->data[track].IsCounter()) {
    const CounterStore& counter = state_->counters[state_->data[track].counter];
    return EncodeTile(at, {}, {}, GatherPoints(counter, axis, at).points, {});
  }
  const TileContent content = GatherEvents(state_->Events(track), axis, at);
  const NamedBoxes named = NameBoxes(*state_, track, content.boxes);
  return EncodeTile(at, named.boxes, content.spans, {}, named.names);
}

Result<TimelineEvent> Timeline::Event(EventRef ref) const {
  if (const auto there = state_->Check(ref); !there) return std::unexpected(there.error());
  return state_->EventAt(ref);
}

Result<std::optional<TimelineEvent>> Timeline::Next(EventRef ref, int by) const {
  if (const auto there = state_->Check(ref); !there) return std::unexpected(there.error());
  const EventStore& events = state_->Events(ref.track);
  std::optional<size_t> best;
  for (size_t row = 0; row < events.rows(); ++row) {
    const auto found = by > 0 ? After(events, row, ref.event) : Before(events, row, ref.event);
    if (!found) continue;
    const auto place = [&](size_t i) { return std::pair(events.Start(i), i); };
    const bool nearer =
        !best || (by > 0 ? place(*found) < place(*best) : place(*found) > place(*best));
    if (nearer) best = found;
  }
  if (!best) return std::nullopt;
  return state_->EventAt({ref.track, static_cast<uint32_t>(*best)});
}

Result<std::optional<TimelineEvent>> Timeline::Longest(uint32_t track, uint32_t row, int64_t from,
                                                       int64_t to) const {
  if (const auto there = state_->CheckTrack(track); !there) return std::unexpected(there.error());
  const EventStore& events = state_->Events(track);
  if (row >= events.rows() || from >= to) return std::nullopt;
  const Axis& axis = state_->AxisOf(track);
  const int64_t own_from = axis.ToOwn(from);
  const auto [begin, end] = events.Meeting(row, own_from, axis.ToOwn(to));
  std::optional<size_t> longest;
  int64_t least = 0;
  events.ForEachLong(begin, end, least, [&](size_t i) {
    const bool meets = events.End(i) > own_from || events.Start(i) >= own_from;
    if (!meets || (longest && events.Duration(i) <= events.Duration(*longest))) return;
    longest = i;
  });
  if (!longest) return std::nullopt;
  return state_->EventAt({track, static_cast<uint32_t>(*longest)});
}

}  // namespace stepscope
