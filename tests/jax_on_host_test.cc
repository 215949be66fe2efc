// Tests jobs of JAX on processors: ranks, callbacks, compilation, and their timeline.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "stepscope/compare.h"
#include "tests/answer.h"
#include "tests/front_door.h"
#include "tests/support/sample_hlo.h"
#include "tests/support/sample_xspace.h"

namespace stepscope::jax_on_host_test {
namespace {

using testing::AllSaid;
using testing::Ask;
using testing::NoteCount;
using testing::ReportOf;
using testing::ScratchFolder;

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

TEST(JaxOnHost, ProcessesOfJaxAreRanks) {
  const ScratchFolder folder;
  const auto answer = Ask({folder.Write("process0.xplane.pb", JaxProcess(0)),
                           folder.Write("process1.xplane.pb", JaxProcess(60))});
  ASSERT_TRUE(answer);
  EXPECT_EQ(NoteCount(*answer, "no_gpu_events"), 0);
  const std::string all = AllSaid(*answer);
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
  return {.message = AllSaid(*answer)};
}

TEST(JaxOnHost, AHostCallbackOfJaxIsNamedWithAdviceForIt) {
  const Finding finding = OfCallingBack(true);
  EXPECT_TRUE(finding.message.contains("Python in pure_callback.1 (audit (train.py:13)"))
      << finding.message;
  EXPECT_TRUE(finding.because.contains("most of it in pure_callback.1, in which audit"))
      << finding.because;
  EXPECT_TRUE(finding.hint.starts_with("take audit (train.py:13)")) << finding.hint;
  EXPECT_TRUE(finding.hint.contains("jax.debug.callback")) << finding.hint;
  EXPECT_EQ(finding.where.event, "audit (train.py:13)");
}

TEST(JaxOnHost, AHostCallbackOfJaxWithoutFramesIsTheOperator) {
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

TEST(JaxOnHost, StepsThatCompileAreToldAndNoWrapperOfTheLibrary) {
  const auto answer = AskAboutNewShapes(true);
  ASSERT_TRUE(answer.has_value());
  const std::string all = testing::AllSaid(*answer);
  EXPECT_TRUE(
      answer->verdict.starts_with("Compilation of score in every 4th step (2, 6 and 10) is "))
      << all;
  EXPECT_FALSE(all.contains("wrapper (profiler.py")) << all;
  EXPECT_FALSE(all.contains("wrapper of profiler.py")) << all;
}

TEST(JaxOnHost, AComparisonTellsWhatIsCompiledAndNoFunctionOfTheCompiler) {
  const auto before = AskAboutNewShapes(false), after = AskAboutNewShapes(true);
  ASSERT_TRUE(before.has_value() && after.has_value());
  const Phrase rose = Compare(*before, *after).verdict, fell = Compare(*after, *before).verdict;
  EXPECT_TRUE(rose.contains("score is compiled within steps")) << rose;
  EXPECT_FALSE(rose.contains("backend_compile_and_load")) << rose;
  EXPECT_TRUE(fell.contains("score is no longer compiled within steps")) << fell;
  EXPECT_FALSE(fell.contains("backend_compile_and_load")) << fell;
}

// Three steps that each run `ops` one after the other, 40 us each, of a program.
std::string OpsOfProgram(const std::vector<const char*>& ops, const std::string& computation) {
  SampleXSpace file;
  SamplePlane& host = file.Plane("/host:CPU");
  SampleLine& python = host.Line(1, "python");
  SampleLine& xla = host.Line(2, "tf_XLAEigen/17");
  for (int64_t step = 0; step < 3; ++step) {
    int64_t at = step * 100'000;
    python.Event("train", at, 100'000, {{"_r", 1}, {"step_num", step}});
    at += 2'000;
    for (const char* op : ops) {
      xla.Event(op, at, 40'000, {{"hlo_op", op}, {"hlo_module", "jit_step"}});
      at += 48'000;
    }
  }
  const SampleBytes program{HloProgram({computation})};
  file.Plane("/host:metadata").Metadata("jit_step(17)", {{"Hlo Proto", program}});
  return file.Bytes();
}

// Their operations have opcodes, whose names are of the rank and of no event.
TEST(JaxOnHost, HasATimelineWhoseOperationsCompute) {
  const std::string shape = SampleShape({64});
  const std::string computation =
      SampleComputation(5, {SampleInstruction("p0", "parameter", 1, shape, {}),
                            SampleInstruction("dot.3", "dot", 2, shape, {1, 1}),
                            SampleInstruction("all-reduce.4", "all-reduce", 3, shape, {2})});
  const ScratchFolder folder;
  const std::vector paths{
      folder.Write("host.xplane.pb", OpsOfProgram({"dot.3", "all-reduce.4"}, computation))};
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

// Their ops are operators of the host, and the compiler counts FLOPs of whole programs.
TEST(JaxOnHost, SaysWhereHloOpsAndFlopsAre) {
  const std::string shape = SampleShape({64});
  const std::string computation =
      SampleComputation(5, {SampleInstruction("p0", "parameter", 1, shape, {}),
                            SampleInstruction("add.1", "add", 2, shape, {1, 1})});
  const ScratchFolder folder;
  const auto answer = Ask({folder.Write("host.xplane.pb", OpsOfProgram({"dot.3"}, computation))});
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(ReportOf(*answer, "hlo_operators").why,
            "HLO ops ran on the host, and this analysis has those of devices only: see operators");
  EXPECT_EQ(ReportOf(*answer, "flops").why,
            "FLOPs are known of whole compiled programs, not of what ran: see programs");
}

TEST(JaxOnHost, AFunctionThatWaitsForCompiledProgramsIsNotTheAnswer) {
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

}  // namespace
}  // namespace stepscope::jax_on_host_test
