// Holds what a pickle remembers, by number: small numbers, most of them 0 where a snapshot has many
// blocks. Stretches that are all 0 take no memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace stepscope::snapshot {

class Memo {
 public:
  size_t size() const { return size_; }

  // REQUIRES: at < size()
  uint32_t operator[](size_t at) const {
    const auto& part = parts_[at / kPart];
    return part == nullptr ? 0 : (*part)[at % kPart];
  }
  void Set(size_t at, uint32_t value) {
    auto& part = parts_[at / kPart];
    if (part == nullptr) {
      if (value == 0) return;
      part = std::make_unique<Part>();
    }
    (*part)[at % kPart] = value;
  }

  void Append(uint32_t value) {
    if (size_ % kPart == 0) parts_.emplace_back();
    if (value != 0) Set(size_, value);
    ++size_;
  }
  void Shrink(size_t size) {
    for (size_t at = size; at < size_; ++at) Set(at, 0);
    size_ = std::min(size_, size);
    parts_.resize((size_ + kPart - 1) / kPart);
  }

 private:
  static constexpr size_t kPart = 4096;
  using Part = std::array<uint32_t, kPart>;

  std::vector<std::unique_ptr<Part>> parts_;
  size_t size_ = 0;
};

}  // namespace stepscope::snapshot
