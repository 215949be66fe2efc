// HTTP/1.1 on a port, with limits on what one who asks can cost. Only GET and HEAD reach the
// handler with a body of nothing: a request that brings one is refused.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "server/http.h"
#include "stepscope/result.h"

namespace stepscope::server {

class HttpServer {
 public:
  // Called from many threads at once. What it throws becomes a 500.
  using Handler = std::function<Response(const Request&)>;

  // Listens on `port`, or on any that is free when it is 0; answers nothing before Serve().
  static Result<std::unique_ptr<HttpServer>> Listen(const std::string& host, int port);

  int port() const;

  // Begins to answer. Once.
  void Serve(Handler handler);

  // No more connections; waits for the answers that are being made.
  ~HttpServer();

 private:
  struct State;
  explicit HttpServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace stepscope::server
