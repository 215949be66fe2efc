// Holds the Japanese of analyses st to z.
#include "language/ja.h"

namespace stepscope {

std::span<const Translated> JapaneseOfAnalysesStToZ() {
  static constexpr Translated kTexts[] = {
      {"", ""},
  };
  return kTexts;
}

}  // namespace stepscope
