// Maps the ids of a file to values; ids usually count up from 0, but may be any number.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace stepscope {

template <class T>
class IdTable {
 public:
  // The entry of `id`, made if there is none. Entries do not move.
  T& operator[](int64_t id) {
    std::unique_ptr<T>& entry = id >= 0 && id < kSmall ? Small(id) : large_[id];
    if (!entry) entry = std::make_unique<T>();
    return *entry;
  }
  const T* Find(int64_t id) const {
    if (id >= 0 && id < static_cast<int64_t>(small_.size())) {
      return small_[static_cast<size_t>(id)].get();
    }
    const auto at = large_.find(id);
    return at == large_.end() ? nullptr : at->second.get();
  }
  // Calls f(entry) for every entry, small ids first.
  template <class F>
  void ForEach(const F& f) const {
    for (const auto& entry : small_) {
      if (entry) f(*entry);
    }
    for (const auto& [id, entry] : large_) f(*entry);
  }

 private:
  static constexpr int64_t kSmall = 1 << 16;
  // Ids of a hostile file may all be multiples of one number.
  struct Hash {
    size_t operator()(int64_t id) const {
      uint64_t bits = static_cast<uint64_t>(id) * 0x9e3779b97f4a7c15u;
      bits ^= bits >> 32;
      return bits * 0xd6e8feb86659fd93u >> 16;
    }
  };
  std::unique_ptr<T>& Small(int64_t id) {
    const auto at = static_cast<size_t>(id);
    if (at >= small_.size()) small_.resize(at + 1);
    return small_[at];
  }

  std::vector<std::unique_ptr<T>> small_;
  std::unordered_map<int64_t, std::unique_ptr<T>, Hash> large_;
};

}  // namespace stepscope
