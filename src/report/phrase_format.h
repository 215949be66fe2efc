// Lets fmt print a Phrase as its English. To be included wherever one is printed: elsewhere fmt takes
// it for a string, and of two ways to print the same arguments the linker keeps one for both.
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "stepscope/phrase.h"

template <>
struct fmt::formatter<stepscope::Phrase> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const stepscope::Phrase& phrase, Context& context) const {
    return fmt::formatter<std::string_view>::format(phrase.str(), context);
  }
};
