// Checks spares against closed forms, published counts and a simulated pool.
#include "goodput/model/spares.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.h"

namespace stepscope::goodput::spares_test {
namespace {

TEST(SparesTest, ShareIsPoisson) {
  EXPECT_EQ(SpareShare(0, 1e-3, 1000), 0);
  EXPECT_NEAR(SpareShare(1, 1e-3, 1000), std::exp(-1.0), 1e-12);
  EXPECT_NEAR(SpareShare(3, 1e-3, 1000), std::exp(-1.0) * 2.5, 1e-12);
  EXPECT_NEAR(SpareShare(2000, 1, 1000), 1, 1e-9);
  EXPECT_EQ(SpareShare(1, 0, 1000), 1);
}

TEST(SparesTest, SparesForIsMinimal) {
  for (const double mean : {0.01, 0.5, 3.0, 40.0, 900.0}) {
    const int64_t spares = SparesFor(0.99, mean, 1);
    EXPECT_GE(SpareShare(spares, mean, 1), 0.99) << mean;
    EXPECT_TRUE(spares == 1 || SpareShare(spares - 1, mean, 1) < 0.99) << mean;
  }
}

// Failures come, nodes go to repair and return; a spare is free or it is not.
TEST(SparesTest, SimulatedPoolAgrees) {
  Random random(11, 0);
  const double repair_s = 2.5;  // in units of the mean time between failures
  constexpr int kFailures = 100'000, kSpares = 4;
  std::vector<double> back_at;
  double now = 0;
  int found = 0;
  for (int i = 0; i < kFailures; ++i) {
    now += random.Exponential();
    std::erase_if(back_at, [&](double at) { return at <= now; });
    found += back_at.size() < kSpares ? 1 : 0;
    back_at.push_back(now + repair_s);
  }
  // Neighboring failures see nearly the same pool: as if they were fewer, by about 2 repairs'
  // worth.
  const double share = SpareShare(kSpares, 1, repair_s);
  const double sigma = std::sqrt(share * (1 - share) / (kFailures / (2 * repair_s)));
  EXPECT_NEAR(found / double{kFailures}, share, 4 * sigma);
}

// arXiv 2509.16293, table 5. The probability is not printed there: 0.00117 to 0.00125 gives all
// four.
TEST(SparesTest, StandbyMachinesOfByteRobust) {
  EXPECT_EQ(StandbyMachines(128, 0.0012, 0.99), 2);
  EXPECT_EQ(StandbyMachines(256, 0.0012, 0.99), 2);
  EXPECT_EQ(StandbyMachines(512, 0.0012, 0.99), 3);
  EXPECT_EQ(StandbyMachines(1024, 0.0012, 0.99), 4);
  EXPECT_EQ(StandbyMachines(0, 0.0012, 0.99), 0);
  EXPECT_EQ(StandbyMachines(10, 1, 0.99), 10);
}

}  // namespace
}  // namespace stepscope::goodput::spares_test
