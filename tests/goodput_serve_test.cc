// Checks the server as a process: HTTP requests, kills, restarts.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "goodput/recorder/segment_reader.h"
#include "stepscope/goodput_ledger.h"
#include "tests/goodput_server.h"
#include "tests/ledger.h"
#include "tests/paths.h"
#include "tests/scratch.h"

namespace stepscope::goodput_serve_test {
namespace {

using goodput::Event;
using goodput::Notes;
using testing::Exchange;
using testing::Get;
using testing::ServerProcess;

std::string Post(int port, const std::string& body, const std::string& headers = "") {
  return Exchange(port, fmt::format("POST /v1/events HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                                    "Content-Length: {}\r\n{}\r\n{}",
                                    body.size(), headers, body));
}

bool Succeeded(const std::string& answer) {
  return answer.starts_with("HTTP/1.1 200") && answer.find("\"no_room\": 0") != answer.npos;
}

constexpr int64_t kLongAgo = 1'780'000'000;  // seconds since 1970

std::string Line(int writer, int64_t sequence, int64_t begin = kLongAgo) {
  return fmt::format(R"({{"job_name": "killed", "event": "step_start", "time_ns": {}, "step": {}, )"
                     R"("writer": "writer-{}", "sequence": {}}})"
                     "\n",
                     begin * 1'000'000'000 + sequence * 1'000'000, sequence, writer, sequence);
}

TEST(GoodputServe, AnswersAndStops) {
  const testing::ScratchFolder scratch;
  ServerProcess server(scratch.path(), 0);
  ASSERT_GT(server.port(), 0);
  EXPECT_TRUE(Get(server.port(), "/healthz").ends_with("\r\n\r\nok\n"));
  EXPECT_TRUE(Succeeded(Post(server.port(), Line(0, 0) + "no event\n" + Line(0, 1))));
  const std::string metrics = Get(server.port(), "/metrics");
  EXPECT_NE(metrics.find("stepscope_goodput_ingest_events_total{result=\"stored\"} 2.0\n"),
            metrics.npos);
  EXPECT_NE(metrics.find("stepscope_goodput_ingest_events_total{result=\"unreadable\"} 1.0\n"),
            metrics.npos);
  EXPECT_TRUE(
      Post(server.port(), Line(0, 2), "Origin: http://page\r\n").starts_with("HTTP/1.1 403"));
  EXPECT_TRUE(Get(server.port(), "/nothing").starts_with("HTTP/1.1 404"));
  // Refused; the connection may be cut before the answer is read.
  EXPECT_FALSE(Succeeded(Post(server.port(), std::string(9 << 20, 'x'))));
  EXPECT_TRUE(Succeeded(Post(server.port(), Line(0, 3))));
  const int status = server.End(SIGTERM);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// Much is there when it starts: it takes events at once, and metrics come once all is read.
TEST(GoodputServe, StartsOnALongDirectoryAndSaysWhatItsEndWaitsFor) {
  const testing::ScratchFolder scratch;
  const std::string folder = scratch.path() + "/events", errors = scratch.path() + "/errors";
  constexpr int kWriters = 120;
  constexpr int64_t kEvents = 3000;
  const int64_t begin = std::time(nullptr) - 60;  // of a job of old there are no metrics
  const std::vector<std::string> words{"goodput", "collect", folder, "--port", "0"};
  {
    ServerProcess server(words, {}, errors);
    ASSERT_GT(server.port(), 0);
    for (int writer = 0; writer < kWriters; ++writer) {
      std::string lines;
      for (int64_t k = 0; k < kEvents; ++k) lines += Line(writer, k, begin);
      ASSERT_TRUE(Succeeded(Post(server.port(), lines)));
    }
    EXPECT_EQ(server.End(SIGTERM), 0);
  }
  std::ifstream in(errors);
  const std::string told{std::istreambuf_iterator<char>(in), {}};
  EXPECT_NE(told.find("ending: 120 segments are synced and closed"), told.npos) << told;
  ServerProcess server(words);
  ASSERT_GT(server.port(), 0);
  EXPECT_NE(Post(server.port(), Line(0, 7)).find("\"duplicates\": 1"), std::string::npos);
  std::string metrics;
  for (int tries = 0; tries < 300 && !metrics.starts_with("HTTP/1.1 200"); ++tries) {
    metrics = Get(server.port(), "/metrics");
    if (metrics.starts_with("HTTP/1.1 503")) usleep(100'000);
  }
  EXPECT_NE(metrics.find("stepscope_goodput_events_total{training_job=\"killed\"} 360000"),
            metrics.npos)
      << metrics.substr(0, 500);
}

// Without a terminal `watch` says one state and ends.
// Else each would get some of the events.
TEST(GoodputServe, PortIsExclusive) {
  const testing::ScratchFolder one, other;
  const ServerProcess first(one.path(), 0);
  ASSERT_GT(first.port(), 0);
  const ServerProcess second(other.path(), first.port());
  EXPECT_EQ(second.port(), 0);  // it does not listen
  EXPECT_EQ(Get(first.port(), "/healthz").substr(0, 12), "HTTP/1.1 200");
}

TEST(GoodputServe, CanBeWatched) {
  const testing::ScratchFolder scratch;
  ServerProcess server(scratch.path(), 0);
  ASSERT_TRUE(Succeeded(Post(server.port(), Line(0, 0) + Line(0, 1))));
  const auto watch = [&](const std::string& words) {
    const std::string out = scratch.path() + "/out";
    const int status = std::system((testing::Binary() + " goodput watch " + scratch.path() + words +
                                    " >" + out + " 2>&1 </dev/null")
                                       .c_str());
    std::ifstream in(out);
    return std::pair(WEXITSTATUS(status), std::string{std::istreambuf_iterator<char>(in), {}});
  };
  const auto [status, text] = watch("");
  EXPECT_EQ(status, 0);
  EXPECT_NE(text.find("'killed' is silent, at step 1, "), text.npos) << text;
  EXPECT_EQ(text.find('\x1b'), text.npos);
  EXPECT_EQ(watch(" --job killed --fail-on 'watch.silent>300s'").first, 1);
  const auto [unknown, error] = watch(" --job other");
  EXPECT_EQ(unknown, 2);
  EXPECT_NE(error.find("cannot find job: it has no events"), error.npos) << error;
  EXPECT_EQ(watch("/nowhere").first, 2);
}

TEST(GoodputServe, RequiresTheToken) {
  const testing::ScratchFolder scratch;
  const std::string file = scratch.Write("token", "secret\n");
  ServerProcess server(scratch.path() + "/events", 0, {"--token-file", file});
  ASSERT_GT(server.port(), 0);
  const auto post = [&](const std::string& headers) {
    return Post(server.port(), Line(0, 0), headers);
  };
  EXPECT_TRUE(post("").starts_with("HTTP/1.1 401"));
  EXPECT_TRUE(post("Authorization: Bearer Secret\r\n").starts_with("HTTP/1.1 401"));
  EXPECT_TRUE(post("Authorization: Bearer secret1\r\n").starts_with("HTTP/1.1 401"));
  const std::string answer = post("Authorization: Bearer secret\r\n");
  EXPECT_NE(answer.find("\"stored\": 1"), answer.npos) << answer;
  EXPECT_EQ(ServerProcess(scratch.path() + "/open", 0, {"--host", "0.0.0.0"}).port(), 0);
  ServerProcess word(scratch.path() + "/word", 0, {"--token", "secret"});
  EXPECT_TRUE(Post(word.port(), Line(0, 0), "").starts_with("HTTP/1.1 401"));
  EXPECT_TRUE(Post(word.port(), Line(0, 0), "Authorization: Bearer secret\r\n")
                  .starts_with("HTTP/1.1 200"));
}

TEST(GoodputServe, TeamsHaveTheirOwnTokens) {
  const testing::ScratchFolder scratch;
  const std::string file = scratch.Write(
      "tokens", "# team rights token\nnlp rw secret1\nvision w secret2\n* r secret3\n");
  ServerProcess server(scratch.path() + "/events", 0, {"--tokens", file});
  ASSERT_GT(server.port(), 0);
  const auto post = [&](int writer, const std::string& token) {
    const std::string line =
        fmt::format(R"({{"job_name": "llm", "event": "job_start", "time": {}, "writer": "w{}", )"
                    R"("sequence": 0}})"
                    "\n",
                    std::time(nullptr), writer);
    return Post(server.port(), line,
                token.empty() ? "" : "Authorization: Bearer " + token + "\r\n");
  };
  const auto metrics = [&](const std::string& token) {
    return Exchange(server.port(),
                    "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                    "Authorization: Bearer " +
                        token + "\r\n\r\n");
  };
  EXPECT_TRUE(post(0, "").starts_with("HTTP/1.1 401"));
  EXPECT_TRUE(post(0, "wrong").starts_with("HTTP/1.1 401"));
  EXPECT_TRUE(post(0, "secret3").starts_with("HTTP/1.1 403"));  // may only read
  EXPECT_TRUE(post(0, "secret1").starts_with("HTTP/1.1 200"));
  EXPECT_TRUE(post(1, "secret2").starts_with("HTTP/1.1 200"));
  EXPECT_TRUE(Get(server.port(), "/metrics").starts_with("HTTP/1.1 401"));
  EXPECT_TRUE(metrics("secret2").starts_with("HTTP/1.1 403"));  // may only write
  // Both posted events of a job "llm": they are two jobs.
  const std::string own = metrics("secret1"), all = metrics("secret3");
  EXPECT_TRUE(own.contains("training_job=\"nlp/llm\"")) << own;
  EXPECT_FALSE(own.contains("training_job=\"vision/llm\"")) << own;
  EXPECT_TRUE(all.contains("training_job=\"nlp/llm\"")) << all;
  EXPECT_TRUE(all.contains("training_job=\"vision/llm\"")) << all;
  EXPECT_TRUE(all.contains("stepscope_goodput_disk_free_bytes")) << all;
  EXPECT_TRUE(Get(server.port(), "/healthz").ends_with("\r\n\r\nok\n"));
  const std::string bad = scratch.Write("bad", "nlp x secret\n");
  EXPECT_EQ(ServerProcess(scratch.path() + "/other", 0, {"--tokens", bad}).port(), 0);
}

// Four senders post batches until all are acknowledged, while the server is killed and started
// again and again: nothing is lost, nothing is there twice.
TEST(GoodputServe, KillLosesNoAcknowledgedEvent) {
  constexpr int kSenders = 4, kKills = 12;
  constexpr int64_t kBatch = 200;
  const testing::ScratchFolder scratch;
  auto server = std::make_unique<ServerProcess>(scratch.path(), 0);
  const int port = server->port();
  ASSERT_GT(port, 0);
  std::atomic<bool> stop = false;
  std::array<std::atomic<int64_t>, kSenders> acknowledged{};
  std::array<std::atomic<int64_t>, kSenders> repeated{};
  std::vector<std::thread> senders;
  for (int s = 0; s < kSenders; ++s) {
    senders.emplace_back([&, s] {
      const auto own = static_cast<size_t>(s);
      for (int64_t first = 0; !stop.load(); first += kBatch) {
        std::string body;
        for (int64_t k = first; k < first + kBatch; ++k) body += Line(s, k);
        while (!Succeeded(Post(port, body))) {
          ++repeated[own];
          usleep(2000);
        }
        acknowledged[own].store(first + kBatch);
      }
    });
  }
  std::mt19937 random(4711);
  for (int k = 0; k < kKills; ++k) {
    usleep(static_cast<useconds_t>(20'000 + random() % 60'000));
    server->End(SIGKILL);
    server = std::make_unique<ServerProcess>(scratch.path(), port);
    EXPECT_EQ(server->port(), port);
  }
  stop.store(true);
  for (std::thread& sender : senders) sender.join();
  server->End(SIGKILL);

  std::array<std::set<int64_t>, kSenders> there;
  Notes note_counts;
  ASSERT_TRUE(goodput::ReadSegments(scratch.path(), note_counts, [&](const Event& event) {
    const auto sender = static_cast<size_t>(event.writer.back() - '0');
    EXPECT_TRUE(there[sender].insert(event.sequence).second) << "twice: " << event.sequence;
  }));
  int64_t total = 0, again = 0;
  for (size_t s = 0; s < kSenders; ++s) {
    total += acknowledged[s];
    again += repeated[s];
    ASSERT_FALSE(there[s].empty());
    EXPECT_EQ(static_cast<int64_t>(there[s].size()), acknowledged[s]);
    EXPECT_EQ(*there[s].rbegin() + 1, acknowledged[s]);
  }
  EXPECT_GT(total, kKills * kBatch);
  EXPECT_GT(again, 0) << "no kill hit a sender";
  // Any of their segments would be missed.
  const auto checked = GoodputCheck(scratch.path());
  ASSERT_TRUE(checked);
  EXPECT_EQ(testing::MetricOf(*checked, "unlisted"), 0);
}

}  // namespace
}  // namespace stepscope::goodput_serve_test
