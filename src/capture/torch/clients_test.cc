// Tests which processes are found and chosen.
#include "capture/torch/clients.h"

#include <gtest/gtest.h>

namespace stepscope::capture::clients_test {
namespace {

constexpr int64_t kMe = 1000;

Client Of(int64_t pid, std::vector<int64_t> ancestors, std::string rank = "",
          std::string name = "python") {
  Client client{.process = {.pid = pid, .parent = ancestors.front(), .user = kMe, .name = name},
                .ancestors = ancestors};
  if (!rank.empty()) client.process.environment["RANK"] = rank;
  return client;
}

std::vector<int64_t> PidsOf(const Chosen& chosen) {
  std::vector<int64_t> pids;
  for (const CaptureTarget& target : chosen.targets) {
    if (target.chosen) pids.push_back(target.pid);
  }
  return pids;
}

std::string ReasonOf(const Chosen& chosen, int64_t pid) {
  for (const CaptureTarget& target : chosen.targets) {
    if (target.pid == pid) return target.reason;
  }
  return "no such target";
}

// torchrun with two workers, one with a spawned data loader.
std::vector<Client> Torchrun(int64_t launcher) {
  return {Of(launcher, {5, 1}, "", "pt_elastic"), Of(launcher + 2, {launcher, 5, 1}, "1"),
          Of(launcher + 1, {launcher, 5, 1}, "0"),
          Of(launcher + 3, {launcher + 1, launcher, 5, 1}, "0")};
}

TEST(TorchClients, AreListedByTheKernel) {
  const std::string text =
      "Num       RefCount Protocol Flags    Type St Inode Path\n"
      "0000000000000000: 00000002 00000000 00000000 0002 01 12345 @dynoconfigclient5f3c@\n"
      "0000000000000000: 00000002 00000000 00000000 0002 01    77 @dynolog@\n"
      "0000000000000000: 00000002 00000000 00000000 0002 01   678 /run/k/dynoconfigclient9\n"
      "0000000000000000: 00000002 00000000 00000000 0002 01   679 /run/k/x@dynoconfigclient9\n"
      "@dynoconfigclient\n";
  EXPECT_EQ(ClientSockets(text, ""), (std::set<int64_t>{12345}));
  EXPECT_EQ(ClientSockets(text, "/run/k"), (std::set<int64_t>{678}));
  EXPECT_TRUE(ClientSockets("", "").empty());
  EXPECT_EQ(ClientFolders(text), (std::set<std::string>{"", "/run/k"}));
}

TEST(TorchClients, WorkersAreChosenAndLaunchersAndHelpersAreNot) {
  const Chosen chosen = Choose(Torchrun(100), {.user = kMe});
  EXPECT_FALSE(chosen.problem.has_value());
  EXPECT_EQ(PidsOf(chosen), (std::vector<int64_t>{101, 102}));
  EXPECT_EQ(ReasonOf(chosen, 100), "launcher of 2 processes");
  EXPECT_EQ(ReasonOf(chosen, 103), "helper of pid 101");
}

TEST(TorchClients, OneProcessAloneIsChosen) {
  EXPECT_EQ(PidsOf(Choose(std::vector{Of(7, {5, 1})}, {.user = kMe})), (std::vector<int64_t>{7}));
}

TEST(TorchClients, APoolsParentHoldsTheDevice) {
  std::vector<Client> clients = {Of(7, {5, 1}), Of(8, {7, 5, 1})};
  clients[0].holds_device = true;
  const Chosen chosen = Choose(clients, {.user = kMe});
  EXPECT_EQ(PidsOf(chosen), (std::vector<int64_t>{7}));
  EXPECT_EQ(ReasonOf(chosen, 8), "helper of pid 7");
}

TEST(TorchClients, OfTwoJobsNoneIsTakenUnlessNamed) {
  std::vector<Client> clients = Torchrun(100);
  for (const Client& client : Torchrun(200)) clients.push_back(client);
  const Chosen unclear = Choose(clients, {.user = kMe});
  ASSERT_TRUE(unclear.problem.has_value());
  EXPECT_EQ(unclear.problem->what, "it is not clear which job is meant");
  EXPECT_EQ(unclear.problem->hint,
            "give one of these 2 as `pids`: 100 (2 workers below it), 200 (2 workers below it)");
  EXPECT_TRUE(PidsOf(unclear).empty());
  EXPECT_EQ(unclear.targets.size(), 8u);
  EXPECT_EQ(PidsOf(Choose(clients, {.pids = {200}, .user = kMe})),
            (std::vector<int64_t>{201, 202}));
  EXPECT_EQ(PidsOf(Choose(clients, {.pids = {101, 202}, .user = kMe})),
            (std::vector<int64_t>{101, 202}));
}

TEST(TorchClients, TwoScriptsOfOneShellAreTwoJobs) {
  const Chosen unclear = Choose(std::vector{Of(7, {5, 1}, "0"), Of(8, {5, 1}, "0")}, {.user = kMe});
  ASSERT_TRUE(unclear.problem.has_value());
  EXPECT_EQ(unclear.problem->hint, "give one of these 2 as `pids`: 7, 8");
}

// Ranks that a script or a scheduler started one by one, each below a parent of its own.
TEST(TorchClients, RanksThatMeetAtOnePlaceAreOneJob) {
  const auto rank = [](int64_t pid, int64_t parent, const char* number, const char* port) {
    Client client = Of(pid, {parent, 1}, number);
    client.process.environment["MASTER_ADDR"] = "node1";
    client.process.environment["MASTER_PORT"] = port;
    client.process.environment["WORLD_SIZE"] = "2";
    return client;
  };
  std::vector<Client> clients = {rank(21, 11, "0", "29500"), rank(22, 12, "1", "29500")};
  EXPECT_EQ(PidsOf(Choose(clients, {.user = kMe})), (std::vector<int64_t>{21, 22}));
  clients.push_back(rank(23, 13, "0", "29501"));
  const Chosen unclear = Choose(clients, {.user = kMe});
  ASSERT_TRUE(unclear.problem.has_value());
  EXPECT_EQ(unclear.problem->hint, "give one of these 2 as `pids`: 21 22 (one job), 23");
}

TEST(TorchClients, PidOneMeansAllOfAContainerAndSaysSo) {
  std::vector<Client> clients = Torchrun(100);
  for (const Client& client : Torchrun(200)) clients.push_back(client);
  const Chosen all = Choose(clients, {.pids = {1}, .user = kMe});
  EXPECT_EQ(PidsOf(all), (std::vector<int64_t>{101, 201, 102, 202}));
  EXPECT_EQ(all.remarks, std::vector<std::string>{"Pid 1 started all processes here: all 4 that "
                                                  "can be traced are meant by it."});
  const Chosen itself = Choose(std::vector{Of(1, {0})}, {.pids = {1}, .user = kMe});
  EXPECT_EQ(PidsOf(itself), (std::vector<int64_t>{1}));
  EXPECT_TRUE(itself.remarks.empty());
}

TEST(TorchClients, AJobIsFoundByItsName) {
  std::vector<Client> clients = {Of(7, {5, 1}), Of(8, {6, 1})};
  clients[0].process.environment["SLURM_JOB_ID"] = "42";
  EXPECT_EQ(PidsOf(Choose(clients, {.job = "42", .user = kMe})), (std::vector<int64_t>{7}));
  const Chosen none = Choose(clients, {.job = "43", .user = kMe});
  ASSERT_TRUE(none.problem.has_value());
  EXPECT_EQ(none.problem->hint, "jobs here: 42");
}

TEST(TorchClients, ProcessesOfOthersAreNotChosen) {
  std::vector<Client> clients = {Of(7, {5, 1})};
  clients[0].process.user = kMe + 1;
  const Chosen chosen = Choose(clients, {.user = kMe});
  EXPECT_TRUE(PidsOf(chosen).empty());
  EXPECT_EQ(ReasonOf(chosen, 7), "it belongs to user 1001");
  EXPECT_EQ(Choose(clients, {.pids = {7}, .user = kMe}).problem->what,
            "this process cannot be traced: it belongs to user 1001");
}

TEST(TorchClients, AWrongPidIsNamed) {
  const Chosen chosen = Choose({}, {.pids = {999'999'999}, .user = kMe});
  ASSERT_TRUE(chosen.problem.has_value());
  EXPECT_EQ(chosen.problem->what, "there is no such process");
}

}  // namespace
}  // namespace stepscope::capture::clients_test
