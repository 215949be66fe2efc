// Finds duplicates by content hashes and by sequence numbers of writers.
#include "goodput/accounting/duplicates.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <utility>

#include "base/saturate.h"

namespace stepscope::goodput {
namespace {

constexpr int64_t kMostSequence = int64_t{1} << 62;

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
    case EventKind::kActivity:
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
    const auto same_time = kind.hashes.view().subspan(kind.at_latest);
    if (std::ranges::find(same_time, hash) != same_time.end()) return true;
  } else {
    for (const uint64_t before : kind.hashes.view()) kind.set.Insert(before);
    kind.hashes = {};
    return !kind.set.Insert(hash);
  }
  kind.hashes.Append(hash);
  return false;
}

bool Duplicates::Seen(const Event& event) {
  const bool numbered =
      event.sequence >= 0 && event.sequence < kMostSequence && !event.writer.empty();
  if (!numbered) return SeenContent(event);
  // An imported log may be sent, too.
  Sequences& seen = writers_[event.writer];
  const bool is_late = event.sequence < seen.End();
  const bool again = !seen.Insert(event.sequence);
  late_ += is_late && !again ? 1 : 0;
  return again || (IsOfLog(event) && SeenContent(event));
}

int64_t Duplicates::Missing() const {
  int64_t missing = 0;
  for (const auto& [name, seen] : writers_) missing = AddSaturated(missing, seen.Missing());
  return missing;
}

// Per writer: the number below which all were seen, and the few beyond it one by one.
void Duplicates::SaveWriters(StateWriter& out) const {
  out.Unsigned(writers_.size());
  for (const auto& [name, seen] : writers_) {
    int64_t next = 0;
    size_t ahead = 0;
    for (const auto& [first, end] : seen.ranges()) {
      if (first == 0) next = end;
      if (first > 0) ahead += static_cast<size_t>(end - first);
    }
    out.Text(name);
    out.Signed(next);
    out.Unsigned(ahead);
    int64_t before = next;
    for (const auto& [first, end] : seen.ranges()) {
      for (int64_t k = first; first > 0 && k < end; ++k) out.Signed(k - std::exchange(before, k));
    }
  }
}

void Duplicates::LoadWriters(StateReader& in) {
  writers_.clear();
  for (size_t left = in.Count(); left > 0 && in.ok(); --left) {
    Sequences& seen = writers_[in.Text()];
    int64_t at = std::clamp<int64_t>(in.Signed(), 0, kMostSequence);
    seen.InsertBelow(at);
    for (size_t ahead = in.Count(); ahead > 0 && in.ok(); --ahead) {
      at = AddSaturated(at, in.Signed());
      if (at >= 0 && at < kMostSequence) seen.Insert(at);
    }
  }
}

}  // namespace stepscope::goodput
