// Tests exact numbers, unescaped strings, and the end of values.
#include "ingest/json/json_text.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace stepscope::json_text_test {
namespace {

struct Decimal {
  const char* token;
  int power;
  std::optional<int64_t> value;
};

TEST(ScaleDecimal, IsExact) {
  for (const auto& [token, power, value] : std::vector<Decimal>{
           {"0", 3, 0},
           {"7", 3, 7000},
           {"1682725898237042.123", 3, 1682725898237042123},
           {"1682725898237042.1", 3, 1682725898237042100},
           {"1682725898237042", 3, 1682725898237042000},
           {"0.001", 3, 1},
           {"0.0009", 3, 0},
           {"12.3456789", 3, 12345},  // cut off towards zero
           {"-12.3456789", 3, -12345},
           {"-0.0009", 3, 0},
           {"-7", 0, -7},
           {"007", 0, 7},
           {"0.000000000000000000000000001", 27, 1},
           {"3.14159265358979323846264338327950288419716939937510", 18, 3141592653589793238},
       }) {
    EXPECT_EQ(ScaleDecimal(token, power), value) << token;
  }
}

TEST(ScaleDecimal, ReadsExponents) {
  for (const auto& [token, power, value] : std::vector<Decimal>{
           {"1.5e3", 0, 1500},
           {"1.5E3", 0, 1500},
           {"1.5e+3", 0, 1500},
           {"1500e-3", 3, 1500},
           {"1.682725898237042123e15", 3, 1682725898237042123},
           {"1682725898237042123e-3", 3, 1682725898237042123},
           {"0e0", 3, 0},
           {"0e9999", 0, 0},
           {"5e-9999", 0, 0},
           {"1e18", 0, 1'000'000'000'000'000'000},
           {"1e19", 0, std::nullopt},
           {"1e2147483647", 0, std::nullopt},
           {"1e99999999999", 0, std::nullopt},
       }) {
    EXPECT_EQ(ScaleDecimal(token, power), value) << token;
  }
}

TEST(ScaleDecimal, NeverOverflows) {
  for (const auto& [token, power, value] : std::vector<Decimal>{
           {"9223372036854775807", 0, INT64_MAX},
           {"9223372036854775808", 0, std::nullopt},
           {"9223372036854775809", 0, std::nullopt},
           {"9223372036854775810", 0, std::nullopt},
           {"92233720368547758091", 0, std::nullopt},
           {"18446744073709551615", 0, std::nullopt},
           {"-9223372036854775807", 0, -INT64_MAX},
           {"-9223372036854775808", 0, std::nullopt},
           {"9223372036854775.807", 3, INT64_MAX},
           {"9223372036854775.808", 3, std::nullopt},
           {"922337203685477.58091", 3, 922337203685477580},
           {"922337203685477.58091e4", 0, std::nullopt},
           {"92233720368547758091e-1", 0, std::nullopt},
           {"92233720368547758091e-2", 0, 922337203685477580},
           {"0.92233720368547758091e19", 0, std::nullopt},
           {"100000000000000000000000000000000000000000e-40", 0, 10},
       }) {
    EXPECT_EQ(ScaleDecimal(token, power), value) << token;
  }
}

TEST(ScaleDecimal, IgnoresQuotesAndSpaceBehind) {
  EXPECT_EQ(ScaleDecimal("\"1.5\"", 3), 1500);
  EXPECT_EQ(ScaleDecimal("42 \n", 0), 42);
  EXPECT_EQ(ScaleDecimal("\"42\"  ", 0), 42);
}

TEST(ScaleDecimal, KnowsWhatIsNoNumber) {
  for (const char* token :
       {"",     "\"\"", "\"",   "-",    ".",   ".5",       "e5",  "+5", "1.2.3", "1e",     "1e+",
        "0x10", "12a",  "null", "true", "NaN", "Infinity", "[1]", "{}", "1 2",   "\" 1\"", "--1"}) {
    EXPECT_EQ(ScaleDecimal(token, 0), std::nullopt) << token;
  }
}

TEST(RealNumber, IsFiniteOrNothing) {
  EXPECT_EQ(RealNumber("3.52"), 3.52);
  EXPECT_EQ(RealNumber("\"-1e3\" "), -1000);
  for (const char* token : {"", "NaN", "nan", "inf", "-Infinity", "1e999", "x", "\"\"", "1x"}) {
    EXPECT_EQ(RealNumber(token), std::nullopt) << token;
  }
}

TEST(TextOf, RemovesQuotesAndResolvesEscapes) {
  std::string scratch;
  for (const auto& [token, text] : std::vector<std::pair<std::string, std::string>>{
           {R"("gemm")", "gemm"},
           {R"("gemm"   )", "gemm"},
           {R"("")", ""},
           {R"("a\"b\\c\/d")", R"(a"b\c/d)"},
           {R"("\t\n\u0041")", "\t\nA"},
           {R"("\u0000")", std::string(1, '\0')},
           {R"("\ud83d\ude00")", "\xf0\x9f\x98\x80"},
           {R"("\ud83d alone")", "\xef\xbf\xbd alone"},
           {R"("\x41")", R"(\x41)"},
           {"7", "7"},
           {"[1, 2] ", "[1, 2]"},
           {"", ""},
           {"\"", "\""},
       }) {
    EXPECT_EQ(TextOf(token, scratch), text) << token;
  }
}

// How many bytes of the text its first value takes; -1 if it does not end.
std::ptrdiff_t Ends(std::string_view text) {
  const char* end = EndOfValue(text.data(), text.data() + text.size());
  return end == nullptr ? -1 : end - text.data();
}

TEST(EndOfValue, FindsTheEndOfOneValue) {
  EXPECT_EQ(Ends(R"({"a":[1,2]},{)"), 11);
  EXPECT_EQ(Ends(R"([[],[{}]] )"), 9);
  EXPECT_EQ(Ends(R"("a\"b",1)"), 6);
  EXPECT_EQ(Ends(R"("}]",1)"), 4);
  EXPECT_EQ(Ends("12,"), 2);
  EXPECT_EQ(Ends("12}"), 2);
  EXPECT_EQ(Ends("]"), 0);
  EXPECT_EQ(Ends(R"({"a":"\\"},)"), 10);
  EXPECT_EQ(Ends(R"({\"a":1},")"), -1) << "a quote that is escaped begins no string";
}

TEST(EndOfValue, KnowsWhenThereIsNone) {
  for (const char* text : {"", "12", "{", R"({"a":"b")", R"("abc)", R"("abc\")", "[[]", R"("\)"}) {
    EXPECT_EQ(Ends(text), -1) << text;
  }
  EXPECT_EQ(Ends(std::string(1'000'000, '[')), -1);
  EXPECT_EQ(Ends(std::string(1'000'000, '[') + std::string(1'000'000, ']')), 2'000'000);
}

std::pair<std::string, int64_t> Cleaned(std::string text) {
  const int64_t replaced = ReplaceInvalid(text.data(), text.data() + text.size());
  return {text, replaced};
}

TEST(ReplaceInvalid, LeavesValidTextAlone) {
  for (const char* text :
       {"", R"({"a": "b\n\"c\""})", "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"", "[\n\t1]"}) {
    EXPECT_EQ(Cleaned(text), std::pair(std::string(text), int64_t{0}));
  }
}

TEST(ReplaceInvalid, ReplacesBytesThatNoTextMayHold) {
  for (const auto& [text, cleaned] : std::vector<std::pair<std::string, std::string>>{
           {"\"a\nb\"\n", "\"a?b\"\n"},  // only inside strings
           {std::string("\"a\0b\"", 5), "\"a?b\""},
           {"\"\xff\"", "\"?\""},
           {"\"\x80\"", "\"?\""},
           {"\"\xc3\"", "\"?\""},
           {"\"\xe2\x82\"", "\"??\""},
           {"\"\xc0\x80\"", "\"??\""},            // overlong
           {"\"\xe0\x9f\xbf\"", "\"???\""},       // overlong
           {"\"\xed\xa0\x80\"", "\"???\""},       // surrogate
           {"\"\xf4\x90\x80\x80\"", "\"????\""},  // beyond the last character
           {"\"\xf5\x80\x80\x80\"", "\"????\""},
           {"\"a\\\"\n\"", "\"a\\\"?\""},   // an escaped quote does not end the string
           {"\"a\\\\\"\n", "\"a\\\\\"\n"},  // an escaped backslash escapes nothing
           {"\"a\\\xff\"", "\"a\\?\""},
           {"\xff", "?"},
       }) {
    EXPECT_EQ(Cleaned(text).first, cleaned);
    EXPECT_EQ(Cleaned(cleaned).second, 0) << "cleaning twice changes nothing";
  }
}

}  // namespace
}  // namespace stepscope::json_text_test
