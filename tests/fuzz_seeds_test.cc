// Every fuzz target reads its seeds (tests/fuzz/corpus): what was once found stays mended.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/fuzz/target.h"
#include "tests/paths.h"

namespace stepscope::fuzz_seeds_test {
namespace {

using testing::SourceDir;

class FuzzSeeds : public ::testing::TestWithParam<fuzz::Target> {};

// The target itself ends the program where something does not hold.
TEST_P(FuzzSeeds, AreRead) {
  const fuzz::Target& target = GetParam();
  const std::string folder =
      SourceDir() + "/tests/fuzz/corpus/" + std::string(target.name) + "_fuzz";
  size_t seeds = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    std::ifstream in(file.path(), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    target.run(bytes);
    ++seeds;
  }
  EXPECT_GT(seeds, 0u) << folder;
}

INSTANTIATE_TEST_SUITE_P(Of, FuzzSeeds, ::testing::ValuesIn(fuzz::Targets()),
                         [](const ::testing::TestParamInfo<fuzz::Target>& info) {
                           return std::string(info.param.name);
                         });

}  // namespace
}  // namespace stepscope::fuzz_seeds_test
