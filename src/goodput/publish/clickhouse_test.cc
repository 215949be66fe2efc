// Tests how addresses of ClickHouse are read.
#include "goodput/publish/clickhouse.h"

#include <gtest/gtest.h>

#include <string>

#include "stepscope/goodput_publish.h"

namespace stepscope::goodput::clickhouse_test {
namespace {

TEST(ClickHouseAddress, HasDefaultsAndNoPasswordInItsName) {
  const auto plain = ClickHouseAddress::Parse("clickhouse://db");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->server.Text(), "http://db:8123");
  EXPECT_EQ(plain->database, "goodput");
  const auto full = ClickHouseAddress::Parse("clickhouses://me:p%40ss%2F@db:9440/fleet");
  ASSERT_TRUE(full);
  EXPECT_EQ(full->server.Text(), "https://db:9440");
  EXPECT_EQ(full->user, "me");
  EXPECT_EQ(full->password, "p@ss/");
  EXPECT_EQ(full->name(), "clickhouses://me@db:9440/fleet");
  EXPECT_EQ(ClickHouseAddress::Parse("clickhouses://db")->server.port, 8443);
}

TEST(ClickHouseAddress, OthersAreErrorsThatRepeatNothing) {
  for (const char* address :
       {"clickhouse://me:secret@", "clickhouse://me:%zz@db", "http://secret", "clickhouse://db/a.b",
        "clickhouse://db/1", "clickhouse://db/secret'"}) {
    const auto parsed = ClickHouseAddress::Parse(address);
    ASSERT_FALSE(parsed) << address;
    EXPECT_EQ((parsed.error().what + parsed.error().where).find("secret"), std::string::npos);
  }
  const auto answer = GoodputPublish({.store = "/nowhere", .to = "mysql://me:secret@db"});
  ASSERT_FALSE(answer);
  EXPECT_EQ((answer.error().what + answer.error().where).find("secret"), std::string::npos);
}

TEST(ClickHouse, AServerThatIsNotThereIsAnErrorThatSaysSo) {
  const auto answer =
      GoodputPublish({.store = "/nowhere", .to = "clickhouse://me:secret@127.0.0.1:1/db"});
  ASSERT_FALSE(answer);
  EXPECT_TRUE(answer.error().what.contains("cannot reach the database")) << answer.error().what;
  EXPECT_EQ(answer.error().where, "clickhouse://me@127.0.0.1:1/db");
}

}  // namespace
}  // namespace stepscope::goodput::clickhouse_test
