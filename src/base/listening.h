// The port of a server that nobody shares.
#pragma once

#include <sys/socket.h>

#include <cerrno>
#include <string>

#include "stepscope/result.h"

namespace stepscope {

// For a socket that is to listen. cpp-httplib would have the system allow others on the same port,
// where each then gets some of the connections; this one only takes over what an ended server left.
inline void ListenAlone(int fd) {
  const int yes = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
}

// Why a server cannot listen, by errno as the attempt left it.
inline Error CannotListen(const std::string& host, int port) {
  const std::string where = host + ":" + std::to_string(port);
  if (errno == EADDRINUSE) {
    return {"this port is in use: another program listens there", where,
            "end that one, or set another `port` (0: any that is free)"};
  }
  if (errno == EACCES) {
    return {"this port may not be listened on", where,
            "ports below 1024 are the system's: set another `port`"};
  }
  return {"cannot listen there", where,
          "is this host an address of this machine? set another `host` or `port`"};
}

}  // namespace stepscope
