// Tests that what the skill tells assistants to run exists.
#include "cli/skill.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "cli/parser.h"
#include "cli/root.h"

namespace stepscope::cli::skill_test {
namespace {

std::vector<std::string> LinesOfSkill() {
  std::vector<std::string> lines;
  std::istringstream in{std::string(SkillText())};
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The words of a line of shell without expansions.
std::vector<std::string> Words(const std::string& line) {
  std::vector<std::string> words(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '\'') {
      quoted = !quoted;
    } else if (c == '#' && !quoted && words.back().empty()) {
      break;
    } else if (c == ' ' && !quoted) {
      if (!words.back().empty()) words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

TEST(Skill, ItsCommandsExist) {
  size_t commands = 0;
  for (const std::string& line : LinesOfSkill()) {
    if (!line.starts_with("stepscope ")) continue;
    auto words = Words(line);
    words.erase(words.begin());
    const auto root = Root();
    const auto parsed = Parse(*root, words);
    EXPECT_TRUE(parsed) << line << ": " << parsed.error().what;
    ++commands;
  }
  EXPECT_GE(commands, 15u);
}

TEST(Skill, IsShortAndHasAHeader) {
  const auto lines = LinesOfSkill();
  EXPECT_LE(lines.size(), 150u);
  EXPECT_EQ(lines[0], "---");
  EXPECT_EQ(lines[1], "name: stepscope");
  EXPECT_TRUE(lines[2].starts_with("description: "));
  EXPECT_LE(std::ranges::max(lines, {}, &std::string::size).size(), 230u);
}

}  // namespace
}  // namespace stepscope::cli::skill_test
