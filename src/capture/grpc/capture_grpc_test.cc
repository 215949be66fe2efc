// Tests captures through the front door: the run's files, locks, snapshots and other calls.
#include "stepscope/capture_grpc.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>

#include "base/time_units.h"
#include "base/wall_clock.h"
#include "capture/common/lock.h"
#include "tests/scratch.h"
#include "tests/support/canned_profile.h"
#include "tests/support/canned_server.h"

namespace stepscope::capture::capture_grpc_test {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): frames
namespace fs = std::filesystem;

// Answers one call on each connection: the k-th, from 0, with answer(k). A connection that asks for
// nothing is none: whoever scans or polls ports of this machine may knock.
CannedServer::Serve OneCallEach(std::function<std::string(int)> answer) {
  return [answer = std::move(answer),
          count = std::make_shared<std::atomic<int>>(0)](CannedConnection& connection) {
    connection.Send(http2::Settings());
    // Frames of a call end with its data: five bytes and a message, which may be empty.
    if (!connection.ReceiveUntil(std::string("\0\0\0\0", 4))) return;
    connection.Wait(std::chrono::milliseconds(20));
    connection.Send(answer((*count)++));
    connection.Drain();
  };
}

GrpcCaptureOptions OptionsFor(const std::vector<std::string>& addresses,
                              const ScratchFolder& folder) {
  GrpcCaptureOptions options;
  options.servers.addresses = addresses;
  options.capture.folder = folder.path() + "/run";
  options.capture.window.duration = 100 * kMillisecond;
  options.patience = 0;
  return options;
}

std::string Profiled() { return grpc::Answer(ProfileResponse(SomeProfile())); }

TEST(CaptureGrpc, MakesARunThatTensorBoardOpens) {
  const ScratchFolder folder;
  const CannedServer server(OneCallEach([](int) { return Profiled(); }));
  const auto result = CaptureGrpc(OptionsFor({server.address() + ",127.0.0.1:1"}, folder));
  ASSERT_TRUE(result.has_value()) << result.error().what;
  ASSERT_EQ(result->outcomes.size(), 2u);
  const CaptureOutcome& came = result->outcomes[0];
  EXPECT_TRUE(came.file.starts_with("plugins/profile/20")) << came.file << came.reason;
  EXPECT_TRUE(came.file.ends_with(".xplane.pb")) << came.file;
  EXPECT_EQ(came.target.host, "worker 0");
  EXPECT_EQ(Content(result->folder + "/" + came.file), SomeProfile());
  EXPECT_TRUE(result->outcomes[1].reason.starts_with("nothing listens on this port; start a"))
      << result->outcomes[1].reason;
  const auto file = fs::status(result->folder + "/" + came.file).permissions();
  const auto parent = fs::status(result->folder + "/plugins").permissions();
  EXPECT_EQ(file, fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(parent, fs::perms::owner_all);
}

TEST(CaptureGrpc, LeavesNothingWhereNothingCame) {
  const ScratchFolder folder;
  // Port 2: nothing listens there either, and tests that run beside this one have port 1.
  const auto result = CaptureGrpc(OptionsFor({"127.0.0.1:2"}, folder));
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->outcomes[0].file, "");
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(CaptureGrpc, ADryRunSendsNothing) {
  const ScratchFolder folder;
  GrpcCaptureOptions options = OptionsFor({"127.0.0.1:1"}, folder);
  options.capture.dry_run = true;
  const auto result = CaptureGrpc(options);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->outcomes[0].target.address, "127.0.0.1:1");
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(CaptureGrpc, LeavesAServerAloneThatIsBeingCaptured) {
  const ScratchFolder folder;
  std::atomic<int> calls = 0;
  const CannedServer server(OneCallEach([&](int) {
    ++calls;
    return Profiled();
  }));
  // Captures of an earlier server on this port may have left their locks until a time.
  const auto lock =
      Lock::Take(LockFolder(), LockKey(server.address()), "test", WallClock() + kHour);
  ASSERT_TRUE(lock.has_value()) << lock.error().what;
  const auto result = CaptureGrpc(OptionsFor({server.address()}, folder));
  ASSERT_TRUE(result.has_value()) << result.error().what;
  EXPECT_EQ(result->outcomes[0].reason, "another capture of this process is running");
  EXPECT_EQ(calls, 0);
}

TEST(CaptureGrpc, StopsContinuousProfilingAlsoWhereASnapshotFails) {
  for (const bool fails : {false, true}) {
    const ScratchFolder folder;
    std::atomic<int> calls = 0;
    const CannedServer server(OneCallEach([&](int call) {
      ++calls;
      if (call == 0) return grpc::Answer("");  // it has started
      if (call == 1) return fails ? grpc::Only("5", "no session") : Profiled();
      return grpc::Answer("");  // it has stopped
    }));
    GrpcCaptureOptions options = OptionsFor({server.address()}, folder);
    options.snapshot_every = kSecond;
    const auto result = CaptureGrpc(options);
    ASSERT_TRUE(result.has_value());
    EXPECT_EQ(calls, 3) << fails;
    EXPECT_EQ(result->outcomes[0].file.empty(), fails);
    EXPECT_EQ(result->outcomes[0].reason, fails ? "the server answered NOT_FOUND: no session" : "");
  }
}

TEST(CaptureGrpc, SnapshotsOfOneCaptureAreOneRun) {
  const ScratchFolder folder;
  const CannedServer server(OneCallEach([&](int call) {
    return call == 1 || call == 2 ? Profiled() : grpc::Answer("");  // else: started, stopped
  }));
  GrpcCaptureOptions options = OptionsFor({server.address()}, folder);
  options.capture.window.duration = 1500 * kMillisecond;
  options.snapshot_every = kSecond;
  const auto result = CaptureGrpc(options);
  ASSERT_TRUE(result.has_value());
  const fs::path last = result->outcomes[0].file;
  EXPECT_TRUE(last.string().ends_with(".window-0002.xplane.pb")) << last;
  EXPECT_EQ(result->outcomes[0].files, 2);
  std::vector<std::string> files;
  for (const auto& file : fs::directory_iterator(result->folder / last.parent_path()))
    files.push_back(file.path().filename());
  EXPECT_EQ(files.size(), 2u);
  EXPECT_TRUE(result->unknown.empty());
}

TEST(CaptureGrpc, PassesOnWhatServersSay) {
  const CannedServer server(OneCallEach([](int call) {
    if (call == 1) return grpc::Only("12", "");
    return grpc::Answer(Message([](auto& answer) { answer.add_string(1, "idle: 5%\x1b[2J\nx"); }));
  }));
  const GrpcServers servers{.addresses = {server.address()}};
  const auto said = MonitorGrpc(servers, kMillisecond, 1, nullptr);
  EXPECT_EQ(said->front().text, "idle: 5% [2J\nx\n");
  const auto none = MonitorGrpc(servers, kMillisecond, 1, nullptr);
  EXPECT_EQ(none->front().reason, "this server has no Monitor: only those of TPUs do");
  const ScratchFolder folder;
  const auto made = NewGrpcSession(server.address(), OptionsFor({"host:1"}, folder), "gs://bucket");
  EXPECT_EQ(made->reason, "idle: 5% [2J x");
}

}  // namespace
}  // namespace stepscope::capture::capture_grpc_test
