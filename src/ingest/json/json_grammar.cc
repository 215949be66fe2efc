// Keeps what is open and the path. Behind damage, what is open is closed up to a list that reading
// can go on in.
#include "ingest/json/json_grammar.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "ingest/json/json_text.h"

namespace stepscope {
namespace {

constexpr size_t kDeepest = 64;

bool IsText(std::string_view text) {
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20; };
  return std::ranges::none_of(text, control) && simdjson::validate_utf8(text);
}

// Halves of surrogate pairs; -1: it has escapes that JSON does not know.
int64_t CountHalves(std::string_view text) {
  int64_t halves = 0;
  const bool known = ForEachEscape(text, [&](size_t, const Escape& escape) {
    halves += escape.half ? 1 : 0;
    return escape.length > 0;
  });
  return known ? halves : -1;
}

}  // namespace

bool JsonGrammar::Take(std::string_view token) {
  switch (token.front()) {
    case '{':
      return TakesValue() && Open(/*is_object=*/true);
    case '[':
      return TakesValue() && Open(/*is_object=*/false);
    case '}':
      return Close(/*is_object=*/true, Next::kKeyOrEnd);
    case ']':
      return Close(/*is_object=*/false, Next::kValueOrEnd);
    case ':':
      return Pass(Next::kColon, Next::kValue);
    case ',':
      return !open_.empty() &&
             Pass(Next::kCommaOrEnd, open_.back().is_object ? Next::kKey : Next::kValue);
    case '"':
      return String(WithoutSpace(token));
    default:
      return Scalar(WithoutSpace(token));
  }
}

bool JsonGrammar::Pass(Next expected, Next next) {
  if (next_ != expected) return false;
  next_ = next;
  return true;
}

void JsonGrammar::Push(bool is_object) {
  const bool is_element = is_object && !open_.empty() && !open_.back().is_object;
  open_.push_back({path_.size(), is_object, is_element});
  if (first_keys_.size() < open_.size()) first_keys_.emplace_back();
  if (is_element)
    visitor_.BeginElement(path_);
  else if (is_object)
    visitor_.Other(path_);
  else
    first_keys_[open_.size() - 1].clear();
  next_ = is_object ? Next::kKeyOrEnd : Next::kValueOrEnd;
}

bool JsonGrammar::Open(bool is_object) {
  if (open_.size() >= kDeepest) return false;
  if (is_object) {
    Push(true);
    return true;
  }
  const JsonArray array = visitor_.BeginArray(path_);
  if (array == JsonArray::kMisplaced) return false;
  closed_ = {};
  Push(false);
  open_.back().is_known = array == JsonArray::kKnown;
  return true;
}

bool JsonGrammar::Close(bool is_object, Next empty) {
  const bool may_end = next_ == Next::kCommaOrEnd || next_ == empty;
  if (open_.empty() || open_.back().is_object != is_object || !may_end) return false;
  const Container closed = open_.back();
  open_.pop_back();
  path_.resize(closed.path);
  if (closed.is_element) visitor_.EndElement(path_);
  if (closed.is_known) closed_ = {path_, first_keys_[open_.size()]};
  Ended();
  return true;
}

// Characters that JSON does not allow, in a string that ends.
bool JsonGrammar::Mend(std::string_view& token) {
  replaced_ = token;
  const int64_t count = ReplaceInvalid(replaced_.data(), replaced_.data() + replaced_.size());
  token = replaced_;
  return visitor_.MayReplace(count);
}

bool JsonGrammar::String(std::string_view token) {
  const bool is_key = next_ == Next::kKey || next_ == Next::kKeyOrEnd;
  if (token.size() < 2 || token.back() != '"' || (!is_key && !TakesValue())) return false;
  if (check_ && !IsText(token.substr(1, token.size() - 2)) && !Mend(token)) return false;
  std::string_view text = token.substr(1, token.size() - 2);
  if (text.contains('\\')) {
    const int64_t halves = CountHalves(text);
    if (halves < 0 || (halves > 0 && !visitor_.MayReplace(halves))) return false;
    text = TextOf(token, unescaped_);
  }
  if (is_key) {
    Key(text);
    return true;
  }
  visitor_.Text(path_, text);
  Ended();
  return true;
}

void JsonGrammar::Key(std::string_view text) {
  const Container& object = open_.back();
  if (object.is_element && next_ == Next::kKeyOrEnd) {
    std::string& first = first_keys_[open_.size() - 2];
    if (first.empty()) first = text;
  }
  path_.resize(object.path);
  if (!path_.empty()) path_ += '/';
  path_ += text;
  next_ = Next::kColon;
}

bool JsonGrammar::Scalar(std::string_view token) {
  if (!TakesValue()) return false;
  if (token == "true" || token == "false") {
    visitor_.Number(path_, token == "true" ? 1 : 0);
  } else if (token == "null") {
    visitor_.Other(path_);
  } else {
    if (!IsJsonNumber(token)) return false;
    int64_t value = 0;
    const char* const end = token.data() + token.size();
    const auto [stop, error] = std::from_chars(token.data(), end, value);
    if (stop == end && error == std::errc())
      visitor_.Number(path_, value);
    else
      visitor_.Other(path_);
  }
  Ended();
  return true;
}

bool JsonGrammar::GoOnAt(const JsonStart& start) {
  if (!start.begins) return GoOnIn(start.key);
  const std::string path = visitor_.PathOfList(start.name, start.key);
  if (path.empty())
    LeaveListsOf(start.key);
  else
    EnterList(path, start.key);
  return !path.empty();
}

// In the innermost known list whose elements begin so, or in the one that ended last: its end may
// have been the damage.
bool JsonGrammar::GoOnIn(std::string_view key) {
  for (size_t depth = open_.size(); depth-- > 0;) {
    if (!open_[depth].is_known || first_keys_[depth] != key) continue;
    if (depth + 1 == open_.size())
      visitor_.LoseElement(std::string_view(path_).substr(0, open_[depth].path));
    Pop(depth + 1);
    path_.resize(open_.back().path);
    next_ = Next::kValue;
    return true;
  }
  if (closed_.path.empty() || closed_.key != key) return false;
  EnterList(std::exchange(closed_, {}).path, key);
  visitor_.LoseElement(path_);
  return true;
}

void JsonGrammar::Pop(size_t depth) {
  while (open_.size() > depth) {
    const Container lost = open_.back();
    open_.pop_back();
    path_.resize(lost.path);
    if (lost.is_element) visitor_.LoseElement(path_);
  }
}

// Opens what is around the list, as far as it is not open.
void JsonGrammar::EnterList(const std::string& path, std::string_view key) {
  const auto around = [&](const Container& open) {
    const std::string_view own = std::string_view(path_).substr(0, open.path);
    return own.empty() ||
           (path.size() > own.size() && path.starts_with(own) && path[own.size()] == '/');
  };
  size_t depth = 0;
  while (depth < open_.size() && around(open_[depth])) ++depth;
  Pop(depth);
  path_.resize(open_.empty() ? 0 : open_.back().path);
  if (open_.empty()) Push(/*is_object=*/true);
  while (path_.size() < path.size()) {
    if (!open_.back().is_object) Push(/*is_object=*/true);
    path_ = path.substr(0, path.find('/', path_.size() + 1));
    // The list around all elements has a path of one name.
    const bool is_list = path_ == path || visitor_.PathOfList(path_, "") == path_;
    if (is_list) visitor_.BeginArray(path_);
    Push(/*is_object=*/!is_list);
    open_.back().is_known = is_list;
  }
  first_keys_[open_.size() - 1] = key;
  closed_ = {};
  next_ = Next::kValue;
}

// Elements that begin so may be of another list from here on.
void JsonGrammar::LeaveListsOf(std::string_view key) {
  for (size_t depth = 0; depth < open_.size(); ++depth) {
    if (first_keys_[depth] == key) open_[depth].is_known = false;
  }
  if (closed_.key == key) closed_ = {};
}

}  // namespace stepscope
