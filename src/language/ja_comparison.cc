// Holds the Japanese of comparisons.
#include "language/ja.h"

namespace stepscope {

std::span<const Translated> JapaneseOfComparison() {
  static constexpr Translated kTexts[] = {
      {"", ""},
  };
  return kTexts;
}

}  // namespace stepscope
