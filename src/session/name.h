// Names a run.
#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace stepscope {

// How a person would call what they gave: the folder, the file, or the first of several. REQUIRES:
// `paths` is not empty.
inline std::string NameOfRun(std::span<const std::string> paths) {
  const bool is_address = paths[0].contains("://");
  std::string name =
      is_address ? paths[0] : std::filesystem::path(paths[0]).lexically_normal().string();
  while (name.size() > 1 && name.ends_with('/')) name.pop_back();
  if (paths.size() > 1) name += " and " + std::to_string(paths.size() - 1) + " more";
  return name;
}

}  // namespace stepscope
