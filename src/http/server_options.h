// Defines the callbacks and limits of a server.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "http/message.h"

namespace stepscope::http {

// Called from several threads at once. An exception becomes a 500.
using Handler = std::function<Response(const Request&)>;

struct ServerOptions {
  size_t threads = 16;       // handlers that run at once; further requests wait
  size_t connections = 128;  // open at once; beyond that the most idle one is closed
  size_t most_body = 0;      // bytes of a request's body, as sent; more is answered with 413
  Headers headers;           // added to every response
  // Called with the head of each request, before its body is read: a response refuses the request.
  // Must not block. Empty: accepts all.
  std::function<std::optional<Response>(const Request&)> refuse;
};

}  // namespace stepscope::http
