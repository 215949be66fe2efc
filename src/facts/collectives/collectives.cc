// Matches collectives of one group and position across ranks.
#include "facts/collectives/collectives.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/saturate.h"
#include "facts/collectives/clocks.h"
#include "facts/collectives/collective_items.h"
#include "facts/collectives/listed_groups.h"
#include "facts/collectives/order_alignment.h"
#include "facts/collectives/pieces.h"
#include "facts/collectives/split.h"

namespace stepscope {
namespace {

// Several communicators can hide behind kernels that name no group; each needs ranks that fit.
constexpr int kMostHiddenGroups = 8;
// Comparisons of two ranks' orders after which the search for more such groups ends.
constexpr int64_t kMostComparisons = 4096;

class Matcher {
 public:
  Matcher(const StringTable& names, std::span<const RankActivity> ranks)
      : ranks_(ranks), in_(CollectItems(names, ranks, facts_)) {}

  CollectiveFacts Match() {
    SortItems();
    NumberByOrder();
    FindAmbiguous();
    for (size_t i = 0; i < in_.items.size();) {
      const size_t end = EndOfPlace(i);
      MatchPlace(std::span(in_.items).subspan(i, end - i));
      i = end;
    }
    return std::move(facts_);
  }

 private:
  using Items = std::span<CollectiveItem>;

  const CollectiveDescription& Of(const CollectiveItem& item) const {
    return in_.descriptions[item.description];
  }
  Activity ActivityOf(const CollectiveItem& item) const {
    return ranks_[item.recording].activities[item.activity];
  }

  int64_t StepOf(const CollectiveItem& item, const Activity& activity) const {
    if (activity.step == kNoStep) return -1;
    return ranks_[item.recording].steps[static_cast<size_t>(activity.step)].number;
  }

  void SortItems() {
    std::ranges::sort(in_.items, {}, [](const CollectiveItem& i) {
      // Without numbers, each stream's are together.
      const uint32_t lane = i.sequence < 0 ? i.lane : 0;
      return std::tuple(i.group, i.sequence, i.member, lane, i.recording, i.activity);
    });
  }

  // Gives the items of groups without numbers the place of their partner in one member's order.
  void NumberByOrder() {
    bool changed = false;
    for (size_t i = 0; i < in_.items.size();) {
      size_t end = i;
      while (end < in_.items.size() && in_.items[end].group == in_.items[i].group) ++end;
      if (!facts_.groups[in_.items[i].group].numbered) {
        NumberGroup(Items(in_.items).subspan(i, end - i));
        changed = true;
      }
      i = end;
    }
    if (changed) SortItems();
  }

  // One member's collectives on one stream in the order they ran.
  struct Order {
    std::vector<CollectiveItem*> items;
    std::vector<OrderedEntry> entries;
  };

  void NumberGroup(Items items) {
    std::vector<Order> orders;
    const CollectiveItem* before = nullptr;
    for (CollectiveItem& item : items) {
      if (IsPointToPoint(Of(item).op)) continue;
      if (before == nullptr || before->member != item.member || before->lane != item.lane)
        orders.emplace_back();
      const Activity& activity = ActivityOf(item);
      orders.back().items.push_back(&item);
      orders.back().entries.push_back({Of(item).label, activity.end, activity.duration(),
                                       StepOf(item, activity), item.recording});
      before = &item;
    }
    const uint32_t group = items.front().group;
    const bool is_named = in_.named[group];
    if (!is_named && AreListed(orders)) {
      NumberListed(orders, group);
      return;
    }
    if (orders.size() < 2) return;  // nobody to compare with
    int64_t compared = 0;
    for (int round = 0; round < kMostHiddenGroups && !orders.empty(); ++round) {
      if (compared > kMostComparisons) break;
      compared += std::ssize(orders);
      const uint32_t into = round == 0 ? group : AddHiddenGroup(group);
      NumberWithReference(orders, into, is_named);
    }
    for (const Order& order : orders) facts_.unconfirmed += std::ssize(order.items);
  }

  const std::vector<std::vector<int64_t>>& GroupsOf(const Order& order) const {
    return ranks_[order.items.front()->recording].group_members;
  }
  bool AreListed(const std::vector<Order>& orders) const {
    return std::ssize(orders) * std::ssize(orders) <= kMostComparisons &&
           std::ranges::none_of(orders, [&](const Order& o) { return GroupsOf(o).empty(); });
  }

  // Machines of one name are one, unless no two orders of theirs end at the same times.
  bool HaveOneClock(const std::vector<Order>& orders, const RankCollectives& x,
                    const RankCollectives& y) const {
    if (!OnOneMachine(x, y)) return false;
    for (const Order& a : orders) {
      for (const Order& b : orders) {
        if (&ParticipantOf(a) != &x || &ParticipantOf(b) != &y) continue;
        if (AlignPieces(a.entries, b.entries, /*one_clock=*/true).confirmed) return true;
      }
    }
    return false;
  }

  void NumberListed(const std::vector<Order>& orders, uint32_t group) {
    std::vector<ListedOrder> listed;
    for (const Order& order : orders)
      listed.push_back({ParticipantOf(order).rank, order.items.size(), &GroupsOf(order)});
    std::vector<int64_t> recorded;
    for (const RankCollectives& rank : facts_.ranks) recorded.push_back(rank.rank);
    const auto [rest, end] = std::ranges::unique(recorded);
    recorded.erase(rest, end);
    for (const Order& order : orders) facts_.unconfirmed += std::ssize(order.items);
    const auto align = [&](size_t a, size_t b) {
      const bool one_clock =
          OneAfterTheOther(orders[a], orders[b]) ||
          HaveOneClock(orders, ParticipantOf(orders[a]), ParticipantOf(orders[b]));
      return AlignPieces(orders[a].entries, orders[b].entries, one_clock);
    };
    for (ListedGroup& found : FindListedGroups(listed, recorded, align)) {
      NumberFound(orders, found, AddHiddenGroup(group));
    }
  }

  void NumberFound(const std::vector<Order>& orders, ListedGroup& found, uint32_t into) {
    for (size_t i = 0; i < found.orders.size(); ++i) {
      const std::vector<CollectiveItem*>& items = orders[found.orders[i]].items;
      const auto& partner = found.alignment[i].partner;
      for (size_t n = 0; n < items.size(); ++n) {
        items[n]->sequence = i == 0 ? static_cast<int64_t>(n) : partner[n];
        items[n]->group = into;
      }
      facts_.unconfirmed -= std::ssize(items);
    }
    CollectiveGroup& group = facts_.groups[into];
    group.label = fmt::format("[{}]", fmt::join(found.members, ", "));
    group.size = std::ssize(found.members);
    group.present = std::ssize(found.orders);
    group.members = std::move(found.members);
    const CollectiveItem& first = *orders[found.orders.front()].items.front();
    group.description = ListedDescription(ranks_[first.recording], group.members);
  }

  const RankCollectives& ParticipantOf(const Order& order) const {
    return facts_.ranks[in_.member_rank[order.items.front()->member]];
  }
  // Devices of one process.
  bool OfOneRank(const Order& a, const Order& b) const {
    const RankCollectives &x = ParticipantOf(a), &y = ParticipantOf(b);
    return x.rank == y.rank && x.device >= 0;
  }

  // Whether they ran on one machine, and one had ended before the other began.
  bool OneAfterTheOther(const Order& a, const Order& b) const {
    if (!OnOneMachine(ParticipantOf(a), ParticipantOf(b))) return false;
    if (a.entries.empty() || b.entries.empty()) return false;
    const auto last = [](const Order& o) {
      return std::ranges::max(o.entries, {}, &OrderedEntry::end).end;
    };
    const auto first = [](const Order& o) {
      return std::ranges::min(o.entries, {}, &OrderedEntry::end).end;
    };
    return last(a) < first(b) || last(b) < first(a);
  }

  // Machines of one name are one, and have one clock, unless only ends on two clocks fit. Not where
  // one was recorded after the other: steps that are alike fit anywhere then.
  OrderAlignment Align(const Order& a, const Order& b) const {
    const bool one_rank = OfOneRank(a, b);
    const bool one_machine = OnOneMachine(ParticipantOf(a), ParticipantOf(b));
    OrderAlignment alignment = AlignPieces(a.entries, b.entries, one_rank || one_machine);
    if (alignment.confirmed || one_rank || !one_machine || OneAfterTheOther(a, b)) return alignment;
    OrderAlignment other = AlignPieces(a.entries, b.entries, /*one_clock=*/false);
    return other.confirmed ? other : alignment;
  }

  uint32_t AddHiddenGroup(uint32_t group) {
    facts_.groups.push_back(facts_.groups[group]);
    facts_.groups.back().present = 0;
    return static_cast<uint32_t>(facts_.groups.size() - 1);
  }

  // Numbers the longest order, and those that go with it; what does not stays in `orders`.
  void NumberWithReference(std::vector<Order>& orders, uint32_t group, bool is_named) {
    const auto longest =
        std::ranges::max_element(orders, {}, [](const Order& order) { return order.items.size(); });
    const Order reference = std::move(*longest);
    orders.erase(longest);
    for (size_t i = 0; i < reference.items.size(); ++i) {
      reference.items[i]->sequence = static_cast<int64_t>(i);
      reference.items[i]->group = group;
    }
    int64_t joined = 1;
    std::erase_if(orders, [&](const Order& order) {
      const OrderAlignment alignment = Align(reference, order);
      const bool joins = alignment.confirmed ||
                         (is_named ? !OneAfterTheOther(reference, order) &&
                                         AreComparable(reference, order, alignment)
                                   : !OfOneRank(reference, order) && AreAlike(reference, order));
      if (!joins) return false;
      for (size_t i = 0; i < order.items.size(); ++i) {
        order.items[i]->sequence = alignment.partner[i];
        order.items[i]->group = group;
      }
      ++joined;
      return true;
    });
    if (is_named) return;
    facts_.groups[group].present = joined;
    if (joined == 1) facts_.unconfirmed += std::ssize(reference.items);
  }

  // Too short to be confirmed by their ends, but the same from first to last.
  static bool AreAlike(const Order& a, const Order& b) {
    return a.entries.size() < 3 &&
           std::ranges::equal(a.entries, b.entries, {}, &OrderedEntry::label, &OrderedEntry::label);
  }

  // Members of a group do the same. Where one has fewer, and it is not even the same, what is
  // missing could be anywhere, as of a file that ends early: their order tells nothing.
  static bool AreComparable(const Order& a, const Order& b, const OrderAlignment& alignment) {
    constexpr double kAlike = 0.9;
    const size_t shorter = std::min(a.items.size(), b.items.size());
    return a.items.size() == b.items.size() ||
           static_cast<double>(alignment.agreeing) >= kAlike * static_cast<double>(shorter);
  }

  // A group with more ranks than members is several groups of one name.
  void FindAmbiguous() {
    for (CollectiveGroup& group : facts_.groups) {
      group.ambiguous = group.size > 0 && group.present > group.size;
    }
  }

  // The end of the items at the same place as item `i`.
  size_t EndOfPlace(size_t i) const {
    const auto& items = in_.items;
    const CollectiveItem& first = items[i];
    size_t end = i + 1;
    if (first.sequence < 0 || facts_.groups[first.group].ambiguous) return end;
    while (end < items.size() && items[end].group == first.group &&
           items[end].sequence == first.sequence) {
      ++end;
    }
    return end;
  }

  // Point to point work shares its number with nobody; collectives that one call put together share
  // theirs, and are told apart by their order.
  void MatchPlace(Items items) {
    const auto is_shared = [this](const CollectiveItem& item) {
      return item.sequence >= 0 && !IsPointToPoint(Of(item).op);
    };
    if (!std::ranges::all_of(items, is_shared)) {
      const auto alone = std::ranges::stable_partition(items, is_shared);
      for (CollectiveItem& item : alone) AddMatch(Items(&item, 1));
      items = items.first(items.size() - alone.size());
    }
    bool repeated = false;
    for (size_t i = 1; i < items.size(); ++i) {
      if (items[i].member != items[i - 1].member) continue;
      items[i].ordinal = items[i - 1].ordinal + 1;
      repeated = true;
    }
    if (repeated) std::ranges::stable_sort(items, {}, &CollectiveItem::ordinal);
    for (size_t i = 0; i < items.size();) {
      size_t end = i + 1;
      while (end < items.size() && items[end].ordinal == items[i].ordinal) ++end;
      AddMatch(items.subspan(i, end - i));
      i = end;
    }
  }

  // What most of them did; of what is equally common, what the first of them did.
  uint64_t CommonLabel(Items items) const {
    const uint64_t first = Of(items.front()).label;
    if (std::ranges::all_of(items, [&](const CollectiveItem& i) { return Of(i).label == first; })) {
      return first;
    }
    std::map<uint64_t, int64_t> counts;
    for (const CollectiveItem& item : items) ++counts[Of(item).label];
    uint64_t common = first;
    for (const CollectiveItem& item : items) {
      if (counts[Of(item).label] > counts[common]) common = Of(item).label;
    }
    return common;
  }

  void AddMatch(Items items) {
    const uint64_t label = CommonLabel(items);
    const auto index = static_cast<uint32_t>(facts_.matches.size());
    CollectiveMatch match{.group = items.front().group,
                          .sequence = items.front().sequence,
                          .first = static_cast<uint32_t>(facts_.parts.size())};
    for (const CollectiveItem& item : items) {
      const CollectiveDescription& d = Of(item);
      const uint32_t rank = in_.member_rank[item.member];
      if (d.label != label) {
        facts_.mismatches.push_back({index, rank, d.op, d.operation, d.bytes});
        ++facts_.ranks[rank].mismatched;
        ++facts_.ranks[rank].unmatched;
        continue;
      }
      const Activity& activity = ActivityOf(item);
      facts_.parts.push_back({.rank = rank,
                              .recording = item.recording,
                              .activity = item.activity,
                              .start = activity.start,
                              .end = activity.end});
      if (match.count++ == 0) std::tie(match.op, match.operation) = std::tie(d.op, d.operation);
      match.bytes = std::max(match.bytes, d.bytes);
    }
    for (const CollectivePart& part : std::span(facts_.parts).subspan(match.first)) {
      RankCollectives& rank = facts_.ranks[part.rank];
      ++(match.Matched() ? rank.matched : rank.unmatched);
      if (IsPointToPoint(match.op)) ++rank.point_to_point;
    }
    facts_.matches.push_back(match);
  }

  std::span<const RankActivity> ranks_;
  CollectiveFacts facts_;
  CollectiveItems in_;
};

// The clocks of the participants `of` the recordings. Selected steps may have fewer of them.
void TakeClocks(const std::vector<Clock>& clocks, const CollectiveFacts& of,
                CollectiveFacts& facts) {
  for (RankCollectives& rank : facts.ranks) {
    uint32_t same = of.ParticipantOf(rank.rank, rank.device);
    const auto any = of.OfRank(rank.rank);
    if (same == kNobody && !any.empty()) same = static_cast<uint32_t>(any.data() - of.ranks.data());
    if (same != kNobody) rank.clock = clocks[same];
  }
}

}  // namespace

CollectiveFacts MatchCollectives(const StringTable& names, std::span<const RankActivity> ranks) {
  return Matcher(names, ranks).Match();
}

CollectiveFacts DeriveCollectives(const StringTable& names, std::span<const RankActivity> ranks,
                                  std::span<const RankActivity> recorded) {
  CollectiveFacts facts = MatchCollectives(names, ranks);
  const bool selected = ranks.data() != recorded.data();
  if (!selected) {
    TakeClocks(AlignClocks(facts), facts, facts);
  } else {
    const CollectiveFacts all = MatchCollectives(names, recorded);
    TakeClocks(AlignClocks(all), all, facts);
  }
  SplitCollectives(facts);
  return facts;
}

}  // namespace stepscope
