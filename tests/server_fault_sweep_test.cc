// Lets each call of one kind fail in turn, sockets too, in the servers: they end as told or with an
// error, and what they said to have stored is there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "goodput/recorder/segment_reader.h"
#include "stepscope/goodput_ledger.h"
#include "tests/fault_sweep.h"
#include "tests/front_door.h"
#include "tests/goodput_lines.h"
#include "tests/goodput_server.h"
#include "tests/ledger.h"
#include "tests/sanitized.h"
#include "tests/shell.h"

namespace stepscope::testing::server_fault_sweep_test {
namespace {

constexpr int64_t kPatience = 500;  // ms

class ServerFaultSweep : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "not under a sanitizer: both would be malloc()";
  }

  using Use = std::function<void(const std::string& folder, const ServerProcess& server)>;

  // Starts the server in a new folder with the fault, uses it, and stops it.
  static void Run(const std::vector<std::string>& words, const Fault& fault, const Use& use,
                  const std::function<void(const std::string&)>& then,
                  const std::string& count = "") {
    const ScratchFolder folder;
    std::vector<std::string> at = words;
    for (std::string& word : at) {
      if (word == "OUT") word = folder.path() + "/out";
    }
    const std::string errors = folder.path() + "/errors";
    ServerProcess server(at, ShimVariables(fault, count), errors);
    const bool listens = server.port() != 0;
    if (listens) use(folder.path() + "/out", server);
    const int status = server.End(listens ? SIGTERM : 0);
    EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
    // What it lacks may be missing while it ends, too.
    EXPECT_TRUE(WEXITSTATUS(status) == 2 || (listens && WEXITSTATUS(status) == 0));
    const std::string said = Content(errors);
    EXPECT_FALSE(said.contains("report this")) << said;
    EXPECT_TRUE(listens || said.starts_with("stepscope: ")) << said;
    ExpectNoTemporary(folder.path());
    then(folder.path() + "/out");
  }

  static void Each(const std::vector<std::string>& words, const Use& use,
                   const std::function<void(const std::string&)>& then) {
    for (const char* kind : {"alloc", "open", "read", "write", "sync", "rename", "socket"}) {
      const ScratchFolder counted;
      const std::string count = counted.path() + "/count";
      Run(words, {.kind = kind}, use, then, count);
      for (const int64_t at : SampleOf(CountIn(count), 2)) {
        for (const bool stays : {false, true}) {
          const Fault fault{kind, at, stays};
          SCOPED_TRACE(NameOf(fault));
          Run(words, fault, use, then);
        }
      }
    }
  }
};

std::string Event(int64_t step) {
  return fmt::format(
      R"({{"job_name":"j","writer":"w","sequence":{},"event":"step_start","step":{},"time_ns":{}}})"
      "\n",
      step, step, kBegin + step * kSecond);
}

bool Stored(const std::string& answer) {
  return answer.starts_with("HTTP/1.1 200") && answer.contains("\"stored\": 1");
}

TEST_F(ServerFaultSweep, ACollectorHasWhatItSaidToHaveStored) {
  std::set<int64_t> said;
  Each(
      {"goodput", "collect", "OUT", "--port", "0"},
      [&](const std::string&, const ServerProcess& server) {
        said.clear();
        int silent = 0;
        for (int64_t step = 0; step < 6 && silent == 0; ++step) {
          const std::string body = Event(step);
          const std::string post = fmt::format(
              "POST /v1/events HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n"
              "Connection: close\r\n\r\n{}",
              body.size(), body);
          std::string answer = Exchange(server.port(), post, kPatience);
          // What is refused is sent again: a number that is left out is missed.
          if (answer.starts_with("HTTP/1.1 503")) answer = Exchange(server.port(), post, kPatience);
          if (Stored(answer)) said.insert(step);
          silent += answer.empty() ? 1 : 0;
        }
        if (silent == 0)
          Exchange(server.port(), "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                   kPatience);
      },
      [&](const std::string& folder) {
        std::set<int64_t> there;
        if (std::filesystem::exists(folder)) {
          goodput::Notes notes;
          ASSERT_TRUE(goodput::ReadSegments(
              folder, notes, [&](const goodput::Event& event) { there.insert(event.step); }));
          const auto checked = GoodputCheck(folder);
          ASSERT_TRUE(checked) << checked.error().what;
          EXPECT_EQ(MetricOf(*checked, "faults"), 0);
        }
        for (const int64_t step : said) EXPECT_TRUE(there.contains(step)) << step;
        said.clear();
      });
}

TEST_F(ServerFaultSweep, ThePageIsServedOrRefused) {
  const ScratchFolder job;
  ASSERT_EQ(Stepscope("demo " + job.path() + "/job --ranks 1 --steps 2 --layers 1").code, 0);
  Each(
      {"serve", job.path() + "/job", "--port", "0"},
      [&](const std::string&, const ServerProcess& server) {
        const std::string token = server.url().substr(server.url().find('=') + 1);
        int silent = 0;
        for (const char* target : {"/", "/api/state", "/api/state", "/api/analyses"}) {
          if (silent > 0) return;
          const std::string answer =
              Exchange(server.port(),
                       fmt::format("GET {} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n"
                                   "Connection: close\r\n\r\n",
                                   target, token),
                       kPatience);
          silent += answer.empty() ? 1 : 0;
          EXPECT_TRUE(answer.empty() || answer.starts_with("HTTP/1.1 ")) << answer;
        }
      },
      [](const std::string&) {});
}

}  // namespace
}  // namespace stepscope::testing::server_fault_sweep_test
