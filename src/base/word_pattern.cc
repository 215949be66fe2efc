// Finds the pieces between stars one after the other, each as early as it can be.
#include "base/word_pattern.h"

#include "base/ascii.h"

namespace stepscope {
namespace {

// Whether no word goes on at `at`, between two characters.
bool IsBoundary(std::string_view text, size_t at) {
  return at == 0 || at == text.size() || !IsWordChar(text[at - 1]) || !IsWordChar(text[at]);
}

}  // namespace

WordPattern::WordPattern(std::string_view text) {
  const std::string lower = Lower(text);
  std::string_view rest = lower;
  for (size_t star = rest.find('*'); star != rest.npos; star = rest.find('*')) {
    pieces_.emplace_back(rest.substr(0, star));
    rest.remove_prefix(star + 1);
  }
  pieces_.emplace_back(rest);
}

bool WordPattern::IsIn(std::string_view name) const {
  if (pieces_.size() == 1 && pieces_.front().empty()) return false;
  const std::string text = Lower(name);
  size_t from = 0;
  for (size_t p = 0; p < pieces_.size(); ++p) {
    const std::string& piece = pieces_[p];
    if (piece.empty()) continue;
    const bool first = p == 0, last = p + 1 == pieces_.size();
    const auto fits = [&](size_t at) {
      return (!first || IsBoundary(text, at)) && (!last || IsBoundary(text, at + piece.size()));
    };
    size_t at = text.find(piece, from);
    while (at != text.npos && !fits(at)) at = text.find(piece, at + 1);
    if (at == text.npos) return false;
    from = at + piece.size();
  }
  return true;
}

}  // namespace stepscope
