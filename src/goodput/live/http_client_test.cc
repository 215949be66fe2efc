// Addresses as people write them, and waits that grow.
#include "goodput/live/http_client.h"

#include <gtest/gtest.h>

namespace stepscope::goodput {
namespace {

std::string Read(std::string_view text) {
  const auto address = ParseHttpAddress(text);
  return address ? address->Text() : "error";
}

TEST(HttpAddress, ReadsWhatItCanReach) {
  EXPECT_EQ(Read("http://host"), "http://host:80");
  EXPECT_EQ(Read("https://host"), "https://host:443");
  EXPECT_EQ(Read("http://10.0.0.1:9461/"), "http://10.0.0.1:9461");
  EXPECT_EQ(Read("http://host:1/a/b/"), "http://host:1/a/b");
  EXPECT_EQ(Read("http://[::1]:9461/a"), "http://[::1]:9461/a");
  for (const char* wrong : {"", "host", "host:80", "ftp://host", "http://", "http://:80",
                            "http:/host", "http://host:", "http://host:0", "http://host:65536",
                            "http://host:8o", "http://[::1", "http://host:-1"}) {
    EXPECT_EQ(Read(wrong), "error") << wrong;
  }
}

TEST(Backoff, GrowsToItsMost) {
  Backoff backoff(100, 1000);
  for (const int64_t most : {100, 200, 400, 800, 1000, 1000}) {
    const int64_t wait = backoff.Next();
    EXPECT_LE(wait, most);
    EXPECT_GE(wait, most - most / 4);
  }
  backoff.Reset();
  EXPECT_LE(backoff.Next(), 100);
}

TEST(HttpAnswer, TellsWhatMayFareBetterLater) {
  for (const int status : {0, 408, 429, 500, 502, 503, 504}) {
    EXPECT_TRUE(HttpAnswer{.status = status}.MayRetry()) << status;
  }
  for (const int status : {200, 301, 400, 401, 403, 404, 413, 501}) {
    EXPECT_FALSE(HttpAnswer{.status = status}.MayRetry()) << status;
  }
}

TEST(HttpPoster, SaysWhenNobodyIsThere) {
  // A port that nothing can listen on.
  HttpPoster poster({.host = "127.0.0.1", .port = 1}, "");
  const HttpAnswer answer = poster.Post("/v1/events", "{}", "application/json");
  EXPECT_EQ(answer.status, 0);
  EXPECT_EQ(answer.body, "cannot connect");
}

}  // namespace
}  // namespace stepscope::goodput
