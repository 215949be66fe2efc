// Tests the walk from a job to its traces: that it maps steps, refuses strangers, and tells the
// worth.
#include "stepscope/goodput_walk.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/time_units.h"
#include "stepscope/demo.h"
#include "tests/answer.h"
#include "tests/scratch.h"

namespace stepscope::testing::goodput_walk_test {
namespace {

const Report* Find(const ReportSet& answer, std::string_view analysis) {
  const auto found = std::ranges::find(answer.reports, analysis, &Report::analysis);
  return found == answer.reports.end() ? nullptr : &*found;
}

double Metric(const ReportSet& answer, std::string_view analysis, std::string_view key) {
  const Report* report = Find(answer, analysis);
  if (report == nullptr) return -1;
  const auto found = std::ranges::find(report->metrics, key, &stepscope::Metric::key);
  if (found == report->metrics.end()) return -1;
  if (const auto* whole = std::get_if<int64_t>(&found->value)) return static_cast<double>(*whole);
  const auto* real = std::get_if<double>(&found->value);
  return real == nullptr ? -1 : *real;
}

// Traces of two ranks of a synthetic job, of which rank 1 is slow, and events of a job around them:
// an attempt of 100 s, a crash, and a second attempt whose steps 50 and on are the traced ones.
class GoodputWalkTest : public ::testing::Test {
 protected:
  GoodputWalkTest() {
    const auto made = WriteDemo(folder_.path() + "/traces",
                                {.ranks = 3, .steps = 3, .slow_rank = 1, .layers = 2});
    const auto session = Session::Open(traces_, {.analyses = {"temporal_breakdown"}});
    for (const TracedStep& step : session->StepsOnClock()) {
      if (step.rank == 0) steps_.push_back(step);
    }
  }

  // With steps that take `slower` times as long, and all of it later by `shift` ns.
  std::string Events(double slower = 1, int64_t shift = 0) const {
    std::string lines;
    const auto say = [&](std::string_view event, int64_t time, int64_t number = -1) {
      lines += fmt::format(R"({{"job_name":"train","event":"{}","time_ns":{}{}}})", event,
                           time + shift, number < 0 ? "" : fmt::format(R"(,"step":{})", number)) +
               "\n";
    };
    const int64_t first = steps_.front().start;
    const int64_t length = (steps_.back().end - first) / static_cast<int64_t>(steps_.size());
    const auto taken = static_cast<int64_t>(slower * static_cast<double>(length));
    say("job_start", first - 200 * kSecond);
    for (int64_t s = 0; s < 10; ++s) say("step_start", first - 190 * kSecond + s * taken, s);
    say("job_start", first - 50 * taken - kSecond);
    for (int64_t s = 5; s < 150; ++s) {
      const int64_t traced = s - 50;  // -50 is the attempt's first
      const bool is_traced = traced >= 0 && traced < static_cast<int64_t>(steps_.size());
      const int64_t start = is_traced && slower == 1 ? steps_[static_cast<size_t>(traced)].start
                                                     : first + traced * taken;
      say("step_start", start, s);
    }
    say("job_end", first + 100 * taken);
    return folder_.Write("job.jsonl", lines);
  }

  // Of a job on 16 chips that cost 2 per hour.
  static GoodputReportOptions Options(const std::string& events) {
    return {.files = {events}, .chips = 16, .price_per_chip_hour = 2};
  }
  static GoodputReportOptions WithProgram(const std::string& events) {
    GoodputReportOptions options = Options(events);
    options.program =
        ProgramOptions{.shape = {.layers = 1, .width = 1, .sequence = 1, .parameters = 1e9},
                       .chips = 16,
                       .peak_flops = 750e12};
    return options;
  }

  const ScratchFolder folder_;
  const std::vector<std::string> traces_ = {folder_.path() + "/traces"};
  std::vector<TracedStep> steps_;
};

TEST_F(GoodputWalkTest, UsesStepTimesOfTraces) {
  const auto answer = GoodputWalk(WithProgram(Events()), traces_, {.tokens_per_step = 1e5});
  ASSERT_TRUE(answer) << answer.error().what;
  const double step_time = Metric(*answer, "temporal_breakdown", "step_time");
  ASSERT_GT(step_time, 0);
  EXPECT_NEAR(Metric(*answer, "program_goodput", "mfu"),
              1e5 / (step_time / 1e9) * 6e9 / (16 * 750e12), 1e-9);
  EXPECT_EQ(answer->reports.front().analysis, "goodput");
  EXPECT_EQ(answer->reports.back().analysis, "kernel_breakdown");
}

TEST_F(GoodputWalkTest, TracedStepsAreThoseOfTheJob) {
  const auto answer = GoodputWalk(Options(Events()), traces_, {});
  ASSERT_TRUE(answer) << answer.error().what;
  const Report* walk = Find(*answer, "walk");
  ASSERT_NE(walk, nullptr);
  ASSERT_EQ(walk->status, Status::kOk) << walk->why;
  const auto rows = testing::RowsOf(*answer, "walk", "steps");
  ASSERT_EQ(rows.size(), 3 * steps_.size());
  for (size_t s = 0; s < steps_.size(); ++s) {
    EXPECT_EQ(rows[s].Int("trace_step"), steps_[s].number);
    EXPECT_EQ(rows[s].Int("step"), 50 + static_cast<int64_t>(s));
    EXPECT_EQ(rows[s].Int("attempt"), 2);
  }
  EXPECT_TRUE(walk->headline.contains(", attempt 2. ")) << walk->headline;
}

TEST_F(GoodputWalkTest, SlowKernelsAndTheWorthAreTold) {
  const auto answer = GoodputWalk(Options(Events()), traces_, {});
  ASSERT_TRUE(answer) << answer.error().what;
  const Report* stragglers = Find(*answer, "stragglers");
  ASSERT_NE(stragglers, nullptr);
  ASSERT_FALSE(stragglers->findings.empty());
  const std::string& because = stragglers->findings.front().because;
  EXPECT_TRUE(because.contains("; slow kernels there: ")) << because;
  EXPECT_TRUE(because.contains("; impact up to ")) << because;
  EXPECT_TRUE(because.contains(" pp of goodput, ")) << because;
  EXPECT_TRUE(because.contains(" chip-hours, cost ")) << because;
  // The share of the steps' time, of the productive time of the job, on 16 chips at 2 each.
  const auto rows = testing::RowsOf(*answer, "walk", "advice");
  const auto row = std::ranges::find_if(
      rows, [](const testing::Row& r) { return r.Text("analysis") == "stragglers"; });
  ASSERT_NE(row, rows.end());
  const double productive = Metric(*answer, "goodput", "productive");
  const double worth = stragglers->findings.front().share * productive;
  EXPECT_NEAR(static_cast<double>(row->Int("impact")), worth, 1);
  EXPECT_NEAR(row->Real("points"), worth / Metric(*answer, "goodput", "total"), 1e-9);
  EXPECT_NEAR(row->Real("cost"), worth / kHour * 16 * 2, 1e-6);
}

TEST_F(GoodputWalkTest, TracesWithAnotherStepTimeAreRefused) {
  for (const double slower : {0.5, 3.0}) {
    const auto answer = GoodputWalk(WithProgram(Events(slower)), traces_, {.tokens_per_step = 1e5});
    ASSERT_TRUE(answer) << answer.error().what;
    EXPECT_EQ(Find(*answer, "walk")->status, Status::kUnavailable);
    EXPECT_TRUE(answer->verdict.starts_with(
        "The traces are not of this job: the step time of the traces is "))
        << answer->verdict;
    EXPECT_EQ(Find(*answer, "program_goodput"), nullptr);
    EXPECT_FALSE(answer->verdict.contains("In its steps")) << answer->verdict;
  }
}

TEST_F(GoodputWalkTest, TracesOfAnotherTimeAreRefused) {
  for (const int64_t shift : {-24 * kHour, 24 * kHour}) {
    const auto answer = GoodputWalk(Options(Events(1, shift)), traces_, {});
    ASSERT_TRUE(answer) << answer.error().what;
    EXPECT_TRUE(answer->verdict.starts_with("The traces are not of this job: the traces "))
        << answer->verdict;
  }
}

TEST_F(GoodputWalkTest, MoreThanThePeakIsRefusedFirst) {
  const auto answer = GoodputWalk(WithProgram(Events()), traces_, {.tokens_per_step = 1e9});
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_TRUE(answer->verdict.starts_with("No product of goodputs: program goodput is "))
      << answer->verdict;
  EXPECT_EQ(Metric(*answer, "productivity", "product"), -1);
}

// Kubernetes forgets events after an hour.
TEST_F(GoodputWalkTest, SchedulerEventsOfAPartBoundTheAnswer) {
  const std::string lines =
      R"({"job_name":"train","event":"job_start","time":1000}
{"job_name":"train","event":"step_start","step":0,"time":1000}
{"job_name":"train","event":"step_start","step":1,"time":4000}
{"job_name":"train","event":"resources","requested":8,"allocated":8,"time":4600}
{"job_name":"train","event":"step_start","step":2,"time":7000}
{"job_name":"train","event":"job_end","time":8200}
)";
  const auto answer = GoodputReport({.files = {folder_.Write("k8s.jsonl", lines)}});
  ASSERT_TRUE(answer) << answer.error().what;
  // 3,600 of 7,200 s are known, all with all chips.
  EXPECT_EQ(Metric(*answer, "productivity", "scheduling_goodput"), -1);
  EXPECT_DOUBLE_EQ(Metric(*answer, "productivity", "scheduling_goodput_min"), 0.5);
  EXPECT_DOUBLE_EQ(Metric(*answer, "productivity", "scheduling_goodput_max"), 1);
  const Report* report = Find(*answer, "productivity");
  ASSERT_FALSE(report->notes.empty());
  EXPECT_EQ(report->notes.front().name, "scheduler_covers_part");
}

// The scheduler's events are of another job: it had chips for a sixth of the time of its steps.
TEST_F(GoodputWalkTest, MoreProgressThanChipsIsRefusedFirst) {
  const std::string lines =
      R"({"job_name":"train","event":"resources","requested":8,"allocated":0,"time":999}
{"job_name":"train","event":"job_start","time":1000}
{"job_name":"train","event":"step_start","step":0,"time":1000}
{"job_name":"train","event":"step_start","step":1,"time":4000}
{"job_name":"train","event":"step_start","step":2,"time":7000}
{"job_name":"train","event":"resources","requested":8,"allocated":8,"time":7000}
{"job_name":"train","event":"job_end","time":8200}
)";
  const auto answer = GoodputReport({.files = {folder_.Write("other.jsonl", lines)}});
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_TRUE(answer->verdict.starts_with("No product of goodputs: the job made progress for "))
      << answer->verdict;
}

}  // namespace
}  // namespace stepscope::testing::goodput_walk_test
