// Analyses that a program adds: listed, asked, checked, redacted and compared as all others.
#include "stepscope/plugin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "stepscope/compare.h"
#include "stepscope/language.h"
#include "stepscope/session.h"
#include "stepscope/write.h"
#include "tests/scratch.h"

namespace stepscope::testing {
namespace plugin_test {
namespace {

// Steps 3 and 4 with a kernel each; the path of a function in its name.
constexpr std::string_view kTrace = R"({"schemaVersion": 1, "traceEvents": [
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#3","pid":1,"tid":1,"ts":0,"dur":100},
{"ph":"X","cat":"cpu_op","name":"/home/alice/net.py(3): forward","pid":1,"tid":1,"ts":5,"dur":50},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":10,"dur":5,"args":{"correlation":1}},
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":20,"dur":40,"args":{"correlation":1,"device":0,"stream":7}},
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#4","pid":1,"tid":1,"ts":100,"dur":100},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":110,"dur":5,"args":{"correlation":2}},
{"ph":"X","cat":"kernel","name":"relu","pid":0,"tid":7,"ts":120,"dur":10,"args":{"correlation":2,"device":0,"stream":7}}
]})";

Table Kernels() {
  return {.key = "kernels",
          .title = "Kernels",
          .columns = {{.key = "rank", .title = "rank", .role = Role::kKey},
                      {.key = "kernels", .title = "idle", .unit = Unit::kCount}},
          .rows = {}};
}

// Counts kernels of at least `shortest` ns of each rank.
Result<Report> CountKernels(PluginContext& context, const PluginValues& values) {
  Report report;
  Table table = Kernels();
  table.bars = "kernels";
  int64_t all = 0;
  for (const int64_t rank : context.ranks()) {
    const auto events = context.Events(rank, {"duration"}, {.kinds = {"kernel"}});
    if (!events) return std::unexpected(events.error());
    const ColumnData& durations = events->columns.front();
    int64_t kernels = 0;
    for (int64_t row = 0; row < durations.rows; ++row)
      kernels +=
          durations.values.As<int64_t>()[row] >= std::get<int64_t>(values.at("shortest")) ? 1 : 0;
    all += kernels;
    table.rows.push_back({rank, kernels});
  }
  report.metrics.push_back({"kernels", "kernels", all, Unit::kCount});
  report.tables.push_back(std::move(table));
  report.headline = std::to_string(all) + " kernels";
  return report;
}

// A plugin for the time of a test.
class Adds {
 public:
  explicit Adds(decltype(Plugin::run) run, const std::string& name = "count_kernels")
      : name_(name) {
    const auto added = AddPlugin(
        {.info = {.name = name,
                  .title = "Count kernels",
                  .summary = "How many kernels",
                  .doc = "\n**Question:** How many?\n",
                  .params = {{"shortest", "integer", "0", "ns", "shorter kernels do not count"}}},
         .run = std::move(run)});
    EXPECT_TRUE(added) << added.error().what;
  }
  ~Adds() { RemovePlugin(name_); }
  Adds(const Adds&) = delete;

 private:
  std::string name_;
};

class PluginTest : public ::testing::Test {
 protected:
  Result<ReportSet> Ask(const AnalyzeOptions& question, const OpenOptions& open = {}) const {
    const auto session = Session::Open(std::vector{trace_}, open);
    if (!session) return std::unexpected(session.error());
    return session->Analyze(question);
  }

  ScratchFolder folder_;
  std::string trace_ = folder_.Write("rank0.json", kTrace);
};

// Of the only report.
int64_t KernelsIn(const Result<ReportSet>& answer) {
  return std::get<int64_t>(answer->reports.front().metrics.front().value);
}
std::string WhyOf(const Result<ReportSet>& answer) {
  EXPECT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(answer->reports.front().status, Status::kUnavailable);
  return answer->reports.front().why;
}

TEST_F(PluginTest, IsListedExplainedAskedAndShown) {
  const Adds added(CountKernels);
  EXPECT_EQ(Session::List().back().name, "count_kernels");
  EXPECT_EQ(Session::Explain("count_kernels")->params.front().unit, "ns");
  const auto answer = Ask({});
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(answer->reports.back().headline.str(), "2 kernels");
  for (const Format format : {Format::kText, Format::kJson, Format::kCsv, Format::kMarkdown})
    EXPECT_TRUE(Write(*answer, format).contains("count_kernels") ||
                Write(*answer, format).contains("Count kernels"));
  EXPECT_TRUE(ToJson(*answer).contains(R"("bars": "kernels")"));
}

TEST_F(PluginTest, TakesParametersAndSteps) {
  const Adds added(CountKernels);
  const std::vector<std::string> only = {"count_kernels"};
  EXPECT_EQ(KernelsIn(Ask({.only = only, .params = {{"count_kernels.shortest", "20us"}}})), 1);
  EXPECT_EQ(KernelsIn(Ask({.only = only, .steps = "4"})), 1);
  EXPECT_EQ(KernelsIn(Ask({.only = only}, {.analyses = only})), 2);
  EXPECT_FALSE(Ask({.only = only, .params = {{"count_kernels.shortest", "many"}}}));
  EXPECT_EQ(Ask({.params = {{"count_kernels.longest", "1"}}}).error().hint,
            "did you mean 'count_kernels.shortest'?");
}

TEST_F(PluginTest, AsksOurAnalysesButNoOtherPlugin) {
  const Adds other(CountKernels, "other");
  const Adds added([](PluginContext& context, const PluginValues&) -> Result<Report> {
    auto steps = context.ReportOf("steps");
    if (!steps) return std::unexpected(steps.error());
    Report report;
    report.metrics.push_back({"rows", "rows", static_cast<int64_t>(steps->tables.size())});
    const auto wrong = context.ReportOf("steps", {{"slowest", "1"}});
    report.headline = context.ReportOf("other").error().what + "; " + wrong.error().what;
    return report;
  });
  const std::vector<std::string> only = {"count_kernels"};
  const auto answer = Ask({.only = only}, {.analyses = only});
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_GT(KernelsIn(answer), 0) << answer->reports.front().why.str();
  EXPECT_EQ(answer->reports.front().headline.str(),
            "'other' is an analysis that was added, too; no analysis has the parameter "
            "'steps.slowest'");
}

TEST_F(PluginTest, FailsAloneAndSaysWhy) {
  const std::vector<std::string> only = {"count_kernels"};
  {
    const Adds added([](PluginContext& context, const PluginValues&) -> Result<Report> {
      return std::unexpected(context.Events(7).error());
    });
    EXPECT_TRUE(WhyOf(Ask({.only = only})).starts_with("there is no recording of rank 7"));
    EXPECT_EQ(Ask({})->reports.front().status, Status::kOk);
  }
  const auto why = [&](const Report& made) {
    const Adds added([&](PluginContext&, const PluginValues&) -> Result<Report> { return made; });
    return WhyOf(Ask({.only = only}));
  };
  Report report{.tables = {Kernels()}};
  Table& table = report.tables.front();
  table.rows = {{int64_t{0}, int64_t{1}}, {int64_t{0}, int64_t{2}}};
  EXPECT_TRUE(why(report).starts_with("row 1 has the same keys as a row before it (rank)"));
  table.rows = {{int64_t{0}}};
  EXPECT_EQ(why(report), "row 0 has 1 cells, and there are 2 columns (table 'kernels')");
  table.rows = {{int64_t{0}, "many"}};
  EXPECT_TRUE(why(report).contains("has the unit count and holds the text 'many'"));
  table.rows = {};
  table.bars = "time";
  EXPECT_EQ(why(report), "there is no column 'time' to draw (table 'kernels')");
  table.bars.clear();
  table.columns.front().key = "Rank 0";
  EXPECT_TRUE(why(report).starts_with("'Rank 0' is not a name (column)"));
  report.tables.clear();
  report.findings.push_back({.message = "Slow.", .table = "kernels"});
  EXPECT_EQ(why(report), "a finding names the table 'kernels', which is not there (findings)");
}

TEST_F(PluginTest, IsRefusedWithANameOfOursOrAWrongDeclaration) {
  const auto refused = [](const AnalysisInfo& info) {
    const auto added = AddPlugin({.info = info, .run = CountKernels});
    return added ? std::string() : added.error().what;
  };
  EXPECT_EQ(refused({.name = "overview", .title = "T"}), "there is an analysis 'overview' already");
  EXPECT_EQ(refused({.name = "Mine", .title = "T"}), "'Mine' is not a name (analysis)");
  EXPECT_EQ(refused({.name = "mine"}), "the analysis has no title");
  EXPECT_EQ(refused({.name = "mine", .title = "T", .params = {{"p", "integer", "x", "", ""}}}),
            "the default of a parameter: 'x' is not a whole number");
  EXPECT_EQ(refused({.name = "mine", .title = "T", .params = {{"p", "text", "x", "sec", ""}}}),
            "there is no unit 'sec'");
  EXPECT_TRUE(PluginNames().empty());
}

TEST_F(PluginTest, SaysNothingPrivateAndNothingInOtherWords) {
  const Adds added([](PluginContext& context, const PluginValues&) -> Result<Report> {
    const auto events = context.Events(0, {"name"}, {.kinds = {"operator"}});
    if (!events) return std::unexpected(events.error());
    Report report;
    const ColumnData& names = *events->columns.front().dictionary;
    report.headline = "idle";
    report.notes.push_back(
        {"seen", 1, Phrase(std::string(names.text.As<char>(), names.text.bytes)), ""});
    report.notes.push_back({"said", 1, Phrase("read from /home/alice/data by alice"), ""});
    return report;
  });
  auto answer = Ask({.only = {"count_kernels"}}, {.redact = RedactOptions{.keep = {}, .key = "k"}});
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_FALSE(ToJson(*answer).contains("alice"));
  EXPECT_TRUE(ToJson(*answer).contains("forward"));
  EXPECT_NE(In(Language::kJapanese, "idle"), "idle");
  Translate(*answer, Language::kJapanese);
  EXPECT_EQ(answer->reports.front().headline.str(), "idle");
}

TEST_F(PluginTest, IsComparedAsAllOthers) {
  const Adds added(CountKernels);
  const std::string json = [&] {
    const auto all = Ask({.only = ComparedAnalyses()});
    const auto one = Ask({.only = ComparedAnalyses(), .steps = "3"});
    EXPECT_TRUE(all && one);
    return ToJson(Compare(*all, *one));
  }();
  EXPECT_TRUE(json.contains(R"("analysis": "count_kernels")"));
  EXPECT_TRUE(json.contains("kernels_change"));
}

TEST_F(PluginTest, ReplacesOneOfItsNameInRunsThatAreOpen) {
  const auto session = Session::Open(std::vector{trace_});
  ASSERT_TRUE(session);
  EXPECT_FALSE(session->Analyze({.only = {"count_kernels"}}));
  const Adds added(CountKernels);
  const Adds again([](PluginContext&, const PluginValues&) -> Result<Report> {
    Report report;
    report.headline = "again";
    return report;
  });
  const auto answer = session->Analyze({.only = {"count_kernels"}});
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(answer->reports.front().headline.str(), "again");
}

}  // namespace
}  // namespace plugin_test
}  // namespace stepscope::testing
