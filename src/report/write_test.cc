// Tests formats, and the stable names in JSON and CSV.
#include "stepscope/write.h"

#include <gtest/gtest.h>

#include "tests/support/sample_answer.h"

namespace stepscope::write_test {
namespace {

TEST(Write, KnowsItsFormatsByName) {
  EXPECT_EQ(ParseFormat("text"), Format::kText);
  EXPECT_EQ(ParseFormat("json"), Format::kJson);
  EXPECT_EQ(ParseFormat("csv"), Format::kCsv);
  EXPECT_EQ(ParseFormat("markdown"), Format::kMarkdown);
  EXPECT_EQ(ParseFormat("JSON"), std::nullopt);
  EXPECT_EQ(ParseFormat(""), std::nullopt);
}

TEST(Write, GoesToTheWriterOfTheFormat) {
  const ReportSet answer = SampleAnswer();
  EXPECT_EQ(Write(answer, Format::kText, {.color = true, .width = 60}),
            ToText(answer, {.color = true, .width = 60}));
  EXPECT_EQ(Write(answer, Format::kJson), ToJson(answer));
  EXPECT_EQ(Write(answer, Format::kCsv), ToCsv(answer));
  EXPECT_EQ(Write(answer, Format::kMarkdown), ToMarkdown(answer));
}

TEST(Write, NamesAreStable) {
  EXPECT_EQ(UnitName(Unit::kNone), "");
  EXPECT_EQ(UnitName(Unit::kNanoseconds), "ns");
  EXPECT_EQ(UnitName(Unit::kRatio), "ratio");
  EXPECT_EQ(UnitName(Unit::kCount), "count");
  EXPECT_EQ(UnitName(Unit::kBytes), "bytes");
  EXPECT_EQ(UnitName(Unit::kBytesPerSecond), "bytes/s");
  EXPECT_EQ(UnitName(Unit::kFlop), "FLOP");
  EXPECT_EQ(UnitName(Unit::kFlopPerSecond), "FLOP/s");
  EXPECT_EQ(UnitName(Unit::kUnixTime), "unix_ns");
  EXPECT_EQ(UnitName(Unit::kRatioDifference), "ratio_difference");
  EXPECT_EQ(SeverityName(Severity::kHigh), "high");
  EXPECT_EQ(SeverityName(Severity::kMedium), "medium");
  EXPECT_EQ(SeverityName(Severity::kLow), "low");
  EXPECT_EQ(StatusName(Status::kOk), "ok");
  EXPECT_EQ(StatusName(Status::kPartial), "partial");
  EXPECT_EQ(StatusName(Status::kUnavailable), "unavailable");
}

}  // namespace
}  // namespace stepscope::write_test
