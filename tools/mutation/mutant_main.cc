// Tries changes: for each line "ID SECONDS FILTER" of its input, a copy of the process runs these
// tests with that change, and "ID 1" is told if one failed, crashed or took so long, else "ID 0".
// With STEPSCOPE_REACHED, runs the tests unchanged and tells there which changes each reaches, as a
// line "TEST SECONDS ID...". Seconds are those of the processor, so that a machine that is busy with
// other things notices nothing.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <string>

#include "mutant.h"

namespace mutant {

int active = -1;
unsigned char reached[kMost];

namespace {

class Reached : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo& /*test*/) override {
    std::fill(std::begin(reached), std::end(reached), 0);
    began_ = std::clock();
  }
  void OnTestEnd(const testing::TestInfo& test) override {
    std::ofstream out(std::getenv("STEPSCOPE_REACHED"), std::ios::app);
    out << test.test_suite_name() << "." << test.name() << " "
        << static_cast<double>(std::clock() - began_) / CLOCKS_PER_SEC;
    for (int id = 0; id < kMost; ++id)
      if (reached[id]) out << " " << id;
    out << "\n";
  }
  std::clock_t began_ = 0;
};

[[noreturn]] void Try(int id, unsigned seconds, const std::string& filter) {
  setpgid(0, 0);
  const int nothing = open("/dev/null", O_RDWR);
  for (const int to : {0, 1, 2}) dup2(nothing, to);
  const rlimit most{.rlim_cur = seconds, .rlim_max = seconds};
  setrlimit(RLIMIT_CPU, &most);
  alarm(20 * seconds);  // it waits for what never comes
  active = id;
  GTEST_FLAG_SET(filter, filter);
  GTEST_FLAG_SET(fail_fast, true);
  _exit(RUN_ALL_TESTS());
}

void TryAll() {
  int id = 0;
  unsigned seconds = 0;
  std::string filter;
  while (std::cin >> id >> seconds >> filter) {
    const pid_t child = fork();
    if (child == 0) Try(id, seconds, filter);
    int status = 0;
    waitpid(child, &status, 0);
    kill(-child, SIGKILL);  // what its tests had started
    std::cout << id << (status == 0 ? " 0" : " 1") << std::endl;
  }
}

}  // namespace
}  // namespace mutant

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (std::getenv("STEPSCOPE_REACHED") == nullptr) {
    mutant::TryAll();
    return 0;
  }
  testing::UnitTest::GetInstance()->listeners().Append(new mutant::Reached);
  return RUN_ALL_TESTS();
}
