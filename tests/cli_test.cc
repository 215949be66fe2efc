// The binary as a user runs it: exit codes, messages, files and pipes.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/front_door.h"

namespace stepscope::testing {
namespace {

namespace fs = std::filesystem;

struct Outcome {
  int code = -1;  // exit code, or 128 plus the signal
  std::string out, err;
};

std::string Content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Runs a line of shell in which `stepscope` is the binary.
Outcome Shell(const std::string& line) {
  const ScratchFolder folder;
  const std::string errors = folder.path() + "/stderr";
  const std::string script =
      "stepscope() { '" STEPSCOPE_BINARY "' \"$@\"; }; { " + line + "\n} 2>'" + errors + "'";
  Outcome outcome;
  FILE* pipe = popen(script.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("no shell");
  char buffer[4096];
  for (size_t got = 0; (got = fread(buffer, 1, sizeof(buffer), pipe)) > 0;)
    outcome.out.append(buffer, got);
  const int status = pclose(pipe);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.err = Content(errors);
  return outcome;
}

Outcome Stepscope(const std::string& arguments) { return Shell("stepscope " + arguments); }

// A small job, and a path to it as an argument.
class CliTest : public ::testing::Test {
 protected:
  CliTest() {
    for (int rank = 0; rank < 2; ++rank) {
      folder_.Write(fmt::format("rank_{}.json", rank), DocumentOfRank(rank, Kernels(20)));
    }
  }
  const ScratchFolder folder_;
  const std::string job_ = "'" + folder_.path() + "'";
};

// An error tells what, where and what to try, and nothing reaches standard output.
void ExpectError(const Outcome& outcome, const std::string& what, const std::string& hint) {
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(outcome.err.starts_with("stepscope: ")) << outcome.err;
  EXPECT_TRUE(outcome.err.contains(what)) << outcome.err;
  EXPECT_TRUE(outcome.err.contains("  try:   ")) << outcome.err;
  EXPECT_TRUE(outcome.err.contains(hint)) << outcome.err;
}

TEST_F(CliTest, AnalyzeAnswersAndExitsZero) {
  const Outcome text = Stepscope("analyze " + job_);
  EXPECT_EQ(text.code, 0);
  EXPECT_EQ(text.err, "");
  EXPECT_TRUE(text.out.contains("rank")) << text.out;
  const Outcome one = Stepscope("analyze " + folder_.path() + "/rank_1.json --only comm_overlap");
  EXPECT_EQ(one.code, 0);
}

TEST_F(CliTest, JsonIsOneObjectOfTheSchema) {
  const Outcome outcome =
      Stepscope("analyze " + job_ + " --format json --only idle_time,comm_overlap");
  ASSERT_EQ(outcome.code, 0);
  const auto json = nlohmann::json::parse(outcome.out, nullptr, false);
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["schema"], "stepscope.report/1");
  ASSERT_EQ(json["reports"].size(), 2u);
  EXPECT_EQ(json["reports"][0]["analysis"], "idle_time");
  EXPECT_EQ(json["reports"][1]["analysis"], "comm_overlap");
  EXPECT_EQ(json["run"]["ranks"], 2);
}

TEST_F(CliTest, EveryFormatPrints) {
  for (const char* format : {"text", "json", "csv", "markdown"}) {
    const Outcome outcome = Stepscope("analyze " + job_ + " --format " + format);
    EXPECT_EQ(outcome.code, 0) << format;
    EXPECT_GT(outcome.out.size(), 200u) << format;
  }
  ExpectError(Stepscope("analyze " + job_ + " --format xml"), "xml", "markdown");
}

TEST_F(CliTest, WhatCannotBeReadIsAnError) {
  const Outcome missing = Stepscope("analyze /no/such/folder");
  ExpectError(missing, "there is no such file or directory", "spelling");
  EXPECT_TRUE(missing.err.contains("  where: /no/such/folder")) << missing.err;
  folder_.Write("only/x.json", "no trace");
  ExpectError(Stepscope("analyze " + folder_.path() + "/only"), "not JSON", "PyTorch");
  ExpectError(Stepscope("analyze"), "PATH", "--help");
  ExpectError(Stepscope("analyze ''"), "no such", "");
}

TEST_F(CliTest, AWrongNameSuggestsTheNearest) {
  ExpectError(Stepscope("analyze " + job_ + " --only comm_overlp"), "comm_overlp",
              "did you mean 'comm_overlap'?");
  ExpectError(Stepscope("explain idletime"), "idletime", "did you mean 'idle_time'?");
  ExpectError(Stepscope("explain zzzzzzzzzzzz"), "zzzzzzzzzzzz", "stepscope list");
  ExpectError(Stepscope("explain \"$(printf 'a\\033[31mb')\""), "a\\x1b[31mb", "");
}

TEST_F(CliTest, ParametersAreCheckedByNameAndType) {
  const std::string analyze = "analyze " + job_ + " --only idle_time ";
  EXPECT_EQ(Stepscope(analyze + "-p idle_time.consecutive_kernel_delay=50000").code, 0);
  EXPECT_EQ(Stepscope(analyze + "--param idle_time.consecutive_kernel_delay=-1").code, 0);
  ExpectError(Stepscope(analyze + "-p idle_time.consecutive_kernel_delay=soon"),
              "'soon' is not a whole number", "30000");
  ExpectError(Stepscope(analyze + "-p idle_time.consecutive_kernel_delay=1.5"), "1.5", "30000");
  ExpectError(Stepscope(analyze + "-p idle_time.consecutive_kernel_delay="), "''", "30000");
  ExpectError(Stepscope(analyze + "-p idle_time.consecutive_kernel_dely=1"),
              "consecutive_kernel_dely", "did you mean");
  ExpectError(Stepscope(analyze + "-p nonsense"), "nonsense", "analysis.param=value");
  const Outcome change = Stepscope("analyze " + job_ + " -p critical_path.what_if=foo");
  ExpectError(change, "cannot read the change 'foo'", "kernel:TEXT*F");
  EXPECT_TRUE(change.err.contains("  where: critical_path.what_if\n")) << change.err;
  ExpectError(Stepscope(analyze + "-p"), "missing value of --param", "NAME=VALUE");
}

TEST_F(CliTest, StepsAreChecked) {
  EXPECT_EQ(Stepscope("analyze " + job_ + " --steps all").code, 0);
  EXPECT_EQ(Stepscope("analyze " + job_ + " --steps 3").code, 0)
      << "an answer that says there is none";
  ExpectError(Stepscope("analyze " + job_ + " --steps 7..3"), "7..3", "3..7");
}

// The annotation of a step, a launch in it, and the kernel that was launched; times in us.
std::vector<std::string> StepWithKernel(int64_t step, int64_t start) {
  return {
      fmt::format(R"({{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{}","pid":9,"tid":9,)"
                  R"("ts":{},"dur":50}})",
                  step, start),
      fmt::format(R"({{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,)"
                  R"("ts":{},"dur":2,"args":{{"correlation":{}}}}})",
                  start + 5, step),
      fmt::format(R"({{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":{},"dur":5,)"
                  R"("args":{{"device":0,"stream":7,"correlation":{}}}}})",
                  start + 10, step)};
}

// What a selection names must be there, as far as the traces have such things at all.
TEST_F(CliTest, SelectionsThatMatchNothingAreErrors) {
  const ScratchFolder folder;
  auto events = StepWithKernel(3, 0);
  std::ranges::copy(StepWithKernel(4, 50), std::back_inserter(events));
  folder.Write("rank_0.json", DocumentOfRank(0, events));
  const std::string analyze = "analyze '" + folder.path() + "' ";
  EXPECT_EQ(Stepscope(analyze + "--steps 3..99").code, 0);
  ExpectError(Stepscope(analyze + "--steps 99"), "there is no step 99", "3..4");
  ExpectError(Stepscope(analyze + "--steps 98..99 --only kernel_breakdown"), "98..99", "3..4");
  ExpectError(Stepscope("compare '" + folder.path() + "' '" + folder.path() + "' --steps 9"),
              "there is no step 9", "3..4");
  const std::string path = analyze + "-p critical_path.";
  EXPECT_EQ(Stepscope(path + "step=3").code, 0);
  const Outcome step = Stepscope(path + "step=99");
  ExpectError(step, "no step 99", "steps in the traces: 3..4");
  EXPECT_TRUE(step.err.contains("critical_path.step")) << step.err;
  ExpectError(Stepscope(path + "rank=7"), "rank 7", "ranks in the traces: 0");
  ExpectError(Stepscope(path + "annotation=nothing"), "'nothing'", "user_annotations");
}

TEST_F(CliTest, TimesOfParametersTakeUnits) {
  const std::string analyze = "analyze " + job_ + " --only launch_stats --format json -p ";
  const std::string cutoff = "launch_stats.runtime_cutoff=";
  EXPECT_EQ(Stepscope(analyze + cutoff + "50us").out, Stepscope(analyze + cutoff + "50000").out);
  ExpectError(Stepscope(analyze + cutoff + "1.5"), "'1.5' is not a whole number of ns", "50000 ns");
  EXPECT_TRUE(Stepscope("explain launch_stats").out.contains("or with a unit: 50us"));
  EXPECT_FALSE(Stepscope("explain flops").out.contains("with a unit"));
}

TEST_F(CliTest, ConditionsSayWhatToWrite) {
  const std::string judge = "analyze " + job_ + " --only temporal_breakdown --fail-on ";
  const auto fails = [&](const std::string& condition, const std::string& what,
                         const std::string& hint) {
    const Outcome outcome = Stepscope(judge + "'" + condition + "'");
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_TRUE(outcome.err.contains(what)) << outcome.err;
    EXPECT_TRUE(outcome.err.contains("  where: --fail-on\n")) << outcome.err;
    EXPECT_TRUE(outcome.err.contains("  try:   " + hint)) << outcome.err;
  };
  fails("temporal_breakdown.idle_ratio>20", "a plain number above 1", "write a share: 20%");
  fails("temporal_breakdown.idle>5", "a plain number", "write a time: 5s");
  fails("temporal_breakdown.idle_ratio:+5%", "not a comparison", "ask 'stepscope compare'");
  fails("temporal_breakdown.idle_rato>1%", "no number 'idle_rato'", "did you mean 'idle_ratio'?");
  fails("comm_overlap.exposed>1s", "no report 'comm_overlap'", "write one of: temporal_breakdown");
}

TEST_F(CliTest, AScriptOfACallIsPrinted) {
  const std::string file = folder_.Write(
      "call.json",
      Document(
          {R"({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":9,"tid":9,"ts":0,"dur":9,"args":)"
           R"({"Input Dims":[[2,3],[3,4]],"Input type":["float","float"]}})",
           R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":1,"dur":1,)"
           R"("args":{"correlation":5}})",
           R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":12,"dur":5,)"
           R"("args":{"device":0,"stream":7,"correlation":5}})"}));
  const std::string analyze = "analyze '" + file + "' ";
  const Outcome table = Stepscope(analyze + "--only shapes --format json");
  const auto answer = nlohmann::json::parse(table.out);
  const std::string id = answer["reports"][0]["tables"][0]["rows"][0][0];
  const Outcome script = Stepscope(analyze + "--repro " + id);
  EXPECT_EQ(script.code, 0) << script.err;
  EXPECT_TRUE(script.out.starts_with("# Runs one call")) << script.out;
  EXPECT_TRUE(script.out.contains("\noperator = torch.ops.aten.mm\n")) << script.out;
  ExpectError(Stepscope(analyze + "--repro nope"), "there is no call of the id 'nope'", "shapes");
  ExpectError(Stepscope(analyze + "--repro " + id + " --only flops"), "exclude each other", "");
}

TEST_F(CliTest, FilesOfGroupsAreNamedWhereTheyAreMissing) {
  const std::string analyze = "analyze " + job_ + " --groups ";
  ExpectError(Stepscope(analyze + "/nope.toml"), "No such file", "spelling");
  ExpectError(Stepscope(analyze + job_), "Is a directory", "give a file");
  const std::string file = folder_.Write("groups.txt", "x = 1\n");
  ExpectError(Stepscope(analyze + file), "missing table [groups]", "write [groups]");
}

TEST_F(CliTest, OutputGoesToAFileWholeOrNotAtAll) {
  const std::string file = folder_.path() + "/out/report.json";
  fs::create_directory(folder_.path() + "/out");
  const Outcome done = Stepscope("analyze " + job_ + " --format json -o '" + file + "'");
  EXPECT_EQ(done.code, 0);
  EXPECT_EQ(done.out, "");
  EXPECT_TRUE(nlohmann::json::accept(Content(file)));
  const std::string before = Content(file);

  ExpectError(Stepscope("analyze " + job_ + " --only nothing -o '" + file + "'"), "nothing", "");
  EXPECT_EQ(Content(file), before) << "a failure leaves what was there";
  ExpectError(Stepscope("analyze " + job_ + " -o '" + folder_.path() + "/no/folder/x'"),
              "no such directory", "create it first");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path() + "/out"), {}), 1);
  EXPECT_EQ(Stepscope("analyze " + job_ + " -o -").out, Stepscope("analyze " + job_).out);
}

// Whatever its name, what was read is not written over.
TEST_F(CliTest, NoTraceIsWrittenOver) {
  const std::string trace = folder_.path() + "/rank_1.json", before = Content(trace);
  fs::create_symlink("rank_1.json", folder_.path() + "/link");
  for (const char* file : {"rank_1.json", "link"}) {
    for (const char* command : {"analyze", "report"}) {
      const std::string line = fmt::format("{} {} -o '{}/{}'", command, job_, folder_.path(), file);
      ExpectError(Stepscope(line), "one of the traces", "another name");
      EXPECT_EQ(Content(trace), before) << line;
    }
  }
}

TEST_F(CliTest, ReportKnowsFirstWhereItCanWrite) {
  const std::string there = "report /no/such/traces -o '" + folder_.path();
  ExpectError(Stepscope(there + "'"), "this is a directory", "name a file");
  ExpectError(Stepscope(there + "/no/x.html'"), "no such directory", "create it first");
  const Outcome page = Stepscope("report " + job_ + " -o -");
  EXPECT_EQ(page.code, 0) << page.err;
  EXPECT_TRUE(page.out.starts_with("<!doctype html>"));
  EXPECT_FALSE(fs::exists("-"));
}

// One run of a folder that is no trace is told of, and the rest is written.
TEST_F(CliTest, ReportSaysWhatIsMissing) {
  folder_.Write("rank_2.json", "{\"traceEvents\": [");
  const Outcome outcome = Stepscope("report " + job_ + " -o '" + folder_.path() + "/report.html'");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(outcome.err.contains("rank_2.json: ")) << outcome.err;
  const std::string text = Stepscope("analyze " + job_).out;
  EXPECT_TRUE(text.substr(0, text.find("\n\n")).contains("Input is incomplete: 1")) << text;
  EXPECT_TRUE(outcome.err.contains("report.html: ")) << outcome.err;
}

TEST_F(CliTest, WithoutATerminalThereAreNoEscapes) {
  folder_.Write("rank_2.json", DocumentOfRank(2, {Kernel(R"(a\u001b[31mb)", 0, 5)}));
  for (const char* environment : {"", "NO_COLOR=1 ", "TERM=xterm-256color ", "CLICOLOR_FORCE=1 "}) {
    const Outcome outcome =
        Shell(std::string("export ") + (*environment != '\0' ? environment : "X=") +
              "; stepscope analyze " + job_);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ((outcome.out + outcome.err).find('\x1b'), std::string::npos) << environment;
  }
}

TEST_F(CliTest, AReaderThatLeavesEarlyIsNoError) {
  for (const char* command :
       {"analyze JOB", "analyze JOB --format json", "list", "explain idle_time",
        "explain kernel_breakdown", "completions bash", "--help", "analyze --help"}) {
    std::string line = command;
    if (const size_t job = line.find("JOB"); job != line.npos) line.replace(job, 3, job_);
    for (const char* reader : {"head -1", "true"}) {
      const Outcome outcome = Shell("stepscope " + line + " | " + reader);
      EXPECT_EQ(outcome.code, 0);
      EXPECT_EQ(outcome.err, "") << command;
    }
  }
}

TEST_F(CliTest, AFullDiskIsAnError) {
  const Outcome outcome = Shell("stepscope analyze " + job_ + " > /dev/full");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(outcome.err.contains("cannot write")) << outcome.err;
}

TEST(Cli, ListsAndExplainsEveryAnalysis) {
  const Outcome list = Stepscope("list");
  EXPECT_EQ(list.code, 0);
  for (const AnalysisInfo& analysis : Session::List()) {
    EXPECT_TRUE(list.out.contains(analysis.name)) << analysis.name;
    const Outcome explained = Stepscope("explain " + analysis.name);
    EXPECT_EQ(explained.code, 0);
    EXPECT_TRUE(explained.out.contains(analysis.title));
    for (const ParameterInfo& p : analysis.params) EXPECT_TRUE(explained.out.contains(p.name));
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

// man reads it without a warning, and it names every command.
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

TEST(Cli, GoodputModelExplainsWhatItCannotRead) {
  ExpectError(Stepscope("goodput model expect --mtbf soon"), "cannot read 'soon' as a time",
              "1h30m");
  ExpectError(Stepscope("goodput model expect --mtbf 3h"), "missing checkpoint save time",
              "set --save-time");
  ExpectError(Stepscope("goodput model failures --cause gpu"), "'gpu'", "NAME=N");
  ExpectError(Stepscope("goodput"), "subcommand", "goodput --help");
}

// Options that the text names: "--save-time".
std::set<std::string> OptionsIn(const std::string& text) {
  std::set<std::string> options;
  for (size_t at = 0; (at = text.find("--", at)) != text.npos;) {
    const size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", at);
    options.insert(text.substr(at, end - at));
    at = std::min(end, text.size());
  }
  return options;
}

TEST(Cli, GoodputModelSuggestsOptionsOfTheSubcommand) {
  for (const char* line :
       {"expect", "what-if", "failures", "failures --target 0.9", "failures --failures 3",
        "failures --mtbf-per-node 3h", "program --peak-tflops 300",
        "program --peak-tflops 300 --tokens-per-second 5",
        "program --peak-tflops 300 --tokens-per-second 5 --parameters 7e9", "fleet",
        "fleet --steps-tried 5", "fleet --capacity-chip-time 3h", "gains",
        "gains --restart-before 3s", "expect --mtbf 3h --mtbf-per-node 1000d --nodes 8"}) {
    const std::string command = std::string("goodput model ") + line;
    const Outcome outcome = Stepscope(command);
    EXPECT_EQ(outcome.code, 2) << line << outcome.out;
    const std::string name = command.substr(0, command.find(" --"));
    const std::string help = Stepscope(name + " --help").out;
    for (const std::string& option : OptionsIn(outcome.err)) {
      EXPECT_TRUE(help.contains(option)) << line << ": " << outcome.err;
    }
  }
}

// --fail-on's example in help can be judged.
TEST(Cli, GoodputModelJudgesTheConditionOfItsHelp) {
  const std::string sure = " --save-time 1m --restart-time 10m";
  for (const std::string& line : std::vector<std::string>{
           "model expect --mtbf 3h" + sure, "model what-if --mtbf 3h" + sure,
           "model failures --failures 8 --over 1d",
           "model spares --standby-machines 128 --down-probability 0.1%",
           "model program --tflops-per-chip 138 --peak-tflops 312",
           "model fleet --capacity-chip-time 10h --allocated-chip-time 9h --saved-chip-time 8h "
           "--program-goodput 40%",
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

TEST(Cli, ErrorsOfTheDemoNameOptions) {
  const Outcome outcome = Stepscope("demo /no/such/place --ranks 0");
  ExpectError(outcome, "--ranks is out of range: 0", "from 1 to 4096");
  EXPECT_TRUE(outcome.err.contains("  where: --ranks\n")) << outcome.err;
  ExpectError(Stepscope("demo /no/such/place --exposed 2"), "--exposed is out of range", "0 to 1");
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
  ExpectError(Stepscope(ask + "--exclude 1-2"), "where: --exclude 1-2", "A..B");
  ExpectError(Stepscope(ask + "--chips 0"), "where: --chips", "from 1");
  ExpectError(Stepscope(ask + "--mode mine"), "mine", "ml-goodput");
  ExpectError(Stepscope("goodput analyze --events /no/such"), "/no/such", "spelling");
}

// Whatever is named and has no events is an error, with exit code 2.
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
        "send --store /nope --to http://127.0.0.1:1"}) {
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

// A job that was never interrupted is modeled with given numbers; the error names those.
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
  EXPECT_TRUE(Stepscope("goodput jobs" + with).out.contains("running"));
  const Outcome exported = Stepscope("goodput export" + with);
  EXPECT_EQ(std::ranges::count(exported.out, '\n'), 11);
  const std::string copy = folder.path() + "/copy.jsonl.gz";
  EXPECT_EQ(Stepscope("goodput export" + with + " -o '" + copy + "'").out, "");
  const Outcome again = Stepscope("goodput import --format csv '" + copy + "'" + with);
  EXPECT_TRUE(again.out.contains("11")) << again.out;
  EXPECT_EQ(again.code, 0);
  ExpectError(Stepscope("goodput compact --keep-raw soon" + with), "soon", "1000d");
  EXPECT_EQ(Stepscope("goodput compact --keep-raw 0s" + with).code, 0);
  ExpectError(Stepscope("goodput export" + with), "rolled up", "openmetrics");
  EXPECT_TRUE(Stepscope("goodput export --format openmetrics" + with).out.ends_with("# EOF\n"));
  ExpectError(Stepscope("goodput analyze"), "nothing to report on", "--store");
}

}  // namespace
}  // namespace stepscope::testing
