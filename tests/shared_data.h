// Finds real traces, and the numbers that others found in them. They lie beside the repository, in
// ../shared, and are not part of it: tests that need them are skipped where they are not.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "stepscope/report.h"

namespace stepscope::testing {

// A path under ../shared.
std::filesystem::path Shared(const std::string& path);

// The files in a folder of ../shared, by name; none when it does not exist.
std::vector<std::string> SharedFiles(const std::string& folder);

// What all analyses answer to these traces. Throws when there is no answer.
ReportSet AnswerTo(const std::vector<std::string>& paths, const std::string& steps = "all");

// The rows of a CSV file, by the names of its columns; fields in quotes may hold commas and quotes.
// Throws when it cannot be read.
std::vector<std::map<std::string, std::string>> ReadCsv(const std::filesystem::path& path);

// Tests that need ../shared: skipped, saying so, where it does not exist.
class SharedDataTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(Shared("traces"))) {
      GTEST_SKIP() << "no real traces were tested: there is no folder " << Shared("traces");
    }
  }
};

}  // namespace stepscope::testing
