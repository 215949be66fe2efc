// Tells whether a name contains a pattern of a user, as a run of whole words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

// In any case, "*" stands for any text: "gemm*" is found in "void gemm_kernel<float>(int)", and
// "kernel" is not. Words are letters, digits and underscores; of a pattern that begins or ends with
// another character, that end may be anywhere. An empty pattern is found nowhere.
class WordPattern {
 public:
  explicit WordPattern(std::string_view text);

  // Linear in the name for each piece between stars.
  bool IsIn(std::string_view name) const;

 private:
  std::vector<std::string> pieces_;  // between stars, in lower case; empty ones where stars end it
};

}  // namespace stepscope
