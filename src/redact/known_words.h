// Holds the names of hosts and users, and secrets, that were met in a field of their own, so that
// they are found everywhere else.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "redact/pseudonym.h"

namespace stepscope::redact {

class KnownWords {
 public:
  static constexpr size_t kMost = 1'000'000;  // what a hostile input cannot exceed

  // Adds a name, unless it is too short or too common a word to be looked for: a user "norm" must
  // not rename kernels.
  void Add(NameKind kind, std::string_view word);
  // Adds what a field of a secret holds ("Bearer b4c1e9f0a7d24c11"), if no name of a kernel, type
  // or module would look like it: ten characters, with digits in two places.
  void AddSecret(std::string_view text);
  void Add(const KnownWords& others);

  struct Match {
    NameKind kind;
    size_t size;
  };
  // The longest name that stands at `at`, in any case, and ends where a word ends. REQUIRES: a word
  // begins at `at`.
  std::optional<Match> At(std::string_view text, size_t at) const;

  bool empty() const { return words_.empty(); }

 private:
  std::unordered_map<std::string, NameKind> words_;  // in lower case
  std::unordered_set<std::string> first_;            // the letters and digits they begin with
};

}  // namespace stepscope::redact
