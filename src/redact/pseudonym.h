// Makes pseudonyms: short names that stand for a text and do not give it away.
//
// A pseudonym is a keyed hash of its text (SipHash-2-4, 40 bits of it), not a number counted up: it
// does not depend on the order of files or threads, needs no table, and is equal in all files that
// share a key. The key is what protects it. Without one, whoever guesses "node17" could hash the
// guess and compare; so a key is random, and forgotten with the output, unless a user gives one.
// Of 10,000 texts, two get the same pseudonym once in 20,000 outputs.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "stepscope/result.h"

namespace stepscope::redact {

// What a text names. A pseudonym begins with it: "host-3fa29c01bd".
enum class NameKind : uint8_t { kHost, kUser, kPath, kAddress, kValue, kSecret, kCount };

// "host"; people write "hosts" (--keep hosts).
std::string_view NameOf(NameKind kind);

// https://www.aumasson.jp/siphash/siphash.pdf, SipHash-2-4.
class SipHash {
 public:
  // The key is the first 16 bytes of `secret`, or a hash of all of a longer or shorter one.
  explicit SipHash(std::string_view secret);
  uint64_t Of(std::string_view text) const;

 private:
  std::array<uint64_t, 2> key_ = {};
};

// Which kinds; by NameKind. Most often those that stay as they are.
using Kept = std::array<bool, static_cast<size_t>(NameKind::kCount)>;

// Adds the kinds whose pseudonyms the text holds.
void FindPseudonyms(std::string_view text, Kept& kinds);

// Reads "hosts", "users", "paths", "addresses" and "values"; "secrets" are always replaced. Fails
// with the known names.
Result<Kept> ParseKept(std::span<const std::string> names);

}  // namespace stepscope::redact
