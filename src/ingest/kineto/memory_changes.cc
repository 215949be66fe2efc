// Parses lists of [time, action, bytes, use].
//
// No entry holds a bracket, so a bracket always is the border of one: damage costs the entry it is
// in, and nothing has to be guessed.
#include "ingest/kineto/memory_changes.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>

#include "base/ascii.h"
#include "ingest/common/reader_limits.h"
#include "ingest/json/json_text.h"

namespace stepscope {
namespace {

constexpr std::ptrdiff_t kEntryLimit = 4096;  // bytes; what is longer is no entry

using Fields = std::array<std::string_view, 4>;

std::optional<Fields> Split(std::string_view entry) {
  Fields fields;
  for (size_t f = 0; f < fields.size(); ++f) {
    const size_t comma = entry.find(',');
    if ((comma == entry.npos) != (f + 1 == fields.size())) return std::nullopt;
    fields[f] = Trimmed(entry.substr(0, comma));
    if (comma != entry.npos) entry.remove_prefix(comma + 1);
  }
  return fields;
}

// Whether it is one of the actions, by number or name. What they do to memory is in the sign of the
// bytes; only memory that was there before matters, and that has no time of its own.
bool IsAction(std::string_view token) {
  if (const auto number = ScaleDecimal(token, 0)) return *number >= 1 && *number <= 4;
  std::string scratch;
  const std::string name = Lower(TextOf(token, scratch));
  return name == "preexisting" || name == "create" || name == "increment_version" ||
         name == "destroy";
}

// The use by its number or name; nothing when it is another.
std::optional<MemoryUse> ReadUse(std::string_view token) {
  if (token == "null") return MemoryUse::kUnknown;
  constexpr auto kUses = static_cast<int64_t>(MemoryUse::kCount);
  if (const auto number = ScaleDecimal(token, 0)) {
    if (*number < 0 || *number >= kUses) return std::nullopt;
    return static_cast<MemoryUse>(*number);
  }
  std::string scratch;
  const MemoryUse use = MemoryUseOfName(TextOf(token, scratch));
  return use == MemoryUse::kCount ? std::nullopt : std::optional(use);
}

char* NextOf(std::string_view characters, char* from, char* end) {
  return std::find_first_of(from, end, characters.begin(), characters.end());
}

}  // namespace

bool MemoryChanges::TakeFields(std::string_view entry) {
  const auto fields = Split(entry);
  if (!fields || !IsAction((*fields)[1])) return false;
  const auto time = ScaleDecimal((*fields)[0], 0);
  const auto bytes = ScaleDecimal((*fields)[2], 0);
  if (!time || *time > kMaxTime || *time < -kMaxTime) return false;
  if (!bytes || *bytes == std::numeric_limits<int64_t>::min()) return false;
  found_ = true;
  const auto use = ReadUse((*fields)[3]);
  if (!use) trace_.notes.Add(NoteKind::kUnknownMemoryUse, 1, (*fields)[3]);
  if (keep_) {
    trace_.memory.Append({.time = *time,
                          .bytes = *bytes,
                          .use = use.value_or(MemoryUse::kUnknown),
                          .before = *time < 0});
  }
  return true;
}

void MemoryChanges::Take(std::string_view entry) {
  ++trace_.events_in_file;
  if (!TakeFields(entry)) trace_.notes.Add(NoteKind::kUnreadableEvent);
}

MemoryChanges::Outcome MemoryChanges::Parse(char* begin, char* end, bool last) {
  char* at = begin;
  while (true) {
    while (at < end && (IsSpace(*at) || *at == ',')) ++at;
    if (at == end) return {Stop::kEndOfText, at};
    if (*at == ']') return {Stop::kEndOfArray, at + 1};
    const bool entry = *at == '[';
    char* behind = NextOf(entry ? "[]" : "[],", at + 1, end);
    if (behind == end) {
      if (last || end - at <= kEntryLimit) return {Stop::kEndOfText, at};
      trace_.notes.Add(NoteKind::kMalformed);
      return {Stop::kEndOfText, end};
    }
    if (entry && *behind == ']') {
      Take({at + 1, behind});
      at = behind + 1;
    } else {
      trace_.notes.Add(entry ? NoteKind::kMalformed : NoteKind::kUnreadableEvent);
      at = behind;
    }
  }
}

}  // namespace stepscope
