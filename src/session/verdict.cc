// Writes the verdict: the sentences a reader sees first.
#include "session/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "facts/derived/step_categories.h"
#include "report/columns.h"
#include "report/findings.h"
#include "report/humanize.h"
#include "report/lookup.h"
#include "trace/notes.h"

namespace stepscope {

namespace {

// Whether the analyses that find most costs were asked and could answer.
bool KnowsCosts(const ReportSet& answer) {
  for (const char* analysis : {"overview", "idle_time", "comm_overlap", "stragglers", "kernels"}) {
    const Report* report = FindReport(answer, analysis);
    if (report == nullptr || report->status == Status::kPartial) return false;
  }
  const Report& overview = *FindReport(answer, "overview");
  const auto steps = std::ranges::find(overview.metrics, "steps", &Metric::key);
  return overview.status == Status::kOk && FindReport(answer, "idle_time")->status == Status::kOk &&
         steps != overview.metrics.end() && steps->value != Cell(int64_t{0});
}

// "all others" says nothing without the rest of the list.
std::string SayCategory(const std::string& name) {
  const bool others = name == StepCategoryName(StepCategory::kOther);
  return others ? "time without a record" : name;
}

// The largest part of steps that is not compute. Empty where unknown.
std::string SayNoFinding(const ReportSet& answer) {
  if (!KnowsCosts(answer)) return {};
  const Report& overview = *FindReport(answer, "overview");
  const Table* table = FindTable(&overview, "step_time");
  if (table == nullptr) return {};
  const ColumnOf category(*table, "category"), kind(*table, "kind"), ratio(*table, "ratio"),
      mean(*table, "mean");
  for (const auto& row : table->rows) {  // the largest first
    const std::string* of = kind.FindText(row);
    const auto* share = std::get_if<double>(&ratio(row));
    if (share == nullptr || (of != nullptr && *of == ColumnKindName(ColumnKind::kCompute)))
      continue;
    if (*share < kWorthALook) return "Nothing but compute costs more than 1% of step time.";
    return fmt::format(
        "No finding: the largest cost but compute is {}, {} of step time ({} per step).",
        SayCategory(category.Text(row)), HumanRatio(*share),
        HumanTime(static_cast<double>(mean.Int(row))));
  }
  return {};
}

}  // namespace

std::string Verdict(const ReportSet& answer) {
  const auto answers = [](const Report& r) { return r.status != Status::kUnavailable; };
  const auto first = std::ranges::find_if(answer.reports, answers);
  if (first == answer.reports.end()) {
    return answer.reports.empty()
               ? "No analysis was requested."
               : "No analysis ran. " + Capitalized(answer.reports.front().why) + ".";
  }
  const auto findings = FindingsInOrder(answer);
  const bool any = !findings.empty() && WorthALook(*findings.front());
  const std::string says = any ? findings.front()->message : SayNoFinding(answer);
  // The headline may say it already.
  if (says.empty() || first->headline.contains(says)) return first->headline;
  return first->headline + " " + says;
}

std::string SayWhatIsMissing(const RunInfo& run) {
  struct Loss {
    NoteKind kind;
    std::string_view noun, one, many;
  };
  constexpr auto kLosses = std::to_array<Loss>({
      {NoteKind::kUnreadable, "file", "cannot be read", "cannot be read"},
      {NoteKind::kTruncated, "file", "ends early", "end early"},
      {NoteKind::kCorrupt, "file", "is damaged", "are damaged"},
      {NoteKind::kMissingRanks, "rank", "has no trace", "have no trace"},
  });
  std::string text;
  for (const Loss& loss : kLosses) {
    if (loss.kind == NoteKind::kMissingRanks && run.ranks < 2) continue;
    int64_t count = 0;
    for (const Note& note : run.notes) {
      if (note.name == NoteName(loss.kind)) count += note.count;
    }
    if (count == 0) continue;
    text += text.empty() ? " Input is incomplete: " : ", ";
    text += fmt::format("{} {}", Plural(static_cast<size_t>(count), loss.noun),
                        count == 1 ? loss.one : loss.many);
  }
  return text.empty() ? text : text + ".";
}

}  // namespace stepscope
