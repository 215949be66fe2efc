// Asks the system what started this process.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "stepscope/cluster.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

std::string FirstWord() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  const std::string all(std::istreambuf_iterator<char>(in), {});
  return all.substr(0, all.find('\0'));
}

// As a shell finds programs; links stay: that of a virtual environment tells Python which it is.
std::string FoundOnPath(const std::string& program) {
  const char* const path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(':'), rest.size());
    const fs::path file = fs::path(rest.substr(0, end)) / program;
    std::error_code error;
    if (fs::is_regular_file(file, error)) return fs::absolute(file, error);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return program;
}

}  // namespace

std::vector<std::string> OwnProgram() {
  std::error_code error;
  const fs::path own = fs::read_symlink("/proc/self/exe", error);
  if (!own.filename().string().starts_with("python")) return {own.string()};
  const std::string first = FirstWord();
  const std::string python =
      first.contains('/') ? fs::absolute(first, error).string() : FoundOnPath(first);
  return {python, "-m", "stepscope"};
}

}  // namespace stepscope
