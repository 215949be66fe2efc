// Holds the Japanese of the timeline.
#include "language/ja.h"

namespace stepscope {

std::span<const Translated> JapaneseOfTimeline() {
  static constexpr Translated kTexts[] = {
      {"", ""},
  };
  return kTexts;
}

}  // namespace stepscope
