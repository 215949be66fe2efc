// Looks for listening sockets in /proc/net and for their owners in /proc/PID/fd.
#include "capture/debug_server/local_server.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/loopback.h"

namespace stepscope::capture {
namespace {

// "socket:[INODE]" of TCP sockets that listen on this port.
std::set<std::string> ListeningOn(int port) {
  std::set<std::string> sockets;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream in(table);
    for (std::string line; std::getline(in, line);) {
      std::istringstream words(line);
      std::vector<std::string> fields;
      for (std::string word; words >> word;) fields.push_back(word);
      constexpr size_t kLocal = 1, kState = 3, kInode = 9;
      if (fields.size() <= kInode || fields[kState] != "0A") continue;  // LISTEN
      if (fields[kLocal].ends_with(fmt::format(":{:04X}", port)))
        sockets.insert(fmt::format("socket:[{}]", fields[kInode]));
    }
  }
  return sockets;
}

std::set<std::string> ListeningAt(const std::string& path) {
  std::set<std::string> sockets;
  std::ifstream in("/proc/net/unix");
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::vector<std::string> fields;
    for (std::string word; words >> word;) fields.push_back(word);
    constexpr size_t kFlags = 3, kInode = 6, kPath = 7;
    if (fields.size() > kPath && fields[kPath] == path && fields[kFlags] == "00010000")
      sockets.insert(fmt::format("socket:[{}]", fields[kInode]));
  }
  return sockets;
}

bool Holds(int64_t pid, const std::set<std::string>& sockets) {
  std::error_code error;
  const std::string folder = fmt::format("/proc/{}/fd", pid);
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    std::array<char, 64> link{};
    const ssize_t size = readlink(at->path().c_str(), link.data(), link.size());
    if (size > 0 && sockets.contains(std::string(link.data(), static_cast<size_t>(size))))
      return true;
  }
  return false;
}

}  // namespace

std::optional<Process> ProcessListening(const http::Endpoint& at) {
  const bool path = at.host.starts_with('/');
  if (!path && !IsLoopback(at.host) && at.host != HostName()) return std::nullopt;
  const auto sockets = path ? ListeningAt(at.host) : ListeningOn(at.port);
  if (sockets.empty()) return std::nullopt;
  // A forked child has its parent's sockets: the parent, which is older, is meant.
  std::optional<Process> oldest;
  for (const int64_t pid : AllPids()) {
    if (!Holds(pid, sockets)) continue;
    auto process = ReadProcess(pid);
    if (process && (!oldest || process->start_ticks < oldest->start_ticks))
      oldest = *std::move(process);
  }
  return oldest;
}

}  // namespace stepscope::capture
