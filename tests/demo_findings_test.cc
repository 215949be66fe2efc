// Tests that the first finding on demo jobs is the trouble that was planted, and none where none
// was.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings.h"
#include "tests/sanitized.h"
#include "tests/support/demo_job.h"

namespace stepscope::testing::demo_findings_test {
namespace {

constexpr uint64_t kSeeds[] = {1, 2, 3};

bool HasEvidence(const Finding& finding, std::string_view words) {
  return std::ranges::any_of(finding.evidence,
                             [&](const Evidence& e) { return e.message.contains(words); });
}

TEST(DemoFindings, GraphCaptureIsTheLeadingFindingAndInNoStep) {
  // 100,000 launches a rank take a sanitizer long.
  for (const uint64_t seed : std::span(kSeeds).first(kSanitized ? 1 : std::size(kSeeds))) {
    for (const int slow_rank : {-1, 1}) {
      DemoJob job;
      ASSERT_NO_FATAL_FAILURE(MakeDemoJob({.ranks = 2,
                                           .steps = 4,
                                           .seed = seed,
                                           .slow_rank = slow_rank,
                                           .graph_capture = 2'000'000'000,
                                           .layers = 4},
                                          job));
      ASSERT_EQ(RowsOf(job.answer, "overview", "launches").size(), 2u);
      EXPECT_GT(RowsOf(job.answer, "overview", "launches")[0].Int("captured"), 100'000);
      const Finding* leading = LeadingFinding(job.answer);
      ASSERT_NE(leading, nullptr);
      EXPECT_TRUE(leading->message.contains("graph capture")) << leading->message;
      EXPECT_TRUE(job.answer.verdict.contains("left out: one-time work")) << job.answer.verdict;
      EXPECT_FALSE(job.answer.verdict.contains("wait for the host")) << job.answer.verdict;
    }
  }
}

// Two ranks that compute longer hide one another where only the longest of each step counts.
TEST(DemoFindings, TwoSlowRanksAreNamedTogether) {
  DemoOptions options{.ranks = 64, .steps = 4, .slow_rank = 17, .layers = 2, .stacks = false};
  options.other_slow_ranks = {42};
  options.ranks_per_host = 8;
  options.slow_host = 6;  // for which the others wait most
  DemoJob job;
  ASSERT_NO_FATAL_FAILURE(MakeDemoJob(options, job));
  const Finding* leading = LeadingFinding(job.answer);
  ASSERT_NE(leading, nullptr);
  EXPECT_TRUE(HasEvidence(*leading, "ranks 17 and 42 compute longest")) << leading->message;
}

// The first stage ends its backward passes last, and all wait for it.
TEST(DemoFindings, AHealthyPipelineAccusesNobody) {
  for (const int stages : {4, 8}) {
    DemoOptions options{.ranks = stages, .steps = 4, .slow_rank = -1, .layers = 8};
    options.pipeline = stages;
    DemoJob job;
    ASSERT_NO_FATAL_FAILURE(MakeDemoJob(options, job));
    EXPECT_TRUE(job.answer.verdict.contains("Pipeline stages are idle for ")) << job.answer.verdict;
    EXPECT_FALSE(job.answer.verdict.contains("straggler")) << job.answer.verdict;
  }
}

// Stages have unequal work, as the last one, which has the loss.
TEST(DemoFindings, ASlowRankOfAStageIsComparedWithItsStage) {
  DemoOptions options{.ranks = 8, .steps = 4, .slow_rank = 5, .layers = 2, .stacks = false};
  options.pipeline = 2;
  options.microbatches = 24;
  DemoJob job;
  ASSERT_NO_FATAL_FAILURE(MakeDemoJob(options, job));
  EXPECT_TRUE(job.answer.verdict.contains("ank 5 is a straggler")) << job.answer.verdict;
  EXPECT_TRUE(job.answer.verdict.contains(": slower compute kernels")) << job.answer.verdict;
}

// No median tells which half is slow; the others wait for it.
TEST(DemoFindings, HalfOfTheRanksAreNamedAndPriced) {
  DemoOptions options{.ranks = 4, .steps = 5, .slow_rank = 0, .layers = 4, .stacks = false};
  options.other_slow_ranks = {1};
  DemoJob job;
  ASSERT_NO_FATAL_FAILURE(MakeDemoJob(options, job));
  const Finding* leading = LeadingFinding(job.answer);
  ASSERT_NE(leading, nullptr);
  EXPECT_TRUE(leading->message.contains("ranks 0 and 1 compute longest")) << leading->message;
  int64_t slow = 0, fast = 0;  // ns of all steps
  for (const Row& row : RowsOf(job.answer, "imbalance", "matrix"))
    (row.Int("rank") < 2 ? slow : fast) += row.Int("compute");
  EXPECT_NEAR(static_cast<double>(leading->impact), static_cast<double>(slow - fast) / 2,
              0.1 * static_cast<double>(slow - fast));
}

TEST(DemoFindings, ASlowDeviceOfAProcessWithSeveralIsNoChance) {
  DemoOptions options{.ranks = 4, .steps = 5, .slow_rank = 3, .layers = 2, .stacks = false};
  options.devices = 4;
  options.slow_device = 0;
  options.slow_factor = 1.5;
  DemoJob job;
  ASSERT_NO_FATAL_FAILURE(MakeDemoJob(options, job));
  EXPECT_TRUE(job.answer.verdict.contains("Rank 3 device 0 is a straggler")) << job.answer.verdict;
}

// Which of its devices is the last is chance.
TEST(DemoFindings, ARankOfWhichAllDevicesAreSlowIsNamed) {
  for (const uint64_t seed : kSeeds) {
    DemoOptions options{
        .ranks = 3, .steps = 5, .seed = seed, .slow_rank = 1, .layers = 2, .stacks = false};
    options.devices = 4;
    DemoJob job;
    ASSERT_NO_FATAL_FAILURE(MakeDemoJob(options, job));
    EXPECT_TRUE(job.answer.verdict.starts_with("Rank 1 is a straggler")) << job.answer.verdict;
    EXPECT_FALSE(job.answer.verdict.contains("in step ")) << job.answer.verdict;
    const Finding* leading = LeadingFinding(job.answer);
    ASSERT_NE(leading, nullptr);
    EXPECT_EQ(leading->where.device, std::nullopt);
    EXPECT_EQ(leading->cause.rank, 1);
    EXPECT_EQ(RowsOf(job.answer, "stragglers", "ranks").size(), 12u) << "a row for each device";
  }
}

// What it saves to hide communication changes nothing of what was measured.
TEST(DemoFindings, ExposedCommunicationIsOneNumber) {
  DemoOptions options{.ranks = 2, .steps = 4, .slow_rank = 1, .layers = 4, .stacks = false};
  options.devices = 4;
  options.slow_device = 2;
  DemoJob job;
  ASSERT_NO_FATAL_FAILURE(MakeDemoJob(options, job));
  const auto session = Session::Open(std::vector{job.folder.path() + "/job"});
  const auto alone = session->Analyze({.only = {"comm_overlap"}});
  const Finding* of_all = FindFinding(job.answer, "Exposed communication beyond");
  const Finding* of_one = FindFinding(*alone, "Exposed communication beyond");
  ASSERT_TRUE(of_all != nullptr && of_one != nullptr);
  EXPECT_TRUE(of_all->message.contains("of span.")) << of_all->message;
  EXPECT_EQ(of_all->message.str(), of_one->message.str());
}

TEST(DemoFindings, ALibraryThatNobodyKnowsIsTheLeadingFinding) {
  for (const uint64_t seed : kSeeds) {
    for (const int slow_rank : {-1, 1}) {
      DemoJob job;
      ASSERT_NO_FATAL_FAILURE(MakeDemoJob({.ranks = 4,
                                           .steps = 3,
                                           .seed = seed,
                                           .slow_rank = slow_rank,
                                           .unknown_library = true,
                                           .layers = 6},
                                          job));
      const Finding* leading = LeadingFinding(job.answer);
      ASSERT_NE(leading, nullptr);
      // Without collectives nothing is known of waiting, but which rank computes longer is.
      const std::string not_recognized =
          slow_rank < 0 ? "Communication of the 4 ranks was not recognized."
                        : "Communication of the 4 ranks was not recognized; rank 1 computes ";
      // A slow rank has a cost, which is high; what was not recognized has none.
      EXPECT_EQ(leading->message, slow_rank < 0
                                      ? not_recognized
                                      : "Rank 1 runs kernels slower than the other ranks.");
      const std::vector<const Finding*> all = FindingsInOrder(job.answer);
      const auto open = std::ranges::find_if(
          all, [&](const Finding* f) { return f->message.starts_with(not_recognized); });
      ASSERT_NE(open, all.end());
      EXPECT_TRUE((*open)->because.contains("candidates")) << (*open)->because;
      EXPECT_TRUE(job.answer.verdict.contains("not recognized")) << job.answer.verdict;
      EXPECT_FALSE(job.answer.verdict.contains("one device")) << job.answer.verdict;
    }
  }
}

// What is left out of the step time is left out of what findings cost.
TEST(DemoFindings, GraphCaptureMakesNoSlowRankCheaper) {
  DemoJob job;
  ASSERT_NO_FATAL_FAILURE(MakeDemoJob({.ranks = 2,
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

// Its kernels take 12% longer, which is less than a third of a wait that compute mostly hides.
TEST(DemoFindings, ASlightlySlowRankHasItsReason) {
  DemoJob job;
  ASSERT_NO_FATAL_FAILURE(MakeDemoJob({.ranks = 8,
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

TEST(DemoFindings, ThePlantedTroublesAreFound) {
  DemoJob job;
  ASSERT_NO_FATAL_FAILURE(
      MakeDemoJob({.ranks = 4, .steps = 3, .slow_rank = 1, .slow_factor = 1.4}, job));
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

TEST(DemoFindings, TheStepAndTheRankOfAPlantedChangeAreTheLeadingFinding) {
  for (const int64_t since : {5, 6, 7}) {
    DemoJob job;
    ASSERT_NO_FATAL_FAILURE(MakeDemoJob({.ranks = 4,
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
    EXPECT_TRUE(leading->message.starts_with(straggler)) << leading->message;
    EXPECT_TRUE(std::ranges::any_of(leading->evidence, [&](const Evidence& evidence) {
      return evidence.message.contains("longer" + when + ": rank 1 computes");
    }));
    const auto changes = RowsOf(job.answer, "steps", "changes");
    ASSERT_GE(changes.size(), 2u);
    EXPECT_EQ(changes[0].Text("quantity"), "step time");
    EXPECT_EQ(changes[0].Int("since_step"), since);
    const auto is_compute = [](const Row& row) { return row.Text("quantity") == "compute"; };
    ASSERT_EQ(std::ranges::count_if(changes, is_compute), 1) << "one rank computes longer";
    const Row& compute = *std::ranges::find_if(changes, is_compute);
    EXPECT_EQ(compute.Int("rank"), 1);
    EXPECT_NEAR(compute.Real("change"), 0.66, 0.05);
  }
}

// It computes longest in five steps of ten, and is behind most of the imbalance.
TEST(DemoFindings, TheImbalanceOfASlowRankIsItsEvidence) {
  DemoJob job;
  ASSERT_NO_FATAL_FAILURE(MakeDemoJob({.ranks = 8,
                                       .steps = 10,
                                       .slow_rank = 2,
                                       .slow_factor = 1.2,
                                       .slow_since = 8,
                                       .exposed_fraction = 0.1,
                                       .host_gap_fraction = 0.02,
                                       .layers = 4},
                                      job));
  EXPECT_EQ(FindFinding(job.answer, "Compute imbalance"), nullptr) << job.answer.verdict;
  EXPECT_TRUE(job.answer.verdict.contains("Rank 2 is a straggler since step 8"))
      << job.answer.verdict;
}

// Devices of one process are told apart as ranks are, with one clock and one annotation of steps.
TEST(DemoFindings, TheSlowDeviceOfAProcessIsTheLeadingFinding) {
  struct Case {
    int ranks, devices, slow_rank, slow_device;
    const char* says;
  };
  for (const Case& c :
       {Case{1, 4, 0, 2, "Device 2 is a straggler in every recorded step"},
        Case{1, 4, 0, 3, "Device 3 is a straggler in every recorded step"},
        Case{2, 2, 1, 1, "Rank 1 device 1 is a straggler in every recorded step"}}) {
    DemoJob job;
    ASSERT_NO_FATAL_FAILURE(MakeDemoJob({.ranks = c.ranks,
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
    const auto ranks = RowsOf(job.answer, "temporal_breakdown", "ranks");
    const auto overlap = RowsOf(job.answer, "comm_overlap", "ranks");
    ASSERT_EQ(ranks.size(), static_cast<size_t>(c.ranks * c.devices));
    for (size_t d = 0; d < ranks.size(); ++d) {
      const auto& truth = job.truth.at("ranks").at(d);
      ExpectSame(truth, ranks[d], {"rank", "device", "span", "busy", "idle", "compute"});
      ExpectSame(truth, overlap[d], {"communication", "overlapped", "exposed"});
    }
    for (const Row& row : RowsOf(job.answer, "collectives", "ranks"))
      EXPECT_GT(row.Int("matched"), 0);
  }
}

TEST(DemoFindings, StepsThatOnlyVaryChangeAtNone) {
  for (const uint64_t seed : {1u, 2u, 3u}) {
    DemoJob job;
    ASSERT_NO_FATAL_FAILURE(
        MakeDemoJob({.ranks = 2, .steps = 6, .seed = seed, .slow_rank = 1, .layers = 4}, job));
    EXPECT_TRUE(RowsOf(job.answer, "steps", "changes").empty());
    EXPECT_EQ(FindFinding(job.answer, "since step"), nullptr);
  }
}

TEST(DemoFindings, AHealthyJobRaisesNothing) {
  DemoJob job;
  const DemoOptions healthy{
      .ranks = 4, .steps = 3, .slow_rank = -1, .exposed_fraction = 0, .host_gap_fraction = 0};
  ASSERT_NO_FATAL_FAILURE(MakeDemoJob(healthy, job));
  for (const Report& report : job.answer.reports) {
    for (const Finding& finding : report.findings)
      ADD_FAILURE() << finding.message << " " << finding.because;
  }
  EXPECT_TRUE(job.answer.verdict.starts_with("The job looks healthy: ")) << job.answer.verdict;
}

}  // namespace
}  // namespace stepscope::testing::demo_findings_test
