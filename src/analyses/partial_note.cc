// Counts partials.
#include "analyses/partial_note.h"

#include <algorithm>

#include "facts/derived/steps/of_partials.h"

namespace stepscope {

void NotePartials(const Facts& facts, Report& report) {
  if (!IsOfPartials(facts)) return;
  const auto partials = std::ranges::count_if(
      facts.ranks, [](const RankActivity& rank) { return rank.condensed != nullptr; });
  report.notes.push_back({"of_partials", partials,
                          "partials hold no operators, functions or launches: what needs them is "
                          "left out; ask the traces of the ranks in question",
                          ""});
}

}  // namespace stepscope
