// Tests the text of requests, and what is refused.
#include "capture/torch/request.h"

#include <gtest/gtest.h>

#include "base/time_units.h"

namespace stepscope::capture::request_test {
namespace {

constexpr int64_t kNow = 1'700'000'000 * kSecond;

TEST(TorchRequest, AsksForATime) {
  const auto request = TextOf({.file = "/tmp/a/0.json", .duration = 500 * kMillisecond}, kNow);
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->text,
            "ACTIVITIES_LOG_FILE=/tmp/a/0.json\nACTIVITIES_WARMUP_PERIOD_SECS=1\n"
            "PROFILE_REPORT_INPUT_SHAPES=false\nPROFILE_WITH_STACK=false\n"
            "ACTIVITIES_DURATION_MSECS=500\nPROFILE_START_TIME=1700000003000\n");
}

TEST(TorchRequest, AsksForSteps) {
  const auto request = TextOf({.file = "/tmp/a/0.json", .iterations = 5, .stacks = true}, kNow);
  ASSERT_TRUE(request.has_value());
  EXPECT_TRUE(request->text.ends_with(
      "PROFILE_WITH_STACK=true\nPROFILE_START_ITERATION=0\nPROFILE_START_ITERATION_ROUNDUP=1\n"
      "ACTIVITIES_ITERATIONS=5\n"));
  EXPECT_EQ(request->start, 0);
}

TEST(TorchRequest, RefusesWhatLibkinetoRefuses) {
  const std::string file = "/tmp/a/0.json";
  for (const TraceRequest& request : std::vector<TraceRequest>{
           {.file = file},
           {.file = file, .duration = -1},
           {.file = file, .duration = kDay},
           {.file = file, .iterations = -1},
           {.file = file, .iterations = 3'000'000'000},
           {.file = "/tmp/a/0.txt", .duration = kSecond},
           {.file = "tmp/0.json", .duration = kSecond},
           {.file = "/tmp/../etc/0.json", .duration = kSecond},
           {.file = "/tmp/a\nPROFILE_MEMORY=true\n.json", .duration = kSecond},
           {.file = "/tmp/a=b#.json", .duration = kSecond},
           {.file = "/" + std::string(300, 'x') + ".json", .duration = kSecond}}) {
    EXPECT_FALSE(TextOf(request, kNow).has_value()) << request.file;
  }
}

TEST(TorchRequest, ChecksLinesOfScripts) {
  const std::vector<std::string> folders = {"/tmp"};
  const auto lines = CheckLines(
      "PROFILE_START_TIME=0\nACTIVITIES_LOG_FILE=/tmp/x.json # where\n\n"
      "ACTIVITIES_DURATION_MSECS=500\nPROFILE_WITH_STACK=true\nACTIVITY_TYPES=CPU_OP,CUDA_RUNTIME",
      folders);
  ASSERT_TRUE(lines.has_value());
  EXPECT_EQ(lines->size(), 4u);
  EXPECT_EQ(lines->at("ACTIVITIES_DURATION_MSECS"), "500");
  const std::string file = "ACTIVITIES_LOG_FILE=/tmp/x.json\n";
  for (const char* bad :
       {"ACTIVITIES_DURATION_MSECS=abc",
        "ACTIVITIES_DURATION_MSECS=", "ACTIVITIES_DURATION_MSECS=-1",
        "ACTIVITIES_DURATION_MSECS=5ms", "ACTIVITIES_ITERATIONS=2147483648",
        "PROFILE_WITH_STACK=maybe", "ACTIVITY_TYPES=NONSENSE", "ACTIVITY_TYPES=", "no equals sign",
        "PROFILE_MEMORY=true", "REQUEST_TRACE_ID=a b", "ACTIVITIES_LOG_FILE=/etc/x.json",
        "ACTIVITIES_LOG_FILE=/tmp/../x.json", "ACTIVITIES_LOG_FILE=/tmp/x"}) {
    EXPECT_FALSE(CheckLines(file + bad, folders).has_value()) << bad;
  }
  EXPECT_FALSE(CheckLines("ACTIVITIES_ITERATIONS=5", folders).has_value());
  EXPECT_FALSE(CheckLines(std::string(9000, '\n'), folders).has_value());
}

}  // namespace
}  // namespace stepscope::capture::request_test
