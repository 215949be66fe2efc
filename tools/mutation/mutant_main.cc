// Which change is tried, and which changes each test reaches: a line "TEST SECONDS ID..." in the
// file STEPSCOPE_REACHED.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "mutant.h"

namespace mutant {

int active = std::getenv("STEPSCOPE_MUTANT") ? std::atoi(std::getenv("STEPSCOPE_MUTANT")) : -1;
unsigned char reached[kMost];

namespace {

class Reached : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo& /*test*/) override {
    std::fill(std::begin(reached), std::end(reached), 0);
  }
  void OnTestEnd(const testing::TestInfo& test) override {
    std::ofstream out(std::getenv("STEPSCOPE_REACHED"), std::ios::app);
    out << test.test_suite_name() << "." << test.name() << " "
        << static_cast<double>(test.result()->elapsed_time()) / 1000;
    for (int id = 0; id < kMost; ++id)
      if (reached[id]) out << " " << id;
    out << "\n";
  }
};

const bool listens = [] {
  if (std::getenv("STEPSCOPE_REACHED"))
    testing::UnitTest::GetInstance()->listeners().Append(new Reached);
  return true;
}();

}  // namespace
}  // namespace mutant
