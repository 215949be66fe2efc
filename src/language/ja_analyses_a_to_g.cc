// Holds the Japanese of analyses a to g.
#include "language/ja.h"

namespace stepscope {

std::span<const Translated> JapaneseOfAnalysesAToG() {
  static constexpr Translated kTexts[] = {
      {"", ""},
  };
  return kTexts;
}

}  // namespace stepscope
