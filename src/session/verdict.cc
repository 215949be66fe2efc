// Writes the verdict: the sentences a reader sees first.
#include "session/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

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

// ns of steps in the column with this title: of typical steps, those of the first sentence, or of
// the others.
double SumOf(const Table& steps, std::string_view title, bool typical) {
  const auto column = std::ranges::find(steps.columns, title, &Column::title);
  if (column == steps.columns.end()) return 0;
  const ColumnOf is_typical(steps, "typical");
  const auto at = static_cast<size_t>(column - steps.columns.begin());
  double sum = 0;
  for (const auto& row : steps.rows) {
    const auto* time = std::get_if<int64_t>(&row[at]);
    if (time != nullptr && (is_typical.Text(row) == "yes") == typical)
      sum += static_cast<double>(*time);
  }
  return sum;
}

int64_t CountTypical(const Table& steps) {
  const ColumnOf typical(steps, "typical");
  return std::ranges::count_if(steps.rows,
                               [&](const auto& row) { return typical.Text(row) == "yes"; });
}

// ", aside from one-time work (500 ms in slow steps)": per rank, where it is as long as a step.
std::string SayOneTimeWork(const ReportSet& answer, const Table& steps, double mean_step) {
  const double ranks = static_cast<double>(std::max<int64_t>(answer.run.ranks, 1));
  const std::string_view name = StepCategoryName(StepCategory::kOneTime);
  const double time = SumOf(steps, name, false) / ranks;
  if (time < mean_step) return {};
  return fmt::format(", aside from {} ({} in steps left out)", name, HumanTime(time));
}

// The largest part of typical steps that is not compute. Empty where unknown.
std::string SayNoFinding(const ReportSet& answer) {
  if (!KnowsCosts(answer)) return {};
  const Report& overview = *FindReport(answer, "overview");
  const Table* categories = FindTable(&overview, "step_time");
  const Table* steps = FindTable(&overview, "steps");
  if (categories == nullptr || steps == nullptr) return {};
  const ColumnOf category(*categories, "category"), kind(*categories, "kind");
  const double all = SumOf(*steps, "step time", true);
  std::pair<double, std::string> largest;
  for (const auto& row : categories->rows) {
    const std::string* of = kind.FindText(row);
    if (of != nullptr && *of == ColumnKindName(ColumnKind::kCompute)) continue;
    largest = std::max(largest, std::pair(SumOf(*steps, category.Text(row), true),
                                          SayCategory(category.Text(row))));
  }
  const auto& [time, name] = largest;
  if (all <= 0) return {};
  const auto count = static_cast<double>(CountTypical(*steps));
  const std::string aside = SayOneTimeWork(answer, *steps, all / count);
  if (time < kWorthALook * all)
    return fmt::format("Nothing but compute costs more than 1% of step time{}.", aside);
  return fmt::format(
      "No finding: the largest cost but compute is {}, {} of step time ({} per step){}.", name,
      HumanRatio(time / all), HumanTime(time / count), aside);
}

}  // namespace

std::string Verdict(const ReportSet& answer) {
  const auto answers = [](const Report& r) { return r.status != Status::kUnavailable; };
  const auto first = std::ranges::find_if(answer.reports, answers);
  if (first == answer.reports.end()) {
    return answer.reports.empty() ? "No analysis was requested."
                                  : "No analysis could run: " + answer.reports.front().why + ".";
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
