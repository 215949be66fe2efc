// Containers are rows, or nothing, once something else takes them in; until then they have a slot.
#include "ingest/snapshot/snapshot_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/stop.h"

namespace stepscope::snapshot {
namespace {

constexpr size_t kMostOpen = 1 << 16;   // dicts and lists each
constexpr size_t kMostDepth = 1 << 12;  // marks
constexpr size_t kMostTraces = 64;      // lists of lists

}  // namespace

Error Machine::Wrong(std::string what) const {
  return {std::move(what), fmt::format("byte {}", reader_.taken()), ""};
}

bool Machine::MayPush() {
  if (stack_.size() < kValuesAnyway + reader_.taken() / 64) return true;
  refused_ = "more values are open than a snapshot has";
  return false;
}

bool Machine::PushText(std::string_view text) {
  const StringId id = snapshot_.stacks.Text(text, kBytesAnyway + reader_.taken() / 8);
  while (field_of_.size() <= id)
    field_of_.push_back(FieldOf(snapshot_.stacks.text(static_cast<StringId>(field_of_.size()))));
  return Push({Kind::kText, 0, id});
}

namespace {

template <class Slot>
bool Take(std::deque<Slot>& slots, std::vector<uint32_t>& free, uint32_t& at) {
  if (!free.empty()) {
    at = free.back();
    free.pop_back();
    return true;
  }
  if (slots.size() >= kMostOpen) return false;
  at = static_cast<uint32_t>(slots.size());
  slots.emplace_back();
  return true;
}

}  // namespace

bool Machine::PushDict() {
  uint32_t at = 0;
  if (Take(dicts_, free_dicts_, at)) return Push({Kind::kOpenDict, 0, at});
  refused_ = "more dicts are open than a snapshot has";
  return false;
}

bool Machine::PushList() {
  uint32_t at = 0;
  if (Take(lists_, free_lists_, at)) return Push({Kind::kOpenList, 0, at});
  refused_ = "more lists are open than a snapshot has";
  return false;
}

void Machine::Remember(int64_t memo, const Value& value) {
  static_assert(static_cast<int>(kLastRemembered) < 1 << kKindBits);
  if (memo < 0) return;
  const bool fits = value.kind <= kLastRemembered && value.number >= 0 &&
                    value.number < int64_t{1} << (32 - kKindBits);
  memo_.Set(static_cast<size_t>(memo), fits ? static_cast<uint32_t>(value.number) << kKindBits |
                                                  static_cast<uint32_t>(value.kind)
                                            : 0);
}

StackId Machine::InternStack(std::span<const FrameId> frames) {
  return snapshot_.stacks.Intern(frames, kBytesAnyway + reader_.taken() / 32);
}

Value Machine::Close(const Value& value) {
  if (value.kind == Kind::kOpenDict) {
    OpenDict& dict = dicts_[static_cast<size_t>(value.number)];
    const Value made = ValueOf(dict, snapshot_);
    Remember(dict.memo, made);
    dict.has = 0;
    dict.memo = -1;
    free_dicts_.push_back(static_cast<uint32_t>(value.number));
    return made;
  }
  if (value.kind != Kind::kOpenList) return value;
  OpenList& list = lists_[static_cast<size_t>(value.number)];
  Value made{.count = list.count, .number = list.first};
  switch (list.kind) {
    case Kind::kFrame:
      made = {Kind::kStack, 0, InternStack(list.frames)};
      break;
    case Kind::kBlock:
      made.kind = Kind::kBlocks;
      break;
    case Kind::kSegment:
      made.kind = Kind::kSegments;
      break;
    case Kind::kEvent:
      made.kind = Kind::kEvents;
      break;
    case Kind::kEvents:
      if (traces_.size() < kMostTraces) {
        made = {Kind::kTraces, 0, static_cast<int64_t>(traces_.size())};
        traces_.push_back(list.traces);
      }
      break;
    default:
      made = {.kind = list.count == 0 ? Kind::kEmptyList : Kind::kOther};
      break;
  }
  Remember(list.memo, made);
  list.kind = Kind::kOther;
  list.count = 0;
  list.frames.clear();
  list.traces.clear();
  list.memo = -1;
  free_lists_.push_back(static_cast<uint32_t>(value.number));
  return made;
}

Value Machine::Unpacked(uint32_t packed) {
  return {static_cast<Kind>(packed & ((1 << kKindBits) - 1)), 0, packed >> kKindBits};
}

bool Machine::Get(int64_t number) {
  if (number < 0 || static_cast<size_t>(number) >= memo_.size()) {
    refused_ = "a value is used that was not remembered";
    return false;
  }
  return Push(Unpacked(memo_[static_cast<size_t>(number)]));
}

bool Machine::Put(int64_t number) {
  if (stack_.empty() || stack_.back().kind == Kind::kMark) return false;
  const auto place = static_cast<size_t>(number);
  if (place >= kValuesAnyway + reader_.taken()) {
    refused_ = "more values are remembered than the file has";
    return false;
  }
  while (memo_.size() <= place) memo_.Append(0);
  const Value& top = stack_.back();
  // What is open is a circle where it is used before it is complete: nothing.
  const bool open = top.kind == Kind::kOpenDict || top.kind == Kind::kOpenList;
  Remember(number, open ? Value() : top);
  if (top.kind == Kind::kOpenDict) {
    int64_t& memo = dicts_[static_cast<size_t>(top.number)].memo;
    if (memo >= 0) Remember(memo, {});  // it is remembered twice: the last number counts
    memo = number;
  }
  if (top.kind == Kind::kOpenList) {
    int64_t& memo = lists_[static_cast<size_t>(top.number)].memo;
    if (memo >= 0) Remember(memo, {});
    memo = number;
  }
  return true;
}

bool Machine::FindMark(size_t& mark) const {
  if (marks_.empty()) return false;
  mark = marks_.back();
  return true;
}

void Machine::AddTo(OpenList& list, const Value& item) {
  if (Add(item, list)) return;
  if (list.kind == Kind::kOther) {
    ++list.count;  // items of no interest
  } else {
    ++snapshot_.misplaced;
  }
}

bool Machine::Append() {
  const size_t floor = marks_.empty() ? 0 : marks_.back() + 1;
  if (stack_.size() < floor + 2) return false;
  const Value item = Close(stack_.back());
  stack_.pop_back();
  const Value& target = stack_.back();
  if (target.kind == Kind::kOpenList) AddTo(lists_[static_cast<size_t>(target.number)], item);
  return target.kind != Kind::kMark;
}

bool Machine::Appends() {
  size_t mark = 0;
  if (!FindMark(mark) || mark == 0 || stack_[mark - 1].kind == Kind::kMark) return false;
  const Value target = stack_[mark - 1];
  for (size_t i = mark + 1; i < stack_.size(); ++i) {
    const Value item = Close(stack_[i]);
    if (target.kind != Kind::kOpenList) continue;
    AddTo(lists_[static_cast<size_t>(target.number)], item);
  }
  stack_.resize(mark);
  marks_.pop_back();
  return true;
}

bool Machine::SetOn(Value& target, size_t first) {
  if ((stack_.size() - first) % 2 != 0) return false;
  OpenDict* dict =
      target.kind == Kind::kOpenDict ? &dicts_[static_cast<size_t>(target.number)] : nullptr;
  for (size_t i = first; i < stack_.size(); i += 2) {
    const Value key = Close(stack_[i]), value = Close(stack_[i + 1]);
    if (key.kind != Kind::kText || dict == nullptr) continue;
    const Field field = field_of_[static_cast<size_t>(key.number)];
    if (field != Field::kNone) dict->Set(field, value);
  }
  return true;
}

bool Machine::SetItem() {
  const size_t floor = marks_.empty() ? 0 : marks_.back() + 1;
  if (stack_.size() < floor + 3) return false;
  const size_t first = stack_.size() - 2;
  if (!SetOn(stack_[first - 1], first)) return false;
  stack_.resize(first);
  return true;
}

bool Machine::SetItems() {
  size_t mark = 0;
  if (!FindMark(mark) || mark == 0 || stack_[mark - 1].kind == Kind::kMark) return false;
  Value& target = stack_[mark - 1];
  if (!SetOn(target, mark + 1)) return false;
  stack_.resize(mark);
  marks_.pop_back();
  // Events and the like have few keys, all set at once: they need no slot any longer.
  if (target.kind == Kind::kOpenDict && mark > 1) {
    const OpenDict& dict = dicts_[static_cast<size_t>(target.number)];
    if (IsRow(dict)) target = Close(target);
  }
  return true;
}

bool Machine::Tuple(size_t count) {
  const size_t floor = marks_.empty() ? 0 : marks_.back() + 1;
  if (stack_.size() < floor + count) return false;
  for (size_t i = stack_.size() - count; i < stack_.size(); ++i) Close(stack_[i]);
  stack_.resize(stack_.size() - count);
  return Push({});
}

bool Machine::Pop() {
  if (stack_.empty()) return false;
  if (stack_.back().kind == Kind::kMark) marks_.pop_back();
  Close(stack_.back());
  stack_.pop_back();
  return true;
}

bool Machine::Do(const PickleStep& step) {
  size_t mark = 0;
  switch (step.op) {
    case PickleOp::kInt:
      return Push({Kind::kInt, 0, step.number});
    case PickleOp::kGet:
      return Get(step.number);
    case PickleOp::kMemoize:
      return Put(static_cast<int64_t>(memo_.size()));
    case PickleOp::kPut:
      return Put(step.number);
    case PickleOp::kText:
      return PushText(step.text);
    case PickleOp::kMark:
      if (marks_.size() >= kMostDepth) {
        refused_ = "it is nested deeper than a snapshot is";
        return false;
      }
      marks_.push_back(stack_.size());
      return Push({Kind::kMark});
    case PickleOp::kEmptyDict:
      return PushDict();
    case PickleOp::kEmptyList:
      return PushList();
    case PickleOp::kSetItems:
      return SetItems();
    case PickleOp::kSetItem:
      return SetItem();
    case PickleOp::kAppend:
      return Append();
    case PickleOp::kAppends:
      return Appends();
    case PickleOp::kTrue:
      return Push({Kind::kBool, 0, 1});
    case PickleOp::kFalse:
      return Push({Kind::kBool, 0, 0});
    case PickleOp::kNone:
    case PickleOp::kFloat:
    case PickleOp::kEmptyTuple:
      return Push({});
    case PickleOp::kTupleOf:
      return Tuple(static_cast<size_t>(step.number));
    case PickleOp::kTuple:
    case PickleOp::kList:
    case PickleOp::kDict:
    case PickleOp::kPopMark:
      if (!FindMark(mark) || !Tuple(stack_.size() - mark - 1)) return false;
      stack_.resize(mark);
      marks_.pop_back();
      return step.op == PickleOp::kPopMark || Push({});
    case PickleOp::kPop:
      return Pop();
    case PickleOp::kStop:
      return true;
  }
  return false;
}

Result<void> Machine::Finish() {
  if (stack_.size() != 1)
    return std::unexpected(Wrong("the pickle ends with nothing, or too much"));
  const Value root = stack_.back();
  const Error not_one{
      "this pickle is not a memory snapshot: it has no segments and no device_traces", "",
      "give a file that torch.cuda.memory._dump_snapshot() wrote"};
  if (root.kind != Kind::kOpenDict) {
    const Value made = Close(root);
    if (made.kind != Kind::kSegments) return std::unexpected(not_one);
    return {};
  }
  const OpenDict& dict = dicts_[static_cast<size_t>(root.number)];
  const auto is = [&](Field field, Kind kind) {
    return dict.Has(field) && (dict[field].kind == kind || dict[field].kind == Kind::kEmptyList);
  };
  const bool segments = is(Field::kSegments, Kind::kSegments);
  const bool traces = is(Field::kTraces, Kind::kTraces);
  if (!segments && !traces) return std::unexpected(not_one);
  if (!segments || !traces) ++snapshot_.misplaced;
  if (traces && dict[Field::kTraces].kind == Kind::kTraces)
    snapshot_.traces = traces_[static_cast<size_t>(dict[Field::kTraces].number)];
  if (!segments) snapshot_.segments = {};
  return {};
}

Machine::Taken Machine::TakeNext() {
  const std::string_view bytes = reader_.ahead();
  if (bytes.size() < 3 || bytes[2] != '(') return Taken::kNo;
  return bytes[0] == ']' ? TakeStack() : bytes[0] == '}' ? TakeRow() : Taken::kNo;
}

Result<void> Machine::Run() {
  PickleStep step;
  for (uint64_t count = 0;; ++count) {
    if (count % (1 << 16) == 0) StopIfAsked();
    const Taken taken = TakeNext();
    if (taken == Taken::kYes) continue;
    if (taken == Taken::kWrong) return std::unexpected(Wrong(refused_));
    if (!reader_.Step(step)) return std::unexpected(reader_.failure());
    if (step.op == PickleOp::kStop) break;
    if (!Do(step)) return std::unexpected(Wrong(refused_));
  }
  return Finish();
}

}  // namespace stepscope::snapshot
