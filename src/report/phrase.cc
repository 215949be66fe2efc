// Implements include/stepscope/phrase.h.
#include "stepscope/phrase.h"

#include <algorithm>
#include <ostream>

namespace stepscope {

Phrase Phrase::Name(std::string name) {
  static const auto made =
      std::make_shared<const Made>(Made{.kind = Kind::kName, .form = {}, .parts = {}});
  Phrase out(std::move(name));
  out.made_ = made;
  return out;
}

Phrase Phrase::OfForm(std::string form, std::vector<Phrase> fields, std::string english) {
  Phrase out(std::move(english));
  out.made_ = std::make_shared<const Made>(
      Made{.kind = Kind::kForm, .form = std::move(form), .parts = std::move(fields)});
  return out;
}

namespace {

bool BeginsWithName(const Phrase& phrase) {
  switch (phrase.kind()) {
    case Phrase::Kind::kWhole:
      return false;
    case Phrase::Kind::kName:
      return true;
    case Phrase::Kind::kForm: {
      if (!phrase.form().starts_with('{')) return false;
      const auto names = FieldsOf(phrase.form());
      const std::string_view first = phrase.form().substr(1, phrase.form().find('}') - 1);
      const auto at = static_cast<size_t>(std::ranges::find(names, first) - names.begin());
      return at < phrase.parts().size() && BeginsWithName(phrase.parts()[at]);
    }
    case Phrase::Kind::kJoined:
    case Phrase::Kind::kCapitalized:
      return BeginsWithName(phrase.parts().front());
  }
  return false;
}

}  // namespace

Phrase Phrase::Capitalized(Phrase phrase) {
  if (BeginsWithName(phrase)) return phrase;
  std::string english = phrase.english_;
  if (!english.empty() && english[0] >= 'a' && english[0] <= 'z')
    english[0] = static_cast<char>(english[0] - 'a' + 'A');
  if (english == phrase.english_) return phrase;
  Phrase out(std::move(english));
  out.made_ = std::make_shared<const Made>(
      Made{.kind = Kind::kCapitalized, .form = {}, .parts = {std::move(phrase)}});
  return out;
}

std::ostream& operator<<(std::ostream& out, const Phrase& phrase) { return out << phrase.str(); }

Phrase& Phrase::operator+=(const Phrase& more) {
  if (more.empty()) return *this;
  if (empty()) return *this = more;
  Made made{.kind = Kind::kJoined, .form = {}, .parts = {}};
  for (const Phrase* part : {static_cast<const Phrase*>(this), &more}) {
    const bool joined = part->kind() == Kind::kJoined;
    const auto parts = joined ? part->parts() : std::span<const Phrase>(part, 1);
    made.parts.insert(made.parts.end(), parts.begin(), parts.end());
  }
  made_ = std::make_shared<const Made>(std::move(made));
  english_ += more.english_;
  return *this;
}

Phrase Phrase::Without(std::string_view words) const {
  const auto erase = [&](std::string& text) {
    const size_t at = text.find(words);
    if (at != text.npos) text.erase(at, words.size());
  };
  Phrase out(english_);
  erase(out.english_);
  if (out.english_ == english_ || !made_) return out.english_ == english_ ? *this : out;
  Made made = *made_;
  erase(made.form);
  for (Phrase& part : made.parts) part = part.Without(words);
  out.made_ = std::make_shared<const Made>(std::move(made));
  return out;
}

Phrase internal::SayFields(std::string_view form, std::vector<Phrase> fields) {
  const std::vector<std::string_view> names = FieldsOf(form);
  std::string english = Fill(form, [&](std::string_view name) -> const std::string& {
    return fields[static_cast<size_t>(std::ranges::find(names, name) - names.begin())].str();
  });
  return Phrase::OfForm(std::string(form), std::move(fields), std::move(english));
}

}  // namespace stepscope
