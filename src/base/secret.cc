// Calls getrandom, and compares without a branch on the bytes compared.
#include "base/secret.h"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace stepscope {

Result<std::string> NewSecret() {
  std::array<unsigned char, 16> bytes;
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return std::unexpected(Error{"the system gives no random numbers", "getrandom",
                                 std::string("the system says: ") + std::strerror(errno)});
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

bool SameSecret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (size_t k = 0; k < a.size(); ++k) difference |= static_cast<unsigned char>(a[k] ^ b[k]);
  return difference == 0;
}

}  // namespace stepscope
