// Tests settings for all questions: of a session, and of a page that is served or written.
#include <gtest/gtest.h>

#include "stepscope/server.h"
#include "tests/answer.h"
#include "tests/front_door.h"
#include "tests/page_server.h"

namespace stepscope::testing::settings_test {
namespace {

constexpr const char* kDelay = "idle_time.consecutive_kernel_delay";

// Two kernels that were launched in time and run 40 us apart.
std::string TwoKernels() {
  return Document(
      {R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":1,"dur":2,)"
       R"("args":{"correlation":1}})",
       R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":4,"dur":2,)"
       R"("args":{"correlation":2}})",
       R"({"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":10,"dur":10,)"
       R"("args":{"device":0,"stream":7,"correlation":1}})",
       R"({"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":60,"dur":10,)"
       R"("args":{"device":0,"stream":7,"correlation":2}})"});
}

Settings DelayOf(const std::string& ns) { return {.groups = {}, .params = {{kDelay, ns}}}; }

std::string IdleTime(const Session& session, const AnalyzeOptions& question = {}) {
  AnalyzeOptions about = question;
  about.only = {"idle_time"};
  return ToJson(session.Analyze(about).value());
}

TEST(Settings, CountForEveryQuestionThatSetsNothingItself) {
  const ScratchFolder folder;
  const std::vector paths = {folder.Write("t.json", TwoKernels())};
  const auto plain = Session::Open(paths);
  const auto set = Session::Open(paths, {.settings = DelayOf("50000")});
  ASSERT_TRUE(plain.has_value() && set.has_value());
  EXPECT_NE(IdleTime(*set), IdleTime(*plain));
  EXPECT_EQ(IdleTime(*set), IdleTime(*plain, {.params = {{kDelay, "50000"}}}));
  EXPECT_EQ(IdleTime(*set, {.params = {{kDelay, "30000"}}}), IdleTime(*plain));
}

TEST(Settings, OwnGroupsAreThoseOfTheQuestionOrElseTheSettings) {
  const ScratchFolder folder;
  const std::vector paths = {folder.Write("t.json", TwoKernels())};
  const auto session =
      Session::Open(paths, {.settings = {.groups = {{"mine", {"gemm"}}}, .params = {}}});
  ASSERT_TRUE(session.has_value());
  const auto first = [&](const AnalyzeOptions& question) {
    return RowsOf(session->Analyze(question).value(), "kernel_groups", "groups")
        .at(0)
        .Text("group");
  };
  EXPECT_EQ(first({}), "mine");
  EXPECT_EQ(first({.groups = {{"other", {"gemm"}}}}), "other");
}

TEST(Settings, AreCheckedBeforeAnythingIsRead) {
  const ScratchFolder folder;
  const std::vector paths = {folder.Write("t.json", TwoKernels())};
  const Settings unknown{.groups = {}, .params = {{"idle_time.delay", "1"}}};
  const Settings wrong = DelayOf("soon");
  for (const Settings& settings : {unknown, wrong}) {
    EXPECT_FALSE(Session::Open(paths, {.settings = settings}).has_value());
    EXPECT_FALSE(PageServer::Start({.paths = paths, .settings = settings}).has_value());
    EXPECT_FALSE(ReportPage({.paths = paths, .settings = settings}).has_value());
  }
}

TEST(Settings, HoldForThePage) {
  const ScratchFolder folder;
  const std::vector paths = {folder.Write("t.json", TwoKernels())};
  const auto answer_of = [&](const Settings& settings, const std::string& more = "") {
    const ServedPage page(paths, 4, settings);
    return page.GetJson("/api/runs/" + page.IdOfOnlyRun() + "/answer?only=idle_time" + more);
  };
  const Json plain = answer_of({}), set = answer_of(DelayOf("50000"));
  EXPECT_NE(set["reports"], plain["reports"]);
  EXPECT_EQ(set["reports"], answer_of({}, fmt::format("&param={}=50000", kDelay))["reports"]);
}

}  // namespace
}  // namespace stepscope::testing::settings_test
