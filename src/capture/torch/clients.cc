// Finds clients in /proc/net/unix and /proc/PID/fd.
#include "capture/torch/clients.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "base/ascii.h"

namespace stepscope::capture {
namespace {

constexpr std::string_view kClientName = "dynoconfigclient";
constexpr size_t kMostAncestors = 64;

std::string FileText(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string LinkText(const std::string& path) {
  std::array<char, 256> text{};
  const ssize_t size = readlink(path.c_str(), text.data(), text.size());
  return size > 0 ? std::string(text.data(), static_cast<size_t>(size)) : "";
}

int64_t NumberIn(std::string_view text) {
  int64_t value = -1;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

struct OpenFiles {
  std::set<int64_t> sockets;  // inodes
  bool device = false;
};

OpenFiles FilesOf(int64_t pid) {
  OpenFiles files;
  std::error_code error;
  const std::string folder = fmt::format("/proc/{}/fd", pid);
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    const std::string link = LinkText(at->path().string());
    if (link.starts_with("socket:["))
      files.sockets.insert(NumberIn(std::string_view(link).substr(8)));
    const bool nvidia = link.starts_with("/dev/nvidia") && link.size() > 11 && IsDigit(link[11]);
    files.device = files.device || nvidia || link == "/dev/kfd" || link.starts_with("/dev/accel");
  }
  return files;
}

std::vector<int64_t> AncestorsOf(int64_t pid) {
  std::vector<int64_t> ancestors;
  while (ancestors.size() < kMostAncestors) {
    const auto process = ParseStat(FileText(fmt::format("/proc/{}/stat", pid)));
    if (!process || process->parent <= 0) break;
    ancestors.push_back(pid = process->parent);
  }
  return ancestors;
}

// Sockets in a directory are reached from other network namespaces too, which list their own.
std::set<int64_t> AllClientSockets(const std::string& folder, std::span<const int64_t> pids) {
  std::set<int64_t> sockets = ClientSockets(FileText("/proc/net/unix"), folder);
  if (folder.empty()) return sockets;
  std::set<std::string> seen = {LinkText("/proc/self/ns/net")};
  for (const int64_t pid : pids) {
    const std::string space = LinkText(fmt::format("/proc/{}/ns/net", pid));
    if (space.empty() || !seen.insert(space).second) continue;
    sockets.merge(ClientSockets(FileText(fmt::format("/proc/{}/net/unix", pid)), folder));
  }
  return sockets;
}

}  // namespace

std::set<int64_t> ClientSockets(std::string_view text, std::string_view folder) {
  constexpr size_t kInode = 6;  // columns: Num RefCount Protocol Flags Type St Inode Path
  const std::string begin =
      folder.empty() ? "@" + std::string(kClientName) : fmt::format("{}/{}", folder, kClientName);
  std::set<int64_t> inodes;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.contains(begin)) continue;
    for (size_t i = 0; i < kInode; ++i) {
      line = line.substr(std::min(line.find(' '), line.size()));
      line = line.substr(std::min(line.find_first_not_of(' '), line.size()));
    }
    const size_t path = line.find(' ');
    const int64_t inode = NumberIn(line);
    if (path != line.npos && inode > 0 && Trimmed(line.substr(path)).starts_with(begin))
      inodes.insert(inode);
  }
  return inodes;
}

std::vector<Client> FindClients(const std::string& folder) {
  const std::vector<int64_t> pids = AllPids();
  const std::set<int64_t> sockets = AllClientSockets(folder, pids);
  std::map<int64_t, std::vector<Client>> holders;  // by inode
  if (sockets.empty()) return {};
  for (const int64_t pid : pids) {
    const OpenFiles files = FilesOf(pid);
    for (const int64_t socket : sockets) {
      if (!files.sockets.contains(socket)) continue;
      auto process = ReadProcess(pid);
      if (process && process->state != 'Z')
        holders[socket].push_back({*std::move(process), AncestorsOf(pid), files.device});
    }
  }
  std::map<int64_t, Client> clients;  // by pid
  for (auto& [socket, all] : holders) {
    for (Client& client : all) {
      const bool forked = std::ranges::any_of(
          all, [&](const Client& other) { return client.IsBelow(other.process.pid); });
      if (!forked) clients.try_emplace(client.process.pid, client);
    }
  }
  std::vector<Client> found;
  for (auto& [pid, client] : clients) found.push_back(std::move(client));
  return found;
}

}  // namespace stepscope::capture
