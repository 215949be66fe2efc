// Keeps results that are derived at their first use.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

#include "base/stop.h"

namespace stepscope {

// For any number of threads: who asks for a result that another derives waits for it. Results stay
// where they are until the memo ends.
class Memo {
 public:
  // What kDerive(whole) returns, or kDerive(whole, part) of each part; both must outlive this.
  // Stops if asked: what takes long comes by here. What throws is not kept.
  template <auto kDerive, class Whole, class... Part>
  const auto& Of(const Whole& whole, const Part&... part) {
    static_assert(sizeof...(part) <= 1);
    using Result = std::remove_cvref_t<decltype(kDerive(whole, part...))>;
    StopIfAsked();
    const void* of = nullptr;
    ((of = &part), ...);
    Kept& kept = KeptOf({&kKey<kDerive>, of});
    const std::lock_guard lock(kept.mutex);
    if (!kept.result) kept.result = std::make_shared<const Result>(kDerive(whole, part...));
    return *static_cast<const Result*>(kept.result.get());
  }

 private:
  // Its address stands for the function.
  template <auto kDerive>
  static inline constexpr char kKey = 0;

  struct Kept {
    std::mutex mutex;  // over the result, also while it is derived
    std::shared_ptr<const void> result;
  };
  using Key = std::pair<const char*, const void*>;  // function and part
  struct Results {
    std::mutex mutex;
    std::map<Key, Kept> of;
  };

  Kept& KeptOf(const Key& key) {
    const std::lock_guard lock(results_->mutex);
    return results_->of[key];
  }

  std::unique_ptr<Results> results_ = std::make_unique<Results>();
};

}  // namespace stepscope
