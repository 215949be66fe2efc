// Reads values of the protocol, and skips those that nobody asks for.
#include "ingest/parquet/thrift_compact.h"

namespace stepscope {

uint8_t ThriftReader::Byte() {
  if (rest_.empty()) {
    Fail();
    return 0;
  }
  const auto byte = static_cast<uint8_t>(rest_.front());
  rest_.remove_prefix(1);
  return byte;
}

uint64_t ThriftReader::Unsigned() {
  uint64_t value = 0;
  if (!TakeVarint(rest_, value)) Fail();
  return value;
}

// Zigzag: 0, -1, 1, -2, ...
int64_t ThriftReader::Signed() {
  const uint64_t value = Unsigned();
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

void ThriftReader::Drop(uint64_t bytes) {
  if (bytes > rest_.size()) return Fail();
  rest_.remove_prefix(bytes);
}

// Every element is at least a byte long.
ThriftReader::Head ThriftReader::ListHead() {
  const uint8_t head = Byte();
  const uint64_t size = head >> 4 == 15 ? Unsigned() : head >> 4;
  if (size > rest_.size()) {
    Fail();
    return {};
  }
  return {size, static_cast<ThriftType>(head & 15)};
}

bool ThriftReader::TakeInt(ThriftType type, int64_t& value) {
  const bool is_int =
      type == ThriftType::kInt16 || type == ThriftType::kInt32 || type == ThriftType::kInt64;
  if (is_int) value = Signed();
  return is_int;
}

bool ThriftReader::TakeBool(ThriftType type, bool& value) {
  value = type == ThriftType::kTrue;
  return value || type == ThriftType::kFalse;
}

bool ThriftReader::TakeText(ThriftType type, std::string_view& value) {
  if (type != ThriftType::kBinary) return false;
  const uint64_t size = Unsigned();
  const std::string_view text = rest_.substr(0, size);
  Drop(size);
  if (ok_) value = text;
  return true;
}

void ThriftReader::SkipMap() {
  const uint64_t size = Unsigned();
  if (size == 0 || !ok_) return;
  const uint8_t types = Byte();
  if (size > rest_.size()) return Fail();
  for (uint64_t i = 0; i < size && ok_; ++i) {
    SkipElement(static_cast<ThriftType>(types >> 4));
    SkipElement(static_cast<ThriftType>(types & 15));
  }
}

// A boolean in a list is a byte, and as a field none.
void ThriftReader::SkipElement(ThriftType type) {
  if (type == ThriftType::kTrue || type == ThriftType::kFalse) return Drop(1);
  if (++depth_ > kDeepest) return Fail();
  Skip(type);
  --depth_;
}

void ThriftReader::Skip(ThriftType type) {
  switch (type) {
    case ThriftType::kTrue:
    case ThriftType::kFalse:
      return;
    case ThriftType::kByte:
      return Drop(1);
    case ThriftType::kInt16:
    case ThriftType::kInt32:
    case ThriftType::kInt64:
      Unsigned();
      return;
    case ThriftType::kDouble:
      return Drop(8);
    case ThriftType::kBinary:
      return Drop(Unsigned());
    case ThriftType::kList:
    case ThriftType::kSet:
      TakeList(ThriftType::kList, [](ThriftType) { return false; });
      return;
    case ThriftType::kMap:
      return SkipMap();
    case ThriftType::kStruct:
      Struct([](int64_t, ThriftType) { return false; });
      return;
  }
  Fail();
}

}  // namespace stepscope
