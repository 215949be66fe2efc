// Keeps results that are derived at their first use.
#pragma once

#include <map>
#include <memory>
#include <type_traits>
#include <utility>

#include "base/stop.h"

namespace stepscope {

// For one thread at a time. Results stay where they are until the memo ends.
class Memo {
 public:
  // What kDerive(whole) returns, or kDerive(whole, part) of each part; both must outlive this.
  // Stops if asked: what takes long comes by here.
  template <auto kDerive, class Whole, class... Part>
  const auto& Of(const Whole& whole, const Part&... part) {
    static_assert(sizeof...(part) <= 1);
    using Result = std::remove_cvref_t<decltype(kDerive(whole, part...))>;
    StopIfAsked();
    const void* of = nullptr;
    ((of = &part), ...);
    std::shared_ptr<const void>& kept = results_[{&kKey<kDerive>, of}];
    if (!kept) kept = std::make_shared<const Result>(kDerive(whole, part...));
    return *static_cast<const Result*>(kept.get());
  }

 private:
  // Its address stands for the function.
  template <auto kDerive>
  static inline constexpr char kKey = 0;

  // By function and part.
  std::map<std::pair<const char*, const void*>, std::shared_ptr<const void>> results_;
};

}  // namespace stepscope
