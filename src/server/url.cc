// Splitting and unescaping.
#include "server/url.h"

#include <algorithm>
#include <charconv>

namespace stepscope::server {
namespace {

constexpr size_t kMostParts = 64;

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string Unescaped(std::string_view text, bool plus_is_space) {
  std::string out;
  for (size_t k = 0; k < text.size(); ++k) {
    const int high = text[k] == '%' && k + 2 < text.size() ? HexDigit(text[k + 1]) : -1;
    const int low = high >= 0 ? HexDigit(text[k + 2]) : -1;
    if (low >= 0) {
      out += static_cast<char>(high * 16 + low);
      k += 2;
    } else {
      out += plus_is_space && text[k] == '+' ? ' ' : text[k];
    }
  }
  return out;
}

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
    for (int64_t number = *first; number <= *last; ++number) numbers.push_back(number);
  }
  std::ranges::sort(numbers);
  numbers.erase(std::ranges::unique(numbers).begin(), numbers.end());
  return numbers;
}

std::optional<Url> ParseUrl(std::string_view target) {
  if (!target.starts_with('/')) return std::nullopt;
  const size_t question = std::min(target.find('?'), target.size());
  const auto parts = Split(target.substr(1, question - 1), '/');
  const auto pairs = Split(target.substr(std::min(question + 1, target.size())), '&');
  if (parts.size() > kMostParts || pairs.size() > kMostParts) return std::nullopt;
  Url url;
  for (const std::string_view part : parts) url.path.push_back(Unescaped(part, false));
  for (const std::string_view pair : pairs) {
    const size_t equals = std::min(pair.find('='), pair.size());
    url.query.emplace_back(Unescaped(pair.substr(0, equals), true),
                           Unescaped(pair.substr(std::min(equals + 1, pair.size())), true));
  }
  return url;
}

std::optional<int64_t> ParseInteger(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

}  // namespace stepscope::server
