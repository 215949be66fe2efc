// Finds the processes of this machine in which libkineto waits for a request, and chooses among
// them.
//
// libkineto binds a socket "dynoconfigclient<uuid>" when torch is imported, so the processes are
// known before they poll: nothing is bound, sent or changed to list them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "capture/common/process.h"
#include "stepscope/capture.h"
#include "stepscope/result.h"

namespace stepscope::capture {

struct Client {
  Process process;
  std::vector<int64_t> ancestors;  // pids: parent, its parent, ...
  bool holds_device = false;       // an NVIDIA or AMD device is open

  bool IsBelow(int64_t pid) const { return std::ranges::find(ancestors, pid) != ancestors.end(); }
};

// Inodes of clients' sockets in the text of /proc/net/unix. With a folder those bound in it; else
// the abstract ones.
std::set<int64_t> ClientSockets(std::string_view text, std::string_view folder);

// The folders in which such sockets are bound; empty for the abstract ones.
std::set<std::string> ClientFolders(std::string_view text);

// The folder as the sockets in it are bound, which is how replies must be addressed; without any,
// its absolute path.
std::string FolderAsBound(const std::string& folder);

// Where processes of this machine ask for captures, but in `folder`: "without a directory of
// sockets", "in /run/job"; empty: nowhere.
std::string OtherFolders(const std::string& folder);

// The processes that made these sockets. `folder`: as FolderAsBound() has it. A forked child, as of
// a data loader, has its parent's socket too and is left out. Of other users only what /proc shows:
// no environment.
std::vector<Client> FindClients(const std::string& folder);

// Which are asked for: these and their descendants; else all of this job; else all of one launcher.
struct Choice {
  std::vector<int64_t> pids;
  std::string job;
  bool all = false;  // every worker of every job, if neither is given
  int64_t user = 0;  // who asks: root too captures own processes only
};

// The reason of a worker that could be traced, and is not of what was asked for.
inline constexpr std::string_view kNotAsked = "not asked for";

struct Chosen {
  std::vector<CaptureTarget> targets;  // all clients, in order of rank and pid
  // Set where it is not clear which are meant, or they are not there: then none is chosen.
  std::optional<Error> problem;
  std::vector<std::string> remarks;  // whole sentences
};
Chosen Choose(std::span<const Client> clients, const Choice& choice);

}  // namespace stepscope::capture
