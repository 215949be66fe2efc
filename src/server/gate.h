// Who may ask: those who know the token, under a name that is ours, and from no other site.
//
// A page of another site in the same browser can send requests here, and by DNS rebinding even
// under a name of its own; it cannot set Host, Origin or Sec-Fetch-Site. The token keeps out
// everybody else on this machine and, where we listen beyond it, on the network.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/url.h"
#include "server/refusal.h"

namespace stepscope::server {

// Of the machine: its own, and that in its domain if it knows one.
std::vector<std::string> MachineNames();

class Gate {
 public:
  // As we listen: `host` as it was given, the port, and the token.
  Gate(std::string host, int port, std::string token);

  // The answer that ends it: a refusal, or at "/?token=..." the cookie. Nothing: go on.
  std::optional<Response> Stop(const Request& request, const http::Url& url) const;

 private:
  bool IsOurName(std::string_view host) const;
  bool FromOtherSite(const Request& request, const http::Url& url) const;
  bool KnowsToken(const Request& request) const;
  Response LetIn(const Request& request) const;

  std::string host_, port_, token_, cookie_;
  std::vector<std::string> machine_;  // its names, where we listen beyond loopback
};

}  // namespace stepscope::server
