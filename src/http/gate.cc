// Checks Host, Origin and Sec-Fetch-Site.
#include "http/gate.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.h"
#include "base/loopback.h"

namespace stepscope::http {
namespace {

// "[::1]" of an IPv6 address, else as it is; names in lower case.
std::string InUrl(const std::string& host) {
  return host.find(':') == host.npos || host.starts_with('[') ? Lower(host)
                                                              : "[" + Lower(host) + "]";
}

// Whether the host is a numeric address, as in a Host header.
bool IsAddress(std::string_view host) {
  std::array<unsigned char, sizeof(in6_addr)> ignored;
  if (host.starts_with('[') && host.ends_with(']')) {
    const std::string inside(host.substr(1, host.size() - 2));
    return inet_pton(AF_INET6, inside.c_str(), ignored.data()) == 1;
  }
  return inet_pton(AF_INET, std::string(host).c_str(), ignored.data()) == 1;
}

// Without ":80", if there is a port.
std::string_view WithoutPort(std::string_view host) {
  const size_t colon = host.rfind(':');
  if (colon == host.npos || host.find(']', colon) != host.npos) return host;
  return host.substr(0, colon);
}

bool Has(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

std::vector<std::string> MachineNames() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return {};
  std::vector<std::string> names = {name.data()};
  addrinfo asked{}, *found = nullptr;
  asked.ai_flags = AI_CANONNAME;
  if (getaddrinfo(name.data(), nullptr, &asked, &found) != 0) return names;
  if (found->ai_canonname != nullptr && names.front() != found->ai_canonname)
    names.emplace_back(found->ai_canonname);
  freeaddrinfo(found);
  return names;
}

Gate::Gate(const std::string& host, int port, std::vector<std::string> more)
    : host_(InUrl(host)),
      port_(":" + std::to_string(port)),
      more_(std::move(more)),
      machine_(IsLoopback(host) ? std::vector<std::string>() : MachineNames()),
      loopback_(IsLoopback(host)) {
  for (std::string& name : more_) name = InUrl(name);
  for (std::string& name : machine_) name = Lower(name);
}

// Browsers leave out the port of HTTP. Names are in any case.
bool Gate::NamesUs(const Request& request) const {
  const std::string said = Lower(request.Header("host"));
  std::string_view host = said;
  if (!more_.empty() && Has(more_, WithoutPort(host))) return true;
  if (host.ends_with(port_)) {
    host.remove_suffix(port_.size());
  } else if (port_ != ":80") {
    return false;
  }
  if (host == "127.0.0.1" || host == "localhost" || host == "[::1]" || host == host_) return true;
  return !machine_.empty() && (IsAddress(host) || Has(machine_, host));
}

bool Gate::FromOtherSite(const Request& request, bool followed) {
  const std::string origin = Lower(request.Header("origin"));
  if (request.HasHeader("origin") && origin != "http://" + Lower(request.Header("host"))) {
    return true;
  }
  return !followed && !SameSite(request.Header("sec-fetch-site"));
}

bool SameSite(std::string_view site) {
  return site.empty() || site == "same-origin" || site == "none";
}

}  // namespace stepscope::http
