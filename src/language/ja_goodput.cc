// Holds the Japanese of goodput.
#include "language/ja.h"

namespace stepscope {

std::span<const Translated> JapaneseOfGoodput() {
  static constexpr Translated kTexts[] = {
      {"", ""},
  };
  return kTexts;
}

}  // namespace stepscope
