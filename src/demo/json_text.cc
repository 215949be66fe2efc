// Writes numbers straight into the buffer.
#include "demo/json_text.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <iterator>

namespace stepscope::demo {

JsonText& JsonText::Int(int64_t value) {
  const fmt::format_int text(value);
  buffer_.append(text.data(), text.size());
  return *this;
}

JsonText& JsonText::Hex(int64_t value) {
  fmt::format_to(std::back_inserter(buffer_), FMT_COMPILE("{:x}"), value);
  return *this;
}

JsonText& JsonText::Micros(int64_t ns) {
  Int(ns / 1000);
  const auto rest = static_cast<int>(ns % 1000);
  const char digits[] = {'.', static_cast<char>('0' + rest / 100),
                         static_cast<char>('0' + rest / 10 % 10),
                         static_cast<char>('0' + rest % 10)};
  buffer_.append(digits, sizeof(digits));
  return *this;
}

JsonText& JsonText::Real(double value) {
  fmt::format_to(std::back_inserter(buffer_), FMT_COMPILE("{}"), value);
  return *this;
}

}  // namespace stepscope::demo
