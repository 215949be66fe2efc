// Makes bodies of the embedded files on first request.
#include "server/page.h"

#include <map>
#include <string>

namespace stepscope::server {

Result<void> CheckPage() {
  if (!PageFiles().empty()) return {};
  return std::unexpected(Error{"this build has no page", "", "build Stepscope with ./dev build"});
}

std::shared_ptr<const Body> FindPageFile(std::string_view path) {
  static const auto kBodies = [] {
    std::map<std::string_view, std::shared_ptr<const Body>> bodies;
    for (const PageFile& file : PageFiles()) {
      bodies.emplace(file.path, GzipBody(std::string(file.type), file.gzip));
    }
    return bodies;
  }();
  const auto found = kBodies.find(path);
  return found == kBodies.end() ? nullptr : found->second;
}

}  // namespace stepscope::server
