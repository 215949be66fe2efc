// Roots are the faults that dumps prove, and the ends of the waits: ranks that wait for nobody, and
// circles.
#include "hang/judge.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "hang/cycles.h"
#include "hang/lost.h"
#include "hang/odd_calls.h"
#include "hang/witnesses.h"

namespace stepscope::hang {
namespace {

constexpr size_t kLongestChain = 16;
constexpr size_t kMostChains = 16;

Reason ReasonOf(const Fault& fault) {
  if (fault.kind != WaitKind::kMismatch) return Reason::kDeviceNotFinished;
  if (fault.own->name != fault.others->name)
    return fault.in_order ? Reason::kOperationMismatch : Reason::kOrderMismatch;
  if (!fault.in_order) return Reason::kOrderMismatch;
  return fault.own->types != fault.others->types && fault.own->in_count == fault.others->in_count &&
                 fault.own->out_count == fault.others->out_count
             ? Reason::kTypeMismatch
             : Reason::kShapeMismatch;
}

Doubt DoubtUnless(bool proven) { return proven ? Doubt::kNone : Doubt::kWhich; }

class Follower {
 public:
  explicit Follower(const Job& job) : job_(job), found_(FindWaits(job)) {}

  Judgement Run() {
    judged_.stuck = static_cast<int64_t>(job_.fronts.size());
    for (const int64_t rank : job_.ranks)
      if (!job_.HasDump(rank)) judged_.missing.push_back(rank);
    AddFaults();
    FollowWaits();
    if (judged_.roots.empty() && !found_.complete.empty()) {
      AddQueuedMessages(job_, found_);
      FollowWaits();
    }
    SeeMessages();
    if (!judged_.roots.empty()) AddLost();
    if (judged_.roots.empty() || job_.counts_only) AddGone();
    if (judged_.roots.empty()) AddMissing();
    if (judged_.roots.empty()) AddComplete();
    if (judged_.roots.empty() && job_.HasDumps()) AddMessages();
    if (job_.counts_only)  // which say nothing of devices
      std::erase_if(judged_.roots,
                    [](const Root& root) { return root.reason == Reason::kDeviceNotFinished; });
    std::ranges::sort(judged_.roots, {}, &Root::rank);
    for (Root& root : std::span(judged_.roots).first(std::min(judged_.roots.size(), kMostChains)))
      root.chain = ChainTo(root.rank);
    QuestionDumps();
    QuestionCalls();
    judged_.waits = std::move(found_.waits);
    const bool seen = !found_.seen.empty();
    judged_.calls.splice(judged_.calls.end(), found_.seen);
    if (job_.on_host) QuestionUnseenWaits(seen);
    if (job_.on_host && !(job_.knows_ranks && judged_.missing.empty())) QuestionUnknownRanks();
    judged_.earlier = FindEarlier(job_);
    return std::move(judged_);
  }

 private:
  // What a dump tells of its own rank is proven only where all of it was read.
  void QuestionDumps() {
    for (Root& root : judged_.roots) {
      if (!root.proven()) continue;
      if (root.reason == Reason::kDumpMissing && job_.Unusable(root.rank) != nullptr)
        root.doubt = Doubt::kUnusable;
      if (job_.HasDump(root.rank) && job_.dumps.at(root.rank)->left_out > 0)
        root.doubt = Doubt::kPartial;
      if (job_.IsOdd(root.rank)) root.doubt = Doubt::kDamaged;
    }
  }

  bool IsWhole(int64_t rank) const {
    return job_.HasDump(rank) && !job_.IsOdd(rank) && job_.dumps.at(rank)->left_out == 0;
  }

  // A rank that did not arrive may wait in a message for one that did not either, root or not.
  void QuestionUnseenWaits(bool seen) {
    std::set<int64_t> unseen;
    for (const auto& [rank, dump] : job_.dumps)
      if (!job_.IsStuck(rank) && job_.StackOf(rank) == nullptr) unseen.insert(rank);
    for (Root& root : judged_.roots) {
      const bool asks = root.reason == Reason::kHostNotArrived && root.proven();
      const bool others = seen || unseen.size() > 1;
      if (asks && others && unseen.contains(root.rank)) root.doubt = Doubt::kWaits;
    }
  }

  // A rank that no dump tells of may have died, which ends operations of others with an error.
  void QuestionUnknownRanks() {
    if (!job_.lacks_ranks && !found_.errors) return;
    for (Root& root : judged_.roots) {
      const bool asks =
          root.reason == Reason::kHostNotArrived || root.reason == Reason::kDeviceNotFinished;
      if (asks && (root.proven() || root.doubt == Doubt::kWaits)) root.doubt = Doubt::kLost;
    }
  }

  uint32_t NodeOf(int64_t rank) {
    const auto [at, added] = nodes_.try_emplace(rank, static_cast<uint32_t>(ranks_.size()));
    if (added) ranks_.push_back(rank);
    return at->second;
  }

  // Ranks wait for operations, and operations for ranks: edges are few however large groups are.
  std::vector<std::vector<uint32_t>> Edges() {
    nodes_.clear();
    ranks_.clear();
    for (const Wait& wait : found_.waits) {
      for (const int64_t rank : wait.waiting) NodeOf(rank);
      for (const int64_t rank : wait.awaited) NodeOf(rank);
    }
    std::vector<std::vector<uint32_t>> edges(ranks_.size());
    for (const Wait& wait : found_.waits) {
      if (!wait.sure) continue;
      const auto between = static_cast<uint32_t>(edges.size());
      edges.emplace_back();
      for (const int64_t rank : wait.awaited) edges[between].push_back(NodeOf(rank));
      for (const int64_t rank : wait.waiting)
        if (!found_.faults.contains(rank)) edges[NodeOf(rank)].push_back(between);
    }
    return edges;
  }

  void AddFaults() {
    for (const auto& [rank, fault] : found_.faults) {
      judged_.roots.push_back({.rank = rank,
                               .reason = ReasonOf(fault),
                               .doubt = DoubtUnless(fault.sure),
                               .group = fault.group,
                               .own = fault.own,
                               .others = fault.others,
                               .waiting = WaitingFor(rank)});
      Root& root = judged_.roots.back();
      if (fault.kind == WaitKind::kNotFinished) QuestionWitnesses(root);
      if (root.proven() && !fault.sane) root.doubt = Doubt::kDamaged;
    }
  }

  void QuestionWitnesses(Root& root) {
    const auto accused = std::ranges::count_if(found_.faults, [&](const auto& fault) {
      return fault.second.kind == WaitKind::kNotFinished && fault.second.group == root.group &&
             fault.second.own->sequence == root.own->sequence;
    });
    Witnesses witnesses = WitnessesOf(job_.groups[root.group], root.own->sequence, job_);
    if (Prove(witnesses, static_cast<size_t>(accused))) return;
    root.doubt = Doubt::kFewSay;
    root.witnesses = std::move(witnesses.ranks);
  }

  // Where one rank waits for several that wait for nobody, it may have called what nobody else
  // calls; where fewer devices began than did not, their dumps may be wrong.
  void QuestionCalls() {
    for (Root& root : judged_.roots) {
      if (!root.proven() || root.own != nullptr) continue;
      const Wait* wait = MainWaitFor(root.rank);
      if (wait == nullptr) continue;
      const auto alike = std::ranges::count_if(judged_.roots, [&](const Root& other) {
        return other.reason == root.reason && wait->Awaits(other.rank);
      });
      const auto say = std::ssize(wait->waiting);
      const bool few = (wait->kind == WaitKind::kNotBegun && alike > say) ||
                       (wait->kind == WaitKind::kNotArrived && alike > 1 && say == 1);
      if (!few) continue;
      root.doubt = Doubt::kFewSay;
      root.witnesses = wait->waiting;
    }
  }

  int64_t WaitingFor(int64_t rank) const {
    std::set<int64_t> waiting;
    for (const Wait& wait : found_.waits)
      if (wait.Awaits(rank)) waiting.insert(wait.waiting.begin(), wait.waiting.end());
    return static_cast<int64_t>(waiting.size());
  }

  // The wait for the rank in which most ranks wait, of those that are known to be for it, if any.
  const Wait* MainWaitFor(int64_t rank) const {
    const Wait* best = nullptr;
    for (const Wait& wait : found_.waits) {
      if (!wait.Awaits(rank)) continue;
      const auto weight = [](const Wait& one) { return std::pair(one.sure, one.waiting.size()); };
      if (best == nullptr || weight(wait) > weight(*best)) best = &wait;
    }
    return best;
  }

  void FollowWaits() {
    const auto edges = Edges();
    for (const auto& end : EndsOf(edges)) {
      std::vector<int64_t> members;
      for (const uint32_t node : end)
        if (node < ranks_.size()) members.push_back(ranks_[node]);
      if (members.empty() || found_.faults.contains(members.front())) continue;
      std::ranges::sort(members);
      members.size() > 1 ? AddCycle(members) : AddEnd(members.front());
    }
  }

  void AddCycle(const std::vector<int64_t>& members) {
    const auto inside = [&](int64_t rank) { return std::ranges::binary_search(members, rank); };
    bool messages = true;
    std::map<int64_t, const Wait*> of;
    for (const Wait& wait : found_.waits) {
      if (!std::ranges::any_of(wait.awaited, inside)) continue;
      for (const int64_t rank : wait.waiting)
        if (inside(rank)) of.try_emplace(rank, &wait);
    }
    bool proven = std::ranges::all_of(members, [&](int64_t rank) { return IsWhole(rank); });
    for (const auto& [rank, wait] : of) {
      messages = messages && wait->operation->point_to_point;
      // Who has no entry may have finished it, where a dump does not say how far its rank came.
      const JobGroup& group = job_.groups[wait->group];
      for (const int64_t awaited : wait->awaited) {
        const Standing* standing = group.Find(awaited);
        if (wait->kind == WaitKind::kNotArrived && inside(awaited))
          proven = proven && standing != nullptr && standing->reached >= 0;
      }
    }
    if (proven && !messages && AddOddCalls(members)) return;
    Doubt doubt = DoubtUnless(proven);
    if (proven && !messages) doubt = Doubt::kOrder;
    for (const auto& [rank, wait] : of) {
      judged_.roots.push_back(
          {.rank = rank,
           .reason = messages ? Reason::kMessageCycle : Reason::kCollectiveCycle,
           .doubt = doubt,
           .group = wait->group,
           .own = wait->operation,
           .waiting = WaitingFor(rank)});
    }
  }

  // Those of a circle that left the order of calls; false: none is known to.
  bool AddOddCalls(const std::vector<int64_t>& members) {
    bool any = false;
    for (OddCall& odd : FindOddCalls(job_, members)) {
      if (!LeadsToCircle(odd)) continue;
      any = true;
      AddOddCall(odd);
    }
    return any;
  }

  void AddOddCall(OddCall& odd) {
    const DumpOperation& own = judged_.calls.emplace_back(std::move(odd.own.operation));
    const DumpOperation& others = judged_.calls.emplace_back(std::move(odd.others.operation));
    judged_.roots.push_back({.rank = odd.rank,
                             .reason = Reason::kOrderMismatch,
                             .group = odd.own.group,
                             .own = &own,
                             .others = &others,
                             .others_group = odd.others.group,
                             .waiting = WaitingFor(odd.rank)});
  }

  // Others wait for the call that it lacks, or it waits in the one that it called instead.
  bool LeadsToCircle(const OddCall& odd) const {
    const auto front = job_.fronts.find(odd.rank);
    if (front != job_.fronts.end() && front->second.group == odd.own.group &&
        front->second.operation->name == odd.own.operation.name)
      return true;
    return std::ranges::any_of(found_.waits, [&](const Wait& wait) {
      return wait.sure && wait.group == odd.others.group && wait.Awaits(odd.rank) &&
             (wait.kind == WaitKind::kNotArrived || wait.kind == WaitKind::kMessage);
    });
  }

  void AddEnd(int64_t rank) {
    const Wait* wait = MainWaitFor(rank);
    if (!job_.HasDump(rank)) return;  // AddMissing()
    Root root{
        .rank = rank, .group = wait->group, .others = wait->operation, .waiting = WaitingFor(rank)};
    if (wait->kind == WaitKind::kNotBegun) root.reason = Reason::kDeviceNotFinished;
    if (wait->kind == WaitKind::kNotBegun || !job_.IsStuck(rank)) {
      judged_.roots.push_back(std::move(root));
      return;
    }
    // It waits for nobody, but for an operation that all enqueued and none finished.
    const Job::Front& front = job_.fronts.at(rank);
    for (const Complete& complete : found_.complete) {
      const bool here = complete.group == front.group &&
                        std::ranges::find(complete.members, rank) != complete.members.end();
      if (here) AddMembers(complete);
    }
  }

  // Of a group that only one rank's dump shows, and whose members no dump tells, nobody else is
  // known: that rank waits for somebody.
  void AddMembers(const Complete& complete) {
    if (complete.members.size() == 1 && !job_.groups[complete.group].said) return;
    for (const int64_t rank : complete.members) {
      if (IsRoot(rank)) continue;
      judged_.roots.push_back({.rank = rank,
                               .reason = Reason::kDeviceNotFinished,
                               .doubt = DoubtUnless(complete.members.size() == 1),
                               .group = complete.group,
                               .own = job_.groups[complete.group].Find(rank)->first,
                               .waiting = static_cast<int64_t>(complete.members.size()) - 1});
    }
  }

  // Where the back end records no messages, stacks show who waits in one, and not for whom: ranks
  // there may wait for one another, or for ranks that wait for them. Nobody there is proven.
  void SeeMessages() {
    size_t count = 0;
    for (Root& root : judged_.roots) {
      if (root.reason != Reason::kHostNotArrived || !job_.InMessage(root.rank)) continue;
      root.reason = Reason::kMessageCycle;
      if (root.proven()) root.doubt = Doubt::kWhich;
      ++count;
    }
    if (count > 0 && count == judged_.roots.size()) AddMessages();
  }

  void AddMessages() {
    for (const auto& [rank, stack] : job_.stacks) {
      if (!job_.InMessage(rank) || job_.IsStuck(rank) || IsRoot(rank)) continue;
      judged_.roots.push_back({.rank = rank,
                               .reason = Reason::kMessageCycle,
                               .doubt = Doubt::kWhich,
                               .group = job_.groups.size(),
                               .waiting = WaitingFor(rank)});
    }
  }

  bool IsRoot(int64_t rank) const {
    return std::ranges::find(judged_.roots, rank, &Root::rank) != judged_.roots.end();
  }

  // Ranks without a dump beside the roots: those that wait for nobody, and those that may be why a
  // root went no further.
  void AddLost() {
    for (const Wait* wait : WaitsForLost(job_, found_)) AddLostRank(*wait, wait->awaited, true);
    for (size_t i = 0, count = judged_.roots.size(); i < count; ++i) {
      if (judged_.roots[i].reason != Reason::kHostNotArrived) continue;
      const auto lost = MayHaveFailed(job_, judged_.roots[i].rank);
      if (lost.empty()) continue;
      if (judged_.roots[i].proven()) judged_.roots[i].doubt = Doubt::kWhich;
      const Root root = judged_.roots[i];
      const Wait wait{.group = root.group, .operation = root.others};
      AddLostRank(wait, lost, false);
    }
  }

  void AddLostRank(const Wait& wait, const std::vector<int64_t>& lost, bool proven) {
    for (const int64_t rank : lost) {
      if (IsRoot(rank)) continue;
      judged_.roots.push_back({.rank = rank,
                               .reason = Reason::kDumpMissing,
                               .doubt = DoubtUnless(proven),
                               .group = wait.group,
                               .others = wait.operation,
                               .waiting = WaitingFor(rank)});
    }
  }

  // Processes that RAS gave up, of those without a dump: one with a dump may have died of the hang.
  // Beside a member that counts show behind, either may be why the other stopped.
  void AddGone() {
    const size_t behind = judged_.roots.size();
    for (const auto& [rank, mark] : job_.ras) {
      if (job_.HasDump(rank) || mark < RasMark::kUnresponsive || IsRoot(rank)) continue;
      for (Root& root : std::span(judged_.roots).first(behind)) root.doubt = Doubt::kGone;
      const Wait* wait = MainWaitFor(rank);
      judged_.roots.push_back({.rank = rank,
                               .reason = Reason::kProcessGone,
                               .doubt = behind > 0 ? Doubt::kGone : Doubt::kNone,
                               .group = wait != nullptr ? wait->group : job_.groups.size(),
                               .others = wait != nullptr ? wait->operation : nullptr,
                               .waiting = WaitingFor(rank)});
    }
  }

  // Dumps that are not there explain what nothing else does. Who is lacked alone in an operation is
  // named; of those that are lacked together with such a rank, and nowhere alone, nothing is known.
  // It is proven only of a single one: of several each may wait for another.
  void AddMissing() {
    std::set<int64_t> proven;
    for (const Wait& wait : found_.waits)
      if (wait.kind == WaitKind::kMissing && wait.sure && wait.awaited.size() == 1)
        proven.insert(wait.awaited.front());
    const auto idle = IdleRanks();
    std::set<int64_t> suspects = proven;
    for (const Wait& wait : found_.waits) {
      if (wait.kind != WaitKind::kMissing && wait.sure) continue;
      const bool told =
          std::ranges::any_of(wait.awaited, [&](int64_t rank) { return proven.contains(rank); });
      for (const int64_t rank : wait.awaited)
        if (!told && !job_.IsStuck(rank)) suspects.insert(rank);
    }
    if (suspects.empty()) return;
    for (const int64_t rank : suspects) {
      const Wait* wait = MainWaitFor(rank);
      const bool alone = proven.contains(rank) && idle.empty() && suspects.size() == 1;
      judged_.roots.push_back(
          {.rank = rank,
           .reason = job_.HasDump(rank) ? Reason::kHostNotArrived : Reason::kDumpMissing,
           .doubt = alone        ? Doubt::kNone
                    : wait->sure ? Doubt::kWhich
                                 : Doubt::kMember,
           .group = wait->group,
           .others = wait->operation,
           .waiting = WaitingFor(rank)});
    }
    for (const int64_t rank : idle) {
      if (IsRoot(rank)) continue;
      judged_.roots.push_back({.rank = rank,
                               .reason = Reason::kHostNotArrived,
                               .doubt = Doubt::kWhich,
                               .group = job_.groups.size()});
    }
  }

  // Ranks with a dump that are in no operation, while others are stuck: a rank without a dump may
  // wait for them. Not so those that are done with what others wait in: of gloo, operations end
  // with an error when a member dies.
  std::vector<int64_t> IdleRanks() const {
    std::vector<int64_t> idle;
    for (const auto& [rank, dump] : job_.dumps)
      if (!job_.IsStuck(rank) && !IsDoneWithMissing(rank)) idle.push_back(rank);
    return idle;
  }

  bool IsDoneWithMissing(int64_t rank) const {
    return std::ranges::any_of(found_.waits, [&](const Wait& wait) {
      if (wait.kind != WaitKind::kMissing || wait.operation->point_to_point) return false;
      const Standing* standing = job_.groups[wait.group].Find(rank);
      return standing != nullptr && standing->Finished(wait.operation->sequence);
    });
  }

  void AddComplete() {
    for (const Complete& complete : found_.complete) {
      const bool first = std::ranges::any_of(complete.members, [&](int64_t rank) {
        return job_.fronts.at(rank).operation == job_.groups[complete.group].Find(rank)->first;
      });
      if (first) AddMembers(complete);
    }
  }

  // From the rank that is farthest, so that all between are named; the lowest rank of several.
  std::vector<int64_t> ChainTo(int64_t root) const {
    std::map<int64_t, int64_t> next{{root, root}};
    std::vector<int64_t> layer{root}, farthest{root};
    std::set<const Wait*> done;
    while (!layer.empty()) {
      farthest = layer;
      std::set<int64_t> more;
      for (const Wait& wait : found_.waits) {
        if (done.contains(&wait)) continue;
        const auto to = std::ranges::find_first_of(wait.awaited, layer);
        if (to == wait.awaited.end()) continue;
        done.insert(&wait);
        for (const int64_t rank : wait.waiting)
          if (next.try_emplace(rank, *to).second) more.insert(rank);
      }
      layer.assign(more.begin(), more.end());
    }
    std::vector<int64_t> chain{farthest.front()};
    while (chain.back() != root && chain.size() < kLongestChain)
      chain.push_back(next.at(chain.back()));
    return chain;
  }

  const Job& job_;
  Waits found_;
  Judgement judged_;
  std::map<int64_t, uint32_t> nodes_;
  std::vector<int64_t> ranks_;
};

}  // namespace

Judgement Judge(const Job& job) { return Follower(job).Run(); }

bool IsCertain(const Job& job, const Root& root) {
  const bool sure = !job.may_move && job.contradiction.empty();
  return root.proven() && (sure || root.reason == Reason::kProcessGone);
}

}  // namespace stepscope::hang
