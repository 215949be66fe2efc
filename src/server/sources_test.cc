// Tests what paths are shown as: runs, or what a stuck job left behind.
#include "server/sources.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/scratch.h"

namespace stepscope::server::testing::sources_test {
namespace {

using stepscope::testing::ScratchFolder;

const std::string kDump = R"({"version": "2.10", "pg_config": {}, "pg_status": {}, "entries": []})";
const std::string kTrace = R"({"schemaVersion": 1, "traceEvents": []})";

TEST(Sources, DumpsAreAHangAndNoRun) {
  const ScratchFolder folder;
  folder.Write("rank_0.json", kDump);
  folder.Write("rank_1.json", kDump);
  const Sources found = FindSources({folder.path()});
  EXPECT_TRUE(found.runs.empty());
  ASSERT_EQ(found.hangs.size(), 1U);
  EXPECT_EQ(found.hangs[0].path, folder.path());
}

TEST(Sources, DumpsBesideTracesAreBoth) {
  const ScratchFolder folder;
  folder.Write("trace_0.json", kTrace);
  std::filesystem::create_directory(folder.path() + "/dumps");
  folder.Write("dumps/rank_0", kDump);
  const Sources found = FindSources({folder.path()});
  EXPECT_EQ(found.runs.size(), 1U);
  EXPECT_EQ(found.hangs.size(), 1U);
}

TEST(Sources, NothingIsTakenFromAPipe) {
  const ScratchFolder folder;
  const std::string pipe = folder.path() + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_TRUE(FindSources({pipe}).hangs.empty());  // else it would wait for a writer
}

TEST(Sources, AHangThatIsGivenTwiceIsOne) {
  const ScratchFolder run, dumps;
  run.Write("trace_0.json", kTrace);
  dumps.Write("rank_0", kDump);
  const Sources found = FindSources({run.path(), dumps.path()}, nullptr, {dumps.path()});
  EXPECT_EQ(found.runs.size(), 1U);
  EXPECT_EQ(found.hangs.size(), 1U);
}

}  // namespace
}  // namespace stepscope::server::testing::sources_test
