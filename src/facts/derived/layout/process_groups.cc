// Walks all collectives once.
#include "facts/derived/layout/process_groups.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/saturate.h"
#include "facts/derived/layout/group_kinds.h"

namespace stepscope {
namespace {

// With which message a rank begins a step.
struct FirstMessages {
  int64_t send = INT64_MAX, receive = INT64_MAX;  // ns
};

// What the messages of one entry join.
struct JoinedByMessages {
  std::map<int64_t, int64_t> above;  // of each seat one that it is joined to, or itself
  std::set<std::pair<int64_t, int64_t>> edges;
  std::map<std::pair<int64_t, int64_t>, FirstMessages> first;  // by seat and step
  std::map<int64_t, int64_t> calls;                            // by seat

  int64_t Find(int64_t seat) {
    int64_t at = seat;
    while (true) {
      const int64_t next = above.try_emplace(at, at).first->second;
      if (next == at) break;
      at = next;
    }
    above[seat] = at;
    return at;
  }
  void Join(int64_t a, int64_t b) {
    edges.emplace(std::min(a, b), std::max(a, b));
    const int64_t x = Find(a), y = Find(b);
    above[std::max(x, y)] = std::min(x, y);
  }
};

class GroupLister {
 public:
  explicit GroupLister(const Facts& facts)
      : facts_(facts), c_(facts.collectives), devices_(c_.HasDevices()) {
    out_.devices = devices_;
    least_world_ = std::ssize(c_.ranks);
    if (devices_) return;
    for (const RankActivity& rank : facts_.ranks)
      least_world_ = std::max({least_world_, rank.world_size, AddSaturated(rank.rank, 1)});
  }

  ProcessGroups List() {
    out_.of_collectives.assign(c_.groups.size(), kNobody);
    uses_.resize(c_.groups.size());
    present_.resize(c_.groups.size());
    for (const CollectiveMatch& match : c_.matches) Count(match);
    for (uint32_t g = 0; g < c_.groups.size(); ++g) AddCollectives(g);
    for (auto& [g, joined] : joined_) AddMessages(g, joined);
    if (!devices_) AddListed();
    out_.world = World();
    return std::move(out_);
  }

 private:
  void Count(const CollectiveMatch& match) {
    GroupUse& use = uses_[match.group];
    for (const CollectivePart& part : c_.Parts(match)) {
      if (IsPointToPoint(match.op)) {
        CountMessage(match, part);
        continue;
      }
      Add(match.op, use);
      if (match.op == CollectiveOp::kOther && IsOfExperts(part)) ++use.of_experts;
      present_[match.group].insert(out_.SeatOf(c_, part.rank));
    }
  }

  // "deep_ep::intranode::dispatch", "ep::internode::combine": libraries of their own.
  bool IsOfExperts(const CollectivePart& part) {
    const StringId id = facts_.ranks[part.recording].activities[part.activity].name;
    const auto [at, is_new] = of_experts_.try_emplace(id);
    if (is_new) {
      const std::string_view name = (*facts_.names)[id];
      const std::string_view function = name.substr(0, name.find('('));
      at->second = (function.contains("ep::") || function.contains("_ep_")) &&
                   (function.contains("dispatch") || function.contains("combine"));
    }
    return at->second;
  }

  static void Add(CollectiveOp op, GroupUse& use) {
    switch (op) {
      case CollectiveOp::kAllReduce:
        ++use.all_reduces;
        ++use.reductions;
        return;
      case CollectiveOp::kReduceScatter:
        ++use.reductions;
        return;
      case CollectiveOp::kAllGather:
        ++use.gathers;
        return;
      case CollectiveOp::kAllToAll:
        ++use.all_to_alls;
        return;
      case CollectiveOp::kExchange:
        ++use.exchanges;
        ++use.others;
        return;
      default:
        ++use.others;
    }
  }

  void CountMessage(const CollectiveMatch& match, const CollectivePart& part) {
    const RankActivity& rank = facts_.ranks[part.recording];
    const Activity activity = rank.activities[part.activity];
    const int64_t seat = out_.SeatOf(c_, part.rank);
    JoinedByMessages& joined = joined_[match.group];
    ++joined.calls[seat];
    const bool sends = match.op == CollectiveOp::kSend;
    const bool in_step = activity.step != kNoStep;
    const int64_t step = in_step ? rank.steps[static_cast<size_t>(activity.step)].number : -1;
    if (in_step) {
      FirstMessages& first = joined.first[{seat, step}];
      int64_t& time = sends ? first.send : first.receive;
      time = std::min(time, part.start);
    }
    if (devices_ || activity.detail == kNoDetail) return;
    const Collective& told = rank.collectives[static_cast<size_t>(activity.detail)];
    const int64_t other = sends ? told.to : told.from;
    if (other < 0 || other == seat) return;
    joined.Join(seat, other);
    if (!in_step) return;
    MessageFlow& flow = out_.flows[sends ? std::pair(seat, other) : std::pair(other, seat)];
    ++(sends ? flow.sends : flow.receives)[step];
  }

  std::vector<int64_t> MembersOf(uint32_t g, bool& complete) const {
    const CollectiveGroup& group = c_.groups[g];
    complete = false;
    if (group.ambiguous) return {};
    if (!devices_ && !group.members.empty()) {
      complete = true;
      return group.members;
    }
    std::vector<int64_t> members(present_[g].begin(), present_[g].end());
    // All ranks of the job, where no size is known.
    const int64_t all = group.size > 0 ? group.size : least_world_;
    complete = all > 1 && std::ssize(members) == all;
    return members;
  }

  // The same members with the same description are one group, however often it is named.
  uint32_t Place(ProcessGroup group) {
    if (group.members.empty() || !group.complete) {
      out_.groups.push_back(std::move(group));
      return static_cast<uint32_t>(out_.groups.size() - 1);
    }
    const auto [at, is_new] =
        places_.try_emplace({group.members, group.description, group.of_messages},
                            static_cast<uint32_t>(out_.groups.size()));
    if (is_new) {
      out_.groups.push_back(std::move(group));
      return at->second;
    }
    ProcessGroup& same = out_.groups[at->second];
    same.entries.insert(same.entries.end(), group.entries.begin(), group.entries.end());
    same.use.Add(group.use);
    return at->second;
  }

  void AddCollectives(uint32_t g) {
    if (uses_[g].Total() == 0) return;
    const CollectiveGroup& group = c_.groups[g];
    ProcessGroup made{
        .entries = {g}, .description = group.description, .size = group.size, .use = uses_[g]};
    made.members = MembersOf(g, made.complete);
    if (made.complete) made.size = std::ssize(made.members);
    out_.of_collectives[g] = Place(std::move(made));
  }

  void AddMessages(uint32_t g, JoinedByMessages& joined) {
    std::map<int64_t, std::vector<int64_t>> parts;  // ascending
    for (const auto& [seat, calls] : joined.calls) joined.Find(seat);
    std::vector<int64_t> seats;
    for (const auto& [seat, above] : joined.above) seats.push_back(seat);
    for (const int64_t seat : seats) parts[joined.Find(seat)].push_back(seat);
    for (auto& [first, members] : parts) {
      ProcessGroup made{.entries = {g},
                        .description = c_.groups[g].description,
                        .of_messages = true,
                        .is_chain = IsChain(members, joined)};
      for (const int64_t seat : members) made.use.messages += CallsOf(joined, seat);
      SetMembers(g, members, joined, made);
      const uint32_t place = Place(std::move(made));
      for (const int64_t seat : members) out_.of_messages[{g, seat}] = place;
    }
  }

  static int64_t CallsOf(const JoinedByMessages& joined, int64_t seat) {
    const auto at = joined.calls.find(seat);
    return at == joined.calls.end() ? 0 : at->second;
  }

  // Where the group is described, what it lists are its members; else those that messages join,
  // which are all where all of them were recorded.
  void SetMembers(uint32_t g, const std::vector<int64_t>& members, const JoinedByMessages& joined,
                  ProcessGroup& made) const {
    const CollectiveGroup& group = c_.groups[g];
    const bool described = KindOfDescription(group.description).kind != ParallelKind::kUnknown;
    if (described && !devices_ && !group.members.empty()) {
      made.members = group.members;
      made.complete = true;
    } else {
      made.members = members;
      made.complete = members.size() > 1 && std::ranges::all_of(members, [&](int64_t seat) {
                        return joined.calls.contains(seat);
                      });
    }
    made.size = made.complete ? std::ssize(made.members) : described ? group.size : -1;
  }

  static bool IsChain(const std::vector<int64_t>& members, const JoinedByMessages& joined) {
    if (members.size() < 2 || joined.edges.empty()) return false;
    // A last stage sends to the first one in interleaved schedules, and the begin tells.
    int64_t steps = 0, begun = 0;
    for (const auto& [key, first] : joined.first) {
      const auto& [seat, step] = key;
      if (seat != members.front() && seat != members.back()) continue;
      ++steps;
      const bool sends_first = first.send < first.receive;
      begun += sends_first == (seat == members.front()) ? 1 : 0;
    }
    return steps > 0 && begun == steps && joined.calls.contains(members.front()) &&
           joined.calls.contains(members.back());
  }

  // Groups that ranks list and describe, whether they communicated or not.
  void AddListed() {
    for (const RankActivity& rank : facts_.ranks) {
      for (size_t g = 0; g < rank.group_descriptions.size(); ++g) {
        const std::string& description = rank.group_descriptions[g];
        const std::vector<int64_t>& members = rank.group_members[g];
        if (members.size() < 2) continue;
        if (KindOfDescription(description).kind == ParallelKind::kUnknown) continue;
        Place({.description = description,
               .members = members,
               .complete = true,
               .size = std::ssize(members)});
      }
    }
  }

  int64_t World() const {
    int64_t world = least_world_;
    if (devices_) return world;
    for (const ProcessGroup& group : out_.groups) {
      world = std::max(world, group.size);
      if (!group.members.empty()) world = std::max(world, AddSaturated(group.members.back(), 1));
    }
    return world;
  }

  using Key = std::tuple<std::vector<int64_t>, std::string, bool>;

  const Facts& facts_;
  const CollectiveFacts& c_;
  const bool devices_;
  int64_t least_world_ = 1;  // ranks of the job, as ranks say it
  ProcessGroups out_;
  std::vector<GroupUse> uses_;                   // of each entry, without messages
  std::vector<std::set<int64_t>> present_;       // seats with collectives
  std::map<uint32_t, JoinedByMessages> joined_;  // by entry
  std::map<Key, uint32_t> places_;
  std::map<StringId, bool> of_experts_;  // kernels, by name
};

ProcessGroups ListGroups(const Facts& facts) { return GroupLister(facts).List(); }

}  // namespace

void GroupUse::Add(const GroupUse& other) {
  reductions += other.reductions;
  all_reduces += other.all_reduces;
  gathers += other.gathers;
  all_to_alls += other.all_to_alls;
  messages += other.messages;
  others += other.others;
  exchanges += other.exchanges;
  of_experts += other.of_experts;
}

uint32_t ProcessGroups::Of(const CollectiveFacts& facts, const CollectiveMatch& match,
                           const CollectivePart& part) const {
  if (!IsPointToPoint(match.op)) return of_collectives[match.group];
  const auto at = of_messages.find({match.group, SeatOf(facts, part.rank)});
  return at == of_messages.end() ? kNobody : at->second;
}

const ProcessGroups& ProcessGroupsOf(const Facts& facts) {
  return facts.memo.Of<ListGroups>(facts);
}

}  // namespace stepscope
