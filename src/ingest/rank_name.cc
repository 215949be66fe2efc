// Reads ranks and snapshots from paths.
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
  if (rank) return rank;
  const auto of_ascend = NumberBehind(lower, "ascend_pytorch_profiler");
  return of_ascend ? of_ascend : NumberBehind(lower, "worker");
}

struct Snapshot {
  std::string_view process;  // empty: it is none
  int64_t number = -1;
};

Snapshot SnapshotOf(std::string_view path) {
  constexpr std::string_view kWindow = ".window-", kEnd = ".xplane.pb";
  if (path.ends_with(".gz")) path.remove_suffix(3);
  if (!path.ends_with(kEnd)) return {};
  path.remove_suffix(kEnd.size());
  const size_t at = path.rfind(kWindow);
  if (at == path.npos) return {};
  const std::string_view digits = path.substr(at + kWindow.size());
  int64_t number = -1;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), number);
  if (error != std::errc() || end != digits.end() || number < 0) return {};
  return {path.substr(0, at), number};
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

std::string ProcessOfSnapshot(std::string_view path) {
  return std::string(SnapshotOf(path).process);
}

int64_t NumberOfSnapshot(std::string_view path) { return SnapshotOf(path).number; }

}  // namespace stepscope
