// Tests forty generated hangs: which ranks are the roots, for what reason, and whether that is
// certain, whatever the group (tp, dp, pp, ep, all) and however far hosts run ahead.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/support/played_hang.h"

namespace stepscope::hang::testing::hang_cases_test {
namespace {

// What is made wrong, at the first operation of that name in a step.
enum class Wrong : uint8_t { kHost, kDevice, kCall, kSize, kType, kLost };

struct Planted {
  Wrong wrong = Wrong::kHost;
  std::string name;
  int rank = 0;
};

struct Expected {
  std::string label;
  std::vector<Planted> planted;
  std::vector<int64_t> roots;  // sorted
  bool certain = true;
  std::vector<int> also_lost;  // dumps that are missing besides
};

std::vector<int64_t> Ranks(std::vector<int64_t> ranks) {
  std::ranges::sort(ranks);
  return ranks;
}

// The other member of a group of two.
int64_t Peer(int rank) { return rank % 8 < 4 ? rank + 4 : rank - 4; }

std::vector<Expected> Cases() {
  std::vector<Expected> cases;
  std::mt19937 random(23);
  const auto rank = [&] { return static_cast<int>(random() % kWorld); };
  const auto first_stage = [&] { return static_cast<int>(random() % (kWorld / 2)); };
  const std::vector<std::string> names{"all_reduce", "all_to_all", "_all_gather_base",
                                       "_reduce_scatter_base"};
  for (const std::string& name : names) {  // 16: one rank, host or device, its dump lost or not
    for (const Wrong wrong : {Wrong::kHost, Wrong::kDevice}) {
      const int at = rank();
      cases.push_back({"one", {{wrong, name, at}}, {at}, true, {}});
    }
    const int at = rank(), gone = rank();
    cases.push_back(
        {"host, lost", {{Wrong::kHost, name, at}, {Wrong::kLost, "", at}}, {at}, true, {}});
    const int other = gone == at ? (gone + 1) % kWorld : gone;
    cases.push_back({"host, another lost", {{Wrong::kHost, name, at}}, {at}, true, {other}});
  }
  for (const Wrong wrong : {Wrong::kHost, Wrong::kHost, Wrong::kHost}) {  // 3: pipelines
    const int at = first_stage();
    cases.push_back({"send", {{wrong, "send", at}}, {at}, true, {}});
  }
  for (const Wrong wrong : {Wrong::kCall, Wrong::kSize, Wrong::kType}) {  // 9: mismatches
    for (const std::string name : {"all_reduce", "_all_gather_base"}) {
      const int at = rank();
      cases.push_back({"mismatch", {{wrong, name, at}}, {at}, true, {}});
    }
    const int at = rank();
    cases.push_back({"mismatch of two",
                     {{wrong, "_reduce_scatter_base", at}},
                     Ranks({at, Peer(at)}),
                     false,
                     {}});
  }
  for (int i = 0; i < 6; ++i) {  // 6: two faults in groups that do not wait for one another
    const int a = RankAt(i % 2, 0, static_cast<int>(random() % 4));
    const int b = RankAt(i % 2, 1, static_cast<int>(random() % 4));
    const Wrong second = i < 3 ? Wrong::kHost : i < 5 ? Wrong::kDevice : Wrong::kCall;
    cases.push_back({"two",
                     {{Wrong::kHost, "all_reduce", a}, {second, "all_reduce", b}},
                     Ranks({a, b}),
                     true,
                     {}});
  }
  for (int i = 0; i < 6; ++i) {  // 6: two dumps are missing, of one tensor group or of two
    const int a = RankAt(i % 2, 0, i / 2), b = RankAt(i % 2, i % 3 == 0 ? 0 : 1, 3);
    cases.push_back({"two lost",
                     {{Wrong::kHost, "all_to_all", a}, {Wrong::kLost, "", a}},
                     Ranks({a, b}),
                     false,
                     {b}});
  }
  return cases;
}

void Plant(const Planted& fault, int step, Played& job) {
  if (fault.wrong == Wrong::kLost) return job.lost.push_back(fault.rank);
  const size_t at = PlaceOf(job, fault.rank, step, fault.name);
  Operation& operation = job.programs[static_cast<size_t>(fault.rank)][at];
  if (fault.wrong == Wrong::kHost) job.host_stops[fault.rank] = at;
  if (fault.wrong == Wrong::kDevice) job.device_stops[fault.rank] = at;
  if (fault.wrong == Wrong::kCall) operation.name = "broadcast";
  if (fault.wrong == Wrong::kSize) operation.size = 16;
  if (fault.wrong == Wrong::kType) operation.type = "Half";
}

TEST(HangCases, FortyHaveTheRootsThatWerePlanted) {
  const auto cases = Cases();
  ASSERT_EQ(cases.size(), 40U);
  for (unsigned i = 0; i < cases.size(); ++i) {
    const Expected& expected = cases[i];
    Case one(2 * i, i % 2 == 0 ? 1 : 4);
    for (const Planted& fault : expected.planted) Plant(fault, one.step, one.job);
    for (const int lost : expected.also_lost) one.job.lost.push_back(lost);
    const Answer answer = one.Ask();
    std::string planted;
    for (const Planted& fault : expected.planted)
      planted += fmt::format(" {} of rank {}", fault.name, fault.rank);
    EXPECT_EQ(answer.Roots(), expected.roots) << i << " " << expected.label << planted;
    EXPECT_EQ(answer.Proven(), expected.certain) << i << " " << expected.label << planted;
  }
}

}  // namespace
}  // namespace stepscope::hang::testing::hang_cases_test
