// Puts the parts of the server together.
#include "stepscope/server.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>

#include "base/loopback.h"
#include "base/secret.h"
#include "http/gate.h"
#include "http/server.h"
#include "server/api.h"
#include "server/page.h"
#include "server/runs.h"
#include "server/sources.h"

namespace stepscope {

using server::Api;
using server::Gate;
using server::Runs;

struct PageServer::State {
  ~State() {
    if (runs) runs->Stop();  // or an answer that waits for a run would hold up the end
  }

  std::string url, warning;
  server::Dropped dropped;
  std::optional<server::Ledgers> ledgers;
  server::Snapshots snapshots;
  std::optional<Runs> runs;
  std::optional<server::Captures> captures;
  std::optional<server::SqlBox> sql;
  std::optional<Api> api;
  std::unique_ptr<http::Server> http;  // the last member: ends before the others do
};

namespace {

// Of this machine.
size_t HalfOfMemory() {
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGE_SIZE);
  return pages > 0 && size > 0 ? static_cast<size_t>(pages) / 2 * static_cast<size_t>(size)
                               : SIZE_MAX;
}

// What a browser may do with anything that comes from here.
http::Headers SafetyHeaders() {
  return {{"Content-Security-Policy",
           "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
           "img-src 'self' data: blob:; font-src 'self'; base-uri 'none'; form-action 'none'; "
           "frame-ancestors 'none'"},
          {"X-Content-Type-Options", "nosniff"},
          {"X-Frame-Options", "DENY"},
          {"Referrer-Policy", "no-referrer"},
          {"Cross-Origin-Opener-Policy", "same-origin"},
          {"Cross-Origin-Embedder-Policy", "require-corp"},
          {"Cross-Origin-Resource-Policy", "same-origin"},
          {"Permissions-Policy", "camera=(), microphone=(), geolocation=()"},
          // Kept, but revalidated each time: a run may have been read again.
          {"Cache-Control", "private, no-cache"}};
}

constexpr size_t kMostBody = size_t{16} << 20;  // a part of a file that is dropped on the page

using Refusing = std::function<std::optional<server::Response>(const server::Request&)>;

// Many threads, as a request waits while its run is being read.
http::ServerOptions HttpOptions(Refusing refuse) {
  return {.threads = 64,
          .connections = 128,
          .most_body = kMostBody,
          .headers = SafetyHeaders(),
          .refuse = std::move(refuse)};
}

server::Response Answered(const Api& api, const server::Request& request) {
  try {
    return api.Answer(request);
  } catch (const std::exception& error) {  // out of memory, or a defect
    return server::Refusal(request, 500, {std::string("cannot answer: ") + error.what(), "", ""});
  }
}

bool IsAnyAddress(const std::string& host) { return host == "0.0.0.0" || host == "::"; }

// What a browser on this machine opens.
std::string UrlOf(const std::string& host, int port, const std::string& token) {
  const std::string name = IsAnyAddress(host)   ? "127.0.0.1"
                           : host.contains(':') ? "[" + host + "]"
                                                : host;
  return fmt::format("http://{}:{}/?token={}", name, port, token);
}

// What is said where we listen beyond this machine, with the address for others.
std::string OverTheNetwork(const std::string& host, int port, const std::string& token) {
  std::string text =
      "the page and its token are sent unencrypted; outside a trusted network, use a TLS proxy or "
      "forward the port over SSH";
  const auto names = http::MachineNames();
  if (IsAnyAddress(host) && !names.empty())
    text += "; from other machines, open " + UrlOf(names.back(), port, token);
  return text;
}

// A token is part of an address and of a cookie.
bool IsGoodToken(const std::string& token) {
  return token.size() >= 16 &&
         token.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
             "~") == token.npos;
}

}  // namespace

PageServer::PageServer(std::unique_ptr<State> state) : state_(std::move(state)) {}
PageServer::PageServer(PageServer&&) noexcept = default;
PageServer& PageServer::operator=(PageServer&&) noexcept = default;
PageServer::~PageServer() = default;

const std::string& PageServer::url() const { return state_->url; }
const std::string& PageServer::warning() const { return state_->warning; }

Result<PageServer> PageServer::Start(const PageServerOptions& options) {
  if (auto checked = server::CheckPage(); !checked) return std::unexpected(checked.error());
  const bool loopback = IsLoopback(options.host);
  if (!loopback && options.token.empty()) {
    return std::unexpected(
        Error{"listening beyond this host needs a token", options.host, "set `token`"});
  }
  if (!options.token.empty() && !IsGoodToken(options.token)) {
    return std::unexpected(Error{
        "cannot use the token: it is too short, or has characters that addresses do not", "`token`",
        "use 16 or more letters, digits and - _ . ~, such as from 'openssl rand -hex 16'"});
  }
  if (const auto checked = server::CheckPaths(options.paths, options.storage); !checked) {
    return std::unexpected(checked.error());
  }
  if (const auto checked = server::CheckFiles(options.hangs); !checked) {
    return std::unexpected(checked.error());
  }
  if (const auto checked = server::CheckFiles(options.trace_folders); !checked) {
    return std::unexpected(checked.error());
  }
  if (const auto checked = server::CheckFiles(options.goodput.scheduler_files); !checked) {
    return std::unexpected(checked.error());
  }
  if (const auto checked = Session::Check(options.settings); !checked) {
    return std::unexpected(checked.error());
  }
  auto token = options.token.empty() ? NewSecret() : Result<std::string>(options.token);
  if (!token) return std::unexpected(token.error());
  auto state = std::make_unique<State>();
  // Nothing is asked before there is an api.
  const auto refuse = [of = state.get()](const server::Request& request) {
    return of->api->RefuseBody(request);
  };
  auto http = http::Server::Listen(options.host, options.port, HttpOptions(refuse));
  if (!http) return std::unexpected(http.error());
  const int port = (*http)->port();
  state->url = UrlOf(options.host, port, *token);
  state->warning = loopback ? "" : OverTheNetwork(options.host, port, *token);
  Runs& runs = state->runs.emplace(Runs::Options{.paths = options.paths,
                                                 .hangs = options.hangs,
                                                 .storage = options.storage,
                                                 .threads = options.threads,
                                                 .settings = options.settings,
                                                 .max_input = options.max_input,
                                                 .most = {options.most_names, options.most_rows},
                                                 .keep = options.keep,
                                                 .keep_bytes = HalfOfMemory(),
                                                 .look_every = options.look_every,
                                                 .trace_folders = options.trace_folders});
  const bool opens_traces = loopback || !options.trace_folders.empty();
  server::Ledgers& ledgers = state->ledgers.emplace(options.goodput);
  const Api& api =
      state->api.emplace(Gate(options.host, port, *token, options.allow_hosts), runs,
                         state->dropped, ledgers, state->snapshots, state->captures.emplace(runs),
                         state->sql.emplace(server::SqlLimits{.timeout = options.query_timeout,
                                                              .memory = options.query_memory}),
                         server::TraceDoor{opens_traces});
  state->http = std::move(*http);
  state->http->Serve([&api](const server::Request& request) { return Answered(api, request); });
  return PageServer(std::move(state));
}

}  // namespace stepscope
