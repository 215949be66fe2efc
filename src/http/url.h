// Parses request targets and server addresses from any bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stepscope/result.h"

namespace stepscope::http {

// The path and query of a request, decoded.
struct Url {
  std::vector<std::string> path;  // "/api/runs/x" is {"api", "runs", "x"}, "/" is {}
  std::vector<std::pair<std::string, std::string>> query;

  // The first value of this name, or empty.
  std::string_view Get(std::string_view name) const;
  bool Has(std::string_view name) const;
  // The items of a value with commas; none if there is no value.
  std::vector<std::string> List(std::string_view name) const;
  // A whole number from `least` to `most`, or `absent` if there is no such name. Fails otherwise.
  Result<int64_t> Integer(std::string_view name, int64_t least, int64_t most,
                          std::optional<int64_t> absent = std::nullopt) const;
  // Whole numbers from 0 and ranges of them, "0,4..7", ascending and each once; none if there is
  // no value. Fails on anything else, and on more than `most` numbers.
  Result<std::vector<int64_t>> Numbers(std::string_view name, size_t most) const;
};

// Parses a request's target in origin form (RFC 9112, 3.2.1). Dots in the path have no meaning.
// Nothing if it is invalid or has more than 64 parts.
std::optional<Url> ParseUrl(std::string_view target);

// Parses a whole number; nothing if there is anything else.
std::optional<int64_t> ParseInteger(std::string_view text);

// Where a server listens.
struct Address {
  bool tls = false;
  std::string host;  // an IPv6 address without brackets
  int port = 80;
  std::string path;  // "" or "/..."

  std::string Authority() const;  // "host:port"
  std::string Text() const;       // "http://host:port/path"
};

// Parses "http://host[:port][/path]", or https; an IPv6 address stands in brackets. Fails on
// anything else.
Result<Address> ParseAddress(std::string_view text);

}  // namespace stepscope::http
