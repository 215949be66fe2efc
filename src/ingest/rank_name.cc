// Reads the rank from a file's path.
#include "ingest/rank_name.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>

namespace stepscope {
namespace {

// The number behind the last `word` of the name that has one, with at most one separator between.
std::optional<int64_t> NumberBehind(std::string_view name, std::string_view word) {
  for (size_t at = name.rfind(word); at != name.npos;
       at = at == 0 ? name.npos : name.rfind(word, at - 1)) {
    std::string_view rest = name.substr(at + word.size());
    if (!rest.empty() && std::string_view("-_.= ").contains(rest[0])) rest.remove_prefix(1);
    int32_t number = -1;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (error == std::errc() && number >= 0) return number;
  }
  return std::nullopt;
}

std::optional<int64_t> RankInName(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto rank = NumberBehind(lower, "rank");
  return rank ? rank : NumberBehind(lower, "worker");
}

}  // namespace

std::optional<int64_t> RankFromPath(std::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash == path.npos) return RankInName(path);
  if (const auto rank = RankInName(path.substr(slash + 1))) return rank;
  const std::string_view folder = path.substr(0, slash);
  const size_t before = folder.rfind('/');
  return RankInName(before == folder.npos ? folder : folder.substr(before + 1));
}

}  // namespace stepscope
