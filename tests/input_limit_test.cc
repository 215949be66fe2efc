// Tests that a file which inflates to too much is refused with the option's name, and no other is.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/byte_source.h"
#include "stepscope/goodput_ledger.h"
#include "tests/front_door.h"
#include "tests/goodput_lines.h"
#include "tests/gzip.h"
#include "tests/shell.h"

namespace stepscope::testing::input_limit_test {
namespace {

constexpr int64_t kMegabyte = 1'000'000;

Result<Session> OpenWith(int64_t max_input, const ScratchFolder& folder) {
  OpenOptions options;
  options.max_input = max_input;
  return Session::Open(std::vector{folder.path()}, options);
}

TEST(InputLimit, WhatInflatesToMoreIsRefusedAndTheOthersAreRead) {
  const ScratchFolder folder;
  folder.Write("rank_0.json", DocumentOfRank(0, Kernels(30'000)));  // 2.6 MB, not compressed
  folder.Write("rank_1.json.gz", Gzip(DocumentOfRank(1, Kernels(30'000))));
  const auto all = OpenWith(0, folder), some = OpenWith(kMegabyte, folder);
  ASSERT_TRUE(all && some);
  EXPECT_EQ(all->run().ranks, 2);
  EXPECT_EQ(some->run().ranks, 1);
  EXPECT_TRUE(some->run().files.at(1).problem.contains("inflates to more than 0.001 GB"))
      << some->run().files.at(1).problem;
  EXPECT_EQ(OpenWith(4 * kMegabyte, folder)->run().ranks, 2);
}

TEST(InputLimit, TheErrorNamesTheOption) {
  const ScratchFolder folder;
  folder.Write("rank_1.json.gz", Gzip(DocumentOfRank(1, Kernels(30'000))));
  const auto none = OpenWith(kMegabyte, folder);
  ASSERT_FALSE(none);
  EXPECT_TRUE(none.error().hint.contains("`max_input`")) << none.error().hint;
}

// Each command that reads traces or events has the option, and the same error.
TEST(InputLimit, EveryCommandHasIt) {
  const ScratchFolder folder, events, out;
  folder.Write("rank_1.json.gz", Gzip(DocumentOfRank(1, Kernels(30'000))));
  const std::string log = events.Write("job.jsonl.gz", Gzip(Steps(0, 20'000, 0, 1)));
  for (const std::string& command : {
           "analyze " + folder.path() + " --max-input 1MB",
           "export " + folder.path() + " -o " + out.path() + "/x --max-input 1MB",
           "report " + folder.path() + " -o " + out.path() + "/x.html --max-input 1MB",
           "goodput analyze --events " + log + " --max-input 1MB",
           "goodput import " + log + " --store " + out.path() + "/ledger --max-input 1MB",
       }) {
    const Outcome refused = Stepscope(command);
    EXPECT_EQ(refused.code, 2) << command;
    EXPECT_TRUE(refused.err.contains("the file inflates to more than 0.001 GB")) << refused.err;
    EXPECT_TRUE(refused.err.contains("--max-input")) << refused.err;
    EXPECT_EQ(Stepscope(command + " --max-input 100MB").code, 0) << command;
  }
  const std::string call =
      R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18",)"
      R"("capabilities":{},"clientInfo":{"name":"test","version":"1"}}})"
      "\n"
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"brief","arguments":{"path":")" +
      folder.path() + R"("}}})";
  const Outcome mcp =
      Shell("echo '" + call + "' | stepscope mcp " + folder.path() + " --max-input 1MB");
  EXPECT_TRUE(mcp.out.contains("inflates to more than 0.001 GB")) << mcp.out;
}

// An import of which one file is refused stores nothing.
TEST(InputLimit, ARefusedImportStoresNothing) {
  const ScratchFolder folder;
  const std::string log = folder.Write("job.jsonl.gz", Gzip(Steps(0, 20'000, 0, 1)));
  const auto imported = GoodputImport(folder.path() + "/ledger", {log}, false, kMegabyte);
  ASSERT_FALSE(imported);
  EXPECT_EQ(imported.error().where, log);
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/ledger"));
}

// Zeros become a thousandth; what is denser than the limit ends soon behind where it begins to
// count.
TEST(InputLimit, BeyondASizeTheRatioCounts) {
  const std::string bomb = Gzip(std::string(20 * kMegabyte, '\0'));
  std::string part(size_t{64} << 10, '\0');
  const auto length = [&](const InputLimit& limit, ReadFailure& failure) {
    ByteSource source = ByteSource::FromMemory(bomb);
    source.LimitInflated(limit, &failure);
    size_t sum = 0;
    for (size_t got = source.Read(part); got > 0; got = source.Read(part)) sum += got;
    return sum;
  };
  ReadFailure dense, allowed;
  EXPECT_LT(length({.most_ratio = 100, .ratio_from = kMegabyte}, dense), 2 * kMegabyte);
  EXPECT_TRUE(dense.refused());
  EXPECT_EQ(length({.most_ratio = 0}, allowed), 20 * kMegabyte);
  EXPECT_FALSE(allowed.refused());
}

}  // namespace
}  // namespace stepscope::testing::input_limit_test
