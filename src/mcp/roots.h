// Keeps every path below the directories that the user gave.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "stepscope/result.h"

namespace stepscope::mcp {

class Roots {
 public:
  // Fails where none is given, or one is no directory.
  static Result<Roots> Open(const std::vector<std::string>& directories);

  // The file or directory that `path` leads to, with all links resolved; a relative path starts at
  // a root, the first that has it. Fails where it is outside, whether or not there is anything, and
  // where there is nothing, or something else than a file or a directory.
  Result<std::string> Resolve(const std::string& path) const;

  // Fails where a link at or below `resolved` leads outside, or there is too much to look at.
  Result<void> CheckLinks(const std::string& resolved) const;

  // Whether it lies below a root, links resolved.
  bool Holds(const std::string& path) const;

  // "`/data/runs`, `/data/old`".
  std::string Say() const;

 private:
  bool IsBelow(const std::filesystem::path& canonical) const;
  Error Outside(std::string_view path) const;

  std::vector<std::filesystem::path> roots_;  // canonical
};

}  // namespace stepscope::mcp
