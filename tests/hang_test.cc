// Tests `stepscope hang` on real dumps of stuck jobs, and on damaged ones.
#include "stepscope/hang.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/time_units.h"
#include "base/wall_clock.h"
#include "report/columns.h"
#include "stepscope/session.h"
#include "tests/scratch.h"
#include "tests/shared_data.h"
#include "tests/support/pickle_writer.h"

namespace stepscope::testing::hang_test {
namespace {

std::vector<int64_t> RootsOf(const ReportSet& answer) {
  std::vector<int64_t> ranks;
  const Table& roots = answer.reports.at(0).tables.at(0);
  for (const auto& row : roots.rows) ranks.push_back(ColumnOf(roots, "rank").Int(row));
  return ranks;
}

std::string ReasonOf(const ReportSet& answer) {
  const Table& roots = answer.reports.at(0).tables.at(0);
  return ColumnOf(roots, "reason").Text(roots.rows.at(0));
}

class RealHangs : public SharedDataTest {};

TEST_F(RealHangs, InjectedFaultsAreTheRoots) {
  for (const auto& [name, reason] : {std::pair{"gpu_error_2nd", "device_not_finished"},
                                     std::pair{"lock_gil_1st", "host_not_arrived"}}) {
    const std::string folder = Shared("traces/hang") / name;
    const auto answer = FindHang(std::vector{folder});
    ASSERT_TRUE(answer.has_value()) << answer.error().what;
    EXPECT_EQ(RootsOf(*answer), (std::vector<int64_t>{9, 14}));
    EXPECT_EQ(ReasonOf(*answer), reason);
  }
}

const std::string kDump = R"({"version": "2.10", "pg_config": {"0": {"name": "0",
  "desc": "default_pg", "ranks": "[0, 1]"}}, "pg_status": {}, "entries": [{"record_id": 0,
  "process_group": ["0", "default_pg"], "collective_seq_id": 1, "p2p_seq_id": 0,
  "profiling_name": "nccl:all_reduce", "time_created_ns": 5, "input_sizes": [[8]],
  "output_sizes": [[8]], "input_dtypes": ["Float"], "state": "scheduled", "retired": false,
  "is_p2p": false, "frames": [{"name": "step", "filename": "/job/train.py", "line": 7}]}]})";
const std::string kIdle = R"({"version": "2.10", "pg_config": {"0": {"name": "0",
  "desc": "default_pg", "ranks": "[0, 1]"}}, "pg_status": {}, "entries": []})";

TEST(HangFiles, DumpsAreToldByContentAmongOthers) {
  const ScratchFolder folder;
  folder.Write("a_rank_0", kDump);
  folder.Write("b_rank_1.json", kIdle);
  folder.Write("trace_rank_2.json", R"({"traceEvents": []})");
  folder.Write("notes_3.txt", "rank 3 is fine");
  folder.Write("model_4.pt", "PK\x03\x04");
  const auto answer = FindHang(std::vector{folder.path()});
  ASSERT_TRUE(answer.has_value()) << answer.error().what;
  EXPECT_EQ(RootsOf(*answer), std::vector<int64_t>{1});
  EXPECT_EQ(answer->verdict.str(),
            "Rank 1 stopped the job: its host did not arrive at all_reduce 1 of group default_pg.");
  EXPECT_EQ(answer->run.files.size(), 2U);
}

std::string With(std::string dump, std::string_view what, std::string_view by) {
  return dump.replace(dump.find(what), what.size(), by);
}

// In a group of its own with rank 0 or 1.
std::string OfRank(std::string dump, int rank) {
  return With(std::move(dump), "\"pg_config\": {",
              fmt::format("\"pg_config\": {{\"{0}\": {{\"name\": \"{0}\", \"desc\": \"own\", "
                          "\"ranks\": \"[{1}]\"}}, ",
                          rank + 1, rank));
}

TEST(HangFiles, DumpsThatContradictOneAnotherLeadAndNoRankIsCertain) {
  const auto verdict = [](const std::string& first, const std::string& second) {
    const ScratchFolder folder;
    folder.Write("rank_0", first);
    folder.Write("rank_1", second);
    const auto answer = FindHang(std::vector{folder.path()});
    EXPECT_TRUE(answer.has_value());
    if (!answer) return std::string();
    const Table& roots = answer->reports.at(0).tables.at(0);
    const bool doubted = answer->verdict.starts_with("Dumps contradict one another: ");
    EXPECT_EQ(ColumnOf(roots, "certain").Text(roots.rows.at(0)), doubted ? "no" : "yes");
    EXPECT_EQ(doubted, answer->run.notes.size() == 1) << answer->verdict.str();
    EXPECT_EQ(answer->reports.at(0).findings.front().message.contains("contradict"), doubted);
    return answer->verdict.str();
  };
  const std::string said =
      "Rank 1 stopped the job: its host did not arrive at all_reduce 1 of group default_pg.";
  const std::string open =
      "Rank 1 may have stopped the job, if these dumps belong together: its host did not arrive at "
      "all_reduce 1 of group default_pg.";
  const std::string lead = "Dumps contradict one another: ";
  EXPECT_EQ(verdict(OfRank(kDump, 0), OfRank(kIdle, 1)), said);
  EXPECT_EQ(verdict(OfRank(kDump, 0), OfRank(kIdle, 0)),
            lead + "the name of a dump says rank 1, its groups say rank 0. " + open);
  EXPECT_EQ(verdict(kDump, With(kIdle, "\"pg_config\": {",
                                "\"pg_config\": {\"7\": {\"name\": \"7\", \"desc\": \"dp\", "
                                "\"ranks\": \"[0, 2]\"}, ")),
            lead + "the name of a dump says rank 1, its groups say rank 0. " + open);
  EXPECT_TRUE(verdict(kDump, With(kIdle, "[0, 1]", "[0, 1, 2]"))
                  .starts_with(lead + "dumps disagree about who is in group 0: "));
  EXPECT_EQ(verdict(kDump, With(kIdle, "2.10", "2.9")),
            lead + "dumps are of different versions: 2.9 of rank 1, 2.10 of others. " + open);
}

// Another job of the same layout: what all others finished it did not begin.
TEST(HangFiles, CountsThatNoJobCanHaveContradict) {
  const auto counting = [](const std::string& dump, int64_t enqueued, int64_t completed) {
    const std::string status = fmt::format(
        "\"pg_status\": {{\"0\": {{\"last_enqueued_collective\": {}, "
        "\"last_completed_collective\": {}}}}}",
        enqueued, completed);
    return With(With(dump, "\"pg_status\": {}", status), "\"entries\": [",
                "\"entries\": [{\"pg_id\": 0, \"process_group\": [\"0\", \"default_pg\"], "
                "\"collective_seq_id\": 1, \"profiling_name\": \"nccl:all_reduce\", "
                "\"state\": \"completed\"}" +
                    std::string(dump == kIdle ? "" : ", "));
  };
  for (const auto& [finished, doubted] : {std::pair{35, false}, {36, true}}) {
    const ScratchFolder folder;
    folder.Write("rank_0", counting(kDump, 40, finished));
    folder.Write("rank_1", counting(kIdle, 3, 3));
    const auto answer = FindHang(std::vector{folder.path()});
    ASSERT_TRUE(answer.has_value()) << answer.error().what;
    EXPECT_EQ(answer->verdict.starts_with(
                  "Dumps contradict one another: rank 0 finished operation 36 of group 0, of which "
                  "rank 1 enqueued only 3. "),
              doubted)
        << answer->verdict.str();
  }
}

TEST(HangFiles, DumpsOfAnotherDayDoNotCount) {
  constexpr int64_t kDay = 86'400'000'000'000;
  const auto at = [&](int64_t time) {
    return With(kDump, "\"time_created_ns\": 5", fmt::format("\"time_created_ns\": {}", time));
  };
  const ScratchFolder folder;
  const std::string whole = R"("[0, 1, 2]")";
  for (const auto& [name, time] : {std::pair{"rank_0", 9 * kDay}, {"rank_1", 9 * kDay + 5}})
    folder.Write(name, With(at(time), R"("[0, 1]")", whole));
  folder.Write("rank_2", With(at(7 * kDay), R"("[0, 1]")", whole));
  const auto answer = FindHang(std::vector{folder.path()});
  ASSERT_TRUE(answer.has_value());
  EXPECT_TRUE(answer->verdict.starts_with(
      "Whether rank 2 stopped the job is not known: its dump seems to be of an earlier attempt "
      "(its last operation is 48.0 h older than the first of others), and all others arrived at "))
      << answer->verdict.str();
}

// As dumps of a job that moves disagree: who is one operation behind looks as if it had stopped.
TEST(HangFiles, DumpsSoonAfterTheLastOperationAreNotCertain) {
  for (const auto& [age, certain] : {std::pair{0, "no"}, {40, "no"}, {90, "yes"}}) {
    const ScratchFolder folder;
    std::string dump = kDump;
    const std::string created = fmt::format("\"time_created_ns\": {}", WallClock() - age * kSecond);
    dump.replace(dump.find("\"time_created_ns\": 5"), 20, created);
    folder.Write("rank_0", dump);
    folder.Write("rank_1", kIdle);
    const auto answer = FindHang(std::vector{folder.path()});
    ASSERT_TRUE(answer.has_value()) << answer.error().what;
    const Table& roots = answer->reports.at(0).tables.at(0);
    EXPECT_EQ(ColumnOf(roots, "certain").Text(roots.rows.at(0)), certain) << age;
    EXPECT_EQ(answer->verdict.contains("if it still moves, they disagree"),
              std::string_view(certain) == "no")
        << answer->verdict.str();
  }
}

TEST(HangFiles, WhereNobodyIsStuckARankWithoutADumpIsTold) {
  const ScratchFolder folder;
  folder.Write("rank_0", kIdle);
  const auto answer = FindHang(std::vector{folder.path()}, {.world_size = 2});
  ASSERT_TRUE(answer.has_value()) << answer.error().what;
  EXPECT_TRUE(answer->verdict.contains("whether rank 1 ended is not known: there is no dump."))
      << answer->verdict.str();
}

const std::string kAsleep = R"(Thread 0x1 (most recent call first):
  File "/job/loader.py", line 12 in read_input
  File "/job/train.py", line 9 in main
)";

std::string InMessage(const std::string& call) {
  return "Process 71: python\nPython v3.11\n\nThread 71 (idle): \"MainThread\"\n    " + call +
         " (torch/distributed/distributed_c10d.py:9)\n    step (train.py:5)\n";
}

TEST(HangFiles, StacksSayWhereARankIsThatDidNotArrive) {
  const ScratchFolder folder;
  folder.Write("rank_0", kDump);
  folder.Write("rank_1", kIdle);
  std::filesystem::create_directory(folder.path() + "/stacks");
  folder.Write("stacks/rank-1.txt", kAsleep);
  const auto answer = FindHang(std::vector{folder.path()});
  ASSERT_TRUE(answer.has_value()) << answer.error().what;
  EXPECT_EQ(answer->verdict.str(),
            "Rank 1 stopped the job: its host did not arrive at all_reduce 1 of group default_pg; "
            "it is at loader.py:12 (read_input).");
  const Table& roots = answer->reports.at(0).tables.at(0);
  EXPECT_EQ(ColumnOf(roots, "line").Text(roots.rows.at(0)), "loader.py:12 (read_input)");
  EXPECT_TRUE(ColumnOf(roots, "evidence").Text(roots.rows.at(0)).contains("loader.py:12"));
}

std::string OfFour(std::string dump) {
  dump.replace(dump.find("[0, 1]"), 6, "[0, 1, 2, 3]");
  for (size_t at; (at = dump.find("nccl:")) != dump.npos;) dump.replace(at, 4, "gloo");
  return dump;
}

// gloo records no messages: stacks show who waits in one.
TEST(HangFiles, StacksShowMessagesThatNobodyRecorded) {
  const ScratchFolder folder;
  for (const int rank : {0, 1}) {
    folder.Write("rank_" + std::to_string(rank), OfFour(kIdle));
    folder.Write("rank_" + std::to_string(rank + 2), OfFour(kDump));
    folder.Write("stack_" + std::to_string(rank) + ".txt", InMessage("recv"));
  }
  auto answer = FindHang(std::vector{folder.path()});
  ASSERT_TRUE(answer.has_value()) << answer.error().what;
  EXPECT_EQ(answer->verdict.str(),
            "Which of ranks 0 and 1 stopped the job is not known: they wait in messages, perhaps "
            "for one another (rank 0 in recv at train.py:5 (step), rank 1 in recv at train.py:5 "
            "(step)), and for which ranks is not recorded.");
  folder.Write("stack_1.txt", kAsleep);  // rank 0 may wait for it, or for another
  answer = FindHang(std::vector{folder.path()});
  ASSERT_TRUE(answer.has_value()) << answer.error().what;
  EXPECT_EQ(answer->verdict.str(),
            "Rank 1 stopped the job: its host did not arrive at all_reduce 1 of group default_pg; "
            "it is at loader.py:12 (read_input). Whether rank 0 stopped the job is not known: it "
            "waits in recv at train.py:5 (step), and for which rank is not recorded.");
}

// As `stepscope capture debug` leaves it, whose traces name groups too.
TEST(HangFiles, ACaptureOfTheDebugServerIsReadFromItsFolders) {
  const ScratchFolder folder;
  const std::string trace =
      R"({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": 0,
    "world_size": 2, "pg_config": [{"pg_name": "0"}]}, "traceEvents": []})";
  for (const std::string below : {"/stacks", "/flight_recorder"})
    std::filesystem::create_directory(folder.path() + below);
  folder.Write("rank-0.node-07.pt.trace.json", trace);
  folder.Write("flight_recorder/rank-0.node-07.json", kDump);
  folder.Write("flight_recorder/rank-1.node-07.json", kIdle);
  folder.Write("stacks/rank-1.node-07.txt", kAsleep);
  const auto answer = FindHang(std::vector{folder.path()});
  ASSERT_TRUE(answer.has_value()) << answer.error().what;
  EXPECT_EQ(RootsOf(*answer), std::vector<int64_t>{1});
  EXPECT_TRUE(answer->verdict.str().contains("loader.py:12")) << answer->verdict.str();
  EXPECT_TRUE(answer->run.notes.empty());
}

TEST(HangFiles, StacksAloneNameNobody) {
  const ScratchFolder folder;
  folder.Write("stack_0.txt", kAsleep);
  folder.Write("stack_1.txt", InMessage("recv"));
  folder.Write("stack_71.txt", InMessage("recv"));  // the process, not a rank
  const auto answer = FindHang(std::vector{folder.path()});
  ASSERT_TRUE(answer.has_value()) << answer.error().what;
  EXPECT_TRUE(answer->verdict.str().contains("is not known")) << answer->verdict.str();
  EXPECT_EQ(answer->reports.at(0).tables.at(3).rows.size(), 2U);
  EXPECT_EQ(answer->run.notes.size(), 1U);
}

// Members 0 to `size` - 1 of the communicator with so many all-reduces; -1: dead.
std::string Status(const std::string& time, const std::vector<int>& counts) {
  std::string ranks, missing;
  for (size_t rank = 0; rank < counts.size(); ++rank) {
    const std::string member = R"({"rank": )" + std::to_string(rank) +
                               R"(, "host": "10.0.0.1", "cuda_dev": 0, "pid": )" +
                               std::to_string(100 + rank);
    if (counts[rank] < 0) {
      missing += (missing.empty() ? "" : ", ") + member +
                 R"(, "status": {"unresponsive": true, "considered_dead": true}})";
    } else {
      ranks += (ranks.empty() ? "" : ", ") + member + R"(, "collective_counts": {"AllReduce": )" +
               std::to_string(counts[rank]) + "}}";
    }
  }
  return R"({"nccl_version": "2.28.7", "timestamp": ")" + time +
         R"(", "communicators_count": 1, "communicators": [{"hash": "0x6a", "size": )" +
         std::to_string(counts.size()) + R"(, "ranks": [)" + ranks + R"(], "missing_ranks": [)" +
         missing + "]}]}";
}

std::string VerdictOn(const ScratchFolder& folder) {
  const auto answer = FindHang(std::vector{folder.path()});
  return answer ? answer->verdict.str() : answer.error().what;
}

TEST(HangFiles, CountsOfRasAreCertainWhereTheyDoNotMove) {
  const ScratchFolder folder;
  folder.Write("ras_a.json", Status("13:00:00", {41, 41, 40, 41}));
  EXPECT_EQ(VerdictOn(folder),
            "Rank 2 stopped the job, unless it still moves: its host did not arrive at all_reduce "
            "41 of group 0x6a.");
  folder.Write("ras_b.json", Status("13:01:00", {41, 41, 40, 41}));
  EXPECT_EQ(VerdictOn(folder),
            "Rank 2 stopped the job: its host did not arrive at all_reduce 41 of group 0x6a.");
}

TEST(HangFiles, CountsOfRasTellWhoCalledSomethingElse) {
  const ScratchFolder folder;
  std::string status = Status("13:00:00", {41, 41, 41, 41});
  const std::string counts = R"("AllReduce": 41)";
  status.replace(status.find(counts), counts.size(), R"("AllReduce": 40, "Broadcast": 1)");
  folder.Write("ras.json", status);
  EXPECT_EQ(VerdictOn(folder),
            "Rank 0 stopped the job, unless it still moves: broadcast 41 of group 0x6a is "
            "all_reduce on others.");
  folder.Write("ras.json", Status("13:00:00", {41, 41, 41, 41}));
  EXPECT_EQ(VerdictOn(folder), "No rank is stuck in an operation that was recorded.");
}

TEST(HangFiles, RasSaysWhichProcessIsDead) {
  const ScratchFolder folder;
  folder.Write("ras.json", Status("13:00:00", {41, -1, 41, 41}));
  EXPECT_EQ(VerdictOn(folder),
            "Rank 1 stopped the job: NCCL's RAS service considers its process dead.");
  folder.Write("rank_0", OfFour(kDump));  // dumps of two are missing, one of these is dead
  folder.Write("rank_3", OfFour(kDump));
  EXPECT_EQ(VerdictOn(folder),
            "Rank 1 stopped the job: NCCL's RAS service considers its process dead.");
  folder.Write("rank_1", OfFour(kIdle));  // it dumped before it died
  EXPECT_EQ(VerdictOn(folder),
            "Rank 1 stopped the job: its host did not arrive at all_reduce 1 of group default_pg.");
}

// Rank 2 is behind, and rank 1 is dead: which of these is due to the other is not known.
TEST(HangFiles, ADeadProcessBesideALaggingOneIsARootToo) {
  const ScratchFolder folder;
  folder.Write("ras_a.json", Status("13:00:00", {41, -1, 38, 41}));
  folder.Write("ras_b.json", Status("13:01:00", {41, -1, 38, 41}));
  const auto answer = FindHang(std::vector{folder.path()});
  ASSERT_TRUE(answer.has_value()) << answer.error().what;
  EXPECT_EQ(RootsOf(*answer), (std::vector<int64_t>{1, 2}));
  const Table& roots = answer->reports.at(0).tables.at(0);
  for (const auto& row : roots.rows) EXPECT_EQ(ColumnOf(roots, "certain").Text(row), "no");
  EXPECT_TRUE(answer->verdict.contains("Which of ranks 1 and 2 stopped the job is not known"))
      << answer->verdict.str();
}

TEST(HangFiles, CountsOfOtherOperationsAreNotOfTheOneThatIsNamed) {
  const ScratchFolder folder;
  std::string status = Status("13:00:00", {41, 41, 40, 41});
  for (size_t at = 0; (at = status.find(R"({"AllReduce")", at)) != status.npos; at += 20)
    status.insert(at + 1, R"("Broadcast": 3, )");
  folder.Write("ras.json", status);
  EXPECT_TRUE(VerdictOn(folder).contains("did not arrive at all_reduce 41 of group 0x6a"))
      << VerdictOn(folder);
}

TEST(HangFiles, WhoAsksForTracesIsToldTheCommand) {
  const ScratchFolder folder;
  folder.Write("rank_0.json", kDump);
  folder.Write("rank_1.json", kIdle);
  folder.Write("stack_1.txt", kAsleep);
  for (const std::string& path : {folder.path(), folder.path() + "/rank_0.json"}) {
    const auto session = Session::Open(std::vector{path});
    ASSERT_FALSE(session.has_value());
    EXPECT_TRUE(session.error().what.contains("Flight Recorder dump")) << session.error().what;
    EXPECT_EQ(session.error().hint, "stepscope hang " + path);
  }
}

TEST(HangFiles, DumpsBesideTracesAreANote) {
  const ScratchFolder folder;
  folder.Write("trace_rank_0.json", R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "gemm",
    "ts": 1, "dur": 5, "pid": 0, "tid": 7, "args": {"stream": 7, "device": 0}}]})");
  folder.Write("dump_rank_0", kDump);
  const auto session = Session::Open(std::vector{folder.path()});
  ASSERT_TRUE(session.has_value()) << session.error().what;
  const auto& notes = session->run().notes;
  EXPECT_TRUE(
      std::ranges::any_of(notes, [](const Note& note) { return note.name == "stuck_job"; }));
}

TEST(HangFiles, DamagedDumpsAreNotesAndMissing) {
  for (size_t length = 40; length < kIdle.size(); length += 7) {
    const ScratchFolder folder;
    folder.Write("rank_0", kDump);
    folder.Write("rank_1", kIdle.substr(0, length));
    const auto answer = FindHang(std::vector{folder.path()});
    ASSERT_TRUE(answer.has_value()) << answer.error().what;
    EXPECT_EQ(RootsOf(*answer), std::vector<int64_t>{1});
    EXPECT_EQ(ReasonOf(*answer), "dump_missing");
  }
}

// The file of the last rank is there, so that the rank is known though no dump tells of it.
TEST(HangFiles, EmptyDumpsAreSaidToBe) {
  std::string dump = kDump;
  dump.replace(dump.find("[0, 1]"), 6, "");
  const ScratchFolder folder;
  folder.Write("_dump_0", dump);
  folder.Write("_dump_1", "");
  folder.Write("trainer_1.log", "");
  const auto answer = FindHang(std::vector{folder.path()});
  ASSERT_TRUE(answer.has_value()) << answer.error().what;
  EXPECT_EQ(RootsOf(*answer), std::vector<int64_t>{1});
  EXPECT_TRUE(answer->verdict.str().contains("its dump is empty")) << answer->verdict;
  const auto& notes = answer->reports.at(0).notes;
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0].name, "empty_dumps");
}

// A memory snapshot is a pickle too, and no dump.
TEST(HangFiles, AnotherPickleIsANote) {
  const ScratchFolder folder;
  folder.Write("snapshot_5.pickle", Pickle(Dict({{"segments", List({})}})));
  std::filesystem::create_directory(folder.path() + "/dumps");
  folder.Write("dumps/rank_0", kDump);
  folder.Write("dumps/rank_1", kIdle);
  const auto answer = FindHang(std::vector{folder.path()});
  ASSERT_TRUE(answer.has_value()) << answer.error().what;
  EXPECT_EQ(RootsOf(*answer), std::vector<int64_t>{1});
  ASSERT_EQ(answer->run.notes.size(), 1U);
  EXPECT_EQ(answer->run.notes[0].name, "not_a_dump");
}

TEST(HangFiles, TracesThatCannotBeReadAreNotBlamedOnDumps) {
  const ScratchFolder folder;
  folder.Write("host.xplane.pb", "");
  std::filesystem::create_directory(folder.path() + "/dumps");
  folder.Write("dumps/rank_0", kDump);
  const auto session = Session::Open(std::vector{folder.path()});
  ASSERT_FALSE(session.has_value());
  EXPECT_FALSE(session.error().what.contains("stuck job")) << session.error().what;
}

TEST(HangFiles, NothingToReadIsAnError) {
  const ScratchFolder folder;
  EXPECT_FALSE(FindHang({}).has_value());
  EXPECT_FALSE(FindHang(std::vector{folder.path()}).has_value());
  EXPECT_FALSE(FindHang(std::vector{folder.path() + "/none"}).has_value());
  folder.Write("rank_0", "");
  folder.Write("rank_1",
               "\x80\x02"
               "cos\nsystem\n(S'true'\ntR.");
  const auto answer = FindHang(std::vector{folder.path()});
  ASSERT_FALSE(answer.has_value());
  EXPECT_TRUE(answer.error().what.contains("GLOBAL")) << answer.error().what;
}

TEST(HangFiles, WrongTypesAreAbsentValues) {
  for (const std::string value : {"7", "-1", "\"x\"", "null", "[]", "{}", "[[[[1]]]]", "1e300"}) {
    for (const std::string key :
         {"process_group", "collective_seq_id", "profiling_name", "input_sizes", "state", "frames",
          "is_p2p", "record_id", "pg_config", "pg_status", "version", "entries", "ranks"}) {
      const ScratchFolder folder;
      std::string damaged = kDump;
      damaged.insert(damaged.size() - 1, ", \"" + key + "\": " + value);
      const size_t at = damaged.find("\"" + key + "\": ");
      damaged.insert(at, "\"" + key + "\": " + value + ", ");
      folder.Write("rank_0", damaged);
      folder.Write("rank_1", kIdle);
      const auto answer = FindHang(std::vector{folder.path()});
      if (answer) continue;
      EXPECT_FALSE(answer.error().what.empty());
    }
  }
}

}  // namespace
}  // namespace stepscope::testing::hang_test
