// Tells where the matches of a search lie, in buckets of a stretch of time.
#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "timeline/name_match.h"
#include "timeline/state.h"

namespace stepscope {
namespace {

constexpr size_t kBetweenLooks = 1 << 16;  // events between two looks at `stop`
constexpr uint32_t kMostBuckets = 4096;

using Stretches = std::vector<std::pair<uint32_t, uint32_t>>;

// Adds a stretch that begins no earlier than the others.
void AddStretch(Stretches& stretches, uint32_t first, uint32_t last) {
  if (!stretches.empty() && first <= stretches.back().second + 1) {
    stretches.back().second = std::max(stretches.back().second, last);
  } else {
    stretches.emplace_back(first, last);
  }
}

class HitFinder {
 public:
  HitFinder(const Timeline::State& state, const TimelineHitsQuery& query, std::stop_token stop)
      : state_(state), query_(query), stop_(std::move(stop)) {}

  Result<TimelineHits> Find(const NameMatcher& matcher);

 private:
  std::vector<TimelineHits::Row> OfTrack(uint32_t track) const;
  Stretches OfRow(uint32_t track, size_t row) const;
  uint32_t Bucket(int64_t time) const {
    const double share = static_cast<double>(time - query_.from) /
                         static_cast<double>(std::max<int64_t>(query_.to - query_.from, 1));
    return static_cast<uint32_t>(std::clamp(share * query_.buckets, 0.0, query_.buckets - 1.0));
  }
  std::vector<uint32_t> Tracks() const;

  const Timeline::State& state_;
  const TimelineHitsQuery& query_;
  std::stop_token stop_;
  std::vector<std::vector<bool>> matches_;  // by recording, then by its names; none: nothing there
};

Stretches HitFinder::OfRow(uint32_t track, size_t row) const {
  const Axis& axis = state_.AxisOf(track);
  const EventStore& events = state_.Events(track);
  const std::vector<bool>& matches = matches_[state_.data[track].recording];
  const int64_t from = axis.ToOwn(query_.from), to = axis.ToOwn(query_.to);
  const auto [begin, end] = events.Meeting(row, from, to);
  Stretches stretches;
  for (size_t i = begin; i < end; ++i) {
    if ((i - begin) % kBetweenLooks == 0 && stop_.stop_requested()) break;
    if (!matches[events.Name(i)]) continue;
    const int64_t first = events.Start(i), last = std::max(first, events.End(i) - 1);
    if (last < from) continue;  // of a crowded row
    AddStretch(stretches, Bucket(axis.ToCommon(first)), Bucket(axis.ToCommon(last)));
  }
  return stretches;
}

std::vector<TimelineHits::Row> HitFinder::OfTrack(uint32_t track) const {
  std::vector<TimelineHits::Row> rows;
  const TrackData& data = state_.data[track];
  if (!state_.HasTraceEvents(track) || matches_[data.recording].empty()) return rows;
  for (uint32_t row = 0; row < state_.Events(track).rows(); ++row) {
    auto stretches = OfRow(track, row);
    if (stretches.empty()) continue;
    rows.push_back({.rank_index = state_.tracks[track].rank_index,
                    .track = track,
                    .row = row,
                    .stretches = std::move(stretches)});
  }
  return rows;
}

std::vector<uint32_t> HitFinder::Tracks() const {
  if (!query_.tracks.empty()) return query_.tracks;
  std::vector<uint32_t> all;
  for (uint32_t track = 0; track < state_.tracks.size(); ++track) all.push_back(track);
  return all;
}

// The same by rank.
std::vector<TimelineHits::Row> ByRank(const std::vector<TimelineHits::Row>& rows) {
  std::map<uint32_t, Stretches> by_rank;
  for (const TimelineHits::Row& row : rows) {
    Stretches& of_rank = by_rank[row.rank_index];
    of_rank.insert(of_rank.end(), row.stretches.begin(), row.stretches.end());
  }
  std::vector<TimelineHits::Row> joined;
  for (auto& [rank, stretches] : by_rank) {
    std::ranges::sort(stretches);
    TimelineHits::Row row{.rank_index = rank};
    for (const auto& [first, last] : stretches) AddStretch(row.stretches, first, last);
    joined.push_back(std::move(row));
  }
  return joined;
}

Result<TimelineHits> HitFinder::Find(const NameMatcher& matcher) {
  for (size_t r = 0; r < state_.recordings.size(); ++r) {
    auto names = matcher.NamesOf(state_, r, stop_);
    if (EventsNamed(state_.recordings[r], names) == 0) names.clear();
    matches_.push_back(std::move(names));
  }
  const std::vector<uint32_t> tracks = Tracks();
  for (const uint32_t track : tracks) {
    if (track >= state_.tracks.size()) return std::unexpected(state_.CheckTrack(track).error());
  }
  std::vector<std::vector<TimelineHits::Row>> of_track(tracks.size());
  ParallelFor(tracks.size(), 0, [&](size_t k) { of_track[k] = OfTrack(tracks[k]); });
  if (stop_.stop_requested()) return std::unexpected(Error{"the search was stopped", "", ""});
  TimelineHits hits;
  for (auto& rows : of_track) std::ranges::move(rows, std::back_inserter(hits.rows));
  if (query_.tracks.empty()) hits.rows = ByRank(hits.rows);
  return hits;
}

}  // namespace

Result<TimelineHits> Timeline::Hits(const TimelineHitsQuery& query, std::stop_token stop) const {
  if (query.buckets == 0 || query.buckets > kMostBuckets) {
    return std::unexpected(Error{"there are 1 to 4096 buckets", "buckets", ""});
  }
  const auto matcher = NameMatcher::Of(query.search);
  if (!matcher) return std::unexpected(matcher.error());
  return HitFinder(*state_, query, std::move(stop)).Find(*matcher);
}

}  // namespace stepscope
