// Binds the first screen of an answer: what it says, chosen and worded by the core.
#include "report/summary.h"

#include <fmt/format.h>
#include <nanobind/nanobind.h>

#include <string>
#include <string_view>
#include <utility>

#include "base/printable.h"
#include "python/answer.h"
#include "python/module.h"
#include "python/text.h"
#include "report/humanize.h"

namespace stepscope::python {
namespace {

nb::object Shown(std::string_view text) { return TextOf(Printable(text)); }

nb::object ShownTime(int64_t time) { return TextOf(HumanNanoseconds(time)); }

nb::dict DictOf(const SummaryCause& cause, std::string_view verdict) {
  const SaidCause said = SayCause(*cause.finding, verdict.contains(cause.finding->message));
  nb::dict out;
  out["head"] = Shown(said.head);
  out["because"] = Shown(said.because);
  out["try"] = Shown(cause.finding->hint);
  out["worth"] = Shown(cause.worth);
  return out;
}

// Where a step goes: for each column its title and time; for each part a time of each column. One
// column, or those before a change and since.
nb::dict DictOf(const SummaryParts& step) {
  const bool changed = !step.now.empty();
  nb::list columns;
  const auto add = [&](const Phrase& name, int64_t time) {
    columns.append(Shown(name.empty() ? std::string(HumanNanoseconds(time))
                                      : fmt::format("{} in {}", HumanNanoseconds(time), name)));
  };
  if (changed) add(step.before, step.time_before.value_or(0));
  add(step.now, step.time);
  nb::list parts;
  for (const SummaryPart& part : step.parts) {
    nb::list times;
    if (changed)
      times.append(nb::make_tuple(part.before.value_or(0), ShownTime(part.before.value_or(0))));
    times.append(nb::make_tuple(part.now, ShownTime(part.now)));
    parts.append(nb::make_tuple(Shown(part.title), times));
  }
  nb::dict out;
  out["title"] = Shown(step.title);
  out["columns"] = columns;
  out["parts"] = parts;
  return out;
}

// The table of ranks that differ, as text: its head and its rows.
nb::list TableOf(const SummaryRanks& ranks) {
  nb::list table;
  if (ranks.rows.empty()) return table;
  nb::list head;
  head.append(Shown(SayWhatRanksShow(ranks)));
  for (const Phrase& part : ranks.parts) head.append(Shown(part));
  table.append(head);
  for (const SummaryRanks::Row& row : ranks.rows) {
    nb::list cells;
    cells.append(Shown(row.title));
    for (const int64_t time : row.times) cells.append(TextOf(SayRankTime(ranks, time)));
    table.append(cells);
  }
  return table;
}

nb::dict SummaryOf(const Answer& answer) {
  const Summary summary = Summarize(answer.get());
  nb::list causes, unseen;
  for (const SummaryCause& cause : summary.causes) causes.append(DictOf(cause, summary.verdict));
  for (const Phrase& sentence : summary.unseen) unseen.append(Shown(sentence));
  nb::dict out;
  out["subject"] = Shown(summary.subject);
  out["verdict"] = Shown(summary.verdict);
  out["causes"] = causes;
  out["step"] = summary.step.parts.empty() ? nb::object(nb::none()) : DictOf(summary.step);
  out["ranks"] = TableOf(summary.ranks);
  out["unseen"] = unseen;
  return out;
}

}  // namespace

void AddSummaries(nb::module_& module) { module.def("summary_of", SummaryOf, nb::arg("answer")); }

}  // namespace stepscope::python
