// Compares the sizes of the inputs of an operator on several ranks.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <tuple>

#include "base/string_table.h"

namespace stepscope {

// How many inputs of so many elements there are per call, by operator and place: of the operator
// itself, and of those within its calls.
using InputSizes = std::map<std::tuple<StringId, size_t, double>, double>;

// How much larger the inputs of the operator called `name` are than those of the others. What both
// have, such as weights, says nothing of it, unless nearly all of what `own` has is of that kind.
// 0: unknown.
double SizeRatio(const StringTable& names, StringId name, const InputSizes& own,
                 std::span<const InputSizes> others);

}  // namespace stepscope
