// Hashes of contents, and sequences of writers.
#include "goodput/duplicates.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/saturate.h"

namespace stepscope::goodput {
namespace {

uint64_t Mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9fb21c651e98df25;
  return hash ^ (hash >> 35);
}

uint64_t Mix(uint64_t hash, const std::string& text) {
  return text.empty() ? hash : Mix(hash, XXH3_64bits(text.data(), text.size()));
}

}  // namespace

uint64_t ContentHash(const Event& event) {
  const auto mix = [](uint64_t hash, int64_t value) {
    return Mix(hash, static_cast<uint64_t>(value));
  };
  uint64_t hash = mix(mix(0x5851f42d4c957f2d, event.time), event.step);
  hash = Mix(Mix(Mix(hash, event.job), event.attempt), event.text);
  if (event.monotonic != kUnknown) hash = mix(hash, event.monotonic);
  switch (event.kind) {
    case EventKind::kCheckpointSave:
    case EventKind::kCheckpointRestore:
    case EventKind::kCheckpointEmergencyRestore: {
      const CheckpointTimes& c = event.checkpoint;
      for (const auto& span :
           {c.manager, c.checkpointer, c.wait_for_prev, c.get_old_steps, c.broadcast}) {
        hash = mix(mix(hash, span.start), span.duration);
      }
      break;
    }
    case EventKind::kElasticSlices:
    case EventKind::kResources:
    case EventKind::kWork:
    case EventKind::kDropped:
      for (const int64_t count : event.counts) hash = mix(hash, count);
      break;
    default:
      break;
  }
  return hash == 0 ? 1 : hash;
}

bool Duplicates::HashSet::Insert(uint64_t hash) {
  if (2 * (count_ + 1) > slots_.size()) Grow();
  const size_t mask = slots_.size() - 1;
  size_t slot = static_cast<size_t>(hash) & mask;
  while (slots_[slot] != 0) {
    if (slots_[slot] == hash) return false;
    slot = (slot + 1) & mask;
  }
  slots_[slot] = hash;
  ++count_;
  return true;
}

void Duplicates::HashSet::Grow() {
  std::vector<uint64_t> old(std::max<size_t>(64, 2 * slots_.size()));
  old.swap(slots_);
  count_ = 0;
  for (const uint64_t hash : old) {
    if (hash != 0) Insert(hash);
  }
}

bool Duplicates::SeenContent(const Event& event) {
  Kind& kind = kinds_[static_cast<size_t>(event.kind)];
  const uint64_t hash = ContentHash(event);
  if (!kind.set.empty()) return !kind.set.Insert(hash);
  if (event.time > kind.latest) {
    kind.latest = event.time;
    kind.at_latest = kind.hashes.size();
  } else if (event.time == kind.latest && kind.hashes.size() - kind.at_latest < 8) {
    const auto same_time = std::span(kind.hashes).subspan(kind.at_latest);
    if (std::ranges::find(same_time, hash) != same_time.end()) return true;
  } else {
    for (const uint64_t before : kind.hashes) kind.set.Insert(before);
    kind.hashes = {};
    return !kind.set.Insert(hash);
  }
  kind.hashes.push_back(hash);
  return false;
}

bool Duplicates::SeenSequence(const Event& event) {
  Writer& writer = writers_[event.writer];
  if (event.sequence < writer.next) return true;
  if (event.sequence > writer.next) return !writer.ahead.insert(event.sequence).second;
  ++writer.next;
  while (!writer.ahead.empty() && *writer.ahead.begin() == writer.next) {
    writer.ahead.erase(writer.ahead.begin());
    ++writer.next;
  }
  return false;
}

bool Duplicates::Seen(const Event& event) {
  const bool numbered = event.sequence >= 0 && !event.writer.empty();
  return numbered ? SeenSequence(event) : SeenContent(event);
}

int64_t Duplicates::Missing() const {
  int64_t missing = 0;
  for (const auto& [name, writer] : writers_) {
    if (writer.ahead.empty()) continue;
    const int64_t numbered = *writer.ahead.rbegin() + 1 - writer.next;
    missing += numbered - static_cast<int64_t>(writer.ahead.size());
  }
  return missing;
}

void Duplicates::SaveWriters(StateWriter& out) const {
  out.Unsigned(writers_.size());
  for (const auto& [name, writer] : writers_) {
    out.Text(name);
    out.Signed(writer.next);
    out.Unsigned(writer.ahead.size());
    int64_t before = writer.next;
    for (const int64_t sequence : writer.ahead)
      out.Signed(sequence - std::exchange(before, sequence));
  }
}

void Duplicates::LoadWriters(StateReader& in) {
  writers_.clear();
  for (size_t left = in.Count(); left > 0 && in.ok(); --left) {
    Writer& writer = writers_[in.Text()];
    writer.next = std::max<int64_t>(0, in.Signed());
    int64_t at = writer.next;
    for (size_t ahead = in.Count(); ahead > 0 && in.ok(); --ahead) {
      at = AddSaturated(at, in.Signed());
      writer.ahead.insert(writer.ahead.end(), at);
    }
  }
}

}  // namespace stepscope::goodput
