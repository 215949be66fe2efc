// Tests that a damaged dump accuses nobody with certainty, and is said to be damaged.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>

#include "tests/support/hang_answer.h"
#include "tests/support/pickle_writer.h"
#include "tests/support/played_hang.h"

namespace stepscope::testing::hang_damage_test {
namespace {

using hang::testing::Case;
using hang::testing::Dump;
using hang::testing::kWorld;
using hang::testing::PlaceOf;
using nlohmann::json;

constexpr int kDamaged = 6;

Case Stopped(int rank) {
  Case one(2, 1);
  one.job.host_stops[rank] = PlaceOf(one.job, rank, 2, "all_to_all");
  Play(one.job);
  return one;
}

// Asks with the file of one rank changed.
ReportSet With(const Case& job, const std::function<std::string(json)>& change) {
  const ScratchFolder folder;
  for (int rank = 0; rank < kWorld; ++rank) {
    const json dump = Dump(job.job, rank);
    folder.Write(fmt::format("_dump_{}", rank), rank == kDamaged ? change(dump) : dump.dump());
  }
  return HangOf(folder);
}

TEST(HangDamage, ADumpThatCannotBeReadIsNoMissingOne) {
  const Case job = Stopped(kDamaged);
  const std::pair<std::string, std::function<std::string(json)>> kChanges[] = {
      {"its dump is empty", [](const json&) { return ""; }},
      {"its dump cannot be read (", [](const json& dump) { return dump.dump().substr(0, 900); }},
      {"its dump cannot be read (", [](const json& dump) { return "~" + dump.dump(); }},
      {"its dump cannot be read (", [](const json&) { return "no dump at all"; }},
      {"its dump cannot be read (",
       [](const json&) { return Pickle(Dict({{"segments", List({})}})); }},
  };
  for (const auto& [why, change] : kChanges) {
    const ReportSet answer = With(job, change);
    EXPECT_EQ(HangRoots(answer), "6 dump_missing no") << why;
    EXPECT_TRUE(answer.verdict.starts_with("Whether rank 6 stopped the job is not known: " + why))
        << answer.verdict;
    const std::string hint = answer.reports.at(0).findings.at(0).hint.str();
    EXPECT_TRUE(hint.contains("read the log of rank 6")) << hint;
  }
}

TEST(HangDamage, AnUnreadableDumpOfAnotherRankChangesNothing) {
  const ReportSet answer = With(Stopped(3), [](const json&) { return ""; });
  EXPECT_EQ(HangRoots(answer), "3 host_not_arrived yes");
}

// Its last operation, which others wait in too.
using Entry = std::function<void(json&)>;

TEST(HangDamage, ValuesThatNoProgramGivesProveNothing) {
  const Case job = Stopped(3);
  const std::pair<const char*, Entry> kChanges[] = {
      {"type", [](json& entry) { entry["input_dtypes"] = {"Floau"}; }},
      {"no type", [](json& entry) { entry["input_dtypes"] = {7}; }},
      {"name", [](json& entry) { entry["profiling_name"] = "nccl:all_seduce"; }},
      {"size of the input alone", [](json& entry) { entry["input_sizes"] = {{8 + 4096}}; }},
      {"negative size", [](json& entry) { entry["input_sizes"] = {{-8}}; }},
      {"state", [](json& entry) { entry["state"] = "schedulee"; }},
      {"group", [](json& entry) { entry["process_group"][0] = "77"; }},
      {"description", [](json& entry) { entry["process_group"][1] = "tq"; }},
      {"number below", [](json& entry) { entry["collective_seq_id"] = 1; }},
      {"number above", [](json& entry) { entry["collective_seq_id"] = 4096; }},
      {"retired", [](json& entry) { entry["retired"] = true; }},
      {"message", [](json& entry) { entry["is_p2p"] = true; }},
      {"no group", [](json& entry) { entry.erase("process_group"); }},
      {"no number", [](json& entry) { entry.erase("collective_seq_id"); }},
  };
  for (const auto& [what, change] : kChanges) {
    const ReportSet answer = With(job, [&](json dump) {
      change(dump["entries"].back());
      return dump.dump();
    });
    const std::string roots = HangRoots(answer);
    for (int rank = 0; rank < kWorld; ++rank)
      if (rank != 3) {
        for (const std::string& said :
             {fmt::format("{} host_not_arrived yes", rank),
              fmt::format("{} device_not_finished yes", rank),
              fmt::format("{} shape_mismatch yes", rank), fmt::format("{} type_mismatch yes", rank),
              fmt::format("{} operation_mismatch yes", rank),
              fmt::format("{} order_mismatch yes", rank)})
          EXPECT_FALSE((" " + roots).contains(" " + said)) << what << ": " << roots;
      }
  }
}

TEST(HangDamage, TheAnswerSaysThatValuesAreOdd) {
  Case job(2, 1);
  job.rank = kDamaged;
  job.At("all_reduce").type = "Floau";
  Play(job.job);
  const ReportSet answer = With(job, [](const json& dump) { return dump.dump(); });
  EXPECT_EQ(HangRoots(answer), "6 type_mismatch no");
  EXPECT_TRUE(answer.verdict.ends_with(
      "has the type Floau, and Float on others, but its dump may be damaged: it has values that no "
      "program can have given."))
      << answer.verdict;
  EXPECT_TRUE(HasNote(answer, "odd_operations"));
}

TEST(HangDamage, WhatWasLeftOutOfADumpIsNotProvenByIt) {
  const ReportSet answer = With(Stopped(kDamaged), [](json dump) {
    dump["entries"].back().erase("process_group");
    return dump.dump();
  });
  EXPECT_FALSE(HangRoots(answer).contains("yes")) << HangRoots(answer);
  EXPECT_TRUE(HasNote(answer, "operations_left_out"));
  EXPECT_TRUE(answer.verdict.contains("1 operations of its dump were left out")) << answer.verdict;
}

// A format that is not known yet has the same names on all ranks.
TEST(HangDamage, NamesThatAllDumpsHaveAreNotOdd) {
  const Case job = Stopped(3);
  const ScratchFolder folder;
  for (int rank = 0; rank < kWorld; ++rank) {
    json dump = Dump(job.job, rank);
    for (json& entry : dump["entries"]) entry["input_dtypes"] = {"Float2_e1"};
    folder.Write(fmt::format("_dump_{}", rank), dump.dump());
  }
  EXPECT_EQ(HangRoots(HangOf(folder)), "3 host_not_arrived yes");
}

// One dump against three: it may be the wrong one.
TEST(HangDamage, OneDumpDoesNotAccuseTheDevicesOfMostOthers) {
  Case one(2, 1);
  for (const int rank : {1, 2, 3})
    one.job.device_stops[rank] = PlaceOf(one.job, rank, 1, "all_reduce");
  const auto answer = one.Ask();
  EXPECT_EQ(answer.Roots(), (std::vector<int64_t>{1, 2, 3}));
  EXPECT_FALSE(std::ranges::any_of(answer.judgement.roots, &hang::Root::proven));
}

}  // namespace
}  // namespace stepscope::testing::hang_damage_test
