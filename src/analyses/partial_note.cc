// Counts partials.
#include "analyses/partial_note.h"

#include <algorithm>

namespace stepscope {

void NotePartials(const Facts& facts, Report& report) {
  const auto partials = std::ranges::count_if(
      facts.ranks, [](const RankActivity& rank) { return rank.condensed != nullptr; });
  if (partials == 0) return;
  report.notes.push_back({"of_partials", partials,
                          "partials hold no operators, functions or launches: what needs them is "
                          "left out; ask the traces of the ranks in question",
                          ""});
}

}  // namespace stepscope
