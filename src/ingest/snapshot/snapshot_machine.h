// Runs the opcodes of a pickle over a small stack, and makes rows of each dict as soon as it is
// complete.
//
// Memory: what is open, four bytes for each value that the pickle remembers, and the rows.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "base/growing_array.h"
#include "ingest/pickle/pickle_reader.h"
#include "ingest/snapshot/snapshot.h"
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
  GrowingArray<uint32_t> memo_;  // a kind in the lowest 3 bits, and a number
  std::deque<OpenDict> dicts_;   // slots
  std::deque<OpenList> lists_;
  std::vector<uint32_t> free_dicts_, free_lists_;
  std::vector<Field> field_of_;                     // by the id of a text
  std::vector<std::vector<SnapshotTrace>> traces_;  // lists of lists of events
  const char* refused_ = "an opcode does not fit what is before it";
};

}  // namespace stepscope::snapshot
