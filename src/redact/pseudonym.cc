// Hashes with SipHash-2-4.
#include "redact/pseudonym.h"

#include <bit>
#include <cstring>

namespace stepscope::redact {
namespace {

constexpr std::array<std::string_view, static_cast<size_t>(NameKind::kCount)> kNames = {
    "host", "user", "path", "address", "value", "secret"};

struct SipState {
  uint64_t a, b, c, d;

  void Round() {
    a += b, c += d;
    b = std::rotl(b, 13) ^ a, d = std::rotl(d, 16) ^ c;
    a = std::rotl(a, 32);
    c += b, a += d;
    b = std::rotl(b, 17) ^ c, d = std::rotl(d, 21) ^ a;
    c = std::rotl(c, 32);
  }
  void Take(uint64_t word) {
    d ^= word;
    Round(), Round();
    a ^= word;
  }
};

uint64_t LittleEndian(const char* bytes, size_t count) {
  uint64_t word = 0;
  for (size_t i = 0; i < count; ++i)
    word |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return word;
}

}  // namespace

std::string_view NameOf(NameKind kind) { return kNames[static_cast<size_t>(kind)]; }

SipHash::SipHash(std::string_view secret) {
  if (secret.size() == 16) {
    key_ = {LittleEndian(secret.data(), 8), LittleEndian(secret.data() + 8, 8)};
    return;
  }
  const std::string other = std::string(secret) + '\x01';
  key_ = {Of(secret), Of(other)};
}

uint64_t SipHash::Of(std::string_view text) const {
  SipState s{key_[0] ^ 0x736f6d6570736575, key_[1] ^ 0x646f72616e646f6d,
             key_[0] ^ 0x6c7967656e657261, key_[1] ^ 0x7465646279746573};
  const size_t whole = text.size() / 8 * 8;
  for (size_t i = 0; i < whole; i += 8) s.Take(LittleEndian(text.data() + i, 8));
  s.Take(LittleEndian(text.data() + whole, text.size() - whole) | uint64_t{text.size()} << 56);
  s.c ^= 0xff;
  for (int i = 0; i < 4; ++i) s.Round();
  return s.a ^ s.b ^ s.c ^ s.d;
}

void FindPseudonyms(std::string_view text, Kept& kinds) {
  constexpr size_t kDigits = 10;
  for (size_t k = 0; k < kNames.size(); ++k) {
    const std::string begin = std::string(kNames[k]) + "-";
    for (size_t at = text.find(begin); !kinds[k] && at != text.npos;
         at = text.find(begin, at + 1)) {
      const std::string_view digits = text.substr(at + begin.size(), kDigits);
      kinds[k] =
          digits.size() == kDigits && digits.find_first_not_of("0123456789abcdef") == digits.npos;
    }
  }
}

Result<Kept> ParseKept(std::span<const std::string> names) {
  Kept kept = {};
  for (const std::string& name : names) {
    bool known = false;
    for (size_t k = 0; k < kNames.size(); ++k) {
      const bool secret = static_cast<NameKind>(k) == NameKind::kSecret;
      const bool is = name == std::string(kNames[k]) + "s" || name == std::string(kNames[k]) + "es";
      if (secret || !is) continue;
      kept[k] = known = true;
    }
    if (known) continue;
    return std::unexpected(Error{"cannot keep '" + name + "': it is not a kind of name", "`keep`",
                                 "give hosts, users, paths, addresses or values"});
  }
  return kept;
}

}  // namespace stepscope::redact
