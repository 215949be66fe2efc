// Holds what is said to people, in English and as a template with fields, so that it can be said in
// other languages (stepscope/language.h).
//
//   Phrase who = Say("rank {rank}", 3);
//   Phrase said = Say("{who} computes {more} longer", who, "66%");  // "rank 3 computes 66% longer"
//
// Fields get the arguments in the order in which their names first appear, so that a template reads
// as a sentence. A template is the key under which a language's catalogue has its own, with the
// same fields in any order. Words without fields need no Say(): a Phrase of a literal is looked up
// as a whole. Names from traces are phrases of one piece, too, that no catalogue has.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stepscope {

// A plain value; cheap to copy. It converts to its English, so that whoever only reads it need not
// know of it.
class Phrase {
 public:
  enum class Kind : uint8_t {
    kWhole,        // words of ours; or a name, where nobody said that it is one
    kName,         // a name from a trace, which no language says otherwise
    kForm,         // a template and its fields
    kJoined,       // parts in a row
    kCapitalized,  // one part, which begins a sentence
  };

  Phrase() = default;
  Phrase(const char* words) : english_(words) {}
  Phrase(std::string_view words) : english_(words) {}
  Phrase(std::string words) : english_(std::move(words)) {}

  // A name from a trace: "forward" is a function then, and no word of ours.
  static Phrase Name(std::string name);
  // `fields` by the order in which their names first appear in `form`; `english`: the whole.
  static Phrase OfForm(std::string form, std::vector<Phrase> fields, std::string english);
  // With a capital first letter, to begin a sentence.
  static Phrase Capitalized(Phrase phrase);

  const std::string& str() const { return english_; }
  operator const std::string&() const { return english_; }
  operator std::string_view() const { return english_; }
  bool empty() const { return english_.empty(); }
  size_t size() const { return english_.size(); }
  size_t find(std::string_view words) const { return str().find(words); }
  bool contains(std::string_view words) const { return str().find(words) != std::string::npos; }
  bool starts_with(std::string_view words) const { return str().starts_with(words); }
  bool ends_with(std::string_view words) const { return str().ends_with(words); }
  void clear() { *this = Phrase(); }

  Kind kind() const { return made_ ? made_->kind : Kind::kWhole; }
  std::string_view form() const { return made_ ? std::string_view(made_->form) : ""; }
  std::span<const Phrase> parts() const {
    return made_ ? std::span<const Phrase>(made_->parts) : std::span<const Phrase>();
  }

  // Without the first of these words in each piece and template.
  Phrase Without(std::string_view words) const;

  // The same of other words: rewrite(text) of its English and of each piece.
  template <class Rewrite>
  void RewriteWith(const Rewrite& rewrite) {
    english_ = rewrite(std::string_view(english_));
    if (!made_) return;
    Made made = *made_;
    for (Phrase& part : made.parts) part.RewriteWith(rewrite);
    made_ = std::make_shared<const Made>(std::move(made));
  }

  Phrase& operator+=(const Phrase& more);
  friend Phrase operator+(Phrase first, const Phrase& then) { return first += then; }
  // In English.
  friend std::ostream& operator<<(std::ostream& out, const Phrase& phrase);
  friend bool operator==(const Phrase& a, const Phrase& b) { return a.english_ == b.english_; }
  friend auto operator<=>(const Phrase& a, const Phrase& b) { return a.english_ <=> b.english_; }

 private:
  struct Made {
    Kind kind = Kind::kWhole;
    std::string form;  // of kForm
    std::vector<Phrase> parts;
  };

  std::string english_;
  std::shared_ptr<const Made> made_;  // null: of one piece
};

// The names of a template's fields, each once, in the order in which they first appear.
constexpr std::vector<std::string_view> FieldsOf(std::string_view form) {
  std::vector<std::string_view> names;
  for (size_t at = form.find('{'); at != form.npos; at = form.find('{', at + 1)) {
    const size_t end = form.find('}', at);
    if (end == form.npos) break;
    const std::string_view name = form.substr(at + 1, end - at - 1);
    bool known = false;
    for (const std::string_view other : names) known = known || other == name;
    if (!known) names.push_back(name);
  }
  return names;
}

// A template, checked when it is compiled to have as many fields as there are arguments.
template <class... Args>
struct FormWith {
  consteval FormWith(const char* form) : text(form) {
    if (FieldsOf(text).size() != sizeof...(Args)) throw "as many fields as arguments";
  }
  std::string_view text;
};

namespace internal {

// `form` with each field replaced by field(name), a text.
template <class Field>
std::string Fill(std::string_view form, const Field& field) {
  std::string out;
  size_t done = 0;
  for (size_t at = form.find('{'); at != form.npos; at = form.find('{', done)) {
    const size_t end = form.find('}', at);
    if (end == form.npos) break;
    out += form.substr(done, at - done);
    out += field(form.substr(at + 1, end - at - 1));
    done = end + 1;
  }
  return out += form.substr(done);
}

Phrase SayFields(std::string_view form, std::vector<Phrase> fields);

template <class T>
Phrase FieldOf(const T& value) {
  if constexpr (std::convertible_to<const T&, Phrase>) {
    return value;
  } else {
    static_assert(std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>,
                  "a text or a whole number: print others as people read them");
    return std::to_string(value);
  }
}

}  // namespace internal

// The template with its fields, each a phrase, a text or a whole number.
template <class... Args>
Phrase Say(FormWith<std::type_identity_t<Args>...> form, const Args&... fields) {
  return internal::SayFields(form.text, {internal::FieldOf(fields)...});
}

}  // namespace stepscope
