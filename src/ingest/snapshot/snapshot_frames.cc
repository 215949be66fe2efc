// Frames are dicts of three items, whose keys and texts were remembered before: `}` MEMOIZE `(`,
// three times a GET and a GET or a number, `u`. A list of them is `]` MEMOIZE `(` frames `e`.
#include <cstring>

#include "ingest/snapshot/snapshot_machine.h"

namespace stepscope::snapshot {
namespace {

constexpr size_t kMostOfFrame = 40;  // bytes
constexpr size_t kMostTaken = 1000;  // a batch of Python's pickler
constexpr char kMemoize = '\x94';
constexpr unsigned kAll = 7;  // name, file and line

bool Opens(std::string_view bytes, size_t at, char what) {
  return bytes[at] == what && bytes[at + 1] == kMemoize && bytes[at + 2] == '(';
}

template <class Number>
Number NumberAt(std::string_view bytes, size_t& at) {
  Number number;
  std::memcpy(&number, bytes.data() + at + 1, sizeof(number));
  at += 1 + sizeof(number);
  return number;
}

// False: not a number of up to 32 bits that a line can have.
bool LineAt(std::string_view bytes, size_t& at, uint32_t& line) {
  switch (bytes[at]) {
    case 'K':
      line = NumberAt<uint8_t>(bytes, at);
      return true;
    case 'M':
      line = NumberAt<uint16_t>(bytes, at);
      return true;
    case 'J':
      line = NumberAt<uint32_t>(bytes, at);
      return line <= INT32_MAX;
    default:
      return false;
  }
}

}  // namespace

bool Machine::TakeGet(std::string_view bytes, size_t& at, uint32_t& packed) const {
  size_t number = SIZE_MAX;
  if (bytes[at] == 'h')
    number = NumberAt<uint8_t>(bytes, at);
  else if (bytes[at] == 'j')
    number = NumberAt<uint32_t>(bytes, at);
  if (number >= memo_.size()) return false;
  packed = memo_[number];
  return true;
}

bool Machine::TakeField(std::string_view bytes, size_t& at, SnapshotStacks::Frame& frame,
                        unsigned& has) {
  constexpr auto kText = static_cast<uint32_t>(Kind::kText), kMask = (1U << kKindBits) - 1;
  uint32_t key = 0, text = 0;
  if (!TakeGet(bytes, at, key) || (key & kMask) != kText) return false;
  const Field field = field_of_[key >> kKindBits];
  if (field == Field::kLine) {
    has |= 4;
    return LineAt(bytes, at, frame.line);
  }
  if (!TakeGet(bytes, at, text) || (text & kMask) != kText) return false;
  if (field != Field::kName && field != Field::kFilename) return false;
  (field == Field::kName ? frame.name : frame.file) = text >> kKindBits;
  has |= field == Field::kName ? 1 : 2;
  return true;
}

bool Machine::TakeFrame(std::string_view bytes, size_t& at, FrameId& frame) {
  if (bytes.size() < at + kMostOfFrame || !Opens(bytes, at, '}')) return false;
  size_t end = at + 3;
  SnapshotStacks::Frame read;
  unsigned has = 0;
  for (int i = 0; i < 3; ++i)
    if (!TakeField(bytes, end, read, has)) return false;
  if (has != kAll || bytes[end] != 'u') return false;
  frame = snapshot_.stacks.Intern(read, taken_.empty() ? 0 : taken_.back());
  at = end + 1;
  return true;
}

bool Machine::LeaveOpen(size_t memo) {
  if (!PushList()) return false;
  lists_[static_cast<size_t>(stack_.back().number)].memo = static_cast<int64_t>(memo);
  PickleStep mark;
  mark.op = PickleOp::kMark;
  if (!Do(mark)) return false;
  for (const FrameId frame : taken_)
    if (!Push({Kind::kFrame, 0, frame})) return false;
  return true;
}

Machine::Taken Machine::TakeStack() {
  const std::string_view bytes = reader_.ahead();
  if (bytes.size() < kMostOfFrame + 3 || !Opens(bytes, 0, ']')) return Taken::kNo;
  const auto packed = [](Kind kind, uint32_t id) {
    return id << kKindBits | static_cast<uint32_t>(kind);
  };
  const size_t memo = memo_.size();
  size_t at = 3;
  taken_.clear();
  for (FrameId frame = 0; taken_.size() < kMostTaken && TakeFrame(bytes, at, frame);) {
    if (taken_.empty()) memo_.Append(0);  // the list's
    memo_.Append(packed(Kind::kFrame, frame));
    taken_.push_back(frame);
  }
  if (taken_.empty()) return Taken::kNo;
  reader_.Skip(at);
  // Another batch may follow, or one more frame.
  const bool ends = bytes.size() >= at + 2 && bytes[at] == 'e' &&
                    std::string_view("(a}]").find(bytes[at + 1]) == std::string_view::npos;
  if (!ends) return LeaveOpen(memo) ? Taken::kYes : Taken::kWrong;
  reader_.Skip(1);
  const StackId stack = InternStack(taken_);
  memo_.Set(memo, packed(Kind::kStack, stack));
  return Push({Kind::kStack, 0, stack}) ? Taken::kYes : Taken::kWrong;
}

}  // namespace stepscope::snapshot
