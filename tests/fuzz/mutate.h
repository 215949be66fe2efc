// Changes an input by its form, and now and then as libFuzzer changes any bytes.
#pragma once

#include <cstring>
#include <string>
#include <string_view>

#include "tests/fuzz/chance.h"
#include "tests/fuzz/json_mutator.h"
#include "tests/fuzz/lines_mutator.h"
#include "tests/fuzz/pickle_mutator.h"
#include "tests/fuzz/proto_mutator.h"
#include "tests/fuzz/segment_mutator.h"
#include "tests/fuzz/target.h"

namespace stepscope::fuzz {

// An input in a buffer for `most` bytes.
struct Input {
  uint8_t* data;
  size_t size, most;
};

inline std::string MutateForm(Form form, std::string_view bytes, Chance& chance) {
  const bool text = !bytes.empty() && (bytes.front() == '{' || bytes.front() == '[');
  switch (form) {
    case Form::kJson:
    case Form::kJsonOrRows:
      return MutateJson(bytes, chance);
    case Form::kProto:
      return MutateProto(bytes, chance);
    case Form::kPickle:
      return text ? MutateJson(bytes, chance) : MutatePickle(bytes, chance);
    case Form::kSegment:
      return MutateSegment(bytes, chance);
    case Form::kLines:
      return MutateLines(bytes, chance);
    case Form::kRows:
    case Form::kBytes:
      break;
  }
  return std::string(bytes);
}

// Of what fills a database with rows, mostly those of a group of tables: they take less time.
inline size_t MutateRows(const Input& input, Chance& chance) {
  const size_t size = LLVMFuzzerMutate(input.data, input.size, input.most);
  if (size > 0 && input.data[0] < '\t' && !chance.OneIn(8))
    input.data[0] = static_cast<uint8_t>(2 + chance.Below('\t' - 2));
  return size;
}

// How many bytes the changed input has.
inline size_t Mutate(Form form, const Input& input, unsigned seed) {
  Chance chance(seed);
  const bool json = input.size > 0 && input.data[0] == '{';
  if (form == Form::kRows || (form == Form::kJsonOrRows && !json)) return MutateRows(input, chance);
  if (form == Form::kBytes || chance.OneIn(3))
    return LLVMFuzzerMutate(input.data, input.size, input.most);
  const std::string_view bytes(reinterpret_cast<const char*>(input.data), input.size);
  std::string changed(bytes);
  for (size_t times = 1 + chance.Below(3); times > 0; --times)
    changed = MutateForm(form, changed, chance);
  if (changed.size() > input.most || changed == bytes)
    return LLVMFuzzerMutate(input.data, input.size, input.most);
  std::memcpy(input.data, changed.data(), changed.size());
  return changed.size();
}

}  // namespace stepscope::fuzz
