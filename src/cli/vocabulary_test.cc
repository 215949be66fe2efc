// Tests the tree of commands: every option has its help, every example parses.
#include "cli/vocabulary.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/help.h"
#include "cli/parser.h"
#include "cli/root.h"
#include "stepscope/condition.h"
#include "stepscope/session.h"
#include "tests/paths.h"

namespace stepscope::cli::vocabulary_test {
namespace {

void ForEach(const Command& command, const std::function<void(const Command&)>& visit) {
  visit(command);
  for (const auto& sub : command.subcommands()) ForEach(*sub, visit);
}

// Words of a shell line with 'single quotes'.
std::vector<std::string> Split(const std::string& line) {
  std::vector<std::string> words;
  bool quoted = false, open = false;
  for (const char c : line) {
    if (c == '\'') {
      quoted = !quoted;
      if (!open) words.emplace_back();
      open = true;
    } else if (c == ' ' && !quoted) {
      open = false;
    } else {
      if (!open) words.emplace_back();
      open = true;
      words.back() += c;
    }
  }
  return words;
}

// Why the line cannot be parsed; empty: it can.
std::string Problem(const std::string& line) {
  const auto root = Root();
  std::vector<std::string> words = Split(line);
  if (words.empty() || words.front() != "stepscope") return "not a command of ours";
  words.erase(words.begin());
  const auto parsed = Parse(*root, words);
  return parsed ? "" : parsed.error().what + " " + parsed.error().where;
}

void ExpectHelp(const std::string& name, const Option& option) {
  const std::string text = Explanation(option);
  EXPECT_FALSE(option.help.empty()) << name;
  EXPECT_LE(text.size(), 70u) << name << ": " << text;
  EXPECT_NE(text.back(), '.') << name;
  EXPECT_FALSE(option.preset.starts_with("default")) << name;
  const bool first_is_data = option.help.starts_with("jsonl") || option.help.starts_with("bash");
  EXPECT_TRUE(first_is_data || std::isupper(static_cast<unsigned char>(text[0])) != 0) << name;
}

TEST(Vocabulary, SpellsEveryOptionOnce) {
  std::set<std::string> names, fields;
  for (const Word& word : Vocabulary()) {
    std::string name(word.names);
    std::erase(name, '-');
    EXPECT_TRUE(names.insert(name).second) << name;
    std::istringstream all{std::string(word.fields)};
    for (std::string field; all >> field;) EXPECT_TRUE(fields.insert(field).second) << field;
  }
}

TEST(Vocabulary, TurnsFieldsIntoOptions) {
  EXPECT_EQ(WithOptions("`save_s` is missing; set `save_s`, or `restart_s`"),
            "--save-time is missing; set --save-time, or --restart-time");
  EXPECT_EQ(WithOptions("`sequence`"), "--sequence-length");
  EXPECT_EQ(WithOptions("set `token`"), "set --token-file");
  EXPECT_EQ(WithOptions("`analyses` lists the known names"),
            "'stepscope list' lists the known names");
  for (const char* same : {"", "`", "``", "`anonymous namespace'", "`no_such_field`", "a `b` c",
                           "```x", "steps", "cannot read 'eval `steps`'", "there is no `step 'x"}) {
    EXPECT_EQ(WithOptions(same), same);
  }
  EXPECT_EQ(WithOptions("no step 'a `steps`': the system's; set `steps`"),
            "no step 'a `steps`': the system's; set --steps");
}

TEST(Vocabulary, APlaceIsAFieldOrStays) {
  const Error field = WithOptions(Error{"missing `save_s`", "`save_s`", "set `save_s`"});
  EXPECT_EQ(field.what, "missing --save-time");
  EXPECT_EQ(field.where, "--save-time");
  EXPECT_EQ(field.hint, "set --save-time");
  EXPECT_EQ(WithOptions(Error{"", "runs/`steps`/a.json", ""}).where, "runs/`steps`/a.json");
}

// Before the text is laid out: columns stay aligned, and Markdown escapes no backtick.
TEST(Vocabulary, ReasonsAndHintsForPeopleNameOptions) {
  ReportSet answer{.verdict = "set `save_s`"};
  answer.reports.push_back(
      {.analysis = "x", .status = Status::kUnavailable, .why = "set `save_s`"});
  UseOptions(answer);
  EXPECT_EQ(answer.verdict, "set --save-time");
  EXPECT_EQ(answer.reports[0].why, "set --save-time");
  answer.reports.push_back({.analysis = "y", .findings = {{.hint = "leave out `exclusions`"}}});
  UseOptions(answer);
  EXPECT_EQ(answer.reports[1].findings[0].hint, "leave out --exclude");
}

// A user may call a range "eval `steps`".
TEST(Vocabulary, NamesOfATraceStay) {
  const std::string name = "eval `steps` of `seed`";
  ReportSet answer{.run = {.notes = {{"a_note", 1, name, name}}}, .verdict = name};
  answer.reports.push_back({.analysis = "x",
                            .headline = name,
                            .tables = {{.key = "t", .columns = {{"name", "name"}}}},
                            .findings = {{.message = name, .because = name}},
                            .notes = {{"a_note", 1, name, name}}});
  answer.reports[0].tables[0].rows = {{name}};
  UseOptions(answer);
  EXPECT_EQ(answer.verdict, name);
  const Report& report = answer.reports[0];
  EXPECT_EQ(report.headline, name);
  EXPECT_EQ(report.tables[0].rows[0][0], Cell(name));
  EXPECT_EQ(report.findings[0].message, name);
  EXPECT_EQ(report.findings[0].because, name);
  EXPECT_EQ(report.notes[0].message, name);
  EXPECT_EQ(answer.run.notes[0].message, name);
}

TEST(Commands, ExplainEveryOptionAlike) {
  ForEach(*Root(), [](const Command& command) {
    for (const auto& option : command.options()) {
      ExpectHelp(command.path() + " " + option->names, *option);
      const bool is_switch = option->arity == Option::Arity::kSwitch;
      if (option->is_argument()) continue;
      EXPECT_EQ(option->value.empty(), is_switch) << option->names;
    }
  });
}

TEST(Commands, HaveNamesOfTheirOwn) {
  const auto root = Root();
  std::set<std::string> names;
  for (const auto& command : root->subcommands())
    EXPECT_TRUE(names.insert(command->name()).second) << command->name();
}

TEST(Commands, UseEveryWordOfTheVocabulary) {
  std::set<std::string> used;
  ForEach(*Root(), [&](const Command& command) {
    for (const auto& option : command.options()) used.insert(option->long_name());
  });
  for (const Word& word : Vocabulary()) {
    const std::string name(word.names.substr(word.names.find(',') + 1));
    EXPECT_TRUE(used.contains(name)) << name;
  }
}

TEST(Commands, HaveExamplesThatParse) {
  ForEach(*Root(), [](const Command& command) {
    EXPECT_FALSE(command.examples().empty()) << command.path();
    EXPECT_NE(command.about().back(), '.') << command.path();
    EXPECT_LE(command.about().size(), 70u) << command.path();
    for (const Example& example : command.examples()) {
      EXPECT_TRUE(example.line.starts_with(command.path())) << example.line;
      EXPECT_EQ(Problem(example.line), "") << example.line;
    }
  });
}

// --fail-on's example is about a report of the command, not of another one.
TEST(Commands, ShowAConditionOfTheirOwn) {
  size_t seen = 0;
  ForEach(*Root(), [&](const Command& command) {
    for (const auto& option : command.options()) {
      if (option->long_name() != "--fail-on") continue;
      const auto condition = ParseCondition(option->help.substr(option->help.find(": ") + 2));
      ASSERT_TRUE(condition.has_value()) << command.path() << ": " << option->help;
      const bool of_traces = std::ranges::any_of(
          Session::List(),
          [&](const AnalysisInfo& analysis) { return analysis.name == condition->analysis; });
      const bool is_asked =
          !command.path().contains(" goodput ") && !command.path().contains(" capture ") &&
          !command.path().ends_with(" hang") && !command.path().ends_with(" memory");
      EXPECT_EQ(of_traces, is_asked) << command.path();
      ++seen;
    }
  });
  EXPECT_GT(seen, 10u);
}

// Lines of documents that start with the program's name, without what follows two spaces.
std::vector<std::string> CommandsIn(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::vector<std::string> commands;
  for (std::string line; std::getline(in, line);) {
    std::string more;
    while (line.ends_with("\\") && std::getline(in, more)) {
      line.pop_back();
      line += more.substr(std::min(more.find_first_not_of(' '), more.size()));
    }
    const size_t start = line.find_first_not_of(" $");
    if (start == line.npos || line.compare(start, 10, "stepscope ") != 0) continue;
    std::string command = line.substr(start);
    for (const char* end : {"  ", " #", " |", " &&", " >", ";"}) {
      command = command.substr(0, command.find(end));
    }
    if (!command.contains("...")) commands.push_back(command);
  }
  return commands;
}

TEST(Commands, OfTheDocumentsParse) {
  namespace fs = std::filesystem;
  const fs::path source = testing::SourceDir();
  std::vector<fs::path> documents = {source / "README.md", source / "CONTRIBUTING.md"};
  for (const char* folder : {"docs", "deploy"}) {
    for (const auto& entry : fs::recursive_directory_iterator(source / folder)) {
      if (entry.path().extension() == ".md") documents.push_back(entry.path());
    }
  }
  size_t seen = 0;
  for (const fs::path& path : documents) {
    for (const std::string& command : CommandsIn(path)) {
      EXPECT_EQ(Problem(command), "") << path << ": " << command;
      ++seen;
    }
  }
  EXPECT_GT(seen, 10u);
}

Error ErrorOf(const std::string& line) {
  const auto root = Root();
  const auto parsed = Parse(*root, Split(line));
  return parsed ? Error{} : parsed.error();
}

TEST(Parser, NamesWhatItCannotRead) {
  const auto error = ErrorOf;
  EXPECT_EQ(error("analyze").what, "missing PATH");
  EXPECT_EQ(error("analyze x --onyl y").hint, "did you mean '--only'?");
  EXPECT_EQ(error("analyse x").hint, "did you mean 'stepscope analyze'?");
  EXPECT_EQ(error("goodput model expect --mtbf soon").where, "--mtbf");
  EXPECT_EQ(error("serve x --port 70000").where, "--port");
  EXPECT_EQ(error("demo x --ranks 1.5").where, "--ranks");
  EXPECT_EQ(error("demo x --ranks 99999999999").where, "--ranks");
  EXPECT_EQ(error("analyze x --ranks 0,1..3,7-9").what, "");
  EXPECT_EQ(error("analyze x --ranks 3..0").what, "cannot read '3..0' as a whole number");
  EXPECT_EQ(error("analyze x --ranks 3..0").hint,
            "separate whole numbers and ranges with commas, such as 0,1 or 4..7");
  EXPECT_TRUE(error("goodput jobs --store x postgresql://me:secret@host/x").what.contains("..."));
  EXPECT_FALSE(
      error("goodput jobs --store x postgresql://me:secret@host/x").what.contains("secret"));
}

TEST(Parser, NamesOptionsThatLackAValueOrTakeNone) {
  for (const char* line : {"analyze x --format", "analyze --format"}) {
    EXPECT_EQ(ErrorOf(line).what, "missing value of --format") << line;
    EXPECT_EQ(ErrorOf(line).where, "--format") << line;
    EXPECT_EQ(ErrorOf(line).hint, "write --format FORMAT") << line;
  }
  EXPECT_EQ(ErrorOf("analyze x -o").what, "missing value of --output");
  EXPECT_EQ(ErrorOf("analyze x --only").hint, "write --only NAME,...");
  EXPECT_EQ(ErrorOf("analyze x --full=maybe").what, "--full takes no value");
  EXPECT_EQ(ErrorOf("analyze x --full --full").what, "");
  EXPECT_EQ(ErrorOf("analyze x --steps 1 --steps 2").what, "more than one value of --steps");
}

TEST(Parser, SuggestsAnOptionOfASubcommand) {
  EXPECT_EQ(ErrorOf("analyze x --onyl y").what, "unknown option '--onyl'");
  EXPECT_EQ(ErrorOf("--frobnicate").what, "unknown option '--frobnicate'");
  EXPECT_EQ(ErrorOf("--frobnicate").hint, "stepscope --help");
  EXPECT_EQ(ErrorOf("goodput --evnts x").what, "unknown option '--evnts'");
  EXPECT_EQ(ErrorOf("goodput --evnts x").hint,
            "did you mean 'stepscope goodput analyze --events'?");
  EXPECT_EQ(ErrorOf("--hepl").hint, "did you mean '--help'?");
  EXPECT_EQ(ErrorOf("analyze x --tokn=secret").what, "unknown option '--tokn'");
  EXPECT_EQ(ErrorOf("analyze x y=z -z").what, "unknown option '-z'");
}

TEST(Parser, RefusesOptionsThatMeanNothingAlone) {
  const std::string analyze = "goodput analyze --events x ";
  EXPECT_EQ(ErrorOf(analyze + "--scheduler-job 4711").what, "--scheduler-job needs --scheduler");
  EXPECT_EQ(ErrorOf(analyze + "--scheduler-job 4711").where, "--scheduler-job");
  EXPECT_EQ(ErrorOf(analyze + "--scheduler f --scheduler-job 4711").what, "");
  EXPECT_EQ(ErrorOf(analyze + "--chips 0").where, "--chips");
  for (const char* given : {"--dtype bf16", "--chip H100", "--tokens-per-second 5"}) {
    EXPECT_TRUE(ErrorOf(analyze + given).what.ends_with("needs --model")) << given;
    EXPECT_EQ(ErrorOf(analyze + "--model m " + given).what, "") << given;
  }
  EXPECT_EQ(ErrorOf("goodput mfu --step-time 2s").what, "--step-time needs --tokens-per-step");
  EXPECT_EQ(ErrorOf("goodput mfu --step-time 2s --tokens-per-step 5 --tokens-per-second 5").what,
            "--step-time and --tokens-per-second exclude each other");
  EXPECT_EQ(ErrorOf(analyze + "--traces t --tokens-per-step 5").what,
            "--tokens-per-step needs --model");
  EXPECT_EQ(ErrorOf("goodput watch d --dtype fp8").what, "--dtype needs --chip");
}

TEST(Parser, StoresListsAsTheyAreWritten) {
  Command root("stepscope", "");
  Command& command = root.Sub("do", "");
  std::vector<std::string> only, files, conditions, paths;
  std::vector<int64_t> ranks;
  std::optional<int64_t> slow;
  bool stacks = true;
  command.Argument("PATH", paths, "");
  command.Take("--only", only);
  command.Take("--events", files);
  command.Take("--fail-on", conditions);
  command.Take("--ranks", ranks);
  command.Take("--slow-rank", slow);
  command.Switch("--no-stacks", stacks, false);
  const auto parsed =
      Parse(root, Split("do a b --only x,y --events 1 2 --fail-on p,q<1 --fail-on r "
                        "--ranks 3,4 --slow-rank -1 --no-stacks"));
  ASSERT_TRUE(parsed.has_value()) << parsed.error().what;
  using Words = std::vector<std::string>;
  EXPECT_EQ(paths, (Words{"a", "b"}));
  EXPECT_EQ(only, (Words{"x", "y"}));
  EXPECT_EQ(files, (Words{"1", "2"}));
  EXPECT_EQ(conditions, (Words{"p,q<1", "r"}));
  EXPECT_EQ(ranks, (std::vector<int64_t>{3, 4}));
  EXPECT_EQ(slow, -1);
  EXPECT_FALSE(stacks);
}

TEST(Parser, LeavesTheWordAfterAValueToTheArguments) {
  Command root("stepscope", "");
  Command& command = root.Sub("do", "");
  std::vector<std::string> traces, paths;
  command.Argument("PATH", paths, "");
  command.Take("--traces", traces).Value("DIR");
  const auto parsed = Parse(root, Split("do --traces a part/ --traces b"));
  ASSERT_TRUE(parsed.has_value()) << parsed.error().what;
  using Words = std::vector<std::string>;
  EXPECT_EQ(traces, (Words{"a", "b"}));
  EXPECT_EQ(paths, (Words{"part/"}));
}

TEST(Parser, ServesThePathAfterTheDirectoryOfTraces) {
  const auto root = Root();
  const Command& serve = *root->FindSub("serve");
  const auto parsed = Parse(*root, Split("serve --traces t part/"));
  ASSERT_TRUE(parsed.has_value()) << parsed.error().what;
  const auto traces = std::ranges::find_if(
      serve.options(), [](const auto& option) { return option->long_name() == "--traces"; });
  EXPECT_EQ((*traces)->arity, Option::Arity::kRepeated);
}

TEST(Parser, StoresRangesUpToTheGreatestNumber) {
  Command root("stepscope", "");
  std::vector<int64_t> ranks;
  root.Sub("do", "").Take("--ranks", ranks);
  const auto parsed = Parse(root, Split("do --ranks 9223372036854775806..9223372036854775807"));
  ASSERT_TRUE(parsed.has_value()) << parsed.error().what;
  EXPECT_EQ(ranks, (std::vector<int64_t>{INT64_MAX - 1, INT64_MAX}));
}

}  // namespace
}  // namespace stepscope::cli::vocabulary_test
