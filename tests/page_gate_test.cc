// Tests whom the page's server answers: tokens, cookies, other names and sites, files of the
// machine.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/front_door.h"
#include "tests/page_server.h"

namespace stepscope::testing::page_gate_test {
namespace {

class PageGateTest : public ::testing::Test {
 protected:
  PageGateTest() { folder_.Write("rank_0.json", DocumentOfRank(0, Kernels(20))); }
  const ScratchFolder folder_;
};

TEST_F(PageGateTest, AnswersOnlyWhoKnowsTheToken) {
  const ServedPage page({folder_.path()});
  for (const char* target :
       {"/", "/assets/stepscope.js", "/api/state", "/api/nothing", "/?token="}) {
    EXPECT_EQ(page.Ask(target, {}).status, 401) << target;
    EXPECT_EQ(page.Ask(target, {{"Authorization", "Bearer x"}}).status, 401) << target;
    EXPECT_EQ(page.Ask(target, {{"Cookie", page.Cookie() + "x"}}).status, 401) << target;
  }
  EXPECT_EQ(page.Ask("/?token=" + std::string(32, '0'), {}).status, 401);
  EXPECT_EQ(page.Ask("/api/state?token=" + page.token(), {}).status, 401);
  EXPECT_EQ(page.Ask("/api/state", {{"Cookie", "a=b; " + page.Cookie() + "; c=d"}}).status, 200);
  EXPECT_EQ(page.Get("/api/state").status, 200);
}

TEST_F(PageGateTest, ABrowserIsRefusedWithAPage) {
  const ServedPage page({folder_.path()});
  const Headers browser = {{"Accept", "text/html,application/xhtml+xml,*/*;q=0.8"}};
  const auto stranger = page.Ask("/?token=old", browser);
  EXPECT_EQ(stranger.status, 401);
  EXPECT_EQ(stranger.get_header_value("Content-Type"), "text/html; charset=utf-8");
  EXPECT_TRUE(stranger.body.contains("<h1>wrong token</h1>")) << stranger.body;
  const auto lost = page.Get("/%3Cscript%3E", browser);
  EXPECT_EQ(lost.status, 404);
  EXPECT_FALSE(lost.body.contains("<script")) << lost.body;
  const auto odd = page.Ask("/", {{"Accept", "text/html"}, {"Host", "<b>"}});
  EXPECT_EQ(odd.status, 403);
  EXPECT_TRUE(odd.body.contains("<p>&#60;b&#62;</p>")) << odd.body;
}

TEST_F(PageGateTest, TheAddressThatIsPrintedGivesACookieAndLeadsToThePage) {
  const ServedPage page({folder_.path()});
  const auto entered = page.Ask("/?token=" + page.token(), {});
  EXPECT_EQ(entered.status, 303);
  EXPECT_EQ(entered.get_header_value("Location"), "/");
  EXPECT_EQ(entered.get_header_value("Set-Cookie"),
            page.Cookie() + "; HttpOnly; SameSite=Strict; Path=/");
  const auto first = page.Ask("/", {{"Cookie", page.Cookie()}});
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(first.get_header_value("Content-Type"), "text/html; charset=utf-8");
  EXPECT_NE(first.body.find("<!doctype html>"), first.body.npos);
  EXPECT_EQ(page.Get("/assets/stepscope.js").get_header_value("Content-Type"),
            "text/javascript; charset=utf-8");
}

// A link in a mail: the browser would not send the cookie after a redirect that another site began.
TEST_F(PageGateTest, ALinkOnAnotherSiteLeadsInByAPageOfOurs) {
  const ServedPage page({folder_.path()});
  const Headers followed = {{"Sec-Fetch-Site", "cross-site"},
                            {"Sec-Fetch-Mode", "navigate"},
                            {"Sec-Fetch-Dest", "document"}};
  const auto entered = page.Ask("/?token=" + page.token(), followed);
  EXPECT_EQ(entered.status, 200);
  EXPECT_TRUE(entered.has_header("Set-Cookie"));
  EXPECT_NE(entered.body.find("url=/"), entered.body.npos);
  EXPECT_EQ(page.Ask("/?token=x", followed).status, 401);
  EXPECT_EQ(page.Get("/api/state", followed).status, 403);
}

TEST_F(PageGateTest, OtherNamesAndOtherSitesAreTurnedAway) {
  const ServedPage page({folder_.path()});
  const std::string port = ":" + std::to_string(page.port());
  const auto status_as = [&](const char* header, const std::string& value) {
    return page.Get("/api/state", {{header, value}}).status;
  };
  for (const std::string host : {"127.0.0.1", "localhost", "[::1]"}) {
    EXPECT_EQ(status_as("Host", host + port), 200) << host;
    EXPECT_EQ(status_as("Host", host), 403) << host;
  }
  for (const std::string host : {"evil.example", "127.0.0.1.evil.example", "10.0.0.1", ""}) {
    EXPECT_EQ(status_as("Host", host + port), 403) << host;
  }
  EXPECT_EQ(status_as("Origin", "http://" + page.Host()), 200);
  for (const std::string origin : {"http://evil.example", "null", "https://localhost"}) {
    EXPECT_EQ(status_as("Origin", origin), 403) << origin;
  }
  EXPECT_EQ(status_as("Origin", "http://localhost:1"), 403);
  EXPECT_EQ(status_as("Sec-Fetch-Site", "same-origin"), 200);
  EXPECT_EQ(status_as("Sec-Fetch-Site", "same-site"), 403);
  EXPECT_EQ(status_as("Sec-Fetch-Site", "cross-site"), 403);
}

TEST_F(PageGateTest, EveryAnswerTellsTheBrowserToTrustNothingElse) {
  const ServedPage page({folder_.path()});
  for (const auto& response : {page.Get("/"), page.Get("/api/state"), page.Get("/nothing"),
                               page.Ask("/", {}), page.Get("/", {{"Host", "evil.example"}})}) {
    const std::string policy = response.get_header_value("Content-Security-Policy");
    EXPECT_TRUE(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"));
    EXPECT_EQ(policy.find("unsafe"), policy.npos);
    EXPECT_EQ(response.get_header_value("X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(response.get_header_value("Referrer-Policy"), "no-referrer");
    EXPECT_EQ(response.get_header_value("Cross-Origin-Resource-Policy"), "same-origin");
    EXPECT_EQ(response.get_header_value("Cache-Control"), "private, no-cache");
    EXPECT_FALSE(response.has_header("Access-Control-Allow-Origin"));
  }
}

TEST_F(PageGateTest, ServesNoFileOfTheMachine) {
  const ServedPage page({folder_.path()});
  for (const std::string target :
       {"/assets/../../etc/passwd", "/assets/..%2f..%2fetc%2fpasswd", "/%2e%2e/etc/passwd",
        "//etc/passwd", "/assets//etc/passwd", "/etc/passwd", "/index.html/..",
        "/api/../etc/passwd", "/assets/%00", "/assets/", "/api", "/api/runs",
        "/api/runs//answer"}) {
    EXPECT_EQ(page.Get(target).status, 404) << target;
  }
  EXPECT_EQ(page.Get("/%zz%").status, 400);
}

}  // namespace
}  // namespace stepscope::testing::page_gate_test
