// Checks that `stepscope goodput collect --store postgresql://...` forwards all events, whichever
// side is killed.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <stdexcept>

#include "base/wall_clock.h"
#include "goodput/ledger/forwarder.h"
#include "goodput/live/ingest.h"
#include "stepscope/goodput_ledger.h"
#include "stepscope/goodput_live.h"
#include "stepscope/goodput_report.h"
#include "tests/goodput_lines.h"
#include "tests/goodput_postgres.h"
#include "tests/goodput_server.h"
#include "tests/ledger.h"

namespace stepscope::testing::goodput_forwarder_test {
namespace {

using goodput::Event;

class GoodputPostgresForwarder : public GoodputPostgres {
 protected:
  // The next so many events of the job.
  void Post(int port, int64_t events) {
    std::string lines;
    for (const int64_t end = number_ + events; number_ < end; ++number_) {
      const bool start = number_ == 0;
      lines += fmt::format(R"({{"job_name": "j", "event": "{}", "time_ns": {}, "writer": "w", )"
                           R"("sequence": {}{}}})",
                           start ? "job_start" : "step_start", kBegin + number_ * kSecond, number_,
                           start ? "" : fmt::format(R"(, "step": {})", number_)) +
               "\n";
    }
    const std::string answer =
        Exchange(port, fmt::format("POST /v1/events HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                                   "Content-Length: {}\r\n\r\n{}",
                                   lines.size(), lines));
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 200")) << answer;
    all_ += lines;
  }

  std::vector<Event> Acknowledged() const { return EventsOf(folder_.Write("all.jsonl", all_)); }

  // Whether all of them, each once, come to the database within 20 s.
  bool Arrives() const {
    const std::vector<Event> want = Acknowledged();
    for (int tries = 0; tries < 200; ++tries, usleep(100'000)) {
      try {
        if (EventsIn(store_) == want) return true;
      } catch (const std::runtime_error&) {
        continue;  // there is no ledger yet
      }
    }
    return false;
  }

  // Whether /metrics tells within 20 s that so many events wait for the database.
  static bool Waiting(int port, int64_t events) {
    const std::string line =
        fmt::format("stepscope_goodput_database_lag_events{{}} {}.0\n", events);
    for (int tries = 0; tries < 200; ++tries, usleep(100'000))
      if (Get(port, "/metrics").contains(line)) return true;
    return false;
  }

  const std::string spool_ = folder_.path() + "/spool";
  std::string all_;
  int64_t number_ = 0;
};

TEST_F(GoodputPostgresForwarder, ForwardsAllEvents) {
  {
    ServerProcess server(spool_, 0, {"--store", store_});
    ASSERT_GT(server.port(), 0);
    Post(server.port(), 10);
    EXPECT_TRUE(Arrives());
    for (int k = 0; k < 3; ++k) {  // three pieces
      Post(server.port(), 2000);
      EXPECT_TRUE(Arrives());
    }
    EXPECT_TRUE(Waiting(server.port(), 0));
    Control("stop -m immediate");
    Post(server.port(), 5000);
    EXPECT_TRUE(Waiting(server.port(), 5000));
    server.End(SIGKILL);
  }
  {
    ServerProcess server(spool_, 0, {"--store", store_});  // also while there is no database
    ASSERT_GT(server.port(), 0);
    Post(server.port(), 1);
    usleep(500'000);
    Control("start");
    EXPECT_TRUE(Arrives());
    Post(server.port(), 7);
    EXPECT_EQ(server.End(SIGTERM), 0);  // what came last is sent at the end
    EXPECT_EQ(EventsIn(store_), Acknowledged());
  }
  const std::string numbers = Numbers(GoodputReport({.store = store_}), false);
  EXPECT_EQ(numbers, Numbers(GoodputReport({.store = spool_}), false));
  // The segment of the server that was closed goes, and does not come back; that of the one that
  // was killed might still grow.
  const int64_t before = Sql("SELECT count(*) FROM stepscope.segments");
  ASSERT_TRUE(GoodputCompact({.store = store_}));
  const int64_t after = Sql("SELECT count(*) FROM stepscope.segments");
  EXPECT_LT(after, before);
  {
    ServerProcess server(spool_, 0, {"--store", store_});
    ASSERT_GT(server.port(), 0);
    EXPECT_EQ(server.End(SIGTERM), 0);
  }
  EXPECT_EQ(Sql("SELECT count(*) FROM stepscope.segments"), after);
  EXPECT_EQ(Numbers(GoodputReport({.store = store_}), false), numbers);
}

// As a relay does after its collector got another directory.
TEST_F(GoodputPostgresForwarder, AReplacedDirectoryTakesAllAgainAndTheDatabaseNothingTwice) {
  {
    ServerProcess server(spool_, 0, {"--store", store_});
    Post(server.port(), 1500);
    ASSERT_TRUE(Arrives());
    EXPECT_EQ(server.End(SIGTERM), 0);
  }
  const int64_t bytes = Sql("SELECT sum(length(bytes)) FROM stepscope.pieces");
  std::filesystem::remove_all(spool_);
  {
    ServerProcess server(spool_, 0, {"--store", store_});
    all_.clear();
    number_ = 0;
    Post(server.port(), 1500);
    usleep(2'500'000);  // the database is written to every two seconds
    EXPECT_EQ(EventsIn(store_), Acknowledged());
    EXPECT_EQ(Sql("SELECT sum(length(bytes)) FROM stepscope.pieces"), bytes);
    Post(server.port(), 3);
    EXPECT_TRUE(Arrives());
    server.End(SIGKILL);
  }
  ServerProcess server(spool_, 0, {"--store", store_});
  Post(server.port(), 4);
  EXPECT_EQ(server.End(SIGTERM), 0);
  EXPECT_EQ(EventsIn(store_), Acknowledged());
  // The collector's own numbers are of all events, too.
  EXPECT_EQ(Numbers(GoodputReport({.store = store_}), false),
            Numbers(GoodputReport({.store = spool_}), false));
}

TEST_F(GoodputPostgresForwarder, RolledUpEventsAreNotStoredAgain) {
  {
    ServerProcess server(spool_, 0, {"--store", store_});
    Post(server.port(), 100);
    ASSERT_TRUE(Arrives());
    EXPECT_EQ(server.End(SIGTERM), 0);
  }
  ASSERT_TRUE(GoodputCompact({.store = store_}));
  ASSERT_EQ(Sql("SELECT count(*) FROM stepscope.segments"), 0);
  std::filesystem::remove_all(spool_);
  ServerProcess server(spool_, 0, {"--store", store_});
  number_ = 0;
  Post(server.port(), 100);
  EXPECT_EQ(server.End(SIGTERM), 0);
  EXPECT_EQ(Sql("SELECT count(*) FROM stepscope.segments"), 0);
}

// The writer's name is both teams'.
TEST_F(GoodputPostgresForwarder, AnotherTeamsEventsAreStored) {
  const auto send = [&](const std::string& spool, const std::string& team) {
    auto ingest = goodput::Ingest::Open(spool, Sharing::kOwner, goodput::WritersAre::kOfTeams);
    ASSERT_TRUE(ingest) << ingest.error().what;
    goodput::Forwarder forwarder(spool, store_, goodput::WritersAre::kOfTeams);
    const auto connected = forwarder.Connect();
    ASSERT_TRUE(connected) << connected.error().what;
    const std::string line = R"({"job_name": "j", "event": "job_start", "time_ns": 5, )"
                             R"("writer": "w", "sequence": 0})";
    EXPECT_EQ((*ingest)->Take(line, team, forwarder.known().get()).stored, 1);
    const auto sent = forwarder.Send(WallClock());
    EXPECT_TRUE(sent) << sent.error().what;
  };
  send(spool_, "a");
  EXPECT_EQ(Sql("SELECT count(*) FROM stepscope.segments"), 1);
  send(spool_ + "2", "b");
  EXPECT_EQ(Sql("SELECT count(*) FROM stepscope.segments"), 2);
  send(spool_ + "3", "a");
  EXPECT_EQ(Sql("SELECT count(*) FROM stepscope.segments"), 2);
}

// A database that was lost gets what a directory has, known or not.
TEST_F(GoodputPostgresForwarder, ADatabaseThatLacksKnownEventsGetsThem) {
  for (const std::string& spool : {spool_, spool_ + "2"}) {
    ServerProcess server(spool, 0, {"--store", store_});
    all_.clear();
    number_ = 0;
    Post(server.port(), 20);
    EXPECT_EQ(server.End(SIGTERM), 0);
  }
  EXPECT_EQ(EventsIn(store_), Acknowledged());
  Forget();
  ServerProcess server(spool_ + "2", 0, {"--store", store_});
  EXPECT_TRUE(Arrives());
}

TEST_F(GoodputPostgresForwarder, ServerForwardsEvents) {
  EXPECT_FALSE(GoodputServe({.folder = store_, .port = 0}));
  EXPECT_FALSE(GoodputServe({.folder = folder_.path(), .store = folder_.path(), .port = 0}));
}

}  // namespace
}  // namespace stepscope::testing::goodput_forwarder_test
