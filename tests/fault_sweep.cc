// Runs programs with the fault shim.
#include "tests/fault_sweep.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "tests/front_door.h"
#include "tests/paths.h"
#include "tests/scratch.h"

namespace stepscope::testing {

std::string NameOf(const Fault& fault) {
  return fmt::format("{} {}{}", fault.kind, fault.at, fault.stays ? " and all after it" : "");
}

std::vector<std::string> ShimVariables(const Fault& fault, const std::string& count) {
  std::vector<std::string> variables = {"FAULT_KIND=" + fault.kind,
                                        fmt::format("FAULT_AT={}", fault.at),
                                        "LD_PRELOAD=" + FaultShim()};
  if (fault.stays) variables.emplace_back("FAULT_STAYS=1");
  if (!count.empty()) variables.emplace_back("FAULT_COUNT=" + count);
  return variables;
}

std::string ShimFor(const Fault& fault, const std::string& count) {
  std::string line = "timeout -s KILL 60 env";
  for (const std::string& variable : ShimVariables(fault, count)) line += " " + variable;
  return line;
}

int64_t CountIn(const std::string& count) {
  const std::string text = Content(count);
  return text.empty() ? 0 : std::stoll(text);
}

Outcome Sweep::Run(const std::string& out, const Fault& fault, const std::string& count) const {
  std::string line = words;
  // The folder's name is random, and may hold these letters itself.
  for (size_t at = 0; (at = line.find("OUT", at)) != line.npos; at += out.size())
    line.replace(at, 3, out);
  prepare(out);
  return Shell(fmt::format("{} {} {}", ShimFor(fault, count), program, line));
}

std::vector<Fault> Sweep::Faults(const std::string& kind, int64_t sample) const {
  const ScratchFolder folder;
  const std::string count = folder.path() + "/count";
  const Outcome outcome = Run(folder.path(), {.kind = kind}, count);
  EXPECT_EQ(outcome.code, 0) << words << ": " << outcome.err;
  std::vector<Fault> faults;
  for (const int64_t at : SampleOf(CountIn(count), sample)) {
    for (const bool stays : {false, true}) faults.push_back({kind, at, stays});
  }
  return faults;
}

std::vector<int64_t> SampleOf(int64_t calls, int64_t sample) {
  const char* const all = std::getenv("STEPSCOPE_LONG");
  const int64_t given = all == nullptr ? sample : std::atoll(all);
  const int64_t most = all != nullptr && given <= 1 ? 2000 : given;
  std::vector<int64_t> which;
  const int64_t step = std::max<int64_t>(1, calls / most);
  for (int64_t at = 1; at <= calls; at += step) which.push_back(at);
  return which;
}

void ExpectAnswerOrError(const Outcome& outcome) {
  EXPECT_TRUE(outcome.code == 0 || outcome.code == 2) << outcome.code << outcome.err;
  if (outcome.code != 2) return;
  EXPECT_TRUE(outcome.err.contains("stepscope: ")) << outcome.err;
  EXPECT_FALSE(outcome.err.contains("report this")) << outcome.err;
}

void ExpectNoTemporary(const std::string& folder) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string path = entry.path();
    EXPECT_FALSE(path.contains(".partial") || path.contains(".tmp")) << path;
  }
}

}  // namespace stepscope::testing
