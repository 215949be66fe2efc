// Tests that the page's server opens the trace of a rank of a reduced run: that one, for those who
// may ask, a few at a time, and no other file.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "stepscope/demo.h"
#include "stepscope/partials.h"
#include "tests/front_door.h"
#include "tests/page_server.h"

namespace stepscope::testing::page_traces_test {
namespace {

namespace fs = std::filesystem;

constexpr int kRanks = 12;  // more than are opened at once

class PageTracesTest : public ::testing::Test {
 protected:
  PageTracesTest() {
    EXPECT_TRUE(
        WriteDemo(Path("job"), {.ranks = kRanks, .steps = 2, .layers = 1, .stacks = false}));
    EXPECT_TRUE(MapRanks(std::vector{Path("job")}, {.folder = Path("part")}));
  }
  std::string Path(const std::string& name) const { return folder_.path() + "/" + name; }
  std::string TraceOf(int64_t rank) const {
    return Session::Open(std::vector{Path("part")})->TracesOf(rank).front().path;
  }
  static Reply Post(const ServedPage& page, const std::string& target, Headers headers = {}) {
    headers.emplace("Authorization", "Bearer " + page.token());
    headers.emplace("Content-Length", "0");
    return page.Ask(target, headers, "POST");
  }
  // The id of the run that the trace becomes.
  static std::string Open(const ServedPage& page, const std::string& run, int64_t rank) {
    const auto reply = Post(page, fmt::format("/api/traces?run={}&rank={}", run, rank));
    EXPECT_EQ(reply.status, 200) << reply.body;
    return reply.status == 200 ? Json::parse(reply.body).value("id", "") : "";
  }
  const ScratchFolder folder_;
};

Json RunOf(const ServedPage& page, const std::string& id) {
  const Json state = page.GetJson("/api/state");
  for (const Json& run : state["runs"]) {
    if (run["id"] == id) return run;
  }
  return {};
}

TEST_F(PageTracesTest, OpensOneAsARunOfItsOwn) {
  const ServedPage page({Path("part")});
  const std::string run = page.IdOfOnlyRun();
  const Json told = page.GetJson("/api/runs/" + run + "/trace?rank=3");
  EXPECT_EQ(told["rank"], 3);
  EXPECT_EQ(told["opens"], true);
  EXPECT_EQ(told["traces"][0]["path"], TraceOf(3));
  const std::string id = Open(page, run, 3);
  const auto direct = Session::Open(std::vector{TraceOf(3)});
  EXPECT_EQ(page.Get("/api/runs/" + id + "/answer?only=operators,kernels").body,
            ToJson(*direct->Analyze({.only = {"operators", "kernels"}}), kOtherLanguages));
  EXPECT_FALSE(page.GetJson("/api/runs/" + id + "/timeline")["tracks"].empty());
  const Json view = RunOf(page, id);
  EXPECT_EQ(view["trace_of"]["run"], run);
  EXPECT_EQ(view["trace_of"]["rank"], 3);
  EXPECT_EQ(view["name"], "part, rank 3");
  EXPECT_EQ(view["timeline"], true);
  EXPECT_EQ(RunOf(page, run)["timeline"], false);
}

TEST_F(PageTracesTest, OpensTheSameOnce) {
  const ServedPage page({Path("part")});
  const std::string run = page.IdOfOnlyRun();
  std::vector<std::string> ids(8);
  {
    std::vector<std::jthread> clicks;
    for (std::string& id : ids) clicks.emplace_back([&] { id = Open(page, run, 5); });
  }
  EXPECT_EQ(std::set(ids.begin(), ids.end()).size(), 1U);
  EXPECT_EQ(page.SettledRuns(2).size(), 2U);
}

TEST_F(PageTracesTest, AsksForTheTokenThePostAndTheSameSite) {
  const ServedPage page({Path("part")});
  const std::string run = page.IdOfOnlyRun();
  for (const std::string& target :
       {"/api/traces?run=" + run + "&rank=1", "/api/traces/close?run=" + run}) {
    EXPECT_EQ(page.Ask(target, {{"Content-Length", "0"}}, "POST").status, 401) << target;
    EXPECT_EQ(page.Get(target).status, 405) << target;
    EXPECT_EQ(Post(page, target, {{"Origin", "http://evil.example"}}).status, 403) << target;
    EXPECT_EQ(Post(page, target, {{"Sec-Fetch-Site", "cross-site"}}).status, 403) << target;
    EXPECT_EQ(Post(page, target, {{"Host", "evil.example"}}).status, 403) << target;
  }
  EXPECT_EQ(page.Ask("/api/runs/" + run + "/trace?rank=1", {}).status, 401);
  EXPECT_EQ(page.SettledRuns(1).size(), 1U);
}

TEST_F(PageTracesTest, OpensWhatPartialsNameAlone) {
  const ServedPage page({Path("part"), Path("job")});
  const Json runs = page.SettledRuns(2);
  const std::string part = runs[0]["id"], job = runs[1]["id"];
  const auto status = [&](const std::string& query) {
    return Post(page, "/api/traces?" + query).status;
  };
  EXPECT_EQ(status("run=" + part + "&rank=99"), 422);
  EXPECT_EQ(status("run=" + part + "&rank=-1"), 400);
  EXPECT_EQ(status("run=" + part + "&rank=1x"), 400);
  EXPECT_EQ(status("run=" + part), 400);
  EXPECT_EQ(status("run=nothing&rank=1"), 404);
  EXPECT_EQ(status("run=" + part + "&rank=99&path=/etc/passwd"), 422);
  EXPECT_TRUE(page.GetJson("/api/runs/" + job + "/trace?rank=1")["traces"].empty()) << "it is read";
  EXPECT_TRUE(page.GetJson("/api/runs/" + part + "/trace?rank=99")["traces"].empty());
  EXPECT_EQ(status("run=" + job + "&rank=1"), 422);
  EXPECT_EQ(Post(page, "/api/traces/close?run=" + part).status, 404) << "no trace that was opened";
  EXPECT_EQ(page.SettledRuns(2).size(), 2U);
}

TEST_F(PageTracesTest, SaysWhyItDoesNot) {
  const ServedPage page({Path("part")});
  const std::string run = page.IdOfOnlyRun();
  const auto why = [&](int rank) {
    const auto reply = Post(page, fmt::format("/api/traces?run={}&rank={}", run, rank));
    EXPECT_EQ(reply.status, 422) << reply.body;
    return Json::parse(reply.body)["error"].value("what", "");
  };
  std::ofstream(TraceOf(1), std::ios::app) << "x";
  EXPECT_EQ(why(1), "the trace was changed after it was mapped");
  const std::string moved = TraceOf(2), pipe = TraceOf(3), shadow = TraceOf(4);
  fs::rename(moved, moved + ".old");
  EXPECT_EQ(why(2), "the trace is not there any more");
  fs::remove(pipe);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(why(3), "the path leads to no ordinary file");
  fs::remove(shadow);
  fs::create_symlink("/etc/passwd", shadow);
  EXPECT_EQ(why(4), "the trace was changed after it was mapped");
  EXPECT_EQ(page.SettledRuns(1).size(), 1U);
}

TEST_F(PageTracesTest, ClosesThem) {
  const ServedPage page({Path("part")});
  const std::string run = page.IdOfOnlyRun(), id = Open(page, run, 0);
  EXPECT_EQ(Post(page, "/api/traces/close?run=" + id).status, 200);
  EXPECT_EQ(page.Get("/api/runs/" + id + "/answer").status, 404);
  EXPECT_EQ(Post(page, "/api/traces/close?run=" + id).status, 404);
  EXPECT_EQ(Open(page, run, 0), id) << "and opens them again";
  EXPECT_EQ(page.Get("/api/runs/" + id + "/answer?only=steps").status, 200);
}

TEST_F(PageTracesTest, KeepsAFewAndClosesTheOldest) {
  const ServedPage page({Path("part")});
  const std::string run = page.IdOfOnlyRun(), first = Open(page, run, 0),
                    second = Open(page, run, 1);
  for (int rank = 2; rank < 8; ++rank) Open(page, run, rank);
  Open(page, run, 0);  // asked for again
  Open(page, run, 8);
  EXPECT_FALSE(RunOf(page, first).is_null());
  EXPECT_TRUE(RunOf(page, second).is_null());
  EXPECT_EQ(page.GetJson("/api/state")["runs"].size(), 9U);
}

// Evicted from memory, it is read again from what was opened; a trace that is written to meanwhile
// is not.
TEST_F(PageTracesTest, ReadsAgainWhatIsStillTheSame) {
  const ServedPage page({Path("part")}, /*keep=*/1);
  const std::string run = page.IdOfOnlyRun(), id = Open(page, run, 6);
  const std::string ask = "/api/runs/" + id + "/answer?only=steps";
  const auto before = page.Get(ask);
  EXPECT_EQ(before.status, 200);
  EXPECT_EQ(page.Get("/api/runs/" + run + "/answer?only=steps").status, 200);
  EXPECT_EQ(page.Get(ask).body, before.body);
  EXPECT_EQ(page.Get("/api/runs/" + run + "/answer?only=steps").status, 200);
  std::ofstream(TraceOf(6), std::ios::app) << "x";
  EXPECT_EQ(page.Get(ask).status, 422);
  EXPECT_EQ(Post(page, "/api/traces?run=" + run + "&rank=6").status, 422);
}

// The answer to a request to open rank 1 of the only run of this server, once it has been read.
int StatusOfOpening(const PageServerOptions& options) {
  const auto server = PageServer::Start(options);
  if (!server) return 0;
  const std::string& url = server->url();
  const int port = std::stoi(url.substr(url.find(':', 7) + 1));
  const std::string token = url.substr(url.find('=') + 1);
  const auto ask = [&](const std::string& line) {
    return Reply(Exchange(
        port, line + " HTTP/1.1\r\nConnection: close\r\nContent-Length: 0\r\nHost: 127.0.0.1:" +
                  std::to_string(port) + "\r\nAuthorization: Bearer " + token + "\r\n\r\n"));
  };
  const auto state = Json::parse(ask("GET /api/state").body);
  const std::string run = state["runs"][0]["id"];
  Reply reply = ask("POST /api/traces?run=" + run + "&rank=1");
  while (reply.status == 202) reply = ask("POST /api/traces?run=" + run + "&rank=1");
  return reply.status;
}

TEST_F(PageTracesTest, LooksOnlyWhereItIsTold) {
  const PageServerOptions options{.paths = {Path("part")}};
  PageServerOptions below = options, beside = options, abroad = options, nowhere = options;
  below.trace_folders = {Path("job")};
  beside.trace_folders = {Path("part")};
  nowhere.trace_folders = {Path("nothing")};
  abroad.host = "0.0.0.0";
  abroad.token = std::string(32, 'a');
  EXPECT_EQ(StatusOfOpening(options), 200);
  EXPECT_EQ(StatusOfOpening(below), 200);
  EXPECT_EQ(StatusOfOpening(beside), 422);
  EXPECT_EQ(StatusOfOpening(nowhere), 0) << "a directory that is not there is a mistake";
  EXPECT_EQ(StatusOfOpening(abroad), 403);
  abroad.trace_folders = {Path("job")};
  EXPECT_EQ(StatusOfOpening(abroad), 200);
}

}  // namespace
}  // namespace stepscope::testing::page_traces_test
