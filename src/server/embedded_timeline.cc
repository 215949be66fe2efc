// Chooses levels and events, and packs them.
#include "server/embedded_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/gzip.h"
#include "base/json_writer.h"
#include "base/parallel.h"
#include "server/compact_json.h"
#include "server/packed_text.h"

namespace stepscope::server {
namespace {

constexpr int64_t kBuckets = 512;      // of a tile
constexpr int64_t kMostTiles = 4096;   // of a level of a track
constexpr size_t kMostDetails = 400;   // events
constexpr size_t kBoxesAt = 40;        // of a tile: what comes before is its head
constexpr uint32_t kMicrosecond = 10;  // the level whose buckets last about one

// Kinds of tracks in the order in which they get finer levels, each with its share of the room;
// what one leaves over goes to all, in the same order.
struct Share {
  TrackKind kind;
  double share;
};
constexpr std::array<Share, 5> kShares = {{{TrackKind::kStream, 0.5},
                                           {TrackKind::kSteps, 0.05},
                                           {TrackKind::kAnnotations, 0.1},
                                           {TrackKind::kCounter, 0.1},
                                           {TrackKind::kThread, 0.25}}};

// The lowest level at which one tile holds the whole run.
uint32_t TopLevel(int64_t end) {
  uint32_t level = 0;
  while (level < 44 && (kBuckets << level) <= end) ++level;
  return level;
}

// An event that may get its details embedded; the longest first.
using Candidate = std::tuple<double, uint32_t, uint32_t>;  // duration, track, event

// Reads the parts of a tile (docs/formats/tiles.md) that tell how much is in it.
class TileBytes {
 public:
  explicit TileBytes(std::string_view bytes) : bytes_(bytes) {}
  size_t boxes() const { return At<uint32_t>(20); }
  size_t spans() const { return At<uint32_t>(24); }
  size_t points() const { return At<uint32_t>(32); }
  bool empty() const { return boxes() + spans() + points() == 0; }
  double Duration(size_t box) const { return At<double>(kBoxesAt + 8 * (boxes() + box)); }
  uint32_t Event(size_t box) const { return At<uint32_t>(kBoxesAt + 16 * boxes() + 4 * box); }
  // How many events a span stands for.
  uint32_t Count(size_t span) const {
    const size_t of_boxes =
        16 * boxes() + 2 * Padded(4 * boxes()) + Padded(2 * boxes()) + 2 * Padded(boxes());
    return At<uint32_t>(kBoxesAt + of_boxes + 2 * Padded(2 * spans()) + 4 * span);
  }

 private:
  static size_t Padded(size_t bytes) { return (bytes + 7) / 8 * 8; }
  template <class Value>
  Value At(size_t at) const {
    Value value = 0;
    if (at + sizeof value <= bytes_.size()) std::memcpy(&value, bytes_.data() + at, sizeof value);
    return value;
  }

  std::string_view bytes_;
};

// A level of a track, with its tiles that have something in them.
struct Level {
  uint32_t level = 0;
  std::string tiles;
  std::vector<uint32_t> indices;
  std::vector<Candidate> boxes;
  uint64_t spans = 0, alone = 0;  // and those that stand for one event
  uint64_t points = 0;
  int64_t count = 0;  // of tiles, the empty ones too
  double text = 0;    // so many bytes as text, about; of a level that is not whole, at least
  bool whole = false;

  // Nothing of the track is hidden: a finer level would only say the same again.
  bool ShowsAll(const TimelineTrack& track) const {
    if (track.kind == TrackKind::kCounter) {
      return level <= kMicrosecond || points >= track.events + static_cast<uint64_t>(count);
    }
    return spans == 0 || (level <= kMicrosecond && alone == spans);
  }

  void Add(uint32_t track, uint32_t index, std::string_view tile) {
    const TileBytes parts(tile);
    if (parts.empty()) return;
    tiles += tile;
    indices.push_back(index);
    points += parts.points();
    spans += parts.spans();
    for (size_t span = 0; span < parts.spans(); ++span) alone += parts.Count(span) <= 1 ? 1 : 0;
    for (size_t box = 0; box < parts.boxes(); ++box) {
      boxes.emplace_back(parts.Duration(box), track, parts.Event(box));
    }
  }
};

class Choice {
 public:
  Choice(const Timeline& timeline, size_t room, int threads)
      : timeline_(timeline),
        room_(static_cast<double>(room)),
        threads_(static_cast<size_t>(std::max(threads, 0))),
        tracks_(timeline.tracks().size()) {}

  void Run() {
    const uint32_t top = TopLevel(timeline_.end());
    for (uint32_t track = 0; track < tracks_.size(); ++track) {
      tracks_[track].indices = {0};
      Add(track, Make(track, top, kNoLimit), kNoLimit);
    }
    for (const auto& [kind, share] : kShares) {
      Descend(kind, std::min(room_, estimate_ + room_ * share));
    }
    for (const auto& [kind, share] : kShares) Descend(kind, room_);
    // What was estimated packs better together: the rest of the room is for more. Nearly all of it
    // at first, as the first kinds would take what others have little enough of.
    for (const double part : {0.971, 0.99}) {
      const double better = PackedSize() / std::max(estimate_, 1.0);
      if (better >= 0.95) return;
      for (const auto& [kind, share] : kShares) Descend(kind, part * room_ / better);
    }
  }

  std::map<uint32_t, std::string> TakePacked() {
    std::map<uint32_t, std::string> packed;
    ForEachLevel([](OfLevel& level) { level.Pack(); });
    for (auto& [level, of_level] : levels_) {
      packed[level] = PackedText(std::move(of_level.deflater));
    }
    return packed;
  }
  // From so many ns on each event of a track is there; 0: all.
  int64_t Least(uint32_t track) const {
    const OfTrack& t = tracks_[track];
    return t.shows_all ? 0 : int64_t{1} << t.finest;
  }
  uint32_t finest(uint32_t track) const { return tracks_[track].finest; }
  std::vector<Candidate> TakeLongest() {
    std::ranges::sort(candidates_, std::greater{});
    const auto again = std::ranges::unique(candidates_);
    candidates_.erase(again.begin(), again.end());
    return std::move(candidates_);
  }

 private:
  static constexpr double kNoLimit = 1e18;
  static constexpr size_t kAtOnce = 64;  // levels that are in memory before they are chosen
  struct OfTrack {
    uint32_t finest = 0;
    bool shows_all = false;
    std::vector<uint32_t> indices;  // of the tiles of the finest level
    double next = 0;                // what the level below takes at least, as text
  };
  // Each byte is packed once, though the size is asked for on the way.
  struct OfLevel {
    std::string waiting;
    RawDeflater deflater;

    void Pack() { deflater.Add(std::exchange(waiting, {})); }
  };

  // Finer levels for the tracks of a kind, one level after another, until `limit` is reached.
  void Descend(TrackKind kind, double limit) {
    std::vector<uint32_t> tracks;
    for (uint32_t track = 0; track < tracks_.size(); ++track) {
      if (timeline_.tracks()[track].kind == kind) tracks.push_back(track);
    }
    while (!tracks.empty()) {
      std::erase_if(tracks, [&](uint32_t track) {
        const OfTrack& t = tracks_[track];
        return t.shows_all || t.finest == 0 || estimate_ + t.next > limit;
      });
      std::vector<uint32_t> deeper;
      for (size_t at = 0; at < tracks.size(); at += kAtOnce) {
        const auto some = std::span(tracks).subspan(at, std::min(kAtOnce, tracks.size() - at));
        std::vector<Level> made(some.size());
        ParallelFor(some.size(), threads_, [&](size_t k) {
          made[k] = Make(some[k], tracks_[some[k]].finest - 1, limit - estimate_);
        });
        for (size_t k = 0; k < some.size(); ++k) {
          if (Add(some[k], std::move(made[k]), limit)) deeper.push_back(some[k]);
        }
      }
      tracks = std::move(deeper);
    }
  }

  // A level of a track, from below the tiles of the one above that have something in them; not
  // whole where it has too many tiles, or takes more than `room` in any case.
  Level Make(uint32_t track, uint32_t level, double room) const {
    Level made{
        .level = level, .count = timeline_.end() / (kBuckets << level) + 1, .text = kNoLimit};
    if (made.count > kMostTiles) return made;
    for (const uint32_t above : tracks_[track].indices) {
      for (const uint32_t index : {2 * above, 2 * above + 1}) {
        if (index >= made.count) continue;
        const auto tile = timeline_.Tile(track, level, index);
        if (!tile) return made;
        made.Add(track, index, *tile);
      }
      // Nothing packs better than this.
      const double least = static_cast<double>(made.tiles.size()) / 1000;
      if (least <= room) continue;
      made.text = least;
      return made;
    }
    made.text = static_cast<double>(Base64Size(Gzip(made.tiles).size()));
    made.whole = true;
    return made;
  }

  // False where it does not fit.
  bool Add(uint32_t track, Level made, double limit) {
    OfTrack& t = tracks_[track];
    t.next = made.text;
    if (!made.whole || estimate_ + made.text > limit) return false;
    estimate_ += made.text;
    levels_[made.level].waiting += made.tiles;
    candidates_.insert(candidates_.end(), made.boxes.begin(), made.boxes.end());
    t = {.finest = made.level,
         .shows_all = made.ShowsAll(timeline_.tracks()[track]),
         .indices = std::move(made.indices)};
    return true;
  }

  template <class Body>
  void ForEachLevel(const Body& body) {
    std::vector<OfLevel*> levels;
    for (auto& [level, of_level] : levels_) levels.push_back(&of_level);
    ParallelFor(levels.size(), threads_, [&](size_t k) { body(*levels[k]); });
  }

  // What is chosen, as text.
  double PackedSize() {
    std::atomic<size_t> bytes = 0;
    ForEachLevel([&](OfLevel& level) {
      level.Pack();
      bytes += Base64Size(level.deflater.Flush());
    });
    return static_cast<double>(bytes);
  }

  const Timeline& timeline_;
  double room_;
  size_t threads_;
  double estimate_ = 0;  // of what is chosen, as text
  std::vector<OfTrack> tracks_;
  std::map<uint32_t, OfLevel> levels_;
  std::vector<Candidate> candidates_;
};

// The object "events". Each kind of track gets its share: the longest of all are a few annotations
// that hold everything else.
void PutDetails(JsonWriter& json, const Timeline& timeline, const std::vector<Candidate>& longest) {
  json.BeginObject(JsonWriter::Form::kCompact);
  std::map<TrackKind, size_t> taken;
  for (const auto& [duration, track, event] : longest) {
    size_t& of_kind = taken[timeline.tracks()[track].kind];
    if (of_kind >= kMostDetails / 4) continue;
    const auto details = timeline.Describe({.track = track, .event = event});
    if (!details) continue;
    json.Key(fmt::format("{}.{}", track, event));
    json.Raw(CompactJson(ToJson(*details, timeline)));
    ++of_kind;
  }
  json.End();
}

// The object "least".
void PutLeast(JsonWriter& json, const Timeline& timeline, const Choice& choice) {
  int64_t device = 0, other = 0;
  for (uint32_t track = 0; track < timeline.tracks().size(); ++track) {
    int64_t& least = timeline.tracks()[track].kind == TrackKind::kStream ? device : other;
    least = std::max(least, choice.Least(track));
  }
  json.BeginObject(JsonWriter::Form::kCompact);
  json.Key("device");
  json.Int(device);
  json.Key("other");
  json.Int(other);
  json.End();
}

}  // namespace

EmbeddedTimeline EmbedTimeline(const Timeline& timeline, size_t most_bytes, int threads) {
  Choice choice(timeline, most_bytes, threads);
  choice.Run();
  JsonWriter json;
  json.BeginObject(JsonWriter::Form::kCompact);
  json.Key("info");
  json.Raw(CompactJson(ToJson(timeline)));
  json.Key("finest");
  json.BeginArray(JsonWriter::Form::kCompact);
  for (uint32_t track = 0; track < timeline.tracks().size(); ++track)
    json.Int(choice.finest(track));
  json.End();
  json.Key("least");
  PutLeast(json, timeline, choice);
  json.Key("events");
  PutDetails(json, timeline, choice.TakeLongest());
  json.End();
  return {.json = std::move(json).Take(), .tiles = choice.TakePacked()};
}

}  // namespace stepscope::server
