// Tests the binary as a user runs it: exit codes, messages, files and pipes.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/front_door.h"
#include "tests/paths.h"
#include "tests/scratch.h"
#include "tests/shell.h"

namespace stepscope::testing::cli_test {
namespace {

namespace fs = std::filesystem;

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

TEST_F(CliTest, UrlsSayWhatReadsThem) {
  for (const std::string words : {"map 's3://bucket/run/*' --shard 0/16 -o part",
                                  "analyze gs://bucket/run", "reduce s3://bucket/part/"}) {
    const Outcome outcome = Stepscope(words);
    ExpectError(outcome, "URLs are read by the stepscope of the Python package",
                "s3fs (for gs:// gcsfs), then: python3 -m stepscope " + words);
    EXPECT_TRUE(outcome.err.contains("bucket/")) << outcome.err;
  }
  ExpectError(Stepscope("analyze 'https://me:secret@host/a.json?token=abc'"), "https://host/a.json",
              "analyze https://host/a.json");
  EXPECT_FALSE(Stepscope("map 'https://me:secret@host/a?token=abc' --shard 0/1 -o p")
                   .err.contains("secret"));
  for (const std::string words : {"report s3://bucket/run -o page.html", "serve s3://bucket/run"})
    ExpectError(Stepscope(words), "URLs are not read here", "stepscope.open()");
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
  const std::string sides = "compare '" + folder.path() + "' '" + folder.path() + "' ";
  EXPECT_TRUE(Stepscope(sides + "--steps-before 9").err.contains("where: --steps-before"));
  EXPECT_TRUE(Stepscope(sides + "--steps-after x").err.contains("where: --steps-after"));
  EXPECT_TRUE(Stepscope(sides + "--ranks-after 9").err.contains("where: --ranks-after"));
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

TEST_F(CliTest, AFolderHoldsTablesAndNothingElse) {
  const std::string folder = folder_.path() + "/tables/";
  EXPECT_EQ(Stepscope("analyze " + job_ + " -o '" + folder + "'").code, 0);
  EXPECT_TRUE(fs::exists(folder + "findings.csv"));
  ExpectError(Stepscope("analyze " + job_ + " --format json -o '" + folder + "'"), "no folder",
              "name a file, or choose --format csv");
}

// Whatever its name, what was read is not written over.

TEST_F(CliTest, NoTraceIsWrittenOver) {
  const std::string trace = folder_.path() + "/rank_1.json", before = Content(trace);
  fs::create_symlink("rank_1.json", folder_.path() + "/link");
  for (const char* file : {"rank_1.json", "link"}) {
    for (const char* command : {"analyze", "report"}) {
      const std::string line = fmt::format("{} {} -o '{}/{}'", command, job_, folder_.path(), file);
      const bool page = line.contains("report ") && line.contains(".json'");
      ExpectError(Stepscope(line), page ? "writes a page in HTML" : "one of the traces",
                  page ? "name it .html" : "another name");
      EXPECT_EQ(Content(trace), before) << line;
    }
  }
}

TEST_F(CliTest, ReportKnowsFirstWhereItCanWrite) {
  const std::string there = "report /no/such/traces -o '" + folder_.path();
  ExpectError(Stepscope(there + "'"), "this is a directory", "name a file");
  ExpectError(Stepscope(there + "/no/x.html'"), "no such directory", "create it first");
  ExpectError(Stepscope(there + "/x.json'"), "'report' writes a page in HTML",
              "name it .html; 'analyze --format json' and 'reduce -o FILE.json' write reports");
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
  for (const std::string& command :
       {"analyze " + job_, std::string("list"), std::string("explain idle_time"),
        std::string("--help"), std::string("analyze --help"), std::string("--version")}) {
    const Outcome outcome = Shell("stepscope " + command + " > /dev/full");
    EXPECT_EQ(outcome.code, 2) << command;
    EXPECT_TRUE(outcome.err.contains("cannot write the result: No space left")) << outcome.err;
  }
}

// Conditions that hold are told on stderr, which its reader may have closed.
TEST_F(CliTest, WhoReadsErrorsMayLeaveEarly) {
  const Outcome outcome = Shell(
      "(stepscope analyze " + job_ +
      " --format csv --fail-on 'temporal_breakdown.idle_ratio>=0'; echo code $? >&3) 3>&1 2>&1 "
      "1>/dev/null | head -c 0; sleep 0.1");
  EXPECT_TRUE(outcome.out.empty() || outcome.out.contains("code 1")) << outcome.out;
  const Outcome closed = Shell("stepscope analyze " + job_ +
                               " --fail-on 'temporal_breakdown.idle_ratio>=0' >/dev/null 2>&-");
  EXPECT_EQ(closed.code, 1);
}

TEST_F(CliTest, ALimitOfFileSizeIsAnErrorAndLeavesNothing) {
  const ScratchFolder folder;
  const Outcome outcome = Shell("ulimit -f 1; stepscope demo " + folder.path() + "/job");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(outcome.err.contains("File too large")) << outcome.err;
  EXPECT_TRUE(std::filesystem::is_empty(folder.path() + "/job"));
}

TEST_F(CliTest, LittleMemoryIsAnErrorThatSaysWhatToDo) {
  const Outcome outcome = Shell("ulimit -v 120000; stepscope analyze " + job_ + " --threads 1");
  EXPECT_FALSE(outcome.err.contains("report this")) << outcome.err;
  EXPECT_FALSE(outcome.err.contains("bad_alloc")) << outcome.err;
}

TEST(Cli, NamesOfFilesCannotSteerTheTerminal) {
  const Outcome outcome = Stepscope("analyze '/no/\u009b31m\u202egpj\xff'");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(outcome.err.contains("/no/\\u009b31m\\u202egpj\\xff")) << outcome.err;
}

// Each of many ranks has a temporary name as long as it is written.
TEST(Cli, ADemoThatIsEndedLeavesNoUnfinishedFile) {
  const ScratchFolder folder;
  const std::string job = folder.path() + "/job";
  const Outcome outcome = Shell(
      Binary() + " demo " + job + " --ranks 64 --min-raw-bytes 20000000 >/dev/null & pid=$!; " +
      "until ls " + job + " 2>/dev/null | grep -q partial; do sleep 0.01; done; " +
      "kill -TERM $pid; wait $pid; echo $?");
  EXPECT_TRUE(outcome.out.starts_with("143")) << outcome.out;
  for (const auto& entry : std::filesystem::directory_iterator(job))
    EXPECT_FALSE(entry.path().string().ends_with(".partial")) << entry.path();
}

// man reads it without a warning, and it names every command.

// Options that the text names: "--save-time".

// --fail-on's example in help can be judged.

TEST(Cli, ErrorsOfTheDemoNameOptions) {
  const Outcome outcome = Stepscope("demo /no/such/place --ranks 0");
  ExpectError(outcome, "--ranks is out of range: 0", "from 1 to 16384");
  EXPECT_TRUE(outcome.err.contains("  where: --ranks\n")) << outcome.err;
  ExpectError(Stepscope("demo /no/such/place --exposed 2"), "--exposed is out of range", "0 to 1");
}

// Whatever is named and has no events is an error, with exit code 2.

// A job that was never interrupted is modeled with given numbers; the error names those.

}  // namespace
}  // namespace stepscope::testing::cli_test
