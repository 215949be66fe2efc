// Maps query parameters to the timeline's functions, and their results to bytes.
#include "server/timeline_api.h"

#include <array>
#include <limits>
#include <stop_token>
#include <tuple>
#include <utility>
#include <vector>

#include "server/page.h"
#include "server/watched.h"
#include "stepscope/timeline.h"
#include "stepscope/write.h"

namespace stepscope::server {
namespace {

using http::Url;

using BodyPtr = std::shared_ptr<const Body>;

constexpr size_t kMostTiles = 256;  // at a time
constexpr int64_t kMostMatches = 10'000;
constexpr size_t kMostTracks = size_t{1} << 20;  // of a selection
constexpr int64_t kLatest = int64_t{1} << 53;
constexpr int64_t kMostBuckets = 4096;
constexpr int64_t kMostNumber = std::numeric_limits<uint32_t>::max();

std::unexpected<Failure> Fail(int status, Error error) {
  return std::unexpected(Failure{status, std::move(error)});
}

BodyPtr JsonBody(std::string text) { return MakeBody("application/json", std::move(text)); }

// Stops who works for `gone` once it says so.
class StoppedBy {
 public:
  explicit StoppedBy(const Gone& gone) : watched_(gone, [this] { source_.request_stop(); }) {}
  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  Watched watched_;  // the last member: ends first
};

Attempt<EventRef> EventOf(const Url& url) {
  const auto track = url.Integer("track", 0, kMostNumber);
  if (!track) return Fail(400, track.error());
  const auto event = url.Integer("event", 0, kMostNumber);
  if (!event) return Fail(400, event.error());
  return EventRef{.track = static_cast<uint32_t>(*track), .event = static_cast<uint32_t>(*event)};
}

Attempt<int> DirectionOf(const Url& url) {
  const auto by = url.Integer("by", -1, 1, 1);
  if (!by || *by == 0) return Fail(400, {"'by' is 1 or -1", std::string(url.Get("by")), ""});
  return static_cast<int>(*by);
}

struct TileName {
  uint32_t track = 0, level = 0;
  uint64_t index = 0;
};

// "3.20.17": track, level, index.
std::optional<TileName> ParseTile(std::string_view text) {
  std::array<int64_t, 3> numbers;
  for (size_t k = 0; k < numbers.size(); ++k) {
    const size_t dot = k + 1 < numbers.size() ? text.find('.') : text.size();
    if (dot == text.npos) return std::nullopt;
    const auto number = http::ParseInteger(text.substr(0, dot));
    if (!number || *number < 0 || *number > (k < 2 ? kMostNumber : kLatest)) return std::nullopt;
    numbers[k] = *number;
    text.remove_prefix(std::min(dot + 1, text.size()));
  }
  return TileName{.track = static_cast<uint32_t>(numbers[0]),
                  .level = static_cast<uint32_t>(numbers[1]),
                  .index = static_cast<uint64_t>(numbers[2])};
}

Attempt<BodyPtr> Tiles(const Timeline& timeline, const Url& url, const Gone& gone) {
  const auto list = url.List("list");
  if (list.size() > kMostTiles) return Fail(400, {"at most 256 tiles at a time", "list", ""});
  std::string bytes;
  for (const std::string& text : list) {
    const auto which = ParseTile(text);
    if (!which) return Fail(400, {"cannot read this tile", text, "list=TRACK.LEVEL.INDEX,..."});
    if (gone()) return std::unexpected(kNobodyThere);
    const auto tile = timeline.Tile(which->track, which->level, which->index);
    if (!tile) return Fail(404, tile.error());
    bytes += *tile;
  }
  return MakeBody("application/octet-stream", std::move(bytes));
}

Attempt<BodyPtr> Describe(const Timeline& timeline, EventRef ref) {
  const auto details = timeline.Describe(ref);
  if (!details) return Fail(404, details.error());
  return JsonBody(ToJson(*details, timeline));
}

Attempt<BodyPtr> Next(const Timeline& timeline, EventRef ref, const Url& url) {
  const auto by = DirectionOf(url);
  if (!by) return std::unexpected(by.error());
  const auto next = timeline.Next(ref, *by);
  if (!next) return Fail(404, next.error());
  const auto& event = *next;
  if (!event) return JsonBody("null");  // past the ends of a track is a place, not an error
  return Describe(timeline, event->ref);
}

// What a click between boxes means.
Attempt<BodyPtr> Longest(const Timeline& timeline, const Url& url) {
  const auto track = url.Integer("track", 0, kMostNumber);
  const auto row = url.Integer("row", 0, kMostNumber, 0);
  const auto from = url.Integer("from", 0, kLatest);
  const auto to = url.Integer("to", 0, kLatest);
  for (const auto* number : {&track, &row, &from, &to}) {
    if (!*number) return Fail(400, number->error());
  }
  const auto longest =
      timeline.Longest(static_cast<uint32_t>(*track), static_cast<uint32_t>(*row), *from, *to);
  if (!longest) return Fail(404, longest.error());
  const auto& event = *longest;
  if (!event) return JsonBody("null");
  return Describe(timeline, event->ref);
}

TimelineSearch SearchOf(const Url& url) {
  return {.text = std::string(url.Get("q")), .regex = url.Get("regex") == "1"};
}

Attempt<BodyPtr> FindText(const Timeline& timeline, const Url& url, const Gone& gone) {
  const auto by = DirectionOf(url);
  if (!by) return std::unexpected(by.error());
  const auto from = url.Integer("from", -kLatest, kLatest, 0);
  if (!from) return Fail(400, from.error());
  const auto limit = url.Integer("limit", 0, kMostMatches, 100);
  if (!limit) return Fail(400, limit.error());
  const StoppedBy stopped(gone);
  const auto matches =
      timeline.Find(SearchOf(url), *from, *by, static_cast<size_t>(*limit), stopped.token());
  if (!matches) return Fail(gone() ? 499 : 400, matches.error());
  return JsonBody(ToJson(*matches));
}

Attempt<std::vector<uint32_t>> TracksOf(const Url& url) {
  const auto numbers = url.Numbers("tracks", kMostTracks);
  if (!numbers) return Fail(400, numbers.error());
  std::vector<uint32_t> tracks;
  for (const int64_t track : *numbers) {
    if (track > kMostNumber)
      return Fail(400, {"there is no such track", std::to_string(track), ""});
    tracks.push_back(static_cast<uint32_t>(track));
  }
  return tracks;
}

// "from" and "to"; the whole run without them.
Attempt<std::pair<int64_t, int64_t>> TimesOf(const Url& url) {
  const auto from = url.Integer("from", -kLatest, kLatest, 0);
  if (!from) return Fail(400, from.error());
  const auto to = url.Integer("to", -kLatest, kLatest, kLatest);
  if (!to) return Fail(400, to.error());
  return std::pair(*from, *to);
}

Attempt<BodyPtr> Hits(const Timeline& timeline, const Url& url, const Gone& gone) {
  const auto times = TimesOf(url);
  if (!times) return std::unexpected(times.error());
  const auto tracks = TracksOf(url);
  if (!tracks) return std::unexpected(tracks.error());
  const auto buckets = url.Integer("buckets", 1, kMostBuckets, 512);
  if (!buckets) return Fail(400, buckets.error());
  const StoppedBy stopped(gone);
  const auto hits = timeline.Hits({.search = SearchOf(url),
                                   .from = times->first,
                                   .to = times->second,
                                   .buckets = static_cast<uint32_t>(*buckets),
                                   .tracks = *tracks},
                                  stopped.token());
  if (!hits) return Fail(gone() ? 499 : 400, hits.error());
  return JsonBody(ToJson(*hits));
}

// An event with its details, or null.
Attempt<BodyPtr> DescribeAny(const Timeline& timeline,
                             const Result<std::optional<TimelineEvent>>& found, const Gone& gone) {
  if (!found) return Fail(gone() ? 499 : 404, found.error());
  const auto& event = *found;
  if (!event) return JsonBody("null");
  return Describe(timeline, event->ref);
}

Attempt<BodyPtr> Named(const Timeline& timeline, const Url& url, const Gone& gone) {
  const auto times = TimesOf(url);
  if (!times) return std::unexpected(times.error());
  const auto tracks = TracksOf(url);
  if (!tracks) return std::unexpected(tracks.error());
  const StoppedBy stopped(gone);
  return DescribeAny(timeline,
                     timeline.LongestNamed({.name = std::string(url.Get("name")),
                                            .kind = std::string(url.Get("kind")),
                                            .from = times->first,
                                            .to = times->second,
                                            .tracks = *tracks},
                                           stopped.token()),
                     gone);
}

// The next of its name that lasts from "least" to "most".
Attempt<BodyPtr> Again(const Timeline& timeline, EventRef ref, const Url& url, const Gone& gone) {
  const auto least = url.Integer("least", 0, kLatest, 0);
  if (!least) return Fail(400, least.error());
  const auto most = url.Integer("most", 0, kLatest, kLatest);
  if (!most) return Fail(400, most.error());
  const StoppedBy stopped(gone);
  return DescribeAny(timeline, timeline.NextOccurrence(ref, *least, *most, stopped.token()), gone);
}

// One report about a run, as all reports are printed.
BodyPtr ReportBody(const OpenRun& run, Report report) {
  ReportSet answer;
  answer.run = run.run();
  answer.run.steps = "all";
  answer.reports.push_back(std::move(report));
  return JsonBody(ToJson(answer, kOtherLanguages));
}

Attempt<BodyPtr> Select(const OpenRun& run, const Url& url, const Gone& gone) {
  TimelineSelection selection;
  const auto times = TimesOf(url);
  if (!times) return std::unexpected(times.error());
  std::tie(selection.from, selection.to) = *times;
  auto tracks = TracksOf(url);
  if (!tracks) return std::unexpected(tracks.error());
  selection.tracks = std::move(*tracks);
  // By stack, around a name: that of this event.
  if (url.Has("track")) {
    const auto focus = EventOf(url);
    if (!focus) return std::unexpected(focus.error());
    selection.focus = *focus;
  }
  if (url.Has("by")) selection.by = url.Get("by");
  const StoppedBy stopped(gone);
  auto report = run.timeline()->Select(selection, stopped.token());
  if (!report) return Fail(gone() ? 499 : 400, report.error());
  return ReportBody(run, std::move(*report));
}

Attempt<BodyPtr> Occurrences(const OpenRun& run, EventRef ref, const Gone& gone) {
  const StoppedBy stopped(gone);
  auto report = run.timeline()->Occurrences(ref, stopped.token());
  if (!report) return Fail(gone() ? 499 : 404, report.error());
  return ReportBody(run, std::move(*report));
}

}  // namespace

Attempt<BodyPtr> TimelineAnswer(const OpenRun& run, std::span<const std::string> path,
                                const Url& url, const Gone& gone) {
  if (run.timeline() == nullptr) return Fail(422, run.timeline_error());
  const Timeline& timeline = *run.timeline();
  if (path.empty()) return run.timeline_json();
  const std::string_view word = path.size() == 1 ? std::string_view(path[0]) : "";
  if (word == "tiles") return Tiles(timeline, url, gone);
  if (word == "find") return FindText(timeline, url, gone);
  if (word == "select") return Select(run, url, gone);
  if (word == "hits") return Hits(timeline, url, gone);
  if (word == "named") return Named(timeline, url, gone);
  if (word == "longest") return Longest(timeline, url);
  const auto ref = EventOf(url);
  if (word == "event") return ref ? Describe(timeline, *ref) : std::unexpected(ref.error());
  if (word == "next") return ref ? Next(timeline, *ref, url) : std::unexpected(ref.error());
  if (word == "again") {
    return ref ? Again(timeline, *ref, url, gone) : std::unexpected(ref.error());
  }
  if (word == "occurrences") {
    return ref ? Occurrences(run, *ref, gone) : std::unexpected(ref.error());
  }
  return Fail(404, {"unknown address", std::string(word), ""});
}

}  // namespace stepscope::server
