// Captures profiles of many servers at once: one thread, one common start, a file for each.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "capture/grpc/grpc_reason.h"
#include "capture/grpc/profile_file.h"
#include "capture/grpc/profile_request.h"
#include "capture/grpc/server_address.h"

namespace stepscope::capture {

struct ServersProgress {
  std::string doing;
  size_t done = 0, all = 0;
};

struct ServersOptions {
  std::vector<ServerAddress> servers;
  ProfileSettings settings;           // but `start`, which follows from `delay`
  int64_t delay = 0;                  // ns from the connections to the common start
  int64_t patience = 10'000'000'000;  // ns in which a busy server is asked again
  // From 1: takes the n-th part of what continuous profiling records, instead of a window.
  int snapshot = 0;
  std::string folder;                  // exists; each profile is named by its server
  int64_t most_bytes = 2'147'483'647;  // of one profile; protocol buffers end there too
  std::function<bool()> cancelled;     // ends the sessions, and takes what they have
  std::function<void(const ServersProgress&)> on_progress;
};

// What became of one server. Moments are ns since 1970 of the server's clock.
struct ServerTrace {
  ServerAddress server;
  std::string file;  // name within the folder; empty: there is none
  int64_t bytes = 0;
  int64_t duration = 0;  // ns that were asked for in the end
  Reason reason;         // empty where there is a file
  ProfileFacts facts;
  std::vector<std::string> remarks;  // whole sentences without the server's name
};

struct ServersResult {
  int64_t start = 0;  // the common start on this machine's clock; 0: each at once
  bool cancelled = false;
  std::vector<ServerTrace> traces;  // in the order of the servers
};

// Returns when all servers have answered or their time is over: at the latest the delay, three
// times the duration, the patience and some minutes after the call.
ServersResult ProfileServers(const ServersOptions& options);

// One server's answer to a small call.
struct ServerAnswer {
  ServerAddress server;
  std::string bytes;
  GrpcEnd end;

  bool ok() const { return end.ok(); }
};

// Makes one call to all servers at once, for at most `time` ns; a stop ends it.
std::vector<ServerAnswer> CallServers(const std::vector<ServerAddress>& servers,
                                      std::string_view path, std::string_view request, int64_t time,
                                      const std::function<bool()>& cancelled);

// "worker-0_9012.xplane.pb": what a server's profile is named, as TensorFlow names them; of the
// second snapshot "worker-0_9012.window-0002.xplane.pb" (ingest/rank_name.h reads it).
std::string ProfileName(const ServerAddress& server, int snapshot = 0);

}  // namespace stepscope::capture
