// Packs events.
#include "ingest/snapshot/snapshot.h"

#include <algorithm>

namespace stepscope {
namespace {

constexpr size_t kMostEpochs = 1 << 16;
constexpr int kSizeBits = 43, kActionBits = 4, kAddressBits = 57;
constexpr int kStateBits = 2, kRestBits = 5;

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

bool SnapshotBlocks::Append(const SnapshotBlock& block) {
  const int64_t rest = block.live() ? block.size - block.requested : 0;
  const bool possible = block.address < SnapshotEvents::kAddresses && block.size >= 0 &&
                        block.size <= SnapshotEvents::kMostSize && rest >= 0 &&
                        block.requested >= 0 && rest < int64_t{1} << (32 + kRestBits) &&
                        size() < UINT32_MAX;
  if (!possible) return false;
  const auto high = static_cast<uint64_t>(rest) >> 32;
  addresses_.Append(block.address | static_cast<uint64_t>(block.state) << kAddressBits |
                    high << (kAddressBits + kStateBits));
  sizes_.Append(static_cast<uint64_t>(block.size) | uint64_t{block.stack} << kSizeBits);
  rest_.Append(static_cast<uint32_t>(rest));
  return true;
}

SnapshotBlock SnapshotBlocks::operator[](size_t i) const {
  const uint64_t address = addresses_[i], size = sizes_[i];
  SnapshotBlock block{
      .address = address & (SnapshotEvents::kAddresses - 1),
      .size = static_cast<int64_t>(size & static_cast<uint64_t>(SnapshotEvents::kMostSize)),
      .stack = static_cast<StackId>(size >> kSizeBits),
      .state = static_cast<BlockState>(address >> kAddressBits & ((1 << kStateBits) - 1))};
  const uint64_t rest = address >> (kAddressBits + kStateBits) << 32 | rest_[i];
  if (block.live()) block.requested = block.size - static_cast<int64_t>(rest);
  return block;
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
