// Lets requests in that have the token, name this server, and come from no other site.
//
// A page of another site in the same browser can send requests here, and by DNS rebinding even
// under a name of its own; it cannot set Host, Origin or Sec-Fetch-Site. The token keeps out all
// other users of this machine and, if the server listens beyond it, of the network.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/url.h"
#include "server/refusal.h"

namespace stepscope::server {

// Returns the names of this machine: its own, and the one in its domain if there is one.
std::vector<std::string> MachineNames();

class Gate {
 public:
  // `host` and `port` are those the server listens on, `host` as it was given.
  Gate(std::string host, int port, std::string token);

  // Returns the response to a request that is not let in: a refusal, or at "/?token=..." the
  // cookie. No value: the request is let in. What takes files or
  // acts is asked by POST, all else by GET.
  std::optional<Response> Stop(const Request& request, const http::Url& url) const;
  // Whether the address takes files, and from whom: only this machine.
  bool TakesFiles(const http::Url& url) const;
  // Whether the address does something beyond answering, such as a capture: only for this machine.
  bool Acts(const http::Url& url) const;
  bool loopback() const { return loopback_; }

 private:
  bool IsOurName(std::string_view host) const;
  bool FromOtherSite(const Request& request, const http::Url& url) const;
  bool KnowsToken(const Request& request) const;
  Response LetIn(const Request& request) const;

  std::string host_, port_, token_, cookie_;
  bool loopback_;
  std::vector<std::string> machine_;  // its names; empty if the server listens on loopback
};

}  // namespace stepscope::server
