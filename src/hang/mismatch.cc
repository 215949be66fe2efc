// Compares what members called at one sequence number of a group: the operation, and where all
// members give as much, the elements and their type.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "hang/earlier.h"
#include "hang/waits.h"
#include "ingest/flight/flight_operation.h"

namespace stepscope::hang {
namespace {

using Signature = std::tuple<std::string_view, int64_t, std::string_view>;

Signature SignatureOf(const DumpOperation& operation) {
  const Compared compared = ComparedSizes(operation.name);
  if (compared == Compared::kNothing) return {operation.name, 0, ""};
  return {operation.name, compared == Compared::kInput ? operation.in_count : operation.out_count,
          operation.types};
}

using Callers = std::map<Signature, std::vector<std::pair<int64_t, const DumpOperation*>>>;

Callers CallersAt(const JobGroup& group, int64_t sequence) {
  Callers callers;
  for (const auto& [rank, standing] : group.standings)
    if (const DumpOperation* operation = standing.At(sequence))
      callers[SignatureOf(*operation)].emplace_back(rank, operation);
  return callers;
}

// One kind of operation gives its sizes in one proportion of input to output, whatever they are.
bool HaveOneProportion(const DumpOperation& a, const DumpOperation& b) {
  using Wide = __int128;
  return Wide{a.in_count} * b.out_count == Wide{b.in_count} * a.out_count;
}

// Whether a program can have called both; else a dump may be damaged.
bool CanBeCalled(const DumpOperation& own, const DumpOperation& others) {
  if (own.odd || others.odd || own.types.empty() != others.types.empty()) return false;
  return own.name != others.name || ComparedSizes(own.name) == Compared::kNothing ||
         HaveOneProportion(own, others);
}

bool HasAt(const Standing& standing, int64_t sequence, const Signature& signature) {
  const DumpOperation* operation = standing.At(sequence);
  return operation != nullptr && SignatureOf(*operation) == signature;
}

// Whether one side called next what the other has at `sequence`.
bool IsSwapped(const JobGroup& group, int64_t sequence, const Standing& own,
               const DumpOperation& others) {
  const Signature here = SignatureOf(*own.At(sequence));
  if (HasAt(own, sequence + 1, SignatureOf(others))) return true;
  return std::ranges::any_of(group.standings, [&](const auto& standing) {
    return HasAt(standing.second, sequence, SignatureOf(others)) &&
           HasAt(standing.second, sequence + 1, here);
  });
}

}  // namespace

bool AddMismatch(const Job& job, size_t group, int64_t sequence, Waits& waits) {
  const JobGroup& of = job.groups[group];
  const Callers callers = CallersAt(of, sequence);
  if (callers.size() < 2) return false;
  size_t all = 0;
  const auto* most = &callers.begin()->second;
  for (const auto& [signature, ranks] : callers) {
    all += ranks.size();
    if (ranks.size() > most->size()) most = &ranks;
  }
  const bool sure = 2 * most->size() > all;
  const DumpOperation* usual = most->front().second;
  Wait wait{.kind = WaitKind::kMismatch, .group = group, .operation = usual};
  for (const auto& [signature, ranks] : callers) {
    const bool differ = &ranks != most;
    for (const auto& [rank, operation] : ranks) {
      if (differ || !sure) {
        const DumpOperation* others = differ ? usual : callers.rbegin()->second.front().second;
        if (others == operation) others = callers.begin()->second.front().second;
        const bool in_order = !IsSwapped(of, sequence, *of.Find(rank), *others);
        waits.faults.insert_or_assign(
            rank, Fault{WaitKind::kMismatch, group, operation, others, sure, in_order,
                        CanBeCalled(*operation, *others)});
        wait.awaited.push_back(rank);
      } else if (operation->pending) {
        wait.waiting.push_back(rank);
      }
    }
  }
  if (!wait.waiting.empty()) waits.waits.push_back(std::move(wait));
  return true;
}

namespace {

// Those alike, most first; of equally many those with the lowest rank.
std::vector<Callers::mapped_type> ByMost(const Callers& callers) {
  std::vector<Callers::mapped_type> sides;
  for (const auto& [signature, ranks] : callers) sides.push_back(ranks);
  std::ranges::sort(sides, [](const auto& a, const auto& b) {
    return a.size() != b.size() ? a.size() > b.size() : a.front().first < b.front().first;
  });
  return sides;
}

std::vector<int64_t> RanksOf(const Callers::mapped_type& side) {
  std::vector<int64_t> ranks;
  for (const auto& [rank, operation] : side) ranks.push_back(rank);
  return ranks;
}

std::optional<Earlier> EarlierAt(const JobGroup& group, size_t place, int64_t sequence) {
  const Callers callers = CallersAt(group, sequence);
  if (callers.size() < 2) return std::nullopt;
  const auto sides = ByMost(callers);
  for (const auto& side : sides)
    for (const auto& [rank, operation] : side)
      if (operation->pending || operation->odd) return std::nullopt;
  return Earlier{place, sides[0].front().second, sides[1].front().second, RanksOf(sides[1]),
                 RanksOf(sides[0])};
}

}  // namespace

std::vector<Earlier> FindEarlier(const Job& job) {
  std::vector<Earlier> found;
  for (size_t place = 0; place < job.groups.size(); ++place) {
    const JobGroup& group = job.groups[place];
    if (group.shared) continue;
    std::set<int64_t> finished;
    for (const auto& [rank, standing] : group.standings)
      for (const DumpOperation* operation : standing.operations)
        if (!operation->pending) finished.insert(operation->sequence);
    for (const int64_t sequence : finished) {
      auto earlier = EarlierAt(group, place, sequence);
      if (!earlier) continue;
      found.push_back(std::move(*earlier));
      break;
    }
  }
  return found;
}

}  // namespace stepscope::hang
