// Checks names, sites, tokens and cookies.
#include "server/gate.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/loopback.h"
#include "base/secret.h"

namespace stepscope::server {
namespace {

using http::Url;

// The answer to a browser without the cookie.
const Error kNoToken{
    "missing token", "",
    "open the address that the server printed at its start, or send Authorization: Bearer TOKEN"};

// "[::1]" of an IPv6 address, else as it is.
std::string InUrl(const std::string& host) {
  return host.find(':') == host.npos ? host : "[" + host + "]";
}

// Whether the host is a numeric address, as in a Host header. DNS rebinding needs a name.
bool IsAddress(std::string_view host) {
  std::array<unsigned char, sizeof(in6_addr)> ignored;
  if (host.starts_with('[') && host.ends_with(']')) {
    const std::string inside(host.substr(1, host.size() - 2));
    return inet_pton(AF_INET6, inside.c_str(), ignored.data()) == 1;
  }
  return inet_pton(AF_INET, std::string(host).c_str(), ignored.data()) == 1;
}

bool SameSite(std::string_view site) {
  return site.empty() || site == "same-origin" || site == "none";
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

Gate::Gate(std::string host, int port, std::string token)
    : host_(InUrl(host)),
      port_(":" + std::to_string(port)),
      token_(std::move(token)),
      // Cookies ignore ports: two servers on one machine need two names.
      cookie_("stepscope_" + std::to_string(port)),
      loopback_(IsLoopback(host)),
      machine_(IsLoopback(host) ? std::vector<std::string>() : MachineNames()) {}

std::optional<Response> Gate::Stop(const Request& request, const Url& url) const {
  if (!IsOurName(request.Header("host"))) {
    return Refusal(
        request, 403,
        {"cannot answer: the address names another host", std::string(request.Header("host")),
         "use the printed address; over SSH forward the same port: ssh -L "
         "PORT:127.0.0.1:PORT"});
  }
  if (FromOtherSite(request, url)) {
    return Refusal(
        request, 403,
        {"cannot answer: the request comes from another site", "", "open the printed address"});
  }
  const bool posted = TakesFiles(url) || Acts(url);
  if (posted && request.method != "POST") {
    return Refusal(request, 405, {"cannot answer: this is asked by POST", request.method, ""});
  }
  if (!posted && request.method != "GET" && request.method != "HEAD") {
    return Refusal(request, 405,
                   {"cannot answer: the method is not GET or HEAD", request.method, ""});
  }
  if (url.path.empty() && url.Has("token")) {
    if (SameSecret(url.Get("token"), token_)) return LetIn(request);
    return Refusal(request, 401, {"wrong token", "", kNoToken.hint});
  }
  if (!KnowsToken(request)) return Refusal(request, 401, kNoToken);
  return std::nullopt;
}

bool Gate::TakesFiles(const Url& url) const {
  return loopback_ && url.path.size() == 2 && url.path[0] == "api" && url.path[1] == "files";
}

bool Gate::Acts(const Url& url) const {
  return loopback_ && url.path.size() >= 2 && url.path[0] == "api" && url.path[1] == "capture";
}

// Browsers leave out the port of HTTP.
bool Gate::IsOurName(std::string_view host) const {
  if (host.ends_with(port_))
    host.remove_suffix(port_.size());
  else if (port_ != ":80")
    return false;
  if (host == "127.0.0.1" || host == "localhost" || host == "[::1]" || host == host_) return true;
  return !machine_.empty() &&
         (IsAddress(host) || std::ranges::find(machine_, host) != machine_.end());
}

bool Gate::FromOtherSite(const Request& request, const Url& url) const {
  const std::string_view origin = request.Header("origin");
  if (request.HasHeader("origin") && origin != "http://" + std::string(request.Header("host"))) {
    return true;
  }
  // Following a link to the server, from a mail or a terminal, is not a request of that page.
  const bool followed = url.path.empty() && request.Header("sec-fetch-mode") == "navigate" &&
                        request.Header("sec-fetch-dest") == "document";
  return !followed && !SameSite(request.Header("sec-fetch-site"));
}

bool Gate::KnowsToken(const Request& request) const {
  constexpr std::string_view kBearer = "bearer ";  // in any case, as schemes are
  const std::string_view said = request.Header("authorization");
  if (Lower(said.substr(0, kBearer.size())) == kBearer)
    return SameSecret(said.substr(kBearer.size()), token_);
  std::string_view cookies = request.Header("cookie");
  while (!cookies.empty()) {
    const size_t end = std::min(cookies.find(';'), cookies.size());
    std::string_view one = cookies.substr(0, end);
    cookies.remove_prefix(std::min(end + 1, cookies.size()));
    while (one.starts_with(' ')) one.remove_prefix(1);
    if (!one.starts_with(cookie_) || !one.substr(cookie_.size()).starts_with('=')) continue;
    if (SameSecret(one.substr(cookie_.size() + 1), token_)) return true;
  }
  return false;
}

Response Gate::LetIn(const Request& request) const {
  Response response{.status = 303, .headers = {}, .body = nullptr};
  response.headers.emplace_back("Set-Cookie",
                                cookie_ + "=" + token_ + "; HttpOnly; SameSite=Strict; Path=/");
  if (SameSite(request.Header("sec-fetch-site"))) {
    response.headers.emplace_back("Location", "/");
    return response;
  }
  // A link on another site: the browser sends no cookie through a redirect that another site
  // began. It sends one from a page of this server.
  response.status = 200;
  response.body = MakeBody("text/html; charset=utf-8",
                           "<!doctype html><meta http-equiv=\"refresh\" content=\"0;url=/\">"
                           "<title>Stepscope</title>\n");
  return response;
}

}  // namespace stepscope::server
