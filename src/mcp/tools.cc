// Lists the tools and runs them.
#include "mcp/tools.h"

#include <algorithm>
#include <array>
#include <utility>

#include "mcp/describe.h"
#include "mcp/explain.h"
#include "mcp/say.h"
#include "stepscope/goodput_ledger.h"
#include "stepscope/goodput_report.h"
#include "stepscope/select.h"

namespace stepscope::mcp {
namespace {

using Type = Argument::Type;

constexpr int64_t kMostBudget = 50'000;

constexpr Argument kPath = {.name = "path",
                            .about = "The run: a directory of traces of all ranks, or one trace",
                            .required = true};
constexpr Argument kBudget = {.name = "budget",
                              .about = "Most tokens of the text, of four bytes each",
                              .type = Type::kWhole,
                              .low = 100,
                              .high = kMostBudget,
                              .preset = kUsualBudget};
constexpr Argument kSteps = {.name = "steps", .about = "Steps: all, complete, 7, or 3..7"};
constexpr Argument kRanks = {.name = "ranks", .about = "Only these ranks", .type = Type::kWholes};
constexpr Argument kBaseline = {
    .name = "baseline",
    .about = "The run before, to ask about the comparison of both: see compare"};

constexpr std::array kOpenArguments = {kPath, kBudget};
constexpr std::array kBriefArguments = {kPath, kBudget, kSteps, kRanks};
constexpr std::array kTableArguments = {
    kPath,
    Argument{
        .name = "name",
        .about =
            "analysis.table, an analysis for its first table, findings, or tables for their names",
        .required = true},
    Argument{.name = "where",
             .about = "Conditions that all hold: rank=3, time>10ms, ratio<5%, name~gemm, rank!=0",
             .type = Type::kTexts},
    Argument{.name = "columns", .about = "Keys of columns; none: the usual", .type = Type::kTexts},
    Argument{.name = "sort", .about = "A column, largest first"},
    Argument{.name = "top",
             .about = "Most rows",
             .type = Type::kWhole,
             .low = 1,
             .high = 100'000,
             .preset = 20},
    Argument{.name = "after", .about = "Continue after the row with this id"},
    kBudget,
    kSteps,
    kRanks,
    kBaseline};
constexpr std::array kShowArguments = {
    kPath,   Argument{.name = "id", .about = "An id that brief or table printed", .required = true},
    kBudget, kSteps,
    kRanks,  kBaseline};
constexpr std::array kCompareArguments = {
    Argument{.name = "before", .about = "The run before: as path of open", .required = true},
    Argument{.name = "after", .about = "The run after", .required = true}, kBudget, kSteps, kRanks};
constexpr std::array kExplainArguments = {
    Argument{.name = "name",
             .about = "An analysis, or a term such as exposed communication",
             .required = true},
    kBudget};
constexpr std::array kGoodputArguments = {
    Argument{.name = "paths",
             .about = "Files of events of one job, or one directory of a recorder or ledger",
             .type = Type::kTexts,
             .required = true},
    Argument{.name = "job", .about = "The job, where there are several"}, kBudget};

size_t BudgetOf(const Given& given) { return static_cast<size_t>(given.Whole("budget")); }

Asked AskedIn(const Given& given) {
  const std::string steps = given.Text("steps");
  return {.steps = steps.empty() ? "all" : steps, .ranks = given.Wholes("ranks"), .only = {}};
}

// Of a run, or of its comparison with a baseline.
Result<Answered> AnswerFor(const Given& given, const Workplace& place, const CallContext& context) {
  const std::string baseline = given.Text("baseline");
  if (baseline.empty()) return place.runs.Answer(given.Text("path"), AskedIn(given), context);
  return place.runs.Compared(baseline, given.Text("path"), AskedIn(given), context);
}

Result<ToolAnswer> TextAnswer(Result<std::string> text) {
  if (!text) return std::unexpected(std::move(text).error());
  return ToolAnswer{.text = *std::move(text)};
}

Result<ToolAnswer> RunOpen(const Given& given, const Workplace& place, const CallContext& context) {
  const auto answer = AnswerFor(given, place, context);
  if (!answer) return std::unexpected(answer.error());
  return ToolAnswer{.text = DescribeRun(**answer, BudgetOf(given)),
                    .structured = RunAsJson(**answer)};
}

Result<ToolAnswer> RunBrief(const Given& given, const Workplace& place,
                            const CallContext& context) {
  const auto answer = AnswerFor(given, place, context);
  if (!answer) return std::unexpected(answer.error());
  return ToolAnswer{.text = Brief(**answer, BudgetOf(given))};
}

Result<ToolAnswer> RunTable(const Given& given, const Workplace& place,
                            const CallContext& context) {
  const auto answer = AnswerFor(given, place, context);
  if (!answer) return std::unexpected(answer.error());
  return TextAnswer(SelectRows(**answer, {.table = given.Text("name"),
                                          .where = given.Texts("where"),
                                          .columns = given.Texts("columns"),
                                          .sort = given.Text("sort"),
                                          .top = static_cast<size_t>(given.Whole("top")),
                                          .after = given.Text("after"),
                                          .budget = BudgetOf(given)}));
}

Result<ToolAnswer> RunShow(const Given& given, const Workplace& place, const CallContext& context) {
  const auto answer = AnswerFor(given, place, context);
  if (!answer) return std::unexpected(answer.error());
  return TextAnswer(ShowById(**answer, given.Text("id"), BudgetOf(given)));
}

Result<ToolAnswer> RunCompare(const Given& given, const Workplace& place,
                              const CallContext& context) {
  const auto answer =
      place.runs.Compared(given.Text("before"), given.Text("after"), AskedIn(given), context);
  if (!answer) return std::unexpected(answer.error());
  return ToolAnswer{.text = Brief(**answer, BudgetOf(given)) +
                            "show and table need: path = after, baseline = before\n"};
}

Result<ToolAnswer> RunExplain(const Given& given, const Workplace& /*place*/,
                              const CallContext& /*context*/) {
  return TextAnswer(ExplainTerm(given.Text("name"), BudgetOf(given)));
}

Result<ToolAnswer> RunGoodput(const Given& given, const Workplace& place,
                              const CallContext& context) {
  GoodputReportOptions options{
      .files = {}, .max_input = place.runs.max_input(), .store = {}, .job = given.Text("job")};
  options.stop = context.stop;
  for (const std::string& path : given.Texts("paths")) {
    const auto resolved = place.roots.Resolve(path);
    if (!resolved) return std::unexpected(resolved.error());
    if (const auto checked = place.roots.CheckLinks(*resolved); !checked)
      return std::unexpected(checked.error());
    options.files.push_back(*resolved);
  }
  if (options.files.size() == 1 && IsGoodputLedger(options.files.front()))
    options.store = std::exchange(options.files, {}).front();
  const auto answer = GoodputReport(options);
  if (!answer) return std::unexpected(answer.error());
  return ToolAnswer{.text = Brief(*answer, BudgetOf(given))};
}

constexpr std::array kTools = std::to_array<Tool>({
    {.name = "open",
     .title = "Open a run",
     .about = "Reads the profiler traces of a training run and says what it is: ranks, steps, "
              "platform, what was not recorded, what is wrong with the input. Call it first; "
              "later questions about the same path are fast.",
     .arguments = kOpenArguments,
     .run = RunOpen,
     .structure = RunSchema},
    {.name = "brief",
     .title = "What is wrong with a run",
     .about = "The verdict, the causes of lost time with evidence, worth and ids, where a step "
              "goes, which ranks differ, what to ask next, and the names of all tables.",
     .arguments = kBriefArguments,
     .run = RunBrief},
    {.name = "table",
     .title = "Rows of a table",
     .about =
         "Rows of one table as CSV with an id each and exact numbers: times in ns, ratios from "
         "0 to 1; units are in the first line. The last line says how many rows there are, "
         "and the id for 'after' to get the next ones.",
     .arguments = kTableArguments,
     .run = RunTable},
    {.name = "show",
     .title = "One finding or row",
     .about = "All about one finding or one row, by the id that brief or table printed.",
     .arguments = kShowArguments,
     .run = RunShow},
    {.name = "compare",
     .title = "Compare two runs",
     .about = "What changed from one run to another, by category and rank, and why.",
     .arguments = kCompareArguments,
     .run = RunCompare},
    {.name = "explain",
     .title = "Definition of an analysis or a term",
     .about = "How an analysis measures: question, definition, limitations, interpretation. Of any "
              "other term, the sentences that use it. Read it before drawing a conclusion.",
     .arguments = kExplainArguments,
     .run = RunExplain},
    {.name = "goodput",
     .title = "Goodput of a job",
     .about = "Which share of a job's time became training progress, from its events: what each "
              "disruption cost.",
     .arguments = kGoodputArguments,
     .run = RunGoodput},
});

Json TextContent(std::string text) {
  return Json::array({{{"type", "text"}, {"text", std::move(text)}}});
}

}  // namespace

std::span<const Tool> AllTools() { return kTools; }

Json Described(const Tool& tool) {
  Json described = {{"name", tool.name},
                    {"title", tool.title},
                    {"description", tool.about},
                    {"inputSchema", SchemaOf(tool.arguments)},
                    {"annotations",
                     {{"title", tool.title},
                      {"readOnlyHint", true},
                      {"destructiveHint", false},
                      {"idempotentHint", true},
                      {"openWorldHint", false}}}};
  if (tool.structure != nullptr) described["outputSchema"] = tool.structure();
  return described;
}

Json CallTool(const Tool& tool, const Json& arguments, const Workplace& place,
              const CallContext& context) {
  auto answer = [&]() -> Result<ToolAnswer> {
    const auto given = Given::Read(tool.arguments, arguments);
    if (!given) return std::unexpected(given.error());
    return tool.run(*given, place, context);
  }();
  if (!answer) return {{"content", TextContent(SayError(answer.error()))}, {"isError", true}};
  Json result = {{"content", TextContent(std::move(answer->text))}, {"isError", false}};
  if (!answer->structured.is_null()) result["structuredContent"] = std::move(answer->structured);
  return result;
}

}  // namespace stepscope::mcp
