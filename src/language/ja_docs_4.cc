// Holds the Japanese of the explanations of analyses, the last quarter.
#include "language/ja.h"

namespace stepscope {

std::span<const Translated> JapaneseOfDocs4() {
  static constexpr Translated kTexts[] = {
      {"", ""},
  };
  return kTexts;
}

}  // namespace stepscope
