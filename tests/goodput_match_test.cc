// Tests which job of ledgers a run of traces is said to be of, and that it is of none where nothing
// tells.
#include "stepscope/goodput_match.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/time_units.h"
#include "tests/goodput_lines.h"
#include "tests/ledger.h"

namespace stepscope::testing::goodput_match_test {
namespace {

std::string Event(const std::string& job, const std::string& event, double seconds,
                  const std::string& more) {
  return fmt::format(R"({{"job_name":"{}","event":"{}","time":{}{}}})", job, event,
                     1780000000 + seconds, more) +
         "\n";
}

// Steps of 1 s from `from` to `to`, recorded by a process on `host` in an attempt of this id.
std::string Attempt(const std::string& job, int from, int to, const std::string& host,
                    const std::string& id = "") {
  const std::string who = fmt::format(R"(,"writer":"{}/0/boot/{}/x","attempt":"{}")", host,
                                      from + 1, id.empty() ? fmt::format("a{}", from) : id);
  int sequence = 0;
  const auto numbered = [&] { return fmt::format(R"({},"sequence":{})", who, ++sequence); };
  std::string lines = Event(job, "job_start", from, numbered());
  for (int at = from; at < to; ++at) {
    lines += Event(job, "step_start", at, fmt::format(R"({},"step":{})", numbered(), at));
  }
  return lines;
}

// Two attempts, of which the second runs from 200 s to 300 s.
std::string TwoAttempts(const std::string& job, const std::string& host,
                        const std::string& id = "") {
  return Attempt(job, 0, 100, host, id.empty() ? "" : id + ".0") +
         Attempt(job, 200, 300, host, id.empty() ? "" : id + ".1");
}

class GoodputMatchTest : public LedgerTest {
 protected:
  GoodputMatch Match(RunOfJob run) const {
    auto match = MatchGoodputJob(run, std::vector{store_});
    if (!match) throw std::runtime_error(match.error().what);
    return std::move(*match);
  }

  // Four steps of `length` s from `from` on.
  static std::vector<TracedStep> StepsFrom(double from, double length = 1) {
    std::vector<TracedStep> steps;
    for (int s = 0; s < 4; ++s) {
      const auto at = [&](double seconds) {
        return kBegin + static_cast<int64_t>(seconds * static_cast<double>(kSecond));
      };
      steps.push_back({0, s, at(from + s * length), at(from + (s + 1) * length)});
    }
    return steps;
  }

  static int64_t AttemptIn(const GoodputMatch& match) {
    for (const Metric& metric : match.report.metrics) {
      const auto* number = std::get_if<int64_t>(&metric.value);
      if (metric.key == "attempt") return number == nullptr ? 0 : *number;
    }
    return -1;
  }

  static void ExpectNone(const GoodputMatch& match, std::string_view why) {
    EXPECT_FALSE(match.store.has_value()) << match.report.headline.str();
    EXPECT_EQ(match.job, "");
    EXPECT_EQ(match.report.status, Status::kUnavailable);
    EXPECT_TRUE(match.report.why.contains(why)) << match.report.why.str();
  }
};

TEST_F(GoodputMatchTest, ByName) {
  ImportText(TwoAttempts("nlp/llm", "h") + TwoAttempts("other", "h"));
  for (const char* name : {"nlp/llm", "llm"}) {
    const GoodputMatch match = Match({.names = {name}, .files = {}, .steps = {}});
    EXPECT_EQ(match.job, "nlp/llm");
    EXPECT_EQ(match.store, 0U);
    EXPECT_EQ(AttemptIn(match), 0) << "when it was recorded is not known";
    EXPECT_EQ(match.report.headline.str(),
              "Same name: job nlp/llm; the traces do not say when they were recorded.");
  }
  ExpectNone(Match({.names = {"run"}, .files = {}, .steps = {}}), "do not say when");
}

TEST_F(GoodputMatchTest, ByNameAndTime) {
  ImportText(TwoAttempts("llm", "h") + TwoAttempts("other", "h"));
  const GoodputMatch match = Match({.names = {"llm"}, .files = {}, .steps = StepsFrom(210)});
  EXPECT_EQ(match.job, "llm");
  EXPECT_EQ(AttemptIn(match), 2);
  EXPECT_EQ(match.report.headline.str(),
            "Same name and time: attempt 2 of job llm ran when the traces were recorded.");
}

// Traces of another month are of another job, whatever they are called.
TEST_F(GoodputMatchTest, ANameOfAnotherTimeIsNone) {
  ImportText(TwoAttempts("llm", "h"));
  ExpectNone(Match({.names = {"llm"}, .files = {}, .steps = StepsFrom(3e6)}), "no job ran");
}

TEST_F(GoodputMatchTest, ByTheSchedulersId) {
  ImportText(TwoAttempts("llm", "h", "a~slurm.4711") + TwoAttempts("other", "h", "a~slurm.4712"));
  for (const char* name : {"4711", "slurm-4711"}) {
    const GoodputMatch match = Match({.names = {name}, .files = {}, .steps = StepsFrom(20)});
    EXPECT_EQ(match.job, "llm") << match.report.why.str();
    EXPECT_TRUE(
        match.report.headline.contains("Same id at the scheduler and same time: 4711 is job llm"));
    EXPECT_EQ(AttemptIn(match), 1);
  }
}

TEST_F(GoodputMatchTest, ByTimeAlone) {
  ImportText(TwoAttempts("llm", "h") + Attempt("later", 9000, 9100, "h"));
  const GoodputMatch match = Match({.names = {"run"}, .files = {}, .steps = StepsFrom(250)});
  EXPECT_EQ(match.job, "llm");
  EXPECT_EQ(AttemptIn(match), 2);
  EXPECT_EQ(match.report.headline.str(),
            "Same time: attempt 2 of job llm ran then, and no other job of the ledgers did.");
}

TEST_F(GoodputMatchTest, HostsTellJobsOfOneTime) {
  ImportText(TwoAttempts("llm", "node-1") + TwoAttempts("other", "node-2"));
  const std::vector<TracedStep> steps = StepsFrom(250);
  const GoodputMatch match =
      Match({.names = {"run"}, .files = {"node-2_77.123456.pt.trace.json"}, .steps = steps});
  EXPECT_EQ(match.job, "other") << match.report.why.str();
  EXPECT_EQ(match.report.headline.str(),
            "Same time and host: attempt 2 of job other ran on node-2 then.");
  ExpectNone(Match({.names = {"run"}, .files = {"rank0.json"}, .steps = steps}),
             "2 jobs may be meant, and neither names nor hosts tell which: ");
  // node-10 is not node-1.
  ExpectNone(Match({.names = {"run"}, .files = {"node-10_7.1.pt.trace.json"}, .steps = steps}),
             "recorded on node-10, where the job did not run");
}

TEST_F(GoodputMatchTest, TimeAloneDoesNotSufficeWhereStepsDiffer) {
  ImportText(TwoAttempts("llm", "h"));
  ExpectNone(Match({.names = {"run"}, .files = {}, .steps = StepsFrom(250, 4)}),
             "job llm ran when the traces were recorded, but the step time of the traces is");
}

// Step times exclude a job, and prove nothing for another one.
TEST_F(GoodputMatchTest, TheOnlyJobWithSuchStepsIsNotTheRunsForThat) {
  std::string slow = Event("slow", "job_start", 0, "");
  for (int at = 0; at < 300; at += 10) {
    slow += Event("slow", "step_start", at, fmt::format(R"(,"step":{})", at));
  }
  ImportText(TwoAttempts("llm", "h") + slow);
  ExpectNone(Match({.names = {"run"}, .files = {}, .steps = StepsFrom(250)}),
             "2 jobs may be meant, and neither names nor hosts tell which: llm, slow");
  ExpectNone(Match({.names = {"run"}, .files = {}, .steps = StepsFrom(250, 4)}),
             "2 jobs ran when the traces were recorded, but none fits: of ");
}

TEST_F(GoodputMatchTest, NoJobOfThatTime) {
  ImportText(TwoAttempts("llm", "h"));
  ExpectNone(Match({.names = {"run"}, .files = {}, .steps = StepsFrom(5000)}),
             "no job ran when the traces were recorded");
}

}  // namespace
}  // namespace stepscope::testing::goodput_match_test
