// Says of roots why their dumps do not prove them: one sentence per doubt.
#include <iterator>
#include <vector>

#include "hang/hang_words.h"

namespace stepscope::hang {
namespace {

std::vector<int64_t> RanksOf(Roots roots) {
  std::vector<int64_t> ranks;
  for (const Root& root : roots) ranks.push_back(root.rank);
  return ranks;
}

Phrase SayFew(Roots roots, const Phrase& ranks, const Phrase& place) {
  const Root& root = roots.front();
  if (root.witnesses.empty()) {
    return Say(
        "Whether {ranks} stopped the job is not known: {operation} is unfinished, and the dumps by "
        "which others finished it are damaged or not read in whole.",
        ranks, place);
  }
  const Phrase others = SayRanks(root.witnesses);
  if (root.reason == Reason::kHostNotArrived) {
    return Say(
        "Which rank stopped the job is not known: {others} alone called {operation}, and {ranks} "
        "did not.",
        others, place, ranks);
  }
  if (root.own == nullptr) {
    return Say(
        "Which rank stopped the job is not known: {others} alone began {operation}, and {ranks} "
        "did not.",
        others, place, ranks);
  }
  return Say(
      "Which rank stopped the job is not known: by the dump of {others} alone others finished "
      "{operation}, and {ranks} did not.",
      others, place, ranks);
}

}  // namespace

bool IsOfDumps(Doubt doubt) {
  return doubt == Doubt::kUnusable || doubt == Doubt::kPartial || doubt == Doubt::kDamaged ||
         doubt == Doubt::kFewSay;
}

Phrase SayUnusable(const Job& job, Roots roots, const Phrase& place) {
  const UnusableDump* dump = job.Unusable(roots.front().rank);
  if (roots.size() == 1 && dump != nullptr)
    return Say("{why}, and all others arrived at {operation}", dump->why, place);
  return Say("their dumps are missing or do not count, and all others arrived at {operation}",
             place);
}

Finding UnusableFinding(const Job& job) {
  std::vector<int64_t> ranks;
  for (const auto& [rank, dump] : job.unusable) ranks.push_back(rank);
  const auto& [first, dump] = *job.unusable.begin();
  return {.severity = Severity::kMedium,
          .message = Say("What {ranks} did is not known: a dump is there and does not count.",
                         SayRanks(ranks)),
          .because = Say("rank {rank}: {why}", first, dump.why),
          .hint = "give only the dumps of the attempt that hung, and copy damaged ones again",
          .cause = {.kind = CauseKind::kRecording}};
}

void AddUnusableNotes(const Job& job, Report& report) {
  constexpr size_t kMostNotes = 8;
  std::vector<int64_t> others;
  size_t told = 0;
  for (const auto& [rank, dump] : job.unusable) {
    if (dump.empty) continue;
    if (told++ >= kMostNotes) {
      others.push_back(rank);
      continue;
    }
    report.notes.push_back(
        {"unusable_dump", 1,
         Say("the dump of {rank} does not count: {why}", SayRanks(std::vector{rank}), dump.why),
         ""});
  }
  if (others.empty()) return;
  report.notes.push_back({"unusable_dump", std::ssize(others),
                          Say("the dumps of {ranks} do not count either", SayRanks(others)), ""});
}

Phrase SayDoubt(const Job& job, Roots roots, const Phrase& fault, const Phrase& place) {
  const Root& root = roots.front();
  const bool one = roots.size() == 1;
  const Phrase ranks = SayRanks(RanksOf(roots));
  switch (root.doubt) {
    case Doubt::kFewSay:
      return SayFew(roots, ranks, place);
    case Doubt::kPartial:
      return one ? Say("Whether {rank} stopped the job is not known: {why}, but {count} operations "
                       "of its dump were left out.",
                       ranks, fault, job.dumps.at(root.rank)->left_out)
                 : Say("Which of {ranks} stopped the job is not known: {why}, but operations of "
                       "their dumps were left out.",
                       ranks, fault);
    case Doubt::kDamaged:
      return one ? Say("Whether {rank} stopped the job is not known: {why}, but its dump may be "
                       "damaged: it has values that no program can have given.",
                       ranks, fault)
                 : Say("Which of {ranks} stopped the job is not known: {why}, but their dumps may "
                       "be damaged: they have values that no program can have given.",
                       ranks, fault);
    default:
      return one ? Say("Whether {rank} stopped the job is not known: {why}.", ranks, fault)
                 : Say("Which of {ranks} stopped the job is not known: {why}.", ranks, fault);
  }
}

Phrase SayWhatProves(const Root& root, const Phrase& named) {
  const Phrase again = Say(
      "copy the dump of {ranks} again, or dump again, and compare; a stack (py-spy) tells where "
      "it is",
      named);
  switch (root.doubt) {
    case Doubt::kFewSay:
      if (root.witnesses.empty()) return again;
      return Say(
          "see whether the dump of {others} is of the same attempt, and whether the code calls "
          "this "
          "on all ranks; take stacks of {ranks} (py-spy)",
          SayRanks(root.witnesses), named);
    case Doubt::kUnusable:
      return Say(
          "read the log of {ranks} and its host first; a dump of this attempt that can be read, or "
          "a stack (py-spy), would decide",
          named);
    default:
      return again;
  }
}

}  // namespace stepscope::hang
