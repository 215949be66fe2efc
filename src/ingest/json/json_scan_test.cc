// Tests that every instruction set of this processor finds what a loop over characters finds.
#include "ingest/json/json_scan.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::json_scan_test {
namespace {

struct Found {
  std::vector<uint32_t> tokens;
  bool ends_in_string = false, control_in_string = false, ascii = true;
  bool operator==(const Found&) const = default;
};

Found Scan(std::string_view text, const JsonScanner& scanner = JsonScanners().front()) {
  std::vector<uint32_t> offsets(text.size() + kJsonScanRoom);
  const JsonScan scan = scanner.scan(text.data(), text.size(), offsets.data());
  offsets.resize(scan.tokens);
  return {offsets, scan.ends_in_string, scan.control_in_string, scan.ascii};
}

// The definition, a character at a time.
Found Expected(std::string_view text) {
  Found found;
  bool escaped = false, in_scalar = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool quote = c == '"' && !escaped;
    escaped = c == '\\' && !escaped;
    found.ascii = found.ascii && static_cast<unsigned char>(c) < 0x80;
    const bool separator = std::string_view("{}[]:, \t\r\n").contains(c);
    if (found.ends_in_string) {
      found.control_in_string = found.control_in_string || static_cast<unsigned char>(c) < 0x20;
      found.ends_in_string = !quote;
    } else {
      const bool space = std::string_view(" \t\r\n").contains(c);
      const bool starts = separator ? !space : !in_scalar;
      if (starts) found.tokens.push_back(static_cast<uint32_t>(i));
      // A quote right behind a scalar opens a string that is no token of its own.
      found.ends_in_string = quote;
    }
    in_scalar = !separator && !quote;
  }
  return found;
}

// A quote, bracket or backslash at every place of a block, and at its borders.
std::string RandomText(std::mt19937& random) {
  constexpr std::string_view kLetters = "{}[]:,\"\"\"\\\\ \t\r\nab10-\xc3\xa4\x01";
  std::string text(random() % 300, ' ');
  const size_t letters = random() % 4 == 0 ? 6 : kLetters.size();  // many tokens
  for (char& c : text) c = kLetters[random() % letters];
  return text;
}

TEST(JsonScan, EveryInstructionSetFindsTheSame) {
  for (const JsonScanner& scanner : JsonScanners()) {
    SCOPED_TRACE(scanner.instructions);
    std::mt19937 random(7);
    for (int round = 0; round < 20'000; ++round) {
      const std::string text = RandomText(random);
      ASSERT_EQ(Scan(text, scanner), Expected(text)) << text;
    }
  }
}

TEST(JsonScan, FindsTheTokensOfAnEvent) {
  const std::string text = R"({"name": "a \"b\"", "ts": -1.5e3})";
  EXPECT_EQ(Scan(text).tokens, (std::vector<uint32_t>{0, 1, 7, 9, 18, 20, 24, 26, 32}));
  EXPECT_TRUE(Scan(text + " \"").ends_in_string);
  EXPECT_TRUE(Scan("\"a\nb\"").control_in_string);
  EXPECT_FALSE(Scan("\"\xc3\xa4\"").ascii);
}

}  // namespace
}  // namespace stepscope::json_scan_test
