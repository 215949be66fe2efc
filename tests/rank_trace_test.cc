// Tests where partials say that the trace of a rank is, and which files are opened for that: what
// they name is input, and may be any file of the machine.
#include "stepscope/rank_trace.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "ingest/partial/partial_about.h"
#include "stepscope/demo.h"
#include "stepscope/partials.h"
#include "tests/front_door.h"

namespace stepscope::rank_trace_test {
namespace {

namespace fs = std::filesystem;

void Append(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::app) << bytes;
}

// Why the traces are not opened; "" where they are.
std::string Refused(const std::vector<RankTrace>& traces,
                    const std::vector<std::string>& folders = {}) {
  const auto held = HoldTraces(traces, folders);
  return held ? "" : held.error().what;
}

class RankTraces : public ::testing::Test {
 protected:
  RankTraces() {
    EXPECT_TRUE(WriteDemo(Path("job"), {.ranks = 4, .steps = 3, .layers = 2, .stacks = false}));
    for (int64_t index = 0; index < 2; ++index)
      EXPECT_TRUE(
          MapRanks(std::vector{Path("job")}, {.folder = Path("part"), .shard = {index, 2}}));
  }
  std::string Path(const std::string& name) const { return folder_.path() + "/" + name; }
  std::vector<RankTrace> Of(int64_t rank, const std::string& partials = "part") const {
    const auto session = Session::Open(std::vector{Path(partials)});
    EXPECT_TRUE(session.has_value());
    const auto traces = session->TracesOf(rank);
    return {traces.begin(), traces.end()};
  }
  const testing::ScratchFolder folder_;
};

TEST_F(RankTraces, AreNamedByPartialsAndAfterMerges) {
  ASSERT_TRUE(MergePartials(std::vector{Path("part")}, Path("all.ranks.parquet")));
  for (const char* partials : {"part", "all.ranks.parquet"}) {
    const auto traces = Of(3, partials);
    ASSERT_EQ(traces.size(), 1U) << partials;
    EXPECT_EQ(traces.front().rank, 3);
    EXPECT_FALSE(traces.front().read);
    EXPECT_EQ(traces.front().bytes, static_cast<int64_t>(fs::file_size(traces.front().path)));
    EXPECT_TRUE(traces.front().path.starts_with(Path("job") + "/")) << traces.front().path;
  }
  EXPECT_TRUE(Of(4).empty());
  EXPECT_EQ(Session::Open(std::vector{Path("part")})->Traces().size(), 4U);
}

TEST_F(RankTraces, OfARunOfTracesAreItsFiles) {
  const auto traces = Of(2, "job");
  ASSERT_EQ(traces.size(), 1U);
  EXPECT_TRUE(traces.front().read);
  EXPECT_TRUE(fs::exists(traces.front().path));
}

TEST_F(RankTraces, AreToldToNobodyWhoGetsARedactedRun) {
  const auto session = Session::Open(std::vector{Path("part")}, {.redact = RedactOptions()});
  ASSERT_TRUE(session.has_value());
  EXPECT_TRUE(session->Traces().empty());
}

TEST_F(RankTraces, AnswerAsTheFileDoes) {
  const auto traces = Of(1);
  const auto held = HoldTraces(traces, {});
  ASSERT_TRUE(held.has_value()) << held.error().what;
  const auto opened = Session::Open(held->paths, {.storage = held->storage});
  ASSERT_TRUE(opened.has_value()) << opened.error().what;
  const auto direct = Session::Open(std::vector{traces.front().path});
  EXPECT_EQ(testing::Numbers(*opened->Analyze({})), testing::Numbers(*direct->Analyze({})));
}

TEST_F(RankTraces, ThatWereChangedOrMovedAreNotOpened) {
  const auto traces = Of(0);
  const std::string& path = traces.front().path;
  const auto written = fs::last_write_time(path);
  EXPECT_EQ(Refused(traces), "");
  fs::last_write_time(path, written + std::chrono::seconds(1));
  EXPECT_EQ(Refused(traces), "the trace was changed after it was mapped");
  // As large and as old, with another content.
  {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(10);
    file.put('#');
  }
  fs::last_write_time(path, written);
  EXPECT_EQ(Refused(traces), "the trace was changed after it was mapped");
  fs::remove(path);
  EXPECT_EQ(Refused(traces), "the trace is not there any more");
  fs::create_directory(path);
  EXPECT_EQ(Refused(traces), "the path leads to no ordinary file");
}

TEST_F(RankTraces, ThatCannotBeReadSaySo) {
  const auto traces = Of(0);
  fs::permissions(traces.front().path, fs::perms::none);
  if (std::ifstream(traces.front().path)) GTEST_SKIP() << "this user reads everything";
  EXPECT_TRUE(Refused(traces).starts_with("cannot read the trace")) << Refused(traces);
}

// What is read is what was looked at, whatever the path leads to later.
TEST_F(RankTraces, StayWhatTheyWereWhenTheyWereLookedAt) {
  const auto traces = Of(1);
  const std::string& path = traces.front().path;
  const auto held = HoldTraces(traces, {});
  ASSERT_TRUE(held.has_value());
  fs::rename(path, path + ".old");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_TRUE(Session::Open(held->paths, {.storage = held->storage}).has_value());
  // Written to in its place, it is another.
  Append(path + ".old", "more");
  const auto late = Session::Open(held->paths, {.storage = held->storage});
  ASSERT_FALSE(late.has_value());
  EXPECT_TRUE(late.error().what.contains("changed")) << late.error().what;
}

TEST_F(RankTraces, OpenNothingElseOfTheMachine) {
  const auto held = HoldTraces(Of(1), {});
  ASSERT_TRUE(held.has_value());
  const auto other = Session::Open(std::vector{Of(2).front().path}, {.storage = held->storage});
  EXPECT_FALSE(other.has_value());
}

// With everything right but the kind of file.
TEST_F(RankTraces, OfHostilePartialsAreNotOpenedAndHoldNothingUp) {
  RankTrace trace = Of(0).front();
  const auto why = [&](const std::string& path) {
    trace.path = path;
    return Refused({trace});
  };
  const std::string pipe = folder_.path() + "/pipe", link = folder_.path() + "/link";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  fs::create_symlink("/dev/zero", link);
  for (const std::string& path : {pipe, link, std::string("/dev/zero"), std::string("/dev/tty"),
                                  std::string("/proc"), std::string("/")})
    EXPECT_EQ(why(path), "the path leads to no ordinary file") << path;
  for (const char* path : {"/etc/passwd", "/proc/self/environ", "/proc/self/mem"})
    EXPECT_EQ(why(path), "the trace was changed after it was mapped") << path;
  for (const char* path : {"gs://bucket/trace.json", "http://127.0.0.1:1/x", "job/rank_0.json", ""})
    EXPECT_EQ(why(path), "the trace lies in a storage") << path;
  EXPECT_EQ(why("//server/share/x"), "the trace is not there any more");
  EXPECT_EQ(why("/nothing/../../x"), "the trace is not there any more");
  // An empty hash proves nothing: whoever wrote it need not have seen the file.
  trace = Of(0).front();
  trace.ends.clear();
  EXPECT_EQ(Refused({trace}), "the trace was changed after it was mapped");
}

TEST_F(RankTraces, LieBelowTheFoldersThatAreAllowed) {
  const auto traces = Of(0);
  const auto outside = [](const std::string& why) {
    return why == "the trace lies outside the directories that are allowed";
  };
  fs::create_directory(Path("other"));
  fs::create_directory_symlink(Path("job"), Path("same"));
  EXPECT_EQ(Refused(traces, {Path("job")}), "");
  EXPECT_EQ(Refused(traces, {Path("job/")}), "");
  EXPECT_EQ(Refused(traces, {Path("other"), folder_.path()}), "");
  EXPECT_EQ(Refused(traces, {Path("same")}), "");
  EXPECT_TRUE(outside(Refused(traces, {Path("other")})));
  EXPECT_TRUE(outside(Refused(traces, {Path("jo")})));
  // A path that leads out of the folder, or in by a link that leads out.
  RankTrace trace = traces.front();
  const std::string name = fs::path(trace.path).filename();
  trace.path = Path("other/../job/" + name);
  EXPECT_TRUE(outside(Refused({trace}, {Path("other")})));
  fs::create_symlink(traces.front().path, Path("other/link.json"));
  trace.path = Path("other/link.json");
  EXPECT_EQ(Refused({trace}), "");
  EXPECT_TRUE(outside(Refused({trace}, {Path("other")})));
  // Whether a file is there is not told of other places.
  trace.path = Path("nothing");
  EXPECT_TRUE(outside(Refused({trace}, {Path("other")})));
}

TEST_F(RankTraces, AreAtMostSo64) {
  std::vector<RankTrace> traces;
  for (int copy = 0; copy < 65; ++copy) {
    RankTrace trace = Of(0).front();
    const std::string path = Path(fmt::format("copy{}.json", copy));
    fs::copy_file(trace.path, path);
    fs::last_write_time(path, fs::last_write_time(trace.path));
    trace.path = path;
    traces.push_back(trace);
  }
  EXPECT_EQ(Refused(traces), "the rank has more than 64 traces");
  traces.pop_back();
  EXPECT_EQ(Refused(traces), "");
}

// The paths are shown, and part of commands that are pasted.
TEST(RankTracePaths, ThatNoFileHasAreNotTaken) {
  const auto taken = [](const std::string& path) {
    Recording recording;
    CondensedRecording condensed;
    TakeAbout(
        fmt::format(R"({{"source":{{"path":"{}","bytes":3,"written":-5,"ends":"0"}}}})", path),
        recording, condensed);
    EXPECT_TRUE(recording.source.path.empty() || recording.source.written == -5);
    return recording.source.path;
  };
  EXPECT_EQ(taken("/a b/c.json"), "/a b/c.json");
  EXPECT_EQ(taken("gs://a/c.json"), "gs://a/c.json");
  for (const char* path : {"", "relative.json", "../x", R"(/a\u001b[2Jb)", R"(/a\nrm -rf x)",
                           R"(/a\u0000b)", R"(/\u007f)"})
    EXPECT_EQ(taken(path), "") << path;
  EXPECT_EQ(taken("/" + std::string(5000, 'a')), "");
}

TEST_F(RankTraces, AreInTheCommandsThatErrorsSuggest) {
  const auto session = Session::Open(std::vector{Path("part")}, {.keep_events = true});
  const auto events = session->ReadEvents(2);
  ASSERT_FALSE(events.has_value());
  EXPECT_EQ(events.error().where, "rank 2");
  EXPECT_EQ(events.error().hint, "open the trace: stepscope serve " + Of(2).front().path);
  const auto answer = session->Analyze({.only = {"operators"}, .ranks = {3}});
  EXPECT_EQ(
      answer->reports.front().why.str(),
      fmt::format("partials hold collectives, steps and sums alone: ask the trace of the rank "
                  "in question (of rank 3: stepscope analyze {})",
                  Of(3).front().path));
}

}  // namespace
}  // namespace stepscope::rank_trace_test
