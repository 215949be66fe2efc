// Asks whoever opens URLs.
#include "cli/inputs.h"

#include <algorithm>
#include <utility>

#include "base/shell_word.h"
#include "base/url_word.h"

namespace stepscope::cli {
namespace {

struct Urls {
  UrlOpener opener;
  std::vector<std::string> words;
};

Urls& OfThisProcess() {
  static Urls urls;
  return urls;
}

// The line that does it.
std::string LineForPython() {
  std::vector<std::string> words = OfThisProcess().words;
  std::ranges::transform(words, words.begin(), WithoutSecrets);
  return "python3 -m stepscope " + ShellWords(words);
}

}  // namespace

void SetUrlOpener(UrlOpener opener, std::vector<std::string> words) {
  OfThisProcess() = {std::move(opener), std::move(words)};
}

void AddStorageOptions(Command& command, std::vector<std::string>& options) {
  command.Take("--storage-option", options);
}

Result<Inputs> OpenInputs(const std::vector<std::string>& given,
                          const std::vector<std::string>& options) {
  const auto url = std::ranges::find_if(given, IsUrl);
  if (url == given.end()) return Inputs{.paths = given, .storage = nullptr};
  const Urls& urls = OfThisProcess();
  if (urls.opener) return urls.opener(given, options);
  return std::unexpected(Error{
      "URLs are read by the stepscope of the Python package", WithoutSecrets(*url),
      "./dev wheel makes it; pip install it and s3fs (for gs:// gcsfs), then: " + LineForPython()});
}

}  // namespace stepscope::cli
