// Tests captures of several servers: common start, busy and stopped ones, answers too large or
// empty.
#include "capture/grpc/profile_servers.h"

#include <gtest/gtest.h>

#include <atomic>

#include "base/time_units.h"
#include "tests/scratch.h"
#include "tests/support/canned_profile.h"
#include "tests/support/canned_server.h"

namespace stepscope::capture::profile_servers_test {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): frames

// Answers the n-th question with the n-th of these, and the rest not at all.
CannedServer::Serve Answers(std::vector<std::string> answers) {
  return [answers = std::move(answers)](CannedConnection& connection) {
    connection.Send(http2::Settings());
    // The session is twice in each question.
    for (size_t k = 0; k < answers.size(); ++k) {
      if (!connection.ReceiveUntil("session-7", static_cast<int>(2 * (k + 1)))) return;
      connection.Send(answers[k]);
    }
    connection.Drain();
  };
}

ServersResult Capture(const std::vector<std::string>& addresses, const ScratchFolder& folder,
                      ServersOptions options = {}) {
  options.servers = ParseServers(addresses, {}).value();
  options.settings.session = "session-7";
  options.settings.duration = 200 * kMillisecond;
  options.folder = folder.path();
  return ProfileServers(options);
}

TEST(ProfileServers, WritesAFileForEach) {
  const ScratchFolder folder;
  const CannedServer a(Answers({grpc::Answer(ProfileResponse(SomeProfile()))}));
  const CannedServer b(Answers({grpc::Answer(ProfileResponse(SomeProfile()))}));
  const ServersResult result = Capture({a.address(), b.address()}, folder);
  ASSERT_EQ(result.traces.size(), 2u);
  EXPECT_GT(result.start, 0);
  for (const ServerTrace& trace : result.traces) {
    EXPECT_EQ(trace.reason.what, "");
    EXPECT_EQ(trace.file, "127.0.0.1_" + std::to_string(trace.server.port) + ".xplane.pb");
    EXPECT_EQ(Content(folder.path() + "/" + trace.file), SomeProfile());
    EXPECT_EQ(trace.facts.start, 1000);
    EXPECT_EQ(trace.facts.stop, 3000);
    EXPECT_EQ(trace.facts.hosts, std::vector<std::string>{"worker 0"});
  }
}

TEST(ProfileServers, KeepsWhatCameWhereAServerIsMissing) {
  const ScratchFolder folder;
  const CannedServer good(Answers({grpc::Answer(ProfileResponse(SomeProfile()))}));
  const ServersResult result = Capture({"127.0.0.1:1", good.address()}, folder);
  EXPECT_EQ(result.traces[0].reason.what, "nothing listens on this port");
  EXPECT_EQ(result.traces[0].file, "");
  EXPECT_NE(result.traces[1].file, "");
}

TEST(ProfileServers, AsksABusyServerAgain) {
  const ScratchFolder folder;
  const std::string busy = "Another profiling session active.";
  const CannedServer server(Answers({grpc::Only("13", busy), grpc::Only("13", busy, 3),
                                     grpc::Answer(ProfileResponse(SomeProfile()), 5)}));
  EXPECT_NE(Capture({server.address()}, folder).traces[0].file, "");
  const CannedServer other(Answers({grpc::Only("13", busy)}));
  EXPECT_EQ(Capture({other.address()}, folder, {.patience = 0}).traces[0].reason.what,
            "another profile is under way in this process");
}

TEST(ProfileServers, AsksForHalfTheTimeWhereTheAnswerIsEmptyOrTooLarge) {
  const ScratchFolder folder;
  const CannedServer server(Answers({grpc::Answer(""), grpc::Only("8", "too large", 3),
                                     grpc::Answer(ProfileResponse(SomeProfile()), 5)}));
  const ServerTrace trace = Capture({server.address()}, folder).traces[0];
  EXPECT_EQ(trace.duration, 50 * kMillisecond);
  EXPECT_EQ(trace.remarks,
            (std::vector<std::string>{
                "the answer was empty, as where a profile exceeds 2 GB: half of 200 ms was tried",
                "the profile was too large: half of 100 ms was tried"}));
  EXPECT_NE(trace.file, "");
}

TEST(ProfileServers, SaysWhyThereIsNoProfile) {
  const std::string profile = SomeProfile();
  const std::string endless = std::string("\x42\x80\x80\x80\x80\x80\x20") + profile;
  struct Case {
    std::string answer, reason;
  };
  const Case cases[] = {
      {grpc::Answer(Message([](auto& answer) { answer.add_bool(7, true); })),
       "nothing was recorded"},
      {grpc::Answer(ProfileResponse("")), "the server's answer was empty"},
      {grpc::Answer(ProfileResponse(profile.substr(0, 20))), "the profile is damaged"},
      {grpc::Answer(endless), "the profile is damaged"},
      {grpc::Answer("\x03 garbage"), "the answer is damaged: it is no profile"},
      {grpc::Answer(ProfileResponse(Message([](auto& space) { space.add_string(4, "h"); }))),
       "nothing was recorded: the profile has no events"},
      {grpc::Only("12", ""), "this gRPC server has no such call"},
  };
  for (const Case& one : cases) {
    const ScratchFolder folder;
    // Of an empty answer half the time is asked for, until there is none.
    const CannedServer server(
        Answers({one.answer, grpc::Answer(ProfileResponse(""), 3), grpc::Answer("", 5)}));
    const ServerTrace trace = Capture({server.address()}, folder).traces[0];
    EXPECT_EQ(trace.reason.what, one.reason);
    EXPECT_EQ(trace.file, "");
    EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << one.reason;
  }
}

TEST(ProfileServers, KeepsNoMoreThanTheLimit) {
  const ScratchFolder folder;
  const CannedServer server(Answers({grpc::Answer(ProfileResponse(SomeProfile()))}));
  const ServerTrace trace = Capture({server.address()}, folder, {.most_bytes = 10}).traces[0];
  EXPECT_EQ(trace.reason.what, "the profile is larger than the limit for captures");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(ProfileServers, AStopEndsTheSessionAndKeepsWhatItHas) {
  const ScratchFolder folder;
  std::atomic<bool> asked = false, terminated = false;
  const CannedServer server([&](CannedConnection& connection) {
    connection.Send(http2::Settings());
    connection.ReceiveUntil("session-7");
    if (asked.exchange(true)) {  // the second connection is Terminate's
      terminated = true;
      connection.Send(grpc::Answer(""));
    } else {
      while (!terminated && connection.Wait(std::chrono::milliseconds(5))) {
      }
      connection.Send(grpc::Answer(ProfileResponse(SomeProfile())));
    }
    connection.Drain();
  });
  const ServersResult result =
      Capture({server.address()}, folder, {.cancelled = [&] { return asked.load(); }});
  EXPECT_TRUE(result.cancelled);
  EXPECT_TRUE(terminated);
  EXPECT_NE(result.traces[0].file, "") << result.traces[0].reason.what;
}

TEST(ProfileServers, CallsAreMadeToAll) {
  const CannedServer server([&](CannedConnection& connection) {
    connection.Send(http2::Settings());
    connection.ReceiveUntil("x");
    connection.Send(grpc::Answer("y"));
    connection.Drain();
  });
  const auto servers = ParseServers({server.address(), "127.0.0.1:1"}, {}).value();
  const auto answers = CallServers(servers, kMonitorCall, "x", kSecond, nullptr);
  EXPECT_EQ(answers[0].bytes, "y");
  EXPECT_EQ(answers[1].end.kind, GrpcEnd::Kind::kRefused);
}

}  // namespace
}  // namespace stepscope::capture::profile_servers_test
