// Appends JSON numbers and strings to a text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stepscope::demo {

// The buffer keeps its memory between uses.
class JsonText {
 public:
  JsonText& Text(std::string_view text) {
    buffer_.append(text);
    return *this;
  }
  JsonText& Int(int64_t value);
  JsonText& Hex(int64_t value);  // without a prefix
  JsonText& Micros(int64_t ns);  // exactly: "12.345"
  JsonText& Real(double value);  // the shortest text that reads back as `value`

  std::string_view view() const { return buffer_; }
  void Clear() { buffer_.clear(); }

 private:
  std::string buffer_;
};

}  // namespace stepscope::demo
