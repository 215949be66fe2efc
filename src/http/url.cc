// Parses addresses with Boost.URL, and numbers and lists in queries.
#include "http/url.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>
#include <charconv>

namespace stepscope::http {
namespace {

constexpr size_t kMostParts = 64;

// The parts between separators; none of an empty text.
std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  if (text.empty()) return parts;
  for (size_t from = 0;;) {
    const size_t to = std::min(text.find(separator, from), text.size());
    parts.push_back(text.substr(from, to - from));
    if (to == text.size()) return parts;
    from = to + 1;
  }
}

}  // namespace

std::string_view Url::Get(std::string_view name) const {
  const auto found = std::ranges::find(query, name, [](const auto& q) { return q.first; });
  return found == query.end() ? std::string_view{} : found->second;
}

bool Url::Has(std::string_view name) const {
  return std::ranges::any_of(query, [&](const auto& q) { return q.first == name; });
}

std::vector<std::string> Url::List(std::string_view name) const {
  std::vector<std::string> items;
  for (const std::string_view item : Split(Get(name), ',')) items.emplace_back(item);
  return items;
}

Result<int64_t> Url::Integer(std::string_view name, int64_t least, int64_t most,
                             std::optional<int64_t> absent) const {
  if (absent && !Has(name)) return *absent;
  const auto number = ParseInteger(Get(name));
  if (number && *number >= least && *number <= most) return *number;
  return std::unexpected(Error{"'" + std::string(name) + "' must be a whole number from " +
                                   std::to_string(least) + " to " + std::to_string(most),
                               std::string(Get(name)), ""});
}

Result<std::vector<int64_t>> Url::Numbers(std::string_view name, size_t most) const {
  std::vector<int64_t> numbers;
  for (const std::string_view item : Split(Get(name), ',')) {
    const size_t dots = item.find("..");
    const auto first = ParseInteger(item.substr(0, dots));
    const auto last = dots == item.npos ? first : ParseInteger(item.substr(dots + 2));
    if (first && last && *first >= 0 && *first <= *last &&
        static_cast<uint64_t>(*last - *first) >= most - numbers.size()) {
      return std::unexpected(
          Error{"these are more than " + std::to_string(most) + " " + std::string(name),
                std::string(item), ""});
    }
    if (!first || !last || *first < 0 || *first > *last) {
      return std::unexpected(Error{"cannot read these " + std::string(name), std::string(item),
                                   std::string(name) + "=0,4..7"});
    }
    // `number <= *last` would hold for all numbers where that is the greatest.
    for (int64_t k = 0; k <= *last - *first; ++k) numbers.push_back(*first + k);
  }
  std::ranges::sort(numbers);
  numbers.erase(std::ranges::unique(numbers).begin(), numbers.end());
  return numbers;
}

std::optional<Url> ParseUrl(std::string_view target) {
  const auto parsed = boost::urls::parse_origin_form(target);
  if (!parsed || parsed->segments().size() > kMostParts || parsed->params().size() > kMostParts) {
    return std::nullopt;
  }
  Url url;
  for (const auto& part : parsed->segments()) url.path.emplace_back(part);
  for (const auto& param : parsed->params()) url.query.emplace_back(param.key, param.value);
  return url;
}

std::optional<int64_t> ParseInteger(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

std::string Address::Authority() const {
  const bool v6 = host.contains(':');
  return fmt::format("{}{}{}:{}", v6 ? "[" : "", host, v6 ? "]" : "", port);
}

std::string Address::Text() const {
  return fmt::format("{}://{}{}", tls ? "https" : "http", Authority(), path);
}

Result<Address> ParseAddress(std::string_view text) {
  const auto fail = [&](const char* hint) {
    return std::unexpected(Error{"cannot read the address of a server", std::string(text), hint});
  };
  const auto parsed = boost::urls::parse_uri(text);
  if (!parsed || !parsed->has_authority() || parsed->host().empty() || parsed->has_userinfo() ||
      parsed->has_query() || parsed->has_fragment() ||
      !(parsed->encoded_path().empty() || parsed->encoded_path().starts_with('/'))) {
    return fail("write http://HOST:PORT");
  }
  Address address{.tls = parsed->scheme_id() == boost::urls::scheme::https};
  if (!address.tls && parsed->scheme_id() != boost::urls::scheme::http) {
    return fail("write http://HOST:PORT, or https");
  }
  address.host = parsed->host_address();
  address.port = parsed->has_port() ? parsed->port_number() : address.tls ? 443 : 80;
  if (address.port == 0) return fail("a port is a number from 1 to 65535");
  address.path = parsed->encoded_path();
  while (address.path.ends_with('/')) address.path.pop_back();
  return address;
}

}  // namespace stepscope::http
