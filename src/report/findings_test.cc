// Tests that findings of one cause become one, with one hint, and are ordered by impact.
#include "report/findings.h"

#include <gtest/gtest.h>

#include "stepscope/write.h"

namespace stepscope::findings_test {
namespace {

const RankTime kTenSteps = {.time = 1'000, .steps = 10};

Finding Of(std::string message, int64_t impact, Cause cause, Nearness nearness,
           std::string hint = "") {
  return {.severity = Severity::kMedium,
          .message = std::move(message),
          .hint = std::move(hint),
          .impact = impact,
          .cause = cause,
          .nearness = nearness};
}

// One report per finding, a, b, ...
ReportSet Joined(std::vector<Finding> findings, const RankTime& whole = kTenSteps) {
  ReportSet answer;
  for (Finding& finding : findings) {
    answer.reports.push_back(
        {.analysis = std::string(1, static_cast<char>('a' + answer.reports.size()))});
    answer.reports.back().findings.push_back(std::move(finding));
  }
  JoinFindings(answer, whole);
  return answer;
}

// "high Loader 300 30 (b: Idle; c: Slow)" per finding.
std::vector<std::string> Said(const ReportSet& answer) {
  std::vector<std::string> lines;
  for (const Finding* f : FindingsInOrder(answer)) {
    std::string evidence;
    for (const Evidence& e : f->evidence)
      evidence += (evidence.empty() ? " (" : "; ") + e.analysis + ": " + e.message;
    lines.push_back(std::string(SeverityName(f->severity)) + " " + f->message + " " +
                    std::to_string(f->impact) + " " + std::to_string(f->per_step) + evidence +
                    (evidence.empty() ? "" : ")"));
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(JoinFindings, OfEquallyNearFindingsAMeasuredOneSpeaksBeforeAnUpperBound) {
  Finding bound = Of("Path", 400, {CauseKind::kHost}, Nearness::kSymptom);
  bound.table = "what_if";
  EXPECT_EQ(Said(Joined({bound, Of("Idle", 350, {CauseKind::kHost}, Nearness::kSymptom)})),
            (Lines{"high Idle 350 35 (a: Path)"}));
  // Unless it shows little of that time.
  EXPECT_EQ(Said(Joined({bound, Of("Idle", 150, {CauseKind::kHost}, Nearness::kSymptom)})),
            (Lines{"high Path 400 40 (b: Idle)"}));
}

TEST(JoinFindings, TheFindingNearestToTheCauseSpeaksForAll) {
  const auto answer = Joined({Of("Idle", 400, {CauseKind::kInput}, Nearness::kSymptom),
                              Of("Loader", 300, {CauseKind::kInput}, Nearness::kCause),
                              Of("Slow step", 90, {CauseKind::kInput, {}, 7}, Nearness::kSymptom),
                              Of("Copies", 50, {CauseKind::kCopies}, Nearness::kSymptom)});
  EXPECT_EQ(Said(answer),
            (Lines{"high Loader 300 30 (a: Idle; c: Slow step)", "medium Copies 50 5"}));
  EXPECT_TRUE(answer.reports[0].findings.empty());
  EXPECT_EQ(answer.reports[1].findings.size(), 1u);
}

TEST(JoinFindings, APartSpeaksForAllOnlyIfItIsMostOfIt) {
  EXPECT_EQ(Said(Joined({Of("Exposed", 300, {CauseKind::kCommunication}, Nearness::kSymptom),
                         Of("Small ones", 200, {CauseKind::kCommunication}, Nearness::kPart)})),
            (Lines{"high Small ones 200 20 (a: Exposed)"}));
  EXPECT_EQ(Said(Joined({Of("Exposed", 300, {CauseKind::kCommunication}, Nearness::kSymptom),
                         Of("Small ones", 20, {CauseKind::kCommunication}, Nearness::kPart)})),
            (Lines{"high Exposed 300 30 (b: Small ones)"}));
}

TEST(JoinFindings, CausesOnDifferentRanksAreDifferent) {
  EXPECT_EQ(Said(Joined({Of("Rank 1", 40, {CauseKind::kCompute, 1}, Nearness::kCause),
                         Of("Rank 2", 30, {CauseKind::kCompute, 2}, Nearness::kCause),
                         Of("Kernels of 1", 90, {CauseKind::kCompute, 1}, Nearness::kPart),
                         Of("Waits", 99, {CauseKind::kWait}, Nearness::kSymptom)})),
            (Lines{"medium Rank 1 40 4 (c: Kernels of 1; d: Waits)", "medium Rank 2 30 3"}));
}

// A replay without communication still waits for those who come last.
// Half of all time, in one step, is not due to a rank that takes a little longer in each.
TEST(JoinFindings, ASmallCauseOfOneRankIsNotWhyAStepTookLong) {
  EXPECT_EQ(
      Said(Joined({Of("Rank 3", 60, {CauseKind::kHost, 3}, Nearness::kCause),
                   Of("Step 6", 540, {CauseKind::kHost, std::nullopt, 6}, Nearness::kSymptom)}))
          .size(),
      2u);
}

TEST(JoinFindings, WhatHidingCommunicationSavesIsNotWhatWaitingCosts) {
  Finding wait = Of("Ranks wait for absent ones", 500, {CauseKind::kWait}, Nearness::kCause);
  wait.since = 6;
  Finding hidden = Of("Hidden", 0, {CauseKind::kCommunication}, Nearness::kSymptom);
  hidden.worth = Worth{.saved = 40, .step_time = 100};
  hidden.only_worth = true;
  RankTime whole = kTenSteps;
  for (int64_t step = 1; step <= 10; ++step) whole.every.push_back({step, 100});
  EXPECT_EQ(Said(Joined({wait, hidden}, whole)),
            (Lines{"high Ranks wait for absent ones 500 100"}));
}

// The mean of all steps is not that of those since a change.
TEST(JoinFindings, AReplayOfOtherStepsDoesNotSpeak) {
  Finding slow = Of("Rank 1 is slow", 500, {CauseKind::kHost, 1}, Nearness::kCause);
  slow.since = 6;
  Finding replay = Of("Without it", 0, {CauseKind::kWait, 1}, Nearness::kSymptom);
  replay.worth = Worth{.saved = 40, .step_time = 100};
  replay.only_worth = true;
  RankTime whole = kTenSteps;
  for (int64_t step = 1; step <= 10; ++step) whole.every.push_back({step, 100});
  EXPECT_EQ(Said(Joined({slow, replay}, whole)), (Lines{"high Rank 1 is slow 500 100"}));
  replay.since = 6;
  EXPECT_EQ(Said(Joined({slow, replay}, whole)), (Lines{"high Rank 1 is slow 200 40"}));
  // Nor does it save more than the step that it is of.
  replay.worth->saved = 140;
  EXPECT_EQ(Said(Joined({slow, replay}, whole)), (Lines{"high Rank 1 is slow 500 100"}));
}

// A finding has one number, in its sentence and beside it.
TEST(JoinFindings, AShareOfSpanIsWhatTheReplaySays) {
  Finding slow = Of("", 500, {CauseKind::kHost, 1}, Nearness::kCause);
  slow.message = Say("Rank {rank}: {reason}, {share} of span.", 1, "50.0% slower", "50.0%");
  Finding replay = Of("Without it", 0, {CauseKind::kWait, 1}, Nearness::kSymptom);
  replay.worth = Worth{.saved = 40, .step_time = 100};
  replay.only_worth = true;
  EXPECT_EQ(Said(Joined({slow, replay})),
            (Lines{"high Rank 1: 50.0% slower, 40.0% of span. 400 40"}));
}

// A small imbalance does not explain why all wait for rank 7.
TEST(JoinFindings, WaitsAreDueToWhatExplainsMostOfThem) {
  EXPECT_EQ(Said(Joined({Of("Imbalance", 60, {CauseKind::kCompute}, Nearness::kPart),
                         Of("Rank 7 is late", 300, {CauseKind::kWait, 7}, Nearness::kSymptom),
                         Of("Exposed", 360, {CauseKind::kWait}, Nearness::kSymptom),
                         Of("All-reduce", 400, {CauseKind::kCommunication}, Nearness::kPart)})),
            (Lines{"high All-reduce 400 40", "high Rank 7 is late 300 30 (c: Exposed)",
                   "medium Imbalance 60 6"}));
}

// Both tell one idle host; what a replay estimates is its evidence, though it is larger.
TEST(JoinFindings, WhatWasMeasuredSpeaksForWhatIsEstimated) {
  ReportSet answer;
  answer.reports = {{.analysis = "critical_path"}, {.analysis = "idle_time"}};
  answer.reports[0].findings.push_back(Of("Path", 420, {CauseKind::kHost}, Nearness::kSymptom));
  answer.reports[0].findings[0].table = "what_if";
  answer.reports[1].findings.push_back(Of("Idle", 400, {CauseKind::kHost}, Nearness::kSymptom));
  JoinFindings(answer, kTenSteps);
  EXPECT_EQ(Said(answer), (Lines{"high Idle 400 40 (critical_path: Path)"}));
}

// Ranks are late in turn: there is no one thing to mend.
TEST(JoinFindings, WaitsThatNothingExplainsAreNotHigh) {
  EXPECT_EQ(Said(Joined({Of("Exposed", 360, {CauseKind::kWait}, Nearness::kSymptom)})),
            (Lines{"medium Exposed 360 36"}));
}

TEST(JoinFindings, WithoutACauseEachIsItsOwn) {
  EXPECT_EQ(Said(Joined({Of("A", 40, {}, Nearness::kSymptom), Of("B", 9, {}, Nearness::kSymptom)})),
            (Lines{"medium A 40 4", "low B 9 0"}));
}

TEST(JoinFindings, SeverityFollowsWorthAndMissingRecordsComeFirst) {
  Finding lacks = Of("No kernels", 0, {CauseKind::kRecording}, Nearness::kSymptom);
  lacks.severity = Severity::kHigh;
  Finding full = Of("Memory is full", 0, {}, Nearness::kSymptom);
  full.severity = Severity::kHigh;
  EXPECT_EQ(Said(Joined({Of("Small", 29, {}, Nearness::kSymptom),
                         Of("Large", 100, {}, Nearness::kSymptom), full, lacks})),
            (Lines{"high No kernels 0 0", "high Large 100 10", "high Memory is full 0 0",
                   "low Small 29 2"}));
}

TEST(JoinFindings, AFindingIsWeighedByWhatItWasMeasuredOver) {
  Finding f = Of("Path", 20, {}, Nearness::kSymptom);
  f.extent = {.time = 100};
  const auto answer = Joined({f});
  EXPECT_EQ(answer.reports[0].findings[0].share, 0.2);
  EXPECT_EQ(answer.reports[0].findings[0].per_step, 20) << "100 ns are one step of ten";
  f.extent = {.time = 50, .steps = 2};
  const auto typical = Joined({f});
  EXPECT_EQ(typical.reports[0].findings[0].share, 0.4);
  EXPECT_EQ(typical.reports[0].findings[0].per_step, 10) << "of two short steps";
  EXPECT_EQ(Joined({Of("Unknown", 20, {}, Nearness::kSymptom)}, {}).reports[0].findings[0].share,
            0);
  EXPECT_EQ(Joined({f}, {.time = 1'000}).reports[0].findings[0].share, 0.02)
      << "without steps: of all that was recorded";
}

// A mean time is of one recording, and the impact may be of several windows of a rank.
TEST(JoinFindings, AnImpactOfSeveralWindowsIsWeighedByAllOfThem) {
  Finding f = Of("Rank 1 waits", 800, {}, Nearness::kSymptom);
  f.extent = {.recordings = 4};
  const auto answer = Joined({f});
  EXPECT_EQ(answer.reports[0].findings[0].share, 0.2);
  EXPECT_EQ(answer.reports[0].findings[0].per_step, 20);
}

// What a replay says of one rank is certain, and part of what communication costs at most.
TEST(JoinFindings, ARankOfAReplayComesBeforeCommunicationOfAll) {
  Finding all = Of("All", 400, {CauseKind::kCommunication}, Nearness::kPart);
  Finding input = Of("Input", 300, {CauseKind::kInput}, Nearness::kCause);
  Finding rank = Of("Rank", 50, {CauseKind::kWait, 3}, Nearness::kPart);
  rank.worth = Worth{.saved = 5, .step_time = 100, .error = 1, .excess = 6};
  const auto answer = Joined({all, input, rank}, kTenSteps);
  const auto order = FindingsInOrder(answer);
  ASSERT_EQ(order.size(), 3u);
  EXPECT_EQ(order[0]->message, "Input") << "costs more, and is something else";
  EXPECT_EQ(order[1]->message, "Rank");
  EXPECT_EQ(order[2]->message, "All");
  EXPECT_TRUE(ToText(answer).contains("worth 5 ns of 100 ns (5.0%) per step, ± 1 ns, by a replay"))
      << ToText(answer);
}

// A replay tells that a rank is waited for, the trace why: the cause is one, whichever of them
// leads.
TEST(JoinFindings, TheCauseOfARankIsWhatTheNearestFindingSays) {
  Finding replay = Of("Rank 3 holds the job up", 400, {CauseKind::kWait, 3}, Nearness::kPart);
  replay.worth = Worth{.saved = 40, .step_time = 100, .excess = 40};
  const auto answer =
      Joined({replay, Of("It computes longer", 450, {CauseKind::kCompute, 3}, Nearness::kPart)});
  const auto order = FindingsInOrder(answer);
  ASSERT_EQ(order.size(), 1u);
  EXPECT_EQ(order[0]->message, "Rank 3 holds the job up");
  EXPECT_EQ(order[0]->cause.kind, CauseKind::kCompute);
  EXPECT_EQ(FindingsInOrder(Joined({replay}))[0]->cause.kind, CauseKind::kWait)
      << "nobody says why";
}

TEST(JoinFindings, WhatWasMeasuredCostsAtMostWhatAReplaySavesAtMost) {
  const Finding measured =
      Of("It computes longer", 450, {CauseKind::kCompute, 3}, Nearness::kCause);
  Finding replay = Of("Rank 3", 300, {CauseKind::kWait, 3}, Nearness::kPart);
  replay.by_replay = true;
  EXPECT_EQ(Said(Joined({measured, replay})),
            (Lines{"high It computes longer 300 30 (b: Rank 3)"}));
  replay.impact = 600;
  EXPECT_EQ(Said(Joined({measured, replay})),
            (Lines{"high It computes longer 450 45 (b: Rank 3)"}));
  replay.impact = 300;
  replay.cause.rank = 2;
  EXPECT_EQ(Said(Joined({measured, replay})),
            (Lines{"high It computes longer 450 45", "high Rank 3 300 30"}))
      << "of another rank";
}

TEST(JoinFindings, WhereARankHoldsTheJobUpCommunicationIsWorthWhatAReplaySays) {
  Finding all = Of("Exposed", 200, {CauseKind::kCommunication}, Nearness::kSymptom);
  Finding hidden = Of("Hidden", 0, {CauseKind::kCommunication}, Nearness::kPart);
  hidden.only_worth = true;
  hidden.worth = Worth{.saved = 2, .step_time = 100};
  Finding rank = Of("Rank", 300, {CauseKind::kCompute, 3}, Nearness::kCause);
  const auto alone = Joined({all, hidden});
  EXPECT_EQ(FindingsInOrder(alone)[0]->per_step, 20) << "far from what was measured: not believed";
  rank.worth = Worth{.saved = 30, .step_time = 100, .excess = 30};
  const auto answer = Joined({all, hidden, rank});
  const auto order = FindingsInOrder(answer);
  ASSERT_EQ(order.size(), 2u);
  EXPECT_EQ(order[0]->message, "Rank");
  EXPECT_EQ(order[1]->per_step, 2) << "the rest waits for the rank";
}

TEST(JoinFindings, CostIsPerStepThatItIsIn) {
  // Two ranks of four steps, 1000 ns each: 100, 100, 300 and 500.
  const RankTime uneven = {
      .time = 1'000,
      .steps = 4,
      .every = {{1, 100}, {2, 100}, {3, 300}, {4, 500}, {1, 100}, {2, 100}, {3, 300}, {4, 500}}};
  Finding all = Of("All", 400, {}, Nearness::kSymptom), since = all, more = all, none = all;
  since.since = 3;
  more.impact = 900;
  more.since = 3;
  none.since = 9;
  const auto answer = Joined({all, since, more, none}, uneven);
  EXPECT_EQ(answer.reports[0].findings[0].per_step, 100) << "400 ns in 4 steps";
  EXPECT_EQ(answer.reports[1].findings[0].per_step, 200) << "400 ns in 2 steps";
  EXPECT_EQ(answer.reports[1].findings[0].share, 0.4) << "of all steps";
  EXPECT_EQ(answer.reports[2].findings[0].per_step, 400) << "the mean of these steps";
  EXPECT_EQ(answer.reports[3].findings[0].per_step, 0) << "there is no such step";
  const std::string text = ToText(answer);
  EXPECT_TRUE(text.contains("costs up to 100 ns per step (40.0% of mean step time)")) << text;
  EXPECT_TRUE(text.contains(
      "costs up to 200 ns in each step since step 3 (40.0% of the time of all steps)"))
      << text;
  EXPECT_TRUE(ToJson(answer).contains("\"impact_per_step\": 200,\n     \"since_step\": 3"))
      << ToJson(answer);
}

// What costs a fifth of each step since step 8 costs that from now on.
TEST(JoinFindings, WhatBeganLateWeighsByTheStepsSince) {
  const RankTime whole = {.time = 1'000,
                          .steps = 10,
                          .every = {{1, 100},
                                    {2, 100},
                                    {3, 100},
                                    {4, 100},
                                    {5, 100},
                                    {6, 100},
                                    {7, 100},
                                    {8, 100},
                                    {9, 100},
                                    {10, 100}}};
  Finding slow = Of("Slow", 60, {CauseKind::kCompute}, Nearness::kCause);
  slow.since = 8;
  const auto answer =
      Joined({Of("Exposed", 120, {CauseKind::kCommunication}, Nearness::kSymptom), slow}, whole);
  EXPECT_EQ(Said(answer), (Lines{"high Slow 60 20", "high Exposed 120 12"}));
}

// A rank whose trace ends early has fewer steps than those that wait for it.
TEST(JoinFindings, WhatBeganLateCostsBySteps) {
  const RankTime whole = {.time = 1'000,
                          .steps = 3,  // the mean of ranks
                          .every = {{1, 100}, {2, 900}, {3, 900}, {4, 900}, {1, 100}, {2, 900}}};
  Finding slow = Of("Slow", 600, {CauseKind::kCompute}, Nearness::kCause);
  slow.since = 2;
  EXPECT_EQ(Said(Joined({slow}, whole)), (Lines{"high Slow 600 200"}));
}

// All wait longer since a step, and nothing recorded says for whom: that is one thing to look at,
// and communication of all is part of it.
TEST(JoinFindings, WaitsSinceAStepExplainCommunication) {
  const RankTime whole = {
      .time = 1'000, .steps = 5, .every = {{1, 100}, {2, 100}, {3, 250}, {4, 250}, {5, 300}}};
  Finding later = Of("Longer", 300, {CauseKind::kWait}, Nearness::kSymptom);
  later.since = 3;
  const Finding exposed = Of("Exposed", 250, {CauseKind::kCommunication}, Nearness::kSymptom);
  EXPECT_EQ(Said(Joined({exposed, later}, whole)), (Lines{"high Longer 300 100 (a: Exposed)"}));
  later.impact = 100;  // too little to be the reason
  EXPECT_EQ(Said(Joined({exposed, later}, whole)), (Lines{"high Exposed 250 50 (b: Longer)"}));
}

// What a recording lacks in part costs no time that is known: it stands behind what costs much.
TEST(JoinFindings, WhatLacksInPartComesBehindHighCosts) {
  Finding part = Of("Not recognized", 0, {CauseKind::kRecording}, Nearness::kSymptom);
  part.severity = Severity::kMedium;
  const auto answer = Joined({part, Of("Slow", 400, {CauseKind::kCompute, 2}, Nearness::kCause)});
  EXPECT_EQ(FindingsInOrder(answer).front()->message, "Slow");
}

TEST(JoinFindings, OneAdvicePerCause) {
  const auto answer = Joined(
      {Of("Exposed", 300, {CauseKind::kCommunication}, Nearness::kSymptom, "smaller buckets"),
       Of("Many", 200, {CauseKind::kCommunication}, Nearness::kPart, "larger buckets")});
  const std::string text = ToText(answer);
  EXPECT_TRUE(text.contains("try: larger buckets")) << text;
  EXPECT_FALSE(text.contains("smaller buckets")) << text;
  EXPECT_FALSE(ToJson(answer).contains("smaller buckets"));
}

TEST(JoinFindings, NoLargerBatchWhereMemoryIsFull) {
  const auto answer = Joined(
      {Of("Launches", 300, {CauseKind::kLaunch}, Nearness::kPart, "fuse, a larger batch"),
       Of("Memory is full", 0, {CauseKind::kMemory}, Nearness::kSymptom, "a smaller batch")});
  EXPECT_EQ(answer.reports[0].findings[0].hint, "fuse");
}

TEST(JoinFindings, CostsUnderOnePercentAreNotShownFirst) {
  const std::string text = ToText(Joined({Of("Tiny", 9, {}, Nearness::kSymptom)}));
  EXPECT_FALSE(text.contains("Tiny")) << text;
  EXPECT_TRUE(text.contains("None costs more than 1%: 1 finding in json")) << text;
}

}  // namespace
}  // namespace stepscope::findings_test
