// Captures for the page, through doors that are made up here.
#include "server/captures.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "tests/scratch.h"

namespace stepscope::server::captures_test {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kTrace =
    R"({"schemaVersion": 1, "distributedInfo": {"rank": 0, "world_size": 1}, "traceEvents": [
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":10,"dur":50}]})";

// Until the capture is done, for at most 10 s.
Json DoneOf(const Captures& captures) {
  Json now;
  for (int look = 0; look < 500; ++look) {
    now = Json::parse(captures.Json());
    if (now.is_object() && now["done"] == true) return now;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return now;
}

struct Page {
  testing::ScratchFolder folder;
  Runs runs{{.paths = {}, .storage = nullptr, .threads = 1, .settings = {}}};
};

TEST(Captures, WhatIsCapturedBecomesARun) {
  Page page;
  Captures captures(page.runs, [&](const CaptureAsk& ask, const CaptureOptions& options) {
    EXPECT_EQ(ask.servers, "host:9012");
    EXPECT_EQ(options.window.duration, 200'000'000);
    options.on_progress({.doing = "waiting for traces", .done = 0, .all = 1});
    const std::string path = page.folder.Write("rank0.json", kTrace);
    CaptureResult result{.folder = page.folder.path(), .window = options.window};
    result.outcomes.push_back(
        {.target = {.door = "grpc", .address = "host:9012"}, .file = "rank0.json"});
    return Result<CaptureResult>(result);
  });
  EXPECT_EQ(captures.Json(), "null");
  EXPECT_EQ(captures.Start({.door = "grpc", .servers = "host:9012", .duration = 200'000'000}), 1);
  const Json done = DoneOf(captures);
  EXPECT_EQ(done["error"], nullptr);
  EXPECT_EQ(done["answer"]["reports"][0]["headline"].get<std::string>().substr(0, 36),
            "The worker was traced for 200 ms.");
  const auto runs = page.runs.List();
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(done["run"], runs[0].id);
}

TEST(Captures, AnErrorIsToldAndTheNextOneMayBegin) {
  Page page;
  Captures captures(page.runs, [](const CaptureAsk&, const CaptureOptions&) {
    return Result<CaptureResult>(
        std::unexpected(Error{"nobody asks for captures", "", "set KINETO_USE_DAEMON=1"}));
  });
  EXPECT_EQ(captures.Start({.door = "torch"}), 1);
  EXPECT_EQ(DoneOf(captures)["error"]["hint"], "set KINETO_USE_DAEMON=1");
  EXPECT_EQ(captures.Start({.door = "torch"}), 2);
  EXPECT_EQ(DoneOf(captures)["run"], "");
}

TEST(Captures, OneAtATimeAndStopEndsIt) {
  Page page;
  std::atomic<bool> began = false;
  Captures captures(page.runs, [&](const CaptureAsk&, const CaptureOptions& options) {
    began = true;
    while (!options.cancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return Result<CaptureResult>(CaptureResult{.cancelled = true});
  });
  ASSERT_TRUE(captures.Start({.door = "torch"}).has_value());
  EXPECT_EQ(captures.Start({.door = "torch"}).error().what, "another capture runs");
  EXPECT_EQ(captures.Start({.door = "window"}).error().what, "unknown door");
  while (!began) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  captures.Stop();
  EXPECT_EQ(DoneOf(captures)["run"], "");
}

}  // namespace
}  // namespace stepscope::server::captures_test
