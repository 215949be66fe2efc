// Declares what a language's catalogue is: pairs of a text in English and the same in the language.
//
// A text with fields ("rank {rank}") is a template of Say(); the fields are the same in both, in
// any order. "{1}", "{2}" stand for the numbers in words that are of one piece: "{1} h", "step
// {1}".
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace stepscope {

struct Translated {
  std::string_view english, other;
};

// What Japanese says, a list for each room and each letter of analyses.
std::span<const std::span<const Translated>> JapaneseTexts();

}  // namespace stepscope
