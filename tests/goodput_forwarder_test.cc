// Checks that `stepscope goodput collect --store postgresql://...` forwards all events, whichever
// side is killed.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

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
    Control("stop -m immediate");
    Post(server.port(), 5000);
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

TEST_F(GoodputPostgresForwarder, ServerForwardsEvents) {
  EXPECT_FALSE(GoodputServe({.folder = store_, .port = 0}));
  EXPECT_FALSE(GoodputServe({.folder = folder_.path(), .store = folder_.path(), .port = 0}));
}

}  // namespace
}  // namespace stepscope::testing::goodput_forwarder_test
