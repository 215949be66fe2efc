// Chooses levels and events, and packs them.
#include "server/embedded_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include "base/gzip.h"
#include "server/compact_json.h"

namespace stepscope::server {
namespace {

constexpr int64_t kBuckets = 512;        // of a tile
constexpr int64_t kMostTiles = 4096;     // of a level of a track
constexpr size_t kMostDetails = 400;     // events
constexpr size_t kBoxesAt = 40;          // of a tile: what comes before is its head
constexpr double kShareOfDetails = 0.2;  // of the room

std::string Base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - at);
    uint32_t three = 0;
    for (size_t k = 0; k < 3; ++k) {
      three = three << 8 | (k < count ? static_cast<unsigned char>(bytes[at + k]) : 0u);
    }
    for (size_t k = 0; k < 4; ++k) {
      text += k <= count ? kDigits[three >> (18 - 6 * k) & 63] : '=';
    }
  }
  return text;
}

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

class Choice {
 public:
  Choice(const Timeline& timeline, size_t room)
      : timeline_(timeline), room_(room), finest_(timeline.tracks().size()) {}

  void Run() {
    const uint32_t top = TopLevel(timeline_.end());
    for (uint32_t track = 0; track < finest_.size(); ++track) AddLevel(track, top, SIZE_MAX);
    for (const auto& [kind, share] : kShares) {
      const auto more = static_cast<size_t>(static_cast<double>(room_) * share);
      Descend(kind, std::min(room_, tiles_.size() + more));
    }
    for (const auto& [kind, share] : kShares) Descend(kind, room_);
  }

  // Comma-separated members of the object "tiles".
  const std::string& tiles() const { return tiles_; }
  uint32_t finest(uint32_t track) const { return finest_[track]; }
  std::vector<Candidate> Longest() && {
    std::ranges::sort(candidates_, std::greater{});
    const auto again = std::ranges::unique(candidates_);
    candidates_.erase(again.begin(), again.end());
    return std::move(candidates_);
  }

 private:
  // Finer levels for the tracks of a kind, one level after another, until `limit` is reached.
  void Descend(TrackKind kind, size_t limit) {
    std::vector<uint32_t> tracks;
    for (uint32_t track = 0; track < finest_.size(); ++track) {
      if (timeline_.tracks()[track].kind == kind) tracks.push_back(track);
    }
    while (!tracks.empty()) {
      std::erase_if(tracks, [&](uint32_t track) {
        return finest_[track] == 0 || !AddLevel(track, finest_[track] - 1, limit);
      });
    }
  }

  // All tiles of a level of a track, or none where they do not fit.
  bool AddLevel(uint32_t track, uint32_t level, size_t limit) {
    const int64_t count = timeline_.end() / (kBuckets << level) + 1;
    if (count > kMostTiles) return false;
    const size_t before = tiles_.size(), candidates = candidates_.size();
    for (int64_t index = 0; index < count; ++index) {
      const auto tile = timeline_.Tile(track, level, static_cast<uint64_t>(index));
      if (!tile) return false;
      tiles_ += fmt::format("{}\"{}.{}.{}\":\"{}\"", tiles_.empty() ? "" : ",", track, level, index,
                            Base64(Gzip(*tile)));
      AddCandidates(track, *tile);
      if (tiles_.size() <= limit) continue;
      tiles_.resize(before);
      candidates_.resize(candidates);
      return false;
    }
    finest_[track] = level;
    return true;
  }

  // The boxes of a tile, as the format has them: starts, durations, numbers of events.
  void AddCandidates(uint32_t track, std::string_view tile) {
    uint32_t boxes = 0;
    if (tile.size() < kBoxesAt) return;
    std::memcpy(&boxes, tile.data() + 20, sizeof boxes);
    if ((tile.size() - kBoxesAt) / 20 < boxes) return;
    for (size_t box = 0; box < boxes; ++box) {
      double duration = 0;
      uint32_t event = 0;
      std::memcpy(&duration, tile.data() + kBoxesAt + 8 * (boxes + box), sizeof duration);
      std::memcpy(&event, tile.data() + kBoxesAt + 16 * size_t{boxes} + 4 * box, sizeof event);
      candidates_.emplace_back(duration, track, event);
    }
  }

  const Timeline& timeline_;
  size_t room_;
  std::vector<uint32_t> finest_;
  std::string tiles_;
  std::vector<Candidate> candidates_;
};

// Members of the object "events". Each kind of track gets its share: the longest of all are a few
// annotations that hold everything else.
std::string Details(const Timeline& timeline, const std::vector<Candidate>& longest, size_t room) {
  std::string members;
  std::map<TrackKind, size_t> taken;
  for (const auto& [duration, track, event] : longest) {
    size_t& of_kind = taken[timeline.tracks()[track].kind];
    if (of_kind >= kMostDetails / 4) continue;
    const auto details = timeline.Describe({.track = track, .event = event});
    if (!details) continue;
    const std::string json = CompactJson(ToJson(*details, timeline));
    if (members.size() + json.size() > room) continue;
    members += fmt::format("{}\"{}.{}\":{}", members.empty() ? "" : ",", track, event, json);
    ++of_kind;
  }
  return members;
}

std::string Says(const Timeline& timeline, const Choice& choice) {
  uint32_t streams = 0, others = 0;
  for (uint32_t track = 0; track < timeline.tracks().size(); ++track) {
    uint32_t& coarsest = timeline.tracks()[track].kind == TrackKind::kStream ? streams : others;
    coarsest = std::max(coarsest, choice.finest(track));
  }
  return fmt::format(
      "This file holds each event of accelerators that lasts at least {:.1f} us, and each of other "
      "tracks that lasts at least {:.1f} us; on many tracks shorter ones too. All others are drawn "
      "as density. Details are those of the longest.",
      static_cast<double>(int64_t{1} << streams) / 1e3,
      static_cast<double>(int64_t{1} << others) / 1e3);
}

// The JSON of the timeline with one more member for each track. In a text these bytes would have
// backslashes between them.
std::string WithFinest(std::string_view info, const Timeline& timeline, const Choice& choice) {
  std::string out;
  for (uint32_t track = 0; track < timeline.tracks().size(); ++track) {
    const std::string begins = fmt::format("{{\"id\":{},", track);
    const size_t at = info.find(begins);
    if (at == info.npos) break;
    const size_t after = at + begins.size();
    out += info.substr(0, after);
    out += fmt::format("\"finest\":{},", choice.finest(track));
    info.remove_prefix(after);
  }
  return out.append(info);
}

}  // namespace

std::string EmbeddedTimelineJson(const Timeline& timeline, size_t most_bytes) {
  std::string info = CompactJson(ToJson(timeline));
  const size_t room = most_bytes - std::min(most_bytes, info.size());
  const auto for_details = static_cast<size_t>(static_cast<double>(room) * kShareOfDetails);
  Choice choice(timeline, room - for_details);
  choice.Run();
  info = WithFinest(info, timeline, choice);
  const std::string says = Says(timeline, choice);
  const std::string tiles = choice.tiles();
  const std::string events = Details(timeline, std::move(choice).Longest(), for_details);
  return fmt::format(R"({{"info":{},"says":"{}","tiles":{{{}}},"events":{{{}}}}})", info, says,
                     tiles, events);
}

}  // namespace stepscope::server
