// One HTTP request on a connection of its own, for servers whose answers are large or take long.
#pragma once

#include <string>

#include "http/stream.h"

namespace stepscope::http {

struct Reply {
  int status = 0;  // 0: there is none, and `failure` says why
  std::string body;
  Failure failure = Failure::kNone;
};

// Sends `method` `target` with an empty body, and reads the answer to its end. No TLS, no
// redirects, and no second try.
Reply Exchange(const Endpoint& to, const std::string& method, const std::string& target,
               const Limits& limits);

}  // namespace stepscope::http
