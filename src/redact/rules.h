// What a Redactor knows: its key, what it keeps, and the words to find.
#pragma once

#include <string>
#include <string_view>

#include "redact/known_words.h"
#include "redact/pseudonym.h"

namespace stepscope::redact {

struct Rules {
  SipHash hash;
  Kept kept = {};
  // Whether a relative path ("torch/nn/modules/module.py") is of a library, whose name stays; null:
  // none is.
  bool (*is_library)(std::string_view file) = nullptr;
  KnownWords known;

  bool Keeps(NameKind kind) const { return kept[static_cast<size_t>(kind)]; }
  // The text itself, if its kind is kept.
  std::string Pseudonym(NameKind kind, std::string_view text) const;
};

}  // namespace stepscope::redact
