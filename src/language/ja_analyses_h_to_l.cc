// Holds the Japanese of analyses h to l.
#include "language/ja.h"

namespace stepscope {

std::span<const Translated> JapaneseOfAnalysesHToL() {
  static constexpr Translated kTexts[] = {
      {"", ""},
  };
  return kTexts;
}

}  // namespace stepscope
