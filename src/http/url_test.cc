// Tests addresses as browsers and attackers write them.
#include "http/url.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>

namespace stepscope::http::url_test {
namespace {

using Parts = std::vector<std::string>;

TEST(Url, HasPartsAndAQuery) {
  const auto url = ParseUrl("/api/runs/x%2Fy/answer?steps=3..7&only=a,b&name=a+b%26c&flag&=v");
  ASSERT_TRUE(url.has_value());
  EXPECT_EQ(url->path, (Parts{"api", "runs", "x/y", "answer"}));
  EXPECT_EQ(url->Get("steps"), "3..7");
  EXPECT_EQ(url->List("only"), (Parts{"a", "b"}));
  EXPECT_EQ(url->Get("name"), "a b&c");
  EXPECT_TRUE(url->Has("flag"));
  EXPECT_FALSE(url->Has("nothing"));
  EXPECT_EQ(url->List("nothing"), Parts{});
}

TEST(Url, TheRootHasNoParts) {
  EXPECT_EQ(ParseUrl("/")->path, Parts{});
  EXPECT_EQ(ParseUrl("/?token=x")->path, Parts{});
  EXPECT_EQ(ParseUrl("//")->path, (Parts{"", ""}));
}

TEST(Url, IsDecoded) {
  EXPECT_EQ(ParseUrl("/%4aa/..%2f")->path, (Parts{"Ja", "../"}));
  EXPECT_EQ(ParseUrl("/a?x=%00")->Get("x"), std::string_view("\0", 1));
  for (const char* wrong : {"/%zz", "/%4", "/a?x=%", "/a b", "/a?x=\"", "/\xff", "*"}) {
    EXPECT_FALSE(ParseUrl(wrong).has_value()) << wrong;
  }
}

TEST(Url, IsAPathOfThisServerAndNotEndless) {
  EXPECT_FALSE(ParseUrl("").has_value());
  EXPECT_FALSE(ParseUrl("http://elsewhere/").has_value());
  EXPECT_FALSE(ParseUrl("/" + std::string(100, '/')).has_value());
  EXPECT_FALSE(ParseUrl("/?" + std::string(100, '&')).has_value());
}

TEST(Url, AnyBytesAreSomeAddressOrNone) {
  std::mt19937 random(7);
  int read = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string target = "/";
    for (auto k = random() % 12; k > 0; --k) {
      target += "%2fa&=?/+,.\0\xff"[random() % 13];
    }
    const auto url = ParseUrl(target);
    if (!url) continue;
    ++read;
    for (const auto& [name, value] : url->query) EXPECT_LE(name.size() + value.size(), 12u);
  }
  EXPECT_GT(read, 1000);
}

TEST(Url, NumbersAreWholeAndWithinTheirBounds) {
  const auto url = ParseUrl("/?a=5&b=-1&c=5x&d=&e=99999999999999999999");
  EXPECT_EQ(url->Integer("a", 0, 9), 5);
  EXPECT_EQ(url->Integer("b", -1, 1), -1);
  EXPECT_EQ(url->Integer("f", 0, 9, 7), 7);
  EXPECT_FALSE(url->Integer("f", 0, 9).has_value());
  EXPECT_FALSE(url->Integer("a", 6, 9).has_value());
  for (const char* name : {"c", "d", "e"}) EXPECT_FALSE(url->Integer(name, 0, 9, 7).has_value());
}

TEST(Url, ListsOfNumbersMayHoldRanges) {
  const auto read = [](const std::string& list) {
    return ParseUrl("/?tracks=" + list)->Numbers("tracks", 10);
  };
  EXPECT_EQ(read("7,0..2,1"), (std::vector<int64_t>{0, 1, 2, 7}));
  EXPECT_EQ(read("0..9")->size(), 10u);
  EXPECT_EQ(read("")->size(), 0u);
  EXPECT_EQ(ParseUrl("/")->Numbers("tracks", 10)->size(), 0u);
  EXPECT_EQ(read("9223372036854775806..9223372036854775807,9223372036854775807"),
            (std::vector<int64_t>{INT64_MAX - 1, INT64_MAX}));
  for (const char* wrong : {"x", "-1", "2..1", "1..", "..1", "1...2", "1,,2", "0..10", "0..8,0..8",
                            "0..9223372036854775807", "99999999999999999999"}) {
    EXPECT_FALSE(read(wrong).has_value()) << wrong;
  }
}

std::string Read(std::string_view text) {
  const auto address = ParseAddress(text);
  return address ? address->Text() : "error";
}

TEST(Address, ReadsWhatItCanReach) {
  EXPECT_EQ(Read("http://host"), "http://host:80");
  EXPECT_EQ(Read("https://host"), "https://host:443");
  EXPECT_EQ(Read("HTTP://host"), "http://host:80");
  EXPECT_EQ(Read("http://10.0.0.1:9461/"), "http://10.0.0.1:9461");
  EXPECT_EQ(Read("http://host:1/a/b/"), "http://host:1/a/b");
  EXPECT_EQ(Read("http://[::1]:9461/a"), "http://[::1]:9461/a");
  for (const char* wrong :
       {"", "host", "host:80", "ftp://host", "http://", "http://:80", "http:/host", "http://host:0",
        "http://host:65536", "http://host:8o", "http://[::1", "http://host:-1", "http://user@host",
        "http://host/?a=b", "http://host/#a", "http://a b"}) {
    EXPECT_EQ(Read(wrong), "error") << wrong;
  }
}

}  // namespace
}  // namespace stepscope::http::url_test
