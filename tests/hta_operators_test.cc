// Tests operators, their kernels and counters against HTA's.
//
// HTA lists how often an operator launched a sequence of kernels, and the mean delays of the first.
// Counts are compared kernel by kernel; delays where an operator always launches one kernel alone.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "facts/steps/steps.h"
#include "session/load.h"
#include "stepscope/session.h"
#include "tests/answer.h"
#include "tests/shared_data.h"

namespace stepscope::testing::hta_operators_test {
namespace {

struct HtaSet {
  const char *name, *trace, *steps = "all";
  bool fractional = false;  // times are only as exact as doubles of 1.7e15 us
  // The steps whose backward pass HTA counts, where those are fewer: it hangs the others' below the
  // thread of forward, and so they have more ranges around them than these.
  const char* backward_steps = nullptr;
  // The trace has Python's call stack, which HTA counts among the ranges around an operator and we
  // do not: only the sequences that HTA has are compared.
  bool python = false;
};

constexpr HtaSet kSets[] = {
    {.name = "queue_length",
     .trace = "hta/queue_length/rank-0.json.gz",
     .steps = "550..553",
     .backward_steps = "550"},
    {"two_ranks", "hta/two_ranks/rank-0.json.gz", "551"},
    {"trace_diff__control", "hta/trace_diff/control/control.json.gz", "1009..1013"},
    {"trace_diff__test", "hta/trace_diff/test/test.json.gz", "1009..1013"},
    {"kineto_resnet50_workers0_a",
     "kineto/resnet50_workers0/worker0.1623143089861.pt.trace.json.gz", "5..9"},
    {"kineto_resnet50_workers0_b",
     "kineto/resnet50_workers0/worker0.1623143566756.pt.trace.json.gz", "16..20"},
    {"execution_trace", "hta/execution_trace/trace.json.gz"},
    {"critical_path__alexnet", "hta/critical_path/alexnet/trace.json.gz"},
    {"critical_path__cuda_event_sync", "hta/critical_path/cuda_event_sync/trace.json.gz"},
    {"critical_path__simple_add", "hta/critical_path/simple_add/trace.json.gz"},
    {.name = "h100_bert",
     .trace = "torch2/h100_bert/trace.json.gz",
     .fractional = true,
     .python = true},
    {"h100_qwen", "torch2/h100_qwen/trace.json.gz", "all", true},
    {.name = "b200_eager",
     .trace = "torch2/b200_eager/trace.json.gz",
     .fractional = true,
     .python = true},
    {"nccl", "hta/nccl/rank-0.json.gz", "4..5", true},
    {"ns_resolution", "hta/ns_resolution/rank-0.pt.trace.json.gz", "101..104", true},
};

void PrintTo(const HtaSet& set, std::ostream* out) { *out << set.name; }

using HtaRow = std::map<std::string, std::string>;

std::vector<std::string> SplitAt(const std::string& text, std::string_view separator) {
  std::vector<std::string> parts;
  size_t from = 0;
  for (size_t at; (at = text.find(separator, from)) != text.npos; from = at + separator.size()) {
    parts.push_back(text.substr(from, at - from));
  }
  parts.push_back(text.substr(from));
  return parts;
}

ReportSet AnswerWith(const std::string& trace, const AnalyzeOptions& options) {
  const std::vector<std::string> paths = {trace};
  const auto session = Session::Open(paths, {.analyses = options.only});
  if (!session) throw std::runtime_error(session.error().what);
  auto answer = session->Analyze(options);
  if (!answer) throw std::runtime_error(answer.error().what);
  return *std::move(answer);
}

class HtaOperatorsTest : public SharedDataTest, public ::testing::WithParamInterface<HtaSet> {
 protected:
  static const HtaSet& set() { return GetParam(); }
  static std::string Trace() { return Shared("traces") / set().trace; }
  static std::filesystem::path Golden(const std::string& file) {
    return Shared("goldens/hta") / set().name / (file + ".csv");
  }
};

// Operators that begin in the same microsecond as the one within them that launches the kernel: HTA
// gives the kernel to either, 7 times in queue_length and 8 times in two_ranks. Their kernels are
// compared together, without delays.
const std::map<std::string, std::string> kInnermost = {
    {"aten::zero_", "aten::fill_"},
    {"aten::rsub", "aten::sub"},
    {"aten::matmul", "aten::mm"},
    {"aten::linalg_norm", "aten::linalg_vector_norm"},
};
const std::set<std::string_view> kWithTies = {"queue_length", "two_ranks"};

bool IsCopy(const std::string& kernel) {
  return kernel.starts_with("Memcpy") || kernel.starts_with("Memset");
}

using OperatorAndKernel = std::pair<std::string, std::string>;

struct Launched {
  int64_t count = 0;
  double op_delay = -1, launch_delay = -1;  // us, means; -1: not known of this kernel alone
};

std::map<OperatorAndKernel, Launched> TheirKernels(const std::vector<HtaRow>& rows) {
  std::map<OperatorAndKernel, Launched> kernels;
  std::map<OperatorAndKernel, int> sequences;  // that hold the kernel
  for (const HtaRow& row : rows) {
    const auto names = SplitAt(row.at("kernel_sequence"), " -> ");
    for (const std::string& name : std::set(names.begin(), names.end())) {
      ++sequences[{row.at("aten_op_name"), name}];
    }
    for (const std::string& name : names) {
      Launched& k = kernels[{row.at("aten_op_name"), name}];
      k.count += std::stoll(row.at("occurrence_count"));
      if (names.size() > 1) continue;
      k.op_delay = std::stod(row.at("avg_aten_op_launch_delay"));
      k.launch_delay = std::stod(row.at("avg_runtime_delay"));
    }
  }
  for (auto& [key, k] : kernels) {
    if (sequences[key] > 1) k.op_delay = k.launch_delay = -1;
  }
  return kernels;
}

void JoinTies(std::map<OperatorAndKernel, Launched>& kernels) {
  for (const auto& [outer, inner] : kInnermost) {
    for (auto at = kernels.begin(); at != kernels.end();) {
      const auto& [op, kernel] = at->first;
      if (op != outer && op != inner) {
        ++at;
        continue;
      }
      at->second.op_delay = at->second.launch_delay = -1;
      if (op == outer) {
        kernels[{inner, kernel}].count += at->second.count;
        at = kernels.erase(at);
      } else {
        ++at;
      }
    }
  }
}

std::map<OperatorAndKernel, Launched> OurKernels(const ReportSet& answer) {
  std::map<OperatorAndKernel, Launched> kernels;
  for (const Row& row : RowsOf(answer, "operator_kernels", "kernels")) {
    const std::string &op = row.Text("operator"), &kernel = row.Text("kernel");
    if (!op.starts_with("aten::") || IsCopy(kernel)) continue;
    kernels[{op, kernel}] = {row.Int("kernels"), static_cast<double>(row.Int("op_delay")) / 1000,
                             static_cast<double>(row.Int("launch_delay")) / 1000};
  }
  return kernels;
}

TEST_P(HtaOperatorsTest, KernelsOfOperators) {
  const auto answer = AnswerWith(Trace(), {.only = {"operator_kernels"}, .steps = set().steps});
  auto theirs = TheirKernels(ReadCsv(Golden("aten_op_kernels_and_delay")));
  EXPECT_FALSE(theirs.empty());
  auto ours = OurKernels(answer);
  if (kWithTies.contains(set().name)) {
    JoinTies(theirs);
    JoinTies(ours);
  }
  const double tolerance = set().fractional ? 1 : 0.0015;  // us; HTA's means have three decimals
  for (const auto& [key, our] : ours) {
    const std::string what = key.first + ": " + key.second;
    ASSERT_TRUE(theirs.contains(key)) << "HTA has no " << what;
    const Launched& their = theirs[key];
    EXPECT_EQ(our.count, their.count) << what;
    if (their.op_delay < 0) continue;
    EXPECT_NEAR(our.op_delay, their.op_delay, tolerance) << what;
    EXPECT_NEAR(our.launch_delay, their.launch_delay, tolerance) << what;
  }
  EXPECT_EQ(ours.size(), theirs.size());
}

// By the operator and its kernels, as HTA joins them: count, us of the device, us of the host. Of
// more than 64 kernels we write so many and how many follow.
using Sequences = std::map<std::string, std::array<double, 3>>;

std::string Pattern(const std::string& op, const std::vector<std::string>& kernels, size_t length) {
  constexpr size_t kWritten = 64;
  std::string pattern = op;
  for (size_t k = 0; k < std::min(kWritten, length); ++k) pattern += "|" + kernels.at(k);
  if (length > kWritten) pattern += fmt::format("|and {} more", length - kWritten);
  return pattern;
}

Sequences TheirSequences(const std::filesystem::path& golden) {
  Sequences theirs;
  for (const HtaRow& row : ReadCsv(golden)) {
    auto kernels = SplitAt(row.at("pattern"), "|");
    const std::string op = kernels.front();
    kernels.erase(kernels.begin());
    theirs[Pattern(op, kernels, kernels.size())] = {std::stod(row.at("count")),
                                                    std::stod(row.at("GPU kernel duration (us)")),
                                                    std::stod(row.at("CPU op duration (us)"))};
  }
  return theirs;
}

Sequences OurSequences(const ReportSet& answer) {
  Sequences ours;
  for (const Row& row : RowsOf(answer, "kernel_sequences", "sequences")) {
    const auto length = static_cast<size_t>(row.Int("length"));
    ours[Pattern(row.Text("operator"), SplitAt(row.Text("sequence"), " | "), length)] = {
        static_cast<double>(row.Int("count")), static_cast<double>(row.Int("gpu_time")) / 1000,
        static_cast<double>(row.Int("cpu_time")) / 1000};
  }
  return ours;
}

// The same from the facts, by how many ranges are around the operator: HTA counts only the
// operators that have fewest around them.
std::map<int, Sequences> SequencesByDepth(const std::string& trace, const char* steps,
                                          std::string_view op, size_t min_length) {
  const auto run = LoadRun({{trace}}, KindSet::All(), {});
  const RankActivity rank = SelectSteps(run->ranks.at(0), *ParseSteps(steps));
  const HostOps& host = *rank.host;
  const auto wanted = [&](int32_t r) {
    return run->names[host.ranges[static_cast<size_t>(r)].name].contains(op);
  };
  std::map<int32_t, std::vector<Activity>> launched;  // by the outermost wanted range
  for (const Activity& activity : rank.activities) {
    const auto call = rank.CallOf(activity);
    int32_t root = kNoRange;
    for (int32_t r = !call ? kNoRange : call->range; r != kNoRange;
         r = host.ranges[static_cast<size_t>(r)].parent) {
      if (wanted(r)) root = r;
    }
    if (root != kNoRange) launched[root].push_back(activity);
  }
  std::map<int, Sequences> by_depth;
  for (const auto& [root, activity] : launched) {
    if (activity.size() < min_length) continue;
    const HostRange& range = host.ranges[static_cast<size_t>(root)];
    int depth = 0;
    for (int32_t r = range.parent; r != kNoRange; r = host.ranges[static_cast<size_t>(r)].parent)
      ++depth;
    std::vector<std::string> kernels;
    int64_t time = 0;
    for (const Activity& w : activity) {
      kernels.emplace_back(run->names[w.name]);
      time += w.duration();
    }
    auto& [count, gpu, cpu] =
        by_depth[depth][Pattern(std::string(run->names[range.name]), kernels, kernels.size())];
    count += 1;
    gpu += static_cast<double>(time) / 1000;
    cpu += static_cast<double>(range.duration()) / 1000;
  }
  return by_depth;
}

void ExpectSame(const Sequences& ours, const Sequences& theirs, double tolerance) {
  for (const auto& [pattern, sums] : ours) {
    const auto their = theirs.find(pattern);
    if (their == theirs.end()) {
      ADD_FAILURE() << "only one side has " << sums[0] << " of " << pattern.substr(0, 300);
      continue;
    }
    EXPECT_EQ(sums[0], their->second[0]) << pattern.substr(0, 300);
    EXPECT_NEAR(sums[1], their->second[1], tolerance) << pattern.substr(0, 300);
    EXPECT_NEAR(sums[2], their->second[2], tolerance) << pattern.substr(0, 300);
  }
  EXPECT_EQ(ours.size(), theirs.size());
}

TEST_P(HtaOperatorsTest, SequencesOfKernels) {
  struct Wanted {
    const char *file, *op;
    int64_t min_length;
  };
  for (const auto& [file, op, min_length] :
       {Wanted{"aten_linear.min1", "aten::linear", 1}, Wanted{"aten_add.min1", "aten::add", 1},
        Wanted{"autograd_engine_evaluate_function.min3", "autograd::engine::evaluate_function",
               3}}) {
    const auto golden = Golden(std::string("frequent_cuda_kernel_sequences.") + file);
    if (!std::filesystem::exists(golden) || std::filesystem::file_size(golden) < 2) continue;
    const bool backward = std::string_view(op).starts_with("autograd");
    const char* steps =
        backward && set().backward_steps != nullptr ? set().backward_steps : set().steps;
    const auto by_depth = SequencesByDepth(Trace(), steps, op, static_cast<size_t>(min_length));
    ASSERT_FALSE(by_depth.empty());
    const double tolerance = set().fractional ? 1 : 0.001;
    const Sequences theirs = TheirSequences(golden);
    Sequences ours = by_depth.begin()->second;
    if (set().python) std::erase_if(ours, [&](const auto& s) { return !theirs.contains(s.first); });
    ExpectSame(ours, theirs, tolerance);

    Sequences all;
    for (const auto& [depth, sequences] : by_depth) {
      for (const auto& [pattern, sums] : sequences) {
        for (const size_t i : {0u, 1u, 2u}) all[pattern][i] += sums[i];
      }
    }
    const auto answer = AnswerWith(
        Trace(), {.only = {"kernel_sequences"},
                  .steps = steps,
                  .params = {{"kernel_sequences.operator", op},
                             {"kernel_sequences.min_length", std::to_string(min_length)}}});
    ExpectSame(OurSequences(answer), all, 0.001);
  }
}

// Every counter of every range, and the operators around its launch.
TEST_F(SharedDataTest, CountersAreThoseOfHta) {
  const auto answer = AnswerWith(Shared("traces/hta/cupti_profiler"), {.only = {"cupti_counters"}});
  const auto theirs =
      ReadCsv(Shared("goldens/hta/cupti_profiler/cupti_counter_data_with_operators.csv"));
  const auto ranges = RowsOf(answer, "cupti_counters", "ranges");
  ASSERT_EQ(ranges.size(), theirs.size());
  std::map<std::pair<int64_t, std::string>, double> counters;
  for (const Row& row : RowsOf(answer, "cupti_counters", "counters")) {
    counters[{row.Int("range"), row.Text("counter")}] = row.Real("value");
  }
  for (size_t i = 0; i < ranges.size(); ++i) {
    const Row& our = ranges[i];
    const HtaRow& their = theirs[i];
    EXPECT_EQ(our.Text("kernel"), their.at("name"));
    EXPECT_EQ(our.Text("operator"), their.at("bottom_level_op"));
    EXPECT_EQ(our.Text("top_operator"), their.at("top_level_op"));
    EXPECT_EQ("['" + fmt::format("{}", fmt::join(SplitAt(our.Text("stack"), " > "), "', '")) + "']",
              their.at("op_stack"));
    EXPECT_EQ(static_cast<double>(our.Int("duration")) / 1000, std::stod(their.at("dur")));
    for (const auto& [column, value] : their) {
      if (!column.starts_with("smsp__")) continue;
      const auto ours = counters.find({our.Int("range"), column});
      ASSERT_NE(ours, counters.end()) << column;
      EXPECT_EQ(ours->second, std::stod(value)) << column;
      counters.erase(ours);
    }
  }
  EXPECT_TRUE(counters.empty());
}

std::string TestName(const ::testing::TestParamInfo<HtaSet>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Hta, HtaOperatorsTest, ::testing::ValuesIn(kSets), TestName);

}  // namespace
}  // namespace stepscope::testing::hta_operators_test
