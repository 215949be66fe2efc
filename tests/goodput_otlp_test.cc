// Checks the push to a collector that answers, fails, or is absent.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/goodput_server.h"
#include "tests/scratch.h"

namespace stepscope::goodput_otlp_test {
namespace {

using testing::Exchange;
using testing::ServerProcess;

// A collector on a loopback port: keeps posts and answers with a set status.
class Collector {
 public:
  Collector() : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(listener_, 8), 0);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { Run(); });
  }
  ~Collector() {
    stop_.store(true);
    thread_.join();
    close(listener_);
  }

  int port() const { return port_; }
  void Answer(int status) { status_.store(status); }
  size_t count() {
    const std::lock_guard lock(mutex_);
    return requests_.size();
  }
  // Head and body of the last request.
  std::string last() {
    const std::lock_guard lock(mutex_);
    return requests_.empty() ? "" : requests_.back();
  }
  bool WaitFor(size_t count) {
    for (int tries = 0; tries < 200 && this->count() < count; ++tries) usleep(50'000);
    return this->count() >= count;
  }

 private:
  void Run() {
    while (!stop_.load()) {
      pollfd ready{.fd = listener_, .events = POLLIN, .revents = 0};
      if (poll(&ready, 1, 50) <= 0) continue;
      const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) continue;
      const std::string request = ReadRequest(fd);
      const std::string answer = fmt::format(
          "HTTP/1.1 {} x\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}", status_.load());
      EXPECT_EQ(send(fd, answer.data(), answer.size(), MSG_NOSIGNAL),
                static_cast<ssize_t>(answer.size()));
      close(fd);
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
    }
  }

  static std::string ReadRequest(int fd) {
    std::string request;
    char bytes[4096];
    while (true) {
      const size_t head = request.find("\r\n\r\n");
      const size_t length = request.find("Content-Length: ");
      if (head != request.npos && length != request.npos &&
          request.size() >= head + 4 + static_cast<size_t>(std::atoi(&request[length + 16]))) {
        return request;
      }
      const ssize_t got = read(fd, bytes, sizeof bytes);
      if (got <= 0) return request;
      request.append(bytes, static_cast<size_t>(got));
    }
  }

  int listener_, port_ = 0;
  std::atomic<int> status_ = 200;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  std::vector<std::string> requests_;
  std::thread thread_;
};

std::string Post(int port, int64_t first, int64_t last) {
  std::string body;
  const int64_t now = std::chrono::system_clock::now().time_since_epoch() / std::chrono::seconds(1);
  for (int64_t k = first; k < last; ++k) {
    body += fmt::format(R"({{"job_name": "llm", "event": "step_start", "time": {}, "step": {}, )"
                        R"("writer": "w", "sequence": {}}})"
                        "\n",
                        now - 100 + k, k, k);
  }
  return Exchange(port, fmt::format("POST /v1/events HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                                    "Content-Length: {}\r\n\r\n{}",
                                    body.size(), body));
}

// The value of a metric's first point in a request; -1: it is not there.
double ValueOf(const std::string& request, const std::string& name) {
  const size_t body = request.find("\r\n\r\n");
  if (body == request.npos) return -1;
  const auto parsed = nlohmann::json::parse(request.substr(body + 4), nullptr, false);
  if (parsed.is_discarded()) return -1;
  for (const auto& metric :
       parsed.at("resourceMetrics").at(0).at("scopeMetrics").at(0).at("metrics")) {
    if (metric.at("name") != name) continue;
    return metric.at(metric.contains("sum") ? "sum" : "gauge")
        .at("dataPoints")
        .at(0)
        .at("asDouble");
  }
  return -1;
}

TEST(GoodputOtlp, ResumesAfterCollectorOutage) {
  const testing::ScratchFolder scratch;
  Collector collector;
  ServerProcess server(scratch.path(), 0,
                       {"--otlp", fmt::format("http://127.0.0.1:{}", collector.port()),
                        "--otlp-every", "0.2", "--chip", "H100", "--chips", "8"});
  ASSERT_GT(server.port(), 0);
  Post(server.port(), 0, 5);
  const auto step_is = [&](double step) {
    for (int tries = 0; tries < 100; ++tries) {
      if (ValueOf(collector.last(), "stepscope_goodput_step") == step) return true;
      usleep(50'000);
    }
    return false;
  };
  EXPECT_TRUE(step_is(4)) << collector.last();
  const std::string request = collector.last();
  EXPECT_TRUE(request.starts_with("POST /v1/metrics HTTP/1.1\r\n")) << request;
  EXPECT_NE(request.find("Content-Type: application/json\r\n"), request.npos);
  EXPECT_EQ(ValueOf(request, "stepscope_goodput_ingest_events"), 5);
  // In trouble: it is asked again, with what is true by then. No event waits for that.
  collector.Answer(503);
  const size_t before = collector.count();
  EXPECT_TRUE(collector.WaitFor(before + 2));
  EXPECT_NE(Post(server.port(), 5, 7).find("\"stored\": 2"), std::string::npos);
  collector.Answer(200);
  EXPECT_TRUE(step_is(6)) << collector.last();
  EXPECT_EQ(ValueOf(collector.last(), "stepscope_goodput_mfu"), -1) << "no tokens, no MFU";
  const int status = server.End(SIGTERM);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(GoodputOtlp, SilentCollectorDoesNotBlock) {
  const testing::ScratchFolder scratch;
  // It accepts connections, by its queue, and says nothing.
  const int silent = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(bind(silent, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(listen(silent, 8), 0);
  getsockname(silent, reinterpret_cast<sockaddr*>(&address), &size);
  ServerProcess server(scratch.path(), 0,
                       {"--otlp", fmt::format("http://127.0.0.1:{}", ntohs(address.sin_port)),
                        "--otlp-every", "0.1"});
  ASSERT_GT(server.port(), 0);
  const auto begin = std::chrono::steady_clock::now();
  for (int64_t k = 0; k < 20; ++k) {
    EXPECT_NE(Post(server.port(), k, k + 1).find("\"stored\": 1"), std::string::npos);
  }
  EXPECT_NE(testing::Get(server.port(), "/metrics").find("stepscope_goodput_step{"),
            std::string::npos);
  server.End(SIGTERM);
  // Far below the 10 s that a push waits for its answer.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  close(silent);
}

TEST(GoodputOtlp, UnknownChipIsAnError) {
  const testing::ScratchFolder scratch;
  EXPECT_EQ(ServerProcess(scratch.path(), 0, {"--chip", "X9000"}).port(), 0);
  EXPECT_EQ(ServerProcess(scratch.path(), 0, {"--otlp", "collector:4318"}).port(), 0);
}

}  // namespace
}  // namespace stepscope::goodput_otlp_test
