// Says what a run is.
#include "mcp/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "mcp/say.h"
#include "report/columns.h"
#include "report/lookup.h"
#include "report/quoted_names.h"
#include "report/summary.h"
#include "stepscope/session.h"

namespace stepscope::mcp {
namespace {

std::set<int64_t> StepsIn(const ReportSet& answer) {
  std::set<int64_t> steps;
  const Table* table = FindTable(FindReport(answer, "overview"), "steps");
  if (table == nullptr || !FindColumn(*table, "step")) return steps;
  const ColumnOf number(*table, "step");
  for (const auto& row : table->rows) steps.insert(number.Int(row));
  return steps;
}

// "0..3, 6".
std::string SayNumbers(const std::set<int64_t>& numbers) {
  std::string text;
  for (auto at = numbers.begin(); at != numbers.end();) {
    const int64_t first = *at;
    int64_t last = first;
    while (++at != numbers.end() && *at == last + 1) last = *at;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", first);
    if (last > first) text += fmt::format("..{}", last);
  }
  return text;
}

std::vector<std::string> NamesWithStatus(const ReportSet& answer, Status status) {
  std::vector<std::string> names;
  for (const Report& report : answer.reports) {
    if (report.status == status) names.push_back(report.analysis);
  }
  return names;
}

void AddFiles(const ReportSet& answer, std::vector<std::string>& lines) {
  const auto used = static_cast<size_t>(
      std::ranges::count_if(answer.run.files, [](const InputFile& f) { return f.rank >= 0; }));
  lines.push_back(fmt::format("files: {} used, {} not", used, answer.run.files.size() - used));
  for (const InputFile& file : answer.run.files) {
    const bool noted =
        std::ranges::find(answer.run.notes, file.path, &Note::where) != answer.run.notes.end();
    if (!file.problem.empty() && !noted)
      lines.push_back("  " + SayError({.what = file.problem, .where = file.path, .hint = {}}));
  }
}

}  // namespace

std::string DescribeRun(const ReportSet& answer, size_t budget) {
  const Summary summary = Summarize(answer);
  std::vector<std::string> lines = {Quoted(summary.subject)};
  const auto ranks = RanksRead(answer), steps = StepsIn(answer);
  lines.push_back("ranks: " + (ranks.empty() ? "none" : SayNumbers(ranks)));
  lines.push_back("steps: " + (steps.empty() ? "none are marked" : SayNumbers(steps)));
  AddFiles(answer, lines);
  lines.insert(lines.end(), summary.unseen.begin(), summary.unseen.end());
  const QuotedNames names(answer);
  for (const Note& note : answer.run.notes)
    lines.push_back(fmt::format("note {} ({}): {}{}", note.name, note.count, names.In(note.message),
                                note.where.empty() ? "" : ": " + Quoted(note.where)));
  for (const Report& report : answer.reports) {
    if (report.status == Status::kUnavailable)
      lines.push_back(fmt::format("no answer from {}: {}", report.analysis, names.In(report.why)));
  }
  lines.emplace_back("Next: brief");
  return Fitted(lines, budget);
}

Json RunAsJson(const ReportSet& answer) {
  size_t unused = 0;
  for (const InputFile& file : answer.run.files) unused += file.rank < 0 ? 1 : 0;
  const auto steps = StepsIn(answer);
  Json json = {{"ranks", answer.run.ranks},
               {"steps", steps.size()},
               {"files", answer.run.files.size() - unused},
               {"files_not_used", unused},
               {"unavailable", NamesWithStatus(answer, Status::kUnavailable)},
               {"partial", NamesWithStatus(answer, Status::kPartial)}};
  if (!steps.empty()) {
    json["first_step"] = *steps.begin();
    json["last_step"] = *steps.rbegin();
  }
  return json;
}

Json RunSchema() {
  const Json whole = {{"type", "integer"}};
  const Json texts = {{"type", "array"}, {"items", {{"type", "string"}}}};
  return {{"type", "object"},
          {"properties",
           {{"ranks", whole},
            {"steps", whole},
            {"first_step", whole},
            {"last_step", whole},
            {"files", whole},
            {"files_not_used", whole},
            {"unavailable", texts},
            {"partial", texts}}},
          {"required",
           Json::array({"ranks", "steps", "files", "files_not_used", "unavailable", "partial"})}};
}

}  // namespace stepscope::mcp
