// Checks reports from a job's events together with scheduler output.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "report/phrase_format.h"
#include "stepscope/goodput_ledger.h"
#include "stepscope/goodput_report.h"
#include "tests/goodput_lines.h"
#include "tests/ledger.h"
#include "tests/sanitized.h"
#include "tests/scratch.h"

namespace stepscope::testing::goodput_scheduler_test {
namespace {

// Steps of a second: from 3 s, killed at 6 s, and again from 18 s; ends at 70 s.
std::string Events() {
  std::string lines;
  const auto say = [&](std::string_view fields) {
    lines += fmt::format(R"({{"job_name":"train",{}}})", fields) + "\n";
  };
  const auto step = [&](int number, int at) {
    say(fmt::format(R"("step_count":{},"step_start_time":{})", number, 1000 + at));
  };
  say(R"("job_start_time":1002)");
  for (int s = 0; s < 3; ++s) step(s, 3 + s);
  say(R"("job_start_time":1016)");
  for (int s = 2; s < 54; ++s) step(s, 16 + s);
  say(R"("job_end_time":1070)");
  return lines;
}

// Submitted at 0, started at 1, requeued at 7, started again at 14: two nodes of 8 chips.
constexpr std::string_view kSacct =
    "JobID|JobName|State|Submit|Eligible|Start|End|AllocTRES\n"
    "7|train|REQUEUED|1000|1000|1001|1007|gres/gpu=16,node=2\n"
    "7|train|COMPLETED|1007|1012|1014|1071|gres/gpu=16,node=2\n"
    "8|other|COMPLETED|1000|1000|1001|1007|gres/gpu=16,node=2\n";

class GoodputScheduler : public ::testing::Test {
 protected:
  Result<ReportSet> Query(GoodputReportOptions options, bool with_events = true) {
    if (with_events) options.files = {folder_.Write("job.jsonl", Events())};
    options.scheduler_files = {folder_.Write("sacct.txt", kSacct)};
    options.scheduler_job = "train";
    return GoodputReport(options);
  }
  static double Metric(const ReportSet& answer, std::string_view analysis, std::string_view key) {
    for (const Report& report : answer.reports) {
      for (const auto& metric : report.metrics) {
        const auto* value = std::get_if<double>(&metric.value);
        if (report.analysis == analysis && metric.key == key && value != nullptr) return *value;
      }
    }
    return -1;
  }
  // A cell of the first row of a table of the report "goodput", in seconds.
  static double Seconds(const ReportSet& answer, std::string_view table, std::string_view column) {
    for (const Table& t : answer.reports[0].tables) {
      for (size_t c = 0; t.key == table && !t.rows.empty() && c < t.columns.size(); ++c) {
        const auto* time = std::get_if<int64_t>(&t.rows[0][c]);
        if (t.columns[c].key == column && time != nullptr) return static_cast<double>(*time) / 1e9;
      }
    }
    return -1;
  }
  const ScratchFolder folder_;
};

TEST_F(GoodputScheduler, SplitsRecoveryOfADisruption) {
  const auto answer = Query({});
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(Seconds(*answer, "disruptions", "down"), 11);
  EXPECT_EQ(Seconds(*answer, "disruptions", "detect"), 2);
  EXPECT_EQ(Seconds(*answer, "disruptions", "queue"), 7);
  EXPECT_EQ(Seconds(*answer, "disruptions", "launch"), 2);
  for (const Note& note : answer->reports[0].notes) EXPECT_NE(note.name, "missing_events");
}

TEST_F(GoodputScheduler, FactorsMultiplyToIdealOverWanted) {
  const ModelShape model{.layers = 1, .width = 1, .sequence = 1, .parameters = 1e9};
  const auto answer = Query(
      {.program = ProgramOptions{.shape = model, .tokens_per_second = 1e6, .peak_flops = 750e12},
       .price_per_chip_hour = 3600});
  ASSERT_TRUE(answer) << answer.error().what;
  // 62 of 70 s with all chips; 54 of those productive; 1e6 x 6e9 of 16 x 750e12.
  EXPECT_NEAR(Metric(*answer, "productivity", "scheduling_goodput"), 62.0 / 70, 1e-12);
  EXPECT_NEAR(Metric(*answer, "productivity", "runtime_goodput"), 54.0 / 62, 1e-12);
  EXPECT_NEAR(Metric(*answer, "productivity", "program_goodput"), 0.5, 1e-12);
  EXPECT_NEAR(Metric(*answer, "productivity", "product"), 27.0 / 70, 1e-12);
  EXPECT_NEAR(Metric(*answer, "program_goodput", "mfu"), 0.5, 1e-12);
}

TEST_F(GoodputScheduler, SchedulerAloneHasNoSteps) {
  const auto answer = Query({}, /*with_events=*/false);
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(answer->reports[0].status, Status::kUnavailable);
  EXPECT_NEAR(Metric(*answer, "productivity", "scheduling_goodput"), 63.0 / 71, 1e-12);
  EXPECT_EQ(Metric(*answer, "productivity", "runtime_goodput"), -1);
  EXPECT_TRUE(answer->verdict.contains("scheduled")) << answer->verdict;
}

TEST_F(GoodputScheduler, UsesRecordedTokens) {
  const std::string events = Events() +
                             R"({"job_name":"train","event":"work","time":1060,"tokens":54000000})"
                             "\n";
  GoodputReportOptions options{.files = {folder_.Write("w.jsonl", events)}};
  options.program =
      ProgramOptions{.shape = {.layers = 1, .width = 1, .sequence = 1, .parameters = 1e9},
                     .chips = 16,
                     .peak_flops = 750e12};
  const auto answer = GoodputReport(options);
  ASSERT_TRUE(answer) << answer.error().what;
  // 54e6 tokens in the 54 s of steps that count
  EXPECT_NEAR(Metric(*answer, "program_goodput", "mfu"), 0.5, 1e-9);
}

// Also where events are rolled up already among which the scheduler's belong.
TEST_F(GoodputScheduler, LedgerAnswersLikeFiles) {
  const std::string store = folder_.path() + "/ledger", scheduler = folder_.Write("s", kSacct);
  GoodputReportOptions of_files{.files = {folder_.Write("job.jsonl", Events())},
                                .scheduler_files = {scheduler},
                                .scheduler_job = "train"};
  GoodputReportOptions of_ledger = of_files;
  of_ledger.files.clear();
  of_ledger.store = store;
  ASSERT_TRUE(GoodputImport(store, of_files.files));
  for (const int64_t second : {0, 3, 6, 12, 17, 40, 71, 80}) {
    const auto done = GoodputCompact({.store = store, .now = (1000 + second) * kSecond});
    ASSERT_TRUE(done) << done.error().what;
    for (const auto& window : {std::optional<std::pair<int64_t, int64_t>>(),
                               std::optional(std::pair(1001 * kSecond, 1060 * kSecond))}) {
      of_files.window = of_ledger.window = window;
      EXPECT_EQ(Numbers(GoodputReport(of_ledger), false), Numbers(GoodputReport(of_files), false))
          << second;
    }
  }
}

// The ledger need not know the job at all.
TEST_F(GoodputScheduler, WorksWithSchedulerEventsOnly) {
  const std::string store = folder_.path() + "/ledger";
  ASSERT_TRUE(GoodputImport(store, {folder_.Write("job.jsonl", Events())}));
  const auto answer = Query({.store = store, .job = "other"}, /*with_events=*/false);
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(answer->reports[0].status, Status::kUnavailable);
  EXPECT_NEAR(Metric(*answer, "productivity", "scheduling_goodput"), 63.0 / 71, 1e-12);
}

// The vectors of ../shared/goodput, with a scheduler that puts the job back at its middle.
TEST_F(GoodputScheduler, RollupChangesNoAnswerToTheVectors) {
  for (const std::string& vector : VectorFiles()) {
    SCOPED_TRACE(vector);
    const ScratchFolder folder;
    const std::string file = EventsFileOf(vector, folder), store = folder.path() + "/ledger";
    std::vector<int64_t> times;
    for (const goodput::Event& event : EventsOf(file)) {
      if (event.time > 0) times.push_back(event.time / kSecond);
    }
    std::ranges::sort(times);
    if (times.empty() || times.front() < 100 || times.back() > 10'000'000'000) continue;
    const int64_t first = times.front(), middle = times[times.size() / 2], last = times.back();
    const std::string sacct = fmt::format(
        "JobID|JobName|State|Submit|Eligible|Start|End|AllocTRES\n"
        "7|t|PREEMPTED|{}|{}|{}|{}|gres/gpu=16,node=2\n7|t|COMPLETED|{}|{}|{}|{}|gres/gpu=16\n",
        first - 90, first - 80, first - 50, middle, middle, middle, middle + 1, last + 5);
    GoodputReportOptions of_files{.files = {file}, .scheduler_files = {folder.Write("s", sacct)}};
    GoodputReportOptions of_ledger{.store = store, .scheduler_files = of_files.scheduler_files};
    const auto want = GoodputReport(of_files);
    ASSERT_TRUE(GoodputImport(store, {file}));
    for (const size_t part : {0u, 2u, 4u, 6u, 8u}) {
      if (kSanitized && part % 4 != 0) continue;  // enough of what takes long
      const int64_t now = times[std::min(times.size() * part / 8, times.size() - 1)] +
                          static_cast<int64_t>(part / 8);
      ASSERT_TRUE(GoodputCompact({.store = store, .now = now * kSecond}));
      EXPECT_EQ(Numbers(GoodputReport(of_ledger), false), Numbers(want, false)) << part;
    }
  }
}

// The job "train" of ten steps in 100 s, which names its Slurm job.
std::string EventsOfSlurmJob(std::string_view id, std::string_view host = "node-1",
                             int64_t begin = 100'000) {
  std::string lines;
  int sequence = 0;
  const auto say = [&](std::string_view event, int64_t after, std::string_view more = "") {
    lines += fmt::format(R"({{"job_name":"train","event":"{}","time":{},"attempt":"~slurm.{}.0",)"
                         R"("writer":"{}/0/boot/1/r","sequence":{}{}}})",
                         event, begin + after, id, host, sequence++, more) +
             "\n";
  };
  say("job_start", 0);
  for (int s = 0; s < 10; ++s) {
    say("step_start", 10 * s, fmt::format(R"(,"step":{})", s));
  }
  say("job_end", 100);
  return lines;
}

std::string Sacct(std::string_view rows) {
  return "JobID|JobName|State|Submit|Start|End|AllocTRES\n" + std::string(rows);
}

// What an answer says of the scheduler: its first sentence, rows left out, waiting in seconds.
struct OfScheduler {
  std::string verdict, left_out;
  bool scheduling = false;
  int64_t total = 0;
};

OfScheduler AskScheduler(const std::string& events, const std::string& scheduler,
                         GoodputReportOptions options = {}) {
  const ScratchFolder folder;
  options.files = {folder.Write("job.jsonl", events)};
  options.scheduler_files = {folder.Write("scheduler", scheduler)};
  if (!options.at) options.at = 110'000 * kSecond;
  const auto answer = GoodputReport(options);
  if (!answer) return {.verdict = "error: " + answer.error().what, .left_out = {}};
  OfScheduler of{.verdict = answer->verdict, .left_out = {}};
  for (const Note& note : answer->run.notes) {
    if (note.name == "other_job") of.left_out = fmt::format("{} {}", note.count, note.message);
  }
  for (const Report& report : answer->reports) {
    for (const Metric& m : report.metrics) {
      of.scheduling |= m.key == "scheduling_goodput";
      if (m.key == "total" && report.analysis == "goodput") {
        of.total = std::get<int64_t>(m.value) / kSecond;
      }
    }
  }
  return of;
}

TEST(SchedulerRows, OfTheSlurmJobThatTheEventsNameAreTaken) {
  const auto of = AskScheduler(EventsOfSlurmJob("4711"),
                               Sacct("4711|wrap|COMPLETED|99900|99950|100101|gres/gpu=8\n"
                                     "4712|wrap|COMPLETED|98000|99960|100101|gres/gpu=8\n"));
  EXPECT_TRUE(of.verdict.starts_with("Goodput is")) << of.verdict;
  EXPECT_EQ(of.total, 200) << "100 s in the queue";
  EXPECT_EQ(of.left_out,
            "1 the scheduler's rows were left out: of Slurm job 4712: the events name Slurm job "
            "4711");
}

TEST(SchedulerRows, OfOtherSlurmJobsAreRefused) {
  const auto of = AskScheduler(EventsOfSlurmJob("4711"),
                               Sacct("4712|train|COMPLETED|99900|99950|100101|gres/gpu=8\n"));
  EXPECT_TRUE(
      of.verdict.starts_with("The scheduler's rows are not of this job, and none is used: "
                             "they are of Slurm job 4712, and the events name Slurm job "
                             "4711. Goodput is"))
      << of.verdict;
  EXPECT_EQ(of.total, 100);
  EXPECT_FALSE(of.scheduling);
}

TEST(SchedulerRows, OfAnotherTimeAreRefused) {
  const auto of = AskScheduler(EventsOfSlurmJob("4711"),
                               Sacct("4711|train|COMPLETED|80000|81000|82000|gres/gpu=8\n"));
  EXPECT_TRUE(of.verdict.starts_with(
      "The scheduler's rows are not of this job, and none is used: Slurm job 4711 ended 5.0 h "
      "before the job's first event; `utc_offset` sets the zone of Slurm's times. Goodput is"))
      << of.verdict;
  EXPECT_EQ(of.total, 100);
}

// Neither ids nor names tell which of two jobs is this one.
TEST(SchedulerRows, OfUnknownJobsAreNotMixed) {
  const auto of = AskScheduler(Events(), Sacct("7|a|COMPLETED|1000|1001|1071|gres/gpu=8\n"
                                               "8|b|COMPLETED|1000|1001|1071|gres/gpu=8\n"));
  EXPECT_TRUE(of.verdict.starts_with(
      "Which of the scheduler's rows are of this job is unknown, and none is used: they are of "
      "Slurm jobs 7, 8; `scheduler_job` selects one. Goodput is"))
      << of.verdict;
  EXPECT_FALSE(of.scheduling);
}

// A chain of Slurm jobs with the job's name, one after the other; one of another name runs beside.
TEST(SchedulerRows, OfTheJobsNameAreTaken) {
  const std::string chain =
      "7|train|TIMEOUT|1000|1001|1007|gres/gpu=8\n"
      "8|train|COMPLETED|1007|1014|1071|gres/gpu=8\n";
  auto of = AskScheduler(Events(), Sacct(chain + "9|b|COMPLETED|1000|1001|1071|gres/gpu=8\n"));
  EXPECT_TRUE(of.verdict.starts_with("Goodput is")) << of.verdict;
  EXPECT_TRUE(of.scheduling);
  EXPECT_EQ(of.left_out,
            "1 the scheduler's rows were left out: of Slurm job 9: have another name than train");
  of = AskScheduler(Events(), Sacct(chain + "9|train|COMPLETED|1000|1001|1071|gres/gpu=8\n"));
  EXPECT_TRUE(of.verdict.starts_with("Which of the scheduler's rows are of this job is unknown"))
      << of.verdict;
}

std::string Pods(std::string_view job, int seconds) {
  std::string items;
  for (const auto& [kind, name, reason] :
       {std::tuple("Job", std::string(job), "SuccessfulCreate"),
        std::tuple("Pod", std::string(job) + "-0-x7k2p", "Scheduled"),
        std::tuple("Pod", std::string(job) + "-0-x7k2p", "Started")}) {
    items += fmt::format(
        R"({}{{"metadata":{{"uid":"{}-{}"}},"involvedObject":{{"kind":"{}","name":"{}"}},)"
        R"("reason":"{}","firstTimestamp":"2026-05-28T20:{:02}:{:02}Z"}})",
        items.empty() ? "" : ",", name, reason, kind, name, reason, seconds / 60, seconds % 60);
  }
  return items;
}

std::string KubernetesList(const std::string& items) {
  return fmt::format(R"({{"kind":"List","items":[{}]}})", items);
}

// 1,780,000,000 s are 20:26:40 there.
TEST(SchedulerRows, OfThePodsThatRecordedAreTaken) {
  const std::string list = KubernetesList(Pods("llm", 1590) + "," + Pods("llm-eval", 1500));
  const GoodputReportOptions later{.at = kBegin + kHour};
  auto of = AskScheduler(EventsOfSlurmJob("4711", "llm-0", kBegin / kSecond), list, later);
  EXPECT_TRUE(of.verdict.starts_with("Goodput is")) << of.verdict;
  EXPECT_EQ(of.total, 110) << of.left_out;
  EXPECT_EQ(of.left_out,
            "3 the scheduler's rows were left out: of job llm-eval: have none of its pods");
  of = AskScheduler(EventsOfSlurmJob("4711", "node-1", kBegin / kSecond), list, later);
  EXPECT_TRUE(
      of.verdict.starts_with("Which of the scheduler's rows are of this job is unknown, "
                             "and none is used: they are of jobs llm, llm-eval"))
      << of.verdict;
}

TEST(SchedulerRows, OfPodsOfAnotherDayAreRefused) {
  const auto of = AskScheduler(Events(), KubernetesList(Pods("train", 1590)));
  EXPECT_TRUE(
      of.verdict.starts_with("The scheduler's rows are not of this job, and none is used: "
                             "job train began"))
      << of.verdict;
  EXPECT_FALSE(of.scheduling);
}

TEST_F(GoodputScheduler, InvalidFilesAreErrors) {
  GoodputReportOptions options{.scheduler_files = {folder_.Write("x", "nonsense")}};
  EXPECT_FALSE(GoodputReport(options));
  options.scheduler_files = {"/nowhere"};
  EXPECT_FALSE(GoodputReport(options));
  EXPECT_FALSE(GoodputReport({}));
}

}  // namespace
}  // namespace stepscope::testing::goodput_scheduler_test
