// Finds the fields of an event and skips what is not needed: the rest of an event after an unwanted
// "cat", the rest of a flow after its "ph", and the values of unused arguments. A perfect hash
// looks up arguments.
#include "ingest/kineto/kineto_text.h"

#include <cstring>

#include "base/short_text.h"
#include "ingest/json/json_text.h"

namespace stepscope {
namespace {

// Whether the key at `at` is `key`; both end in a quote.
template <size_t N>
bool IsKey(const char* at, const char (&key)[N]) {
  return std::memcmp(at, key, N - 1) == 0;
}

// Whether events of this phase say where an arrow begins, passes and ends, whatever their category.
bool IsFlow(std::string_view phase) {
  return phase.size() > 2 && (phase[1] == 's' || phase[1] == 't' || phase[1] == 'f');
}

void TakeArg(Args& args, ArgUse use, std::string_view token) {
  using Type = ArgUse::Type;
  const auto bit = uint64_t{1} << use.field;
  switch (use.type) {
    case Type::kNone:
      break;
    case Type::kInt:
    case Type::kId:
      if (const auto value = ScaleDecimal(token, 0)) {
        if (use.type == Type::kId && *value == 0) break;
        args.ints[use.field] = *value;
        args.ints_set |= bit;
      } else if (!token.starts_with("null")) {
        ++args.out_of_range;
      }
      break;
    case Type::kReal:
      if (const auto value = RealNumber(token)) {
        args.reals[use.field] = *value;
        args.reals_set |= static_cast<uint32_t>(bit);
      } else if (!token.starts_with("null")) {
        ++args.out_of_range;
      }
      break;
    case Type::kText:
      args.texts[use.field] = token;
      args.texts_set |= static_cast<uint32_t>(bit);
      break;
    case Type::kLaunch:
      args.launch[use.field] = token;
      args.launch_set |= static_cast<uint32_t>(bit);
      break;
    case Type::kDevice:
      args.device = token;
      break;
    case Type::kStream:
      args.stream = token;
      break;
    case Type::kName:
      args.name = token;
      break;
  }
}

// Reads the object of arguments at hand; false if it is cut short or no JSON. With `counters`,
// numbers of any name are collected too.
bool ReadArgs(JsonWalk& walk, bool counters, Args& args) {
  if (walk.Peek() != '{') return walk.Skip();  // "args": null
  walk.Advance();
  if (walk.Consume('}')) return true;
  do {
    if (walk.Peek() != '"') return false;
    const std::string_view key = walk.PeekString();
    walk.Advance();
    if (!walk.Consume(':')) return false;
    const ArgUse use = UseOfArg(key);
    if (use.type == ArgUse::Type::kNone && !counters) {
      if (!walk.Skip()) return false;
      continue;
    }
    const std::string_view value = walk.TakeValue();
    if (value.empty()) return false;
    if (use.type != ArgUse::Type::kNone) {
      TakeArg(args, use, value);
    } else if (const auto number = RealNumber(value)) {
      args.counters.emplace_back(key, *number);
    }
  } while (walk.Consume(','));
  return walk.Consume('}');
}

}  // namespace

CategoryMeaning EventText::Meaning(std::string_view token) {
  const auto byte = [&](size_t at) {
    return static_cast<size_t>(static_cast<unsigned char>(token[at]));
  };
  // No two of the usual categories share a bucket.
  const size_t bucket =
      token.size() < 2 ? 0 : token.size() * 2 + byte(token.size() - 2) * 19 + byte(1);
  KnownCategory& known = categories_[bucket % categories_.size()];
  if (!SameText(known.token, token))
    known = {std::string(token), MeaningOfCategory(TextOf(token, scratch_))};
  return known.meaning;
}

// Reads one `"key": value` of an event.
EventText::Learned EventText::ReadField(JsonWalk& walk) {
  if (walk.Peek() != '"') return Learned::kDamage;
  const char* key = walk.At() + 1;
  walk.Advance();
  if (!walk.Consume(':')) return Learned::kDamage;
  const auto take = [&](std::string_view& token) {
    token = walk.TakeValue();
    return !token.empty();
  };
  const auto learned = [](bool whole, bool kind = false) {
    return !whole ? Learned::kDamage : kind ? Learned::kKind : Learned::kValue;
  };
  switch (key[0]) {
    case 'p':
      if (IsKey(key, "pid\"")) return learned(take(raw.pid));
      if (!IsKey(key, "ph\"")) break;
      if (!take(raw.phase)) return Learned::kDamage;
      if (!IsFlow(raw.phase)) return Learned::kValue;
      raw.meaning = {.kind = Kind::kFlow};
      return Learned::kKind;
    case 't':
      if (IsKey(key, "ts\"")) return learned(take(raw.ts));
      if (IsKey(key, "tid\"")) return learned(take(raw.tid));
      break;
    case 'n':
      if (IsKey(key, "name\"")) return learned(take(raw.name), !raw.category.empty());
      break;
    case 'd':
      if (IsKey(key, "dur\"")) return learned(take(raw.dur));
      break;
    case 'i':
      if (IsKey(key, "id\"")) return learned(take(raw.id));
      break;
    case 'c':
      if (!IsKey(key, "cat\"")) break;
      if (!take(raw.category)) return Learned::kDamage;
      raw.meaning = Meaning(raw.category);
      return Learned::kKind;
    case 'a':
      if (IsKey(key, "args\"")) return learned(ReadArgs(walk, MayCount(), raw.args));
      break;
    default:
      break;
  }
  return learned(walk.Skip());
}

// Whether the numbers among the event's arguments may be counters, by the keys read so far.
bool EventText::MayCount() const {
  if (!raw.phase.empty() && !raw.phase.starts_with("\"X")) return raw.phase.starts_with("\"C");
  return raw.category.empty() || raw.meaning.kind == Kind::kCounterRange;
}

// Whether the category, with the name if it is read already, or the phase of a flow says that
// nobody asked for the event.
bool EventText::Unwanted() const {
  if (keep_.Has(raw.meaning.kind)) return false;
  if (raw.meaning.kind == Kind::kFlow && IsLaunchFlow(raw.name)) return false;
  const auto may_begin = [&](std::string_view with) {
    return raw.name.empty() || raw.name.starts_with(with);
  };
  switch (raw.meaning.name_decides) {
    case NameDecides::kNothing:
      return true;
    case NameDecides::kStep:
      return !may_begin("\"ProfilerStep#");
    case NameDecides::kWait:
      return !keep_.Has(Kind::kPythonWait) || !may_begin("\"<built-in method wait of ");
    case NameDecides::kCommunication:
    case NameDecides::kActivity:
      break;
  }
  return false;
}

// Reads the fields of the event at hand, its brackets and all, or passes over it once they say that
// nobody asked for it.
EventText::Found EventText::Read(JsonWalk& walk) {
  walk.Advance();  // its bracket
  raw.Clear();
  if (walk.Consume('}')) return Found::kEvent;
  do {
    const Learned learned = ReadField(walk);
    if (learned == Learned::kDamage) return Found::kDamage;
    if (learned == Learned::kKind && Unwanted())
      return walk.SkipToEndOfContainer() ? Found::kUnwanted : Found::kDamage;
  } while (walk.Consume(','));
  return walk.Consume('}') ? Found::kEvent : Found::kDamage;
}

}  // namespace stepscope
