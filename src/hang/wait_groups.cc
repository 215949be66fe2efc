// Layers are distances from a root, along waits.
#include "hang/wait_groups.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "hang/hang_words.h"
#include "report/columns.h"

namespace stepscope::hang {
namespace {

constexpr size_t kMostLinks = 64;
constexpr size_t kMostAlone = 8;  // roots that are a group each

// What a group's ranks have in common: layer, description of the group, operation, reason.
using Kind = std::tuple<int64_t, std::string, std::string, int64_t>;

class Folder {
 public:
  Folder(const Job& job, const Judgement& judgement) : job_(job), judged_(judgement) {
    PlaceRoots();
    PlaceOthers();
    for (const auto& [rank, kind] : kinds_) members_[kind].push_back(rank);
  }

  std::vector<std::vector<Cell>> Rows() {
    for (const Wait& wait : judged_.waits) Link(wait);
    std::vector<std::vector<Cell>> rows;
    std::set<Kind> shown;
    for (const auto& [of, link] : links_) {
      if (rows.size() >= kMostLinks) break;
      const auto& [from, to, group, operation, why] = of;
      shown.insert(from);
      shown.insert(to);
      const auto list = [](const std::set<int64_t>& ranks) {
        return ListRanks(std::vector<int64_t>(ranks.begin(), ranks.end()));
      };
      rows.push_back({list(link.waiting), std::ssize(link.waiting), list(link.awaited),
                      std::ssize(link.awaited), link.each, TextCell(group), TextCell(operation),
                      std::string(why), std::get<0>(from), TargetName(members_[to].front()),
                      ListRanks(members_[from]), std::ssize(members_[from]),
                      ListRanks(members_[to]), std::ssize(members_[to])});
    }
    AddRootsAlone(shown, rows);
    return rows;
  }

 private:
  void PlaceRoots() {
    for (const Root& root : judged_.roots) {
      const bool alone = judged_.roots.size() <= kMostAlone;
      kinds_[root.rank] = {0, "", std::string(ReasonName(root.reason)), alone ? root.rank : -1};
    }
  }

  // From roots outwards, each rank by the wait that leads to one soonest.
  void PlaceOthers() {
    std::set<const Wait*> done;
    for (int64_t layer = 1, more = 1; more > 0; ++layer) {
      std::map<int64_t, Kind> found;
      for (const Wait& wait : judged_.waits) {
        const bool leads = !done.contains(&wait) && std::ranges::any_of(wait.awaited, [&](auto to) {
          return kinds_.contains(to);
        });
        if (!leads) continue;
        done.insert(&wait);
        for (const int64_t rank : wait.waiting)
          if (!kinds_.contains(rank))
            found.try_emplace(rank, layer, job_.groups[wait.group].Shown(), wait.operation->name,
                              -1 - static_cast<int64_t>(wait.kind));
      }
      more = static_cast<int64_t>(found.size());
      kinds_.merge(found);
    }
  }

  void Link(const Wait& wait) {
    const auto awaited = ByKind(wait.awaited);
    for (const int64_t rank : wait.waiting) {
      const auto from = kinds_.find(rank);
      if (from == kinds_.end()) continue;
      for (const auto& [to, ranks] : awaited) {
        const int64_t layer = std::get<0>(from->second), other = std::get<0>(to);
        const bool in_circle = layer == 0 && other == 0 && to != from->second;
        if (other >= layer && !in_circle) continue;
        GroupLink& link = links_[{from->second, to, job_.groups[wait.group].Shown(),
                                  wait.operation->name, WaitName(wait.kind)}];
        link.waiting.insert(rank);
        if (link.last != &wait) link.awaited.insert(ranks.begin(), ranks.end());
        link.last = &wait;
        link.each = std::max(link.each, std::ssize(ranks));
      }
    }
  }

  std::map<Kind, std::vector<int64_t>> ByKind(const std::vector<int64_t>& ranks) const {
    std::map<Kind, std::vector<int64_t>> kinds;
    for (const int64_t rank : ranks)
      if (const auto at = kinds_.find(rank); at != kinds_.end()) kinds[at->second].push_back(rank);
    return kinds;
  }

  // Roots that no recorded wait leads to or from, as those that only stacks show.
  void AddRootsAlone(const std::set<Kind>& shown, std::vector<std::vector<Cell>>& rows) {
    for (const auto& [kind, members] : members_) {
      if (std::get<0>(kind) != 0 || shown.contains(kind)) continue;
      const std::string ranks = ListRanks(members);
      const int64_t count = std::ssize(members);
      rows.push_back({Cell(), int64_t{0}, ranks, count, int64_t{0}, Cell(), Cell(), Cell(),
                      int64_t{0}, TargetName(members.front()), Cell(), int64_t{0}, ranks, count});
    }
  }

  // Of a root "root", or "perhaps" where it is not certain.
  Cell TargetName(int64_t rank) const {
    const auto at = std::ranges::find(judged_.roots, rank, &Root::rank);
    if (at == judged_.roots.end()) return {};
    return std::string(IsCertain(job_, *at) ? "root" : "perhaps");
  }

  // Who of a group waits for whom of another.
  struct GroupLink {
    std::set<int64_t> waiting, awaited;
    int64_t each = 0;  // of the awaited, that one rank waits for in one operation, at most
    const Wait* last = nullptr;
  };

  const Job& job_;
  const Judgement& judged_;
  std::map<int64_t, Kind> kinds_;  // by rank
  std::map<Kind, std::vector<int64_t>> members_;
  std::map<std::tuple<Kind, Kind, std::string, std::string, std::string_view>, GroupLink> links_;
};

}  // namespace

Table WaitGroupsTable(const Job& job, const Judgement& judgement) {
  return {.key = "wait_groups",
          .title = "Groups of ranks that wait for others",
          .columns = {KeyColumn("ranks", "ranks"), CountColumn("waiting", "ranks waiting"),
                      KeyColumn("waits_for", "waits for"), CountColumn("awaited", "awaited ranks"),
                      CountColumn("each", "awaited by each"), KeyColumn("group", "group"),
                      KeyColumn("operation", "operation"), Words(ValueColumn("why", "why")),
                      Detail(CountColumn("layer", "distance")), Words(ValueColumn("root", "root")),
                      Detail(ValueColumn("from", "ranks alike")),
                      Detail(CountColumn("from_count", "ranks alike")),
                      Detail(ValueColumn("to", "awaited ranks alike")),
                      Detail(CountColumn("to_count", "awaited ranks alike"))},
          .rows = Folder(job, judgement).Rows(),
          .text_rows = 8};
}

}  // namespace stepscope::hang
