// Tests comparisons against HTA's TraceDiff: counts and times, side by side, of every kernel,
// operator and annotation of one step of two recordings.
//
// HTA's times are whole microseconds there, and its recordings of CUDA devices: every number must
// agree.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "stepscope/compare.h"
#include "tests/answer.h"
#include "tests/shared_data.h"

namespace stepscope::testing::hta_compare_test {
namespace {

struct Sides {
  const char *golden, *a, *b;  // folders
};

constexpr Sides kSides[] = {
    {"trace_diff__diff", "hta/trace_diff/control", "hta/trace_diff/test"},
    {"trace_compare__diff", "hta/trace_compare/base", "hta/trace_compare/test"},
};

// HTA takes the first step of each.
constexpr const char* kStep = "1009";

struct Numbers {
  int64_t count_a = 0, time_a = 0, count_b = 0, time_b = 0;
  bool operator==(const Numbers&) const = default;
};
void PrintTo(const Numbers& n, std::ostream* out) {
  *out << n.count_a << " in " << n.time_a << " ns, " << n.count_b << " in " << n.time_b << " ns";
}
using ByName = std::map<std::string, Numbers>;

class HtaCompareTest : public SharedDataTest, public ::testing::WithParamInterface<Sides> {
 protected:
  void SetUp() override {
    SharedDataTest::SetUp();
    if (IsSkipped()) return;
    a_ = AnswerTo({Shared("traces") / GetParam().a}, kStep);
    b_ = AnswerTo({Shared("traces") / GetParam().b}, kStep);
  }

  static ByName Theirs(const std::string& file, const std::string& name_column = "name") {
    ByName theirs;
    for (const auto& row : ReadCsv(Shared("goldens/hta") / GetParam().golden / (file + ".csv"))) {
      const auto number = [&](const char* column) { return std::stoll(row.at(column)); };
      theirs[row.at(name_column)] = {number("Control_counts"),
                                     number("Control_total_duration") * 1000, number("Test_counts"),
                                     number("Test_total_duration") * 1000};
    }
    return theirs;
  }

  // What our comparison says in a table: the numbers of a side that has no such row are 0 to HTA.
  static ByName Ours(const ReportSet& compared, const char* analysis, const char* table,
                     const char* name, const std::string& count, const std::string& time) {
    ByName ours;
    for (const Row& row : RowsOf(compared, analysis, table)) {
      const auto number = [&](const std::string& column) {
        return row.Has(column) ? row.Int(column) : 0;
      };
      Numbers& n = ours[row.Text(name)];
      n.count_a += number(count + "_a");
      n.time_a += number(time + "_a");
      n.count_b += number(count + "_b");
      n.time_b += number(time + "_b");
    }
    return ours;
  }

  ReportSet a_, b_;
};

TEST_P(HtaCompareTest, KernelsByFullName) {
  const ByName theirs = Theirs("compare_traces.GPU.full");
  EXPECT_FALSE(theirs.empty());
  EXPECT_EQ(Ours(Compare(a_, b_, {.join_replaced = false}), "compare", "kernels", "name", "count",
                 "gpu_time"),
            theirs);
}

// Our short names leave out PyTorch's own namespaces; HTA's keep them, and of an anonymous one the
// colons.
std::string WithoutNamespace(std::string name) {
  for (const std::string space : {"at::native::", "at::", "::"}) {
    if (name.starts_with(space)) name.erase(0, space.size());
  }
  return name;
}

TEST_P(HtaCompareTest, KernelsByShortName) {
  ByName theirs;
  for (const auto& [name, numbers] : Theirs("compare_traces.GPU.short", "short_name")) {
    EXPECT_TRUE(theirs.emplace(WithoutNamespace(name), numbers).second) << name;
  }
  EXPECT_EQ(Ours(Compare(a_, b_, {.short_names = true, .join_replaced = false}), "compare",
                 "kernels", "name", "count", "gpu_time"),
            theirs);
}

// HTA's table of the host has operators, annotations and calls of the runtime in one. Ours has no
// table of calls; all else must be the same.
TEST_P(HtaCompareTest, OperatorsAndAnnotations) {
  const ReportSet compared = Compare(a_, b_);
  if (ReportOf(compared, "operator_kernels").status == Status::kUnavailable) {
    // The one kernel of that step was launched by a bare call.
    ASSERT_STREQ(GetParam().golden, "trace_compare__diff");
    return;
  }
  ByName ours = Ours(compared, "operator_kernels", "operators", "operator", "count", "host_time");
  ours.erase("(no operator)");
  for (const auto& [name, n] :
       Ours(compared, "user_annotations", "annotations", "annotation", "count", "sum")) {
    Numbers& both = ours[name];
    both = {both.count_a + n.count_a, both.time_a + n.time_a, both.count_b + n.count_b,
            both.time_b + n.time_b};
  }
  ByName theirs = Theirs("compare_traces.CPU.full");
  std::erase_if(theirs, [](const auto& entry) {
    return entry.first.starts_with("cuda") || entry.first == "INVALID";
  });
  EXPECT_EQ(ours, theirs);
}

// What happened to each kernel, by its count: HTA's ops_diff.
TEST_P(HtaCompareTest, WhatHappened) {
  using Lists = std::map<std::string, std::set<std::string>>;
  const std::map<std::string, std::string> kTheirWord = {
      {"added", "added"},     {"removed", "deleted"},  {"more", "increased"},
      {"fewer", "decreased"}, {"slower", "unchanged"}, {"faster", "unchanged"},
      {"same", "unchanged"}};
  Lists ours;
  for (const auto& [our_word, word] : kTheirWord) ours[word];
  const ReportSet compared = Compare(a_, b_);
  for (const Row& row : RowsOf(compared, "compare", "kernels")) {
    ours[kTheirWord.at(row.Text("change"))].insert(row.Text("name"));
  }
  std::ifstream in(Shared("goldens/hta") / GetParam().golden / "ops_diff.GPU.json");
  EXPECT_EQ(ours, nlohmann::json::parse(in).get<Lists>());
}

std::string TestName(const ::testing::TestParamInfo<Sides>& info) { return info.param.golden; }

INSTANTIATE_TEST_SUITE_P(Hta, HtaCompareTest, ::testing::ValuesIn(kSides), TestName);

}  // namespace
}  // namespace stepscope::testing::hta_compare_test
