// Looks at the first bytes of files, through a plain stream: what is compressed is no dump here.
#include "ingest/flight/look_for_dumps.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include "ingest/discover.h"
#include "ingest/flight/flight_reader.h"

namespace stepscope {
namespace {

constexpr size_t kMostLooked = 64;
constexpr size_t kMostFolders = 16;

// What a pipe gives can be read once, by whoever opens it for good.
bool IsOfHang(const std::string& path) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) return false;
  std::string bytes(kHangSniff, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<size_t>(file.gcount()));
  const HangFile kind = HangFileOf(bytes);
  return kind == HangFile::kDump ? NamesDump(bytes) : kind != HangFile::kNone;
}

void LookInto(const std::string& folder, const Places& places, DumpsSeen& seen) {
  const auto items = places.List(folder);
  if (!items) return;
  size_t files = 0;
  for (const StoredItem& item : *items) {
    if (item.kind != StoredItem::Kind::kFile || ++files > kMostLooked) continue;
    (IsOfHang(item.path) ? seen.dumps : seen.others) = true;
  }
}

}  // namespace

DumpsSeen LookForDumps(const std::string& path) {
  const Places places;
  const auto item = places.Find(path);
  DumpsSeen seen;
  if (!item || item->kind == StoredItem::Kind::kNone) return seen;
  if (item->kind == StoredItem::Kind::kFile) {
    (IsOfHang(path) ? seen.dumps : seen.others) = true;
    return seen;
  }
  LookInto(path, places, seen);
  const auto below = FoldersIn(path, places);
  for (size_t i = 0; i < std::min(below.size(), kMostFolders); ++i)
    LookInto(below[i], places, seen);
  return seen;
}

}  // namespace stepscope
