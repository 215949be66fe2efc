// Lets the n-th call of one kind fail in a program that runs: tests/faults/fault_shim.cc,
// preloaded.
//
// About `sample` calls of each kind; with STEPSCOPE_LONG=1 all of them, at most 2,000.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/shell.h"

namespace stepscope::testing {

// Which call fails.
struct Fault {
  std::string kind;    // as fault_shim.cc names it
  int64_t at = 0;      // from 1; 0: none does
  bool stays = false;  // and all calls after it
};

// For messages of tests: "open 3 and all after it".
std::string NameOf(const Fault& fault);

// Words before a program that make its call fail; `count`: a file that gets the number of calls.
std::string ShimFor(const Fault& fault, const std::string& count = "");

// Words of the environment that do so, for execve: "FAULT_KIND=open", ...
std::vector<std::string> ShimVariables(const Fault& fault, const std::string& count = "");

// The number that `count` got; 0: none.
int64_t CountIn(const std::string& count);

struct Sweep {
  std::string program;  // a path
  std::string words;    // OUT: a folder, new each time
  std::function<void(const std::string& out)> prepare = [](const std::string&) {};

  Outcome Run(const std::string& out, const Fault& fault, const std::string& count = "") const;

  // The faults to try of this kind: each call once, and once with all after it.
  std::vector<Fault> Faults(const std::string& kind, int64_t sample = 5) const;
};

// The calls to let fail, of so many.
std::vector<int64_t> SampleOf(int64_t calls, int64_t sample);

// Expects that the program ended by itself: with its answer, or with an error that says what, and
// that is not one of its own.
void ExpectAnswerOrError(const Outcome& outcome);

// Expects no file that was to be replaced or renamed.
void ExpectNoTemporary(const std::string& folder);

}  // namespace stepscope::testing
