// Holds the Japanese of the explanations of analyses, the second quarter.
#include "language/ja.h"

namespace stepscope {

std::span<const Translated> JapaneseOfDocs2() {
  static constexpr Translated kTexts[] = {
      {"", ""},
  };
  return kTexts;
}

}  // namespace stepscope
