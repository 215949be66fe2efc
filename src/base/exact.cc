// Formats numbers with fmt, whose doubles are the shortest.
#include "base/exact.h"

#include <fmt/format.h>

namespace stepscope {

void AppendExact(std::string& out, int64_t value) {
  const fmt::format_int digits(value);
  out.append(digits.data(), digits.size());
}

void AppendExact(std::string& out, double value) {
  const size_t start = out.size();
  out += fmt::format("{}", value);
  if (out.find_first_of(".e", start) == std::string::npos) out += ".0";
}

}  // namespace stepscope
