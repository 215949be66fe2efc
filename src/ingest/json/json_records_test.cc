// Walking a document: what is told of it, and the same as another parser tells of damaged ones.
#include "ingest/json/json_records.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace stepscope::json_records_test {
namespace {

// What a visitor was told, a line each.
class Told : public JsonVisitor {
 public:
  void BeginElement(std::string_view path) override { Add("{", path, ""); }
  void EndElement(std::string_view path) override { Add("}", path, ""); }
  void Number(std::string_view path, int64_t value) override {
    Add("=", path, std::to_string(value));
  }
  void Text(std::string_view path, std::string_view value) override { Add("'", path, value); }

  std::string lines;

 private:
  void Add(std::string_view what, std::string_view path, std::string_view value) {
    lines.append(what).append(path).append(" ").append(value).append("\n");
  }
};

std::pair<std::string, JsonEnd> Walk(std::string_view text, size_t window = 64) {
  ByteSource source = ByteSource::FromMemory(text);
  Told told;
  const JsonEnd end = WalkJson(source, told, window).end;
  return {told.lines, end};
}

TEST(WalkJson, TellsValuesWithTheirPaths) {
  const auto [told, end] = Walk(
      R"({"agents": [{"id": {"handle": 7}, "on": true}, {"name": "a\n\u00e9"}], "x": [1.5, -3, null]})");
  EXPECT_EQ(told,
            "{agents \n"
            "=agents/id/handle 7\n"
            "=agents/on 1\n"
            "}agents \n"
            "{agents \n"
            "'agents/name a\n\u00e9\n"
            "}agents \n"
            "=x -3\n");
  EXPECT_EQ(end, JsonEnd::kWhole);
}

TEST(WalkJson, SaysHowTheDocumentEnds) {
  EXPECT_EQ(Walk("{\"a\": 1} \n").second, JsonEnd::kWhole);
  EXPECT_EQ(Walk("{\"a\": 1} {").second, JsonEnd::kFollowed);
  for (const std::string_view cut : {"", "{", "{\"a", "{\"a\"", "{\"a\": ", "{\"a\": 1", "[tru"})
    EXPECT_EQ(Walk(cut).second, JsonEnd::kCutShort) << cut;
  for (const std::string_view damaged :
       {"{1: 2}", "{\"a\" 1}", "[1 2]", "[01]", "[1.]", "[\"\\q\"]", "[\"\x01\"]", "[\"\xff\"]",
        "[1}", "{\"a\": 1]", "[,]", "[1,]", "[truth]", "[\"\\ud800\"]", "] "})
    EXPECT_EQ(Walk(damaged).second, JsonEnd::kDamaged) << damaged;
  EXPECT_EQ(Walk(std::string(64, '[') + std::string(64, ']')).second, JsonEnd::kWhole);
  EXPECT_EQ(Walk(std::string(65, '[') + std::string(65, ']')).second, JsonEnd::kDamaged);
}

TEST(WalkJson, PassesOverAByteOrderMark) {
  EXPECT_EQ(Walk("\xef\xbb\xbf{\"a\": 1}"), std::pair(std::string("=a 1\n"), JsonEnd::kWhole));
}

// Knows the lists "a" and "b", and says what of them is lost.
class Lenient : public Told {
 public:
  JsonArray BeginArray(std::string_view path) override {
    return path == "a" || path == "b" ? JsonArray::kKnown : JsonArray::kOther;
  }
  std::string PathOfList(std::string_view name, std::string_view) const override {
    return name == "a" || name == "b" ? std::string(name) : std::string();
  }
  void LoseElement(std::string_view path) override { lines.append("!").append(path).append("\n"); }
};

JsonRead WalkLenient(std::string_view text, std::string& lines, size_t window) {
  ByteSource source = ByteSource::FromMemory(text);
  Lenient told;
  JsonRead read = WalkJson(source, told, window);
  lines = told.lines;
  return read;
}

// Each place of damage costs the element that it is in, whatever it did to quotes and brackets.
TEST(WalkJson, GoesOnAtTheNextElementOfAKnownList) {
  for (const std::string_view damaged :
       {R"({"k": 2x})", R"({"k": })", R"({"k": 2)", R"({"k" 2})", R"({"k: 2})", R"({"k": "2})",
        R"({"k": {"k": 2})", R"({"k": [2})", R"(x)", R"({"k": 2}])", R"({"k": 2]})",
        R"({"k": 2}} )", "{\"k\": \"\x01\"}", R"({"k": "\q"})"}) {
    const std::string text = fmt::format(R"({{"a": [{{"k": 1}}, {}, {{"k": 3}}], "x": [{{"z": 1}}],
                                             "b": [{{"k": 4}}]}})",
                                         damaged);
    for (const size_t window : {64U, 256U, 4096U}) {
      std::string lines;
      const JsonRead read = WalkLenient(text, lines, window);
      EXPECT_TRUE(lines.contains("=a/k 1\n")) << text << lines;
      EXPECT_TRUE(lines.contains("=a/k 3\n")) << text << lines;
      EXPECT_TRUE(lines.contains("=b/k 4\n")) << text << lines;
      EXPECT_GE(read.damages, 1) << text;
      EXPECT_LE(read.damages, 2) << text;
      EXPECT_EQ(read.bytes, text.size());
    }
  }
}

TEST(WalkJson, ElementsOfUnknownListsAreNotTakenForThose) {
  std::string lines;
  const JsonRead read = WalkLenient(
      R"({"a": [{"k": 1}, {"k": 2"}], "x": [{"k": 7}, {"k": 8}], "b": [{"k": 4}]})", lines, 4096);
  EXPECT_EQ(lines, "{a \n=a/k 1\n}a \n{a \n!a\n{b \n=b/k 4\n}b \n");
  EXPECT_EQ(read.damages, 1);
  EXPECT_EQ(read.first_text, "2\"}], \"");
  EXPECT_EQ(read.rest, 0u);
}

TEST(WalkJson, SaysHowMuchOfADamagedDocumentNobodyReads) {
  std::string lines;
  const JsonRead read = WalkLenient(R"({"a": [{"k": 1}, {"k": 2x}, {"z": 3}]})", lines, 16);
  EXPECT_EQ(read.end, JsonEnd::kDamaged);
  EXPECT_EQ(read.first, 23u);
  EXPECT_EQ(read.first_text, "2x");
  EXPECT_EQ(read.rest, 15u);
  EXPECT_EQ(read.bytes, 38u);
}

// The definition, by nlohmann's parser.
class Expected : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Expected(Told& told) : told_(told) {}
  bool null() override { return true; }
  bool boolean(bool value) override { return Number(value ? 1 : 0); }
  bool number_integer(int64_t value) override { return Number(value); }
  bool number_unsigned(uint64_t value) override {
    return !std::in_range<int64_t>(value) || Number(static_cast<int64_t>(value));
  }
  bool number_float(double, const std::string&) override { return true; }
  bool string(std::string& text) override {
    told_.Text(path_, text);
    return true;
  }
  bool binary(nlohmann::json::binary_t&) override { return false; }
  bool key(std::string& text) override {
    path_.resize(open_.back().path);
    path_ += path_.empty() ? text : "/" + text;
    return true;
  }
  bool start_object(size_t) override { return Open(true); }
  bool start_array(size_t) override { return Open(false); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }
  bool parse_error(size_t, const std::string&, const nlohmann::json::exception&) override {
    return false;
  }

 private:
  struct Container {
    size_t path;
    bool is_object, is_element;
  };
  bool Number(int64_t value) {
    told_.Number(path_, value);
    return true;
  }
  bool Open(bool is_object) {
    const bool is_element = is_object && !open_.empty() && !open_.back().is_object;
    open_.push_back({path_.size(), is_object, is_element});
    if (is_element) told_.BeginElement(path_);
    return true;
  }
  bool Close() {
    const Container closed = open_.back();
    open_.pop_back();
    path_.resize(closed.path);
    if (closed.is_element) told_.EndElement(path_);
    return true;
  }
  Told& told_;
  std::string path_;
  std::vector<Container> open_;
};

std::string RandomDocument(std::mt19937& random, int depth) {
  constexpr std::string_view kScalars[] = {"0",
                                           "-7",
                                           "12.25",
                                           "1e3",
                                           "true",
                                           "null",
                                           "9223372036854775807",
                                           "18446744073709551615",
                                           "\"\"",
                                           "\"ab\"",
                                           "\"a\\\"b\\\\\"",
                                           "\"\xc3\xa4\"",
                                           "\"\\u00e9\\n\""};
  const auto space = [&] { return std::string(random() % 3, random() % 2 == 0 ? ' ' : '\n'); };
  const unsigned kind = depth == 0 ? 0 : random() % 4;
  if (kind < 2) return space() + std::string(kScalars[random() % std::size(kScalars)]) + space();
  std::string text = space() + (kind == 2 ? "[" : "{");
  for (unsigned i = 0, n = random() % 4; i < n; ++i) {
    if (i > 0) text += ',';
    if (kind == 3) text += space() + "\"k" + std::to_string(random() % 5) + "\"" + space() + ":";
    text += RandomDocument(random, depth - 1);
  }
  return text + (kind == 2 ? "]" : "}") + space();
}

// Without the number at its end: what follows a number without space belongs to it here.
std::string WithoutLastNumber(const std::string& lines) {
  const size_t last = lines.rfind('\n', lines.size() - 2) + 1;
  return lines[last] == '=' ? lines.substr(0, last) : lines;
}

TEST(WalkJson, TellsWhatAnotherParserTells) {
  // Without an e: numbers of too many digits for a double are damage to the other parser.
  constexpr std::string_view kBytes = "{}[]:,\"\\ \n0-.tn\x01\xff\xc3";
  std::mt19937 random(11);
  for (int round = 0; round < 20'000; ++round) {
    std::string text = "[" + RandomDocument(random, 5) + "]";
    if (round % 2 == 0) text[random() % text.size()] = kBytes[random() % kBytes.size()];
    if (round % 8 == 1) text.resize(random() % text.size());
    if (!text.starts_with('[')) continue;
    Told told;
    Expected expected(told);
    const bool whole = nlohmann::json::sax_parse(
        text, &expected, nlohmann::json::input_format_t::json, /*strict=*/false);
    for (const size_t window : {8U, 61U, 4096U}) {
      const auto [lines, end] = Walk(text, window);
      ASSERT_EQ(end == JsonEnd::kWhole || end == JsonEnd::kFollowed, whole) << text;
      if (lines != told.lines) {
        ASSERT_FALSE(whole) << text;
        ASSERT_EQ(lines, WithoutLastNumber(told.lines)) << text;
      }
    }
  }
}

}  // namespace
}  // namespace stepscope::json_records_test
