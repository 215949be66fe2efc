// Tests several devices in one process, as TensorFlow and JAX run them: they wait for one another
// in collectives, on one clock. Sizes and groups of collectives are those of the compiled program.
#include <gtest/gtest.h>

#include <string>

#include "base/time_units.h"
#include "tests/answer.h"
#include "tests/front_door.h"
#include "tests/support/sample_hlo.h"
#include "tests/support/sample_xspace.h"

namespace stepscope::testing::devices_test {
namespace {

constexpr int64_t kUs = kMicrosecond;
constexpr int64_t kSteps = 6;
constexpr int64_t kElements = 1'000'000;

// An all-reduce of kElements floats; `more`: its replica groups, serialized.
std::string Program(const std::string& more) {
  return HloProgram({SampleComputation(
      1,
      {SampleInstruction("p0", "parameter", 1, SampleShape({kElements}), {}),
       SampleInstruction("all-reduce.1", "all-reduce", 2, SampleShape({kElements}), {1}, more)})});
}

std::string Groups(const std::vector<std::vector<uint64_t>>& groups) {
  return ProtoOf([&](pbf_writer& w) {
    for (const auto& group : groups)
      w.add_string(49, ProtoOf([&](pbf_writer& list) {
                     list.add_packed_uint64(1, group.begin(), group.end());
                   }));
  });
}

// Four GPUs of one process. In every step each computes for 400 us, device 2 for 600 us from step
// `slow_since` on; the all-reduce of each group ends 100 us after the last of it has begun.
std::string Profile(const std::string& program, int64_t slow_since, bool all_together = true) {
  SampleXSpace file;
  file.Plane("/host:metadata").Metadata("jit_step(5)", {{"Hlo Proto", SampleBytes{program}}});
  SampleLine& host = file.Plane("/host:CPU").Line(7, "python");
  int64_t correlation = 0;
  std::vector<SampleLine*> streams;
  for (int device = 0; device < 4; ++device)
    streams.push_back(&file.Plane("/device:GPU:" + std::to_string(device)).Line(7, "Stream #7"));
  for (int64_t step = 1; step <= kSteps; ++step) {
    const int64_t begin = step * 1000 * kUs;
    host.Event("train", begin, 900 * kUs, {{"_r", 1}, {"step_num", step}});
    for (int device = 0; device < 4; ++device) {
      const bool slow = step >= slow_since;
      const bool waits = slow && (all_together || device >= 2);
      const int64_t compute = (slow && device == 2 ? 600 : 400) * kUs, start = begin + 20 * kUs;
      const int64_t end = start + (waits ? 700 : 500) * kUs;
      const auto launch = [&](const char* name, const char* op, int64_t from, int64_t to) {
        ++correlation;
        host.Event("cudaLaunchKernel", begin + (correlation % 8 + 1) * kUs, 500,
                   {{"correlation_id", correlation}});
        streams[static_cast<size_t>(device)]->Event(name, from, to - from,
                                                    {{"correlation_id", correlation},
                                                     {"hlo_op", op},
                                                     {"hlo_module", "jit_step"},
                                                     {"program_id", 5}});
      };
      launch("gemm_fusion", "gemm_fusion", start, start + compute);
      launch("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)", "all-reduce.1",
             start + compute, end);
    }
  }
  return file.Bytes();
}

ReportSet Answer(const std::string& profile) {
  auto answer = AskAbout(profile, "host.xplane.pb");
  EXPECT_TRUE(answer);
  return std::move(*answer);
}

const Finding* Find(const ReportSet& answer, std::string_view analysis) {
  const Report& report = ReportOf(answer, analysis);
  return report.findings.empty() ? nullptr : &report.findings.front();
}

TEST(Devices, WaitForOneAnother) {
  const ReportSet answer = Answer(Profile(Program(""), 1));
  const Report& report = ReportOf(answer, "collectives");
  EXPECT_EQ(report.status, Status::kOk) << report.why;
  EXPECT_TRUE(report.headline.contains("6 collectives matched across 4 devices; wait time is "))
      << report.headline;
  EXPECT_TRUE(report.headline.contains("mostly for device 2 (clock uncertainty 0 ns)"))
      << report.headline;
  const auto ranks = RowsOf(answer, "collectives", "ranks");
  ASSERT_EQ(ranks.size(), 4u);
  for (const Row& row : ranks) {
    const bool slow = row.Int("device") == 2;
    EXPECT_EQ(row.Int("rank"), 0);
    EXPECT_EQ(row.Int("matched"), kSteps);
    EXPECT_EQ(row.Int("wait"), slow ? 0 : kSteps * 200 * kUs);
    EXPECT_EQ(row.Int("transfer"), kSteps * 100 * kUs);
    EXPECT_EQ(row.Int("blame"), slow ? 3 * kSteps * 200 * kUs : 0);
    EXPECT_EQ(row.Int("clock_offset"), 0);
    EXPECT_EQ(row.Int("clock_error"), 0);
  }
}

TEST(Devices, AreStragglersAndOutliers) {
  const ReportSet answer = Answer(Profile(Program(""), 1));
  const Finding* straggler = Find(answer, "stragglers");
  ASSERT_NE(straggler, nullptr);
  EXPECT_TRUE(straggler->message.starts_with(
      "Device 2 is a straggler in every recorded step (1 to 6): slower compute kernels, "))
      << straggler->message;
  EXPECT_TRUE(straggler->because.contains("cost every other device 1.2")) << straggler->because;
  EXPECT_EQ(straggler->where.device, 2);
  const auto kernels =
      std::ranges::find(straggler->evidence, "kernel_distribution", &Evidence::analysis);
  ASSERT_NE(kernels, straggler->evidence.end());
  EXPECT_EQ(kernels->message, "Device 2 runs kernels slower than the other devices.");
  EXPECT_EQ(RowsOf(answer, "kernel_distribution", "rank_means").size(), 8u);
  for (const Report& r : answer.reports) {
    for (const Finding& f : r.findings)
      EXPECT_FALSE((f.message + f.because).contains("rank ")) << f.message << f.because;
  }
}

TEST(Devices, WaitSinceAStep) {
  const ReportSet answer = Answer(Profile(Program(""), 3));
  const Finding* straggler = Find(answer, "stragglers");
  ASSERT_NE(straggler, nullptr);
  EXPECT_TRUE(straggler->message.starts_with("Device 2 is a straggler since step 3: "))
      << straggler->message;
  const auto changes = RowsOf(answer, "steps", "changes");
  ASSERT_FALSE(changes.empty());
  for (const Row& row : changes) {
    EXPECT_EQ(row.Int("since_step"), 3);
    if (row.Text("quantity") == "compute") {
      EXPECT_EQ(row.Int("device"), 2);
    }
  }
}

TEST(Devices, AllReducesHaveWaitsAndTheSizesOfTheProgram) {
  const ReportSet answer = Answer(Profile(Program(""), 1));
  const auto ranks = RowsOf(answer, "allreduce_check", "ranks");
  ASSERT_EQ(ranks.size(), 4u);
  for (const Row& row : ranks) {
    EXPECT_EQ(row.Int("bytes"), 4 * kElements);
    EXPECT_EQ(row.Int("waiting"), row.Int("device") == 2 ? 0 : 200 * kUs);
    EXPECT_EQ(row.Int("transfer"), 100 * kUs);
  }
  const Report& report = ReportOf(answer, "allreduce_check");
  EXPECT_TRUE(report.findings.empty()) << report.findings.front().message;
  const auto kinds = RowsOf(answer, "collectives", "collectives");
  ASSERT_EQ(kinds.size(), 1u);
  EXPECT_EQ(kinds[0].Text("operation"), "all-reduce");
  EXPECT_DOUBLE_EQ(kinds[0].Real("algbw"), 4e6 / 100e-6);
}

TEST(Devices, OfOtherReplicaGroupsAreNotWaitedFor) {
  const ReportSet answer = Answer(Profile(Program(Groups({{0, 1}, {2, 3}})), 1, false));
  const auto ranks = RowsOf(answer, "collectives", "ranks");
  ASSERT_EQ(ranks.size(), 4u);
  for (const Row& row : ranks) {
    EXPECT_EQ(row.Int("matched"), kSteps);
    EXPECT_EQ(row.Int("wait"), row.Int("device") == 3 ? kSteps * 200 * kUs : 0);
  }
  const auto kinds = RowsOf(answer, "collectives", "collectives");
  ASSERT_EQ(kinds.size(), 2u);
  for (const Row& row : kinds) {
    EXPECT_DOUBLE_EQ(row.Real("busbw"), row.Real("algbw")) << "2 (n - 1) / n of two is 1";
  }
}

TEST(Devices, OfASizeThatTheProgramDoesNotTellHaveNone) {
  const ReportSet answer = Answer(Profile(HloProgram({}), 1));
  const auto kinds = RowsOf(answer, "collectives", "collectives");
  ASSERT_EQ(kinds.size(), 1u);
  EXPECT_FALSE(kinds[0].Has("bytes"));
  EXPECT_EQ(RowsOf(answer, "collectives", "ranks").at(0).Int("matched"), kSteps);
}

}  // namespace
}  // namespace stepscope::testing::devices_test
