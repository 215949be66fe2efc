// Fuzzes the readers of manifests and marks: whatever the bytes, what is read can be written and
// read again, and no name leads out of the directory.
//
// Checksums keep random bytes out, so an input is also taken as the lines of a good batch.
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "base/crc32.h"
#include "goodput/recorder/manifest.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace stepscope::goodput::manifest_fuzz {
namespace {

void ReadManifestOf(std::string_view bytes) {
  const DecodedManifest read = DecodeManifest(bytes);
  for (const ManifestEntry& entry : read.entries) {
    Require(!entry.name.empty() && entry.name.front() != '/');
    Require(!("/" + entry.name + "/").contains("/../"));
    Require(entry.slots <= kMaxSegmentSlots);
  }
  const DecodedManifest again = DecodeManifest(EncodeEntries(read.entries));
  Require(again.entries == read.entries && !again.damaged && !again.torn);
}

void Fuzz(std::string_view bytes) {
  ReadManifestOf(bytes);
  std::string batch(bytes);
  if (!batch.empty() && batch.back() != '\n') batch += '\n';
  char end[16];
  std::snprintf(end, sizeof end, "end %08x\n", Crc32(batch.data(), batch.size()));
  ReadManifestOf(batch + end);
  std::string header(kSlotsBegin, '\0');
  bytes.copy(&header[kMarkAt], kMarkBytes);
  const uint32_t own = Crc32(&header[kMarkAt + 4], kMarkBytes - 4, 7);
  header.replace(kMarkAt, sizeof own, reinterpret_cast<const char*>(&own), sizeof own);
  if (const auto mark = DecodeMark(header, 7)) Require(mark->slots <= kMaxSegmentSlots);
}

const fuzz::Register kTarget({.name = "manifest", .run = &Fuzz, .form = fuzz::Form::kLines});

}  // namespace
}  // namespace stepscope::goodput::manifest_fuzz
