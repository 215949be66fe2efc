// Checks the metrics page, also with hostile names.
#include "goodput/live/metrics.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>

#include "base/time_units.h"
#include "tests/scratch.h"

namespace stepscope::goodput::metrics_test {
namespace {

constexpr int64_t kBegin = 1'780'000'000 * kSecond;
using JobMap = std::map<std::string, LiveJob>;

// Two attempts: 4 steps of 10 s, 20 s of silence, and 2 steps again from step 2 on.
void Fill(LiveJob& job, int64_t now) {
  int64_t sequence = 0;
  const auto record = [&](EventKind kind, int64_t at, int64_t step = kUnknown, int64_t count = 0) {
    Event event{.kind = kind, .time = kBegin + at * kSecond, .writer = "w", .step = step};
    event.sequence = sequence++;
    event.counts[0] = count;
    job.Add(event, now);
  };
  record(EventKind::kJobStart, 0);
  for (int64_t step = 0; step < 4; ++step) record(EventKind::kStepStart, 10 * step, step);
  record(EventKind::kCheckpointCommit, 31, 1);
  record(EventKind::kJobStart, 60);
  for (int64_t step = 2; step < 5; ++step)
    record(EventKind::kStepStart, 60 + 10 * (step - 2), step);
  record(EventKind::kActivity, 80, 4, 1000);
}

// The value behind the series' name and labels.
std::string Sample(const std::string& text, const std::string& series) {
  const size_t at = ("\n" + text).find("\n" + series + " ");
  if (at == std::string::npos) return "none";
  const size_t begin = at + series.size() + 1;
  return text.substr(begin, text.find('\n', begin) - begin);
}

std::string Text(JobMap& jobs, const IngestCounts* ingest, MetricsFormat format, int64_t now) {
  return MetricsText(CollectMetrics(jobs, {.ingest = ingest}, now), format);
}

TEST(Metrics, ReportsTheStateOfAJob) {
  JobMap jobs;
  const int64_t now = kBegin + 85 * kSecond;
  Fill(jobs["llm"], now);
  const std::string text = Text(jobs, nullptr, MetricsFormat::kPrometheus, now);
  const auto sample = [&](const std::string& name, const std::string& labels = "") {
    return Sample(text, "stepscope_goodput_" + name + "{training_job=\"llm\"" + labels + "}");
  };
  // Steps 0 and 1, and 2 and 3 of the second attempt, are kept; 2 and 3 of the first are not. Its
  // steps behind the first took 7 s in the mean, since it died 1 s into the last: 3 s are startup.
  EXPECT_EQ(sample("seconds", ",bucket=\"productive\""), "37.0");
  EXPECT_EQ(sample("seconds", ",bucket=\"program_startup\""), "3.0");
  EXPECT_EQ(sample("seconds", ",bucket=\"wasted_progress_from_disruption\""), "11.0");
  EXPECT_EQ(sample("seconds", ",bucket=\"infrastructure_recovery_from_disruption\""), "29.0");
  EXPECT_EQ(sample("seconds", ",bucket=\"in_progress\""), "5.0");
  EXPECT_EQ(sample("elapsed_seconds"), "85.0");
  EXPECT_EQ(sample("window_ratio", ",window=\"5m\""), sample("ratio"));
  EXPECT_EQ(sample("running"), "1.0");
  EXPECT_EQ(sample("disruptions_total", ",kind=\"unannounced\""), "1.0");
  EXPECT_EQ(sample("disruptions_total", ",kind=\"announced\""), "0.0");
  EXPECT_EQ(sample("step"), "4.0");
  EXPECT_EQ(sample("productive_step"), "3.0");
  EXPECT_EQ(sample("open_step_seconds"), "5.0");
  EXPECT_EQ(sample("seconds_since_last_event"), "5.0");
  EXPECT_EQ(sample("checkpoint_age_seconds"), "54.0");
  EXPECT_EQ(sample("checkpoint_age_steps"), "3.0");
  EXPECT_EQ(sample("tokens_total"), "1000.0");
  EXPECT_EQ(sample("flops_total"), "none");
  // Without the first of each attempt, which may compile.
  EXPECT_EQ(sample("step_seconds_bucket", ",le=\"5.0\""), "0.0");
  EXPECT_EQ(sample("step_seconds_bucket", ",le=\"10.0\""), "3.0");
  EXPECT_EQ(sample("step_seconds_bucket", ",le=\"+Inf\""), "3.0");
  EXPECT_EQ(sample("step_seconds_sum"), "30.0");
  EXPECT_EQ(sample("events_total"), "11.0");
}

TEST(Metrics, TellWhatWaitsForTheDatabase) {
  DatabaseLink link;
  JobMap jobs;
  const auto sample = [&](const std::string& name) {
    const Metrics metrics = CollectMetrics(jobs, {.database = link.State()}, kBegin);
    return Sample(MetricsText(metrics, MetricsFormat::kPrometheus),
                  "stepscope_goodput_database_" + name + "{}");
  };
  link.Stored(7);
  EXPECT_EQ(sample("lag_events"), "7.0");
  EXPECT_EQ(sample("confirmed_timestamp_seconds"), "none");
  const int64_t stored = link.stored();
  link.Stored(2);  // while it takes those
  link.TookAll(stored);
  EXPECT_EQ(sample("lag_events"), "2.0");
  EXPECT_NE(sample("confirmed_timestamp_seconds"), "none");
  EXPECT_LT(std::stod(sample("lag_seconds")), 60);
}

TEST(DatabaseLink, BatchesWaitUntilItIsToldWhatTheDatabaseHas) {
  DatabaseLink link;
  EXPECT_FALSE(link.WaitForNumbers(std::chrono::milliseconds(5)));
  std::jthread later([&] { link.SetNumbers(nullptr); });
  const auto numbers = link.WaitForNumbers(std::chrono::seconds(60));
  ASSERT_TRUE(numbers);
  EXPECT_EQ(*numbers, nullptr);
}

// 1000 tokens in the 48 s of steps of Fill(), of which 37 s are kept and 11 s were lost.
TEST(Metrics, ReportsMfu) {
  JobMap jobs;
  const int64_t now = kBegin + 85 * kSecond;
  Fill(jobs["llm"], now);
  const auto sample = [&](const ProgramRates& program, const std::string& name) {
    const Metrics metrics = CollectMetrics(jobs, {.program = program}, now);
    return Sample(MetricsText(metrics, MetricsFormat::kPrometheus),
                  "stepscope_goodput_" + name + "{training_job=\"llm\"}");
  };
  const ProgramRates known{.flops_per_token = 48e9, .peak = 1e12, .bf16_peak = 0.5e12, .chips = 2};
  EXPECT_EQ(sample(known, "mfu"), "0.5");
  EXPECT_EQ(sample(known, "emfu"), "1.0");
  EXPECT_EQ(sample(known, "model_flops_total"), "48000000000000.0");
  EXPECT_EQ(sample(known, "peak_flops_per_second"), "2000000000000.0");
  ProgramRates lacks = known;
  lacks.bf16_peak.reset();
  EXPECT_EQ(sample(lacks, "mfu"), "0.5");
  EXPECT_EQ(sample(lacks, "emfu"), "none");
  // What is not known has no series, never a zero.
  lacks.chips = 0;
  EXPECT_EQ(sample(lacks, "mfu"), "none");
  EXPECT_EQ(sample(lacks, "peak_flops_per_second"), "none");
  lacks = known;
  lacks.flops_per_token = 0;
  EXPECT_EQ(sample(lacks, "mfu"), "none");
  // The job says itself what it does, and how many chips it wants.
  LiveJob& job = jobs["llm"];
  Event work{
      .kind = EventKind::kActivity, .time = kBegin + 81 * kSecond, .writer = "x", .sequence = 0};
  work.counts[1] = 24'000;
  job.Add(work, now);
  EXPECT_EQ(sample(lacks, "mfu"), "0.25");
  Event chips{.kind = EventKind::kResources, .time = work.time, .writer = "x", .sequence = 1};
  chips.counts[0] = chips.counts[1] = 4;
  job.Add(chips, now);
  lacks.chips = 0;
  EXPECT_EQ(sample(lacks, "mfu"), "0.125");
}

TEST(Metrics, DropsJobsIdleForADay) {
  JobMap jobs;
  Fill(jobs["llm"], kBegin + 100 * kSecond);
  const auto text = [&](int64_t at) {
    return Text(jobs, nullptr, MetricsFormat::kPrometheus, kBegin + at * kSecond);
  };
  EXPECT_NE(text(86'000), "");
  EXPECT_EQ(text(86'400 + 81), "");
}

// What Prometheus' own tool thinks of a page with the worst names; both formats end in a line.
TEST(Metrics, PassesPromtool) {
  if (std::system("promtool --version >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "promtool is not installed (Debian package prometheus)";
  }
  JobMap jobs;
  const int64_t now = kBegin + 100 * kSecond;
  for (const char* name :
       {"plain", "", "a\"b", "c\\", "d\ne} 1\n# TYPE x counter", "\xff\xfe", "#"}) {
    Fill(jobs[name], now);
  }
  const IngestCounts counts{.stored = 5};
  const testing::ScratchFolder scratch;
  const std::string text = Text(jobs, &counts, MetricsFormat::kPrometheus, now);
  const std::string page = scratch.Write("page", text);
  const std::string output = scratch.path() + "/output";
  const int status =
      std::system(("promtool check metrics <" + page + " >" + output + " 2>&1").c_str());
  std::ifstream in(output);
  const std::string lint{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(status, 0) << lint;
  const std::string open = Text(jobs, &counts, MetricsFormat::kOpenMetrics, now);
  EXPECT_TRUE(open.ends_with("\n# EOF\n"));
  EXPECT_NE(open.find("# TYPE stepscope_goodput_disruptions counter\n"), open.npos);
  EXPECT_EQ(Sample(open, "stepscope_goodput_ingest_events_total{result=\"stored\"}"), "5.0");
}

}  // namespace
}  // namespace stepscope::goodput::metrics_test
