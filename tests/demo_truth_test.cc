// Tests analyses of the demo job against its ground truth: two programs that
// share no code, one that knows what it planted and one that has to find it.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "facts/collectives/collectives.h"
#include "facts/collectives/split.h"
#include "facts/derived/operators/recording_flops.h"
#include "facts/facts.h"
#include "session/load.h"
#include "stepscope/demo.h"
#include "stepscope/session.h"
#include "tests/scratch.h"

namespace stepscope::testing::demo_truth_test {
namespace {

using Row = std::map<std::string, Cell>;

std::vector<Row> Rows(const ReportSet& answer, std::string_view analysis, std::string_view key) {
  std::vector<Row> rows;
  for (const Report& report : answer.reports) {
    for (const Table& table : report.tables) {
      if (report.analysis != analysis || table.key != key) continue;
      for (const auto& cells : table.rows) {
        Row& row = rows.emplace_back();
        for (size_t c = 0; c < cells.size(); ++c) row[table.columns[c].key] = cells[c];
      }
    }
  }
  return rows;
}

int64_t Number(const Row& row, const std::string& column) {
  return std::get<int64_t>(row.at(column));
}

void ExpectSame(const nlohmann::json& truth, const Row& row,
                std::initializer_list<const char*> columns) {
  for (const char* column : columns) {
    EXPECT_EQ(truth.at(column).get<int64_t>(), Number(row, column)) << column;
  }
}

struct Job {
  ScratchFolder folder;
  nlohmann::json truth;
  ReportSet answer;
};

void MakeJob(const DemoOptions& options, Job& job) {
  const std::string path = job.folder.path() + "/job";
  ASSERT_TRUE(WriteDemo(path, options));
  std::ifstream(path + "/truth.json") >> job.truth;
  const std::string paths[] = {path};
  const auto session = Session::Open(paths);
  ASSERT_TRUE(session);
  job.answer = session->Analyze().value();
}

TEST(DemoTruth, EveryNumberIsFoundToTheNanosecond) {
  Job job;
  ASSERT_NO_FATAL_FAILURE(MakeJob({.ranks = 4, .steps = 3, .layers = 6}, job));
  const auto ranks = Rows(job.answer, "temporal_breakdown", "ranks");
  const auto overlap = Rows(job.answer, "comm_overlap", "ranks");
  const auto steps = Rows(job.answer, "temporal_breakdown", "steps");
  ASSERT_EQ(ranks.size(), 4u);
  ASSERT_EQ(steps.size(), 12u);
  size_t step = 0;
  for (size_t r = 0; r < ranks.size(); ++r) {
    const auto& truth = job.truth.at("ranks").at(r);
    ExpectSame(truth, ranks[r], {"rank", "span", "busy", "idle", "compute"});
    ExpectSame(truth, overlap[r], {"communication", "overlapped", "exposed"});
    EXPECT_EQ(truth.at("gpu_events").get<int64_t>(), job.answer.run.files[r].gpu_events);
    EXPECT_EQ(truth.at("events").get<int64_t>(), job.answer.run.files[r].events);
    for (const auto& step_truth : truth.at("steps")) {
      ExpectSame(step_truth, steps[step++], {"step", "span", "busy", "idle", "compute"});
    }
  }
}

TEST(DemoTruth, EveryKernelIsCounted) {
  Job job;
  ASSERT_NO_FATAL_FAILURE(MakeJob({.ranks = 2, .steps = 2, .slow_rank = 1, .layers = 4}, job));
  const auto kernels = Rows(job.answer, "kernel_breakdown", "kernels");
  size_t compared = 0;
  for (const auto& rank : job.truth.at("ranks")) {
    for (const auto& truth : rank.at("kernels")) {
      const auto same = [&](const Row& row) {
        return std::get<std::string>(row.at("name")) == truth.at("name").get<std::string>() &&
               Number(row, "rank") == rank.at("rank").get<int64_t>();
      };
      const auto row = std::ranges::find_if(kernels, same);
      ASSERT_NE(row, kernels.end()) << truth.at("name");
      ExpectSame(truth, *row, {"count", "sum"});
      ++compared;
    }
  }
  EXPECT_EQ(compared, kernels.size());
}

const Finding* FindFinding(const ReportSet& answer, std::string_view words) {
  for (const Report& report : answer.reports) {
    for (const Finding& finding : report.findings) {
      if (finding.message.contains(words)) return &finding;
    }
  }
  return nullptr;
}

// The one that faces show first.
const Finding* LeadingFinding(const ReportSet& answer) {
  for (const Report& report : answer.reports) {
    for (const Finding& finding : report.findings) {
      if (finding.place == 1) return &finding;
    }
  }
  return nullptr;
}

constexpr uint64_t kSeeds[] = {1, 2, 3};

TEST(DemoTruth, GraphCaptureIsTheLeadingFindingAndInNoStep) {
  for (const uint64_t seed : kSeeds) {
    for (const int slow_rank : {-1, 1}) {
      Job job;
      ASSERT_NO_FATAL_FAILURE(MakeJob({.ranks = 2,
                                       .steps = 4,
                                       .seed = seed,
                                       .slow_rank = slow_rank,
                                       .graph_capture = 2'000'000'000,
                                       .layers = 4},
                                      job));
      ASSERT_EQ(Rows(job.answer, "overview", "launches").size(), 2u);
      EXPECT_GT(Number(Rows(job.answer, "overview", "launches")[0], "captured"), 100'000);
      const Finding* leading = LeadingFinding(job.answer);
      ASSERT_NE(leading, nullptr);
      EXPECT_TRUE(leading->message.contains("graph capture")) << leading->message;
      EXPECT_TRUE(job.answer.verdict.contains("left out: one-time work")) << job.answer.verdict;
      EXPECT_FALSE(job.answer.verdict.contains("wait for the host")) << job.answer.verdict;
    }
  }
}

TEST(DemoTruth, ALibraryThatNobodyKnowsIsTheLeadingFinding) {
  for (const uint64_t seed : kSeeds) {
    for (const int slow_rank : {-1, 1}) {
      Job job;
      ASSERT_NO_FATAL_FAILURE(MakeJob({.ranks = 4,
                                       .steps = 3,
                                       .seed = seed,
                                       .slow_rank = slow_rank,
                                       .unknown_library = true,
                                       .layers = 6},
                                      job));
      const Finding* leading = LeadingFinding(job.answer);
      ASSERT_NE(leading, nullptr);
      EXPECT_EQ(leading->message, "Communication of the 4 ranks was not recognized.");
      EXPECT_TRUE(leading->because.contains("candidates")) << leading->because;
      EXPECT_TRUE(job.answer.verdict.contains("not recognized")) << job.answer.verdict;
      EXPECT_FALSE(job.answer.verdict.contains("one device")) << job.answer.verdict;
    }
  }
}

// What is left out of the step time is left out of what findings cost.
TEST(DemoTruth, GraphCaptureMakesNoSlowRankCheaper) {
  Job job;
  ASSERT_NO_FATAL_FAILURE(MakeJob({.ranks = 2,
                                   .steps = 4,
                                   .slow_rank = 1,
                                   .slow_factor = 1.4,
                                   .host_gap_fraction = 0,
                                   .graph_capture = 2'000'000'000,
                                   .layers = 4},
                                  job));
  const Finding* slow = FindFinding(job.answer, "Rank 1 is a straggler");
  ASSERT_NE(slow, nullptr) << job.answer.verdict;
  const auto& metrics = job.answer.reports.front().metrics;
  const auto median = std::ranges::find(metrics, "step_time_median", &Metric::key);
  ASSERT_NE(median, metrics.end());
  EXPECT_NEAR(
      slow->share,
      static_cast<double>(slow->per_step) / static_cast<double>(std::get<int64_t>(median->value)),
      0.02);
  EXPECT_EQ(slow->severity, Severity::kHigh);
}

bool HasEvidence(const Finding& finding, std::string_view words) {
  return std::ranges::any_of(finding.evidence,
                             [&](const Evidence& e) { return e.message.contains(words); });
}

// Its kernels take 12% longer, which is less than a third of a wait that compute mostly hides.
TEST(DemoTruth, ASlightlySlowRankHasItsReason) {
  Job job;
  ASSERT_NO_FATAL_FAILURE(MakeJob({.ranks = 8,
                                   .seed = 7,
                                   .slow_rank = 6,
                                   .slow_factor = 1.12,
                                   .exposed_fraction = 0.2,
                                   .host_gap_fraction = 0.02,
                                   .clock_spread = 5'000'000},
                                  job));
  const Finding* slow = FindFinding(job.answer, "Rank 6 is a straggler");
  ASSERT_NE(slow, nullptr);
  EXPECT_TRUE(slow->message.contains("slower compute kernels")) << slow->message;
  EXPECT_LE(slow->place, 2) << "beside the communication that was planted";
}

TEST(DemoTruth, ThePlantedTroublesAreFound) {
  Job job;
  ASSERT_NO_FATAL_FAILURE(
      MakeJob({.ranks = 4, .steps = 3, .slow_rank = 1, .slow_factor = 1.4}, job));
  const Finding* slow = FindFinding(
      job.answer, "Rank 1 is a straggler in every recorded step (3 to 5): slower compute");
  ASSERT_NE(slow, nullptr);
  EXPECT_EQ(slow->place, 1);
  EXPECT_EQ(slow->severity, Severity::kHigh);
  EXPECT_TRUE(HasEvidence(*slow, "Rank 1 runs kernels slower"));
  EXPECT_EQ(FindFinding(job.answer, "Rank 1 runs kernels slower"), nullptr) << "one cause";
  EXPECT_EQ(FindFinding(job.answer, "since step"), nullptr);
  EXPECT_NE(FindFinding(job.answer, "Exposed communication"), nullptr);
  const Finding* input = FindFinding(job.answer, "Input wait is");
  ASSERT_NE(input, nullptr);
  EXPECT_TRUE(HasEvidence(*input, "Host-bound idle time is"));
}

TEST(DemoTruth, TheStepAndTheRankOfAPlantedChangeAreTheLeadingFinding) {
  for (const int64_t since : {5, 6, 7}) {
    Job job;
    ASSERT_NO_FATAL_FAILURE(MakeJob({.ranks = 4,
                                     .steps = 6,
                                     .seed = static_cast<uint64_t>(since),
                                     .slow_rank = 1,
                                     .slow_factor = 1.66,
                                     .slow_since = since,
                                     .exposed_fraction = 0.1,
                                     .layers = 6},
                                    job));
    const Finding* leading = LeadingFinding(job.answer);
    ASSERT_NE(leading, nullptr);
    const std::string when = " since step " + std::to_string(since);
    EXPECT_TRUE(leading->message.contains(when)) << leading->message;
    EXPECT_TRUE(leading->message.contains("ank 1 ")) << leading->message;
    const std::string straggler = "Rank 1 is a straggler" + when + ": slower compute";
    EXPECT_TRUE(std::ranges::any_of(leading->evidence, [&](const Evidence& evidence) {
      return evidence.message.starts_with(straggler);
    })) << straggler;
    const auto changes = Rows(job.answer, "steps", "changes");
    ASSERT_GE(changes.size(), 2u);
    EXPECT_EQ(std::get<std::string>(changes[0].at("quantity")), "step time");
    EXPECT_EQ(Number(changes[0], "since_step"), since);
    const auto is_compute = [](const Row& row) {
      return std::get<std::string>(row.at("quantity")) == "compute";
    };
    ASSERT_EQ(std::ranges::count_if(changes, is_compute), 1) << "one rank computes longer";
    const Row& compute = *std::ranges::find_if(changes, is_compute);
    EXPECT_EQ(Number(compute, "rank"), 1);
    EXPECT_NEAR(std::get<double>(compute.at("change")), 0.66, 0.05);
  }
}

// Devices of one process are told apart as ranks are, with one clock and one annotation of steps.
// It computes longest in five steps of ten, and is behind most of the imbalance.
TEST(DemoTruth, TheImbalanceOfASlowRankIsItsEvidence) {
  Job job;
  ASSERT_NO_FATAL_FAILURE(MakeJob({.ranks = 8,
                                   .steps = 10,
                                   .slow_rank = 2,
                                   .slow_factor = 1.2,
                                   .slow_since = 8,
                                   .exposed_fraction = 0.1,
                                   .host_gap_fraction = 0.02,
                                   .layers = 4},
                                  job));
  EXPECT_EQ(FindFinding(job.answer, "Compute imbalance"), nullptr) << job.answer.verdict;
  EXPECT_TRUE(job.answer.verdict.contains("longer since step 8: rank 2")) << job.answer.verdict;
}

TEST(DemoTruth, TheSlowDeviceOfAProcessIsTheLeadingFinding) {
  struct Case {
    int ranks, devices, slow_rank, slow_device;
    const char* says;
  };
  for (const Case& c :
       {Case{1, 4, 0, 2, "Device 2 is a straggler in every recorded step"},
        Case{1, 4, 0, 3, "Device 3 is a straggler in every recorded step"},
        Case{2, 2, 1, 1, "Rank 1 device 1 is a straggler in every recorded step"}}) {
    Job job;
    ASSERT_NO_FATAL_FAILURE(MakeJob({.ranks = c.ranks,
                                     .devices = c.devices,
                                     .steps = 4,
                                     .seed = static_cast<uint64_t>(c.slow_device),
                                     .slow_rank = c.slow_rank,
                                     .slow_factor = 1.4,
                                     .slow_device = c.slow_device,
                                     .exposed_fraction = 0.1,
                                     .layers = 6},
                                    job));
    const Finding* slow = LeadingFinding(job.answer);
    ASSERT_NE(slow, nullptr);
    EXPECT_TRUE(slow->message.starts_with(c.says)) << slow->message;
    EXPECT_TRUE(slow->message.contains("slower compute kernels")) << slow->message;
    const auto ranks = Rows(job.answer, "temporal_breakdown", "ranks");
    const auto overlap = Rows(job.answer, "comm_overlap", "ranks");
    ASSERT_EQ(ranks.size(), static_cast<size_t>(c.ranks * c.devices));
    for (size_t d = 0; d < ranks.size(); ++d) {
      const auto& truth = job.truth.at("ranks").at(d);
      ExpectSame(truth, ranks[d], {"rank", "device", "span", "busy", "idle", "compute"});
      ExpectSame(truth, overlap[d], {"communication", "overlapped", "exposed"});
    }
    for (const Row& row : Rows(job.answer, "collectives", "ranks"))
      EXPECT_GT(Number(row, "matched"), 0);
  }
}

TEST(DemoTruth, StepsThatOnlyVaryChangeAtNone) {
  for (const uint64_t seed : {1u, 2u, 3u}) {
    Job job;
    ASSERT_NO_FATAL_FAILURE(
        MakeJob({.ranks = 2, .steps = 6, .seed = seed, .slow_rank = 1, .layers = 4}, job));
    EXPECT_TRUE(Rows(job.answer, "steps", "changes").empty());
    EXPECT_EQ(FindFinding(job.answer, "since step"), nullptr);
  }
}

std::vector<std::string> FilesOf(const Job& job) {
  std::vector<std::string> files;
  for (const InputFile& file : job.answer.run.files) {
    if (file.rank >= 0) files.push_back(file.path);
  }
  return files;
}

// Each step weighs by the time it was measured over, of all devices.
TEST(DemoTruth, TheMfuOfTheStepsIsThatOfTheRun) {
  Job job;
  ASSERT_NO_FATAL_FAILURE(MakeJob({.ranks = 3, .steps = 5, .slow_rank = 1}, job));
  const Wanted wanted(kRankActivityNeeds | KindSet{Kind::kOperator}, true, true);
  const LoadedRun run = LoadRun({FilesOf(job)}, wanted, {}).value();
  const Facts facts = DeriveFacts(run.names, run.ranks, *ParseSteps("all"), "all");
  std::map<int64_t, double> times;
  for (const RankActivity& rank : facts.ranks) {
    const RecordingFlops flops = MeasureFlops(facts, rank, 0);
    int64_t sum = 0;
    for (const StepFlops& step : flops.steps) {
      times[step.number] += static_cast<double>(step.time * flops.devices);
      sum += step.time;
    }
    EXPECT_EQ(sum, flops.time);
  }
  const auto report = std::ranges::find(job.answer.reports, "steps", &Report::analysis);
  const auto mfu = std::ranges::find(report->series, "mfu", &Series::key);
  ASSERT_NE(mfu, report->series.end());
  ASSERT_EQ(mfu->points.size(), 4u) << "the last step of five has no next one";
  double used = 0, time = 0;
  for (const auto& [step, ratio] : mfu->points) {
    used += ratio * times.at(static_cast<int64_t>(step));
    time += times.at(static_cast<int64_t>(step));
  }
  const auto whole = std::ranges::find(job.answer.reports, "flops", &Report::analysis);
  const auto metric = std::ranges::find(whole->metrics, "mfu", &Metric::key);
  ASSERT_NE(metric, whole->metrics.end());
  EXPECT_NEAR(used / time, std::get<double>(metric->value), 1e-12);
}

// Who would be blamed if clocks were taken as they are.
int64_t BlamedByRawClocks(const Job& job) {
  const LoadedRun run = LoadRun({FilesOf(job)}, kRankActivityNeeds, {}).value();
  CollectiveFacts facts = MatchCollectives(run.names, run.ranks);
  for (RankCollectives& rank : facts.ranks) rank.clock = {.known = true};
  SplitCollectives(facts);
  return std::ranges::max(facts.ranks, {}, &RankCollectives::blame).rank;
}

// Clocks off by several ms hide a rank that is late by one: they are found, and so is the rank.
TEST(DemoTruth, TheSlowRankIsFoundOnClocksThatDiffer) {
  Job job;
  const DemoOptions options{
      .ranks = 4, .steps = 4, .slow_rank = 3, .slow_factor = 1.05, .layers = 6};
  DemoOptions apart = options;
  apart.clock_spread = 20'000'000;
  ASSERT_NO_FATAL_FAILURE(MakeJob(apart, job));
  const auto& truth = job.truth.at("ranks");
  const auto ranks = Rows(job.answer, "collectives", "ranks");
  ASSERT_EQ(ranks.size(), 4u);
  int64_t furthest = 0;
  for (size_t r = 0; r < ranks.size(); ++r) {
    const int64_t offset = truth.at(r).at("clock_offset").get<int64_t>();
    const int64_t ahead = offset - truth.at(0).at("clock_offset").get<int64_t>();
    EXPECT_NEAR(static_cast<double>(Number(ranks[r], "clock_offset")), static_cast<double>(ahead),
                static_cast<double>(Number(ranks[r], "clock_error")));
    furthest = std::max(furthest, std::abs(ahead));
  }
  EXPECT_GT(furthest, 2'000'000);
  EXPECT_NE(BlamedByRawClocks(job), 3) << "found by chance: take another seed";
  const auto suspects = Rows(job.answer, "stragglers", "ranks");
  EXPECT_EQ(Number(suspects.at(0), "rank"), 3);
  EXPECT_GT(std::get<double>(suspects.at(0).at("score")), 0.9);
  EXPECT_EQ(std::get<std::string>(suspects.at(0).at("reason")), "slower compute kernels");

  // What is said of waiting is what is said where clocks agree.
  Job agreeing;
  ASSERT_NO_FATAL_FAILURE(MakeJob(options, agreeing));
  const auto same = Rows(agreeing.answer, "collectives", "ranks");
  for (size_t r = 0; r < ranks.size(); ++r) {
    for (const char* column : {"matched", "wait", "transfer", "blame", "times_last"}) {
      EXPECT_EQ(Number(ranks[r], column), Number(same[r], column)) << column;
    }
  }
}

TEST(DemoTruth, AHealthyJobRaisesNothing) {
  Job job;
  const DemoOptions healthy{
      .ranks = 4, .steps = 3, .slow_rank = -1, .exposed_fraction = 0, .host_gap_fraction = 0};
  ASSERT_NO_FATAL_FAILURE(MakeJob(healthy, job));
  for (const Report& report : job.answer.reports) {
    for (const Finding& finding : report.findings)
      ADD_FAILURE() << finding.message << " " << finding.because;
  }
  EXPECT_TRUE(job.answer.verdict.contains("No finding: the largest cost but compute is") ||
              job.answer.verdict.contains("Nothing but compute costs more than 1%"))
      << job.answer.verdict;
}

}  // namespace
}  // namespace stepscope::testing::demo_truth_test
