// Lets fmt print a Phrase as its English.
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
