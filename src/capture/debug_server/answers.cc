// Parses addresses, and reads a few members of answers without parsing all of them.
#include "capture/debug_server/answers.h"

#include <charconv>
#include <string>

#include "base/ascii.h"
#include "http/url.h"

namespace stepscope::capture {
namespace {

constexpr size_t kHead = size_t{1} << 16;  // bytes in which members other than events are

std::unexpected<Error> NoAddress(std::string_view address) {
  return std::unexpected(Error{"cannot read the address of a debug server", std::string(address),
                               "write HOST:PORT, or the path of a Unix socket"});
}

}  // namespace

Result<http::Endpoint> EndpointOf(std::string_view address) {
  address = Trimmed(address);
  if (address.starts_with("unix://")) address.remove_prefix(7);
  if (address.starts_with('/')) return http::Endpoint{.host = std::string(address)};
  const bool named = address.contains("://");
  const auto parsed =
      http::ParseAddress(named ? std::string(address) : "http://" + std::string(address));
  if (!parsed || parsed->tls || parsed->host.empty()) return NoAddress(address);
  const std::string_view authority = named ? address.substr(address.find("://") + 3) : address;
  const size_t colon = authority.rfind(':');
  if (colon == authority.npos || authority.find(']', colon) != authority.npos)
    return NoAddress(address);
  const std::string_view digits =
      authority.substr(colon + 1, authority.find('/', colon) - colon - 1);
  if (digits != std::to_string(parsed->port)) return NoAddress(address);
  return http::Endpoint{.host = parsed->host, .port = parsed->port};
}

std::optional<int64_t> RankIn(std::string_view json) {
  const size_t info = json.substr(0, kHead).find("\"distributedInfo\"");
  if (info == json.npos) return std::nullopt;
  std::string_view rest = json.substr(info, 4096);
  const size_t key = rest.find("\"rank\"");
  if (key == rest.npos) return std::nullopt;
  rest.remove_prefix(key + 6);
  rest.remove_prefix(std::min(rest.find_first_not_of(" :"), rest.size()));
  int64_t rank = -1;
  std::from_chars(rest.data(), rest.data() + rest.size(), rank);
  return rank >= 0 ? std::optional(rank) : std::nullopt;
}

bool HasEvents(std::string_view trace) {
  trace = Trimmed(trace);
  return trace.starts_with('{') && trace.ends_with('}') && trace.contains("\"traceEvents\"") &&
         trace.contains("\"ph\"");
}

}  // namespace stepscope::capture
