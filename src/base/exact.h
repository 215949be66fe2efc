// Formats numbers as text for programs.
#pragma once

#include <cstdint>
#include <string>

namespace stepscope {

// Appends exactly the number: doubles as the shortest text that reads back as the same double, with
// ".0" when it would look like an integer. `value` must be finite.
void AppendExact(std::string& out, int64_t value);
void AppendExact(std::string& out, double value);

}  // namespace stepscope
