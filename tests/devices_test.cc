// Tests several devices in one process, as TensorFlow and JAX run them: they wait for one another
// in collectives, on one clock. Sizes and groups of collectives are those of the compiled program.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
    EXPECT_EQ(row.Int("as_last"), slow ? 3 * kSteps * 200 * kUs : 0);
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

// Four devices on the processors of one process of JAX (pmap), of which another thread of the pool
// works for each in every step. Each computes for 20 ms in a loop of 4 turns, device `slow` for
// 40 ms, and waits for the others of its group in "psum.5", which is an all-reduce as the program
// says. The loop's body runs within it, of device 1 on another thread.
struct Pmap {
  int slow = 2;               // -1: none
  bool by_more_turns = true;  // or by longer ones
  bool with_program = true;
  bool with_rendezvous = true;
  bool of_pairs = false;
};

void AddPmapStep(const Pmap& job, std::span<SampleLine* const> threads, int64_t step) {
  constexpr int64_t kMs = kMillisecond;
  const int64_t begin = (step + 1) * 100 * kMs;
  const auto computes = [&](int device) { return (device == job.slow ? 40 : 20) * kMs; };
  for (int device = 0; device < 4; ++device) {
    SampleLine& thread = *threads[static_cast<size_t>((device + step) % 4)];
    const int first = job.of_pairs ? device / 2 * 2 : 0, count = job.of_pairs ? 2 : 4;
    int64_t longest = 0;
    std::string devices;
    for (int d = first; d < first + count; ++d) {
      longest = std::max(longest, computes(d));
      devices += (devices.empty() ? "" : ",") + std::to_string(d);
    }
    const auto stats = [&](const char* op) {
      return SampleStats{{"hlo_op", SampleRef{op}},
                         {"hlo_module", SampleRef{"pmap_step"}},
                         {"program_id", 5},
                         {"run_id", step},
                         {"device_ordinal", device}};
    };
    const int64_t start = begin + kMs, reduces = start + computes(device);
    const int64_t end = start + longest + 2 * kMs;
    thread.Event("while.5", start, computes(device), stats("while.5"));
    const int turns = job.by_more_turns && device == job.slow ? 8 : 4;
    SampleLine& body = device == 1 ? *threads[4] : thread;
    for (int turn = 0; turn < turns; ++turn)
      body.Event("dot_general.1", start + turn * computes(device) / turns, computes(device) / turns,
                 stats("dot_general.1"));
    thread.Event("psum.5", reduces, end - reduces, stats("psum.5"));
    if (!job.with_rendezvous) continue;
    thread.Event("Rendezvous", reduces + kUs, end - reduces - 2 * kUs,
                 {{"name", "all reduce RendezvousKey{run_id=RunId: 7, global_devices=[" + devices +
                               "], num_local_participants=4, op_id=3}"}});
  }
}

std::string PmapProfile(const Pmap& job) {
  SampleXSpace file;
  SamplePlane& host = file.Plane("/host:CPU");
  SampleLine& python = host.Line(1, "python");
  std::vector<SampleLine*> threads;
  for (int t = 0; t < 4; ++t)
    threads.push_back(&host.Line(10 + t, "tf_XLAPjRtCpuClient/" + std::to_string(t)));
  threads.push_back(&host.Line(20, "tf_XLAEigen/4"));
  for (int64_t step = 0; step < 8; ++step) {
    python.Event("train", (step + 1) * 100 * kMillisecond, 90 * kMillisecond,
                 {{"_r", 1}, {"step_num", step}});
    python.Event("JaxPmapFunction(step)", (step + 1) * 100 * kMillisecond, kMillisecond / 2);
    AddPmapStep(job, threads, step);
  }
  const std::string groups = job.of_pairs ? Groups({{0, 1}, {2, 3}}) : Groups({{0, 1, 2, 3}});
  const std::string program = HloProgram({SampleComputation(
      1, {SampleInstruction("while.5", "while", 1, SampleShape({kElements}), {}),
          SampleInstruction("psum.5", "all-reduce", 2, SampleShape({kElements}), {1}, groups)})});
  if (job.with_program)
    file.Plane("/host:metadata").Metadata("pmap_step(5)", {{"Hlo Proto", SampleBytes{program}}});
  return file.Bytes();
}

TEST(Devices, OnProcessorsWaitForOneAnother) {
  for (const bool with_program : {true, false}) {
    const ReportSet answer = Answer(PmapProfile({.with_program = with_program}));
    EXPECT_TRUE(
        answer.verdict.starts_with("Device 2 is a straggler in every recorded step (0 to "
                                   "7): more operators (while.5), "))
        << answer.verdict;
    const auto ranks = RowsOf(answer, "collectives", "ranks");
    ASSERT_EQ(ranks.size(), 4u);
    for (const Row& row : ranks) {
      EXPECT_EQ(row.Int("matched"), 8);
      EXPECT_EQ(row.Int("wait"), row.Int("device") == 2 ? 0 : 8 * 20 * kMillisecond);
      EXPECT_EQ(row.Int("transfer"), 8 * 2 * kMillisecond);
    }
    const auto kinds = RowsOf(answer, "collectives", "collectives");
    ASSERT_EQ(kinds.size(), 1u);
    EXPECT_EQ(kinds[0].Text("operation"), "all-reduce");
    EXPECT_EQ(kinds[0].Has("bytes"), with_program);
  }
}

TEST(Devices, OnProcessorsAreNotAccusedWhereNoneIsSlow) {
  const ReportSet answer = Answer(PmapProfile({.slow = -1}));
  EXPECT_FALSE(AllSaid(answer).contains("straggler")) << AllSaid(answer);
  EXPECT_TRUE(ReportOf(answer, "stragglers").findings.empty());
}

// What of a loop runs on other threads is chance: the loop of device 1 has no more operators.
TEST(Devices, OnProcessorsRunAsManyOperatorsOnWhicheverThread) {
  const ReportSet answer = Answer(PmapProfile({.slow = 1, .by_more_turns = false}));
  const Finding* straggler = Find(answer, "stragglers");
  ASSERT_NE(straggler, nullptr);
  EXPECT_TRUE(straggler->message.contains("slower operators")) << straggler->message;
  EXPECT_FALSE(AllSaid(answer).contains("more operators")) << AllSaid(answer);
}

TEST(Devices, OnProcessorsWaitForThoseOfTheirGroupAlone) {
  const ReportSet answer = Answer(PmapProfile({.of_pairs = true}));
  for (const Row& row : RowsOf(answer, "collectives", "ranks")) {
    EXPECT_EQ(row.Int("matched"), 8);
    EXPECT_EQ(row.Int("wait"), row.Int("device") == 3 ? 8 * 20 * kMillisecond : 0);
  }
}

// The groups of the program are of replicas: which devices run these is not recorded.
TEST(Devices, OnProcessorsAreNotMatchedWhereTheirGroupsAreNotKnown) {
  const ReportSet answer = Answer(PmapProfile({.with_rendezvous = false, .of_pairs = true}));
  const auto ranks = RowsOf(answer, "collectives", "ranks");
  ASSERT_EQ(ranks.size(), 4u);
  for (const Row& row : ranks) EXPECT_EQ(row.Int("matched"), 0);
}

// Names tell where there is no program, and not against it.
TEST(Devices, AnOperationIsWhatItsProgramSays) {
  SampleXSpace file;
  SamplePlane& host = file.Plane("/host:CPU");
  SampleLine& python = host.Line(1, "python");
  SampleLine& pool = host.Line(2, "tf_XLAEigen/17");
  for (int64_t step = 0; step < 4; ++step) {
    const int64_t at = step * 100'000;
    python.Event("train", at, 100'000, {{"_r", 1}, {"step_num", step}});
    python.Event("PjitFunction(step)", at, 500);
    pool.Event("psum.5", at + 1'000, 90'000, {{"hlo_op", "psum.5"}, {"hlo_module", "jit_step"}});
  }
  file.Plane("/host:metadata")
      .Metadata("jit_step(5)",
                {{"Hlo Proto",
                  SampleBytes{HloProgram({SampleComputation(
                      1, {SampleInstruction("psum.5", "copy", 1, SampleShape({8}), {})})})}}});
  EXPECT_TRUE(Answer(file.Bytes()).verdict.contains("90.0% compute"));
}

}  // namespace
}  // namespace stepscope::testing::devices_test
