// Lets requests in that have the token, name this server, and come from no other site.
//
// http/gate.h keeps out other sites. The token keeps out all other users of this machine and, if
// the server listens beyond it, of the network.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/gate.h"
#include "http/url.h"
#include "server/refusal.h"

namespace stepscope::server {

class Gate {
 public:
  // `host` and `port` are those the server listens on, `host` as it was given; `more` are further
  // names of it.
  Gate(const std::string& host, int port, std::string token, std::vector<std::string> more = {});

  // Returns the response to a request that is not let in: a refusal, or at "/?token=..." the
  // cookie. No value: the request is let in. What takes files or
  // acts is asked by POST, all else by GET.
  std::optional<Response> Stop(const Request& request, const http::Url& url) const;
  // Whether the address takes files, and from whom: only this machine.
  bool TakesFiles(const http::Url& url) const;
  // Whether the address does something beyond answering, such as a capture: only for this machine.
  bool Acts(const http::Url& url) const;
  // Whether the address opens or closes traces of ranks.
  static bool OpensTraces(const http::Url& url);
  bool loopback() const { return gate_.loopback(); }

 private:
  bool KnowsToken(const Request& request) const;
  Response LetIn(const Request& request) const;

  http::Gate gate_;
  std::string token_, cookie_;
};

}  // namespace stepscope::server
