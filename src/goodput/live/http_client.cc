// Addresses, connections, patience.
#include "goodput/live/http_client.h"

#include <fmt/format.h>
#include <httplib.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <random>
#include <utility>

namespace stepscope::goodput {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr time_t kPatience = 10;  // seconds, to connect, to write and to be answered

std::unexpected<Error> NoAddress(std::string_view text, std::string hint) {
  return std::unexpected(
      Error{"this is no address of a server", std::string(text), std::move(hint)});
}

// Only seconds are understood, the other form is a date.
int64_t RetryAfter(const std::string& text) {
  int64_t seconds = 0;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return std::clamp<int64_t>(seconds, 0, 3600) * kSecond;
}

std::string Problem(httplib::Error error) {
  switch (error) {
    case httplib::Error::Connection:
      return "cannot connect";
    case httplib::Error::Read:
      return "no answer";
    case httplib::Error::SSLServerVerification:
      return "its certificate is not of anybody this host trusts";
    case httplib::Error::Write:
      return "the connection broke";
    default:
      return httplib::to_string(error);
  }
}

}  // namespace

std::string HttpAddress::Origin() const {
  const bool v6 = host.find(':') != host.npos;
  return fmt::format("{}://{}{}{}:{}", tls ? "https" : "http", v6 ? "[" : "", host, v6 ? "]" : "",
                     port);
}

Result<HttpAddress> ParseHttpAddress(std::string_view text) {
  const std::string_view whole = text;
  HttpAddress address{.tls = text.starts_with("https://")};
  if (!address.tls && !text.starts_with("http://")) {
    return NoAddress(whole, "write http://HOST:PORT, or https");
  }
  if (address.tls) address.port = 443;
  text.remove_prefix(text.find('/') + 2);
  const size_t slash = std::min(text.find('/'), text.size());
  address.path = text.substr(slash);
  while (address.path.ends_with('/')) address.path.pop_back();
  std::string_view place = text.substr(0, slash);
  std::string_view port;
  if (place.starts_with('[')) {
    const size_t end = place.find(']');
    if (end == place.npos) return NoAddress(whole, "an IPv6 address ends with ']'");
    address.host = place.substr(1, end - 1);
    port = place.substr(end + 1);
  } else {
    const size_t colon = std::min(place.find(':'), place.size());
    address.host = place.substr(0, colon);
    port = place.substr(colon);
  }
  if (address.host.empty()) return NoAddress(whole, "write http://HOST:PORT");
  if (port.empty()) return address;
  port.remove_prefix(1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  const bool good = error == std::errc() && end == port.data() + port.size();
  if (!good || address.port < 1 || address.port > 65535) {
    return NoAddress(whole, "a port is a number from 1 to 65535");
  }
  return address;
}

struct HttpPoster::Client {
  httplib::Client http;
  httplib::Headers headers;
};

HttpPoster::HttpPoster(HttpAddress address, const std::string& token)
    : address_(std::move(address)), client_(new Client{httplib::Client(address_.Origin()), {}}) {
  // The library writes without asking for no signal: a server that goes must not end this process.
  std::signal(SIGPIPE, SIG_IGN);
  if (!token.empty()) client_->headers.emplace("Authorization", "Bearer " + token);
  httplib::Client& http = client_->http;
  http.set_keep_alive(true);
  http.set_tcp_nodelay(true);
  http.set_connection_timeout(kPatience);
  http.set_read_timeout(kPatience);
  http.set_write_timeout(kPatience);
}

HttpPoster::~HttpPoster() = default;

HttpAnswer HttpPoster::Post(const std::string& path, const std::string& body, const char* type) {
  const auto result = client_->http.Post(address_.path + path, client_->headers, body, type);
  if (!result) return {.body = Problem(result.error())};
  return {.status = result->status,
          .body = result->body,
          .retry_after = RetryAfter(result->get_header_value("Retry-After"))};
}

void HttpPoster::Stop() { client_->http.stop(); }

Backoff::Backoff(int64_t first, int64_t most)
    : first_(first), most_(most), next_(first), chance_(std::random_device{}()) {}

int64_t Backoff::Next() {
  const int64_t now = std::exchange(next_, std::min(most_, 2 * next_));
  chance_ = chance_ * 6364136223846793005 + 1442695040888963407;
  return now - static_cast<int64_t>((chance_ >> 33) % static_cast<uint64_t>(now / 4 + 1));
}

}  // namespace stepscope::goodput
