// Tests growing pauses, statuses to retry, and servers that do not answer.
#include "http/client.h"

#include <gtest/gtest.h>

namespace stepscope::http::client_test {
namespace {

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

TEST(Answer, TellsWhatMayFareBetterLater) {
  for (const int status : {0, 408, 429, 500, 502, 503, 504}) {
    EXPECT_TRUE(Answer{.status = status}.MayRetry()) << status;
  }
  for (const int status : {200, 301, 400, 401, 403, 404, 413, 501}) {
    EXPECT_FALSE(Answer{.status = status}.MayRetry()) << status;
  }
}

TEST(Poster, SaysWhenNobodyIsThere) {
  // A port that nothing can listen on.
  Poster poster({.host = "127.0.0.1", .port = 1}, "");
  const Answer answer = poster.Post("/v1/events", "{}", "application/json");
  EXPECT_EQ(answer.status, 0);
  EXPECT_EQ(answer.body, "cannot connect");
}

}  // namespace
}  // namespace stepscope::http::client_test
