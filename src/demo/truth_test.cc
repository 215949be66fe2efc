// Tests the measurement of device use on cases that are easy to do by hand.
#include "demo/truth.h"

#include <gtest/gtest.h>

#include <array>

namespace stepscope::demo::truth_test {
namespace {

TEST(Measure, NothingIsZero) {
  const Usage usage = Measure({});
  EXPECT_EQ(usage.end - usage.start, 0);
  EXPECT_EQ(usage.busy, 0);
  EXPECT_EQ(usage.gpu_events, 0);
}

TEST(Measure, CountsOverlapOnce) {
  const std::array work = {ActivitySpan{ActivityKind::kCommunication, 50, 150},
                           ActivitySpan{ActivityKind::kCompute, 0, 100},
                           ActivitySpan{ActivityKind::kCompute, 40, 80},  // under the first
                           ActivitySpan{ActivityKind::kMemcpy, 200, 210},
                           ActivitySpan{ActivityKind::kMemset, 205, 230}};
  const Usage usage = Measure(work);
  EXPECT_EQ(usage.start, 0);
  EXPECT_EQ(usage.end, 230);
  EXPECT_EQ(usage.busy, 180);
  EXPECT_EQ(usage.compute, 100);
  EXPECT_EQ(usage.communication, 100);
  EXPECT_EQ(usage.overlapped, 50);
  EXPECT_EQ(usage.memory, 30);
  EXPECT_EQ(usage.gpu_events, 5);
}

}  // namespace
}  // namespace stepscope::demo::truth_test
