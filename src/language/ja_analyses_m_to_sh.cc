// Holds the Japanese of analyses m to sh.
#include "language/ja.h"

namespace stepscope {

std::span<const Translated> JapaneseOfAnalysesMToSh() {
  static constexpr Translated kTexts[] = {
      {"", ""},
  };
  return kTexts;
}

}  // namespace stepscope
