// Explains why a server cannot listen on a port.
#pragma once

#include <cerrno>
#include <string>

#include "stepscope/result.h"

namespace stepscope {

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
