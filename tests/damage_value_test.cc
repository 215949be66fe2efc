// Tests events whose values cannot be taken at face value, and names that no terminal should see
// raw.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/front_door.h"

namespace stepscope::testing::damage_value_test {
namespace {

// A kernel with these times, as JSON tokens.
std::string Timed(const std::string& ts, const std::string& dur, const std::string& args = "") {
  return R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":)" + ts + R"(,"dur":)" + dur +
         R"(,"args":{"device":0,"stream":7)" + args + "}}";
}

struct OddEvent {
  std::string event;
  std::string note;  // what the input's notes call it; empty: nothing to note
  int64_t busy;      // ns that the device is busy, one kernel of 5 us beside the event included
};

// What a failing test shows; without it, bytes.
void PrintTo(const OddEvent& odd, std::ostream* out) { *out << odd.event; }

class OddEventTest : public ::testing::TestWithParam<OddEvent> {};

TEST_P(OddEventTest, IsCountedOnceAndTheRestIsRight) {
  const auto answer = AskAbout(Document({Kernel("gemm", 100, 5), GetParam().event}));
  ASSERT_TRUE(answer);
  EXPECT_EQ(FirstRow(*answer, "ranks", "busy"), GetParam().busy);
  for (const char* other : {"negative_duration", "huge_duration", "clock_step", "unreadable_event",
                            "value_out_of_range", "malformed", "unknown_phase", "invalid_text"}) {
    EXPECT_EQ(NoteCount(*answer, other), other == GetParam().note ? 1 : 0) << other;
  }
}

std::string WithBandwidth(const std::string& value) {
  return Timed("110", "5", ",\"memory bandwidth (GB/s)\":" + value);
}

const OddEvent kOddEvents[] = {
    {Timed("110", "-5"), "negative_duration", 5000},
    {Timed("110", "1e15"), "huge_duration", 5000},
    {Timed("110", "86400000001"), "huge_duration", 5000},
    {Timed("110", "1e300"), "unreadable_event", 5000},
    {Timed("1e17", "5"), "unreadable_event", 5000},
    {Timed("-9223372036854775808", "5"), "unreadable_event", 5000},
    {Timed("110", "null"), "unreadable_event", 5000},
    {Timed("null", "5"), "unreadable_event", 5000},
    {Timed("\"soon\"", "5"), "unreadable_event", 5000},
    {Timed("NaN", "5"), "unreadable_event", 5000},
    {R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":110})", "unreadable_event", 5000},
    {R"({"ph":"X","cat":"kernel","pid":0,"tid":7,"ts":110,"dur":5})", "unreadable_event", 5000},
    {R"({"ph":"Z","cat":"kernel","name":"k","pid":0,"tid":7,"ts":110,"dur":5})", "unknown_phase",
     5000},
    {Timed("\"110\"", "\"5\""), "", 10000},
    {Timed("1.1e2", "0.5e1"), "", 10000},
    {Timed("110.0000009", "5.0019"), "", 10001},
    {Timed("110", "0"), "", 5000},
    {WithBandwidth("NaN"), "value_out_of_range", 10000},
    {WithBandwidth("Infinity"), "value_out_of_range", 10000},
    {WithBandwidth("-1e999"), "value_out_of_range", 10000},
    {WithBandwidth("\"inf\""), "value_out_of_range", 10000},
    {WithBandwidth("null"), "", 10000},
    {Timed("110", "5", R"(,"bytes":1e400)"), "value_out_of_range", 10000},
    {Timed("110", "5", R"(,"correlation":18446744073709551615)"), "value_out_of_range", 10000},
    {Timed("110", "5", R"(,"correlation":null,"bytes":{"a":[1]})"), "value_out_of_range", 10000},
};

INSTANTIATE_TEST_SUITE_P(Damage, OddEventTest, ::testing::ValuesIn(kOddEvents));

TEST(DamageValue, AStartOfZeroDoesNotStretchTheSpan) {
  std::vector<std::string> events = {Kernel("gemm", 0, 5)};
  for (int i = 0; i < 3; ++i) events.push_back(Kernel("gemm", 1'700'000'000'000'000 + i * 10, 5));
  const auto answer = AskAbout(Document(events));
  ASSERT_TRUE(answer);
  EXPECT_EQ(NoteCount(*answer, "clock_step"), 1);
  EXPECT_EQ(FirstRow(*answer, "ranks", "span"), 25'000);
}

TEST(DamageValue, TimesAreExactWhereADoubleIsNot) {
  const auto answer = AskAbout(
      Document({Timed("1682725898237042.123", "1.001"), Timed("1682725898237044.321", "0.679")}));
  ASSERT_TRUE(answer);
  EXPECT_EQ(FirstRow(*answer, "ranks", "span"), 2'877);
  EXPECT_EQ(FirstRow(*answer, "ranks", "busy"), 1'680);
}

TEST(DamageValue, SumsOfHugeDurationsStopInsteadOfOverflowing) {
  std::vector<std::string> events;
  for (int i = 0; i < 110'000; ++i) events.push_back(Timed("100", "86399999999"));
  const auto answer = AskAbout(Document(events));
  ASSERT_TRUE(answer);
  EXPECT_EQ(FirstRow(*answer, "ranks", "busy"), 86'399'999'999'000);
  EXPECT_EQ(FirstRow(*answer, "kernels", "sum"), INT64_MAX);
}

struct OddName {
  std::string raw;   // as the file holds it, between its quotes
  std::string read;  // as the analysis knows it
  int64_t replaced;  // bytes that could not stay
};

TEST(DamageValue, NamesKeepWhatTextMayHoldAndNothingElse) {
  const std::string raw_controls = "a\x1b[31m\nb";
  for (const OddName& n : std::vector<OddName>{
           {R"(a\u0000b)", std::string("a\0b", 3), 0},
           {R"(a\u001b[31mb)", "a\x1b[31mb", 0},
           {R"(quote \" back \\ slash \/ tab \t)", "quote \" back \\ slash / tab \t", 0},
           {R"(\u00e9\ud83d\ude00)", "\xc3\xa9\xf0\x9f\x98\x80", 0},
           {raw_controls, "a?[31m?b", 2},
           {"a\xff\xfe"
            "b",
            "a??b", 2},
           {"a\xc0\xaf"
            "b",
            "a??b", 2},  // an overlong slash
           {"a\xed\xa0\x80"
            "b",
            "a???b", 3},  // half of a surrogate pair
           {"cut \xe2\x82", "cut ??", 2},
       }) {
    const auto answer = AskAbout(Document({Kernel(n.raw, 0, 5), Kernel("gemm", 10, 1)}));
    ASSERT_TRUE(answer);
    EXPECT_EQ(GpuEvents(*answer), 2) << n.raw;
    EXPECT_EQ(NoteCount(*answer, "invalid_text"), n.replaced) << n.raw;
    const auto kernels = std::ranges::find(answer->reports, "kernel_breakdown", &Report::analysis);
    ASSERT_NE(kernels, answer->reports.end());
    bool found = false;
    for (const Table& table : kernels->tables) {
      for (const auto& row : table.rows) {
        for (const Cell& cell : row) found |= cell == Cell(n.read);
      }
    }
    EXPECT_TRUE(found) << n.raw;
    const std::string text = ToText(*answer) + ToMarkdown(*answer);
    EXPECT_EQ(text.find_first_of(std::string("\0\x1b\t\x7f", 4)), text.npos) << n.raw;
  }
}

}  // namespace
}  // namespace stepscope::testing::damage_value_test
