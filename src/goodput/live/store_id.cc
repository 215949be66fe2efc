// Keeps the name in a file of its own, which goes with the directory.
#include "goodput/live/store_id.h"

#include <fmt/format.h>

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

std::string StoreIdOf(const std::string& folder) {
  const std::string path = folder + "/.store-id";
  std::string known;
  if (std::ifstream in(path); std::getline(in, known) && IsId(known)) return known;
  const std::string id = NewId();
  return WriteFile(path, id + "\n") ? id : "";
}

}  // namespace stepscope::goodput
