// Says what to do next, or what would decide.
#include <algorithm>

#include "hang/hang_words.h"

namespace stepscope::hang {
namespace {

std::vector<int64_t> NamesOf(Roots roots) {
  std::vector<int64_t> ranks;
  for (const Root& root : roots) ranks.push_back(root.rank);
  return ranks;
}

bool AllHaveStacks(const Job& job, Roots roots) {
  return std::ranges::all_of(roots,
                             [&](const Root& root) { return job.StackOf(root.rank) != nullptr; });
}

Phrase SayWhatDecides(const Job& job, Roots roots, const Phrase& named) {
  const Root& root = roots.front();
  if (root.reason == Reason::kMessageCycle && root.own == nullptr)
    return "find for which rank each of them waits (py-spy dump with locals shows src and dst): "
           "they "
           "are a circle if each waits for another of them";
  if (IsOfDumps(root.doubt)) return SayWhatProves(root, named);
  if (root.doubt == Doubt::kMember)
    return Say(
        "dumps cannot decide: see in the code who is a member of the group (new_group), "
        "give world_size, and take stacks of {ranks}",
        named);
  if (root.doubt == Doubt::kOrder)
    return Say(
        "see in the code which of {ranks} leaves out a call or calls in another order; dumps that "
        "go back two steps (a larger TORCH_FR_BUFFER_SIZE), with frames, may tell",
        named);
  if (root.doubt == Doubt::kGone)
    return Say(
        "read the logs of {ranks} and their hosts: which of them stopped first decides; dumps of "
        "all ranks tell what those that answer wait for",
        named);
  if (root.doubt == Doubt::kLost)
    return Say(
        "give world_size: a rank that left no dump, in a group with fewer members than others, "
        "would be the one; read the logs of {ranks}",
        named);
  if (LacksRanks(job, root))
    return Say(
        "give world_size: a rank above these that left no dump would be the one; if there is "
        "none, take stacks of {ranks} (py-spy)",
        named);
  if (AllHaveStacks(job, roots))
    return Say("dumps cannot decide: compare the stacks of {ranks}, and read their logs", named);
  return Say("dumps cannot decide: take stacks of {ranks} (py-spy), and read their logs", named);
}

Phrase SayDeviceAdvice(const Job& job, const Phrase& named) {
  if (job.on_host)
    return Say(
        "take the stacks of {ranks} (py-spy, with native frames), and see the network of their "
        "hosts",
        named);
  if (job.backend != "nccl" && !job.backend.empty())
    return Say("look at the devices of {ranks}: errors in dmesg, links", named);
  return Say(
      "look at the devices of {ranks}: Xid errors in dmesg, ECC errors, links (nvidia-smi -q)",
      named);
}

Phrase SayHostAdvice(const Job& job, Roots roots, const Phrase& named) {
  if (AllHaveStacks(job, roots))
    return Say("see what the code does there on {ranks}: data loading, a lock, or another branch",
               named);
  return job.on_host ? Say("take the stack of {ranks} (py-spy): this back end does not record "
                           "send and recv, in which ranks may wait for one another",
                           named)
                     : Say("take the stack of {ranks} (py-spy): data loading, a lock, or "
                           "another branch of the code",
                           named);
}

}  // namespace

Phrase SayAdvice(const Job& job, Roots roots) {
  const auto ranks = NamesOf(roots);
  const Phrase named = SayRanks(ranks);
  const Root& root = roots.front();
  if (!root.proven() && root.doubt != Doubt::kWaits) return SayWhatDecides(job, roots, named);
  if (!IsCertain(job, root) && job.counts_only)
    return "ask ncclras again, and give both answers: of a job that moves, counts differ too";
  switch (root.reason) {
    case Reason::kHostNotArrived:
      return SayHostAdvice(job, roots, named);
    case Reason::kDeviceNotFinished:
      return SayDeviceAdvice(job, named);
    case Reason::kMessageCycle:
      return "let one side receive first, or use batch_isend_irecv";
    case Reason::kCollectiveCycle:
      return "call the operations of all groups in one order on all ranks";
    case Reason::kDumpMissing:
    case Reason::kProcessGone:
      return Say("read the log of {ranks} and its host first: processes that died leave no dump",
                 named);
    default: {
      const DumpOperation* others = root.others != nullptr ? root.others : root.own;
      return Say("make all ranks call the same there: {own} on {ranks}, {others} on others",
                 Phrase::Name(root.own->line.empty() ? root.own->name : root.own->line), named,
                 Phrase::Name(others->line.empty() ? others->name : others->line));
    }
  }
}

Phrase SayEarlierAdvice(const Earlier& earlier) {
  const auto place = [](const DumpOperation& operation) {
    return Phrase::Name(operation.line.empty() ? operation.name : operation.line);
  };
  return Say("make all ranks call the same there: {own} on {ranks}, {others} on others",
             place(*earlier.other), SayRanks(earlier.ranks), place(*earlier.usual));
}

}  // namespace stepscope::hang
