// Checks the directory before writing.
#include "demo/folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/file_writer.h"

namespace stepscope::demo {
namespace {

namespace fs = std::filesystem;

std::unexpected<Error> Failed(std::string what, const std::string& where,
                              const std::error_code& code) {
  return std::unexpected(
      Error{.what = std::move(what), .where = where, .hint = "system error: " + code.message()});
}

std::unexpected<Error> Foreign(const std::string& folder, std::string_view name) {
  return std::unexpected(Error{
      .what = fmt::format(
          "cannot use the directory: it contains {}, which is not from a synthetic job", name),
      .where = folder,
      .hint = "choose an empty or new directory; other files are never overwritten"});
}

std::string_view WithoutSuffix(std::string_view name, std::string_view suffix) {
  return name.ends_with(suffix) ? name.substr(0, name.size() - suffix.size()) : name;
}

// Whether `name` is "rank-N.pt.trace.json" or the same with ".gz".
bool IsTraceName(std::string_view name) {
  constexpr std::string_view kPrefix = "rank-", kSuffix = ".pt.trace.json";
  name = WithoutSuffix(name, ".gz");
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return false;
  if (name.size() <= kPrefix.size() + kSuffix.size()) return false;
  const std::string_view number =
      name.substr(kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size());
  return std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; });
}

// Whether the file begins as TruthJson does.
bool IsDemoTruth(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string head(64, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  return head.contains("\"stepscope.demo/");
}

}  // namespace

std::string TraceName(int rank, bool compress) {
  return fmt::format("rank-{}.pt.trace.json{}", rank, compress ? ".gz" : "");
}

Result<std::vector<std::string>> PrepareFolder(const std::string& folder) {
  if (folder.empty()) {
    return std::unexpected(Error{.what = "missing output directory",
                                 .where = "",
                                 .hint = "name one that is empty or does not exist yet"});
  }
  std::error_code code;
  fs::create_directories(folder, code);
  if (code) return Failed("cannot create the directory", folder, code);
  std::vector<std::string> names;
  std::string trace;  // one that is complete, if any
  bool is_demo = false;
  // Incremented by hand: only so does the iterator report errors as values.
  for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
    const std::string name = at->path().filename().string();
    const std::string_view whole = WithoutSuffix(name, kPartialSuffix);
    if (!at->is_regular_file(code) || (whole != kTruthName && !IsTraceName(whole))) {
      return Foreign(folder, name);
    }
    if (whole == kTruthName) {
      if (whole == name && !IsDemoTruth(at->path())) return Foreign(folder, name);
      is_demo = is_demo || IsDemoTruth(at->path());
    } else if (whole == name) {
      trace = name;
    }
    names.push_back(name);
  }
  if (code) return Failed("cannot list the directory", folder, code);
  if (!trace.empty() && !is_demo) return Foreign(folder, trace);
  return names;
}

Result<void> RemoveStale(const std::string& folder, const std::vector<std::string>& names,
                         const std::vector<std::string>& keep) {
  for (const std::string& name : names) {
    if (std::ranges::binary_search(keep, name)) continue;
    const fs::path path = fs::path(folder) / name;
    std::error_code code;
    fs::remove(path, code);
    if (code)
      return Failed("cannot remove a file of an earlier synthetic job", path.string(), code);
  }
  return {};
}

}  // namespace stepscope::demo
