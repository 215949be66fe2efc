// Matches collectives of one group and position across ranks.
#include "facts/collectives/collectives.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/saturate.h"
#include "facts/collectives/clocks.h"
#include "facts/collectives/collective_items.h"
#include "facts/collectives/order_alignment.h"

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

  void SortItems() {
    std::ranges::sort(in_.items, {}, [](const CollectiveItem& i) {
      return std::tuple(i.group, i.sequence, i.member, i.recording, i.activity);
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

  // One member's collectives in the order they ran.
  struct Order {
    std::vector<CollectiveItem*> items;
    std::vector<OrderedEntry> entries;
  };

  void NumberGroup(Items items) {
    std::vector<Order> orders;
    const CollectiveItem* before = nullptr;
    for (CollectiveItem& item : items) {
      if (IsPointToPoint(Of(item).op)) continue;
      if (before == nullptr || before->member != item.member) orders.emplace_back();
      const Activity& activity = ActivityOf(item);
      orders.back().items.push_back(&item);
      orders.back().entries.push_back({Of(item).label, activity.end, activity.duration()});
      before = &item;
    }
    const uint32_t group = items.front().group;
    const bool is_named = in_.named[group];
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

  const RankCollectives& ParticipantOf(const Order& order) const {
    return facts_.ranks[in_.member_rank[order.items.front()->member]];
  }
  // Devices of one process.
  bool OfOneRank(const Order& a, const Order& b) const {
    const RankCollectives &x = ParticipantOf(a), &y = ParticipantOf(b);
    return x.rank == y.rank && x.device >= 0;
  }

  // Machines of one name are one, and have one clock, unless only ends on two clocks fit.
  OrderAlignment Align(const Order& a, const Order& b) const {
    const bool one_rank = OfOneRank(a, b);
    const std::string& machine = ParticipantOf(a).machine;
    const bool one_machine = !machine.empty() && machine == ParticipantOf(b).machine;
    OrderAlignment alignment = AlignOrder(a.entries, b.entries, one_rank || one_machine);
    if (alignment.confirmed || one_rank || !one_machine) return alignment;
    OrderAlignment other = AlignOrder(a.entries, b.entries, /*one_clock=*/false);
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
      const bool joins = is_named || alignment.confirmed ||
                         (!OfOneRank(reference, order) && AreAlike(reference, order));
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

// The clocks of all of them are on one reference.
bool Comparable(const CollectiveFacts& facts, std::span<const CollectivePart> parts) {
  const Clock& first = facts.ranks[parts.front().rank].clock;
  return std::ranges::all_of(parts, [&](const CollectivePart& part) {
    const Clock& clock = facts.ranks[part.rank].clock;
    return clock.known && clock.reference == first.reference;
  });
}

void Split(CollectiveFacts& facts, CollectiveMatch& match) {
  const auto parts = std::span(facts.parts).subspan(match.first, match.count);
  const auto aligned = [&](const CollectivePart& part) {
    return facts.ranks[part.rank].clock.Aligned(part.start);
  };
  const auto last = std::ranges::max_element(parts, {}, aligned);
  const int64_t all_there = aligned(*last);
  match.last = match.first + static_cast<uint32_t>(last - parts.begin());
  RankCollectives& late = facts.ranks[last->rank];
  ++late.times_last;
  for (CollectivePart& part : parts) {
    part.wait = std::clamp<int64_t>(all_there - aligned(part), 0, part.duration());
    RankCollectives& rank = facts.ranks[part.rank];
    ++rank.split;
    rank.wait = AddSaturated(rank.wait, part.wait);
    rank.transfer = AddSaturated(rank.transfer, part.duration() - part.wait);
    late.blame = AddSaturated(late.blame, part.wait);
  }
}

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

void SplitCollectives(CollectiveFacts& facts) {
  for (RankCollectives& rank : facts.ranks) {
    rank.wait = rank.transfer = rank.split = rank.blame = rank.times_last = 0;
  }
  for (CollectiveMatch& match : facts.matches) {
    match.last = kNobody;
    const auto parts = std::span(facts.parts).subspan(match.first, match.count);
    for (CollectivePart& part : parts) part.wait = kNoTime;
    if (match.Matched() && Synchronizes(match.op) && Comparable(facts, parts)) Split(facts, match);
  }
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
