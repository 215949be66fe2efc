// Gives each test of the demo a directory, and reads back what is in it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "stepscope/demo.h"

namespace stepscope {

// A folder of its own for every test, which does not exist yet.
class DemoTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ("stepscope_demo_" + std::to_string(getpid()) + test->name());
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  DemoSummary Write(const DemoOptions& options) {
    const auto summary = WriteDemo(folder_, options);
    EXPECT_TRUE(summary.has_value()) << summary.error().what << ": " << summary.error().hint;
    return summary.value_or(DemoSummary{});
  }

  std::string Read(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    EXPECT_TRUE(file) << name;
    return {std::istreambuf_iterator<char>(file), {}};
  }
  nlohmann::json Trace(int rank) const {
    return nlohmann::json::parse(Read("rank-" + std::to_string(rank) + ".pt.trace.json"));
  }
  nlohmann::json Truth() const { return nlohmann::json::parse(Read("truth.json")); }
  void Put(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / name) << text;
  }
  std::set<std::string> Names() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      names.insert(entry.path().filename());
    return names;
  }

  std::filesystem::path folder_;
};

inline DemoOptions Tiny() {
  return {.ranks = 3, .steps = 3, .slow_rank = 1, .layers = 3, .compress = false};
}

}  // namespace stepscope
