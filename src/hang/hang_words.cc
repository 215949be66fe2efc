// One sentence per reason.
#include "hang/hang_words.h"

#include <algorithm>

#include "report/humanize.h"

namespace stepscope::hang {
namespace {

constexpr size_t kMostNamed = 8;

Phrase SayPlace(const Job& job, const Root& root) {
  const DumpOperation* operation = root.own != nullptr ? root.own : root.others;
  if (operation == nullptr || root.group >= job.groups.size()) return "an unknown operation";
  return SayOperation(job.groups[root.group], *operation);
}

std::vector<int64_t> RanksOf(Roots roots) {
  std::vector<int64_t> ranks;
  for (const Root& root : roots) ranks.push_back(root.rank);
  return ranks;
}

// "[[8]] of Float".
std::string GivenTo(const DumpOperation& operation) {
  return operation.in_sizes + (operation.types.empty() ? "" : " of " + operation.types);
}

Phrase SayMismatch(const Job& job, const Root& root) {
  const Phrase place = SayPlace(job, root);
  switch (root.reason) {
    case Reason::kOrderMismatch:
      if (root.others_group < job.groups.size() && root.others_group != root.group) {
        return Say("it called {own} where others called {other}", place,
                   SayOperation(job.groups[root.others_group], *root.others));
      }
      return Say("{operation} is {other} on others, in another order", place,
                 Phrase::Name(root.others->name));
    case Reason::kOperationMismatch:
      return Say("{operation} is {other} on others", place, Phrase::Name(root.others->name));
    case Reason::kTypeMismatch:
      return Say("{operation} has the type {own}, and {others} on others", place,
                 Phrase::Name(root.own->types), Phrase::Name(root.others->types));
    default:
      return Say("{operation} has sizes {own}, and {others} on others", place,
                 Phrase::Name(GivenTo(*root.own)), Phrase::Name(GivenTo(*root.others)));
  }
}

// What RAS says of the process.
Phrase SayMark(RasMark mark) {
  switch (mark) {
    case RasMark::kDead:
      return "NCCL's RAS service considers its process dead";
    case RasMark::kUnresponsive:
      return "its process does not answer NCCL's RAS service";
    case RasMark::kLeft:
      return "its process answers NCCL's RAS service and is no member of the communicator";
    case RasMark::kAborted:
      return "its communicator has an error or is being aborted";
    case RasMark::kNone:
      break;
  }
  return {};
}

Phrase SayGone(const Job& job, const Root& root, bool one) {
  const bool dead = job.MarkOf(root.rank) == RasMark::kDead;
  if (one) return SayMark(dead ? RasMark::kDead : RasMark::kUnresponsive);
  return dead ? "NCCL's RAS service considers their processes dead"
              : "their processes do not answer NCCL's RAS service";
}

Phrase SayDevice(const Job& job, const Root& root, bool one, const Phrase& place) {
  if (job.on_host) {
    return one ? Say("it did not finish {operation}, which others finished", place)
               : Say("they did not finish {operation}, which others finished", place);
  }
  if (root.own == nullptr) {
    return one ? Say("its device did not begin {operation}, which others began", place)
               : Say("their devices did not begin {operation}, which others began", place);
  }
  return one ? Say("its device did not finish {operation}, which others finished", place)
             : Say("their devices did not finish {operation}, which others finished", place);
}

// Where their main threads are; empty where no stack says so, or ranks differ.
Phrase SayWhere(const Job& job, Roots roots) {
  const RankStack* first = job.StackOf(roots.front().rank);
  if (first == nullptr || first->line.empty()) return {};
  for (const Root& root : roots) {
    const RankStack* stack = job.StackOf(root.rank);
    if (stack == nullptr || stack->line != first->line) return {};
  }
  const Phrase line = Phrase::Name(first->line);
  return roots.size() == 1 ? Say("it is at {line}", line) : Say("they are at {line}", line);
}

// "recv at train.py:12 (step)", by the stack.
Phrase SayMessageByStack(const Job& job, const Root& root) {
  const RankStack* stack = job.StackOf(root.rank);
  if (stack == nullptr) return "an unknown operation";
  return Say("{call} at {line}", Phrase::Name(stack->call), Phrase::Name(stack->line));
}

// What the roots did, as the end of a sentence about them.
Phrase SayFault(const Job& job, Roots roots) {
  const Root& root = roots.front();
  const bool one = roots.size() == 1;
  const Phrase place = SayPlace(job, root);
  switch (root.reason) {
    case Reason::kHostNotArrived:
      return one ? Say("its host did not arrive at {operation}", place)
                 : Say("their hosts did not arrive at {operation}", place);
    case Reason::kDeviceNotFinished:
      return SayDevice(job, root, one, place);
    case Reason::kMessageCycle:
      return "they wait for one another in send and recv";
    case Reason::kCollectiveCycle:
      return "they wait for one another in operations that they call in different orders";
    case Reason::kDumpMissing:
      if (std::ranges::any_of(roots, [&](const Root& lost) { return job.Unusable(lost.rank); }))
        return SayUnusable(job, roots, place);
      return one ? Say("it left no dump, and all others arrived at {operation}", place)
                 : Say("they left no dump, and all others arrived at {operation}", place);
    case Reason::kProcessGone:
      return SayGone(job, root, one);
    default:
      return SayMismatch(job, root);
  }
}

Phrase SayWhy(const Job& job, Roots roots) {
  const Phrase fault = SayFault(job, roots);
  const Reason reason = roots.front().reason;
  const bool helps = reason == Reason::kHostNotArrived || reason == Reason::kDumpMissing ||
                     reason == Reason::kDeviceNotFinished;
  const Phrase where = helps ? SayWhere(job, roots) : Phrase();
  return where.empty() ? fault : Say("{fault}; {where}", fault, where);
}

// "rank 0 in recv at train.py:12 (step), rank 1 in ...", of the first.
Phrase SayCalls(const Job& job, Roots roots) {
  constexpr size_t kMostCalls = 4;
  Phrase calls;
  for (const Root& root : roots.first(std::min(roots.size(), kMostCalls))) {
    if (!calls.empty()) calls += ", ";
    calls += Say("rank {rank} in {call}", root.rank, SayMessageByStack(job, root));
  }
  return roots.size() > kMostCalls ? calls + ", ..." : calls;
}

// Only stacks show messages, and not whom they are for.
Phrase SayOpenMessages(const Job& job, Roots roots, const Phrase& ranks) {
  const Phrase call = SayMessageByStack(job, roots.front());
  if (roots.size() == 1) {
    return Say(
        "Whether {rank} stopped the job is not known: it waits in {call}, and for which rank is "
        "not recorded.",
        ranks, call);
  }
  return Say(
      "Which of {ranks} stopped the job is not known: they wait in messages, perhaps for one "
      "another ({calls}), and for which ranks is not recorded.",
      ranks, SayCalls(job, roots));
}

Phrase SayMaybeMembers(Roots roots, const Phrase& ranks, const Phrase& place) {
  if (roots.size() == 1) {
    return Say(
        "Whether {rank} stopped the job is not known: others wait at {operation}, and whether it "
        "is a member is not recorded.",
        ranks, place);
  }
  return Say(
      "Which of {ranks} stopped the job is not known: others wait at {operation}, and which of "
      "them are members is not recorded.",
      ranks, place);
}

Phrase SayMaybeWaits(Roots roots, const Phrase& ranks, const Phrase& place) {
  if (roots.size() == 1) {
    return Say(
        "Whether {rank} stopped the job is not known: its host did not arrive at {operation}, and "
        "it may wait itself, in a message that this back end does not record.",
        ranks, place);
  }
  return Say(
      "Which of {ranks} stopped the job is not known: their hosts did not arrive at {operation}, "
      "and they may wait themselves, in messages that this back end does not record.",
      ranks, place);
}

Phrase SayMaybeLost(Roots roots, const Phrase& ranks, const Phrase& place) {
  if (roots.size() == 1) {
    return Say(
        "Whether {rank} stopped the job is not known: it did not finish or reach {operation}, and "
        "a process that left no dump may have died.",
        ranks, place);
  }
  return Say(
      "Which of {ranks} stopped the job is not known: they did not finish or reach {operation}, "
      "and a process that left no dump may have died.",
      ranks, place);
}

Phrase SayOpen(const Job& job, Roots roots, const Phrase& ranks) {
  const auto known = std::ranges::find_if(
      roots, [](const Root& one) { return one.own != nullptr || one.others != nullptr; });
  const Root& root = known == roots.end() ? roots.front() : *known;
  const Phrase place = SayPlace(job, root);
  if (IsOfDumps(root.doubt)) return SayDoubt(job, roots, SayFault(job, roots), place);
  if (root.doubt == Doubt::kMember) return SayMaybeMembers(roots, ranks, place);
  if (root.doubt == Doubt::kOrder) {
    return Say(
        "Which of {ranks} stopped the job is not known: they wait for one another in operations "
        "that they call in different orders.",
        ranks);
  }
  if (root.doubt == Doubt::kGone) {
    return Say(
        "Which of {ranks} stopped the job is not known: some did not arrive at {operation}, and "
        "the processes of others are dead or do not answer.",
        ranks, place);
  }
  if (root.doubt == Doubt::kLost) return SayMaybeLost(roots, ranks, place);
  if (root.doubt == Doubt::kWaits) return SayMaybeWaits(roots, ranks, place);
  switch (root.reason) {
    case Reason::kDumpMissing:
    case Reason::kHostNotArrived:
      return Say(
          "Which of {ranks} stopped the job is not known: dumps are missing, and all others "
          "arrived at {operation}.",
          ranks, place);
    case Reason::kMessageCycle:
      if (root.own == nullptr) return SayOpenMessages(job, roots, ranks);
      [[fallthrough]];
    case Reason::kCollectiveCycle:
      return Say(
          "Which of {ranks} stopped the job is not known: they may wait for one another, or "
          "have finished what others wait for.",
          ranks);
    case Reason::kDeviceNotFinished:
      if (LacksRanks(job, root)) {
        return Say(
            "Which rank stopped the job is not known: {ranks} arrived at {operation}, none "
            "finished it, and whether the job has more ranks is not recorded.",
            ranks, place);
      }
      return Say(
          "Which rank stopped the job is not known: {ranks} arrived at {operation}, and none "
          "finished it.",
          ranks, place);
    default:
      return Say("Which of {ranks} stopped the job is not known: {why}.", ranks,
                 SayMismatch(job, root));
  }
}

// "3 ranks wait at ...".
Phrase SayWaiting(const Root& root, const Phrase& place) {
  return root.waiting == 1 ? Say("1 rank waits at {operation}", place)
                           : Say("{count} ranks wait at {operation}", root.waiting, place);
}

}  // namespace

bool LacksRanks(const Job& job, const Root& root) {
  return root.group < job.groups.size() && job.groups[root.group].lacks_unknown &&
         root.reason == Reason::kDeviceNotFinished && !root.proven();
}

std::string_view WaitName(WaitKind kind) {
  switch (kind) {
    case WaitKind::kNotArrived:
      return "not arrived";
    case WaitKind::kNotFinished:
      return "not finished";
    case WaitKind::kNotBegun:
      return "not begun";
    case WaitKind::kMismatch:
      return "mismatch";
    case WaitKind::kMissing:
      return "dump missing";
    case WaitKind::kQueued:
      return "behind another operation";
    case WaitKind::kMessage:
      return "message not posted";
  }
  return "";
}

std::string_view ReasonName(Reason reason) {
  switch (reason) {
    case Reason::kHostNotArrived:
      return "host_not_arrived";
    case Reason::kDeviceNotFinished:
      return "device_not_finished";
    case Reason::kOperationMismatch:
      return "operation_mismatch";
    case Reason::kShapeMismatch:
      return "shape_mismatch";
    case Reason::kTypeMismatch:
      return "type_mismatch";
    case Reason::kOrderMismatch:
      return "order_mismatch";
    case Reason::kMessageCycle:
      return "point_to_point_cycle";
    case Reason::kCollectiveCycle:
      return "collective_cycle";
    case Reason::kDumpMissing:
      return "dump_missing";
    case Reason::kProcessGone:
      return "process_gone";
  }
  return "";
}

std::string ListRanks(std::span<const int64_t> ranks) {
  const size_t named = ranks.size() <= kMostNamed ? ranks.size() : 3;
  std::string list;
  for (size_t i = 0; i < named; ++i) list += (i > 0 ? ", " : "") + std::to_string(ranks[i]);
  return named < ranks.size() ? list + ", ..." : list;
}

Phrase SayRanks(std::span<const int64_t> ranks) {
  if (ranks.size() == 1) return Say("rank {rank}", ranks[0]);
  std::string list;
  const size_t named = ranks.size() <= kMostNamed ? ranks.size() - 1 : 3;
  for (size_t i = 0; i < named; ++i) list += (i > 0 ? ", " : "") + std::to_string(ranks[i]);
  if (ranks.size() <= kMostNamed) return Say("ranks {ranks} and {last}", list, ranks.back());
  return Say("{count} ranks ({ranks}, ...)", ranks.size(), list);
}

Phrase SayOperation(const JobGroup& group, const DumpOperation& operation) {
  const Phrase shown = Phrase::Name(group.Shown());
  const Phrase name = Phrase::Name(operation.name);
  if (operation.point_to_point && operation.sequence < 0) {
    return Say("{operation} from {from} to {to}", name, group.MemberAt(operation.from),
               group.MemberAt(operation.to));
  }
  if (operation.point_to_point && operation.from >= 0) {
    return Say("{operation} {sequence} from {from} to {to} in group {group}", name,
               operation.sequence, group.MemberAt(operation.from), group.MemberAt(operation.to),
               shown);
  }
  return Say("{operation} {sequence} of group {group}", name, operation.Number(), shown);
}

Phrase SayRoots(const Job& job, Roots roots) {
  const auto ranks = RanksOf(roots);
  const Phrase named = SayRanks(ranks);
  if (!roots.front().proven()) return SayOpen(job, roots, named);
  const bool certain = IsCertain(job, roots.front());
  if (!certain && !job.contradiction.empty())
    return Phrase::Capitalized(
        Say("{ranks} may have stopped the job, if these dumps belong "
            "together: {why}.",
            named, SayWhy(job, roots)));
  if (!certain)
    return Phrase::Capitalized(
        Say("{ranks} stopped the job, unless it still moves: {why}.", named, SayWhy(job, roots)));
  return Phrase::Capitalized(Say("{ranks} stopped the job: {why}.", named, SayWhy(job, roots)));
}

namespace {

Phrase SayRecorded(const Job& job, const Root& root) {
  if (root.reason == Reason::kMessageCycle && root.own == nullptr)
    return Say("waits in {operation}", SayMessageByStack(job, root));
  if (root.reason == Reason::kProcessGone && root.others == nullptr)
    return SayGone(job, root, true);
  if (root.group >= job.groups.size()) return "in no operation, while others wait";
  if (const auto* dump = job.Unusable(root.rank);
      root.reason == Reason::kDumpMissing && dump != nullptr) {
    if (root.waiting == 0) return dump->why;
    return Say("{why}; {waiting}", dump->why, SayWaiting(root, SayPlace(job, root)));
  }
  if (root.reason == Reason::kDumpMissing && root.waiting == 0)
    return "no dump; another rank may have stopped because of it";
  if (root.reason == Reason::kDumpMissing || root.reason == Reason::kProcessGone)
    return Say("no dump; {waiting}", SayWaiting(root, SayPlace(job, root)));
  if (root.reason == Reason::kHostNotArrived) {
    const Standing* standing = job.groups[root.group].Find(root.rank);
    if (standing == nullptr || standing->reached < 0 || root.others->point_to_point)
      return Say("no entry; {waiting}", SayWaiting(root, SayPlace(job, root)));
    const int64_t of_name = root.others->of_name;  // one more than it enqueued
    return Say("last enqueued {last}; {waiting}", of_name >= 0 ? of_name - 1 : standing->reached,
               SayWaiting(root, SayPlace(job, root)));
  }
  if (root.reason == Reason::kDeviceNotFinished) {
    const Phrase place = SayPlace(job, root);
    if (root.own == nullptr) return Say("enqueued, and not begun as by others: {operation}", place);
    return root.proven() ? Say("unfinished, and finished by others: {operation}", place)
                         : Say("unfinished, as by all members: {operation}", place);
  }
  if (root.reason == Reason::kMessageCycle || root.reason == Reason::kCollectiveCycle)
    return Say("waits in {operation}", SayPlace(job, root));
  const Phrase line =
      root.own->line.empty() ? Phrase() : Say(" ({line})", Phrase::Name(root.own->line));
  return SayMismatch(job, root) + line;
}

// Where the main thread is, if the stack says more than the sentence before.
Phrase SayStack(const Job& job, const Root& root) {
  const RankStack* stack = job.StackOf(root.rank);
  if (stack == nullptr || stack->line.empty()) return {};
  if (root.reason == Reason::kMessageCycle && root.own == nullptr) return {};
  const Phrase line = Phrase::Name(stack->line);
  if (stack->innermost.empty()) return Say("its main thread is at {line}", line);
  return Say("its main thread is at {line}, in {inner}", line, Phrase::Name(stack->innermost));
}

}  // namespace

int64_t NewestSign(const Job& job) {
  return std::ranges::max_element(job.signs, {}, [](const auto& sign) { return sign.second.last; })
      ->second.last;
}

namespace {

constexpr int64_t kSilence = 30'000'000'000;  // ns: three heartbeats of the recorder

// What events tell: who was silent before others, or began fewer steps.
Phrase SaySilence(const Job& job, int64_t rank) {
  const auto at = job.signs.find(rank);
  if (at == job.signs.end()) return {};
  const int64_t silent = NewestSign(job) - at->second.last;
  if (silent >= kSilence)
    return Say("its last event is {time} older than that of others", HumanNanoseconds(silent));
  int64_t most = -1;
  for (const auto& [other, sign] : job.signs) most = std::max(most, sign.step);
  if (at->second.step >= 0 && at->second.step < most)
    return Say("its last step is {step}, of others {most}", at->second.step, most);
  return {};
}

}  // namespace

Phrase SayEvidence(const Job& job, const Root& root) {
  Phrase evidence = SayRecorded(job, root);
  for (const Phrase& more :
       {SayMark(job.MarkOf(root.rank)), SayStack(job, root), SaySilence(job, root.rank)})
    if (!more.empty()) evidence = Say("{evidence}; {more}", evidence, more);
  return evidence;
}

Phrase SayChain(const Root& root) {
  Phrase chain;
  for (size_t i = 0; i + 1 < root.chain.size(); ++i) {
    chain += i == 0 ? Say("rank {rank} waits for {other}", root.chain[0], root.chain[1])
                    : Say(", {rank} for {other}", root.chain[i], root.chain[i + 1]);
  }
  return chain;
}

namespace {

// "all_reduce [[8]] of Float".
Phrase Called(const DumpOperation& operation) {
  return Phrase::Name(operation.name + " " + GivenTo(operation));
}

}  // namespace

Phrase SayEarlier(const Job& job, const Earlier& earlier) {
  return Say(
      "members called different things at {operation}, and finished it: {own} on {ranks}, {usual} "
      "on {others}",
      SayOperation(job.groups[earlier.group], *earlier.usual), Called(*earlier.other),
      SayRanks(earlier.ranks), Called(*earlier.usual), SayRanks(earlier.usuals));
}

}  // namespace stepscope::hang
