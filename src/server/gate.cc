// Checks tokens and cookies.
#include "server/gate.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/secret.h"

namespace stepscope::server {
namespace {

using http::Url;

// The answer to a browser without the cookie.
const Error kNoToken{
    "missing token", "",
    "open the address that the server printed at its start, or send Authorization: Bearer TOKEN"};

// Following a link to the server, from a mail or a terminal, is not a request of that page.
bool IsFollowed(const Request& request, const Url& url) {
  return url.path.empty() && request.Header("sec-fetch-mode") == "navigate" &&
         request.Header("sec-fetch-dest") == "document";
}

}  // namespace

Gate::Gate(const std::string& host, int port, std::string token, std::vector<std::string> more)
    : gate_(host, port, std::move(more)),
      token_(std::move(token)),
      // Cookies ignore ports: two servers on one machine need two names.
      cookie_("stepscope_" + std::to_string(port)) {}

std::optional<Response> Gate::Stop(const Request& request, const Url& url) const {
  if (!gate_.NamesUs(request)) {
    return Refusal(
        request, 403,
        {"cannot answer: the address names another host", std::string(request.Header("host")),
         "use the printed address, or allow this host when the server starts; over SSH forward the "
         "same port: ssh -L PORT:127.0.0.1:PORT"});
  }
  if (http::Gate::FromOtherSite(request, IsFollowed(request, url))) {
    return Refusal(
        request, 403,
        {"cannot answer: the request comes from another site", "", "open the printed address"});
  }
  const bool posted = TakesFiles(url) || Acts(url) || OpensTraces(url);
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
  return gate_.loopback() && url.path.size() == 2 && url.path[0] == "api" && url.path[1] == "files";
}

bool Gate::Acts(const Url& url) const {
  return gate_.loopback() && url.path.size() >= 2 && url.path[0] == "api" &&
         url.path[1] == "capture";
}

bool Gate::OpensTraces(const Url& url) {
  return url.path.size() >= 2 && url.path[0] == "api" && url.path[1] == "traces";
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
  if (http::SameSite(request.Header("sec-fetch-site"))) {
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
