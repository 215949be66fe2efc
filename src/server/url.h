// The address of a question: path and query, from any bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stepscope/result.h"

namespace stepscope::server {

struct Url {
  std::vector<std::string> path;  // "/api/runs/x" is {"api", "runs", "x"}, "/" is {}
  std::vector<std::pair<std::string, std::string>> query;

  // The first value of this name; empty: none.
  std::string_view Get(std::string_view name) const;
  bool Has(std::string_view name) const;
  // The items of a value with commas; none where there is none.
  std::vector<std::string> List(std::string_view name) const;
  // A whole number. Fails, and says which, when it is none or lies outside; `absent` where there is
  // none and one is given.
  Result<int64_t> Integer(std::string_view name, int64_t least, int64_t most,
                          std::optional<int64_t> absent = std::nullopt) const;
  // Whole numbers from 0 and ranges of them, "0,4..7": ascending, each once; empty where there is
  // no value. Fails on what is no such list, and on more than `most` numbers.
  Result<std::vector<int64_t>> Numbers(std::string_view name, size_t most) const;
};

// Escapes that are none stay as they are; dots mean nothing. Nothing when it does not begin with
// '/', or has too many parts.
std::optional<Url> ParseUrl(std::string_view target);

// A whole number and nothing else.
std::optional<int64_t> ParseInteger(std::string_view text);

}  // namespace stepscope::server
