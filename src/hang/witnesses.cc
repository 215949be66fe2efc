// A finished entry, or the group's counter, is a record; what a later entry implies is less.
#include "hang/witnesses.h"

namespace stepscope::hang {
namespace {

bool Recorded(const Standing& standing, int64_t sequence) {
  const DumpOperation* operation = standing.At(sequence);
  return operation != nullptr ? !operation->odd : standing.completed >= sequence;
}

}  // namespace

Witnesses WitnessesOf(const JobGroup& group, int64_t sequence, const Job& job) {
  Witnesses witnesses;
  for (const auto& [rank, standing] : group.standings) {
    if (!standing.Finished(sequence) || job.IsOdd(rank) || job.dumps.at(rank)->left_out > 0)
      continue;
    witnesses.ranks.push_back(rank);
    // Of a dump without operations it is not known when it was taken.
    witnesses.saw |= job.dumps.at(rank)->recorded > 0 && Recorded(standing, sequence);
  }
  return witnesses;
}

bool Prove(const Witnesses& witnesses, size_t accused) {
  return witnesses.ranks.size() >= accused && (witnesses.saw || witnesses.ranks.size() > 1);
}

}  // namespace stepscope::hang
