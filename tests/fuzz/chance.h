// What mutations share: random choices, and libFuzzer's own mutations of a part.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);

namespace stepscope::fuzz {

class Chance {
 public:
  explicit Chance(unsigned seed) : random_(seed) {}

  // A number below `end`, or 0.
  size_t Below(size_t end) { return end == 0 ? 0 : random_() % end; }
  bool OneIn(size_t n) { return Below(n) == 0; }

  template <class List>
  auto& Of(List& list) {
    return list[Below(std::size(list))];
  }

  // The bytes as libFuzzer changes them, up to 64 more or, if `same_size`, as many.
  std::string Changed(std::string_view bytes, bool same_size = false) {
    std::string changed(bytes);
    if (same_size && bytes.empty()) return changed;
    changed.resize(bytes.size() + (same_size ? 0 : 64));
    const size_t size =
        LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(changed.data()), bytes.size(), changed.size());
    changed.resize(same_size ? bytes.size() : std::min(size, changed.size()));
    return changed;
  }

 private:
  std::minstd_rand random_;
};

}  // namespace stepscope::fuzz
