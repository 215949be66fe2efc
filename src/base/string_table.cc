// Interns strings with a hash table of ids over text kept in chunks.
#include "base/string_table.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "base/short_text.h"

namespace stepscope {
namespace {

constexpr size_t kChunk = size_t{64} << 10;

uint32_t HashOf(std::string_view text) {
  return static_cast<uint32_t>(XXH3_64bits(text.data(), text.size()));
}

}  // namespace

StringTable::StringTable() : slots_(256) {}

size_t StringTable::SlotOf(std::string_view text, uint32_t hash) const {
  const size_t mask = slots_.size() - 1;
  size_t i = hash & mask;
  while (slots_[i].id != kNoString &&
         !(slots_[i].hash == hash && SameText(strings_[slots_[i].id], text))) {
    i = (i + 1) & mask;
  }
  return i;
}

StringId StringTable::Intern(std::string_view text) {
  const uint32_t hash = HashOf(text);
  Slot& slot = slots_[SlotOf(text, hash)];
  if (slot.id != kNoString) return slot.id;
  const auto id = static_cast<StringId>(strings_.size());
  slot = {hash, id};
  strings_.push_back(Keep(text));
  if (strings_.size() * 2 > slots_.size()) Rehash();
  return id;
}

void StringTable::Rewrite(const std::function<std::string(std::string_view)>& rewrite) {
  for (std::string_view& text : strings_) {
    const std::string rewritten = rewrite(text);
    if (rewritten != text) text = Keep(rewritten);
  }
  std::ranges::fill(slots_, Slot{});
  for (StringId id = 0; id < strings_.size(); ++id) {
    const uint32_t hash = HashOf(strings_[id]);
    Slot& slot = slots_[SlotOf(strings_[id], hash)];
    if (slot.id == kNoString) slot = {hash, id};
  }
}

StringId StringTable::Find(std::string_view text) const {
  return slots_[SlotOf(text, HashOf(text))].id;
}

std::string_view StringTable::Keep(std::string_view text) {
  if (text.empty()) return {};
  if (text.size() > chunk_left_) {
    chunk_left_ = std::max(kChunk, text.size());
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(chunk_left_));
  }
  // The free part of the newest chunk is its front; text fills it from the back.
  chunk_left_ -= text.size();
  char* place = chunks_.back().get() + chunk_left_;
  std::memcpy(place, text.data(), text.size());
  return {place, text.size()};
}

void StringTable::Rehash() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  const size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.id == kNoString) continue;
    size_t i = slot.hash & mask;
    while (slots_[i].id != kNoString) i = (i + 1) & mask;
    slots_[i] = slot;
  }
}

}  // namespace stepscope
