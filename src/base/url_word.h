// Tells URLs of traces, such as s3://bucket/run/, from paths.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "base/ascii.h"
#include "stepscope/result.h"

namespace stepscope {

// "scheme://" is in front, and there is no such file. Addresses of PostgreSQL are ledgers.
inline bool IsUrl(const std::string& word) {
  const size_t end = word.find("://");
  if (end == word.npos || end == 0 || word.starts_with("postgres")) return false;
  const bool scheme = std::ranges::all_of(word.substr(0, end), [](char c) {
    return IsWordChar(c) || c == '+' || c == '-' || c == '.' || c == ':';  // "zip::s3"
  });
  std::error_code error;
  return scheme && !std::filesystem::exists(std::filesystem::symlink_status(word, error));
}

// Without what may be secret: "user:password@", and of http the query, which may be a signature.
inline std::string WithoutSecrets(std::string url) {
  const size_t from = url.find("://");
  if (from == url.npos) return url;
  if (url.starts_with("http")) url.resize(std::min(url.size(), url.find('?')));
  const size_t authority = from + 3, slash = url.find('/', authority);
  const size_t at = std::string_view(url).substr(0, slash).rfind('@');
  if (at != url.npos && at >= authority) url.erase(authority, at + 1 - authority);
  return url;
}

// Fails for a URL where partials are to be written: it would be a directory called "s3:" here.
inline Result<void> CheckIsPlace(const std::string& path) {
  if (!IsUrl(path)) return {};
  return std::unexpected(Error{"partials are written to a directory, not to a URL",
                               WithoutSecrets(path),
                               "name a directory that all machines see; copied to a bucket, "
                               "'reduce' reads them there"});
}

// Begins the command that reads what is at the path.
inline std::string_view CommandFor(const std::string& path, std::string_view command) {
  return IsUrl(path) ? "python3 -m stepscope analyze" : command;
}

// Nothing is at the path, or it is a URL, which this program cannot read.
inline Error NoFileAt(const std::string& path, const std::string& hint) {
  if (!IsUrl(path)) return {"there is no such file or directory", path, hint};
  return {"URLs are not read here", WithoutSecrets(path),
          "'map', 'analyze' and 'reduce' of the Python package's stepscope read them, and so does "
          "stepscope.open() in Python"};
}

}  // namespace stepscope
