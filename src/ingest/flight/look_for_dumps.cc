// Looks at the first bytes of files, through a plain stream: what is compressed is no dump here.
#include "ingest/flight/look_for_dumps.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "ingest/discover.h"
#include "ingest/flight/flight_reader.h"

namespace stepscope {
namespace {

constexpr size_t kMostLooked = 64;
constexpr size_t kMostFolders = 16;

// Profilers' own names, and what is compressed, are looked at by name only.
bool IsOfHang(const std::string& path) {
  if (path.ends_with(".gz") || path.contains(".pt.trace.json")) return false;
  return SureHangFileOf(StartOfFile(path)) != HangFile::kNone;
}

void LookInto(const std::string& folder, const Places& places, DumpsSeen& seen) {
  const auto items = places.List(folder);
  if (!items) return;
  size_t files = 0;
  for (const StoredItem& item : *items) {
    if (item.kind != StoredItem::Kind::kFile || ++files > kMostLooked) continue;
    if (seen.dumps && seen.others) return;
    (IsOfHang(item.path) ? seen.dumps : seen.others) = true;
  }
}

}  // namespace

std::string StartOfFile(const std::string& path) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) return "";
  std::string bytes(kHangSniff, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<size_t>(file.gcount()));
  return bytes;
}

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
