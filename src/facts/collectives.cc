// Brings together what ranks did at the same place of the same group.
#include "facts/collectives.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/saturate.h"
#include "facts/order_alignment.h"

namespace stepscope {
namespace {

// Several communicators can hide behind kernels that name no group; each needs ranks that fit.
constexpr int kMostHiddenGroups = 8;

// What a kernel says about its collective, each combination once.
struct Description {
  CollectiveOp op = CollectiveOp::kOther;
  StringId operation = kNoString;
  int64_t bytes = -1;
  uint64_t label = 0;  // equal where ranks did the same
};

// A communication kernel.
struct Item {
  int64_t sequence = -1;
  uint32_t group = 0;
  uint32_t member = 0;   // a device of a rank
  uint32_t ordinal = 0;  // among those of this member with this sequence number
  uint32_t recording = 0;
  uint32_t work = 0;
  uint32_t description = 0;
};

uint64_t Mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e37'79b9'7f4a'7c15u;
  return hash ^ (hash >> 29);
}

// Collects the kernels of all ranks.
class Collector {
 public:
  Collector(const StringTable& names, std::span<const RankWork> ranks, CollectiveFacts& facts)
      : names_(names), ranks_(ranks), facts_(facts) {}

  void Collect() {
    for (uint32_t r = 0; r < ranks_.size(); ++r) {
      if (facts_.ranks.empty() || facts_.ranks.back().rank != ranks_[r].rank) {
        facts_.ranks.push_back({.rank = ranks_[r].rank});
      }
      CollectFrom(r);
    }
    for (CollectiveGroup& group : facts_.groups) group.present = 0;
    std::set<std::pair<uint32_t, uint32_t>> present;
    for (const auto& [group, member] : present_) present.emplace(group, member_rank[member]);
    for (const auto& [group, rank] : present) ++facts_.groups[group].present;
  }

  std::vector<Item> items;
  std::vector<Description> descriptions;
  std::vector<uint32_t> member_rank;  // index into CollectiveFacts::ranks
  std::vector<bool> named;            // by group: whether the trace names it

 private:
  using GroupKey = std::tuple<StringId, StringId, int64_t, bool, int64_t, uint32_t>;
  using DescriptionKey = std::tuple<StringId, StringId, StringId, int64_t, int64_t>;

  void CollectFrom(uint32_t recording) {
    const RankWork& rank = ranks_[recording];
    const auto rank_index = static_cast<uint32_t>(facts_.ranks.size() - 1);
    std::vector<uint32_t> members;
    for (const int64_t device : rank.devices) {
      const auto added = static_cast<uint32_t>(member_rank.size());
      const auto [at, is_new] = members_.try_emplace({rank_index, device}, added);
      if (is_new) member_rank.push_back(rank_index);
      members.push_back(at->second);
    }
    const std::vector<uint32_t> lanes = LanesOf(rank);
    for (uint32_t w = 0; w < rank.work.size(); ++w) {
      const Work& work = rank.work[w];
      if (work.kind != Kind::kCommunication) continue;
      static const Collective kSilent;
      const Collective& c =
          work.detail == kNoDetail ? kSilent : rank.collectives[static_cast<size_t>(work.detail)];
      const uint32_t member = members[rank.streams[work.stream].device_index];
      const uint32_t group = GroupOf(c, rank.window, lanes[work.stream]);
      if (present_.empty() || present_.back() != std::pair(group, member)) {
        present_.emplace_back(group, member);
      }
      items.push_back({.sequence = c.sequence,
                       .group = group,
                       .member = member,
                       .recording = recording,
                       .work = w,
                       .description = DescriptionOf(c, work.name)});
    }
  }

  // Communication streams of each device, counted: communicators have streams of their own.
  static std::vector<uint32_t> LanesOf(const RankWork& rank) {
    std::vector<bool> communicates(rank.streams.size(), false);
    for (const Work& work : rank.work) {
      if (work.kind == Kind::kCommunication) communicates[work.stream] = true;
    }
    std::vector<uint32_t> next(rank.devices.size(), 0), lanes(rank.streams.size(), 0);
    for (size_t s = 0; s < lanes.size(); ++s) {
      if (communicates[s]) lanes[s] = next[rank.streams[s].device_index]++;
    }
    return lanes;
  }

  uint32_t GroupOf(const Collective& c, int64_t window, uint32_t lane) {
    const bool numbered = c.sequence >= 0;
    const bool is_named = c.group != kNoString;
    const GroupKey key = {c.group,
                          c.members,
                          c.group_size,
                          numbered,
                          numbered ? 0 : window,
                          numbered || is_named ? 0 : lane};
    if (!facts_.groups.empty() && key == last_group_key_) return last_group_;
    const auto added = static_cast<uint32_t>(facts_.groups.size());
    const auto [at, is_new] = groups_.try_emplace(key, added);
    if (is_new) {
      facts_.groups.push_back({.label = Label(c), .size = c.group_size, .numbered = numbered});
      named.push_back(is_named);
    }
    last_group_key_ = key;
    return last_group_ = at->second;
  }

  std::string Label(const Collective& c) {
    if (c.group == kNoString) return "unnamed";
    const auto same = same_name_.try_emplace(c.group, c.members, c.group_size).first;
    std::string label(names_[c.group]);
    if (same->second == std::pair(c.members, c.group_size)) return label;
    if (c.members != kNoString) return label + " " + std::string(names_[c.members]);
    return label + " of " + std::to_string(c.group_size);
  }

  uint32_t DescriptionOf(const Collective& c, StringId kernel) {
    const bool says = c.operation != kNoString;
    const DescriptionKey key = {c.operation, says ? 0 : kernel, c.type, c.in_elements,
                                c.out_elements};
    if (!descriptions.empty() && key == last_description_key_) return last_description_;
    const auto added = static_cast<uint32_t>(descriptions.size());
    const auto [at, is_new] = descriptions_.try_emplace(key, added);
    if (is_new) descriptions.push_back(Describe(c, kernel));
    last_description_key_ = key;
    return last_description_ = at->second;
  }

  Description Describe(const Collective& c, StringId kernel) const {
    const bool says = c.operation != kNoString;
    Description d{.op = says ? OpOfOperation(names_[c.operation]) : OpOfKernel(names_[kernel]),
                  .operation = c.operation};
    const int64_t element = c.type == kNoString ? 0 : ElementBytes(names_[c.type]);
    d.bytes = CollectiveBytes(d.op, c.in_elements, c.out_elements, element);
    d.label = Mix(1, static_cast<uint64_t>(d.op));
    if (d.op == CollectiveOp::kOther) d.label = Mix(d.label, says ? c.operation : kernel);
    if (SameSizeEverywhere(d.op)) {
      d.label = Mix(Mix(d.label, c.type), static_cast<uint64_t>(c.in_elements));
      d.label = Mix(d.label, static_cast<uint64_t>(c.out_elements));
    }
    return d;
  }

  const StringTable& names_;
  std::span<const RankWork> ranks_;
  CollectiveFacts& facts_;
  std::map<GroupKey, uint32_t> groups_;
  std::map<DescriptionKey, uint32_t> descriptions_;
  std::map<std::pair<uint32_t, int64_t>, uint32_t> members_;
  std::map<StringId, std::pair<StringId, int64_t>> same_name_;  // the first group of each name
  std::vector<std::pair<uint32_t, uint32_t>> present_;          // (group, member), repeated
  GroupKey last_group_key_;
  DescriptionKey last_description_key_;
  uint32_t last_group_ = 0, last_description_ = 0;
};

class Matcher {
 public:
  Matcher(const StringTable& names, std::span<const RankWork> ranks)
      : ranks_(ranks), in_(names, ranks, facts_) {}

  CollectiveFacts Match() {
    in_.Collect();
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
  using Items = std::span<Item>;

  const Description& Of(const Item& item) const { return in_.descriptions[item.description]; }
  const Work& WorkOf(const Item& item) const { return ranks_[item.recording].work[item.work]; }

  void SortItems() {
    std::ranges::sort(in_.items, {}, [](const Item& i) {
      return std::tuple(i.group, i.sequence, i.member, i.recording, i.work);
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
    std::vector<Item*> items;
    std::vector<OrderedEntry> entries;
  };

  void NumberGroup(Items items) {
    std::vector<Order> orders;
    const Item* before = nullptr;
    for (Item& item : items) {
      if (IsPointToPoint(Of(item).op)) continue;
      if (before == nullptr || before->member != item.member) orders.emplace_back();
      const Work& work = WorkOf(item);
      orders.back().items.push_back(&item);
      orders.back().entries.push_back({Of(item).label, work.end, work.duration()});
      before = &item;
    }
    const uint32_t group = items.front().group;
    const bool is_named = in_.named[group];
    if (orders.size() < 2) return;  // nobody to compare with
    for (int round = 0; round < kMostHiddenGroups && !orders.empty(); ++round) {
      const uint32_t into = round == 0 ? group : AddHiddenGroup(group);
      NumberWithReference(orders, into, is_named);
    }
    for (const Order& order : orders) facts_.unconfirmed += std::ssize(order.items);
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
      const OrderAlignment alignment = AlignOrder(reference.entries, order.entries);
      if (!is_named && !alignment.confirmed && !AreAlike(reference, order)) return false;
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
    const Item& first = items[i];
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
    const auto is_shared = [this](const Item& item) {
      return item.sequence >= 0 && !IsPointToPoint(Of(item).op);
    };
    if (!std::ranges::all_of(items, is_shared)) {
      const auto alone = std::ranges::stable_partition(items, is_shared);
      for (Item& item : alone) AddMatch(Items(&item, 1));
      items = items.first(items.size() - alone.size());
    }
    bool repeated = false;
    for (size_t i = 1; i < items.size(); ++i) {
      if (items[i].member != items[i - 1].member) continue;
      items[i].ordinal = items[i - 1].ordinal + 1;
      repeated = true;
    }
    if (repeated) std::ranges::stable_sort(items, {}, &Item::ordinal);
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
    if (std::ranges::all_of(items, [&](const Item& i) { return Of(i).label == first; })) {
      return first;
    }
    std::map<uint64_t, int64_t> counts;
    for (const Item& item : items) ++counts[Of(item).label];
    uint64_t common = first;
    for (const Item& item : items) {
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
    for (const Item& item : items) {
      const Description& d = Of(item);
      const uint32_t rank = in_.member_rank[item.member];
      if (d.label != label) {
        facts_.mismatches.push_back({index, rank, d.op, d.operation, d.bytes});
        ++facts_.ranks[rank].mismatched;
        ++facts_.ranks[rank].unmatched;
        continue;
      }
      const Work& work = WorkOf(item);
      facts_.parts.push_back({.rank = rank,
                              .recording = item.recording,
                              .work = item.work,
                              .start = work.start,
                              .end = work.end});
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

  std::span<const RankWork> ranks_;
  CollectiveFacts facts_;
  Collector in_;
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

}  // namespace

CollectiveFacts MatchCollectives(const StringTable& names, std::span<const RankWork> ranks) {
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
    if (match.Matched() && Synchronises(match.op) && Comparable(facts, parts)) Split(facts, match);
  }
}

CollectiveFacts DeriveCollectives(const StringTable& names, std::span<const RankWork> ranks) {
  CollectiveFacts facts = MatchCollectives(names, ranks);
  const std::vector<Clock> clocks = AlignClocks(facts);
  for (size_t r = 0; r < clocks.size(); ++r) facts.ranks[r].clock = clocks[r];
  SplitCollectives(facts);
  return facts;
}

}  // namespace stepscope
