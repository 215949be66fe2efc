// A hash of bytes that come in pieces.
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct XXH3_state_s;

namespace stepscope {

// XXH3 of 64 bits. It finds damage, and no intent.
class ContentHash {
 public:
  static constexpr size_t kDigits = 16;

  ContentHash();

  void Add(std::string_view bytes);
  // Of all bytes so far, as kDigits hexadecimal digits.
  std::string Hex() const;

 private:
  struct Free {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Free> state_;
};

}  // namespace stepscope
