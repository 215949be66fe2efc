// Writes manifests as lines of text, in batches that each end with a checksum.
#include "goodput/recorder/manifest.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>

#include "base/crc32.h"
#include "base/sync_folder.h"

namespace stepscope::goodput {
namespace {

constexpr std::array<std::string_view, 6> kKinds = {"open",    "closed", "rolled_up",
                                                    "deleted", "lost",   "found"};
constexpr std::string_view kEnd = "end ";
constexpr size_t kEndBytes = kEnd.size() + 9;  // and eight digits, and the end of the line

// A name as one word of a line: bytes that would end it are written as %20.
std::string Escaped(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte != 0x7f && c != '%') {
      out += c;
      continue;
    }
    char code[4];
    std::snprintf(code, sizeof code, "%%%02x", byte);
    out += code;
  }
  return out.empty() ? "%" : out;
}

std::optional<std::string> Unescaped(std::string_view word) {
  std::string out;
  if (word == "%") return out;
  for (size_t k = 0; k < word.size(); ++k) {
    if (word[k] != '%') {
      out += word[k];
      continue;
    }
    unsigned byte = 0;
    if (k + 3 > word.size()) return std::nullopt;
    const char* const end = word.data() + k + 3;
    if (std::from_chars(word.data() + k + 1, end, byte, 16).ptr != end) return std::nullopt;
    out += static_cast<char>(byte);
    k += 2;
  }
  return out;
}

std::string ContentsWords(const Contents& c) {
  char numbers[64];
  std::snprintf(numbers, sizeof numbers, " %" PRId64 " %" PRId64 " %08" PRIx32, c.from, c.until,
                c.digest);
  return " " + Escaped(c.writer) + numbers;
}

std::string Line(const ManifestEntry& e) {
  char numbers[160];
  std::snprintf(numbers, sizeof numbers,
                " %08" PRIx32 " %" PRIu64 " %" PRId64 " %" PRId64 " %" PRId64 " %08" PRIx32 " ",
                e.salt, e.slots, e.events, e.first, e.last, e.checksum);
  std::string line(kKinds[static_cast<size_t>(e.kind)]);
  line += numbers;
  line += Escaped(e.name);
  line += ' ';
  line += Escaped(e.job);
  if (e.contents != Contents()) line += ContentsWords(e.contents);
  line += '\n';
  return line;
}

std::string_view NextWord(std::string_view& line) {
  const size_t space = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, space);
  line.remove_prefix(std::min(space + 1, line.size()));
  return word;
}

template <class T>
bool Number(std::string_view word, T& value, int base = 10) {
  const char* const end = word.data() + word.size();
  const auto read = std::from_chars(word.data(), end, value, base);
  return read.ec == std::errc() && read.ptr == end;
}

// Lines of earlier versions have none.
bool TakeContents(std::string_view line, Contents& c) {
  if (line.empty()) return true;
  auto writer = Unescaped(NextWord(line));
  const bool good = Number(NextWord(line), c.from) && Number(NextWord(line), c.until) &&
                    Number(NextWord(line), c.digest, 16);
  if (writer) c.writer = std::move(*writer);
  return good && writer;
}

// Nothing: a line of a later version.
std::optional<ManifestEntry> EntryOfLine(std::string_view line) {
  const auto kind = std::ranges::find(kKinds, NextWord(line));
  if (kind == kKinds.end()) return std::nullopt;
  ManifestEntry e{.kind = static_cast<EntryKind>(kind - kKinds.begin())};
  const bool good = Number(NextWord(line), e.salt, 16) && Number(NextWord(line), e.slots) &&
                    Number(NextWord(line), e.events) && Number(NextWord(line), e.first) &&
                    Number(NextWord(line), e.last) && Number(NextWord(line), e.checksum, 16);
  auto name = Unescaped(NextWord(line)), job = Unescaped(NextWord(line));
  if (!good || !name || !job || e.slots > kMaxSegmentSlots) return std::nullopt;
  if (!TakeContents(line, e.contents)) return std::nullopt;
  // No path leads out of the directory.
  if (name->empty() || name->starts_with('/') || name->contains('\0') ||
      ("/" + *name + "/").contains("/../")) {
    return std::nullopt;
  }
  e.name = std::move(*name);
  e.job = std::move(*job);
  return e;
}

void TakeLines(std::string_view lines, std::vector<ManifestEntry>& entries) {
  while (!lines.empty()) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    if (auto entry = EntryOfLine(lines.substr(0, end))) entries.push_back(std::move(*entry));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
}

// Where a line that ends a batch begins, from `at` on; npos: there is none.
size_t FindEnd(std::string_view bytes, size_t at) {
  for (size_t found = bytes.find(kEnd, at); found != bytes.npos;
       found = bytes.find(kEnd, found + 1)) {
    const bool begins = found == at || bytes[found - 1] == '\n';
    if (begins && found + kEndBytes <= bytes.size() && bytes[found + kEndBytes - 1] == '\n') {
      return found;
    }
  }
  return bytes.npos;
}

bool WriteAt(int file, std::string_view bytes, int64_t at) {
  while (!bytes.empty()) {
    const ssize_t written = pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
    at += written;
  }
  return true;
}

std::unexpected<Error> Failed(const std::string& path) {
  return std::unexpected(
      Error{std::string("cannot write the manifest: ") + std::strerror(errno), path, ""});
}

}  // namespace

ManifestEntry EntryOf(const SegmentMark& mark, std::string name, uint32_t salt, std::string job) {
  return {.kind = mark.closed ? EntryKind::kClosed : EntryKind::kOpen,
          .name = std::move(name),
          .salt = salt,
          .slots = mark.slots,
          .events = mark.events,
          .first = mark.first,
          .last = mark.last,
          .checksum = mark.checksum,
          .job = std::move(job)};
}

ManifestEntry EntryOf(std::string_view bytes, std::string name, const SegmentHeader& header) {
  const auto mark = DecodeMark(bytes.substr(0, kSlotsBegin), header.salt);
  return EntryOf(mark.value_or(SegmentMark()), std::move(name), header.salt, header.job);
}

std::string EncodeEntries(std::span<const ManifestEntry> entries) {
  std::string out;
  for (const ManifestEntry& entry : entries) out += Line(entry);
  if (out.empty()) return out;
  char end[16];
  std::snprintf(end, sizeof end, "end %08" PRIx32 "\n", Crc32(out.data(), out.size()));
  return out + end;
}

DecodedManifest DecodeManifest(std::string_view bytes) {
  DecodedManifest manifest;
  bool bad = false;  // the batch before
  for (size_t at = 0; at < bytes.size();) {
    const size_t end = FindEnd(bytes, at);
    manifest.damaged = manifest.damaged || bad;
    if (end == bytes.npos) {
      manifest.torn = true;
      return manifest;
    }
    const std::string_view lines = bytes.substr(at, end - at);
    uint32_t said = 0;
    bad = !Number(bytes.substr(end + kEnd.size(), 8), said, 16) ||
          said != Crc32(lines.data(), lines.size());
    if (!bad) TakeLines(lines, manifest.entries);
    at = end + kEndBytes;
  }
  manifest.torn = bad;
  return manifest;
}

ManifestFile::~ManifestFile() {
  if (file_ >= 0) close(file_);
}

Result<void> ManifestFile::Append(std::span<const ManifestEntry> entries) {
  if (entries.empty()) return {};
  const bool is_new = file_ < 0;
  if (is_new) {
    file_ = OpenCreating(path_, O_WRONLY | O_EXCL, sharing_);
    if (file_ < 0) return Failed(path_);
    // Held while the process lives: tells a repair that the manifest still grows.
    flock(file_, LOCK_EX | LOCK_NB);
  }
  const std::string bytes = EncodeEntries(entries);
  if (!WriteAt(file_, bytes, size_) || fdatasync(file_) != 0) return Failed(path_);
  const bool first = size_ == 0;
  size_ += static_cast<int64_t>(bytes.size());
  if (!first) return {};
  const size_t slash = path_.rfind('/');
  return SyncFolder(slash == path_.npos ? "." : path_.substr(0, slash));
}

}  // namespace stepscope::goodput
