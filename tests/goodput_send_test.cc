// Checks the sender against a server process: kills of both, refusals, following files.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "goodput/recorder/segment_reader.h"
#include "stepscope/goodput.h"
#include "stepscope/goodput_ledger.h"
#include "stepscope/goodput_report.h"
#include "tests/answer.h"
#include "tests/goodput_server.h"
#include "tests/gzip.h"
#include "tests/paths.h"
#include "tests/scratch.h"

namespace stepscope::goodput_send_test {
namespace {

using goodput::Event;
using goodput::Notes;
using testing::ServerProcess;

// `stepscope goodput send`, whose output goes into a file.
class SenderProcess {
 public:
  SenderProcess(int port, std::vector<std::string> words, const std::string& out) {
    words.insert(words.begin(), {testing::Binary(), "goodput", "send", "--to",
                                 fmt::format("http://127.0.0.1:{}", port)});
    child_ = fork();
    if (child_ != 0) return;
    const int file = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }
  ~SenderProcess() { End(SIGKILL); }

  // The exit code, or -1 when it did not end by itself. Signal 0 lets it end.
  int End(int signal) {
    int status = 0;
    if (child_ > 0) {
      if (signal != 0) kill(child_, signal);
      waitpid(child_, &status, 0);
    }
    child_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t child_ = -1;
};

// Its exit code and output.
std::string Send(int port, const std::vector<std::string>& words,
                 const testing::ScratchFolder& scratch) {
  const std::string out = scratch.path() + "/output";
  SenderProcess sender(port, words, out);
  const int code = sender.End(0);
  return fmt::format("{} {}", code, testing::Content(out));
}

// The steps whose starts are there; none may be there twice.
std::set<int64_t> Steps(const std::string& folder) {
  std::set<int64_t> steps;
  Notes note_counts;
  const auto read = goodput::ReadSegments(folder, note_counts, [&](const Event& event) {
    if (event.kind != goodput::EventKind::kStepStart) return;
    EXPECT_TRUE(steps.insert(event.step).second) << "twice: " << event.step;
  });
  EXPECT_TRUE(read.has_value());
  return steps;
}

void Record(const std::string& folder, int64_t first, int64_t last) {
  GoodputRecorder recorder({.directory = folder, .job = "sent"});
  for (int64_t step = first; step < last; ++step) {
    while (!recorder.StepStart(step)) usleep(100);
  }
}

std::string Log(int64_t first, int64_t last) {
  std::string text;
  for (int64_t k = first; k < last; ++k) {
    text += fmt::format(R"({{"job_name": "log", "step_count": {}, "step_start_time": {}.25}})"
                        "\n",
                        k, 1'780'000'000 + k);
  }
  return text;
}

TEST(GoodputSend, SendsAFolderOnce) {
  const testing::ScratchFolder scratch;
  const std::string store = scratch.path() + "/here", there = scratch.path() + "/there";
  Record(store, 0, 3000);
  ServerProcess server(there, 0);
  std::string output = Send(server.port(), {store}, scratch);
  EXPECT_TRUE(output.starts_with("0 Sent 3000 events: 3000 stored, 0 already there.\n")) << output;
  // What it knows to be there is not even read again.
  output = Send(server.port(), {store}, scratch);
  EXPECT_TRUE(output.starts_with("0 Sent 0 events")) << output;
  output = Send(server.port(), {store, "--again"}, scratch);
  EXPECT_TRUE(output.starts_with("0 Sent 3000 events: 0 stored, 3000 already there.\n")) << output;
  Record(store, 3000, 3100);
  output = Send(server.port(), {store}, scratch);
  EXPECT_TRUE(output.starts_with("0 Sent 100 events: 100 stored, 0 already there.\n")) << output;
  server.End(SIGTERM);
  EXPECT_EQ(Steps(there).size(), 3100u);
}

TEST(GoodputSend, SendsLogsWithoutNumbers) {
  const testing::ScratchFolder scratch;
  const std::string there = scratch.path() + "/there";
  const std::string plain = scratch.Write("log.jsonl", Log(0, 20'000));
  ServerProcess server(there, 0);
  std::string output = Send(server.port(), {"--events", plain}, scratch);
  EXPECT_TRUE(output.starts_with("0 Sent 20000 events: 20000 stored, 0 already there")) << output;
  // A copy is the same log, packed or not, and may have grown.
  const std::string packed = scratch.Write("log.gz", testing::Gzip(Log(0, 20'010)));
  output = Send(server.port(), {"--events", packed}, scratch);
  EXPECT_TRUE(output.starts_with("0 Sent 20010 events: 10 stored, 20000 already there")) << output;
  scratch.Write("log.jsonl", Log(0, 20'015));
  output = Send(server.port(), {"--events", plain}, scratch);
  EXPECT_TRUE(output.starts_with("0 Sent 15 events: 5 stored, 10 already there")) << output;
  // Another log in the same place.
  scratch.Write("log.jsonl", Log(30'000, 30'001));
  output = Send(server.port(), {"--events", plain}, scratch);
  EXPECT_TRUE(output.starts_with("0 Sent 1 events: 1 stored, 0 already there")) << output;
  server.End(SIGTERM);
  EXPECT_EQ(Steps(there).size(), 20'016u);
}

// One log that was imported and sent counts once.
TEST(GoodputSend, ImportAndSendOfOneLogCountOnce) {
  const testing::ScratchFolder scratch;
  const std::string there = scratch.path() + "/there";
  const std::string log = scratch.Write(
      "log.jsonl", R"({"job_name": "log", "job_start_time": 1780000000})"
                   "\n" +
                       Log(0, 300) + R"({"job_name": "log", "job_end_time": 1780000300})" + "\n");
  ASSERT_TRUE(GoodputImport(there, {log}));
  ServerProcess server(there, 0);
  const std::string output = Send(server.port(), {"--events", log}, scratch);
  EXPECT_TRUE(output.starts_with("0 Sent 302 events")) << output;
  server.End(SIGTERM);
  const auto file = GoodputReport({.files = {log}}), stored = GoodputReport({.store = there});
  ASSERT_TRUE(file && stored);
  for (const char* key : {"goodput_ratio", "productive", "total"}) {
    EXPECT_EQ(testing::MetricOf(*stored, "goodput", key), testing::MetricOf(*file, "goodput", key));
  }
  EXPECT_EQ(testing::MetricOf(*stored, "goodput", "disruptions"), Cell(int64_t{0}));
  EXPECT_EQ(testing::RowsOf(*GoodputJobs(there), "goodput_jobs", "jobs").size(), 1u);
}

TEST(GoodputSend, ReportsErrors) {
  const testing::ScratchFolder scratch;
  const std::string token = scratch.Write("token", "secret\n");
  const std::string log = scratch.Write("log.jsonl", Log(0, 3));
  ServerProcess server(scratch.path() + "/there", 0, {"--token-file", token});
  const auto send = [&](std::vector<std::string> more, int port) {
    more.insert(more.end(), {"--events", log});
    return Send(port, more, scratch);
  };
  EXPECT_NE(send({}, server.port()).find("missing token"), std::string::npos);
  EXPECT_NE(send({"--token", "other"}, server.port()).find("rejected the token"),
            std::string::npos);
  EXPECT_TRUE(send({"--token-file", token}, server.port()).starts_with("0 Sent 3 events"));
  const int port = server.port();
  server.End(SIGKILL);
  const std::string output = send({"--token", "secret", "--again", "--patience", "0.5"}, port);
  EXPECT_TRUE(output.starts_with("2 ")) << output;
  EXPECT_NE(output.find("cannot connect (will retry)"), output.npos) << output;
  EXPECT_NE(output.find("no answer from the server"), output.npos) << output;
  EXPECT_TRUE(Send(port, {"/nowhere"}, scratch).starts_with("2 "));
  EXPECT_TRUE(Send(port, {"--events", log, "--to", "ftp://x"}, scratch).starts_with("2 "));
}

// A recorder goes on, and a file grows, while sender and server are killed again and again: in the
// end all is there, and nothing twice.
TEST(GoodputSend, KillsLoseAndRepeatNothing) {
  constexpr int kKills = 10;
  const testing::ScratchFolder scratch;
  const std::string store = scratch.path() + "/here", there = scratch.path() + "/there";
  auto server = std::make_unique<ServerProcess>(there, 0);
  const int port = server->port();
  ASSERT_GT(port, 0);
  std::atomic<bool> stop = false;
  int64_t recorded = 0;
  Record(store, 0, 1);
  std::thread recorder([&] {
    GoodputRecorder goodput({.directory = store, .job = "sent"});
    int64_t step = 1;
    for (; !stop.load(); ++step) {
      while (!goodput.StepStart(step)) usleep(100);
      if (step % 50 == 0) usleep(1000);
    }
    recorded = step;
  });
  const std::vector<std::string> words = {store, "--follow"};
  const std::string out = scratch.path() + "/output";
  auto sender = std::make_unique<SenderProcess>(port, words, out);
  std::mt19937 random(4711);
  for (int k = 0; k < kKills; ++k) {
    usleep(static_cast<useconds_t>(30'000 + random() % 150'000));
    if (k % 2 == 0) {
      server->End(SIGKILL);
      server = std::make_unique<ServerProcess>(there, port);
      ASSERT_EQ(server->port(), port);
    } else {
      sender->End(SIGKILL);
      sender = std::make_unique<SenderProcess>(port, words, out);
    }
  }
  stop.store(true);
  recorder.join();
  sender->End(SIGKILL);
  const std::string output = Send(port, {store}, scratch);
  EXPECT_TRUE(output.starts_with("0 Sent ")) << output;
  server->End(SIGKILL);
  const std::set<int64_t> steps = Steps(there);
  EXPECT_GT(recorded, 1000);
  EXPECT_EQ(static_cast<int64_t>(steps.size()), recorded);
}

TEST(GoodputSend, FollowsARotatedFile) {
  const testing::ScratchFolder scratch;
  const std::string there = scratch.path() + "/there";
  const std::string log = scratch.Write("log.jsonl", Log(0, 100) + R"({"job_name": "log",)");
  ServerProcess server(there, 0);
  SenderProcess sender(server.port(), {"--events", log, "--follow"}, scratch.path() + "/output");
  const auto wait_for = [&](const std::string& count) {
    for (int tries = 0; tries < 100; ++tries) {
      const std::string metrics = testing::Get(server.port(), "/metrics");
      if (metrics.find("result=\"stored\"} " + count + ".0\n") != metrics.npos) return true;
      usleep(100'000);
    }
    return false;
  };
  EXPECT_TRUE(wait_for("100"));
  std::ofstream(log, std::ios::app) << R"( "step_count": 100, "step_start_time": 1780000100})"
                                    << "\n"
                                    << Log(101, 105);
  EXPECT_TRUE(wait_for("105"));
  std::filesystem::rename(log, log + ".1");
  scratch.Write("log.jsonl", Log(105, 120));
  EXPECT_TRUE(wait_for("120"));
  // Told to end, it sends what there is.
  std::ofstream(log, std::ios::app) << Log(120, 125);
  EXPECT_EQ(sender.End(SIGTERM), 0);
  server.End(SIGTERM);
  EXPECT_EQ(Steps(there).size(), 125u);
}

}  // namespace
}  // namespace stepscope::goodput_send_test
