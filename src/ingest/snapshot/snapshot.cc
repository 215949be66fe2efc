// Packs events.
#include "ingest/snapshot/snapshot.h"

#include <algorithm>

namespace stepscope {
namespace {

constexpr size_t kMostEpochs = 1 << 16;
constexpr int kSizeBits = 43, kActionBits = 4, kAddressBits = 57;

}  // namespace

bool SnapshotEvents::Append(const SnapshotEvent& event) {
  if (event.address >= kAddresses || event.size < 0 || event.size > kMostSize || event.time < 0)
    return false;
  const auto since = epochs_.empty() ? -1 : event.time - epochs_.back().time;
  if (since < 0 || since > UINT32_MAX) {
    if (epochs_.size() >= kMostEpochs) return false;
    // Clocks that step back a little need no new epoch.
    epochs_.push_back({size(), std::max<int64_t>(event.time - 1'000'000, 0)});
  }
  times_.Append(static_cast<uint32_t>(event.time - epochs_.back().time));
  addresses_.Append(event.address | uint64_t{event.stack} << kAddressBits);
  sizes_.Append(static_cast<uint64_t>(event.size) |
                static_cast<uint64_t>(event.action) << kSizeBits |
                uint64_t{event.stack} >> (64 - kAddressBits) << (kSizeBits + kActionBits));
  return true;
}

SnapshotEvent SnapshotEvents::operator[](size_t i) const {
  const uint64_t address = addresses_[i], size = sizes_[i];
  const auto after = std::ranges::upper_bound(epochs_, i, {}, &Epoch::first);
  return {.action = static_cast<SnapshotAction>(size >> kSizeBits & ((1 << kActionBits) - 1)),
          .address = address & (kAddresses - 1),
          .size = static_cast<int64_t>(size & static_cast<uint64_t>(kMostSize)),
          .time = std::prev(after)->time + times_[i],
          .stack = static_cast<StackId>(size >> (kSizeBits + kActionBits) << (64 - kAddressBits) |
                                        address >> kAddressBits)};
}

}  // namespace stepscope
