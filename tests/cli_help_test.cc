// Tests version, help, explanations, manual page and completions of the binary.
#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "tests/front_door.h"
#include "tests/shell.h"

namespace stepscope::testing::cli_help_test {
namespace {

TEST(Cli, ListsAndExplainsEveryAnalysis) {
  const Outcome list = Stepscope("list");
  EXPECT_EQ(list.code, 0);
  for (const AnalysisInfo& analysis : Session::List()) {
    EXPECT_TRUE(list.out.contains(analysis.name)) << analysis.name;
    const Outcome explained = Stepscope("explain " + analysis.name);
    EXPECT_EQ(explained.code, 0);
    EXPECT_TRUE(explained.out.contains(analysis.title));
    for (const ParameterInfo& p : analysis.params) EXPECT_TRUE(explained.out.contains(p.name));
    EXPECT_FALSE(explained.out.contains("default )")) << explained.out;
  }
}

// A column called `host` is not the option --host.
TEST(Cli, ExplainsNamesNoOptionThatAnalyzeLacks) {
  const std::string help = Stepscope("analyze --help").out;
  const std::regex option("--[a-z][a-z-]*");
  for (const AnalysisInfo& analysis : Session::List()) {
    const std::string text = Stepscope("explain " + analysis.name).out;
    for (std::sregex_iterator at(text.begin(), text.end(), option), end; at != end; ++at) {
      EXPECT_TRUE(help.contains(at->str() + " ")) << analysis.name << ": " << at->str();
    }
  }
}

TEST(Cli, SaysItsVersionAndHelpsWithExamples) {
  const Outcome version = Stepscope("--version");
  EXPECT_EQ(version.code, 0);
  EXPECT_TRUE(version.out.starts_with("stepscope "));
  for (const char* command : {"", "analyze ", "export ", "explain ", "demo ", "completions ",
                              "goodput ", "goodput analyze ", "goodput model fit ", "man "}) {
    const Outcome help = Stepscope(std::string(command) + "--help");
    EXPECT_EQ(help.code, 0);
    EXPECT_TRUE(help.out.contains("Example")) << command;
  }
  EXPECT_EQ(Stepscope("").code, 2);
  ExpectError(Stepscope("frobnicate"), "", "stepscope --help");
  ExpectError(Stepscope("analyse x"), "", "did you mean 'stepscope analyze'?");
  ExpectError(Stepscope("analyze x --frobnicate"), "--frobnicate", "--help");
}

TEST(Cli, TheManualIsRoff) {
  const Outcome page = Stepscope("man");
  EXPECT_EQ(page.code, 0);
  for (const char* heading :
       {".SH ANALYZE", ".SH GOODPUT MODEL WHAT\\-IF", "\\-\\-save\\-time TIME"}) {
    EXPECT_TRUE(page.out.contains(heading)) << heading;
  }
  const Outcome read =
      Shell("command -v groff > /dev/null || exit 77; stepscope man | groff -man -ww -Tutf8");
  EXPECT_TRUE(read.code == 0 || read.code == 77);
  EXPECT_EQ(read.err, "");
}

TEST(Cli, CompletionsAreScriptsThatTheirShellsRead) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Outcome outcome = Stepscope(std::string("completions ") + shell);
    EXPECT_EQ(outcome.code, 0);
    for (const char* word : {"analyze", "explain", "demo", "only", "steps"}) {
      EXPECT_TRUE(outcome.out.contains(word)) << shell << " " << word;
    }
    const Outcome read = Shell(fmt::format(
        "command -v {0} > /dev/null || exit 77; stepscope completions {0} | {0} -n", shell));
    EXPECT_TRUE(read.code == 0 || read.code == 77) << shell << ": " << read.err;
  }
  ExpectError(Stepscope("completions tcsh"), "tcsh", "fish");
}

TEST(Cli, BashCompletesSubcommandsOptionsAndNames) {
  const auto complete = [](const std::string& words, int at) {
    return Shell(fmt::format("bash -c \"$(stepscope completions bash)\nCOMP_WORDS=({}) "
                             "COMP_CWORD={}\n_stepscope\n"
                             "echo \\${{COMPREPLY[@]}}\"",
                             words, at))
        .out;
  };
  EXPECT_TRUE(complete("stepscope ana", 1).contains("analyze"));
  EXPECT_TRUE(complete("stepscope analyze --on", 2).contains("--only"));
  EXPECT_TRUE(complete("stepscope explain idle", 2).contains("idle_time"));
  EXPECT_TRUE(complete("stepscope analyze --format js", 3).contains("json"));
  EXPECT_TRUE(complete("stepscope goodput an", 2).contains("analyze"));
  EXPECT_TRUE(complete("stepscope goodput model wh", 3).contains("what-if"));
  EXPECT_FALSE(complete("stepscope goodput model expect --ev", 4).contains("--events"));
  EXPECT_TRUE(complete("stepscope goodput analyze --mode ml", 4).contains("ml-goodput"));
  EXPECT_TRUE(complete("stepscope goodput analyze --ev", 3).contains("--events"));
  // As bash and as zsh split words.
  EXPECT_EQ(complete("stepscope analyze x --only = strag", 5), "stragglers\n");
  EXPECT_EQ(complete("stepscope analyze x --only=strag", 3), "--only=stragglers\n");
  EXPECT_EQ(complete("stepscope analyze x --only steps,strag", 4), "steps,stragglers\n");
  EXPECT_TRUE(complete("stepscope table strag", 2).contains("stragglers.ranks"));
  EXPECT_TRUE(complete("stepscope analyze x -p idle_time", 4)
                  .contains("idle_time.consecutive_kernel_delay="));
  // In a directory with files, none is a format.
  EXPECT_EQ(complete("stepscope analyze x --format ''", 4), "text json csv markdown md\n");
}

}  // namespace
}  // namespace stepscope::testing::cli_help_test
