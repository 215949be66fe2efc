// Opcodes are those of CPython's Lib/pickletools.py.
#include "ingest/pickle/pickle_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace stepscope {
namespace {

constexpr size_t kWindow = 64 << 10;

// What runs code, or needs more than the file.
std::string_view RefusedName(uint8_t code) {
  switch (code) {
    case 'c':
      return "GLOBAL";
    case 0x93:
      return "STACK_GLOBAL";
    case 'R':
      return "REDUCE";
    case 'b':
      return "BUILD";
    case 'i':
      return "INST";
    case 'o':
      return "OBJ";
    case 0x81:
      return "NEWOBJ";
    case 0x92:
      return "NEWOBJ_EX";
    case 'P':
      return "PERSID";
    case 'Q':
      return "BINPERSID";
    case 0x82:
      return "EXT1";
    case 0x83:
      return "EXT2";
    case 0x84:
      return "EXT4";
    case 0x97:
      return "NEXT_BUFFER";
    case 0x98:
      return "READONLY_BUFFER";
    default:
      return "";
  }
}

PickleOp PlainOp(uint8_t code) {
  switch (code) {
    case 'N':
      return PickleOp::kNone;
    case 0x88:
      return PickleOp::kTrue;
    case 0x89:
      return PickleOp::kFalse;
    case ']':
      return PickleOp::kEmptyList;
    case ')':
      return PickleOp::kEmptyTuple;
    case '}':
      return PickleOp::kEmptyDict;
    case '(':
      return PickleOp::kMark;
    case 'a':
      return PickleOp::kAppend;
    case 'e':
      return PickleOp::kAppends;
    case 's':
      return PickleOp::kSetItem;
    case 'u':
      return PickleOp::kSetItems;
    case 't':
      return PickleOp::kTuple;
    case 'l':
      return PickleOp::kList;
    case 'd':
      return PickleOp::kDict;
    case 0x94:
      return PickleOp::kMemoize;
    case '0':
      return PickleOp::kPop;
    case '1':
      return PickleOp::kPopMark;
    default:
      return PickleOp::kStop;  // not one of these
  }
}

}  // namespace

PickleReader::PickleReader(ByteSource source) : source_(std::move(source)) {}

void PickleReader::Fail(std::string what) {
  if (failure_.empty()) failure_ = std::move(what);
}

bool PickleReader::Fill(uint64_t count) {
  while (filled_ - at_ < count) {
    if (at_ > 0) {
      std::memmove(buffer_.data(), buffer_.data() + at_, filled_ - at_);
      before_ += at_;
      filled_ -= at_;
      at_ = 0;
    }
    // Grows as bytes come, not as the file claims.
    const size_t room = std::max<size_t>(kWindow, std::min<size_t>(count, 2 * filled_));
    if (buffer_.size() < room) buffer_.resize(room);
    const size_t got = source_.Read(std::span(buffer_).subspan(filled_));
    filled_ += got;
    if (got == 0) {
      Fail("the file ends in the middle");
      return false;
    }
  }
  return true;
}

uint64_t PickleReader::TakeUnsigned(size_t bytes) {
  const std::string_view taken = Take(bytes);
  uint64_t value = 0;
  for (size_t i = taken.size(); i-- > 0;) value = value << 8 | static_cast<uint8_t>(taken[i]);
  return value;
}

int64_t PickleReader::TakeLong(uint64_t bytes) {
  if (bytes > 8) {
    Fail("a number has more than 64 bits");
    return 0;
  }
  if (bytes == 0) return 0;
  const uint64_t value = TakeUnsigned(bytes);
  const auto shift = static_cast<unsigned>(64 - 8 * bytes);
  return static_cast<int64_t>(value << shift) >> shift;
}

bool PickleReader::ReadNumber(uint8_t code, PickleStep& step) {
  const auto made = [&](PickleOp op, int64_t number) {
    step.op = op;
    step.number = number;
    return true;
  };
  const auto put = [&](size_t bytes) { return static_cast<int64_t>(TakeUnsigned(bytes)); };
  switch (code) {
    case 'K':
      return made(PickleOp::kInt, put(1));
    case 'M':
      return made(PickleOp::kInt, put(2));
    case 'J':
      return made(PickleOp::kInt, static_cast<int32_t>(TakeUnsigned(4)));
    case 0x8a:
      return made(PickleOp::kInt, TakeLong(TakeUnsigned(1)));
    case 0x8b:
      return made(PickleOp::kInt, TakeLong(TakeUnsigned(4)));
    case 'q':
      return made(PickleOp::kPut, put(1));
    case 'r':
      return made(PickleOp::kPut, put(4));
    case 'h':
      return made(PickleOp::kGet, put(1));
    case 'j':
      return made(PickleOp::kGet, put(4));
    case 0x85:
      return made(PickleOp::kTupleOf, 1);
    case 0x86:
      return made(PickleOp::kTupleOf, 2);
    case 0x87:
      return made(PickleOp::kTupleOf, 3);
    case 'G':
      step.op = PickleOp::kFloat;
      step.real = std::bit_cast<double>(__builtin_bswap64(TakeUnsigned(8)));
      return true;
    default:
      return false;
  }
}

bool PickleReader::ReadText(uint8_t code, PickleStep& step) {
  size_t length_bytes = 0;
  switch (code) {
    case 'U':
    case 'C':
    case 0x8c:
      length_bytes = 1;
      break;
    case 'T':
    case 'B':
    case 'X':
      length_bytes = 4;
      break;
    case 0x8d:
    case 0x8e:
    case 0x96:
      length_bytes = 8;
      break;
    default:
      return false;
  }
  const uint64_t length = TakeUnsigned(length_bytes);
  if (length > kMostText) {
    Fail(fmt::format("a text has {} bytes", length));
    return true;
  }
  step.op = PickleOp::kText;
  step.text = Take(length);
  return true;
}

bool PickleReader::Read(uint8_t code, PickleStep& step) {
  step.op = PlainOp(code);
  if (step.op != PickleOp::kStop || code == '.') return true;
  if (ReadNumber(code, step) || ReadText(code, step)) return true;
  if (code == 0x80) {  // PROTO
    const uint64_t protocol = TakeUnsigned(1);
    if (protocol > 5) Fail(fmt::format("pickle protocol {} is not known", protocol));
  } else if (code == 0x95) {  // FRAME: a hint for readers that seek
    TakeUnsigned(8);
  } else if (const auto name = RefusedName(code); !name.empty()) {
    Fail(fmt::format("pickle opcode {} is refused: it could run code", name));
  } else {
    Fail(fmt::format("opcode 0x{:02x} is not of a pickle of protocols 2 to 5", code));
  }
  return false;
}

inline bool PickleReader::ReadFast(PickleStep& step) {
  constexpr size_t kMostBytes = 10;  // of a number with its opcode
  if (filled_ - at_ < kMostBytes) return false;
  const char* const bytes = buffer_.data() + at_;
  const auto is = [&](PickleOp op, size_t size, int64_t number = 0) {
    step.op = op;
    step.number = number;
    at_ += size;
    return true;
  };
  const auto little = [&](auto number) {
    std::memcpy(&number, bytes + 1, sizeof(number));
    return static_cast<int64_t>(number);
  };
  static_assert(std::endian::native == std::endian::little);
  switch (static_cast<uint8_t>(bytes[0])) {
    case 'h': return is(PickleOp::kGet, 2, little(uint8_t()));
    case 'j': return is(PickleOp::kGet, 5, little(uint32_t()));
    case 'K': return is(PickleOp::kInt, 2, little(uint8_t()));
    case 'M': return is(PickleOp::kInt, 3, little(uint16_t()));
    case 'J': return is(PickleOp::kInt, 5, little(int32_t()));
    case 0x94: return is(PickleOp::kMemoize, 1);
    case '(': return is(PickleOp::kMark, 1);
    case '}': return is(PickleOp::kEmptyDict, 1);
    case ']': return is(PickleOp::kEmptyList, 1);
    case 'u': return is(PickleOp::kSetItems, 1);
    case 'e': return is(PickleOp::kAppends, 1);
    case 'a': return is(PickleOp::kAppend, 1);
    case 0x8c: {
      const auto size = static_cast<size_t>(little(uint8_t()));
      if (filled_ - at_ < 2 + size) return false;
      step.text = {bytes + 2, size};
      return is(PickleOp::kText, 2 + size);
    }
    default: return false;
  }
}

bool PickleReader::Step(PickleStep& step) {
  if (ReadFast(step)) return true;
  for (bool found = false; !found && failure_.empty();) {
    const std::string_view code = Take(1);
    if (!code.empty()) found = Read(static_cast<uint8_t>(code[0]), step);
  }
  return failure_.empty();
}

Error PickleReader::failure() const { return {failure_, fmt::format("byte {}", taken()), ""}; }

Result<PickleStep> PickleReader::Next() {
  PickleStep step;
  if (Step(step)) return step;
  return std::unexpected(failure());
}

}  // namespace stepscope
