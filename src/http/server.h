// Serves HTTP/1.1 with limits on what a client can cost.
#pragma once

#include <memory>
#include <string>

#include "http/server_options.h"
#include "stepscope/result.h"

namespace stepscope::http {

// One thread reads and writes all connections, so slow clients block nobody. A head must arrive
// within 10 s in at most 32 KB, a body within 60 s, and some of a response must be taken every 20
// s. Responses are fitted to their requests (see Negotiate). Connections are kept between requests.
class Server {
 public:
  // Listens on `port`, or on any free one when it is 0; answers nothing before Serve(). Shares the
  // port with no other process.
  static Result<std::unique_ptr<Server>> Listen(const std::string& host, int port,
                                                ServerOptions options);

  int port() const;

  // Starts to answer. REQUIRES: called once.
  void Serve(Handler handler);

  // Stops accepting, lets running handlers know by Request::gone, waits for them, and up to 2 s
  // until their responses are sent.
  ~Server();

 private:
  struct State;
  explicit Server(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace stepscope::http
