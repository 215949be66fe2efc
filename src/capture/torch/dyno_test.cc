// Tests requests of dyno's scripts, and hostile ones.
#include "capture/torch/dyno.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "capture/torch/control.h"

namespace stepscope::capture::dyno_test {
namespace {

using Json = nlohmann::json;

struct Asked {
  std::vector<int64_t> pids;
  std::string text;
  DynoWork work{.clients =
                    [] {
                      std::vector<Client> clients;
                      for (const int64_t pid : {10, 11, 12})
                        clients.push_back({.process = {.pid = pid, .user = 1}, .ancestors = {1}});
                      return clients;
                    },
                .offer = [this](const Client& client, const TraceRequest& request) -> Result<void> {
                  pids.push_back(client.process.pid);
                  text = request.text;
                  return {};
                },
                .user = 1};
};

constexpr std::string_view kGood =
    R"({"fn": "setKinetOnDemandRequest", "job_id": 0, "pids": [0], "process_limit": 2, )"
    R"("config": "PROFILE_START_TIME=0\nACTIVITIES_LOG_FILE=/tmp/x.json\nACTIVITIES_DURATION_MSECS=500"})";

TEST(Dyno, TriggersAsManyProcessesAsItIsAllowed) {
  Asked asked;
  const Json answer = Json::parse(AnswerDyno(kGood, asked.work));
  EXPECT_EQ(answer["activityProfilersTriggered"], Json({10, 11}));
  EXPECT_EQ(asked.pids, (std::vector<int64_t>{10, 11}));
  EXPECT_TRUE(asked.text.contains("ACTIVITIES_WARMUP_PERIOD_SECS=1\n")) << asked.text;
  EXPECT_FALSE(asked.text.contains("PROFILE_START_TIME")) << asked.text;
}

TEST(Dyno, LimitsProcessesByAnyNumber) {
  const auto triggered = [](const char* limit) {
    Asked asked;
    Json request = Json::parse(kGood);
    request["process_limit"] = Json::parse(limit);
    AnswerDyno(request.dump(), asked.work);
    return asked.pids.size();
  };
  for (const char* none : {"0", "-1", "-9223372036854775808", "-1e308", "0.5"})
    EXPECT_EQ(triggered(none), 0u) << none;
  EXPECT_EQ(triggered("1"), 1u);
  for (const char* all : {"3", "9223372036854775807", "9223372036854775808", "1e308"})
    EXPECT_EQ(triggered(all), 3u) << all;
}

TEST(Dyno, HandsNothingOutThatHarms) {
  for (const char* config : {"ACTIVITIES_LOG_FILE=/etc/x.json", "PROFILE_MEMORY=true", ""}) {
    Asked asked;
    Json request = Json::parse(kGood);
    request["config"] = config;
    EXPECT_TRUE(Json::parse(AnswerDyno(request.dump(), asked.work)).contains("error")) << config;
    EXPECT_TRUE(asked.pids.empty());
  }
}

TEST(Dyno, AnswersAnyBytes) {
  Asked asked;
  for (const char* text :
       {"", "{", "[]", "7", R"({"fn": 7})", R"({"fn": "x"})", R"({"fn": "getStatus"})",
        R"({"fn": "setKinetOnDemandRequest", "pids": "all", "config": 7})",
        R"({"fn": "setKinetOnDemandRequest", "process_limit": "many"})"}) {
    EXPECT_TRUE(Json::accept(AnswerDyno(text, asked.work))) << text;
    EXPECT_TRUE(Json::accept(AnswerControl(text, {}, {}))) << text;
  }
  EXPECT_TRUE(asked.pids.empty());
}

TEST(Control, ReadsWholeNumbersAlone) {
  for (const char* text : {R"({"ask": "state", "pid": 1e308})", R"({"ask": "state", "pid": 7.5})",
                           R"({"ask": "over", "pid": 7444444444444444444444444444444444})",
                           R"({"ask": "withdraw", "pid": true})"})
    EXPECT_EQ(AnswerControl(text, {}, {}), "{\"error\":\"the question cannot be read\"}\n") << text;
  int64_t over = 0;
  AnswerControl(
      R"({"ask": "over", "pid": 7})",
      {.offer = {}, .state = {}, .withdraw = {}, .over = [&](int64_t pid) { over = pid; }}, {});
  EXPECT_EQ(over, 7);
}

TEST(Dyno, ReadsLengthsWithCare) {
  EXPECT_EQ(DynoBytes("{}"), std::string("\2\0\0\0{}", 6));
  EXPECT_EQ(**DynoJson(DynoBytes("{}")), "{}");
  EXPECT_EQ(*DynoJson(DynoBytes("{}").substr(0, 5)), std::nullopt);
  EXPECT_EQ(*DynoJson("\2\0"), std::nullopt);
  for (const std::string& bytes : {std::string("\xff\xff\xff\xff", 4), std::string(4, '\0'),
                                   std::string("\xff\xff\xff\x7f", 4), std::string("GET / HTTP")}) {
    EXPECT_FALSE(DynoJson(bytes).has_value());
  }
}

}  // namespace
}  // namespace stepscope::capture::dyno_test
