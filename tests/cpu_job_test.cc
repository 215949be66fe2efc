// Tests jobs without accelerators: PyTorch over gloo, and JAX, where the host's threads compute and
// communicate.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "stepscope/compare.h"
#include "tests/front_door.h"
#include "tests/support/cpu_trace.h"
#include "tests/support/sample_hlo.h"
#include "tests/support/sample_xspace.h"

namespace stepscope::cpu_job_test {
namespace {

using testing::Ask;
using testing::CpuTrace;
using testing::NoteCount;
using testing::ScratchFolder;

// Ranks in step; in each step from the third on rank 1 spends 20 ms in Python before its second
// program.
Result<ReportSet> AskAboutSlowRank() {
  CpuTrace fast(0), slow(1);
  double start = 0;
  for (int step = 1; step <= 6; ++step) {
    const double python = step >= 3 ? 20 : 0;
    const double end = start + 25 + python;
    fast.Step(step, start, 0, end);
    slow.Step(step, start, python, end);
    start = end;
  }
  const ScratchFolder folder;
  return Ask({folder.Write("rank0.json", fast.End()), folder.Write("rank1.json", slow.End())});
}

const Report& ReportOf(const ReportSet& answer, std::string_view name) {
  return *std::ranges::find(answer.reports, name, &Report::analysis);
}

TEST(CpuJob, ThreadsAreTheDevice) {
  const auto answer = AskAboutSlowRank();
  ASSERT_TRUE(answer);
  EXPECT_EQ(NoteCount(*answer, "no_gpu_events"), 0);
  EXPECT_TRUE(answer->verdict.contains("% compute, ")) << answer->verdict;
  EXPECT_FALSE(answer->verdict.contains("device compute")) << answer->verdict;
  EXPECT_TRUE(ReportOf(*answer, "collectives").headline.contains("6"))
      << ReportOf(*answer, "collectives").headline;
}

TEST(CpuJob, NamesTheRankThatIsLate) {
  const auto answer = AskAboutSlowRank();
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.contains("ank 1")) << answer->verdict;
  const std::string& headline = ReportOf(*answer, "stragglers").headline;
  EXPECT_TRUE(headline.starts_with("Rank 1 causes 100.0% of all wait time")) << headline;
}

Result<ReportSet> AskAboutRanks(const std::vector<const CpuTrace*>& ranks) {
  const ScratchFolder folder;
  std::vector<std::string> paths;
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    paths.push_back(folder.Write(fmt::format("rank{}.json", rank), ranks[rank]->End()));
  return Ask(paths);
}

// Whether a finding, or what another one took as its evidence, says so: one line each.
std::string AllFindings(const ReportSet& answer) {
  std::string all;
  for (const Report& report : answer.reports) {
    for (const Finding& finding : report.findings) {
      all += finding.message + " " + finding.because + "\n";
      for (const auto& evidence : finding.evidence)
        all += evidence.message + " " + evidence.because + "\n";
    }
  }
  return all;
}

// From the third step on rank 1 normalizes twice for 10 ms.
TEST(CpuJob, NamesTheOperatorThatARankRunsMore) {
  CpuTrace fast(0), slow(1);
  double start = 0;
  for (int step = 1; step <= 6; ++step) {
    const double more = step >= 3 ? 20 : 0;
    fast.Step(step, start, 0, start + 25 + more);
    slow.Step(step, start, more, start + 25 + more);
    for (double at = 10; at < 10 + more; at += 10)
      slow.Add("cpu_op", "aten::layer_norm", start + at, 10);
    start += 25 + more;
  }
  const auto answer = AskAboutRanks({&fast, &slow});
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.contains("ank 1")) << answer->verdict;
  EXPECT_TRUE(answer->verdict.contains("since step 3")) << answer->verdict;
  EXPECT_TRUE(answer->verdict.contains("(aten::layer_norm)")) << answer->verdict;
  const std::string all = AllFindings(*answer);
  EXPECT_TRUE(all.contains(
      "Rank 1 is a straggler since step 3: more operators (aten::layer_norm), 34.8% of span."))
      << all;
  EXPECT_TRUE(all.contains("most of it in aten::layer_norm (2 more calls per step)")) << all;
}

// Rank 0 sorts for 40 ms of each step, and all else takes it 25 ms less. In two steps nobody waits
// for it.
TEST(CpuJob, AnOperatorThatTakesMoreThanItsRankDoesIsToldWithItsTime) {
  std::vector<CpuTrace> ranks{CpuTrace(0), CpuTrace(1)};
  for (int step = 1; step <= 12; ++step) {
    const double start = 100 * step, other = step % 6 == 0 ? 20 : 0;
    for (size_t rank = 0; rank < 2; ++rank) {
      const double sorts = rank == 0 ? 40 : 0, computes = rank == 0 ? 30 : 55 + other;
      CpuTrace& trace = ranks[rank];
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), start, 99);
      trace.Add("cpu_op", "aten::linear", start, computes);
      if (sorts > 0) trace.Add("cpu_op", "aten::sort", start + computes, sorts);
      const double posted = start + computes + sorts;
      trace.Add("cpu_op", "c10d::allreduce_", posted, 0.05);
      trace.Add("user_annotation", "gloo:all_reduce", posted + 0.1, start + 80 - posted, 2,
                R"("Input Dims":[[1000]],"Input type":["float"])");
      trace.Add("cpu_op", "aten::add_", start + 81, 5);
    }
  }
  const auto answer = AskAboutRanks({&ranks[0], &ranks[1]});
  ASSERT_TRUE(answer);
  const std::string all = AllFindings(*answer);
  EXPECT_TRUE(all.contains("Rank 0 is a straggler: more operators (aten::sort) in each step, "))
      << all;
  EXPECT_TRUE(
      all.contains("; aten::sort alone takes 40.0 ms more per step (1 more call per step), and "
                   "others less"))
      << all;
}

TEST(CpuJob, AnOperatorOfOneRankAloneGetsAdviceAboutThat) {
  CpuTrace fast(0), slow(1);
  for (int step = 1; step <= 8; ++step) {
    const double start = 45 * step;
    fast.Step(step, start, 0, start + 45);
    slow.Step(step, start, 20, start + 45);
    for (double at = 10; at < 30; at += 10) slow.Add("cpu_op", "aten::_unique2", start + at, 10);
  }
  const auto answer = AskAboutRanks({&fast, &slow});
  ASSERT_TRUE(answer);
  const std::string all = testing::AllSaid(*answer);
  EXPECT_TRUE(all.contains("try: only rank 1 calls aten::_unique2: call it less often")) << all;
}

// From step 5 on, or in all steps, a hook of rank 1 sorts for 20 ms.
Result<ReportSet> AskAboutHook(int first) {
  CpuTrace fast(0), slow(1);
  for (int step = 1; step <= 12; ++step) {
    const double start = 45 * step, more = step >= first ? 20 : 0;
    for (CpuTrace* trace : {&fast, &slow}) {
      trace->Step(step, start, trace == &slow ? more : 0, start + 45);
      trace->Add("python_function", "train.py(3): train", start, 44.9);
    }
    if (more == 0) continue;
    slow.Add("python_function", "probe.py(7): take", start + 9.9, 20.2);
    for (double at = 10; at < 30; at += 10) slow.Add("cpu_op", "aten::sort", start + at, 9.9);
  }
  return AskAboutRanks({&fast, &slow});
}

TEST(CpuJob, TheFunctionThatCallsAnOperatorMoreOftenIsNamed) {
  for (const int first : {1, 5}) {
    const auto answer = AskAboutHook(first);
    ASSERT_TRUE(answer);
    const std::string all = testing::AllSaid(*answer);
    EXPECT_TRUE(all.contains("more operators (aten::sort, called by take (probe.py:7))")) << all;
    EXPECT_TRUE(all.contains("try: only rank 1 calls take (probe.py:7): call it less often"))
        << all;
  }
}

// A loop in Python reads the elements of a tensor one by one, on both ranks.
TEST(CpuJob, AnOperatorThatRunsForEachElementIsNamed) {
  CpuTrace one(0), two(1);
  for (int step = 1; step <= 6; ++step) {
    const double start = 45.0 * step;
    for (CpuTrace* trace : {&one, &two}) {
      trace->Add("user_annotation", fmt::format("ProfilerStep#{}", step), start, 45);
      trace->Add("cpu_op", "aten::linear", start, 20);
      for (int call = 0; call < 1'500; ++call)
        trace->Add("cpu_op", "aten::item", start + 20 + 0.01 * call, 0.004);
      trace->Add("user_annotation", "gloo:all_reduce", start + 40, 1, 2);
    }
  }
  const auto answer = AskAboutRanks({&one, &two});
  ASSERT_TRUE(answer);
  const std::string all = AllFindings(*answer);
  EXPECT_TRUE(
      all.contains("aten::item runs 1,500 times per step: 13.3% of step time. 6.00 ms per "
                   "step, 4.00 µs a call; Python between the calls comes on top"))
      << all;
}

// All ranks compute longer since step 6, one of them so evenly that only it has a change point: the
// change is not that rank's.
TEST(CpuJob, AChangeThatOtherRanksShareIsNotOfOneRank) {
  CpuTrace even(0), uneven(1);
  for (int step = 1; step <= 12; ++step) {
    const double start = 200.0 * step, longer = step < 6 ? 0 : 60;
    const double noise = step % 3 == 0 ? 55 : step % 2 == 0 ? 25 : 0;
    for (CpuTrace* trace : {&even, &uneven}) {
      const double time = (trace == &even ? 30 + longer : 30 + longer / 2 + noise);
      const double whole = 130 + longer;
      trace->Add("user_annotation", fmt::format("ProfilerStep#{}", step), start, whole);
      trace->Add("cpu_op", "aten::linear", start, time);
      trace->Add("user_annotation", "gloo:all_reduce", start + time, whole - time, 2);
    }
  }
  const auto answer = AskAboutRanks({&even, &uneven});
  ASSERT_TRUE(answer);
  const std::string all = AllFindings(*answer);
  EXPECT_TRUE(all.contains("rank 0 (most) computes 60.0 ms longer (aten::linear), as does 1 other"))
      << all;
}

// Rank 1 has four times the rows; the weights, [8,8] on both, say nothing of that.
TEST(CpuJob, LargerInputsAreNoSlowDevice) {
  CpuTrace few(0), many(1);
  for (int step = 1; step <= 6; ++step) {
    const double start = 45 * step;
    for (CpuTrace* trace : {&few, &many}) {
      const double time = trace == &few ? 10 : 30;
      const std::string_view dims =
          trace == &few ? R"("Input Dims":[[16,8],[8,8]])" : R"("Input Dims":[[64,8],[8,8]])";
      trace->Add("user_annotation", fmt::format("ProfilerStep#{}", step), start, 45);
      trace->Add("cpu_op", "aten::linear", start, time, 1, dims);
      trace->Add("user_annotation", "gloo:all_reduce", start + time, 45 - time, 2);
    }
  }
  const auto answer = AskAboutRanks({&few, &many});
  ASSERT_TRUE(answer);
  const std::string all = AllFindings(*answer);
  EXPECT_TRUE(
      all.contains("Rank 1 is a straggler in every recorded step (1 to 6): larger inputs "
                   "(aten::linear)"))
      << all;
  EXPECT_TRUE(all.contains("most of it in aten::linear (inputs 4.0× as large)")) << all;
  EXPECT_TRUE(all.contains("(aten::linear), 22.2% of span.")) << "half of it is saved: " << all;
}

// Two collectives at a time: rank 0 waits 20 ms in both, of which it computes 7 ms, in 4 steps.
TEST(CpuJob, WaitsAtOneTimeCountOnce) {
  CpuTrace fast(0), slow(1);
  double start = 0;
  for (int step = 1; step <= 6; ++step) {
    const double python = step >= 3 ? 20 : 0;
    const double end = start + 25 + python;
    fast.Step(step, start, 0, end)
        .Add("user_annotation", "gloo:all_reduce", start + 13, end - start - 13, 3,
             R"("Input Dims":[[5]])");
    slow.Step(step, start, python, end)
        .Add("user_annotation", "gloo:all_reduce", start + 13 + python, 12, 3,
             R"("Input Dims":[[5]])");
    start = end;
  }
  const auto answer = AskAboutRanks({&fast, &slow});
  ASSERT_TRUE(answer);
  EXPECT_EQ(testing::FirstRow(*answer, "ranks", "lost"), 4 * 20'000'000) << AllFindings(*answer);
}

// Of each step of 60 ms, rank 0 computes 20 ms, rank 1 33 ms and rank 2 4 ms; messages wait for the
// rest. The send of rank 1 is waited for only at its end, and its thread computes meanwhile.
TEST(CpuJob, NamesTheStageThatOthersWaitFor) {
  CpuTrace first(0, "[]", 1, 3), middle(1, "[]", 1, 3), last(2, "[]", 1, 3);
  const auto message = [](CpuTrace& trace, std::string_view what, double from, double to) {
    trace.Add("user_annotation", fmt::format("gloo:{}", what), from, to - from);
  };
  const auto computes = [](CpuTrace& trace, double forward, double forward_time, double backward,
                           double backward_time) {
    trace.Add("cpu_op", "aten::linear", forward, forward_time);
    trace.Add("cpu_op", "autograd::engine::evaluate_function: AddmmBackward0", backward,
              backward_time);
  };
  for (int step = 1; step <= 6; ++step) {
    const double t = 60 * step;
    for (CpuTrace* trace : {&first, &middle, &last})
      trace->Add("user_annotation", fmt::format("ProfilerStep#{}", step), t, 60);
    computes(first, t, 10, t + 49.5, 10);
    message(first, "send", t + 10, t + 11);
    message(first, "recv", t + 11, t + 49.5);
    computes(middle, t + 10, 15, t + 30, 18);
    message(middle, "recv", t + 0.1, t + 10);
    message(middle, "send", t + 25, t + 48.5);
    message(middle, "send", t + 48, t + 59.5);
    computes(last, t + 25, 2, t + 27, 2);
    message(last, "recv", t + 0.1, t + 25);
    message(last, "send", t + 29, t + 59.5);
  }
  const auto answer = AskAboutRanks({&first, &middle, &last});
  ASSERT_TRUE(answer);
  EXPECT_TRUE(
      answer->verdict.contains("Rank 1 is the slow stage: slower operators or larger inputs "
                               "(AddmmBackward0)"))
      << answer->verdict << AllFindings(*answer);
  EXPECT_EQ(ReportOf(*answer, "stragglers").findings.front().where.event, "AddmmBackward0");
}

// From step 9 on rank 1 spends 8 ms of 60 between operators; its thread idles as long, in an
// operator that does not compute, now and then in all steps.
TEST(CpuJob, SinceWhenIsSeenBetweenOperators) {
  CpuTrace first(0), second(1);
  for (int step = 3; step <= 18; ++step) {
    const double t = 60 * step, python = step >= 9 ? 8 : 0, idle = (step * 7) % 11;
    for (CpuTrace* trace : {&first, &second}) {
      const double gap = trace == &second ? python : 0;
      trace->Add("user_annotation", fmt::format("ProfilerStep#{}", step), t, 60);
      trace->Add("cpu_op", "aten::linear", t, 20);
      trace->Add("cpu_op", "aten::empty", t + 20, idle);
      trace->Add("user_annotation", "gloo:send", t + 20 + idle + gap, 0.5);
      trace->Add("user_annotation", "gloo:recv", t + 20.5 + idle + gap, 19.5 - idle - gap);
      trace->Add("cpu_op", "aten::linear", t + 40, 20);
    }
  }
  const auto answer = AskAboutRanks({&first, &second});
  ASSERT_TRUE(answer);
  EXPECT_TRUE(AllFindings(*answer).contains(
      "Rank 1 is the slow stage since step 9: time between operators"))
      << AllFindings(*answer);
}

// From step 9 on rank 1 calls another operator ten times: 0.4 ms in each, and 0.5 ms before each.
TEST(CpuJob, TimeBetweenMoreOperatorsIsTheirs) {
  CpuTrace first(0), second(1);
  for (int step = 3; step <= 18; ++step) {
    const double t = 60 * step;
    for (CpuTrace* trace : {&first, &second}) {
      const int calls = trace == &second && step >= 9 ? 10 : 0;
      trace->Add("user_annotation", fmt::format("ProfilerStep#{}", step), t, 60);
      trace->Add("cpu_op", "aten::linear", t, 20);
      for (int call = 0; call < calls; ++call)
        trace->Add("cpu_op", "aten::layer_norm", t + 20.5 + 0.9 * call, 0.4);
      const double sent = t + 20 + 0.9 * calls;
      trace->Add("user_annotation", "gloo:send", sent, 0.5);
      trace->Add("user_annotation", "gloo:recv", sent + 0.5, t + 40 - sent - 0.5);
      trace->Add("cpu_op", "aten::linear", t + 40, 20);
    }
  }
  const auto answer = AskAboutRanks({&first, &second});
  ASSERT_TRUE(answer);
  const std::string all = AllFindings(*answer);
  EXPECT_TRUE(all.contains(
      "Rank 1 is the slow stage since step 9: more operators (aten::layer_norm), 9.4% of span"))
      << all;
  EXPECT_TRUE(
      all.contains("90.0 ms more than the median of the others in more operators and "
                   "between them; most of it in aten::layer_norm (10 more calls per step)"))
      << all;
}

// Each of two process groups has two threads, and any of them takes the next collective.
TEST(CpuJob, ProcessGroupsAreToldByTheirThreads) {
  CpuTrace ranks[] = {CpuTrace(0, "[]", 2), CpuTrace(1, "[]", 2)};
  for (int step = 1; step <= 6; ++step) {
    for (int rank = 0; rank < 2; ++rank) {
      const double start = 30 * step;
      const int other = (step / (rank + 1)) % 2;
      CpuTrace& trace = ranks[rank];
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), start, 30);
      trace.Add("cpu_op", "aten::linear", start, 10);
      trace.Add("user_annotation", "gloo:all_reduce", start + 10, 8 + step % 3, 11 + other,
                R"("Input Dims":[[1000]])");
      trace.Add("user_annotation", "gloo:all_reduce", start + 21, 4 + step % 2, 21 + other,
                R"("Input Dims":[[5]])");
    }
  }
  const auto answer = AskAboutRanks({&ranks[0], &ranks[1]});
  ASSERT_TRUE(answer);
  const Report& collectives = ReportOf(*answer, "collectives");
  EXPECT_TRUE(collectives.headline.starts_with("12 collectives matched across 2 ranks"))
      << collectives.headline;
}

TEST(CpuJob, MpiAndUccCommunicateToo) {
  for (const std::string_view library : {"mpi", "ucc"}) {
    CpuTrace trace(0);
    for (int step = 1; step <= 3; ++step) {
      const double start = 30 * step;
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), start, 30);
      trace.Add("cpu_op", "aten::linear", start, 10);
      trace.Add("user_annotation", fmt::format("{}:all_reduce", library), start + 10, 20, 2);
    }
    const auto answer = testing::AskAbout(trace.End());
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->verdict.contains("66.7% collectives")) << answer->verdict;
  }
}

// One process of JAX: in each of 6 steps of 95 ms it reads, multiplies for 10 ms and reduces.
std::string JaxProcess(int64_t read) {
  constexpr int64_t kMs = 1'000'000;
  SampleXSpace file;
  SamplePlane& host = file.Plane("/host:CPU");
  SampleLine& python = host.Line(1, "python");
  SampleLine& xla = host.Line(2, "tf_XLAEigen/17");
  for (int64_t step = 0; step < 6; ++step) {
    const int64_t start = (1 + step) * 100 * kMs;
    const int64_t computes = start + read * kMs, reduces = computes + 10 * kMs;
    const auto stats = [&](const char* op) {
      return SampleStats{{"hlo_op", op}, {"hlo_module", "jit_train_step"}, {"run_id", step}};
    };
    python.Event("train", start, 95 * kMs, {{"_r", 1}, {"step_num", step}});
    python.Event("PjitFunction(train_step)", start + read * kMs, kMs, {});
    xla.Event("dot.3", computes, 10 * kMs, stats("dot.3"));
    xla.Event("all-reduce.2", reduces, start + 90 * kMs - reduces, stats("all-reduce.2"));
  }
  return file.Bytes();
}

TEST(CpuJob, ProcessesOfJaxAreRanks) {
  const ScratchFolder folder;
  const auto answer = Ask({folder.Write("process0.xplane.pb", JaxProcess(0)),
                           folder.Write("process1.xplane.pb", JaxProcess(60))});
  ASSERT_TRUE(answer);
  EXPECT_EQ(NoteCount(*answer, "no_gpu_events"), 0);
  const std::string all = AllFindings(*answer);
  EXPECT_TRUE(all.contains("Rank 1 is a straggler")) << all;
  EXPECT_TRUE(all.contains("time between operators")) << all;
}

// One process of two: from its main thread each step calls back into Python for 2 ms, or on process
// 1 for 45 ms, then multiplies and reduces. A thread of a pool has no frames of its own.
std::string CallingBack(bool slow, bool with_frames) {
  constexpr int64_t kMs = 1'000'000;
  SampleXSpace file;
  SamplePlane& host = file.Plane("/host:CPU");
  SampleLine& python = host.Line(1, "python");
  SampleLine& xla = host.Line(2, "tf_XLAEigen/17");
  for (int64_t step = 0; step < 8; ++step) {
    const int64_t start = (1 + step) * 100 * kMs, calls = (slow ? 45 : 2) * kMs;
    const int64_t computes = start + 6 * kMs + calls, reduces = computes + 10 * kMs;
    const auto stats = [&](const char* op) {
      return SampleStats{{"hlo_op", op}, {"hlo_module", "jit_train_step"}, {"run_id", step}};
    };
    python.Event("train", start, 95 * kMs, {{"_r", 1}, {"step_num", step}});
    if (with_frames) python.Event("$train.py:39 one_step", start, 94 * kMs);
    python.Event("PjitFunction(train_step)", start + 4 * kMs, calls + kMs, {});
    python.Event("pure_callback.1", start + 5 * kMs, calls, stats("pure_callback.1"));
    if (with_frames) {
      python.Event("$callback.py:221 _callback", start + 5 * kMs + 100, calls - 200);
      python.Event("$train.py:13 audit", start + 5 * kMs + 200, calls - 400);
    }
    xla.Event("dot.3", computes, 10 * kMs, stats("dot.3"));
    xla.Event("all-reduce.2", reduces, start + 90 * kMs - reduces, stats("all-reduce.2"));
  }
  return file.Bytes();
}

// The finding about the rank that is late, of two processes.
Finding OfCallingBack(bool with_frames) {
  const ScratchFolder folder;
  const auto answer = Ask({folder.Write("process0.xplane.pb", CallingBack(false, with_frames)),
                           folder.Write("process1.xplane.pb", CallingBack(true, with_frames))});
  if (!answer) return {};
  for (const Finding& finding : ReportOf(*answer, "stragglers").findings) {
    if (finding.message.contains("Rank 1 is a straggler")) return finding;
  }
  return {.message = AllFindings(*answer)};
}

TEST(CpuJob, AHostCallbackOfJaxIsNamedWithAdviceForIt) {
  const Finding finding = OfCallingBack(true);
  EXPECT_TRUE(finding.message.contains("Python in pure_callback.1 (audit (train.py:13)"))
      << finding.message;
  EXPECT_TRUE(finding.because.contains("most of it in pure_callback.1, in which audit"))
      << finding.because;
  EXPECT_TRUE(finding.hint.starts_with("take audit (train.py:13)")) << finding.hint;
  EXPECT_TRUE(finding.hint.contains("jax.debug.callback")) << finding.hint;
  EXPECT_EQ(finding.where.event, "audit (train.py:13)");
}

TEST(CpuJob, AHostCallbackOfJaxWithoutFramesIsTheOperator) {
  const Finding finding = OfCallingBack(false);
  EXPECT_TRUE(finding.message.contains("(pure_callback.1)")) << finding.message;
  EXPECT_TRUE(finding.hint.starts_with("take pure_callback.1 out of the step")) << finding.hint;
  EXPECT_EQ(finding.where.event, "pure_callback.1");
}

// New shapes in every fourth step, or in none; what compiles lies below a wrapper of JAX's own
// profiler.
Result<ReportSet> AskAboutNewShapes(bool any) {
  SampleXSpace file;
  SamplePlane& host = file.Plane("/host:CPU");
  SampleLine& python = host.Line(1, "python");
  SampleLine& xla = host.Line(2, "tf_XLAEigen/17");
  int64_t at = 0;
  for (int64_t step = 1; step <= 12; ++step) {
    const int64_t compiles = any && step % 4 == 2 ? 900'000 : 0;
    python.Event("train", at, 100'000 + compiles, {{"_r", 1}, {"step_num", step}});
    python.Event("$train.py:39 one_step", at + 100, 99'000 + compiles);
    python.Event("PjitFunction(score)", at + 150, compiles + 100);
    if (compiles > 0) {
      python.Event("$profiler.py:361 wrapper", at + 200, compiles);
      python.Event("backend_compile_and_load", at + 250, compiles - 100);
      python.Event("$compiler.py:322 backend_compile_and_load", at + 300, compiles - 200);
      python.Event("PjRtCpuClient::Compile", at + 400, compiles - 400);
    }
    xla.Event("dot.3", at + compiles + 2'000, 80'000,
              {{"hlo_op", "dot.3"}, {"hlo_module", "jit_step"}});
    at += 100'000 + compiles;
  }
  const ScratchFolder folder;
  return Ask({folder.Write("host.xplane.pb", file.Bytes())});
}

TEST(CpuJob, StepsThatCompileAreToldAndNoWrapperOfTheLibrary) {
  const auto answer = AskAboutNewShapes(true);
  ASSERT_TRUE(answer.has_value());
  const std::string all = testing::AllSaid(*answer);
  EXPECT_TRUE(
      answer->verdict.starts_with("Compilation of score in every 4th step (2, 6 and 10) is "))
      << all;
  EXPECT_FALSE(all.contains("wrapper (profiler.py")) << all;
  EXPECT_FALSE(all.contains("wrapper of profiler.py")) << all;
}

TEST(CpuJob, AComparisonTellsWhatIsCompiledAndNoFunctionOfTheCompiler) {
  const auto before = AskAboutNewShapes(false), after = AskAboutNewShapes(true);
  ASSERT_TRUE(before.has_value() && after.has_value());
  const Phrase rose = Compare(*before, *after).verdict, fell = Compare(*after, *before).verdict;
  EXPECT_TRUE(rose.contains("score is compiled within steps")) << rose;
  EXPECT_FALSE(rose.contains("backend_compile_and_load")) << rose;
  EXPECT_TRUE(fell.contains("score is no longer compiled within steps")) << fell;
  EXPECT_FALSE(fell.contains("backend_compile_and_load")) << fell;
}

// Their ops are operators of the host, and the compiler counts FLOPs of whole programs.
// Their operations have opcodes, whose names are of the rank and of no event.
TEST(CpuJob, OfJaxHasATimelineWhoseOperationsCompute) {
  SampleXSpace file;
  SamplePlane& host = file.Plane("/host:CPU");
  SampleLine& python = host.Line(1, "python");
  SampleLine& xla = host.Line(2, "tf_XLAEigen/17");
  for (int64_t step = 0; step < 3; ++step) {
    const int64_t at = step * 100'000;
    python.Event("train", at, 100'000, {{"_r", 1}, {"step_num", step}});
    for (const auto& [name, from] : {std::pair("dot.3", 2'000), std::pair("all-reduce.4", 50'000)})
      xla.Event(name, at + from, 40'000, {{"hlo_op", name}, {"hlo_module", "jit_step"}});
  }
  const std::string shape = SampleShape({64});
  const std::string program =
      SampleComputation(5, {SampleInstruction("p0", "parameter", 1, shape, {}),
                            SampleInstruction("dot.3", "dot", 2, shape, {1, 1}),
                            SampleInstruction("all-reduce.4", "all-reduce", 3, shape, {2})});
  file.Plane("/host:metadata")
      .Metadata("jit_step(17)", {{"Hlo Proto", SampleBytes{HloProgram({program})}}});
  const ScratchFolder folder;
  const std::vector paths{folder.Write("host.xplane.pb", file.Bytes())};
  auto session = Session::Open(paths, {.keep_events = true});
  ASSERT_TRUE(session.has_value());
  ASSERT_TRUE(session->Analyze().has_value());
  const auto timeline = session->TakeTimeline();
  ASSERT_TRUE(timeline.has_value());
  for (const auto& [name, kind] :
       {std::pair("dot.3", "compute"), std::pair("all-reduce.4", "communication")}) {
    const auto found = timeline->Find(name, 0, 1, 1).value();
    ASSERT_EQ(found.matches.size(), 1u) << name;
    EXPECT_EQ(timeline->Describe(found.matches[0].ref)->event.kind, kind);
  }
}

TEST(CpuJob, OfJaxSaysWhereHloOpsAndFlopsAre) {
  SampleXSpace file;
  SamplePlane& host = file.Plane("/host:CPU");
  SampleLine& python = host.Line(1, "python");
  SampleLine& xla = host.Line(2, "tf_XLAEigen/17");
  for (int64_t step = 0; step < 3; ++step) {
    const int64_t at = step * 100'000;
    python.Event("train", at, 100'000, {{"_r", 1}, {"step_num", step}});
    xla.Event("dot.3", at + 2'000, 90'000, {{"hlo_op", "dot.3"}, {"hlo_module", "jit_step"}});
  }
  const std::string program =
      SampleComputation(5, {SampleInstruction("p0", "parameter", 1, SampleShape({64}), {}),
                            SampleInstruction("add.1", "add", 2, SampleShape({64}), {1, 1})});
  file.Plane("/host:metadata")
      .Metadata("jit_step(17)", {{"Hlo Proto", SampleBytes{HloProgram({program})}}});
  const ScratchFolder folder;
  const auto answer = Ask({folder.Write("host.xplane.pb", file.Bytes())});
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(ReportOf(*answer, "hlo_operators").why,
            "HLO ops ran on the host, and this analysis has those of devices only: see operators");
  EXPECT_EQ(ReportOf(*answer, "flops").why,
            "FLOPs are known of whole compiled programs, not of what ran: see programs");
}

TEST(CpuJob, AFunctionThatWaitsForCompiledProgramsIsNotTheAnswer) {
  SampleXSpace file;
  SamplePlane& host = file.Plane("/host:CPU");
  SampleLine& python = host.Line(1, "python");
  SampleLine& xla = host.Line(2, "tf_XLAPjRtCpuClient/7");
  for (int step = 0; step < 3; ++step) {
    const int64_t at = step * 100'000;
    python.Event("train", at, 100'000, {{"_r", 1}, {"step_num", step}});
    python.Event("PjitFunction(step)", at + 100, 800);
    python.Event("$api.py:9 block_until_ready", at + 1'000, 98'000);
    xla.Event("dot.3", at + 2'000, 90'000, {{"hlo_op", "dot.3"}, {"hlo_module", "jit_step"}});
  }
  const ScratchFolder folder;
  const auto answer = Ask({folder.Write("host.xplane.pb", file.Bytes())});
  ASSERT_TRUE(answer.has_value());
  EXPECT_TRUE(answer->verdict.starts_with("Step time is 100 µs")) << answer->verdict;
  EXPECT_TRUE(answer->verdict.contains("90.0% compute")) << answer->verdict;
}

TEST(CpuJob, AnAnalysisAloneSaysTheSameAsAllTogether) {
  CpuTrace fast(0), slow(1);
  double start = 0;
  for (int step = 1; step <= 4; ++step, start += 45) {
    fast.Step(step, start, 0, start + 45);
    slow.Step(step, start, 20, start + 45);
  }
  const ScratchFolder folder;
  const std::vector paths = {folder.Write("rank0.json", fast.End()),
                             folder.Write("rank1.json", slow.End())};
  const auto all = Ask(paths);
  ASSERT_TRUE(all);
  for (const std::string name : {"comm_overlap", "temporal_breakdown", "collectives", "steps"}) {
    const auto session = Session::Open(paths, {.analyses = {name}});
    ASSERT_TRUE(session);
    const auto alone = session->Analyze();
    ASSERT_TRUE(alone);
    EXPECT_EQ(ReportOf(*alone, name).headline, ReportOf(*all, name).headline);
    EXPECT_FALSE(ReportOf(*alone, name).headline.empty()) << name;
  }
}

TEST(CpuJob, AnAcceleratorThatWasNotRecordedIsNoCpuJob) {
  CpuTrace trace(0, R"([{"id":0,"name":"NVIDIA H100"}])");
  trace.Step(1, 0, 0, 25).Step(2, 25, 0, 50);
  const auto answer = testing::AskAbout(trace.End());
  ASSERT_TRUE(answer);
  EXPECT_EQ(NoteCount(*answer, "no_gpu_events"), 1);
}

}  // namespace
}  // namespace stepscope::cpu_job_test
