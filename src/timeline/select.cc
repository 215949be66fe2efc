// Sums many events: those within a selection, and all with one name.
#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/distribution.h"
#include "base/parallel.h"
#include "base/saturate.h"
#include "timeline/stacks.h"
#include "timeline/state.h"

namespace stepscope {
namespace {

constexpr size_t kPiece = size_t{1} << 18;  // events that are looked at between two looks at `stop`

Error StoppedError() { return Error{"the request was stopped", "", ""}; }

struct Sum {
  int64_t count = 0, sum = 0;
  int64_t min = std::numeric_limits<int64_t>::max(), max = 0;

  void Add(int64_t duration) {
    ++count;
    sum = AddSaturated(sum, duration);
    min = std::min(min, duration);
    max = std::max(max, duration);
  }
  void Add(const Sum& other) {
    count += other.count;
    sum = AddSaturated(sum, other.sum);
    min = std::min(min, other.min);
    max = std::max(max, other.max);
  }
};
using Sums = std::vector<Sum>;

// Events of a row that are next to one another.
struct Piece {
  uint32_t track = 0;
  size_t from = 0, to = 0;
  int64_t begin = 0, end = 0;  // of the time that counts, on the recording's clock
};

void AddPieces(const EventStore& events, uint32_t track, size_t row, int64_t begin, int64_t end,
               std::vector<Piece>& pieces) {
  const auto [from, to] = events.Meeting(row, begin, end);
  for (size_t at = from; at < to; at += kPiece) {
    pieces.push_back({track, at, std::min(at + kPiece, to), begin, end});
  }
}

// Calls work(worker, piece) for all pieces, on as many threads as there are processors.
// Returns false when it was stopped.
template <class Activity>
bool ForEachPiece(const std::vector<Piece>& pieces, size_t workers, const std::stop_token& stop,
                  const Activity& activity) {
  std::atomic<size_t> next = 0;
  std::atomic<bool> failed = false;
  ParallelFor(workers, workers, [&](size_t worker) {
    try {
      for (size_t p = next++; p < pieces.size() && !stop.stop_requested(); p = next++) {
        activity(worker, pieces[p]);
      }
    } catch (const std::bad_alloc&) {
      failed = true;
    }
  });
  if (failed) throw std::bad_alloc();
  return !stop.stop_requested();
}

size_t WorkersFor(const std::vector<Piece>& pieces) {
  return std::clamp<size_t>(std::thread::hardware_concurrency(), 1,
                            std::max<size_t>(pieces.size(), 1));
}

// Calls f(event, what of its duration lies within) for the events of a piece that meet its time.
template <class F>
void ForEachWithin(const EventStore& events, const Piece& piece, const F& f) {
  for (size_t i = piece.from; i < piece.to; ++i) {
    const int64_t start = events.Start(i), end = events.End(i);
    if (end <= piece.begin && start < piece.begin) continue;  // of a crowded row
    f(i, std::min(end, piece.end) - std::max(start, piece.begin));
  }
}

enum class By : uint8_t { kName, kKind, kTrack, kRank };

std::optional<By> ParseBy(std::string_view text) {
  constexpr auto kByNames = std::to_array<std::string_view>({"name", "kind", "track", "rank"});
  const auto* at = std::ranges::find(kByNames, text);
  if (at == kByNames.end()) return std::nullopt;
  return static_cast<By>(at - kByNames.begin());
}

std::vector<Column> KeysOf(By by) {
  const auto key = [](std::string name, Phrase title, bool words = false) {
    return Column{
        .key = std::move(name), .title = std::move(title), .role = Role::kKey, .words = words};
  };
  switch (by) {
    case By::kName:
      return {key("name", "name")};
    case By::kKind:
      return {key("kind", "kind", /*words=*/true)};
    case By::kTrack:
      return {key("track", "track"), key("rank", "rank"), key("window", "window"),
              key("group", "group"), key("name", "name")};
    case By::kRank:
      return {key("rank", "rank"), key("window", "window")};
  }
  return {};
}

std::vector<Cell> CellsOf(const Timeline::State& state, By by, size_t key) {
  switch (by) {
    case By::kName:
      return {std::string(state.names[static_cast<StringId>(key)])};
    case By::kKind:
      return {std::string(KindName(static_cast<Kind>(key)))};
    case By::kTrack: {
      const TimelineTrack& track = state.tracks[key];
      const TimelineRank& rank = state.ranks[track.rank_index];
      return {static_cast<int64_t>(key), rank.rank, rank.window, track.group, track.name};
    }
    case By::kRank:
      return {state.ranks[key].rank, state.ranks[key].window};
  }
  return {};
}

size_t KeysThereAre(const Timeline::State& state, By by) {
  switch (by) {
    case By::kName:
      return state.names.size();
    case By::kKind:
      return static_cast<size_t>(Kind::kCount);
    case By::kTrack:
      return state.tracks.size();
    case By::kRank:
      return state.ranks.size();
  }
  return 0;
}

void AddSumColumns(Table& table) {
  for (const auto& [key, title, unit] : std::to_array<std::tuple<const char*, const char*, Unit>>(
           {{"count", "events", Unit::kCount},
            {"sum", "sum", Unit::kNanoseconds},
            {"mean", "mean", Unit::kNanoseconds},
            {"min", "min", Unit::kNanoseconds},
            {"max", "max", Unit::kNanoseconds},
            {"share", "share", Unit::kRatio}})) {
    table.columns.push_back({key, title, unit});
  }
}

std::vector<Cell> SumRow(std::vector<Cell> keys, const Sum& sum, int64_t whole) {
  for (const int64_t number :
       {sum.count, sum.sum, (sum.sum + sum.count / 2) / sum.count, sum.min, sum.max}) {
    keys.emplace_back(number);
  }
  keys.emplace_back();
  if (whole > 0) keys.back() = static_cast<double>(sum.sum) / static_cast<double>(whole);
  return keys;
}

// Rows for the keys that have events, the largest sum first.
Table TableOf(const Timeline::State& state, By by, const Sums& sums, std::string key,
              Phrase title) {
  Table table{.key = std::move(key), .title = std::move(title), .columns = KeysOf(by)};
  AddSumColumns(table);
  Sum whole;
  std::vector<size_t> keys;
  for (size_t k = 0; k < sums.size(); ++k) {
    if (sums[k].count == 0) continue;
    keys.push_back(k);
    whole.Add(sums[k]);
  }
  std::ranges::stable_sort(keys, std::ranges::greater{},
                           [&](size_t k) { return std::pair(sums[k].sum, sums[k].count); });
  for (const size_t k : keys) {
    table.rows.push_back(SumRow(CellsOf(state, by, k), sums[k], whole.sum));
  }
  return table;
}

Sum Whole(const Sums& sums) {
  Sum whole;
  for (const Sum& sum : sums) whole.Add(sum);
  return whole;
}

Metric MetricOf(std::string key, Phrase title, int64_t value, Unit unit) {
  return {.key = std::move(key), .title = std::move(title), .value = value, .unit = unit};
}

// Adds up the pieces, by the key that key_of(track, event) gives.
Result<Sums> AddUp(const Timeline::State& state, const std::vector<Piece>& pieces, By by,
                   const std::stop_token& stop) {
  const size_t workers = WorkersFor(pieces);
  std::vector<Sums> of_worker(workers, Sums(KeysThereAre(state, by)));
  const bool done = ForEachPiece(pieces, workers, stop, [&](size_t worker, const Piece& piece) {
    const EventStore& events = state.Events(piece.track);
    Sums& sums = of_worker[worker];
    const auto add = [&](const auto& key_of) {
      ForEachWithin(events, piece, [&](size_t i, int64_t within) { sums[key_of(i)].Add(within); });
    };
    const TrackData& track = state.data[piece.track];
    const RecordedEvents& recording = state.recordings[track.recording];
    if (by == By::kName && track.IsSteps()) add([&](size_t i) { return events.Name(i); });
    if (by == By::kName && !track.IsSteps()) {
      add([&](size_t i) { return recording.Shared(events.Name(i)); });
    }
    if (by == By::kKind) add([&](size_t i) { return static_cast<size_t>(events.KindOf(i)); });
    if (by == By::kTrack) add([&](size_t) { return piece.track; });
    if (by == By::kRank) add([&](size_t) { return state.tracks[piece.track].rank_index; });
  });
  if (!done) return std::unexpected(StoppedError());
  for (size_t w = 1; w < workers; ++w) {
    for (size_t k = 0; k < of_worker[w].size(); ++k) of_worker[0][k].Add(of_worker[w][k]);
  }
  return std::move(of_worker[0]);
}

Result<std::vector<Piece>> PiecesOf(const Timeline::State& state,
                                    const TimelineSelection& selection) {
  std::vector<uint32_t> tracks = selection.tracks;
  std::ranges::sort(tracks);
  const auto repeated = std::ranges::unique(tracks);
  tracks.erase(repeated.begin(), repeated.end());
  for (uint32_t t = 0; selection.tracks.empty() && t < state.tracks.size(); ++t) {
    if (state.HasTraceEvents(t)) tracks.push_back(t);
  }
  std::vector<Piece> pieces;
  for (const uint32_t track : tracks) {
    if (track < state.tracks.size() && state.data[track].IsCounter()) continue;
    if (const auto there = state.CheckTrack(track); !there) return std::unexpected(there.error());
    const Axis& axis = state.AxisOf(track);
    const int64_t from = axis.ToOwn(selection.from), to = axis.ToOwn(selection.to);
    const EventStore& events = state.Events(track);
    for (size_t row = 0; from < to && row < events.rows(); ++row) {
      AddPieces(events, track, row, from, to, pieces);
    }
  }
  return pieces;
}

Series HistogramOf(const std::vector<int64_t>& durations) {
  Series series{.key = "histogram",
                .title = "Events by duration",
                .x_unit = Unit::kNanoseconds,
                .y_unit = Unit::kCount};
  for (const auto& [lower, count] : HistogramOfRange(durations)) {
    series.points.emplace_back(lower, count);
  }
  return series;
}

// Durations of the events called `name`, and sums by rank.
struct NameUse {
  std::vector<int64_t> durations;
  Sums by_rank;
};

Result<NameUse> UseOf(const Timeline::State& state, StringId name, const std::stop_token& stop) {
  std::vector<Piece> pieces;
  std::vector<uint32_t> own_name(state.recordings.size(), kNoString);
  for (size_t r = 0; r < state.recordings.size(); ++r) {
    const RecordedEvents& recording = state.recordings[r];
    for (uint32_t n = 0; n < recording.names(); ++n) {
      if (recording.Shared(n) == name && recording.Uses(n) > 0) own_name[r] = n;
    }
    if (own_name[r] == kNoString) continue;
    for (const uint32_t track : state.track_ids[r]) {
      const EventStore& events = state.Events(track);
      for (size_t row = 0; row < events.rows(); ++row) {
        AddPieces(events, track, row, events.first_start(), events.last_end() + 1, pieces);
      }
    }
  }
  const size_t workers = WorkersFor(pieces);
  std::vector<NameUse> uses(workers, NameUse{{}, Sums(state.ranks.size())});
  const bool done = ForEachPiece(pieces, workers, stop, [&](size_t worker, const Piece& piece) {
    const EventStore& events = state.Events(piece.track);
    const uint32_t recording = state.data[piece.track].recording;
    for (size_t i = piece.from; i < piece.to; ++i) {
      if (events.Name(i) != own_name[recording]) continue;
      uses[worker].durations.push_back(events.Duration(i));
      uses[worker].by_rank[recording].Add(events.Duration(i));
    }
  });
  if (!done) return std::unexpected(StoppedError());
  for (size_t w = 1; w < workers; ++w) {
    std::ranges::copy(uses[w].durations, std::back_inserter(uses[0].durations));
    for (size_t r = 0; r < state.ranks.size(); ++r) uses[0].by_rank[r].Add(uses[w].by_rank[r]);
  }
  return std::move(uses[0]);
}

}  // namespace

Result<Report> Timeline::Select(const TimelineSelection& selection, std::stop_token stop) const {
  if (selection.by == "stack") return StacksOf(*state_, selection, stop);
  const auto by = ParseBy(selection.by);
  if (!by) {
    return std::unexpected(Error{"cannot group events by '" + selection.by + "'", "by",
                                 "use name, kind, track, rank or stack"});
  }
  const auto pieces = PiecesOf(*state_, selection);
  if (!pieces) return std::unexpected(pieces.error());
  const auto sums = AddUp(*state_, *pieces, *by, stop);
  if (!sums) return std::unexpected(sums.error());
  Report report{.analysis = "selection", .title = "Selection"};
  const Sum whole = Whole(*sums);
  report.headline = Say("{count} events match the selection.", whole.count);
  report.metrics = {MetricOf("time", "selected time",
                             std::max<int64_t>(SubtractSaturated(selection.to, selection.from), 0),
                             Unit::kNanoseconds),
                    MetricOf("count", "events", whole.count, Unit::kCount),
                    MetricOf("sum", "sum of event time", whole.sum, Unit::kNanoseconds)};
  report.tables.push_back(
      TableOf(*state_, *by, *sums, "events", Say("Events by {key}", selection.by)));
  return report;
}

Result<Report> Timeline::Occurrences(EventRef ref, std::stop_token stop) const {
  if (const auto there = state_->Check(ref); !there) return std::unexpected(there.error());
  const StringId name = state_->NameId(ref.track, ref.event);
  auto use = UseOf(*state_, name, stop);
  if (!use) return std::unexpected(use.error());
  Report report{.analysis = "occurrences", .title = "Occurrences"};
  if (use->durations.empty()) {  // steps have names of their own
    report.status = Status::kUnavailable;
    report.why = "no event has this name";
    return report;
  }
  const Distribution all = stepscope::Describe(use->durations);  // sorts them
  report.headline = Say("{count} events are named {name}.", all.count,
                        Phrase::Name(std::string(state_->names[name])));
  const auto time = [&](const char* key, const char* title, int64_t value) {
    report.metrics.push_back(MetricOf(key, title, value, Unit::kNanoseconds));
  };
  report.metrics.push_back(MetricOf("count", "events", all.count, Unit::kCount));
  time("sum", "sum", all.sum);
  time("min", "shortest", all.min);
  time("mean", "mean", all.mean);
  time("p50", "median", all.p50);
  time("p95", "95th percentile", all.p95);
  time("max", "longest", all.max);
  report.series.push_back(HistogramOf(use->durations));
  report.tables.push_back(TableOf(*state_, By::kRank, use->by_rank, "ranks", "By rank"));
  return report;
}

}  // namespace stepscope
