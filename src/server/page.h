// Finds files of the page as `ui/` was built: compiled in by tools/embed_files.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "server/refusal.h"
#include "stepscope/result.h"

namespace stepscope::server {

struct PageFile {
  std::string_view path;  // "assets/stepscope.js"
  std::string_view type;  // "text/javascript; charset=utf-8"
  std::string_view gzip;
};

// All files that are served, "index.html" among them; none in a build without the page.
std::span<const PageFile> PageFiles();

// The page with its script and style inside, for report.html. The data goes where kDataPlace is.
std::string_view OneFilePageGzip();
// Fails in a build without the page, which says how to make one with it.
Result<void> CheckPage();
inline constexpr std::string_view kDataPlace = "<!--stepscope-data-->";

// The file at this path; null where there is none such.
std::shared_ptr<const Body> FindPageFile(std::string_view path);

}  // namespace stepscope::server
