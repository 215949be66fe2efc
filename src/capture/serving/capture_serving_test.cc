// Tests captures of a server that starts, stops and writes as vLLM and SGLang do.
#include "stepscope/capture_serving.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <stdexcept>

#include "base/time_units.h"
#include "capture/serving/serving_client.h"
#include "capture/serving/written_traces.h"
#include "http/server.h"
#include "tests/scratch.h"
#include "tests/support/canned_server.h"

namespace stepscope::capture::capture_serving_test {
namespace {

using http::PlainText;
using http::Request;
using http::Response;
using testing::CannedConnection;
using testing::CannedServer;
using testing::ScratchFolder;

// vLLM: both calls answer 200 without words, a start while it profiles changes nothing, and files
// are there when the stop is answered. SGLang tells its size, and refuses what does not fit.
struct FakeServer {
  ScratchFolder traces;
  bool sglang = false;
  std::vector<std::string> files = {"a_rank0.1.pt.trace.json.gz", "a_rank1.1.pt.trace.json.gz"};
  int refused_stops = 0;
  std::mutex mutex;
  std::vector<std::string> asked;
  bool profiling = false;
  std::unique_ptr<http::Server> server;

  FakeServer() {
    auto listening = http::Server::Listen("127.0.0.1", 0, {.most_body = 1000});
    if (!listening) throw std::runtime_error(listening.error().what);
    server = std::move(*listening);
    server->Serve([this](const Request& request) { return Answer(request); });
  }

  Response Answer(const Request& request) {
    const std::lock_guard lock(mutex);
    if (request.Path() == "/get_server_info")
      return sglang ? PlainText(200, R"({"tp_size": 2, "pp_size": 1, "dp_size": 1})")
                    : PlainText(404, "Not Found");
    asked.push_back(request.method + std::string(request.Path()));
    if (request.Path() == "/start_profile") {
      if (sglang && profiling) return PlainText(500, "Profiling is already in progress.");
      profiling = true;
      return PlainText(200, "");
    }
    if (request.Path() != "/stop_profile") return PlainText(404, "Not Found");
    if (refused_stops-- > 0) return PlainText(503, "busy");
    if (profiling)
      for (const std::string& file : files) traces.Write(file, "{\"traceEvents\": []}");
    profiling = false;
    return PlainText(200, "");
  }

  std::string address() const { return "http://127.0.0.1:" + std::to_string(server->port()); }
};

Result<CaptureResult> Capture(FakeServer& server, ServingCaptureOptions options = {}) {
  const ScratchFolder scratch;
  options.address = server.address();
  options.capture.folder = scratch.path() + "/run";
  options.capture.window.duration = 50 * kMillisecond;
  if (options.traces.empty()) options.traces = server.traces.path();
  if (options.traces == "none") options.traces.clear();
  return CaptureServing(options);
}

// "rank: file" of each trace, or "rank: reason".
std::vector<std::string> Rows(const Result<CaptureResult>& result) {
  if (!result) return {result.error().what};
  std::vector<std::string> rows;
  for (const CaptureOutcome& outcome : result->outcomes)
    rows.push_back(std::to_string(outcome.target.rank) + ": " +
                   (outcome.file.empty() ? outcome.reason : outcome.file));
  return rows;
}

using Strings = std::vector<std::string>;

TEST(CaptureServing, CopiesTheTraceOfEachWorker) {
  FakeServer server;
  server.traces.Write("old_rank9.1.pt.trace.json.gz", "{}");
  const auto result = Capture(server);
  EXPECT_EQ(Rows(result), (Strings{"0: rank-0.127.0.0.1.pt.trace.json.gz",
                                   "1: rank-1.127.0.0.1.pt.trace.json.gz"}));
  EXPECT_EQ(server.asked, (Strings{"POST/start_profile", "POST/stop_profile"}));
  EXPECT_TRUE(std::filesystem::exists(server.traces.path() + "/a_rank0.1.pt.trace.json.gz"));
}

TEST(CaptureServing, NamesWorkersThatWroteNone) {
  FakeServer server;
  server.sglang = true;
  server.files = {"1700-TP-1.trace.json.gz"};
  // Of a cancelled capture files are waited for 5 s.
  std::atomic<int> looks = 0;
  const auto result = Capture(server, {.capture = {.cancelled = [&] { return ++looks > 1; }}});
  EXPECT_EQ(Rows(result), (Strings{"1: rank-1.127.0.0.1.trace.json.gz",
                                   "0: no trace was written to " + server.traces.path()}));
}

TEST(CaptureServing, StopsWhateverHappens) {
  FakeServer server;
  const auto cancelled = Capture(server, {.capture = {.cancelled = [] { return true; }}});
  EXPECT_TRUE(cancelled.has_value() && cancelled->cancelled);
  EXPECT_FALSE(server.profiling);
}

TEST(CaptureServing, TellsThatAStopFailed) {
  FakeServer server;
  server.refused_stops = 1;
  server.files.clear();
  const auto result =
      Capture(server, {.capture = {.cancelled = [] { return true; }}, .traces = "none"});
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->unknown,
            Strings{"the profile may still be under way, since the stop failed: HTTP status 503: "
                    "busy."});
  // Nobody begins another one meanwhile.
  const auto again = Capture(server);
  EXPECT_FALSE(again.has_value());
}

TEST(CaptureServing, LeavesTheProfileOfAnotherAlone) {
  FakeServer server;
  server.sglang = server.profiling = true;
  EXPECT_EQ(Rows(Capture(server)),
            Strings{"-1: another profile is under way in this server; capture again later, or end "
                    "it: POST /stop_profile"});
  EXPECT_EQ(server.asked, Strings{"POST/start_profile"});
}

TEST(CaptureServing, TellsWhereTracesAreThatCannotBeRead) {
  FakeServer server;
  const auto rows = Rows(Capture(server, {.traces = "none"}));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_TRUE(rows[0].starts_with("-1: the server wrote its traces itself, to the folder"))
      << rows[0];
}

// What answers anything with 200 is no server of these.
TEST(CaptureServing, SaysWhatWasAnsweredWhereNobodyKnowsWhetherAProfileBegan) {
  const auto reason = [](const std::string& answer) {
    const CannedServer server([&](CannedConnection& connection) {
      while (connection.ReceiveUntil("\r\n\r\n") && connection.Send(answer)) {
        connection.Wait(std::chrono::milliseconds(10));
        return;
      }
    });
    const ScratchFolder scratch;
    ServingCaptureOptions options{.address = "http://" + server.address(), .patience = kSecond};
    options.capture.folder = scratch.path() + "/run";
    options.capture.window.duration = 20 * kMillisecond;
    const auto result = CaptureServing(options);
    return result ? result->outcomes.at(0).reason : result.error().what;
  };
  EXPECT_EQ(reason("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"),
            "it is not known whether a profile began: to /start_profile it answered HTTP status "
            "200: {}, which neither vLLM nor SGLang does");
  EXPECT_EQ(reason("\x01\x02 noise\r\n\r\n"),
            "it is not known whether a profile began: to /start_profile: what came back is no HTTP "
            "answer");
}

TEST(CaptureServing, SaysWhatAServerWithoutProfilerLacks) {
  auto other = http::Server::Listen("127.0.0.1", 0, {.most_body = 100});
  ASSERT_TRUE(other.has_value());
  (*other)->Serve([](const Request&) { return PlainText(404, "Not Found"); });
  ServingClient client(http::Address{.host = "127.0.0.1", .port = (*other)->port()}, "");
  const auto started = client.Start(0, kSecond);
  ASSERT_FALSE(started.has_value());
  EXPECT_EQ(started.error().what,
            "the server refused to start a profile: HTTP status 404: Not Found");
  ServingClient nobody(http::Address{.host = "127.0.0.1", .port = 1}, "");
  EXPECT_EQ(nobody.Start(0, kSecond).error().what, "cannot connect");
}

// Answers a start, and of any other request what `answer` does with the connection.
CannedServer::Serve Hostile(std::function<void(CannedConnection&)> answer) {
  return [answer = std::move(answer)](CannedConnection& connection) {
    const std::string end = "\r\n\r\n";
    const std::string ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close" + end;
    if (!connection.ReceiveUntil(end)) return;
    if (connection.received().contains("/start_profile")) {
      connection.Send(ok);
      return;
    }
    answer(connection);
  };
}

TEST(CaptureServing, WaitsNoLongerThanItIsTold) {
  const auto trickle = [](CannedConnection& connection) {
    connection.Send("HTTP/1.1 200 OK\r\nX: ");
    while (connection.Send("x")) connection.Wait(std::chrono::milliseconds(10));
  };
  const auto silent = [](CannedConnection& connection) { connection.Drain(); };
  for (const auto& serve : {CannedServer::Serve(silent), Hostile(silent), Hostile(trickle)}) {
    const CannedServer server(serve);
    const ScratchFolder scratch;
    ServingCaptureOptions options{.address = "http://" + server.address(),
                                  .traces = scratch.path(),
                                  .patience = 600 * kMillisecond};
    options.capture.folder = scratch.path() + "/run";
    options.capture.window.duration = 50 * kMillisecond;
    const auto begun = std::chrono::steady_clock::now();
    const auto result = CaptureServing(options);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    ASSERT_TRUE(result.has_value()) << result.error().what;
    EXPECT_TRUE(result->outcomes[0].file.empty());
    EXPECT_TRUE(result->unknown.back().starts_with("the profile may still be under way"));
    EXPECT_LT(took.count(), 2);
  }
}

TEST(CaptureServing, ReadsRanksAndSizes) {
  EXPECT_EQ(RankOfName("dp0_pp0_tp1_rank3.1700.pt.trace.json.gz"), 3);
  EXPECT_EQ(RankOfName("1700.5-TP-2-DECODE.trace.json.gz"), 2);
  EXPECT_EQ(RankOfName("rank-12.json"), 12);
  EXPECT_EQ(RankOfName("host_async_llm.1.pt.trace.json.gz"), -1);
  EXPECT_EQ(WorldSizeOf(R"({"tp_size": 4, "dp_size": 2})"), 8);
  EXPECT_EQ(WorldSizeOf(R"({"tp_size": 4, "dp_size": 2, "enable_dp_attention": true})"), 4);
  for (const char* const text : {"", "[]", "{}", "{\"tp_size\"", R"({"x": 1})"})
    EXPECT_EQ(WorldSizeOf(text), 0) << text;
  EXPECT_EQ(WorldSizeOf(R"({"tp_size": "a"})"), 1);
}

}  // namespace
}  // namespace stepscope::capture::capture_serving_test
