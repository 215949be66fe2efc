// Pulls the opcodes of a Python pickle (protocols 2 to 5) out of a stream of bytes.
//
//   PickleReader reader(std::move(source));
//   for (auto step = reader.Next(); step && step->op != PickleOp::kStop; step = reader.Next()) ...
//
// A pickle is a program. Opcodes that import, call or build something (GLOBAL, REDUCE, BUILD, ...)
// are errors that name them, so that no pickle can run anything. Nothing is held but a window of
// the input and the text of the last step.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/byte_source.h"
#include "stepscope/result.h"

namespace stepscope {

// Opcodes by what they do to the stack; protocols differ only in how they write them.
enum class PickleOp : uint8_t {
  kNone,
  kTrue,
  kFalse,
  kInt,    // number
  kFloat,  // real
  kText,   // text, as it is: any bytes
  kEmptyList,
  kEmptyTuple,
  kEmptyDict,
  kMark,
  kAppend,
  kAppends,
  kSetItem,
  kSetItems,
  kTuple,    // of all since the mark
  kTupleOf,  // of the last `number`
  kList,     // as kTuple
  kDict,     // as kTuple, keys and values in turn
  kPut,      // the top is remembered as `number`
  kMemoize,  // the same, by the next number
  kGet,      // what was remembered as `number`
  kPop,
  kPopMark,
  kStop,
};

struct PickleStep {
  PickleOp op = PickleOp::kStop;
  int64_t number = 0;
  double real = 0;
  std::string_view text;  // valid until the next step
};

class PickleReader {
 public:
  static constexpr uint64_t kMostText = uint64_t{16} << 20;  // bytes of one text

  explicit PickleReader(ByteSource source);

  // Fails on an opcode that is refused or unknown, and where the input ends before STOP; says at
  // which byte.
  Result<PickleStep> Next();

  // The same for who reads hundreds of millions of steps: false where Next() would fail, and
  // failure() then says why.
  bool Step(PickleStep& step);
  Error failure() const;

  // Bytes that are read already and come next, for who knows what several opcodes mean together;
  // Skip() takes the first of them. Valid until the next step.
  std::string_view ahead() const { return {buffer_.data() + at_, filled_ - at_}; }
  // REQUIRES: count <= ahead().size()
  void Skip(size_t count) { at_ += count; }

  // Bytes of the pickle that were taken so far.
  uint64_t taken() const { return before_ + at_; }

  // Whether bytes can begin a pickle of protocol 2 or later.
  static bool Begins(std::string_view bytes) {
    return bytes.size() >= 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5;
  }

 private:
  // The steps that pickles mostly consist of, where their bytes are in the buffer; false: others.
  bool ReadFast(PickleStep& step);
  // False: not an opcode that stands for a step, or an error; see `failure_`.
  bool Read(uint8_t code, PickleStep& step);
  bool ReadNumber(uint8_t code, PickleStep& step);
  bool ReadText(uint8_t code, PickleStep& step);
  // The next bytes; empty, and `failure_` says so, where the input ends before.
  std::string_view Take(uint64_t count) {
    if (filled_ - at_ < count && !Fill(count)) return {};
    const std::string_view bytes(buffer_.data() + at_, count);
    at_ += count;
    return bytes;
  }
  bool Fill(uint64_t count);  // until so many bytes are unread in `buffer_`
  uint64_t TakeUnsigned(size_t bytes);
  int64_t TakeLong(uint64_t bytes);
  void Fail(std::string what);

  ByteSource source_;
  std::string buffer_;
  size_t at_ = 0;  // of what is unread in `buffer_`
  size_t filled_ = 0;
  uint64_t before_ = 0;  // bytes before `buffer_`
  std::string failure_;
};

}  // namespace stepscope
