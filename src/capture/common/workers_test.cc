// Tests which files of a folder of workers are taken for a job, and why others are not.
#include "capture/common/workers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "capture/common/process.h"
#include "tests/scratch.h"

namespace stepscope::capture::workers_test {
namespace {

using ::stepscope::testing::ScratchFolder;

// A file as stepscope.profiler.init() writes it, of a process on another machine.
std::string File(std::string_view fields) {
  std::string text =
      R"({"version": 1, "door": "grpc", "address": "node7:8466", "job": "llm", "attempt": "", )"
      R"("rank": 0, "world_size": 4, "host": "node7", "pid": 4711, "started": 1795727151.12})";
  // The later of two members counts.
  if (!fields.empty()) text.insert(text.size() - 1, ", " + std::string(fields));
  return text;
}

class Folder {
 public:
  void Add(const std::string& name, std::string_view fields, mode_t mode = 0600) const {
    chmod(scratch_.Write(name, File(fields)).c_str(), mode);
  }
  const std::string& path() const { return scratch_.path(); }
  const ScratchFolder& scratch() const { return scratch_; }
  Result<JobWorkers> Find(const std::string& job = "llm", std::string_view door = "") const {
    return FindWorkers(path(), job, door);
  }

 private:
  ScratchFolder scratch_;
};

std::vector<int64_t> RanksOf(const JobWorkers& found) {
  std::vector<int64_t> ranks;
  for (const CaptureTarget& target : found.targets) ranks.push_back(target.rank);
  return ranks;
}

TEST(CaptureWorkers, ReadsAWorker) {
  const auto worker = ParseWorker(File(R"("attempt": "~slurm.12.1", "rank": 2)"));
  ASSERT_TRUE(worker.has_value()) << worker.error().what;
  EXPECT_EQ(worker->target.door, "grpc");
  EXPECT_EQ(worker->target.address, "node7:8466");
  EXPECT_EQ(worker->target.host, "node7");
  EXPECT_EQ(worker->target.job, "llm");
  EXPECT_EQ(worker->target.attempt, "~slurm.12.1");
  EXPECT_EQ(worker->target.rank, 2);
  EXPECT_EQ(worker->target.world_size, 4);
  EXPECT_EQ(worker->target.pid, 4711);
  EXPECT_EQ(worker->started, 1'795'727'151'120'000'000);
}

TEST(CaptureWorkers, TakesUnknownRanks) {
  const auto worker = ParseWorker(File(R"("rank": null, "world_size": null)"));
  ASSERT_TRUE(worker.has_value());
  EXPECT_EQ(worker->target.rank, -1);
  EXPECT_EQ(worker->target.world_size, 0);
}

struct Refused {
  const char* fields;
  const char* why;
};

TEST(CaptureWorkers, RefusesWhatDoesNotFit) {
  for (const auto& [fields, why] : std::to_array<Refused>({
           {R"("version": 2)", "`version` is 2, and this Stepscope reads 1"},
           {R"("version": "1")", "`version` is not a whole number"},
           {R"("door": "ssh")", "`door` is none of grpc, torch and debug"},
           {R"("door": ["grpc"])", "`door` is not a text"},
           {R"("address": "node7")", "`address` does not fit its door"},
           {R"("address": "node7:0")", "`address` does not fit its door"},
           {R"("address": "node7:99999")", "`address` does not fit its door"},
           {R"("address": "--output=/etc/x:80")", "`address` does not fit its door"},
           {R"("address": "a/../b:80")", "`address` does not fit its door"},
           {R"("address": "node7\n:80")", "`address` holds a control character"},
           {R"("door": "torch", "address": "pid 1")", "`address` does not fit its door"},
           {R"("door": "grpc", "address": "unix:/tmp/x")", "`address` does not fit its door"},
           {R"("rank": 4)", "`rank` is above 3"},
           {R"("rank": -1)", "`rank` is not between 0 and 3"},
           {R"("rank": 1.5)", "`rank` is not a whole number"},
           {R"("world_size": 0)", "`world_size` is not between 1 and 10000000"},
           {R"("world_size": 18446744073709551615)", "`world_size` is above 10000000"},
           {R"("pid": 0)", "`pid` is not between 1 and 4194304"},
           {R"("pid": null)", "`pid` is not a whole number"},
           {R"("started": 1e300)", "`started` is not a time"},
           {R"("started": "now")", "`started` is not a number"},
       })) {
    const auto worker = ParseWorker(File(fields));
    ASSERT_FALSE(worker.has_value()) << fields;
    EXPECT_EQ(worker.error().what, why) << fields;
  }
  for (const char* text : {"", "{", "[]", "null", "7", "{\"version\": 1}", "\xff\xfe"})
    EXPECT_FALSE(ParseWorker(text).has_value()) << text;
  EXPECT_EQ(ParseWorker(File(R"("job": ")" + std::string(600, 'x') + "\"")).error().what,
            "`job` has more than 512 bytes");
  EXPECT_FALSE(ParseWorker(std::string(10'000, '[')).has_value());
}

TEST(CaptureWorkers, TakesAddressesOfItsDoors) {
  for (const char* fields :
       {R"("address": "10.0.0.7:1")", R"("address": "[fe80::1%eth0]:8466")",
        R"("door": "torch", "address": "pid 4711")", R"("door": "debug", "address": "vm:59177")",
        R"("door": "debug", "address": "unix:/run/worker.sock")"})
    EXPECT_TRUE(ParseWorker(File(fields)).has_value()) << fields;
}

TEST(CaptureWorkers, FindsTheRanksOfAJobAndNamesThoseMissing) {
  const Folder folder;
  folder.Add("a.json", R"("rank": 3)");
  folder.Add("b.json", R"("rank": 0)");
  folder.Add("c.json", R"("rank": 1, "job": "other")");
  folder.Add(".draft.json", R"("rank": 1)");
  folder.Add("d.json.part", R"("rank": 1)");
  const auto found = folder.Find();
  ASSERT_TRUE(found.has_value()) << found.error().what;
  EXPECT_EQ(RanksOf(*found), (std::vector<int64_t>{0, 3}));
  EXPECT_EQ(found->missing, 2);
  EXPECT_EQ(found->missing_ranks, (std::vector<int64_t>{1, 2}));
  EXPECT_TRUE(found->left_out.empty());
}

TEST(CaptureWorkers, TakesTheNewestAttemptAndTheNewestOfARank) {
  const Folder folder;
  folder.Add("a.json", R"("rank": 0, "attempt": "1", "started": 100, "world_size": 2)");
  folder.Add("b.json", R"("rank": 0, "attempt": "2", "started": 200, "world_size": 2)");
  folder.Add("c.json", R"("rank": 1, "attempt": "2", "started": 300, "world_size": 2)");
  folder.Add("d.json",
             R"("rank": 0, "attempt": "2", "started": 250, "world_size": 2, "address": "new:1")");
  const auto found = folder.Find();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(RanksOf(*found), (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(found->targets.front().address, "new:1");
  EXPECT_EQ(found->missing, 0);
  EXPECT_EQ(found->left_out,
            (std::vector<std::string>{"rank 0 (node7:8466): a later process has its rank",
                                      "rank 0 (node7:8466): it is of an earlier attempt"}));
}

TEST(CaptureWorkers, LeavesOutOtherDoors) {
  const Folder folder;
  folder.Add("a.json", R"("rank": 0)");
  folder.Add("b.json", R"("rank": 1, "door": "torch", "address": "pid 4711")");
  const auto found = folder.Find("llm", "grpc");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(RanksOf(*found), (std::vector<int64_t>{0}));
  EXPECT_EQ(found->left_out,
            (std::vector<std::string>{"rank 1 (pid 4711): it is captured by `torch`"}));
}

TEST(CaptureWorkers, LeavesOutFilesThatOthersMayHaveWritten) {
  const Folder folder;
  folder.Add("a.json", "");
  folder.Add("b.json", "", 0666);
  folder.scratch().Write("c.json", std::string(20'000, ' ') + File(""));
  chmod((folder.path() + "/c.json").c_str(), 0600);
  ASSERT_EQ(symlink("a.json", (folder.path() + "/d.json").c_str()), 0);
  ASSERT_EQ(mkfifo((folder.path() + "/e.json").c_str(), 0600), 0);
  ASSERT_EQ(mkdir((folder.path() + "/f.json").c_str(), 0700), 0);
  folder.scratch().Write("g.json", "not JSON");
  chmod((folder.path() + "/g.json").c_str(), 0600);
  const auto found = folder.Find();
  ASSERT_TRUE(found.has_value()) << found.error().what;
  EXPECT_EQ(RanksOf(*found), (std::vector<int64_t>{0}));
  EXPECT_EQ(found->left_out,
            (std::vector<std::string>{
                "b.json: others may write the file", "c.json: the file has more than 16384 bytes",
                "d.json: it is a link", "e.json: it is not an ordinary file",
                "f.json: it is not an ordinary file", "g.json: the file is not a JSON object"}));
}

TEST(CaptureWorkers, LeavesOutFilesOfOtherUsers) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file to another user";
  const Folder folder;
  folder.Add("a.json", "");
  folder.Add("b.json", R"("rank": 1)");
  ASSERT_EQ(chown((folder.path() + "/b.json").c_str(), 12345, 12345), 0);
  const auto found = folder.Find();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->left_out, (std::vector<std::string>{"b.json: the file is of another user"}));
}

// Of this test's own process: when it began, in seconds since 1970, moved by `by`.
std::string Here(int64_t pid, double by) {
  const auto process = ReadProcess(getpid());
  timespec boot{};
  clock_gettime(CLOCK_BOOTTIME, &boot);
  const double age =
      static_cast<double>(boot.tv_sec) -
      static_cast<double>(process->start_ticks) / static_cast<double>(sysconf(_SC_CLK_TCK));
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  return fmt::format(R"("host": "{}", "pid": {}, "started": {:.2f}, "namespace": "{}")", HostName(),
                     pid, now - age + by,
                     std::filesystem::read_symlink("/proc/self/ns/pid").string());
}

TEST(CaptureWorkers, LeavesOutProcessesOfThisMachineThatHaveEnded) {
  const Folder folder;
  folder.Add("a.json", Here(getpid(), 0) + R"(, "rank": 0)");
  folder.Add("b.json", Here(getpid(), -3600) + R"(, "rank": 1)");
  folder.Add("c.json", Here(4'194'304, 0) + R"(, "rank": 2)");
  folder.Add("d.json", Here(4'194'304, 0) + R"(, "rank": 3, "namespace": "pid:[1]")");
  const auto found = folder.Find();
  ASSERT_TRUE(found.has_value()) << found.error().what;
  EXPECT_EQ(RanksOf(*found), (std::vector<int64_t>{0, 3}));  // 3 has its pid in another container
  EXPECT_EQ(found->missing_ranks, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(found->left_out, (std::vector<std::string>{
                                 fmt::format("b.json: pid {} is another process now", getpid()),
                                 "c.json: process 4194304 has ended"}));
}

TEST(CaptureWorkers, SaysWhatIsThereInstead) {
  const Folder folder;
  folder.Add("a.json", R"("job": "night")");
  folder.Add("b.json", R"("job": "nlp/llm")");
  const auto found = folder.Find();
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().what, "no process of job llm is registered");
  EXPECT_EQ(found.error().where, folder.path());
  EXPECT_EQ(found.error().hint, "these are: night, nlp/llm");
  const auto nowhere = FindWorkers(folder.path() + "/missing", "llm", "");
  ASSERT_FALSE(nowhere.has_value());
  EXPECT_TRUE(nowhere.error().hint.starts_with("call stepscope.profiler.init() in the job"));
}

TEST(CaptureWorkers, ReadsTheNameOfAJobFromAnAddress) {
  EXPECT_EQ(JobOfAddress("job:nlp/llm"), "nlp/llm");
  EXPECT_EQ(JobOfAddress("job:"), std::nullopt);
  EXPECT_EQ(JobOfAddress("host:80"), std::nullopt);
}

}  // namespace
}  // namespace stepscope::capture::workers_test
