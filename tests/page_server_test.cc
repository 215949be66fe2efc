// Tests what the page's server answers, and to which requests.
#include "tests/page_server.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "base/gzip.h"
#include "stepscope/compare.h"
#include "stepscope/goodput_ledger.h"
#include "tests/front_door.h"
#include "tests/goodput_server.h"

namespace stepscope::testing::page_server_test {
namespace {

// As the page gets an answer: with its words in other languages.
std::string Paged(const ReportSet& answer) { return ToJson(answer, kOtherLanguages); }

class PageServerTest : public ::testing::Test {
 protected:
  PageServerTest() {
    for (int rank = 0; rank < 2; ++rank) {
      folder_.Write(fmt::format("rank_{}.json", rank), DocumentOfRank(rank, Kernels(20)));
    }
  }
  ReportSet AnalyzeHere(const AnalyzeOptions& question = {}) const {
    return *Session::Open(std::vector{folder_.path()})->Analyze(question);
  }
  const ScratchFolder folder_;
};

TEST_F(PageServerTest, SharesItsPortWithNobody) {
  const ServedPage page({folder_.path()});
  const auto second = PageServer::Start({.paths = {folder_.path()}, .port = page.port()});
  ASSERT_FALSE(second.has_value());
  EXPECT_TRUE(second.error().what.contains("in use")) << second.error().what;
  EXPECT_EQ(second.error().where, page.Host());
  EXPECT_TRUE(second.error().hint.contains("`port`")) << second.error().hint;
}

// Who closes the connection before the answer comes costs the next one nothing, and spoils nothing.
TEST_F(PageServerTest, AnswersAfterOthersHaveGoneMidway) {
  const ServedPage page({folder_.path()});
  const std::string target = "/api/runs/" + page.IdOfOnlyRun() + "/answer?only=kernels,idle_time";
  const std::string ask = "GET " + target + " HTTP/1.1\r\nHost: " + page.Host() +
                          "\r\nAuthorization: Bearer " + page.token() + "\r\n\r\n";
  for (int k = 0; k < 30; ++k) {
    const int fd = Connect(page.port());
    ASSERT_EQ(send(fd, ask.data(), ask.size(), MSG_NOSIGNAL), static_cast<ssize_t>(ask.size()));
    close(fd);
  }
  EXPECT_EQ(page.Get(target).body, Paged(AnalyzeHere({.only = {"kernels", "idle_time"}})));
}

// Who begins many requests and ends none holds up the others for a moment only.
TEST_F(PageServerTest, AnswersWhileOthersDoNotFinishTheirQuestions) {
  const ServedPage page({folder_.path()});
  const std::string begun = "GET / HTTP/1.1\r\n";
  std::vector<int> open;
  for (int k = 0; k < 130; ++k) {  // twice as many as are served at once
    open.push_back(Connect(page.port()));
    ASSERT_GT(send(open.back(), begun.data(), begun.size(), MSG_NOSIGNAL), 0);
  }
  const auto since = std::chrono::steady_clock::now();
  EXPECT_EQ(page.Get("/api/state").status, 200);
  EXPECT_LT(std::chrono::steady_clock::now() - since, std::chrono::seconds(8));
  for (const int fd : open) close(fd);
}

TEST_F(PageServerTest, AnswersAsTheCommandLinePrints) {
  const ServedPage page({folder_.path()});
  const std::string id = page.IdOfOnlyRun();
  const std::string answer = "/api/runs/" + id + "/answer";
  EXPECT_EQ(page.Get(answer).body, Paged(AnalyzeHere()));
  EXPECT_EQ(page.Get(answer + "?steps=&only=&ranks=").body, Paged(AnalyzeHere()));
  ReportSet brief = AnalyzeHere();
  for (Report& report : brief.reports) {
    report.metrics = {};
    report.tables = {};
    report.series = {};
    report.notes = {};
  }
  EXPECT_EQ(page.Get(answer + "?brief=1").body, Paged(brief));
  EXPECT_EQ(page.Get(answer + "?only=kernels,idle_time&ranks=1&param=" +
                     "idle_time.consecutive_kernel_delay%3D50")
                .body,
            Paged(AnalyzeHere({.only = {"kernels", "idle_time"},
                               .ranks = {1},
                               .params = {{"idle_time.consecutive_kernel_delay", "50"}}})));
  EXPECT_EQ(page.Get(answer + "?ranks=0..1").body, Paged(AnalyzeHere({.ranks = {0, 1}})));
  const AnalyzeOptions compared{.only = {kComparedAnalyses.begin(), kComparedAnalyses.end()}};
  EXPECT_EQ(page.Get("/api/compare?base=" + id + "&with=" + id).body,
            Paged(Compare(AnalyzeHere(compared), AnalyzeHere(compared))));
  const Json analyses = page.GetJson("/api/analyses");
  EXPECT_EQ(analyses.size(), Session::List().size());
  EXPECT_EQ(analyses.at(0)["doc"], Session::List().at(0).doc);
}

TEST_F(PageServerTest, SaysWhatIsWrongWithAQuestion) {
  const ServedPage page({folder_.path()});
  const std::string run = "/api/runs/" + page.IdOfOnlyRun();
  const std::vector<std::pair<std::string, int>> wrong = {
      {"/api/runs/0000000000/answer", 404},
      {"/api/compare?base=x&with=y", 404},
      {"/api/ledgers/x", 404},
      {run + "/answer?steps=nine", 400},
      {run + "/answer?only=nothing", 400},
      {run + "/answer?ranks=7", 400},
      {run + "/answer?ranks=0..99999999", 400},
      {run + "/answer?ranks=-1", 400},
      {run + "/answer?param=x", 400},
      {run + "/answer?param=idle_time.x%3D1", 400},
      {run + "/nothing", 404},
      {run + "/timeline/nothing?track=0&event=0", 404},
      {run + "/timeline/tiles?list=0.0", 400},
      {run + "/timeline/tiles?list=0.0.-1", 400},
      {run + "/timeline/tiles?list=99999.0.0", 404},
      {run + "/timeline/event?track=0", 400},
      {run + "/timeline/event?track=0&event=x", 400},
      {run + "/timeline/event?track=99999&event=0", 404},
      {run + "/timeline/find?q=a&by=0", 400},
      {run + "/timeline/find?q=a&limit=-1", 400},
      {run + "/timeline/select?by=color", 400},
      {run + "/timeline/select?tracks=a", 400}};
  for (const auto& [target, status] : wrong) {
    const auto response = page.Get(target);
    EXPECT_EQ(response.status, status) << target;
    const Json error = Json::parse(response.body)["error"];
    EXPECT_FALSE(error["what"].get<std::string>().empty()) << target;
  }
}

// A run is of the job that has its name.
TEST_F(PageServerTest, GoodputIsOfTheRunsOwnJob) {
  const std::string name = folder_.path().substr(folder_.path().rfind('/') + 1);
  const ScratchFolder other;
  std::string lines;
  for (const std::string& job : {std::string("first"), name}) {
    for (const char* event : {"job_start", "job_end"}) {
      lines += fmt::format(R"({{"job_name":"{}","event":"{}","time":{}}})", job, event,
                           1'780'000'000 + (event[4] == 'e' ? 100 : 0)) +
               "\n";
    }
  }
  const std::string ledger = other.path() + "/ledger";
  ASSERT_TRUE(GoodputImport(ledger, {other.Write("events.jsonl", lines)}));
  const ServedPage page({folder_.path(), ledger});
  const std::string run = "/api/runs/" + page.IdOfOnlyRun() + "/goodput";
  const Json match = page.GetJson(run)["reports"][0];
  EXPECT_EQ(match["metrics"][0]["value"], name);
  EXPECT_EQ(match["metrics"][2]["value"], page.GetJson("/api/state")["ledgers"][0]["id"]);
  const ServedPage alone({folder_.path()});
  const Json none = alone.GetJson("/api/runs/" + alone.IdOfOnlyRun() + "/goodput");
  EXPECT_EQ(none["reports"].size(), 1u);
  EXPECT_EQ(none["reports"][0]["status"], "unavailable");
  EXPECT_EQ(page.Get("/api/runs/0000000000/goodput").status, 404);
}

TEST_F(PageServerTest, NamesOfATraceAreText) {
  const ScratchFolder folder;
  folder.Write("t.json", Document({Kernel("<script>alert(1)</script>\\u0000\\\"", 0, 5)}));
  const ServedPage page({folder.path()});
  const std::string id = page.IdOfOnlyRun();
  const auto response = page.Get("/api/runs/" + id + "/answer");
  EXPECT_EQ(response.get_header_value("Content-Type"), "application/json");
  EXPECT_EQ(response.get_header_value("X-Content-Type-Options"), "nosniff");
  EXPECT_NE(Json::parse(response.body).dump().find("<script>alert(1)</script>"), std::string::npos);
}

TEST_F(PageServerTest, WhatTheBrowserHasIsNotSentAgain) {
  const ServedPage page({folder_.path()});
  const std::string answer = "/api/runs/" + page.IdOfOnlyRun() + "/answer";
  for (const std::string& target : {answer, std::string("/"), std::string("/api/analyses")}) {
    const auto first = page.Get(target);
    const std::string tag = first.get_header_value("ETag");
    ASSERT_FALSE(tag.empty()) << target;
    const auto again = page.Get(target, {{"If-None-Match", "\"x\", " + tag}});
    EXPECT_EQ(again.status, 304) << target;
    EXPECT_TRUE(again.body.empty()) << target;
    EXPECT_EQ(page.Get(target, {{"If-None-Match", "\"x\""}}).body, first.body) << target;
  }
}

TEST_F(PageServerTest, CompressesForWhoTakesIt) {
  const ServedPage page({folder_.path()});
  const std::string answer = "/api/runs/" + page.IdOfOnlyRun() + "/answer";
  const auto plain = page.Get(answer);
  EXPECT_FALSE(plain.has_header("Content-Encoding"));
  for (const char* accept : {"gzip", "br;q=1, gzip;q=0.5", "deflate,GZIP"}) {
    const auto packed = page.Get(answer, {{"Accept-Encoding", accept}});
    EXPECT_EQ(packed.get_header_value("Content-Encoding"), "gzip") << accept;
    EXPECT_LT(packed.body.size(), plain.body.size() / 2);
    EXPECT_EQ(Gunzip(packed.body), plain.body);
  }
  for (const char* accept : {"", "br", "gzip;q=0", "identity"}) {
    EXPECT_EQ(page.Get(answer, {{"Accept-Encoding", accept}}).body, plain.body) << accept;
  }
}

TEST_F(PageServerTest, OnlyAsksThatChangeNothing) {
  const ServedPage page({folder_.path()});
  const auto ask = [&](const std::string& method) {
    return page.Ask("/api/state", {{"Authorization", "Bearer " + page.token()}}, method);
  };
  for (const char* method : {"POST", "DELETE", "OPTIONS", "ODD"}) {
    EXPECT_EQ(ask(method).status, 405) << method;
  }
  const auto head = ask("HEAD");
  EXPECT_EQ(head.status, 200);
  EXPECT_NE(head.get_header_value("Content-Length"), "0");
  EXPECT_TRUE(head.body.empty());
}

// Of a request with a body.
std::string Posted(const ServedPage& page, const std::string& target, const std::string& headers,
                   const std::string& body) {
  return Exchange(page.port(), "POST " + target + " HTTP/1.1\r\nHost: " + page.Host() + "\r\n" +
                                   headers + "Connection: close\r\nContent-Length: " +
                                   std::to_string(body.size()) + "\r\n\r\n" + body);
}

TEST_F(PageServerTest, FilesThatAreDroppedAreARun) {
  const ServedPage page({folder_.path()});
  const std::string token = "Authorization: Bearer " + page.token() + "\r\n";
  const std::string trace =
      R"({"schemaVersion": 1, "traceEvents": [)"
      R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 5, "args": {"device": 0, "stream": 7}}]})";
  const auto send = [&](const std::string& query, const std::string& headers,
                        const std::string& body) {
    return Posted(page, "/api/files?drop=5" + query, headers, body);
  };
  EXPECT_TRUE(send("&name=a.json&at=0", "", trace).starts_with("HTTP/1.1 401"));
  EXPECT_TRUE(send("&name=a.json&at=0", token + "Origin: http://evil.example\r\n", trace)
                  .starts_with("HTTP/1.1 403"));
  EXPECT_TRUE(send("&name=a.json&at=0", token, trace.substr(0, 50)).starts_with("HTTP/1.1 200"));
  EXPECT_TRUE(send("&name=a.json&at=0", token, trace).starts_with("HTTP/1.1 422"));
  EXPECT_TRUE(send("&name=a.json&at=50", token, trace.substr(50)).starts_with("HTTP/1.1 200"));
  const Reply done(send("&done=1", token, ""));
  ASSERT_EQ(done.status, 200) << done.body;
  const std::string id = Json::parse(done.body)["id"];
  const auto info = Json::parse(page.Get("/api/runs/" + id + "/timeline").body);
  EXPECT_EQ(info["tracks"].back()["name"], "stream 7") << info.dump();
  EXPECT_EQ(page.Get("/api/files?drop=5&done=1").status, 405);
  EXPECT_TRUE(Posted(page, "/api/state", token, "x").starts_with("HTTP/1.1 413"));
  EXPECT_TRUE(Posted(page, "/api/files?drop=6&name=a.txt&at=0", token, "no trace")
                  .starts_with("HTTP/1.1 200"));
  EXPECT_TRUE(Posted(page, "/api/files?drop=6&done=1", token, "").starts_with("HTTP/1.1 422"));
}

TEST_F(PageServerTest, LimitsWhatARequestCosts) {
  const ServedPage page({folder_.path()});
  const auto start_of = [&](const std::string& request) {
    return Exchange(page.port(), request).substr(0, 12);
  };
  const std::string host = "Host: " + page.Host() + "\r\n";
  EXPECT_EQ(start_of("GET / HTTP/1.1\r\n" + host + "Content-Length: 5\r\n\r\nhello"),
            "HTTP/1.1 413");
  EXPECT_EQ(start_of("GET / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            "HTTP/1.1 413");
  EXPECT_EQ(start_of("GET /" + std::string(9000, 'a') + " HTTP/1.1\r\nConnection: close\r\n\r\n"),
            "HTTP/1.1 414");
  EXPECT_EQ(start_of("GET /" + std::string(100'000, 'a')), "HTTP/1.1 431");
  // Many headers, or one that is large: cut off, with whatever answer is read before.
  EXPECT_NE(start_of("GET / HTTP/1.1\r\n" + host + "X: " + std::string(100'000, 'a') + "\r\n\r\n"),
            "HTTP/1.1 200");
  EXPECT_EQ(page.Get("/api/state").status, 200);
}

// Requests one after another on one connection, in one piece.
TEST_F(PageServerTest, KeepsAConnection) {
  const ServedPage page({folder_.path()});
  const std::string ask = "GET /api/state HTTP/1.1\r\nHost: " + page.Host() +
                          "\r\nAuthorization: Bearer " + page.token() + "\r\n";
  const std::string answers =
      Exchange(page.port(), ask + "\r\n" + ask + "Connection: close\r\n\r\n");
  size_t count = 0;
  for (size_t at = 0; (at = answers.find("HTTP/1.1 200", at)) != answers.npos; ++at) ++count;
  EXPECT_EQ(count, 2u);
}

TEST_F(PageServerTest, ShowsTheRunsOfAFolderThatGrows) {
  const ScratchFolder folder;
  folder.Write("first/rank_0.json", DocumentOfRank(0, Kernels(5)));
  const ServedPage page({folder.path()});
  EXPECT_EQ(page.SettledRuns(1).at(0)["name"], "first");
  folder.Write("second/rank_0.json", DocumentOfRank(0, Kernels(7)));
  folder.Write("broken/rank_0.json", "{ no trace");
  const Json runs = page.SettledRuns(3);
  EXPECT_EQ(runs.at(0)["name"], "broken");
  EXPECT_EQ(runs.at(0)["state"], "failed");
  EXPECT_FALSE(runs.at(0)["error"]["what"].get<std::string>().empty());
  const std::string broken = runs.at(0)["id"], second = runs.at(2)["id"];
  EXPECT_EQ(page.Get("/api/runs/" + broken + "/answer").status, 422);
  const Json answer = page.GetJson("/api/runs/" + second + "/answer");
  EXPECT_EQ(answer["run"]["files"][0]["gpu_events"], 7);
  // A run whose files change is read anew.
  folder.Write("second/rank_1.json", DocumentOfRank(1, Kernels(7)));
  for (int k = 0; k < 200 && page.GetJson("/api/state")["runs"][2]["revision"] == 0; ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_EQ(page.GetJson("/api/runs/" + second + "/answer")["run"]["ranks"], 2);
}

// Of more runs than are kept, the one that is asked for is read, and another one goes.
TEST_F(PageServerTest, ReadsARunThatIsNotInMemoryWhenItIsAskedFor) {
  const ScratchFolder folder;
  for (const char* name : {"a", "b", "c"}) {
    folder.Write(std::string(name) + "/rank_0.json", DocumentOfRank(0, Kernels(5)));
  }
  const ServedPage page({folder.path()}, 1);
  const auto states = [&] {
    std::string all;
    const Json state = page.GetJson("/api/state");
    for (const Json& run : state["runs"]) {
      all += run["state"].get<std::string>() + " ";
    }
    return all;
  };
  for (int k = 0; k < 200 && states() != "ready waiting waiting "; ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  const std::string last = page.GetJson("/api/state")["runs"][2]["id"];
  EXPECT_EQ(page.Get("/api/runs/" + last + "/answer").status, 200);
  EXPECT_EQ(states(), "waiting waiting ready ");
}

TEST_F(PageServerTest, TheTimelineCanBeAskedEverything) {
  const ServedPage page({folder_.path()});
  const std::string timeline = "/api/runs/" + page.IdOfOnlyRun() + "/timeline";
  const Json info = page.GetJson(timeline);
  ASSERT_EQ(info["ranks"].size(), 2u);
  int stream = -1;
  for (const Json& track : info["tracks"]) {
    if (track["kind"] == "stream" && stream < 0) stream = track["id"];
  }
  ASSERT_GE(stream, 0);
  const auto tiles =
      page.Get(fmt::format("{}/tiles?list={}.10.0,{}.0.5", timeline, stream, stream));
  EXPECT_EQ(tiles.get_header_value("Content-Type"), "application/octet-stream");
  EXPECT_EQ(tiles.body.substr(0, 4), "SLT1");
  const Json found = page.GetJson(timeline + "/find?q=GEMM&from=0&by=1&limit=3");
  EXPECT_EQ(found["total"], 40);
  EXPECT_EQ(found["place"], 1);
  ASSERT_EQ(found["matches"].size(), 3u);
  const std::string event = fmt::format("?track={}&event={}", found["matches"][0]["track"].dump(),
                                        found["matches"][0]["event"].dump());
  EXPECT_EQ(page.GetJson(timeline + "/event" + event)["name"], "gemm");
  EXPECT_EQ(page.GetJson(timeline + "/next" + event + "&by=1")["start"], 10'000);
  const auto before_first = page.Get(timeline + "/next" + event + "&by=-1");
  EXPECT_EQ(before_first.status, 200);
  EXPECT_EQ(before_first.body, "null");
  const Json longest =
      page.GetJson(fmt::format("{}/longest?track={}&row=0&from=0&to=100000", timeline, stream));
  EXPECT_EQ(longest["duration"], 5'000);
  const Json occurrences = page.GetJson(timeline + "/occurrences" + event);
  EXPECT_EQ(occurrences["reports"][0]["analysis"], "occurrences");
  EXPECT_EQ(occurrences["run"], Json::parse(ToJson(AnalyzeHere()))["run"]);
  EXPECT_EQ(page.Get(fmt::format("{}/longest?track={}&row=99&from=0&to=9", timeline, stream)).body,
            "null");
  const Json selection =
      page.GetJson(fmt::format("{}/select?from=0&to=20000&tracks={}&by=name", timeline, stream));
  EXPECT_EQ(selection["reports"][0]["analysis"], "selection");
}

TEST(PageServer, RefusesWhatCannotWork) {
  EXPECT_FALSE(PageServer::Start({.paths = {}}).has_value());
  EXPECT_FALSE(PageServer::Start({.paths = {"/no/such/folder"}}).has_value());
  const ScratchFolder folder;
  const std::vector paths = {folder.path()};
  const auto open = PageServer::Start({.paths = paths, .host = "0.0.0.0"});
  ASSERT_FALSE(open.has_value());
  EXPECT_NE(open.error().hint.find("`token`"), std::string::npos);
  EXPECT_FALSE(
      PageServer::Start({.paths = paths, .token = "0123456789abcdef; Secure"}).has_value());
  EXPECT_FALSE(PageServer::Start({.paths = paths, .token = "short"}).has_value());
  const ServedPage page(paths);
  EXPECT_EQ(page.GetJson("/api/state")["runs"].size(), 0u);
  EXPECT_FALSE(PageServer::Start({.paths = paths, .port = page.port()}).has_value());
  const auto warned =
      PageServer::Start({.paths = paths, .host = "0.0.0.0", .token = "0123456789abcdef"});
  ASSERT_TRUE(warned.has_value());
  EXPECT_FALSE(warned->warning().empty());
}

}  // namespace
}  // namespace stepscope::testing::page_server_test
