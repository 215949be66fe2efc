// Finds clients in /proc/net/unix and /proc/PID/fd.
#include "capture/torch/clients.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "base/ascii.h"
#include "base/printable.h"

namespace stepscope::capture {
namespace {

constexpr std::string_view kClientName = "dynoconfigclient";
constexpr size_t kMostAncestors = 64;
constexpr const char* kSockets = "/proc/net/unix";

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
  std::set<int64_t> sockets = ClientSockets(FileText(kSockets), folder);
  if (folder.empty()) return sockets;
  std::set<std::string> seen = {LinkText("/proc/self/ns/net")};
  for (const int64_t pid : pids) {
    const std::string space = LinkText(fmt::format("/proc/{}/ns/net", pid));
    if (space.empty() || !seen.insert(space).second) continue;
    sockets.merge(ClientSockets(FileText(fmt::format("/proc/{}/net/unix", pid)), folder));
  }
  return sockets;
}

// The inode and the path of a line of /proc/net/unix, if that is a client's.
struct ClientSocket {
  int64_t inode = 0;
  std::string_view path;
};

std::optional<ClientSocket> ClientSocketOf(std::string_view line) {
  constexpr size_t kInode = 6;  // columns: Num RefCount Protocol Flags Type St Inode Path
  if (!line.contains(kClientName)) return std::nullopt;
  for (size_t i = 0; i < kInode; ++i) {
    line = line.substr(std::min(line.find(' '), line.size()));
    line = line.substr(std::min(line.find_first_not_of(' '), line.size()));
  }
  const size_t path = line.find(' ');
  const int64_t inode = NumberIn(line);
  if (path == line.npos || inode <= 0) return std::nullopt;
  return ClientSocket{.inode = inode, .path = Trimmed(line.substr(path))};
}

template <class Take>
void EachClientSocket(std::string_view text, const Take& take) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (const auto socket = ClientSocketOf(text.substr(0, end))) take(*socket);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

std::set<int64_t> ClientSockets(std::string_view text, std::string_view folder) {
  const std::string begin =
      folder.empty() ? "@" + std::string(kClientName) : fmt::format("{}/{}", folder, kClientName);
  std::set<int64_t> inodes;
  EachClientSocket(text, [&](const ClientSocket& socket) {
    if (socket.path.starts_with(begin)) inodes.insert(socket.inode);
  });
  return inodes;
}

std::set<std::string> ClientFolders(std::string_view text) {
  std::set<std::string> folders;
  EachClientSocket(text, [&](const ClientSocket& socket) {
    const size_t slash = socket.path.rfind('/');
    const std::string_view name = socket.path.substr(slash == socket.path.npos ? 0 : slash + 1);
    if (name.starts_with(fmt::format("@{}", kClientName)))
      folders.insert("");
    else if (slash != socket.path.npos && name.starts_with(kClientName))
      folders.emplace(socket.path.substr(0, slash));
  });
  return folders;
}

std::string FolderAsBound(const std::string& folder) {
  if (folder.empty()) return folder;
  std::error_code error;
  for (const std::string& bound : ClientFolders(FileText(kSockets))) {
    if (!bound.empty() && std::filesystem::equivalent(bound, folder, error)) return bound;
  }
  std::string absolute = std::filesystem::absolute(folder, error).lexically_normal();
  while (absolute.size() > 1 && absolute.ends_with('/')) absolute.pop_back();
  return error ? folder : absolute;
}

std::string OtherFolders(const std::string& folder) {
  std::vector<std::string> others;
  for (const std::string& bound : ClientFolders(FileText(kSockets))) {
    if (bound == folder) continue;
    others.push_back(bound.empty() ? "without a directory of sockets" : "in " + Printable(bound));
  }
  return fmt::format("{}", fmt::join(others, ", "));
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
