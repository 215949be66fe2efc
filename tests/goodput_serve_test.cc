// The server as a process: asked over HTTP, killed in the middle, started again.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "goodput/segment_reader.h"
#include "tests/scratch.h"

namespace stepscope {
namespace {

using goodput::Event;
using goodput::Oddities;

// `stepscope goodput serve` on a port of loopback.
class ServerProcess {
 public:
  ServerProcess(const std::string& folder, int port, std::vector<std::string> more = {}) {
    int out[2];
    if (pipe2(out, O_CLOEXEC) != 0) return;
    child_ = fork();
    if (child_ == 0) {
      dup2(out[1], STDOUT_FILENO);
      std::vector<std::string> words = {STEPSCOPE_BINARY, "goodput", "serve",
                                        folder,           "--port",  std::to_string(port)};
      words.insert(words.end(), more.begin(), more.end());
      std::vector<char*> argv;
      for (std::string& word : words) argv.push_back(word.data());
      argv.push_back(nullptr);
      execv(argv[0], argv.data());
      _exit(127);
    }
    close(out[1]);
    std::string line;
    for (char c = 0; read(out[0], &c, 1) == 1 && c != '\n';) line += c;
    close(out[0]);
    const size_t colon = line.rfind(':');
    if (line.starts_with("Listening on http://")) port_ = std::atoi(&line[colon + 1]);
  }
  ~ServerProcess() { End(SIGKILL); }

  int port() const { return port_; }  // 0: it does not listen

  // How it ended.
  int End(int signal) {
    int status = 0;
    if (child_ > 0) {
      kill(child_, signal);
      waitpid(child_, &status, 0);
    }
    child_ = -1;
    return status;
  }

 private:
  pid_t child_ = -1;
  int port_ = 0;
};

int Connect(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  timeval patience{.tv_sec = 20, .tv_usec = 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
  close(fd);
  return -1;
}

// Sends the request on a connection of its own; all that comes back, empty when nothing did.
std::string Exchange(int port, const std::string& request) {
  const int fd = Connect(port);
  if (fd < 0) return "";
  std::string_view rest = request;
  while (!rest.empty()) {
    const ssize_t sent = send(fd, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent <= 0) break;
    rest.remove_prefix(static_cast<size_t>(sent));
  }
  std::string answer;
  std::array<char, 4096> bytes;
  for (ssize_t got; (got = read(fd, bytes.data(), bytes.size())) > 0;) {
    answer.append(bytes.data(), static_cast<size_t>(got));
  }
  close(fd);
  return answer;
}

std::string Get(int port, const std::string& path) {
  return Exchange(port, "GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
}

std::string Post(int port, const std::string& body, const std::string& headers = "") {
  return Exchange(port, fmt::format("POST /v1/events HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                                    "Content-Length: {}\r\n{}\r\n{}",
                                    body.size(), headers, body));
}

bool Succeeded(const std::string& answer) {
  return answer.starts_with("HTTP/1.1 200") && answer.find("\"no_room\": 0") != answer.npos;
}

std::string Line(int writer, int64_t sequence) {
  return fmt::format(R"({{"job_name": "killed", "event": "step_start", "time_ns": {}, "step": {}, )"
                     R"("writer": "writer-{}", "sequence": {}}})"
                     "\n",
                     1'780'000'000'000'000'000 + sequence * 1'000'000, sequence, writer, sequence);
}

TEST(GoodputServe, AnswersAndEndsAsTold) {
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

TEST(GoodputServe, WantsTheToken) {
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
}

// Four senders post batches until all are acknowledged, while the server is killed and started
// again and again: nothing is lost, nothing is there twice.
TEST(GoodputServe, KilledInBetweenLosesNothingThatWasAcknowledged) {
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
      for (int64_t first = 0; !stop.load(); first += kBatch) {
        std::string body;
        for (int64_t k = first; k < first + kBatch; ++k) body += Line(s, k);
        while (!Succeeded(Post(port, body))) {
          ++repeated[s];
          usleep(2000);
        }
        acknowledged[s].store(first + kBatch);
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
  Oddities oddities;
  ASSERT_TRUE(goodput::ReadSegments(scratch.path(), oddities, [&](const Event& event) {
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
}

}  // namespace
}  // namespace stepscope
