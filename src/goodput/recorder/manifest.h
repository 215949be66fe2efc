// Defines manifests: files that say which segments a directory must have.
//
// Each process that writes segments appends to a manifest of its own; the ledger's commands replace
// theirs (docs/formats/goodput-ledger.md). A line follows what it speaks of: a segment is on disk,
// with its name, before a manifest mentions it. So a manifest may lag behind, but never runs ahead.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/sharing.h"
#include "goodput/recorder/segment_mark.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

inline constexpr std::string_view kManifestSuffix = ".manifest";

enum class EntryKind : uint8_t {
  kOpen,      // the segment exists
  kClosed,    // the segment is complete, as its closing record says
  kRolledUp,  // a rollup replaces it: it may be missing
  kDeleted,   // its job was deleted: it may be missing
  kLost,      // a repair found it damaged or missing: its lost events are known to be lost
  kFound,     // these events are in the ledger again, in another segment
};

// Which events a segment has, to tell whether they are all there again once it is lost. Of an open
// one: at least these.
struct Contents {
  static constexpr int64_t kNoGap = -1;

  std::string writer;           // of all of them, with the numbers from `from` to before `until`
  int64_t from = 0, until = 0;  // 0: unknown; kNoGap: all that it has given, to `from` at least
  uint32_t digest = 0;          // of their contents, in any order; 0: unknown

  friend bool operator==(const Contents&, const Contents&) = default;
};

struct ManifestEntry {
  EntryKind kind = EntryKind::kOpen;
  std::string name;   // of the file, relative to the manifest's directory
  uint32_t salt = 0;  // of its header: identifies the segment
  uint64_t slots = 0;
  int64_t events = -1;  // -1: unknown; of kLost: how many were lost
  int64_t first = kUnknown, last = kUnknown;
  uint32_t checksum = 0;  // of the slots; 0: unknown
  std::string job;
  Contents contents;

  friend bool operator==(const ManifestEntry&, const ManifestEntry&) = default;
};

// The entry of a segment with this mark.
ManifestEntry EntryOf(const SegmentMark& mark, std::string name, uint32_t salt, std::string job);

// The same of a segment's bytes, whose mark may be missing.
ManifestEntry EntryOf(std::string_view bytes, std::string name, const SegmentHeader& header);

// Entries in the form of a manifest, with the checksum that ends them; nothing for no entries.
std::string EncodeEntries(std::span<const ManifestEntry> entries);

struct DecodedManifest {
  std::vector<ManifestEntry> entries;
  bool damaged = false;  // entries are missing, apart from torn ones at the end
  bool torn = false;     // the end is
};

// Reads a manifest from any bytes.
DecodedManifest DecodeManifest(std::string_view bytes);

// The manifest of one process, created with its first entries.
class ManifestFile {
 public:
  ManifestFile(std::string path, Sharing sharing) : path_(std::move(path)), sharing_(sharing) {}
  ManifestFile(ManifestFile&&) = delete;
  ~ManifestFile();

  // Appends the entries and syncs them, and on the first call their directory. On failure nothing
  // counts as appended, and the same entries may be given again.
  Result<void> Append(std::span<const ManifestEntry> entries);

 private:
  std::string path_;
  Sharing sharing_;
  int file_ = -1;
  int64_t size_ = 0;  // bytes that are on disk
};

}  // namespace stepscope::goodput
