// Holds the Japanese of the explanations of analyses, the third quarter.
#include "language/ja.h"

namespace stepscope {

std::span<const Translated> JapaneseOfDocs3() {
  static constexpr Translated kTexts[] = {
      {"", ""},
  };
  return kTexts;
}

}  // namespace stepscope
