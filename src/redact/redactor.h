// Replaces what is private in a text by pseudonyms, and leaves the rest as it is.
//
//   Redactor redactor({.key = *NewSecret()});
//   redactor.Text("/home/alice/net.py(12): forward");  // "/path-3fa29c01bd/net.py(12): forward"
//
// Equal names get equal pseudonyms. Names of kernels and operators, identifiers, numbers and files
// of libraries stay: analyses know by them what an event is. docs/redact.md has the rules.
// Thread-safety: const calls may run at once.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "redact/hints.h"
#include "redact/known_words.h"
#include "redact/pseudonym.h"
#include "redact/rules.h"
#include "stepscope/result.h"

namespace stepscope::redact {

struct RedactorOptions {
  std::string key;  // of pseudonyms; see pseudonym.h
  Kept kept = {};   // as ParseKept() reads it
  // Whether a relative path ("torch/nn/modules/module.py") is of a library, whose name stays.
  bool (*is_library)(std::string_view file) = nullptr;
};

class Redactor {
 public:
  explicit Redactor(const RedactorOptions& options);

  // Words to find wherever they stand.
  void Know(KnownWords words) { rules_.known = std::move(words); }

  // The text without what is private. Linear in it.
  std::string Text(std::string_view text, Hint hint = Hint::kNone) const;
  // The name of a file, without a directory: what profilers put into it is known
  // ("node17_4321.170000.pt.trace.json.gz").
  std::string FileName(std::string_view name) const;
  // A path that a user gave: its directory becomes a pseudonym, and its last name is kept.
  std::string GivenPath(std::string_view path) const;

  // Adds to `words` the hosts and users that the text names.
  void Learn(std::string_view text, Hint hint, KnownWords& words) const;
  void LearnFileName(std::string_view name, KnownWords& words) const;

 private:
  Rules rules_;
};

// A redactor that keeps these kinds (see ParseKept), with this key, or a random one if it is empty.
Result<Redactor> MakeRedactor(std::span<const std::string> keep, std::string key,
                              bool (*is_library)(std::string_view file));

}  // namespace stepscope::redact
