// Runs a pickle's opcodes on a stack of values.
#include "ingest/pickle/pickle_values.h"

#include <utility>

#include "ingest/pickle/pickle_reader.h"

namespace stepscope {

namespace {

using Kind = Value::Kind;

class Machine {
 public:
  explicit Machine(const TreeLimits& limits) : limits_(limits) {}

  // False where the step does not fit the stack or a limit; why() says which.
  bool Do(const PickleStep& step);
  const char* why() const { return why_; }
  // REQUIRES: kStop was done.
  ValueTree Take() { return std::move(tree_); }

 private:
  bool Fail(const char* why) {
    why_ = why;
    return false;
  }
  bool Push(Value value);
  bool PushText(std::string_view text);
  bool Move(Value container, size_t from);  // the values from `from` on become items
  bool MoveToTop(size_t from, Kind kind);
  bool Collect(size_t from, Kind kind);  // the same into a new container
  bool Remember(int64_t number);
  bool Recall(int64_t number);
  bool Mark();
  bool Unmark(size_t& from);
  bool DoPlain(const PickleStep& step);
  bool DoContainer(const PickleStep& step);

  TreeLimits limits_;
  ValueTree tree_;
  std::vector<Value> stack_;
  std::vector<size_t> marks_;
  std::vector<std::pair<bool, Value>> memo_;
  size_t values_ = 0, text_bytes_ = 0;
  const char* why_ = "";
};

bool Machine::Push(Value value) {
  if (++values_ > limits_.values) return Fail("it has more values than are read");
  stack_.push_back(value);
  return true;
}

bool Machine::PushText(std::string_view text) {
  text_bytes_ += text.size();
  if (text_bytes_ > limits_.text_bytes) return Fail("its texts are longer than is read");
  return Push(tree_.Text(text));
}

bool Machine::Mark() {
  if (marks_.size() >= limits_.depth) return Fail("it is nested too deep");
  marks_.push_back(stack_.size());
  return true;
}

bool Machine::Unmark(size_t& from) {
  if (marks_.empty()) return Fail("an opcode lacks its mark");
  from = marks_.back();
  marks_.pop_back();
  return true;
}

bool Machine::Move(Value container, size_t from) {
  if (container.kind == Kind::kDict && (stack_.size() - from) % 2 != 0)
    return Fail("a key lacks its value");
  auto& items = tree_.ItemsOf(container);
  items.insert(items.end(), stack_.begin() + static_cast<std::ptrdiff_t>(from), stack_.end());
  stack_.resize(from);
  return true;
}

bool Machine::MoveToTop(size_t from, Kind kind) {
  const size_t bottom = marks_.empty() ? 0 : marks_.back();
  if (from <= bottom || from > stack_.size()) return Fail("an opcode lacks its values");
  const Value container = stack_[from - 1];
  if (container.kind != kind) return Fail("an opcode does not fit its value");
  return Move(container, from);
}

bool Machine::Collect(size_t from, Kind kind) {
  const size_t bottom = marks_.empty() ? 0 : marks_.back();
  if (from < bottom || from > stack_.size()) return Fail("an opcode lacks its values");
  const Value container = kind == Kind::kList ? tree_.NewList() : tree_.NewDict();
  return Move(container, from) && Push(container);
}

bool Machine::Remember(int64_t number) {
  const auto at = static_cast<size_t>(number);
  // Writers count up: a number far beyond what was written is damage.
  if (stack_.empty() || at > values_) return Fail("a memo is out of order");
  if (memo_.size() <= at) memo_.resize(at + 1);
  memo_[at] = {true, stack_.back()};
  return true;
}

bool Machine::Recall(int64_t number) {
  const auto at = static_cast<size_t>(number);
  if (at >= memo_.size() || !memo_[at].first) return Fail("a memo is not there");
  return Push(memo_[at].second);
}

bool Machine::DoPlain(const PickleStep& step) {
  switch (step.op) {
    case PickleOp::kNone:
      return Push({});
    case PickleOp::kTrue:
      return Push({Kind::kBool, 1});
    case PickleOp::kFalse:
      return Push({Kind::kBool, 0});
    case PickleOp::kInt:
      return Push({Kind::kInt, step.number});
    case PickleOp::kFloat:
      return Push(Value::Real(step.real));
    case PickleOp::kText:
      return PushText(step.text);
    case PickleOp::kEmptyList:
    case PickleOp::kEmptyTuple:
      return Push(tree_.NewList());
    case PickleOp::kEmptyDict:
      return Push(tree_.NewDict());
    case PickleOp::kMark:
      return Mark();
    case PickleOp::kPut:
      return Remember(step.number);
    case PickleOp::kMemoize:
      return Remember(static_cast<int64_t>(memo_.size()));
    case PickleOp::kGet:
      return Recall(step.number);
    default:
      return DoContainer(step);
  }
}

bool Machine::DoContainer(const PickleStep& step) {
  size_t from = stack_.size();
  const auto last = [&](size_t count) { return count > from ? SIZE_MAX : from - count; };
  switch (step.op) {
    case PickleOp::kAppend:
      return MoveToTop(last(1), Kind::kList);
    case PickleOp::kAppends:
      return Unmark(from) && MoveToTop(from, Kind::kList);
    case PickleOp::kSetItem:
      return MoveToTop(last(2), Kind::kDict);
    case PickleOp::kSetItems:
      return Unmark(from) && MoveToTop(from, Kind::kDict);
    case PickleOp::kTupleOf:
      return Collect(last(static_cast<size_t>(step.number)), Kind::kList);
    case PickleOp::kTuple:
    case PickleOp::kList:
      return Unmark(from) && Collect(from, Kind::kList);
    case PickleOp::kDict:
      return Unmark(from) && Collect(from, Kind::kDict);
    case PickleOp::kPopMark:
      if (!Unmark(from)) return false;
      stack_.resize(from);
      return true;
    default:  // kPop
      if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) return Fail("nothing to pop");
      stack_.pop_back();
      return true;
  }
}

bool Machine::Do(const PickleStep& step) {
  if (step.op != PickleOp::kStop) return DoPlain(step);
  if (stack_.size() != 1 || !marks_.empty()) return Fail("it does not end with one value");
  tree_.root = stack_.back();
  return true;
}

}  // namespace

Result<ValueTree> ReadPickle(ByteSource source, const TreeLimits& limits) {
  PickleReader reader(std::move(source));
  Machine machine(limits);
  while (true) {
    const auto step = reader.Next();
    if (!step) return std::unexpected(step.error());
    if (!machine.Do(*step)) return std::unexpected(Error{machine.why(), "", ""});
    if (step->op == PickleOp::kStop) return machine.Take();
  }
}

}  // namespace stepscope
