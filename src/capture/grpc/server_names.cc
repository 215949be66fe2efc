// Implements tables of workers' names: from the environment of a job, and from files.
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "base/system_error.h"
#include "capture/grpc/server_address.h"

namespace stepscope::capture {
namespace {

using Json = nlohmann::json;

constexpr size_t kMostNodes = 10'000;
constexpr size_t kMostFile = 4 << 20;  // bytes

// The host of "host:port"; an IPv6 address without brackets.
std::string_view HostOf(std::string_view address) {
  for (const std::string_view scheme : {"grpc://", "http://"})
    if (address.starts_with(scheme)) address.remove_prefix(scheme.size());
  if (address.starts_with('[')) return address.substr(1, address.find(']') - 1);
  const size_t colon = address.find(':');
  if (colon != address.npos && address.find(':', colon + 1) != address.npos) return address;
  return address.substr(0, colon);
}

// {"cluster": {"workerpool0": ["host:2222", ...], ...}}. Vertex AI names workers "workerpool0-0",
// TensorFlow "worker:0" and "worker/0"; all of these lead there, and "worker0" too.
bool AddCluster(NameTable& names, const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return false;
  const auto cluster = json.find("cluster");
  if (cluster == json.end() || !cluster->is_object()) return false;
  for (const auto& [task, addresses] : cluster->items()) {
    if (!addresses.is_array()) continue;
    for (size_t i = 0; i < std::min(addresses.size(), kMostNodes); ++i) {
      if (!addresses[i].is_string()) continue;
      const auto address = addresses[i].get<std::string>();
      const std::string number = std::to_string(i);
      names.Add(task + "-" + number, address);
      names.Add(task + number, address);
      if (i == 0) names.Add(task, address);
    }
  }
  return true;
}

void AddList(NameTable& names, const std::vector<std::string>& hosts, const std::string& prefix) {
  for (size_t i = 0; i < hosts.size(); ++i) names.Add(prefix + std::to_string(i), hosts[i]);
}

std::vector<std::string> SplitCommas(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream rest(text);
  for (std::string part; parts.size() < kMostNodes && std::getline(rest, part, ',');)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

// "01-03" or "7" after `prefix`, with zeros kept. False if it is neither.
bool AddRange(std::vector<std::string>& nodes, const std::string& prefix, std::string_view range) {
  const size_t dash = range.find('-');
  const std::string_view low = range.substr(0, dash);
  const std::string_view high = dash == range.npos ? low : range.substr(dash + 1);
  uint32_t first = 0, last = 0;
  const auto whole = [](std::string_view digits, uint32_t& number) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return error == std::errc() && end == digits.data() + digits.size();
  };
  if (!whole(low, first) || !whole(high, last) || last < first) return false;
  if (last - first >= kMostNodes || nodes.size() + (last - first) >= kMostNodes) return false;
  for (uint32_t k = 0; k <= last - first; ++k) {
    std::string digits = std::to_string(first + k);
    if (digits.size() < low.size()) digits.insert(0, low.size() - digits.size(), '0');
    nodes.push_back(prefix + digits);
  }
  return true;
}

// The next item of a list: up to a comma that is not within brackets.
std::string_view NextItem(std::string_view& list) {
  size_t at = 0;
  for (bool inside = false; at < list.size() && (inside || list[at] != ','); ++at) {
    if (list[at] == '[') inside = true;
    if (list[at] == ']') inside = false;
  }
  const std::string_view item = list.substr(0, at);
  list.remove_prefix(std::min(at + 1, list.size()));
  return item;
}

}  // namespace

void NameTable::Add(const std::string& name, std::string_view address) {
  const std::string host(HostOf(address));
  if (host.empty()) return;
  hosts.try_emplace(name, host);
  if (std::ranges::find(all, host) == all.end()) all.push_back(host);
}

std::vector<std::string> ExpandNodes(std::string_view list) {
  std::vector<std::string> nodes;
  while (!list.empty()) {
    const std::string_view item = NextItem(list);
    const size_t open = item.find('[');
    if (open == item.npos) {
      if (!item.empty()) nodes.emplace_back(item);
      continue;
    }
    if (!item.ends_with(']')) return {};
    std::string_view ranges = item.substr(open + 1, item.size() - open - 2);
    while (!ranges.empty()) {
      const size_t comma = std::min(ranges.find(','), ranges.size());
      if (!AddRange(nodes, std::string(item.substr(0, open)), ranges.substr(0, comma))) return {};
      ranges.remove_prefix(std::min(comma + 1, ranges.size()));
    }
  }
  return nodes.size() > kMostNodes ? std::vector<std::string>() : nodes;
}

std::optional<std::string> VariableOfProcess(const std::string& name) {
  const char* const value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe)
  if (value == nullptr) return std::nullopt;
  return value;
}

NameTable NamesOfEnvironment(const ReadVariable& read) {
  NameTable names;
  for (const char* const variable : {"CLUSTER_SPEC", "TF_CONFIG"})
    if (const auto value = read(variable)) AddCluster(names, *value);
  if (const auto value = read("TPU_WORKER_HOSTNAMES"))
    AddList(names, SplitCommas(*value), "worker-");
  for (const char* const variable : {"SLURM_JOB_NODELIST", "SLURM_NODELIST"})
    if (const auto value = read(variable)) AddList(names, ExpandNodes(*value), "node-");
  return names;
}

Result<NameTable> NamesOfFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::unexpected(SystemError("cannot read the names of workers", errno, path));
  std::string text(kMostFile, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  NameTable names;
  if (AddCluster(names, text)) return names;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string name, host, more;
    if (!(words >> name)) continue;
    if (!(words >> host)) host = name;
    if (words >> more || name.size() > 253 || host.size() > 300)
      return std::unexpected(
          Error{"cannot read a line of the names of workers: " + line.substr(0, 80), path,
                "write NAME HOST on each line, or the JSON of CLUSTER_SPEC"});
    names.Add(name, host);
  }
  if (names.hosts.empty())
    return std::unexpected(Error{"the file names no workers", path,
                                 "write NAME HOST on each line, or the JSON of CLUSTER_SPEC"});
  return names;
}

}  // namespace stepscope::capture
