// Implements addresses: what one looks like, and lists of them.
#include "capture/grpc/server_address.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>
#include <utility>

namespace stepscope::capture {
namespace {

constexpr size_t kMostServers = 10'000;
constexpr std::string_view kUsual =
    "write host:port; usual ports are 9012 or 9999 for JAX and PyTorch/XLA, 6009 for TensorFlow";

std::unexpected<Error> Bad(std::string what, std::string_view where, std::string_view hint) {
  return std::unexpected(Error{std::move(what), std::string(where), std::string(hint)});
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<uint8_t>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<uint8_t>(text.back()))) text.remove_suffix(1);
  return text;
}

// Without scheme and closing slash.
std::string_view Bare(std::string_view text) {
  for (const std::string_view scheme :
       {"grpc://", "http://", "ip://", "ip:///", "dns:///", "ipv4:"}) {
    if (text.starts_with(scheme)) {
      text.remove_prefix(scheme.size());
      break;
    }
  }
  while (text.starts_with('/')) text.remove_prefix(1);
  while (text.ends_with('/')) text.remove_suffix(1);
  return text;
}

bool IsHost(std::string_view host) {
  return !host.empty() && host.size() <= 253 && std::ranges::all_of(host, [](char c) {
    return std::isalnum(static_cast<uint8_t>(c)) || c == '.' || c == '-' || c == '_' || c == ':' ||
           c == '%';
  });
}

Result<ServerAddress> ParseOne(std::string_view text) {
  if (text.starts_with("https://") || text.starts_with("grpcs://"))
    return Bad("profiler servers speak no TLS", text,
               "write host:port, through a tunnel if need be");
  const std::string_view bare = Bare(text);
  const size_t colon = bare.rfind(':');
  const bool bracket = bare.starts_with('[');
  const size_t close = bracket ? bare.find(']') : std::string_view::npos;
  if (colon == bare.npos || (bracket && (close == bare.npos || colon != close + 1)))
    return Bad("missing port", text, kUsual);
  const std::string_view host = bracket ? bare.substr(1, close - 1) : bare.substr(0, colon);
  if (!bracket && host.contains(':'))
    return Bad("cannot read this address", text, "write IPv6 addresses as [::1]:9012");
  int port = 0;
  const std::string_view digits = bare.substr(colon + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc() || end != digits.data() + digits.size() || port < 1 || port > 65535)
    return Bad("cannot read this port: it must be a number from 1 to 65535", text, kUsual);
  if (!IsHost(host)) return Bad("cannot read this host", text, kUsual);
  return ServerAddress{.written = std::string(bare), .host = std::string(host), .port = port};
}

}  // namespace

Result<std::vector<ServerAddress>> ParseServers(const std::vector<std::string>& texts,
                                                const NameTable& names) {
  std::vector<ServerAddress> servers;
  std::set<std::pair<std::string, int>> seen;
  const auto add = [&](ServerAddress server) {
    if (seen.insert({server.host, server.port}).second) servers.push_back(std::move(server));
  };
  for (const std::string& text : texts) {
    for (std::string_view rest = text; !rest.empty();) {
      const size_t comma = std::min(rest.find(','), rest.size());
      const std::string_view part = Trim(rest.substr(0, comma));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
      if (part.empty()) continue;
      auto server = ParseOne(part);
      if (!server) return std::unexpected(server.error());
      if (server->host == "all" && !names.hosts.contains("all")) {
        if (names.all.empty())
          return Bad("no list of workers is known", part,
                     "set CLUSTER_SPEC, TF_CONFIG, TPU_WORKER_HOSTNAMES or SLURM_JOB_NODELIST, or "
                     "give `names`");
        for (const std::string& host : names.all)
          add({.written = host + ":" + std::to_string(server->port),
               .host = host,
               .port = server->port});
        continue;
      }
      const auto named = names.hosts.find(server->host);
      if (named != names.hosts.end()) server->host = named->second;
      add(std::move(*server));
      if (servers.size() > kMostServers)
        return Bad("these are more than 10,000 servers", "", "give fewer addresses");
    }
  }
  if (servers.empty()) return Bad("missing address: there is nothing to capture from", "", kUsual);
  return servers;
}

}  // namespace stepscope::capture
