// One sentence per reason.
#include "hang/hang_words.h"

#include <algorithm>

namespace stepscope::hang {
namespace {

constexpr size_t kMostNamed = 8;

const DumpOperation* OperationOf(const Root& root) {
  return root.others != nullptr ? root.others : root.own;
}

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

Phrase SayDevice(const Root& root, bool one, const Phrase& place) {
  if (root.own == nullptr) {
    return one ? Say("its device did not begin {operation}, which others began", place)
               : Say("their devices did not begin {operation}, which others began", place);
  }
  return one ? Say("its device did not finish {operation}, which others finished", place)
             : Say("their devices did not finish {operation}, which others finished", place);
}

// What the roots did, as the end of a sentence about them.
Phrase SayWhy(const Job& job, Roots roots) {
  const Root& root = roots.front();
  const bool one = roots.size() == 1;
  const Phrase place = SayPlace(job, root);
  switch (root.reason) {
    case Reason::kHostNotArrived:
      return one ? Say("its host did not arrive at {operation}", place)
                 : Say("their hosts did not arrive at {operation}", place);
    case Reason::kDeviceNotFinished:
      return SayDevice(root, one, place);
    case Reason::kMessageCycle:
      return "they wait for one another in send and recv";
    case Reason::kCollectiveCycle:
      return "they wait for one another in operations that they call in different orders";
    case Reason::kDumpMissing:
      return one ? Say("it left no dump, and all others arrived at {operation}", place)
                 : Say("they left no dump, and all others arrived at {operation}", place);
    default:
      return SayMismatch(job, root);
  }
}

Phrase SayOpen(const Job& job, Roots roots, const Phrase& ranks) {
  const Root& root = roots.front();
  const Phrase place = SayPlace(job, root);
  switch (root.reason) {
    case Reason::kDumpMissing:
    case Reason::kHostNotArrived:
      return Say(
          "Which of {ranks} stopped the job is not known: dumps are missing, and all others "
          "arrived at {operation}.",
          ranks, place);
    case Reason::kMessageCycle:
    case Reason::kCollectiveCycle:
      return Say(
          "Which of {ranks} stopped the job is not known: they may wait for one another, or "
          "have finished what others wait for.",
          ranks);
    case Reason::kDeviceNotFinished:
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
  }
  return "";
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
  const std::string& shown = group.description.empty() ? group.name : group.description;
  const Phrase name = Phrase::Name(operation.name);
  if (operation.point_to_point) {
    return Say("{operation} {sequence} from {from} to {to} in group {group}", name,
               operation.sequence, group.MemberAt(operation.from), group.MemberAt(operation.to),
               Phrase::Name(shown));
  }
  return Say("{operation} {sequence} of group {group}", name, operation.sequence,
             Phrase::Name(shown));
}

Phrase SayRoots(const Job& job, Roots roots) {
  const auto ranks = RanksOf(roots);
  const Phrase named = SayRanks(ranks);
  if (!roots.front().proven) return SayOpen(job, roots, named);
  return Phrase::Capitalized(Say("{ranks} stopped the job: {why}.", named, SayWhy(job, roots)));
}

Phrase SayEvidence(const Job& job, const Root& root) {
  if (root.group >= job.groups.size()) return "in no operation, while others wait";
  if (root.reason == Reason::kDumpMissing)
    return Say("no dump; {waiting}", SayWaiting(root, SayPlace(job, root)));
  if (root.reason == Reason::kHostNotArrived) {
    const Standing* standing = job.groups[root.group].Find(root.rank);
    if (standing == nullptr || standing->reached < 0 || root.others->point_to_point)
      return Say("no entry; {waiting}", SayWaiting(root, SayPlace(job, root)));
    return Say("last enqueued {last}; {waiting}", standing->reached,
               SayWaiting(root, SayPlace(job, root)));
  }
  if (root.reason == Reason::kDeviceNotFinished) {
    const Phrase place = SayPlace(job, root);
    if (root.own == nullptr) return Say("enqueued, and not begun as by others: {operation}", place);
    return root.proven ? Say("unfinished, and finished by others: {operation}", place)
                       : Say("unfinished, as by all members: {operation}", place);
  }
  if (root.reason == Reason::kMessageCycle || root.reason == Reason::kCollectiveCycle)
    return Say("waits in {operation}", SayPlace(job, root));
  const Phrase line =
      root.own->line.empty() ? Phrase() : Say(" ({line})", Phrase::Name(root.own->line));
  return SayMismatch(job, root) + line;
}

Phrase SayAdvice(Roots roots, bool messages_unseen) {
  const auto ranks = RanksOf(roots);
  const Phrase named = SayRanks(ranks);
  const Root& root = roots.front();
  if (!root.proven) {
    return Say(
        "dumps cannot decide: take stacks of {ranks} (py-spy), and read "
        "their logs",
        named);
  }
  switch (root.reason) {
    case Reason::kHostNotArrived:
      return messages_unseen ? Say("take the stack of {ranks} (py-spy): this back end does not "
                                   "record send and recv, in which ranks may wait for one another",
                                   named)
                             : Say("take the stack of {ranks} (py-spy): data loading, a lock, or "
                                   "another branch of the code",
                                   named);
    case Reason::kDeviceNotFinished:
      return Say(
          "look at the devices of {ranks}: Xid errors in dmesg, ECC errors, links "
          "(nvidia-smi -q)",
          named);
    case Reason::kMessageCycle:
      return "let one side receive first, or use batch_isend_irecv";
    case Reason::kCollectiveCycle:
      return "call the operations of all groups in one order on all ranks";
    case Reason::kDumpMissing:
      return Say("read the log of {ranks} and its host first: processes that died leave no dump",
                 named);
    default: {
      const DumpOperation* others = OperationOf(root);
      return Say("make all ranks call the same there: {own} on {ranks}, {others} on others",
                 Phrase::Name(root.own->line.empty() ? root.own->name : root.own->line), named,
                 Phrase::Name(others->line.empty() ? others->name : others->line));
    }
  }
}

Phrase SayChain(const Root& root) {
  Phrase chain;
  for (size_t i = 0; i + 1 < root.chain.size(); ++i) {
    chain += i == 0 ? Say("rank {rank} waits for {other}", root.chain[0], root.chain[1])
                    : Say(", {rank} for {other}", root.chain[i], root.chain[i + 1]);
  }
  return chain;
}

}  // namespace stepscope::hang
