// Keeps the name in a file of its own, which goes with the directory.
#include "goodput/live/store_id.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <random>

#include "base/file_writer.h"

namespace stepscope::goodput {
namespace {

constexpr size_t kDigits = 32;

bool IsId(const std::string& text) {
  return text.size() == kDigits &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isxdigit(c) != 0; });
}

std::string NewId() {
  std::random_device random;
  std::string id;
  while (id.size() < kDigits) id += fmt::format("{:08x}", static_cast<uint32_t>(random()));
  return id;
}

}  // namespace

std::string StoreIdOf(const std::string& folder, Sharing sharing) {
  const std::string path = folder + "/.store-id";
  std::string known;
  if (std::ifstream in(path); std::getline(in, known) && IsId(known)) return known;
  const std::string id = NewId();
  if (!WriteFile(path, id + "\n")) return "";
  chmod(path.c_str(), FileMode(sharing));  // a name, not a secret: where this fails, others read it
  return id;
}

}  // namespace stepscope::goodput
