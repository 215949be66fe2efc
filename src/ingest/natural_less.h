// The order of names in which people count.
#pragma once

#include <string>

namespace stepscope {

// "rank-2" before "rank-10": runs of digits compare by value.
bool NaturalLess(const std::string& a, const std::string& b);

}  // namespace stepscope
