// Holds the Japanese of the explanations of analyses, the first quarter.
#include "language/ja.h"

namespace stepscope {

std::span<const Translated> JapaneseOfDocs1() {
  static constexpr Translated kTexts[] = {
      {"", ""},
  };
  return kTexts;
}

}  // namespace stepscope
