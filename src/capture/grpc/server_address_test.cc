// Tests addresses as people write them, and names of workers.
#include "capture/grpc/server_address.h"

#include <gtest/gtest.h>

#include "tests/scratch.h"

namespace stepscope::capture::server_address_test {
namespace {

using Strings = std::vector<std::string>;

// "host port" of each server, or what is wrong.
Strings Places(const std::string& text, const NameTable& names = {}) {
  const auto servers = ParseServers({text}, names);
  if (!servers) return {servers.error().what};
  Strings places;
  for (const ServerAddress& server : *servers)
    places.push_back(server.host + " " + std::to_string(server.port));
  return places;
}

NameTable Environment(const std::string& variable, const std::string& value) {
  return NamesOfEnvironment([&](const std::string& name) -> std::optional<std::string> {
    if (name != variable) return std::nullopt;
    return value;
  });
}

TEST(ServerAddress, IsReadAsPeopleWriteIt) {
  EXPECT_EQ(Places("localhost:9012"), Strings{"localhost 9012"});
  EXPECT_EQ(Places("grpc://10.0.0.2:8466"), Strings{"10.0.0.2 8466"});
  EXPECT_EQ(Places("http://h:1/"), Strings{"h 1"});
  EXPECT_EQ(Places("ip://h:1"), Strings{"h 1"});
  EXPECT_EQ(Places("[::1]:9012"), Strings{"::1 9012"});
  EXPECT_EQ(Places(" a:1, b:2,,a:1 "), (Strings{"a 1", "b 2"}));
}

TEST(ServerAddress, SaysWhatIsWrong) {
  EXPECT_EQ(Places("localhost"), Strings{"missing port"});
  EXPECT_EQ(Places("h:0"), Strings{"cannot read this port: it must be a number from 1 to 65535"});
  EXPECT_EQ(Places("h:99999"),
            Strings{"cannot read this port: it must be a number from 1 to 65535"});
  EXPECT_EQ(Places("h:1/x"), Strings{"cannot read this port: it must be a number from 1 to 65535"});
  EXPECT_EQ(Places("::1:9012"), Strings{"cannot read this address"});
  EXPECT_EQ(Places("a b:1"), Strings{"cannot read this host"});
  EXPECT_EQ(Places("https://h:1"), Strings{"profiler servers speak no TLS"});
  EXPECT_EQ(Places(","), Strings{"missing address: there is nothing to capture from"});
  EXPECT_EQ(Places("all:9012"), Strings{"no list of workers is known"});
}

TEST(ServerAddress, KnowsTheWorkersOfVertexAi) {
  const NameTable names = Environment("CLUSTER_SPEC", R"({"cluster":
      {"workerpool0": ["cmle-training-0:2222"], "workerpool1": ["cmle-training-1-0:2222",
       "cmle-training-1-1:2222"]}, "task": {"type": "workerpool0", "index": 0}})");
  EXPECT_EQ(Places("workerpool0-0:6009", names), Strings{"cmle-training-0 6009"});
  EXPECT_EQ(Places("workerpool1-1:6009", names), Strings{"cmle-training-1-1 6009"});
  EXPECT_EQ(Places("all:6009", names),
            (Strings{"cmle-training-0 6009", "cmle-training-1-0 6009", "cmle-training-1-1 6009"}));
}

TEST(ServerAddress, KnowsTheWorkersOfOtherPlatforms) {
  EXPECT_EQ(
      Places("worker1:1", Environment("TF_CONFIG", R"({"cluster": {"worker": ["a:2", "b:2"]}})")),
      Strings{"b 1"});
  EXPECT_EQ(Places("all:1", Environment("TPU_WORKER_HOSTNAMES", "t-0,t-1")),
            (Strings{"t-0 1", "t-1 1"}));
  EXPECT_EQ(Places("all:1", Environment("SLURM_JOB_NODELIST", "gpu[08-10,12],login")),
            (Strings{"gpu08 1", "gpu09 1", "gpu10 1", "gpu12 1", "login 1"}));
  for (const char* const nonsense : {"{", "[]", R"({"cluster": 1})", R"({"cluster": {"w": "x"}})"})
    EXPECT_TRUE(Environment("TF_CONFIG", nonsense).hosts.empty()) << nonsense;
}

TEST(ServerAddress, RefusesListsOfNodesThatAreTooLong) {
  for (const char* const list : {"n[1-99999999]", "n[3-1]", "n[1-2", "n[a-b]", "n[1-2]x"})
    EXPECT_TRUE(ExpandNodes(list).empty()) << list;
}

TEST(ServerAddress, ReadsNodesUpToTheGreatestNumber) {
  EXPECT_EQ(ExpandNodes("n[4294967294-4294967295]"), (Strings{"n4294967294", "n4294967295"}));
  EXPECT_EQ(ExpandNodes("n[4294967295]"), (Strings{"n4294967295"}));
  EXPECT_TRUE(ExpandNodes("n[4294967296]").empty());
}

TEST(ServerAddress, ReadsNamesOfAFile) {
  const testing::ScratchFolder folder;
  const auto names =
      NamesOfFile(folder.Write("names", "# workers\nchief 10.0.0.1:2222\n10.0.0.2 # second\n"));
  ASSERT_TRUE(names.has_value());
  EXPECT_EQ(Places("chief:1,10.0.0.2:1", *names), (Strings{"10.0.0.1 1", "10.0.0.2 1"}));
  EXPECT_EQ(Places("all:1", *names), (Strings{"10.0.0.1 1", "10.0.0.2 1"}));
  const auto bad = NamesOfFile(folder.Write("bad", "a b c\n"));
  EXPECT_EQ(bad.error().what, "cannot read a line of the names of workers: a b c");
  EXPECT_EQ(NamesOfFile(folder.Write("none", "# nobody\n")).error().what,
            "the file names no workers");
}

}  // namespace
}  // namespace stepscope::capture::server_address_test
