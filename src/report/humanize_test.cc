// Tests numbers for people.
#include "report/humanize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace stepscope::humanize_test {
namespace {

TEST(Humanize, TimesChooseTheirUnit) {
  EXPECT_EQ(HumanTime(0), "0 ns");
  EXPECT_EQ(HumanTime(640), "640 ns");
  EXPECT_EQ(HumanTime(1000), "1.00 µs");
  EXPECT_EQ(HumanTime(1240000), "1.24 ms");
  EXPECT_EQ(HumanTime(12400000), "12.4 ms");
  EXPECT_EQ(HumanTime(83500000000), "83.5 s");
  EXPECT_EQ(HumanTime(599e9), "599 s");
  EXPECT_EQ(HumanTime(900e9), "15.0 min");
  EXPECT_EQ(HumanTime(8354000000000), "2.32 h");
  EXPECT_EQ(HumanTime(900000e9), "10.4 d");
  EXPECT_EQ(HumanTime(20362 * 86400e9), "20,362 d");
  EXPECT_EQ(HumanTime(-1500), "-1.50 µs");
}

TEST(Humanize, MomentsAreDatesAndTimesOfDay) {
  const auto moment = [](int64_t ns) { return HumanCell(ns, Unit::kUnixTime); };
  EXPECT_EQ(moment(0), "1970-01-01 00:00:00 UTC");
  EXPECT_EQ(moment(1795291503'000'000'000), "2026-11-21 20:05:03 UTC");
  EXPECT_EQ(moment(1795291503'999'999'999), "2026-11-21 20:05:03 UTC");
  EXPECT_EQ(moment(951782400'000'000'000), "2000-02-29 00:00:00 UTC");
  EXPECT_EQ(moment(-1), "1969-12-31 23:59:59 UTC");
  EXPECT_EQ(moment(std::numeric_limits<int64_t>::max()), "2262-04-11 23:47:16 UTC");
  EXPECT_EQ(moment(std::numeric_limits<int64_t>::min()), "1677-09-21 00:12:43 UTC");
  EXPECT_EQ(HumanCell(1.795291503e18, Unit::kUnixTime), "2026-11-21 20:05:03 UTC");
  EXPECT_EQ(HumanCell(1e300, Unit::kUnixTime), "2262-04-11 23:47:16 UTC");
}

TEST(Humanize, RoundingNeverShowsAThousandOfAUnit) {
  EXPECT_EQ(HumanTime(999499), "999 µs");
  EXPECT_EQ(HumanTime(999500), "1.00 ms");
  EXPECT_EQ(HumanTime(9995000), "10.0 ms");
  EXPECT_EQ(HumanBytes(999999), "1.00 MB");
}

TEST(Humanize, BytesArePowersOfAThousand) {
  EXPECT_EQ(HumanBytes(512), "512 B");
  EXPECT_EQ(HumanBytes(1500), "1.50 kB");
  EXPECT_EQ(HumanBytes(80e9), "80.0 GB");
  EXPECT_EQ(HumanCell(int64_t{1200000000}, Unit::kBytesPerSecond), "1.20 GB/s");
  EXPECT_EQ(HumanCell(9.89e14, Unit::kFlopPerSecond), "989 TFLOP/s");
  EXPECT_EQ(HumanCell(int64_t{512}, Unit::kFlop), "512 FLOP");
}

TEST(Humanize, SmallRatiosAreNotZero) {
  EXPECT_EQ(HumanRatio(0), "0.0%");
  EXPECT_EQ(HumanRatio(0.0001), "<0.1%");
  EXPECT_EQ(HumanRatio(0.1234), "12.3%");
  EXPECT_EQ(HumanRatio(1), "100.0%");
  EXPECT_EQ(HumanRatio(9.999), "999.9%");
  EXPECT_EQ(HumanRatio(270.492), "27,049%");
  EXPECT_EQ(HumanRatio(-34353.74), "-3,435,374%");
  EXPECT_EQ(HumanCell(-0.0, Unit::kRatio), "0.0%");
  EXPECT_EQ(HumanCell(0.263, Unit::kRelativeChange), "+26.3%");
  EXPECT_EQ(HumanCell(-0.994, Unit::kRelativeChange), "-99.4%");
  EXPECT_EQ(HumanCell(183.42, Unit::kRelativeChange), "184×");
}

TEST(Humanize, CountsAreGrouped) {
  EXPECT_EQ(HumanCount(int64_t{999}), "999");
  EXPECT_EQ(HumanCount(int64_t{1234567}), "1,234,567");
  EXPECT_EQ(HumanCount(std::numeric_limits<int64_t>::min()), "-9,223,372,036,854,775,808");
  EXPECT_EQ(HumanCount(12.46), "12.5");
  EXPECT_EQ(Plural(1, "row"), "1 row");
  EXPECT_EQ(Plural(1200, "row"), "1,200 rows");
}

TEST(Humanize, BlankCellsAreADash) {
  EXPECT_EQ(HumanCell({}, Unit::kCount), "-");
  EXPECT_EQ(HumanCell(std::string(), Unit::kNone), "-");
  EXPECT_EQ(HumanCell(std::nan(""), Unit::kRatio), "-");
  EXPECT_EQ(HumanCell(std::numeric_limits<double>::infinity(), Unit::kNanoseconds), "-");
}

TEST(Humanize, IdentifiersStayAsTheyAre) {
  EXPECT_EQ(HumanCell(int64_t{1024}, Unit::kNone), "1024");
  EXPECT_EQ(HumanCell(std::string("gemm"), Unit::kCount), "gemm");
}

}  // namespace
}  // namespace stepscope::humanize_test
