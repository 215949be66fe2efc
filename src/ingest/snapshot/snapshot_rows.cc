// Events and blocks are dicts of up to a dozen items whose keys were remembered before: `}` MEMOIZE
// `(`, then a GET and a number, a GET, a truth or an empty list for each item, `u`.
#include "ingest/snapshot/snapshot_machine.h"

namespace stepscope::snapshot {
namespace {

constexpr size_t kMostOfRow = 256;  // bytes
constexpr size_t kMostOfItem = 16;

int64_t NumberOf(std::string_view bytes, size_t at, size_t size) {
  uint64_t value = 0;
  for (size_t i = size; i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[at + i]);
  const auto shift = static_cast<unsigned>(64 - 8 * size);
  return size == 0 ? 0 : static_cast<int64_t>(value << shift) >> shift;
}

// A number of one of the opcodes that have their size in themselves.
bool NumberAt(std::string_view bytes, size_t& at, int64_t& number) {
  const auto is = [&](int64_t value, size_t size) {
    number = value;
    at += size;
    return true;
  };
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(bytes[at + i]); };
  switch (byte(0)) {
    case 'K':
      return is(byte(1), 2);
    case 'M':
      return is(byte(1) | byte(2) << 8, 3);
    case 'J':
      return is(NumberOf(bytes, at + 1, 4), 5);
    case 0x8a:  // LONG1
      return byte(1) <= 8 && is(NumberOf(bytes, at + 2, byte(1)), size_t{2} + byte(1));
    default:
      return false;
  }
}

}  // namespace

bool Machine::TakeValue(std::string_view bytes, size_t& at, Value& value) {
  value = {Kind::kInt, 0, 0};
  if (NumberAt(bytes, at, value.number)) return true;
  switch (static_cast<uint8_t>(bytes[at])) {
    case 'h':
    case 'j': {
      uint32_t packed = 0;
      if (!TakeGet(bytes, at, packed)) return false;
      value = Unpacked(packed);
      return true;
    }
    case 0x88:
    case 0x89:
      value = {Kind::kBool, 0, bytes[at++] == '\x88'};
      return true;
    case 'N':
      ++at;
      value = {};
      return true;
    case ']':
      if (bytes[at + 1] != '\x94' || bytes[at + 2] == '(') return false;
      at += 2;
      memo_.Append(0);
      value = {.kind = Kind::kEmptyList};
      return true;
    default:
      return false;
  }
}

bool Machine::TakeItems(std::string_view bytes, size_t& at) {
  while (at + kMostOfItem < bytes.size()) {
    if (bytes[at] == 'u') {
      ++at;
      return true;
    }
    uint32_t key = 0;
    if (!TakeGet(bytes, at, key)) return false;
    const Value named = Unpacked(key);
    Value value;
    if (named.kind != Kind::kText || !TakeValue(bytes, at, value)) return false;
    const Field field = field_of_[static_cast<size_t>(named.number)];
    if (field != Field::kNone) row_.Set(field, value);
  }
  return false;
}

Machine::Taken Machine::TakeRow() {
  const std::string_view bytes = reader_.ahead().substr(0, kMostOfRow);
  if (bytes.size() < kMostOfItem || !bytes.starts_with("}\x94(") || stack_.empty())
    return Taken::kNo;
  const size_t memo = memo_.size();
  size_t at = 3;
  row_.has = 0;
  memo_.Append(0);
  if (!TakeItems(bytes, at) || !IsRow(row_)) {
    memo_.Shrink(memo);
    return Taken::kNo;
  }
  reader_.Skip(at);
  const Value made = ValueOf(row_, snapshot_);
  Remember(static_cast<int64_t>(memo), made);
  return Push(made) ? Taken::kYes : Taken::kWrong;
}

}  // namespace stepscope::snapshot
