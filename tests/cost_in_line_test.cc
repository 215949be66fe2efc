// Tests that twice as much of anything costs twice the work and memory, at most 2.2 times.
//
// Work is the number of instructions that the program executes, as valgrind's cachegrind counts
// them: it depends on the input and the code, neither on the machine's load nor on its clock, and a
// loop that allocates nothing counts too. Memory is the most that is allocated at once, as its dhat
// counts it. Both are taken of three sizes, each twice the one before, so that what every run costs
// cancels out: (4n - 2n) / (2n - n).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "tests/front_door.h"
#include "tests/goodput_lines.h"
#include "tests/paths.h"
#include "tests/sanitized.h"
#include "tests/shell.h"
#include "tests/support/sample_xspace.h"

namespace stepscope::testing::cost_in_line_test {
namespace {

constexpr double kMost = 2.2;
constexpr double kSomeMemory = 1e6;  // bytes: arrays that grow by doubling do so at their own sizes

// The number that `stepscope` with these arguments is said to have by a tool of valgrind, behind
// `label`; 0 if it fails.
double Counted(const std::string& tool, std::string_view label, const std::string& arguments) {
  const Outcome ran =
      Shell(fmt::format("valgrind --tool={} '{}' {} > /dev/null", tool, Binary(), arguments));
  const size_t at = ran.err.find(label);
  if (ran.code != 0 || at == ran.err.npos) return 0;
  double count = 0;
  for (const char c : ran.err.substr(at + label.size())) {
    if (c >= '0' && c <= '9') count = 10 * count + (c - '0');
    if (count > 0 && c != ',' && (c < '0' || c > '9')) break;
  }
  return count;
}

double Instructions(const std::string& arguments) {
  return Counted("cachegrind --cache-sim=no --cachegrind-out-file=/dev/null", "refs:", arguments);
}
double MostMemory(const std::string& arguments) {
  return Counted("dhat --dhat-out-file=/dev/null", "t-gmax:", arguments);
}

// A way to ask, and what it is asked about; `write` makes an input of so much in a new folder and
// returns the arguments.
struct Growth {
  const char* what;
  int64_t n;
  std::function<std::vector<std::string>(const ScratchFolder&, int64_t)> write;
};
void PrintTo(const Growth& growth, std::ostream* out) { *out << growth.what; }

class CostInLine : public ::testing::TestWithParam<Growth> {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "work was not counted: valgrind runs no sanitizer";
    if (std::getenv("STEPSCOPE_COSTS") == nullptr)
      GTEST_SKIP() << "work was not counted: it takes two minutes; ./dev check does";
    if (Shell("valgrind --version").code != 0)
      GTEST_SKIP() << "work was not counted: there is no valgrind";
  }
};

TEST_P(CostInLine, TwiceAsMuchCostsTwiceTheWorkAndMemory) {
  double work[3] = {}, memory[3] = {};
  for (int i = 0; i < 3; ++i) {
    const auto counted = [&](const auto& count) {
      const ScratchFolder folder;
      return count(fmt::format("{}", fmt::join(GetParam().write(folder, GetParam().n << i), " ")));
    };
    work[i] = counted(Instructions);
    memory[i] = counted(MostMemory);
    ASSERT_GT(work[i], 0);
    ASSERT_GT(memory[i], 0);
  }
  EXPECT_LE(work[2] - work[1], kMost * (work[1] - work[0]))
      << work[0] << " " << work[1] << " " << work[2] << " instructions";
  EXPECT_LE(memory[2] - memory[1], kMost * (memory[1] - memory[0]) + kSomeMemory)
      << memory[0] << " " << memory[1] << " " << memory[2] << " bytes";
}

std::vector<std::string> Analyze(const ScratchFolder& folder) {
  return {"analyze", folder.path(), "--threads", "1"};
}

std::string Event(std::string_view category, const std::string& name, int64_t start,
                  int64_t duration, int64_t thread, const std::string& args = "") {
  return fmt::format(
      R"({{"ph":"X","cat":"{}","name":"{}","pid":9,"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
      category, name, thread, start, duration, args);
}

// What varies between the turns of a loop that launches a kernel in each; by default nothing.
struct Turn {
  int64_t i;
  std::string annotation, kernel = "gemm", args;
  std::vector<std::string> stack;
  int64_t stream = 7;
};

auto Loop(const std::function<void(Turn&)>& vary) {
  return [vary](const ScratchFolder& folder, int64_t n) {
    std::vector<std::string> events;
    for (int64_t i = 0; i < n; ++i) {
      Turn turn{.i = i};
      vary(turn);
      const int64_t at = 100 * i;
      if (!turn.annotation.empty())
        events.push_back(Event("user_annotation", turn.annotation, at, 90, 1));
      for (size_t d = 0; d < turn.stack.size(); ++d) {
        const auto depth = static_cast<int64_t>(d);
        events.push_back(Event("python_function", turn.stack[d], at + depth, 90 - 2 * depth, 1));
      }
      events.push_back(Event("cpu_op", "aten::mm", at + 10, 30, 1));
      const std::string id = fmt::format(R"("correlation":{})", i + 1);
      events.push_back(Event("cuda_runtime", "cudaLaunchKernel", at + 12, 5, 1, id));
      events.push_back(
          Event("kernel", turn.kernel, at + 20, 50, turn.stream,
                fmt::format(R"("device":0,"stream":{},{}{})", turn.stream, id, turn.args)));
    }
    folder.Write("rank_0.json", Document(events));
    return Analyze(folder);
  };
}

std::vector<std::string> Planes(const ScratchFolder& folder, int64_t n) {
  SampleXSpace file;
  for (int64_t i = 0; i < n; ++i)
    file.Plane(fmt::format("/device:GPU:{}", i)).Line(1, "Stream #1").Event("gemm", 1000 * i, 500);
  folder.Write("host.xplane.pb", file.Bytes());
  return Analyze(folder);
}

std::vector<std::string> Ranks(const ScratchFolder& folder, int64_t n) {
  for (int64_t r = 0; r < n; ++r) {
    std::vector<std::string> events;
    for (int64_t s = 0; s < 3; ++s) {
      const int64_t at = 1000 * s;
      events.push_back(Event("user_annotation", fmt::format("ProfilerStep#{}", s), at, 900, 1));
      events.push_back(Kernel("gemm", at + 20, 50 + r % 7));
      events.push_back(
          Event("kernel", "ncclDevKernel_AllReduce", at + 100, 100 - r % 7, 7,
                fmt::format(
                    R"("device":0,"stream":7,"Collective name":"allreduce",)"
                    R"("Process Group Name":"0","In msg nelems":9,"dtype":"float","Group size":{})",
                    n)));
    }
    folder.Write(fmt::format("rank_{}.json", r), DocumentOfRank(r, events));
  }
  return Analyze(folder);
}

// Each of two ranks of its own.
std::string Group(int64_t i) {
  return fmt::format(
      R"(,"Collective name":"allreduce","Process Group Name":"pg{0}","Process Group Ranks":"[0, {1}]",)"
      R"("In msg nelems":9,"dtype":"float","Group size":2)",
      i, i + 1);
}

std::vector<std::string> Jobs(const ScratchFolder& folder, int64_t n) {
  std::string lines;
  for (int64_t i = 0; i < n; ++i)
    lines += Entry(At("job_start_time", static_cast<double>(i)), fmt::format("job{}", i));
  return {"goodput", "import", folder.Write("jobs.jsonl", lines), "--store",
          folder.path() + "/ledger"};
}

// Each import leaves a segment of its own.
std::vector<std::string> Segments(const ScratchFolder& folder, int64_t n) {
  const std::string store = folder.path() + "/ledger";
  std::string imports;
  for (int64_t i = 0; i < n; ++i) {
    const std::string log =
        folder.Write(fmt::format("{}.jsonl", i), Steps(i, i, static_cast<double>(10 * i), 10));
    imports += fmt::format("stepscope goodput import {} --store {} > /dev/null;", log, store);
  }
  EXPECT_EQ(Shell(imports).code, 0);
  return {"goodput", "analyze", "--store", store};
}

INSTANTIATE_TEST_SUITE_P(
    Of, CostInLine,
    ::testing::Values(
        Growth{"planes", 200, Planes},
        Growth{"names", 500, Loop([](Turn& t) { t.kernel = fmt::format("gemm{}", t.i); })},
        Growth{"annotations", 250,
               Loop([](Turn& t) { t.annotation = fmt::format("part {}", t.i); })},
        Growth{"steps", 250,
               Loop([](Turn& t) { t.annotation = fmt::format("ProfilerStep#{}", t.i); })},
        Growth{"stacks", 100, Loop([](Turn& t) {
                 for (int d = 0; d < 3; ++d)
                   t.stack.push_back(fmt::format("f{}.py({}): g{}", t.i, d, d));
               })},
        Growth{"groups", 250, Loop([](Turn& t) {
                 t.kernel = "ncclDevKernel_AllReduce";
                 t.args = Group(t.i);
               })},
        Growth{"streams", 250, Loop([](Turn& t) { t.stream = 7 + t.i; })},
        Growth{"ranks", 20, Ranks}, Growth{"jobs", 100, Jobs}, Growth{"segments", 8, Segments}),
    [](const auto& info) { return std::string(info.param.what); });

}  // namespace
}  // namespace stepscope::testing::cost_in_line_test
