// Searches names first, then the events that have them.
#include <algorithm>
#include <compare>
#include <string>
#include <utility>

#include "timeline/name_match.h"
#include "timeline/state.h"

namespace stepscope {
namespace {

constexpr size_t kMostMatches = 10'000;
constexpr size_t kBetweenStops = 1 << 16;  // events

// An event that was found; both members are such that less is nearer.
struct Found {
  int64_t time = 0;
  uint64_t ref = 0;

  auto operator<=>(const Found&) const = default;
};

class Finder {
 public:
  Finder(const Timeline::State& state, const NameMatcher& matcher, int64_t from, int by,
         size_t limit, std::stop_token stop)
      : state_(state),
        matcher_(matcher),
        from_(from),
        forward_(by > 0),
        limit_(std::min(limit, kMostMatches)),
        stop_(std::move(stop)) {}

  Result<TimelineMatches> Find();

 private:
  void Search(uint32_t track);
  void SearchRow(const EventStore& events, uint32_t track, size_t row);
  void CountBefore(const EventStore& events, size_t begin, size_t end);
  bool Add(Found found);
  // There and back again.
  Found FoundOf(int64_t time, EventRef ref) const {
    const uint64_t packed = uint64_t{ref.track} << 32 | ref.event;
    return forward_ ? Found{time, packed} : Found{-time, ~packed};
  }
  EventRef RefOf(const Found& found) const {
    const uint64_t packed = forward_ ? found.ref : ~found.ref;
    return {static_cast<uint32_t>(packed >> 32), static_cast<uint32_t>(packed)};
  }

  const Timeline::State& state_;
  const NameMatcher& matcher_;
  int64_t from_;
  bool forward_;
  size_t limit_;
  std::stop_token stop_;
  std::vector<bool> matches_;   // by the recording's names
  std::vector<Found> nearest_;  // a heap, the furthest first
  uint64_t before_ = 0;         // match and begin before `from_`
};

// Keeps it if it is among the nearest so far. Whether one as far away could be.
bool Finder::Add(Found found) {
  if (nearest_.size() < limit_) {
    nearest_.push_back(found);
    std::ranges::push_heap(nearest_);
    return true;
  }
  if (found < nearest_.front()) {
    std::ranges::pop_heap(nearest_);
    nearest_.back() = found;
    std::ranges::push_heap(nearest_);
  }
  return found.time <= nearest_.front().time;
}

void Finder::CountBefore(const EventStore& events, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) {
    if ((i - begin) % kBetweenStops == 0 && stop_.stop_requested()) return;
    before_ += matches_[events.Name(i)] ? 1 : 0;
  }
}

void Finder::SearchRow(const EventStore& events, uint32_t track, size_t row) {
  const Axis& axis = state_.AxisOf(track);
  const auto [begin, end] = events.Row(row);
  const size_t at = events.FirstFrom(begin, end, axis.ToOwn(from_));
  CountBefore(events, begin, at);
  const size_t count = forward_ ? end - at : at - begin;
  for (size_t n = 0; n < count; ++n) {
    if (n % kBetweenStops == 0 && stop_.stop_requested()) return;
    const size_t i = forward_ ? at + n : at - 1 - n;
    const bool matches = matches_[events.Name(i)];
    // Now and then also where nothing matches: there may be nothing near any more.
    if (!matches && n % 64 != 0) continue;
    const int64_t time = axis.ToCommon(events.Start(i));
    const Found found = FoundOf(time, {track, static_cast<uint32_t>(i)});
    const bool may_go_on =
        matches ? Add(found) : nearest_.size() < limit_ || found.time <= nearest_.front().time;
    if (!may_go_on) return;
  }
}

void Finder::Search(uint32_t track) {
  const EventStore& events = state_.Events(track);
  for (size_t row = 0; row < events.rows(); ++row) SearchRow(events, track, row);
}

Result<TimelineMatches> Finder::Find() {
  TimelineMatches out;
  for (size_t r = 0; r < state_.recordings.size(); ++r) {
    matches_ = matcher_.NamesOf(state_, r, stop_);
    if (stop_.stop_requested()) return std::unexpected(Error{"the search was stopped", "", ""});
    const uint64_t here = EventsNamed(state_.recordings[r], matches_);
    out.total += here;
    if (here == 0 || limit_ == 0) continue;
    for (const uint32_t track : state_.track_ids[r]) Search(track);
  }
  if (stop_.stop_requested()) return std::unexpected(Error{"the search was stopped", "", ""});
  std::ranges::sort(nearest_);
  for (const Found& found : nearest_) out.matches.push_back(state_.EventAt(RefOf(found)));
  if (!nearest_.empty()) out.place = forward_ ? before_ + 1 : before_;
  return out;
}

}  // namespace

Result<TimelineMatches> Timeline::Find(const TimelineSearch& search, int64_t from, int by,
                                       size_t limit, std::stop_token stop) const {
  const auto matcher = NameMatcher::Of(search);
  if (!matcher) return std::unexpected(matcher.error());
  return Finder(*state_, *matcher, from, by, limit, std::move(stop)).Find();
}

Result<TimelineMatches> Timeline::Find(std::string_view text, int64_t from, int by, size_t limit,
                                       std::stop_token stop) const {
  return Find(TimelineSearch{.text = std::string(text)}, from, by, limit, std::move(stop));
}

}  // namespace stepscope
