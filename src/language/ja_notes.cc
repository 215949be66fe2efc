// Holds the Japanese of notes about inputs.
#include "language/ja.h"

namespace stepscope {

std::span<const Translated> JapaneseOfNotes() {
  static constexpr Translated kTexts[] = {
      {"", ""},
  };
  return kTexts;
}

}  // namespace stepscope
