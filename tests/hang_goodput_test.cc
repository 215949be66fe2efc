// Tests a hang beside the events of the job: who was silent first, and the cause of a disruption.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/wall_clock.h"
#include "stepscope/goodput.h"
#include "stepscope/goodput_report.h"
#include "stepscope/goodput_watched.h"
#include "stepscope/hang.h"
#include "tests/answer.h"
#include "tests/goodput_lines.h"
#include "tests/scratch.h"

namespace stepscope::testing::hang_goodput_test {
namespace {

// Ranks 0 and 1 of two; the first waits in an all-reduce that it enqueued at `second`.
void WriteDumps(const ScratchFolder& folder, int second) {
  const std::string head = R"({"version": "2.10", "pg_config": {"0": {"name": "0",
    "desc": "default_pg", "ranks": "[0, 1]"}}, "entries": [)";
  const std::string entry = R"({"record_id": 0, "process_group": ["0", "default_pg"],
    "collective_seq_id": 4, "profiling_name": "nccl:all_reduce", "state": "scheduled",
    "time_created_ns": )" + std::to_string(kBegin + second * kSecond) +
                            "}";
  folder.Write("rank_0", head + entry + "]}");
  folder.Write("rank_1", head + "]}");
}

ReportSet HangIn(const ScratchFolder& folder, std::vector<SignOfLife> signs = {}) {
  auto answer = FindHang(std::vector{folder.path()}, {.signs = std::move(signs)});
  if (!answer) throw std::runtime_error(answer.error().what);
  return std::move(*answer);
}

TEST(HangGoodput, AHangIsTheCauseOfTheDisruptionThatItFallsInto) {
  const ScratchFolder dumps, logs;
  WriteDumps(dumps, 51);
  const auto cause = HangCauseOf(HangIn(dumps));
  ASSERT_TRUE(cause.has_value());
  EXPECT_EQ(cause->text.str(),
            "hang: rank 1 at all_reduce 4 of group default_pg (0): host_not_arrived");
  const std::string job = Entry(At("job_start_time", 0)) + Steps(0, 4, 0, 10) +
                          Entry(At("job_start_time", 300)) + Steps(3, 5, 300, 10) +
                          Entry(At("job_start_time", 600)) + Steps(5, 9, 600, 10) +
                          Entry(At("job_end_time", 700));
  const auto answer = GoodputReport({.files = {logs.Write("events.jsonl", job)}, .hang = cause});
  ASSERT_TRUE(answer.has_value());
  std::vector<std::string> causes;
  for (const Row& row : RowsOf(*answer, "goodput", "disruptions"))
    causes.push_back(std::to_string(row.Int("attempt")) + " " + row.Text("cause"));
  std::ranges::sort(causes);
  EXPECT_EQ(causes, (std::vector<std::string>{"1 " + cause->text.str(), "2 unannounced"}));
}

// One attempt of a job, of three steps.
void RecordAttempt(const std::string& folder, bool ends) {
  GoodputRecorder recorder({.directory = folder, .job = "llm"});
  recorder.JobStart();
  for (int64_t step = 0; step < 3; ++step) recorder.StepStart(step);
  if (ends) recorder.JobEnd();
}

// The record of the hang in the job's directory is enough later.
TEST(HangGoodput, ACauseThatWasRecordedIsToldWithoutTheDumps) {
  const ScratchFolder dumps, events;
  WriteDumps(dumps, 51);
  const ReportSet hang = HangIn(dumps);
  const std::string record = HangRecordOf(hang);
  RecordAttempt(events.path(), false);
  {
    auto log = WatchedLog::Open(events.path(), "");
    ASSERT_TRUE(log.has_value()) << log.error().what;
    ASSERT_TRUE(log->Add(WallClock(), record));
  }
  RecordAttempt(events.path(), true);
  std::vector<std::string> watched;
  const auto answer =
      GoodputReport({.files = {events.path()}, .on_watched = [&](int64_t, const std::string& text) {
                       watched.push_back(text);
                     }});
  ASSERT_TRUE(answer.has_value()) << answer.error().what;
  EXPECT_EQ(RowsOf(*answer, "goodput", "disruptions").at(0).Text("cause"),
            HangCauseOf(hang)->text.str());
  EXPECT_TRUE(watched.empty());  // it is no window of a watch
}

TEST(HangGoodput, OtherTextsAreNoRecordsOfAHang) {
  for (const std::string text :
       {"", "x", "{}", "hang 1", "hang 2\n1\na\nb\n1\nc", "hang 1\n\na\nb\n1\nc",
        "hang 1\n1,x\na\nb\n1\nc", "hang 1\n1\na\nb\n1e9\nc", "hang 1\n1\n\nb\n1\nc"}) {
    EXPECT_FALSE(HangCauseOfRecord(5, text).has_value()) << text;
  }
}

TEST(HangGoodput, NothingCertainIsNoCause) {
  const ScratchFolder dumps;
  dumps.Write("stack_0.txt",
              "Thread 0x1 (most recent call first):\n  File \"/a.py\", line 1 in f\n");
  EXPECT_FALSE(HangCauseOf(HangIn(dumps)).has_value());
  EXPECT_FALSE(HangCauseOf({}).has_value());
}

TEST(HangGoodput, ARootThatWasSilentFirstIsSaidToBe) {
  const ScratchFolder dumps;
  WriteDumps(dumps, 51);
  const auto evidence = [&](const std::vector<SignOfLife>& signs) {
    const ReportSet answer = HangIn(dumps, signs);
    return RowsOf(answer, "hang", "roots").at(0).Text("evidence");
  };
  EXPECT_TRUE(evidence({{0, 100 * kSecond, 5}, {1, 20 * kSecond, 5}})
                  .contains("its last event is 80.0 s older than that of others"));
  EXPECT_TRUE(evidence({{0, 100 * kSecond, 5}, {1, 99 * kSecond, 4}})
                  .contains("its last step is 4, of others 5"));
  EXPECT_FALSE(evidence({{0, 100 * kSecond, 5}, {1, 99 * kSecond, 5}}).contains("its last"));
}

TEST(HangGoodput, SignsAreTheLastEventsOfRanks) {
  const ScratchFolder logs;
  const auto event = [](const char* writer, const char* kind, int second, const char* more = "") {
    return Entry(std::string(R"("event": ")") + kind + R"(", "writer": ")" + writer + R"(", )" +
                 At("time", second) + more);
  };
  const std::string job = event("rank0", "job_start", 0) + event("rank1", "job_start", 0) +
                          event("rank0", "step_start", 10, R"(, "step": 7)") +
                          event("rank1", "step_start", 11, R"(, "step": 6)") +
                          event("rank0", "heartbeat", 90);
  const auto signs = GoodputSigns({.files = {logs.Write("events.jsonl", job)}});
  ASSERT_TRUE(signs.has_value());
  ASSERT_EQ(signs->size(), 2U);
  EXPECT_EQ((*signs)[0].last, kBegin + 90 * kSecond);
  EXPECT_EQ((*signs)[0].step, 7);
  EXPECT_EQ((*signs)[1].last, kBegin + 11 * kSecond);
  EXPECT_EQ((*signs)[1].step, 6);
}

}  // namespace
}  // namespace stepscope::testing::hang_goodput_test
