// Reads addresses of profiler servers as people write them, with names from the job's environment.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stepscope/result.h"

namespace stepscope::capture {

struct ServerAddress {
  std::string written;  // "workerpool0-0:9012", without the scheme
  std::string host;     // where to connect: "cmle-training-0"; an IPv6 address without brackets
  int port = 0;

  friend bool operator==(const ServerAddress&, const ServerAddress&) = default;
};

// Names of workers and where they are.
struct NameTable {
  std::map<std::string, std::string> hosts;  // "workerpool0-0" -> "cmle-training-0"
  std::vector<std::string> all;              // hosts of all workers in order, each once

  void Add(const std::string& name, std::string_view address);
};

// The value of an environment variable, or nothing.
using ReadVariable = std::function<std::optional<std::string>(const std::string& name)>;
std::optional<std::string> VariableOfProcess(const std::string& name);

// Names of CLUSTER_SPEC (Vertex AI), TF_CONFIG, TPU_WORKER_HOSTNAMES (GKE, Cloud TPU) and Slurm's
// list of nodes, whichever are set. Values that cannot be read are left out.
NameTable NamesOfEnvironment(const ReadVariable& read);

// Names of a file: the JSON of CLUSTER_SPEC or TF_CONFIG, or lines "HOST" and "NAME HOST"; a host
// may have a port, which counts for nothing. '#' begins a comment.
Result<NameTable> NamesOfFile(const std::string& path);

// "host:port", with grpc://, http:// or ip:// before it, separated by commas. A name of the table
// stands for its host, "all:9012" for every host of the table. Each server once. Fails on anything
// else, on none, and on more than 10,000.
Result<std::vector<ServerAddress>> ParseServers(const std::vector<std::string>& texts,
                                                const NameTable& names);

// Slurm's "node[01-03,7],login" as names; nothing if it is not such a list or has over 10,000.
std::vector<std::string> ExpandNodes(std::string_view list);

}  // namespace stepscope::capture
