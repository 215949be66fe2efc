// Tests that a file which was cut off is named first, with how much of it is there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "report/findings.h"
#include "tests/front_door.h"
#include "tests/support/cpu_trace.h"

namespace stepscope::cut_files_test {
namespace {

using testing::Ask;
using testing::CpuTrace;
using testing::ScratchFolder;

// 20 steps, each of which computes and reduces.
std::string TraceOf(int rank) {
  CpuTrace trace(rank);
  for (int step = 1; step <= 20; ++step) trace.Step(step, 40.0 * step, 5, 40.0 * step + 40);
  return trace.End();
}

TEST(CutFiles, AreNamedFirstWithTheStepsThatAreThere) {
  const ScratchFolder folder;
  const std::string whole = TraceOf(1);
  const auto whole_answer =
      Ask({folder.Write("rank0.json", TraceOf(0)), folder.Write("rank1.json", whole)});
  ASSERT_TRUE(whole_answer);
  EXPECT_FALSE(whole_answer->verdict.contains("early")) << whole_answer->verdict;
  // In the middle of the last event of step 11.
  const std::string cut = whole.substr(0, whole.find("ProfilerStep#12") - 200);
  const auto answer =
      Ask({folder.Write("rank0.json", TraceOf(0)), folder.Write("rank1.json", cut)});
  ASSERT_TRUE(answer);
  EXPECT_TRUE(
      answer->verdict.starts_with("Input is incomplete: 1 file ends early; of rank 1 there are 65 "
                                  "events and 11 complete steps (20 on other ranks). "
                                  "Idle and unrecorded time may be what is missing. "))
      << answer->verdict;
}

TEST(CutFiles, UnreadableEventsAreToldFirstWhereTheyAreMany) {
  const ScratchFolder folder;
  std::string trace = TraceOf(0);
  constexpr std::string_view kDuration = "\"dur\":";
  int64_t damaged = 0;
  size_t at = trace.find(kDuration);
  while (at != std::string::npos && damaged < 10) {
    trace.insert(at + kDuration.size(), "\"0x10\",\"was\":");
    ++damaged;
    at = trace.find(kDuration, at + 100);
  }
  const auto answer = Ask({folder.Write("rank0.json", trace)});
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.starts_with("Input is damaged: 10 of ")) << answer->verdict;
  EXPECT_TRUE(answer->verdict.contains(" events cannot be read; what they took is missing here. "));
  // The first advice is about the files.
  const Finding& first = *FindingsInOrder(*answer).front();
  EXPECT_TRUE(answer->verdict.starts_with(first.message.str())) << first.message;
  EXPECT_EQ(first.place, 1);
  EXPECT_EQ(first.because, "events were skipped: no valid time, name or size (10)");
  EXPECT_TRUE(first.hint.starts_with("copy the files again")) << first.hint;
}

TEST(CutFiles, DamagedTextCountsAsUnreadableEvents) {
  const ScratchFolder folder;
  std::string trace = TraceOf(0);
  for (size_t at = trace.find("\"dur\""), n = 0; n < 10; at = trace.find("\"dur\"", at + 100), ++n)
    trace[at + 5] = 'x';
  const auto answer = Ask({folder.Write("rank0.json", trace)});
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.starts_with("Input is damaged: 10 of ")) << answer->verdict;
}

}  // namespace
}  // namespace stepscope::cut_files_test
