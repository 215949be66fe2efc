// Lets requests in that name this server and come from no other site.
//
// A page of another site in the same browser can send requests here, and by DNS rebinding even
// under a name of its own; it cannot set Host, Origin or Sec-Fetch-Site.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"

namespace stepscope::http {

// Returns the names of this machine: its own, and the one in its domain if there is one.
std::vector<std::string> MachineNames();

class Gate {
 public:
  // `host` and `port` are those the server listens on, `host` as it was given. `more`: further
  // names by which clients may call it, with any port.
  Gate(const std::string& host, int port, std::vector<std::string> more = {});

  // Whether the Host header names this server. On loopback only its names and addresses do; beyond,
  // those of this machine and all numeric addresses, since rebinding needs a name.
  bool NamesUs(const Request& request) const;

  // Whether a browser sent the request for a page of another site. `followed`: a link to here is
  // no request of that page.
  static bool FromOtherSite(const Request& request, bool followed = false);

  bool loopback() const { return loopback_; }

 private:
  std::string host_, port_;
  std::vector<std::string> more_, machine_;  // machine_: empty if the server listens on loopback
  bool loopback_;
};

// Whether Sec-Fetch-Site says that no other site is involved.
bool SameSite(std::string_view site);

}  // namespace stepscope::http
