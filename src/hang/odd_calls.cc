// Peers are told apart call by call, from the first call of a group that all its members have kept.
#include "hang/odd_calls.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace stepscope::hang {
namespace {

using Calls = std::vector<uint32_t>;  // ids of what was called, alike for all ranks

// What a rank called since the anchor.
struct Track {
  int64_t rank = -1;
  size_t begin = 0;  // of the rank's calls
  std::span<const uint32_t> calls;
};

bool AgreeFrom(std::span<const uint32_t> a, std::span<const uint32_t> b) {
  const size_t both = std::min(a.size(), b.size());
  return std::ranges::equal(a.first(both), b.first(both));
}

std::span<const uint32_t> Behind(std::span<const uint32_t> calls, size_t at) {
  return calls.subspan(std::min(at, calls.size()));
}

// Whether one call left out, added, replaced or swapped at `at` is all that differs.
bool DiffersOnce(std::span<const uint32_t> own, std::span<const uint32_t> others, size_t at) {
  const auto same = [&](size_t a, size_t b) {
    return AgreeFrom(Behind(own, at + a), Behind(others, at + b));
  };
  if (same(0, 1) || same(1, 0) || same(1, 1)) return true;
  const auto is = [&](std::span<const uint32_t> calls, size_t place, uint32_t call) {
    return place < calls.size() && calls[place] == call;
  };
  return is(own, at + 1, others[at]) && is(others, at + 1, own[at]) && same(2, 2);
}

// Whether the two rounds before `at` are the same, the last one has all that is called since, and
// it began with what others call at `at`. What the rank itself calls there may be new if
// `new_call`.
bool BreaksARound(std::span<const uint32_t> own, std::span<const uint32_t> others, size_t at,
                  bool new_call) {
  std::set<uint32_t> since(others.begin() + static_cast<std::ptrdiff_t>(at), others.end());
  const auto behind = Behind(own, new_call ? at + 1 : at);
  since.insert(behind.begin(), behind.end());
  for (size_t round = 1; 2 * round <= at; ++round) {
    if (own[at - round] != others[at]) continue;
    const auto last = own.subspan(at - round, round);
    if (!std::ranges::equal(last, own.subspan(at - 2 * round, round))) continue;
    const std::set<uint32_t> called(last.begin(), last.end());
    if (std::ranges::includes(called, since)) return true;
  }
  return false;
}

class Finder {
 public:
  Finder(const Job& job, std::span<const int64_t> ranks, bool lines)
      : job_(job), ranks_(ranks.begin(), ranks.end()), lines_(lines) {}

  void Find(std::map<int64_t, OddCall>& found) {
    for (const JobGroup& group : job_.groups) {
      const bool asked =
          std::ranges::any_of(ranks_, [&](int64_t rank) { return group.standings.contains(rank); });
      if (!asked || group.shared || group.standings.size() < 3) continue;
      auto tracks = TracksOf(group);
      if (tracks.size() >= 3) Split(std::move(tracks), found);
    }
  }

 private:
  const Calls& CallsOf(const RankDump& dump) {
    const auto [at, added] = calls_.try_emplace(dump.rank);
    if (!added) return at->second;
    std::vector<uint32_t> ids;
    for (const DumpCallKind& kind : dump.kinds) {
      const auto key = std::tuple(dump.groups[kind.group].description, kind.name,
                                  lines_ ? kind.line : "", kind.point_to_point);
      ids.push_back(ids_.try_emplace(key, static_cast<uint32_t>(ids_.size())).first->second);
    }
    for (const DumpCall& call : dump.calls) at->second.push_back(ids[call.kind]);
    return at->second;
  }

  static bool IsOf(const RankDump& dump, const DumpCall& call, const JobGroup& group) {
    const DumpCallKind& kind = dump.kinds[call.kind];
    const DumpGroup& of = dump.groups[kind.group];
    return !kind.point_to_point && of.name == group.name && of.description == group.description;
  }

  // From the first call in the group that all members have kept.
  std::vector<Track> TracksOf(const JobGroup& group) {
    int64_t anchor = -1;
    for (const auto& [rank, standing] : group.standings) {
      const RankDump& dump = *job_.dumps.at(rank);
      const auto first = std::ranges::find_if(
          dump.calls, [&](const DumpCall& call) { return IsOf(dump, call, group); });
      if (first != dump.calls.end()) anchor = std::max<int64_t>(anchor, first->sequence);
    }
    std::vector<Track> tracks;
    for (const auto& [rank, standing] : group.standings) {
      const RankDump& dump = *job_.dumps.at(rank);
      const auto at = std::ranges::find_if(dump.calls, [&](const DumpCall& call) {
        return call.sequence == anchor && IsOf(dump, call, group);
      });
      if (at == dump.calls.end()) continue;
      const auto begin = static_cast<size_t>(at - dump.calls.begin());
      tracks.push_back({rank, begin, std::span(CallsOf(dump)).subspan(begin)});
    }
    return tracks;
  }

  // Peers that called the same up to a call part there.
  void Split(std::vector<Track> all, std::map<int64_t, OddCall>& found) {
    std::vector<std::pair<std::vector<Track>, size_t>> open;
    open.emplace_back(std::move(all), 0);
    while (!open.empty()) {
      auto [peers, at] = std::move(open.back());
      open.pop_back();
      std::map<uint32_t, std::vector<Track>> parts;
      while (parts.size() < 2) {
        parts.clear();
        for (const Track& track : peers)
          if (at < track.calls.size()) parts[track.calls[at]].push_back(track);
        if (parts.empty()) break;
        if (parts.size() == 1) peers = std::move(parts.begin()->second), ++at;
      }
      if (parts.size() < 2) continue;
      Compare(parts, at, found);
      for (auto& [call, part] : parts)
        if (part.size() > 1) open.emplace_back(std::move(part), at + 1);
    }
  }

  void Compare(const std::map<uint32_t, std::vector<Track>>& parts, size_t at,
               std::map<int64_t, OddCall>& found) {
    size_t all = 0;
    const std::vector<Track>* most = nullptr;
    for (const auto& [call, part] : parts) {
      all += part.size();
      if (most == nullptr || part.size() > most->size()) most = &part;
    }
    if (most->size() < 2 || 2 * most->size() <= all) return;
    const Track& peer =
        *std::ranges::max_element(*most, {}, [](const Track& one) { return one.calls.size(); });
    for (const auto& [call, part] : parts) {
      if (&part == most) continue;
      for (const Track& odd : part)
        if (ranks_.contains(odd.rank) && IsOdd(odd, peer, at))
          found.insert_or_assign(odd.rank, OddCall{odd.rank, At(odd.rank, odd.begin + at),
                                                   OwnOfPeer(odd.rank, peer, at)});
    }
  }

  bool IsOdd(const Track& odd, const Track& peer, size_t at) const {
    const bool one_group = GroupAt(odd, at).description == GroupAt(peer, at).description;
    return DiffersOnce(odd.calls, peer.calls, at) &&
           BreaksARound(odd.calls, peer.calls, at, one_group);
  }

  const DumpGroup& GroupAt(const Track& track, size_t at) const {
    const RankDump& dump = *job_.dumps.at(track.rank);
    return dump.groups[dump.kinds[dump.calls[track.begin + at].kind].group];
  }

  PlacedCall At(int64_t rank, size_t place) const {
    const RankDump& dump = *job_.dumps.at(rank);
    const DumpCall& call = dump.calls[place];
    const DumpCallKind& kind = dump.kinds[call.kind];
    PlacedCall placed{job_.groups.size(), {}};
    placed.operation.name = kind.name;
    placed.operation.line = kind.line;
    placed.operation.sequence = call.sequence;
    placed.operation.point_to_point = kind.point_to_point;
    for (size_t group = 0; group < job_.groups.size(); ++group) {
      const JobGroup& of = job_.groups[group];
      if (of.name == dump.groups[kind.group].name && of.standings.contains(rank) &&
          of.description == dump.groups[kind.group].description)
        placed.group = group;
    }
    return placed;
  }

  // What the peer called, as a call of the rank: in its own group of the kind, if it has one.
  PlacedCall OwnOfPeer(int64_t rank, const Track& peer, size_t at) const {
    PlacedCall call = At(peer.rank, peer.begin + at);
    if (call.group >= job_.groups.size()) return call;
    const std::string& description = job_.groups[call.group].description;
    for (size_t group = 0; group < job_.groups.size(); ++group)
      if (job_.groups[group].description == description &&
          job_.groups[group].standings.contains(rank) &&
          !job_.groups[call.group].standings.contains(rank))
        call.group = group;
    return call;
  }

  using Key = std::tuple<std::string, std::string, std::string, bool>;

  const Job& job_;
  std::set<int64_t> ranks_;
  bool lines_;
  std::map<Key, uint32_t> ids_;
  std::map<int64_t, Calls> calls_;
};

}  // namespace

std::vector<OddCall> FindOddCalls(const Job& job, std::span<const int64_t> ranks) {
  std::map<int64_t, OddCall> found;
  for (const bool lines : {false, true}) Finder(job, ranks, lines).Find(found);
  std::vector<OddCall> odd;
  for (auto& [rank, call] : found) odd.push_back(std::move(call));
  return odd;
}

}  // namespace stepscope::hang
