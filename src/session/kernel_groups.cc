// Reads kernel groups from TOML.
#include "stepscope/kernel_groups.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <system_error>
#include <toml.hpp>

#include "base/system_error.h"
#include "base/valid_utf8.h"

namespace stepscope {
namespace {

constexpr size_t kMostGroups = 32;
constexpr std::ptrdiff_t kMostBrackets = 1000;  // toml11 goes one call deeper for each open one
constexpr const char* kHint = "write [groups], then lines such as all_reduce = [\"*AllReduce*\"]";

// TOML's tables as the file orders them.
using Value = toml::basic_value<toml::discard_comments, std::map, std::vector>;

std::unexpected<Error> Wrong(std::string what, std::string hint = kHint) {
  return std::unexpected(Error{std::move(what), "", std::move(hint)});
}

// toml11 says where with a picture of several lines; its first line says what.
std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

Result<std::vector<std::string>> PatternsOf(const std::string& group, const Value& value) {
  std::vector<std::string> patterns;
  if (value.is_string()) {
    patterns.push_back(value.as_string());
  } else if (value.is_array()) {
    for (const Value& item : value.as_array()) {
      if (!item.is_string()) return Wrong("a pattern of group '" + group + "' is not a text");
      patterns.push_back(item.as_string());
    }
  } else {
    return Wrong("group '" + group + "' is neither a pattern nor a list of patterns");
  }
  if (patterns.empty()) return Wrong("group '" + group + "' has no pattern");
  return patterns;
}

struct Placed {
  KernelGroup group;
  uint_least32_t line;
};

Result<std::vector<KernelGroup>> GroupsOf(const Value& file) {
  if (!file.contains("groups") || !file.at("groups").is_table()) {
    return Wrong("missing table [groups]");
  }
  std::vector<Placed> placed;
  for (const auto& [name, value] : file.at("groups").as_table()) {
    auto patterns = PatternsOf(name, value);
    if (!patterns) return std::unexpected(patterns.error());
    placed.push_back({{name, std::move(*patterns)}, value.location().line()});
  }
  if (placed.empty()) return Wrong("[groups] is empty");
  if (placed.size() > kMostGroups)
    return Wrong("there are more than 32 groups", "keep at most 32 groups");
  std::ranges::stable_sort(placed, {}, &Placed::line);
  std::vector<KernelGroup> groups;
  for (Placed& p : placed) groups.push_back(std::move(p.group));
  return groups;
}

// Whether some number in base 2 has more digits than a number of 64 bits: toml11 overflows.
bool HasLongBinary(std::string_view text) {
  constexpr size_t kMostDigits = 62;
  for (size_t at = text.find("0b"); at != text.npos; at = text.find("0b", at + 2)) {
    const size_t end = std::min(text.find_first_not_of("01_", at + 2), text.size());
    if (end - at - 2 > kMostDigits) return true;
  }
  return false;
}

}  // namespace

Result<std::vector<KernelGroup>> ParseKernelGroups(std::string_view text) {
  if (std::ranges::count_if(text, [](char c) { return c == '[' || c == '{'; }) > kMostBrackets) {
    return Wrong("the file has more than a thousand brackets", "write fewer lists");
  }
  // toml11 reads beyond the end of some texts that are no UTF-8, which no TOML is.
  std::string valid;
  AppendValidUtf8(valid, text);
  if (valid != text) return Wrong("the file is not TOML: it is not UTF-8");
  if (HasLongBinary(valid)) return Wrong("the file is not TOML: a number has more than 64 bits");
  std::istringstream in{valid + "\n"};
  try {
    return GroupsOf(toml::parse<toml::discard_comments, std::map, std::vector>(in, "groups"));
  } catch (const std::exception& error) {  // toml11 throws what it cannot read
    return Wrong("the file is not TOML: " + FirstLine(error.what()));
  }
}

Result<std::vector<KernelGroup>> ReadKernelGroups(const std::string& path) {
  constexpr std::streamoff kLargest = 1 << 20;
  constexpr const char* kCannot = "cannot read the file of kernel groups";
  if (std::error_code failed; std::filesystem::is_directory(path, failed)) {
    return std::unexpected(SystemError(kCannot, EISDIR, path));
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::unexpected(SystemError(kCannot, errno, path));
  std::string text(kLargest + 1, '\0');
  in.read(text.data(), kLargest + 1);
  text.resize(static_cast<size_t>(in.gcount()));
  if (text.size() > kLargest) {
    return std::unexpected(
        Error{"the file of kernel groups is larger than 1 MB", path, "give a TOML file of groups"});
  }
  auto groups = ParseKernelGroups(text);
  if (!groups) groups.error().where = path;
  return groups;
}

}  // namespace stepscope
