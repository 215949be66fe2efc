// Writes pseudonyms.
#include "redact/rules.h"

#include <fmt/format.h>

namespace stepscope::redact {

std::string Rules::Pseudonym(NameKind kind, std::string_view text) const {
  if (Keeps(kind)) return std::string(text);
  constexpr uint64_t kBits = (uint64_t{1} << 40) - 1;
  std::string of(1, static_cast<char>(kind));
  of += text;
  return fmt::format("{}-{:010x}", NameOf(kind), hash.Of(of) & kBits);
}

}  // namespace stepscope::redact
