// Holds the Japanese of verdicts, screens and lists.
#include "language/ja.h"

namespace stepscope {

std::span<const Translated> JapaneseOfReports() {
  static constexpr Translated kTexts[] = {
      {"", ""},
  };
  return kTexts;
}

}  // namespace stepscope
