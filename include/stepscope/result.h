// Returns a value, or an Error a person can act on, from a call that can fail.
//
// Errors are values. Stepscope throws nothing across its public face, and no input reaches an
// assert.
#pragma once

#include <expected>
#include <string>

namespace stepscope {

// A failure, told the way a colleague would tell it. Faces print the three parts in this order.
struct Error {
  std::string what;   // what failed, one sentence without a period; fields stand in backticks
  std::string where;  // the file, field (`save_s`) or place concerned; empty when `what` suffices
  std::string hint;   // what to try next; empty when there is nothing useful to say
};

template <class T>
using Result = std::expected<T, Error>;

}  // namespace stepscope
