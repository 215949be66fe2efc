// Decodes values of all types, nested ones as the JSON they stand for.
#include "ingest/perfetto/annotations.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

#include "base/proto.h"
#include "ingest/common/perfetto_fields.h"
#include "ingest/json/json_index.h"
#include "ingest/json/json_text.h"
#include "ingest/kineto/kineto_tracks.h"

namespace stepscope::perfetto {
namespace {

constexpr int kDeepest = 16;              // of values within values
constexpr size_t kLongestMade = 1 << 20;  // bytes of JSON made of one value

void AppendQuoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<int>(c));
    else
      out += c;
  }
  out += '"';
}

void AppendValue(std::string& out, const Value& value) {
  if (const auto* number = std::get_if<int64_t>(&value))
    fmt::format_to(std::back_inserter(out), "{}", *number);
  else if (const auto* large = std::get_if<uint64_t>(&value))
    fmt::format_to(std::back_inserter(out), "{}", *large);
  else if (const auto* real = std::get_if<double>(&value))
    fmt::format_to(std::back_inserter(out), "{}", *real);
  else if (const auto* text = std::get_if<std::string_view>(&value))
    AppendQuoted(out, *text);
  else if (const auto* json = std::get_if<JsonText>(&value))
    out += json->text;
  else
    out += "null";
}

// The text that a JSON reader would see behind the name; for texts what is between the quotes.
std::string_view TokenOf(const Value& value, std::string& scratch) {
  if (const auto* text = std::get_if<std::string_view>(&value)) return *text;
  if (const auto* json = std::get_if<JsonText>(&value)) return json->text;
  scratch.clear();
  AppendValue(scratch, value);
  return scratch;
}

std::optional<int64_t> IntOf(const Value& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) return *number;
  if (const auto* large = std::get_if<uint64_t>(&value)) {
    if (std::in_range<int64_t>(*large)) return static_cast<int64_t>(*large);
    return std::nullopt;
  }
  if (const auto* real = std::get_if<double>(&value)) {
    constexpr double kLimit = 9.2e18;
    if (std::abs(*real) < kLimit) return static_cast<int64_t>(*real);
    return std::nullopt;
  }
  std::string scratch;
  return ScaleDecimal(TokenOf(value, scratch), 0);
}

std::optional<double> RealOf(const Value& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) return static_cast<double>(*number);
  if (const auto* large = std::get_if<uint64_t>(&value)) return static_cast<double>(*large);
  if (const auto* real = std::get_if<double>(&value)) {
    if (std::isfinite(*real)) return *real;
    return std::nullopt;
  }
  std::string scratch;
  return RealNumber(TokenOf(value, scratch));
}

bool IsNull(const Value& value) {
  if (const auto* text = std::get_if<std::string_view>(&value)) return text->starts_with("null");
  if (const auto* json = std::get_if<JsonText>(&value)) return json->text.starts_with("null");
  return false;
}

// As NestedValue has them, which older writers use.
Value NestedValueOf(std::string_view message, int depth, std::deque<std::string>& made) {
  Value value;
  std::vector<Value> keys, dict, list;
  const bool too_deep = depth >= kDeepest;
  ReadFields(message, [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case VarintField(kNestedInt):
        value = field.get_int64();
        break;
      case DoubleField(kNestedReal):
        value = field.get_double();
        break;
      case VarintField(kNestedBool):
        value = JsonText{field.get_bool() ? "true" : "false"};
        break;
      case BytesField(kNestedText):
        value = field.get_view();
        break;
      case BytesField(kNestedKey):
        keys.emplace_back(field.get_view());
        break;
      case BytesField(kNestedDictValue):
      case BytesField(kNestedArrayValue): {
        const bool of_list = field.tag() == kNestedArrayValue;
        const std::string_view inner = field.get_view();
        if (!too_deep) (of_list ? list : dict).push_back(NestedValueOf(inner, depth + 1, made));
        break;
      }
      default:
        field.skip();
    }
  });
  if (keys.empty() && list.empty()) return value;
  std::string text(1, keys.empty() ? '[' : '{');
  const size_t count = keys.empty() ? list.size() : std::min(keys.size(), dict.size());
  for (size_t i = 0; i < count && text.size() < kLongestMade; ++i) {
    if (i > 0) text += ", ";
    if (!keys.empty()) {
      AppendValue(text, keys[i]);
      text += ": ";
    }
    AppendValue(text, keys.empty() ? list[i] : dict[i]);
  }
  text += keys.empty() ? ']' : '}';
  return JsonText{made.emplace_back(std::move(text))};
}

// Names of arguments of other writers that mean what PyTorch's mean.
ArgUse UseOfOther(std::string_view name) {
  const auto use_of = [](IntField field) {
    return ArgUse{ArgUse::Type::kInt, static_cast<uint8_t>(field)};
  };
  if (name == "correlation_id" || name == "corr_id") return use_of(IntField::kCorrelation);
  if (name == "copy_bytes") return use_of(IntField::kBytes);
  if (name == "nranks") return use_of(IntField::kGroupSize);
  if (name == "device id" || name == "agent") return {ArgUse::Type::kDevice};
  if (name == "stream id") return {ArgUse::Type::kStream};
  return {};
}

}  // namespace

void EventArgs::Clear() {
  args.Clear();
  device.reset();
  stream.reset();
  foreign = true;
  has_call_id = has_python_id = has_sync_kind = false;
}

Annotations::Read Annotations::ReadOne(std::string_view message, const Interned& interned,
                                       int depth) {
  Read read;
  std::string nested;
  char closing = 0;
  const auto add = [&](pbf_reader& field, char open, char close) {
    const std::string_view inner = field.get_view();
    if (depth >= kDeepest || nested.size() > kLongestMade) return;
    nested += nested.empty() ? std::string(1, open) : ", ";
    closing = close;
    const Read item = ReadOne(inner, interned, depth + 1);
    if (close == '}') {
      AppendQuoted(nested, item.name);
      nested += ": ";
    }
    AppendValue(nested, item.value);
  };
  ReadFields(message, [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case VarintField(kAnnotationIid): {
        const AnnotationName* name = interned.annotation_names.Find(field.get_uint64());
        if (name == nullptr) break;
        read.name = strings_[name->text];
        read.use = name->use;
        break;
      }
      case BytesField(kAnnotationName):
        read.name = field.get_view();
        read.use = UseOfArg(read.name);
        break;
      case VarintField(kBool):
        read.value = JsonText{field.get_bool() ? "true" : "false"};
        break;
      case VarintField(kUint):
      case VarintField(kPointer):
        read.value = field.get_uint64();
        break;
      case VarintField(kInt):
        read.value = field.get_int64();
        break;
      case DoubleField(kReal):
        read.value = field.get_double();
        break;
      case BytesField(kText):
        read.value = field.get_view();
        break;
      case BytesField(kJson):
        read.value = JsonText{field.get_view()};
        break;
      case VarintField(kTextIid): {
        const StringId* text = interned.texts.Find(field.get_uint64());
        if (text == nullptr) break;
        read.id = *text;
        read.value = strings_[*text];
        break;
      }
      case BytesField(kNested):
        read.value = NestedValueOf(field.get_view(), depth, made_);
        break;
      case BytesField(kDictEntry):
        add(field, '{', '}');
        break;
      case BytesField(kArrayValue):
        add(field, '[', ']');
        break;
      default:
        field.skip();
    }
  });
  if (closing != 0) read.value = JsonText{Keep(std::move(nested) + closing)};
  return read;
}

void Annotations::Take(std::string_view message, const Interned& interned, bool counters,
                       EventArgs& into) {
  const Read read = ReadOne(message, interned, 0);
  if (std::holds_alternative<std::monostate>(read.value)) return;
  Apply(read.name, read.use, read.value, read.id, counters, into);
}

void Annotations::Apply(std::string_view name, ArgUse use, const Value& value, StringId id,
                        bool counters, EventArgs& into) {
  using Type = ArgUse::Type;
  Args& args = into.args;
  if (use.type == Type::kNone && into.foreign) use = UseOfOther(name);
  const auto bit = uint64_t{1} << use.field;
  switch (use.type) {
    case Type::kInt:
    case Type::kId:
      if (const auto number = IntOf(value)) {
        if (use.type == Type::kId && *number == 0) return;
        args.ints[use.field] = *number;
        args.ints_set |= bit;
      } else if (!IsNull(value)) {
        ++args.out_of_range;
      }
      return;
    case Type::kReal:
      if (const auto number = RealOf(value)) {
        args.reals[use.field] = *number;
        args.reals_set |= static_cast<uint32_t>(bit);
      } else if (!IsNull(value)) {
        ++args.out_of_range;
      }
      return;
    case Type::kText:
    case Type::kLaunch: {
      std::string scratch;
      std::string_view text = TokenOf(value, scratch);
      if (!scratch.empty()) text = Keep(std::move(scratch));
      if (use.type == Type::kText) {
        args.texts[use.field] = text;
        into.ids[use.field] = id;
        args.texts_set |= static_cast<uint32_t>(bit);
      } else {
        args.launch[use.field] = text;
        args.launch_set |= static_cast<uint32_t>(bit);
      }
      return;
    }
    case Type::kDevice:
    case Type::kStream: {
      std::string scratch;
      const auto* plain = std::get_if<int64_t>(&value);
      const int64_t number = plain != nullptr ? *plain : TrailingNumber(TokenOf(value, scratch));
      (use.type == Type::kDevice ? into.device : into.stream) = number;
      return;
    }
    case Type::kName:
    case Type::kNone:
      break;
  }
  if (into.foreign) {
    into.has_call_id = into.has_call_id || name == "cbid";
    into.has_python_id = into.has_python_id || name == "Python id";
    into.has_sync_kind = into.has_sync_kind || name == "cuda_sync_kind";
    const auto* text = std::get_if<std::string_view>(&value);
    if (name == "metadata" && text != nullptr) TakeJsonObject(*text, counters, into);
  }
  if (!counters || use.type == Type::kName) return;
  if (const auto number = RealOf(value)) args.counters.emplace_back(name, *number);
}

// What Kineto's own writer puts into one annotation: members of an object, without its brackets.
void Annotations::TakeJsonObject(std::string_view object, bool counters, EventArgs& into) {
  constexpr size_t kLongest = 1 << 20;
  if (object.empty() || object.size() > kLongest) return;
  const bool has_brackets = object.front() == '{';
  std::string& text = made_.emplace_back(has_brackets ? "" : "{");
  text += object;
  if (!has_brackets) text += '}';
  JsonIndex index;
  if (index.Index(text.data(), text.data() + text.size()) != JsonIndex::Outcome::kIndexed) return;
  JsonWalk walk(index);
  walk.Advance();
  std::string scratch;
  while (walk.Peek() == '"') {
    const std::string_view name = walk.PeekString();
    walk.Advance();
    if (!walk.Consume(':')) return;
    const std::string_view token = walk.TakeValue();
    if (token.empty()) return;
    const Value value = token.starts_with('"') ? Value(Keep(std::string(TextOf(token, scratch))))
                                               : Value(JsonText{token});
    if (name != "metadata") Apply(name, UseOfArg(name), value, kNoString, counters, into);
    if (!walk.Consume(',')) return;
  }
}

std::optional<std::pair<std::string, std::string>> Annotations::Member(std::string_view message,
                                                                       const Interned& interned) {
  const Read read = ReadOne(message, interned, 0);
  if (std::holds_alternative<std::monostate>(read.value)) return std::nullopt;
  std::string scratch;
  return std::pair(std::string(read.name), std::string(TokenOf(read.value, scratch)));
}

}  // namespace stepscope::perfetto
