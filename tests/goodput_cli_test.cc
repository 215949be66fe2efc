// Tests `stepscope goodput` as a user runs it: answers, conditions, errors and their options.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/front_door.h"
#include "tests/goodput_lines.h"
#include "tests/shell.h"

namespace stepscope::testing::goodput_cli_test {
namespace {

namespace fs = std::filesystem;

TEST(Cli, GoodputModelAnswersInEveryFormat) {
  const std::string job = "goodput model expect --mtbf 3h --save-time 1m --restart-time 10m";
  const Outcome text = Stepscope(job + " --checkpoint-interval 1h30m");
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_TRUE(text.out.contains("best checkpoint interval")) << text.out;
  for (const char* format : {"json", "csv", "markdown"}) {
    const Outcome outcome = Stepscope(job + " --format " + format);
    EXPECT_EQ(outcome.code, 0) << format;
    EXPECT_TRUE(outcome.out.contains("faster saves")) << format;
  }
  const Outcome judged = Stepscope(job + " --fail-on 'goodput_model.goodput<0.9'");
  EXPECT_EQ(judged.code, 1) << judged.err;
}

TEST(Cli, GoodputModelExplainsWhatItCannotRead) {
  ExpectError(Stepscope("goodput model expect --mtbf soon"), "cannot read 'soon' as a time",
              "1h30m");
  ExpectError(Stepscope("goodput model expect --mtbf 3h"), "missing checkpoint save time",
              "set --save-time");
  ExpectError(Stepscope("goodput model failures --cause gpu"), "'gpu'", "NAME=N");
  ExpectError(Stepscope("goodput"), "subcommand", "goodput --help");
}

std::set<std::string> OptionsIn(const std::string& text) {
  std::set<std::string> options;
  for (size_t at = 0; (at = text.find("--", at)) != text.npos;) {
    const size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", at);
    options.insert(text.substr(at, end - at));
    at = std::min(end, text.size());
  }
  return options;
}

TEST(Cli, GoodputSuggestsOptionsOfTheSubcommand) {
  for (const char* line :
       {"model expect", "model what-if", "model failures", "model failures --target 0.9",
        "model failures --failures 3", "model failures --mtbf-per-node 3h", "model fleet",
        "model fleet --steps-tried 5", "model fleet --capacity-chip-time 3h", "model gains",
        "model gains --restart-before 3s", "model expect --mtbf 3h --mtbf-per-node 1000d --nodes 8",
        "mfu --peak-tflops 300", "mfu --peak-tflops 300 --tokens-per-second 5",
        "mfu --peak-tflops 300 --tokens-per-second 5 --chips 8", "mfu --tflops-per-chip 300"}) {
    const std::string command = std::string("goodput ") + line;
    const Outcome outcome = Stepscope(command);
    EXPECT_EQ(outcome.code, 2) << line << outcome.out;
    const std::string name = command.substr(0, command.find(" --"));
    const std::string help = Stepscope(name + " --help").out;
    for (const std::string& option : OptionsIn(outcome.err)) {
      EXPECT_TRUE(help.contains(option)) << line << ": " << outcome.err;
    }
  }
}

TEST(Cli, GoodputModelJudgesTheConditionOfItsHelp) {
  const std::string sure = " --save-time 1m --restart-time 10m";
  const std::string fleet = " --saved-chip-time 8h --program-goodput 40%";
  for (const std::string& line : std::vector<std::string>{
           "model expect --mtbf 3h" + sure, "model what-if --mtbf 3h" + sure,
           "model failures --failures 8 --over 1d",
           "model spares --standby-machines 128 --down-probability 0.1%",
           "mfu --tflops-per-chip 138 --peak-tflops 312",
           "model fleet --capacity-chip-time 10h --allocated-chip-time 9h" + fleet,
           "model gains --restart-before 10m --restart-after 5m",
           "mfu --parameters 7e9 --tokens-per-second 1e4 --chips 8 --chip H100"}) {
    const std::string command = "goodput " + line;
    const std::string help = Stepscope(command.substr(0, command.find(" --")) + " --help").out;
    const std::string mark = "Exit 1 if this holds: ";
    const size_t from = help.find(mark) + mark.size();
    const std::string condition = help.substr(from, help.find('\n', from) - from);
    const Outcome outcome = Stepscope(command + " --fail-on '" + condition + "'");
    EXPECT_TRUE(outcome.code == 0 || outcome.code == 1) << line << ": " << outcome.err;
  }
}

TEST(Cli, GoodputReportsOnEvents) {
  const ScratchFolder folder;
  const std::string path = folder.Write("e.jsonl",
                                        "{\"job_start_time\": 1780000000}\n"
                                        "{\"step_count\": 0, \"step_start_time\": 1780000010}\n"
                                        "{\"step_count\": 1, \"step_start_time\": 1780000020}\n"
                                        "{\"job_end_time\": 1780000030}\n");
  const std::string ask = "goodput analyze --events '" + path + "' ";
  const Outcome text = Stepscope(ask);
  EXPECT_EQ(text.code, 0);
  EXPECT_TRUE(text.out.starts_with("Goodput is 66.7% of 30.0 s")) << text.out;
  for (const char* format : {"text", "json", "csv", "md"}) {
    EXPECT_EQ(Stepscope(ask + "--format " + format).code, 0) << format;
  }
  const Outcome at = Stepscope(ask + "--at 1780000025.5 --mode partition --format json");
  const auto json = nlohmann::json::parse(at.out);
  EXPECT_EQ(json["reports"][0]["analysis"], "goodput");
  EXPECT_EQ(json["reports"][0]["tables"][0]["rows"][2][0], "IN_PROGRESS");
  EXPECT_EQ(json["reports"][0]["tables"][0]["rows"][2][1], 5'500'000'000);
  EXPECT_TRUE(
      Stepscope(ask + "--mode ml-goodput --exclude none").out.contains("by the library's rules"));
  EXPECT_EQ(Stepscope(ask + "--fail-on 'goodput.goodput_ratio<0.7'").code, 1);
  ExpectError(Stepscope(ask + "--window 2..1"), "2..1", "the earlier time first");
  ExpectError(Stepscope(ask + "--at noon"), "where: --at noon", "seconds since 1970");
  ExpectError(Stepscope(ask + "--window 1..noon"), "where: --window 1..noon", "seconds since 1970");
  const std::string ideal = "--mode ml-goodput --format json --ideal-step-time ";
  EXPECT_TRUE(
      Stepscope(ask + ideal + "3.5s").out.contains(R"("ideal step time", "value": 3500000000,)"));
  ExpectError(Stepscope(ask + ideal + "0"), "--ideal-step-time", "0");
  EXPECT_EQ(Stepscope(ask + "--mode ml-goodput --most-steps 5").code, 0);
  ExpectError(Stepscope(ask + "--exclude 1-2"), "where: --exclude 1-2", "A..B");
  ExpectError(Stepscope(ask + "--chips 0"), "where: --chips", "from 1");
  ExpectError(Stepscope(ask + "--mode mine"), "mine", "ml-goodput");
  ExpectError(Stepscope("goodput analyze --events /no/such"), "/no/such", "spelling");
}

TEST(Cli, GoodputWithoutEventsIsAnError) {
  const ScratchFolder folder;
  const std::string other = folder.Write("truth.json", "{\"seed\": 1}\n");
  const std::string job = folder.Write("job.jsonl",
                                       "{\"job_name\": \"a\", \"job_start_time\": 1780000000}\n"
                                       "{\"job_name\": \"a\", \"job_end_time\": 1780000030}\n");
  const std::string empty = folder.path() + "/empty", store = folder.path() + "/ledger";
  fs::create_directory(empty);
  ASSERT_EQ(Stepscope("goodput import " + job + " --store " + store).code, 0);
  const std::string analyze = "goodput analyze ";
  ExpectError(Stepscope(analyze + "--events " + other), "there are no events", "JSON lines");
  ExpectError(Stepscope(analyze + "--store " + empty), "there are no events", "JSON lines");
  ExpectError(Stepscope(analyze + "--events " + job + " --job b"), "cannot find job", "--job");
  ExpectError(Stepscope(analyze + "--store " + store + " --job b"), "cannot find job", "list");
  EXPECT_EQ(Stepscope(analyze + "--store " + store + " --job a").code, 0);
  ExpectError(Stepscope("goodput watch " + store + " --job ab"), "cannot find job",
              "did you mean 'a'?");
  EXPECT_EQ(Stepscope("goodput watch " + empty).code, 0) << "events may come";
  ExpectError(Stepscope("goodput import " + other + " --store " + store), "no events to import",
              "JSON lines");
  const Outcome sent = Stepscope("goodput send --to http://127.0.0.1:1 --events " + other);
  EXPECT_EQ(sent.code, 2);
  EXPECT_EQ(sent.out, "");
  EXPECT_TRUE(sent.err.contains("there are no events to send")) << sent.err;
  ExpectError(Stepscope("goodput model fit --events " + other), "no events", "give the events");
}

TEST(Cli, GoodputErrorsHaveAVerbAndAFix) {
  for (const char* line :
       {"watch /nope", "jobs --store /nope", "compact --store /nope", "export --store /nope",
        "analyze --store /nope", "model fit --store /nope", "analyze --events /nope",
        "send /nope --to http://127.0.0.1:1"}) {
    ExpectError(Stepscope(std::string("goodput ") + line), "cannot ", "spelling");
  }
  ExpectError(Stepscope("goodput collect /proc/no/such"), "cannot create the directory", "");
  ExpectError(Stepscope("goodput model gains --restart-before 3s"), "as many numbers", "each");
  ExpectError(Stepscope("goodput model expect --mtbf 3h --save-time 3s --restart-time 3s "
                        "--announced-share 3"),
              "out of range", "set --announced-share to a number from 0 to 1");
}

TEST(Cli, GoodputMfuNamesItsOptions) {
  const std::string mfu = "goodput mfu --parameters 7e9 ";
  ExpectError(Stepscope(mfu), "missing --tokens-per-second", "--step-time and --tokens-per-step");
  const std::string fast = mfu + "--tokens-per-second 1e4 --chips 8 ";
  ExpectError(Stepscope(fast), "missing peak FLOP/s", "set --peak-tflops, or set --chip to one of");
  const Outcome unknown = Stepscope(fast + "--chip H900");
  ExpectError(unknown, "unknown peak FLOP/s of 'H900'", "set --peak-tflops, or set --chip");
  EXPECT_TRUE(unknown.err.contains("  where: --chip\n")) << unknown.err;
  ExpectError(Stepscope(fast + "--chip A100 --dtype fp8"), "fp8", "--peak-tflops");
  ExpectError(Stepscope("goodput mfu --tokens-per-second 1e4 --chips 8 --chip H100"),
              "missing model", "set --model, or --layers");
  EXPECT_TRUE(Stepscope("goodput mfu --help").out.contains("tf32 or fp32"));
}

TEST(Cli, GoodputModelTakesGivenNumbersWithEvents) {
  const ScratchFolder folder;
  std::string lines = "{\"job_name\": \"j\", \"job_start_time\": 1780000000}\n";
  for (int step = 0; step < 10; ++step) {
    lines +=
        fmt::format("{{\"step_count\": {}, \"step_start_time\": {}}}\n", step, 1780000010 + step);
  }
  const std::string with = " --events '" + folder.Write("j.jsonl", lines) + "'";
  const std::string all = " --mtbf 3h --restart-time 5m --save-time 3s";
  for (const std::string command : {"goodput model fit", "goodput model what-if"}) {
    ExpectError(Stepscope(command + with), "never interrupted and saved no checkpoint",
                "set --mtbf and --restart-time and --save-time");
    const Outcome modeled = Stepscope(command + with + all);
    EXPECT_EQ(modeled.code, 0) << modeled.err;
    const std::string help = Stepscope(command + " --help").out;
    for (const std::string& option : OptionsIn(all)) EXPECT_TRUE(help.contains(option)) << option;
  }
}

TEST(GoodputLedgerCli, FromImportToCompaction) {
  const ScratchFolder folder;
  const std::string store = folder.path() + "/ledger", with = " --store '" + store + "'";
  std::string lines = "{\"job_name\": \"j\", \"job_start_time\": 1780000000}\n";
  for (int step = 0; step < 10; ++step) {
    lines += fmt::format("{{\"job_name\": \"j\", \"step_count\": {}, \"step_start_time\": {}}}\n",
                         step, 1780000000 + step);
  }
  const std::string file = folder.Write("events.jsonl", lines);
  EXPECT_EQ(Stepscope("goodput import '" + file + "'" + with).code, 0);
  const Outcome report = Stepscope("goodput analyze --format csv" + with);
  EXPECT_EQ(report.code, 0);
  EXPECT_TRUE(report.out.contains("PRODUCTIVE")) << report.out;
  EXPECT_EQ(Stepscope("goodput analyze" + with + " --fail-on 'goodput.goodput_ratio>0.5'").code, 1);
  EXPECT_TRUE(Stepscope("goodput jobs" + with).out.contains("silent"));
  const Outcome exported = Stepscope("goodput export" + with);
  EXPECT_EQ(std::ranges::count(exported.out, '\n'), 11);
  // A reader that leaves early is no error, as with other commands.
  const std::string job = folder.Write("many.jsonl", Steps(0, 20'000, 0, 1));
  const std::string many = " --store '" + folder.path() + "/many'";
  EXPECT_EQ(Stepscope("goodput import '" + job + "'" + many).code, 0);
  const Outcome left = Shell("(stepscope goodput export" + many + "; echo code $? >&2) | head -1");
  EXPECT_EQ(left.err, "code 0\n");
  const std::string copy = folder.path() + "/copy.jsonl.gz";
  EXPECT_EQ(Stepscope("goodput export" + with + " -o '" + copy + "'").out, "");
  const Outcome again = Stepscope("goodput import --format csv '" + copy + "'" + with);
  EXPECT_TRUE(again.out.contains("11")) << again.out;
  EXPECT_EQ(again.code, 0);
  ExpectError(Stepscope("goodput compact --keep-raw soon" + with), "soon", "7d");
  EXPECT_EQ(Stepscope("goodput compact --keep-raw 0s" + with).code, 0);
  ExpectError(Stepscope("goodput export" + with), "rolled up", "openmetrics");
  EXPECT_TRUE(Stepscope("goodput export --format openmetrics" + with).out.ends_with("# EOF\n"));
  ExpectError(Stepscope("goodput analyze"), "nothing to report on", "--store");
}

}  // namespace
}  // namespace stepscope::testing::goodput_cli_test
