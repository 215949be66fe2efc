// Tests which text is JSON to the letter, and what is mended: as nlohmann's parser has it.
#include "ingest/json/strict_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace stepscope::strict_json_test {
namespace {

// The text as it may be copied; nothing if it may not.
std::optional<std::string> Checked(const std::string& text) {
  StrictJson strict;
  if (strict.CheckWhole(text) == StrictJson::Outcome::kNoJson) return std::nullopt;
  EXPECT_TRUE(nlohmann::json::accept(strict.text())) << text;
  return std::string(strict.text());
}

TEST(StrictJson, TakesWhatEveryParserTakes) {
  for (const char* text :
       {"{}", "[]", R"({"a":1})", R"({"a": {"b":[1, -0.5e+3, 1E2, true,false , null, ""]}, "c":0})",
        R"(["\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00"])", "[18446744073709551616, 1e-999, 1.25]"}) {
    EXPECT_EQ(Checked(text), text);
    EXPECT_TRUE(nlohmann::json::accept(text)) << text;
  }
}

TEST(StrictJson, TakesNothingElse) {
  for (const char* text :
       {R"({"dur": 0x10})", R"({"dur": 007})",   R"({"dur": -})",     R"({"dur": +1})",
        R"({"dur": 1.})",   R"({"dur": .5})",    R"({"dur": 1e})",    R"({"dur": 1-2})",
        R"({"dur" 1})",     R"({"dur": })",      R"({"dur"})",        R"({"dur": 1 2})",
        R"({"dur": 1,})",   R"({,"dur": 1})",    R"({"a":[1})",       R"({"a":{]})",
        R"({"a":[1,]})",    R"({"a":[,1]})",     R"({"a":["b":1]})",  R"({"a":"b"c})",
        R"({a:1})",         R"({"a":tru})",      R"({"a":truee})",    R"({"a":\"b"c"})",
        R"({"a":"\x"})",    R"({"a":"\u12g4"})", R"({"a":"\u-123"})", R"({"a":"\u12"})",
        "{\"a\":\x01}",     "{\"a\":1\x01}",     R"({"a":1:2})",      R"({"a"::1})",
        "{\"a\":1\x7f}",    R"({"a":{}{}})",     R"({"a":""""})",     R"({1:2})"}) {
    EXPECT_EQ(Checked(text), std::nullopt) << text;
    EXPECT_FALSE(nlohmann::json::accept(text)) << text;
  }
}

TEST(StrictJson, MendsWhatIsCertain) {
  const std::string digits(400, '9');
  for (const auto& [text, mended] : std::vector<std::pair<std::string, std::string>>{
           {R"({"a": NaN, "b":[-Infinity ,inf],"c":-nan})",
            R"({"a": null, "b":[null ,null],"c":null})"},
           {"[1e999,-1E+999," + digits + "]", "[null,null,null]"},
           {R"(["\ud83d"])", R"(["\ufffd"])"},
           {R"(["a\ude00b\ud83d\ud83d\ude00"])", R"(["a\ufffdb\ufffd\ud83d\ude00"])"},
           {R"({"\ud83dx":"\\ud83d"})", R"({"\ufffdx":"\\ud83d"})"},
       }) {
    EXPECT_EQ(Checked(text), mended);
  }
}

TEST(StrictJson, TakesNoMoreLevelsThanParsersDo) {
  const auto nested = [](size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  EXPECT_TRUE(Checked(nested(StrictJson::kMostLevels)));
  EXPECT_FALSE(Checked(nested(StrictJson::kMostLevels + 2)));
  EXPECT_FALSE(Checked(nested(1'000'000)));
}

}  // namespace
}  // namespace stepscope::strict_json_test
