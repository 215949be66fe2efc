// Checks deploy/goodput with a real Prometheus: rules, configuration, dashboard, a scrape.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/goodput_server.h"
#include "tests/paths.h"
#include "tests/scratch.h"

namespace stepscope::goodput_prometheus_test {
namespace {

using testing::Exchange;
using testing::Get;
using testing::ServerProcess;

const std::string kDeploy = testing::SourceDir() + "/deploy/goodput/";

bool Installed(const std::string& program) {
  return std::system((program + " --version >/dev/null 2>&1").c_str()) == 0;
}

void Replace(std::string& text, const std::string& what, const std::string& with) {
  size_t at = 0, times = 0;
  for (; (at = text.find(what, at)) != text.npos; at += with.size(), ++times) {
    text.replace(at, what.size(), with);
  }
  EXPECT_GT(times, 0u) << "there is no " << what;
}

// All PromQL of the dashboard, for all jobs.
std::vector<std::string> DashboardQueries() {
  std::vector<std::string> queries;
  const auto dashboard = nlohmann::json::parse(testing::Content(kDeploy + "dashboard.json"));
  for (const auto& panel : dashboard.at("panels")) {
    for (const auto& target : panel.at("targets")) {
      std::string query = target.at("expr");
      if (query.find("$job") != query.npos) Replace(query, "$job", ".*");
      if (query.find("$__rate") != query.npos) Replace(query, "$__rate_interval", "1m");
      EXPECT_EQ(query.find('$'), query.npos) << query;
      queries.push_back(query);
    }
  }
  return queries;
}

std::string Escaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += fmt::format("%{:02x}", static_cast<unsigned char>(c));
  return out;
}

// The result of a query; null when it failed.
nlohmann::json Query(int port, const std::string& query) {
  const std::string answer = Get(port, "/api/v1/query?query=" + Escaped(query));
  const size_t body = answer.find("\r\n\r\n");
  if (body == answer.npos) return nullptr;
  // Go answers in one piece when it is short, else in chunks: the object is all that is in braces.
  const size_t begin = answer.find('{', body), end = answer.rfind('}');
  if (begin == answer.npos || end == answer.npos) return nullptr;
  std::string object = answer.substr(begin, end - begin + 1);
  const auto parsed = nlohmann::json::parse(object, nullptr, false);
  if (parsed.is_discarded() || parsed.value("status", "") != "success") return nullptr;
  return parsed.at("data").at("result");
}

int FreePort() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  close(fd);
  return ntohs(address.sin_port);
}

// Prometheus with our configuration, but one scrape a second.
class Prometheus {
 public:
  Prometheus(const testing::ScratchFolder& scratch, int server) : port_(FreePort()) {
    std::string config = testing::Content(kDeploy + "prometheus.yml");
    Replace(config, "127.0.0.1:9461", fmt::format("127.0.0.1:{}", server));
    Replace(config, "15s", "1s");
    Replace(config, "alerts.yml", kDeploy + "alerts.yml");
    const std::string file = scratch.Write("prometheus.yml", config);
    child_ = fork();
    if (child_ != 0) return;
    const std::string log = scratch.path() + "/prometheus.log";
    if (std::freopen(log.c_str(), "w", stderr) == nullptr) _exit(127);
    execlp("prometheus", "prometheus", ("--config.file=" + file).c_str(),
           ("--storage.tsdb.path=" + scratch.path() + "/tsdb").c_str(),
           fmt::format("--web.listen-address=127.0.0.1:{}", port_).c_str(), nullptr);
    _exit(127);
  }
  ~Prometheus() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  int port() const { return port_; }

 private:
  int port_;
  pid_t child_ = -1;
};

std::string Events() {
  std::string lines;
  const int64_t now = std::chrono::system_clock::now().time_since_epoch() / std::chrono::seconds(1);
  for (int64_t step = 0; step < 5; ++step) {
    lines += fmt::format(R"({{"job_name": "l\"l\\m\nß", "event": "step_start", "time": {}, )"
                         R"("step": {}, "writer": "w", "sequence": {}}})"
                         "\n",
                         now - 100 + 10 * step, step, step);
  }
  return lines;
}

TEST(GoodputPrometheus, RulesAndConfigurationAreValid) {
  if (!Installed("promtool")) GTEST_SKIP() << "promtool is not installed (Debian: prometheus)";
  const testing::ScratchFolder scratch;
  const std::string output = scratch.path() + "/output";
  for (const char* check :
       {"check rules alerts.yml", "check config prometheus.yml", "test rules alerts_test.yml"}) {
    const std::string command =
        fmt::format("cd {} && promtool {} >{} 2>&1", kDeploy, check, output);
    EXPECT_EQ(std::system(command.c_str()), 0) << testing::Content(output);
  }
}

TEST(GoodputPrometheus, ScrapesTheServer) {
  if (!Installed("prometheus")) GTEST_SKIP() << "prometheus is not installed";
  const testing::ScratchFolder scratch;
  ServerProcess server(scratch.path() + "/events", 0);
  ASSERT_GT(server.port(), 0);
  const std::string body = Events();
  const std::string posted = Exchange(
      server.port(), fmt::format("POST /v1/events HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                                 "Content-Length: {}\r\n\r\n{}",
                                 body.size(), body));
  ASSERT_NE(posted.find("\"stored\": 5"), posted.npos) << posted;
  const Prometheus prometheus(scratch, server.port());
  nlohmann::json steps;
  for (int tries = 0; tries < 150 && steps.empty(); ++tries) {
    usleep(200'000);
    steps = Query(prometheus.port(), "stepscope_goodput_step");
  }
  const std::string log = testing::Content(scratch.path() + "/prometheus.log");
  ASSERT_EQ(steps.size(), 1u) << log;
  EXPECT_EQ(steps[0].at("metric").at("training_job"), "l\"l\\m\nß");
  EXPECT_EQ(steps[0].at("value").at(1), "4");
  // Type and help came along: it was read as OpenMetrics without complaint.
  EXPECT_EQ(Query(prometheus.port(), "up{job=\"goodput\"}").at(0).at("value").at(1), "1");
  const auto sums =
      Query(prometheus.port(),
            "abs(sum(stepscope_goodput_seconds) - sum(stepscope_goodput_elapsed_seconds))"
            " < 0.001");
  EXPECT_EQ(sums.size(), 1u) << "buckets do not sum up";
  for (const std::string& query : DashboardQueries()) {
    EXPECT_FALSE(Query(prometheus.port(), query).is_null()) << query;
  }
  EXPECT_TRUE(Query(prometheus.port(), "no(such query").is_null());
}

// The dashboard and the rules speak of series that the server has.
TEST(GoodputPrometheus, DashboardAndRulesUseExistingMetrics) {
  const std::string known = testing::Content(testing::SourceDir() + "/src/goodput/live/metrics.cc");
  std::string all = testing::Content(kDeploy + "alerts.yml");
  const auto queries = DashboardQueries();
  EXPECT_GE(queries.size(), 10u);
  for (const std::string& query : queries) all += query + "\n";
  std::set<std::string> names;
  constexpr std::string_view kPrefix = "stepscope_goodput_";
  for (size_t at = 0; (at = all.find(kPrefix, at)) != all.npos;) {
    at += kPrefix.size();
    const size_t end = all.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", at);
    std::string name = all.substr(at, end - at);
    for (const char* suffix : {"_total", "_bucket"}) {
      if (name.ends_with(suffix)) name.resize(name.size() - std::string_view(suffix).size());
    }
    names.insert(name);
  }
  EXPECT_GE(names.size(), 12u);
  for (const std::string& name : names) {
    EXPECT_NE(known.find("{\"" + name + "\", Type::"), known.npos) << name;
  }
}

}  // namespace
}  // namespace stepscope::goodput_prometheus_test
