// Checks the simulation against the exact form and against itself. Seeds are fixed, so results
// repeat.
#include "goodput/model/simulate.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stepscope::goodput::simulate_test {
namespace {

constexpr double kSigmas = 4;

// Of a job that can be simulated; else numbers that nothing is near to.
Simulated Play(const Parameters& p, const SimulateOptions& options) {
  return Simulate(p, options).value_or(Simulated{.goodput = NAN, .standard_error = NAN});
}

// Every combination of jobs, from one that fails once a day to one that fails every ten minutes.
TEST(SimulateTest, AgreesWithTheExactForm) {
  uint64_t seed = 0;
  int hopeless = 0;
  for (const double mtbf_s : {86400.0, 11135.0, 600.0}) {
    for (const double interval_s : {60.0, 900.0, 7200.0}) {
      for (const double announced : {0.0, 0.4, 1.0}) {
        for (const double persist_s : {0.0, 200.0, 1500.0}) {
          for (const double spares : {0.0, 0.7}) {
            const Parameters p{.failures_per_s = 1 / mtbf_s,
                               .interval_s = interval_s,
                               .save_s = 25,
                               .persist_s = persist_s,
                               .reschedule_s = 700,
                               .swap_s = 40,
                               .spare_share = spares,
                               .restart_s = 180,
                               .announced_share = announced,
                               .emergency_save_s = 35};
            const SimulateOptions options{.seed = ++seed, .failures = 20'000};
            if (ExactForm(p).goodput < 1e-3) {  // an interval of twelve uptimes
              EXPECT_FALSE(Simulate(p, options));
              ++hopeless;
              continue;
            }
            const Simulated simulated = Play(p, options);
            EXPECT_GT(simulated.standard_error, 0);
            EXPECT_LT(simulated.standard_error, 0.01);
            EXPECT_NEAR(simulated.goodput, ExactForm(p).goodput, kSigmas * simulated.standard_error)
                << mtbf_s << " " << interval_s << " " << announced << " " << persist_s;
          }
        }
      }
    }
  }
  EXPECT_EQ(seed, 162u);
  EXPECT_EQ(hopeless, 6);
}

// The stated error is one sigma: about two thirds of many simulations are that close.
TEST(SimulateTest, StandardErrorIsCorrect) {
  const Parameters p{
      .failures_per_s = 1 / 5000.0, .interval_s = 900, .save_s = 30, .restart_s = 300};
  const double exact = ExactForm(p).goodput;
  int within = 0;
  constexpr int kRuns = 400;
  for (int i = 0; i < kRuns; ++i) {
    const Simulated simulated =
        Play(p, {.seed = 1000u + static_cast<uint64_t>(i), .failures = 2000});
    within += std::abs(simulated.goodput - exact) <= simulated.standard_error ? 1 : 0;
  }
  EXPECT_NEAR(within, 0.683 * kRuns, kSigmas * std::sqrt(kRuns * 0.683 * 0.317));
}

TEST(SimulateTest, SameSeedSameAnswer) {
  const Parameters p{.failures_per_s = 1e-4, .interval_s = 900, .save_s = 30, .restart_s = 300};
  const Simulated once = Play(p, {.seed = 3, .failures = 1000});
  EXPECT_NEAR(once.goodput, 0.8940510165832547, 1e-12);  // on other machines, too
  EXPECT_EQ(once.goodput, Play(p, {.seed = 3, .failures = 1000}).goodput);
  EXPECT_NE(once.goodput, Play(p, {.seed = 4, .failures = 1000}).goodput);
}

TEST(SimulateTest, StopsIfRestartsNeverSucceed) {
  const Parameters never{.failures_per_s = 1, .interval_s = 9, .save_s = 1, .restart_s = 1e5};
  EXPECT_FALSE(Simulate(never, {.seed = 1, .failures = 1000}));
  EXPECT_FALSE(Simulate({.interval_s = 9, .save_s = 1}));  // without failures
}

}  // namespace
}  // namespace stepscope::goodput::simulate_test
