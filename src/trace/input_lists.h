// Parses the inputs of an operator in a trace: JSON lists of numbers and of texts. Anything else is
// read as an empty list.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

using Dimensions = std::vector<int64_t>;

// The numbers of "[2, 3]"; empty for anything else.
Dimensions ReadNumbers(std::string_view text);

// "[[8, 16], [16, 4], []]": the dimensions of each input. Empty for one that is no single tensor.
std::vector<Dimensions> ReadShapes(std::string_view text);

// How many elements the tensors of "[[8, 16], [16, 4], []]" have, one for "[]"; -1 where 64 bits do
// not hold it.
int64_t CountElements(std::string_view shapes);

// The texts of "["float", "", "[1, 1]"]". None holds an escape in traces; one that does stays as it
// is written.
std::vector<std::string> ReadTexts(std::string_view text);

}  // namespace stepscope
