// Runs the opcodes of a pickle over a small stack, and makes rows of each dict as soon as it is
// complete.
//
// Memory: what is open, four bytes for each value that the pickle remembers, and the rows.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "ingest/pickle/pickle_reader.h"
#include "ingest/snapshot/snapshot.h"
#include "ingest/snapshot/snapshot_memo.h"
#include "ingest/snapshot/snapshot_values.h"
#include "stepscope/result.h"

namespace stepscope::snapshot {

class Machine {
 public:
  Machine(PickleReader& reader, MemorySnapshot& snapshot) : reader_(reader), snapshot_(snapshot) {}

  // To the end of the pickle. Fails as PickleReader does, on opcodes that do not fit the stack,
  // where more is open than a snapshot ever has, and where the whole is not a snapshot.
  Result<void> Run();

 private:
  // The steps below are false where they do not fit the stack.
  static constexpr size_t kValuesAnyway = 1 << 18;  // on the stack, and remembered, of a small file
  static constexpr uint64_t kBytesAnyway = uint64_t{16} << 20;  // of texts and stacks
  bool Do(const PickleStep& step);
  bool Push(const Value& value) {
    if (stack_.size() >= kValuesAnyway && !MayPush()) return false;
    stack_.push_back(value);
    return true;
  }
  bool MayPush();
  bool PushText(std::string_view text);
  bool PushDict();
  bool PushList();
  bool Get(int64_t number);
  bool Put(int64_t number);
  void AddTo(OpenList& list, const Value& item);
  bool Append();
  bool Appends();
  bool SetItem();
  bool SetItems();
  bool Tuple(size_t count);  // the last `count` become one value of no interest
  bool Pop();
  bool FindMark(size_t& mark) const;  // the place of the last mark

  // A list of frames, which most of a large snapshot consists of, from its bytes at once; kNo, and
  // nothing is taken, where what comes next is another value, or not read yet. What is taken of a
  // list that does not end as expected is left open for the steps.
  enum class Taken : uint8_t { kNo, kYes, kWrong };
  Taken TakeNext();
  Taken TakeStack();
  // The same of an event, a block or a segment without lists of their own.
  Taken TakeRow();
  bool TakeItems(std::string_view bytes, size_t& at);
  bool TakeValue(std::string_view bytes, size_t& at, Value& value);
  // One frame: false where it is not one, as PyTorch writes them.
  bool TakeFrame(std::string_view bytes, size_t& at, FrameId& frame);
  bool TakeField(std::string_view bytes, size_t& at, SnapshotStacks::Frame& frame, unsigned& has);
  // What a GET takes; false: it is not one, or of nothing.
  bool TakeGet(std::string_view bytes, size_t& at, uint32_t& packed) const;
  static Value Unpacked(uint32_t packed);
  StackId InternStack(std::span<const FrameId> frames);
  bool LeaveOpen(size_t memo);

  // What a value of the stack has become; its slot is free then.
  Value Close(const Value& value);
  void Remember(int64_t memo, const Value& value);
  bool SetOn(Value& target, size_t first);  // the items from `first` on
  Result<void> Finish();
  Error Wrong(std::string what) const;

  PickleReader& reader_;
  MemorySnapshot& snapshot_;
  std::vector<Value> stack_;
  std::vector<size_t> marks_;
  Memo memo_;                   // a kind in the lowest 3 bits, and a number
  std::deque<OpenDict> dicts_;  // slots
  std::deque<OpenList> lists_;
  std::vector<uint32_t> free_dicts_, free_lists_;
  std::vector<Field> field_of_;                     // by the id of a text
  std::vector<std::vector<SnapshotTrace>> traces_;  // lists of lists of events
  std::vector<FrameId> taken_;                      // frames of the stack that is taken
  OpenDict row_;                                    // that is taken
  static constexpr int kKindBits = 3;
  const char* refused_ = "an opcode does not fit what is before it";
};

}  // namespace stepscope::snapshot
