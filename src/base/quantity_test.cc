// Tests quantities from a command line.
#include "base/quantity.h"

#include <gtest/gtest.h>

namespace stepscope::quantity_test {
namespace {

TEST(QuantityTest, Durations) {
  EXPECT_EQ(ReadDuration("90").value(), 90);
  EXPECT_EQ(ReadDuration("90s").value(), 90);
  EXPECT_EQ(ReadDuration("30m").value(), 1800);
  EXPECT_EQ(ReadDuration("1h30m").value(), 5400);
  EXPECT_EQ(ReadDuration("1.5h").value(), 5400);
  EXPECT_EQ(ReadDuration("1000d").value(), 86.4e6);
  EXPECT_EQ(ReadDuration("250ms").value(), 0.25);
  EXPECT_EQ(ReadDuration("2min").value(), 120);
  EXPECT_DOUBLE_EQ(ReadDuration("50us").value(), 50e-6);
  EXPECT_DOUBLE_EQ(ReadDuration("50\u00b5s").value(), 50e-6);
  EXPECT_DOUBLE_EQ(ReadDuration("50\u03bcs").value(), 50e-6);
  EXPECT_EQ(ReadDuration("1w").value(), 604800);
  EXPECT_EQ(ReadDuration("0").value(), 0);
  for (const char* wrong : {"", "s", "-1", "-1s", "1x", "1h30", "1 h", "nan", "inf", "1e400",
                            "1h-1m", "0x10", "1e308w"}) {
    EXPECT_FALSE(ReadDuration(wrong)) << wrong;
  }
  EXPECT_TRUE(ReadDuration("1x").error().hint.contains("30m"));
}

TEST(QuantityTest, NanosecondsAreExact) {
  EXPECT_EQ(ReadNanoseconds("50us").value(), 50'000);
  EXPECT_EQ(ReadNanoseconds("0.3us").value(), 300);
  EXPECT_EQ(ReadNanoseconds("1h30m").value(), 5.4e12);
  EXPECT_EQ(ReadNanoseconds("0.5ns").value(), 0.5);
  EXPECT_FALSE(ReadNanoseconds("soon"));
}

TEST(QuantityTest, Points) {
  EXPECT_EQ(ReadPoints("5pp").value(), 0.05);
  EXPECT_EQ(ReadPoints("-2.5pp").value(), -0.025);
  for (const char* wrong : {"", "5", "5%", "pp", "5ppp"}) EXPECT_FALSE(ReadPoints(wrong)) << wrong;
}

TEST(QuantityTest, Sizes) {
  EXPECT_EQ(ReadSize("512").value(), 512);
  EXPECT_EQ(ReadSize("80GB").value(), 80e9);
  EXPECT_EQ(ReadSize("1.5GiB").value(), 1610612736);
  EXPECT_EQ(ReadSize("2TiB").value(), 2199023255552);
  for (const char* wrong : {"", "GB", "-1GB", "1gb", "1 GB", "1G"}) {
    EXPECT_FALSE(ReadSize(wrong)) << wrong;
  }
}

TEST(QuantityTest, BandwidthsHaveAUnit) {
  EXPECT_EQ(ReadBandwidth("40GB/s").value(), 40e9);
  EXPECT_EQ(ReadBandwidth("400Gbit/s").value(), 50e9);
  EXPECT_EQ(ReadBandwidth("1.5GiB/s").value(), 1610612736);
  EXPECT_EQ(ReadBandwidth("25e9B/s").value(), 25e9);
  for (const char* wrong : {"", "40", "25e9", "40/s", "40GB", "40Gb/s", "-1GB/s", "bit/s", "/s"})
    EXPECT_FALSE(ReadBandwidth(wrong)) << wrong;
}

TEST(QuantityTest, SharesAndNumbers) {
  EXPECT_DOUBLE_EQ(ReadShare("10%").value(), 0.1);
  EXPECT_EQ(ReadShare("0.1").value(), 0.1);
  EXPECT_FALSE(ReadShare("10 percent"));
  EXPECT_FALSE(ReadShare("%"));
  EXPECT_EQ(ReadNumber("540.35e9").value(), 540.35e9);
  EXPECT_FALSE(ReadNumber("540B"));
  EXPECT_FALSE(ReadNumber(""));
}

}  // namespace
}  // namespace stepscope::quantity_test
