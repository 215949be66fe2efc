// Implements the reader of ProfileResponse, field by field.
// Fields (tsl/profiler/protobuf/profiler_service.proto): 6 tool_data, 7 empty_trace, 8 xspace.
#include "capture/grpc/profile_answer.h"

#include <algorithm>

namespace stepscope::capture {
namespace {

constexpr int kMostDigits = 10;  // bytes of a varint
constexpr uint64_t kToolData = 6 << 3 | 2, kEmptyTrace = 7 << 3, kProfile = 8 << 3 | 2;

}  // namespace

// One byte of a varint; true at the last.
bool ProfileAnswer::Varint(char byte) {
  const auto bits = static_cast<uint64_t>(static_cast<uint8_t>(byte) & 0x7f);
  if (digits_ < kMostDigits) value_ |= bits << (7 * digits_);
  ++digits_;
  if (digits_ > kMostDigits) state_ = State::kDamaged;
  return (static_cast<uint8_t>(byte) & 0x80) == 0;
}

void ProfileAnswer::BeginField() {
  tag_ = value_;
  const uint64_t number = tag_ >> 3;
  if (number == 0 || number >= uint64_t{1} << 29) {
    state_ = State::kDamaged;
    return;
  }
  switch (tag_ & 7) {
    case 0:
      state_ = State::kVarint;
      return;
    case 1:
      left_ = 8;
      break;
    case 2:
      state_ = State::kLength;
      return;
    case 5:
      left_ = 4;
      break;
    default:
      state_ = State::kDamaged;
      return;
  }
  state_ = State::kSkip;
}

void ProfileAnswer::EndVarint() {
  if (state_ == State::kTag) {
    BeginField();
  } else if (state_ == State::kVarint) {
    if (tag_ == kEmptyTrace) empty_ = value_ != 0;
    state_ = State::kTag;
  } else if (state_ == State::kLength) {
    left_ = value_;
    tools_ += tag_ == kToolData ? 1 : 0;
    state_ = tag_ == kProfile ? State::kProfile : State::kSkip;
    if (left_ == 0) state_ = State::kTag;
  }
  value_ = 0;
  digits_ = 0;
}

// Takes or skips what `bytes` have of the field; returns how many.
size_t ProfileAnswer::Pass(std::string_view bytes) {
  const auto here = static_cast<size_t>(std::min<uint64_t>(left_, bytes.size()));
  if (state_ == State::kProfile) {
    taken_ += static_cast<int64_t>(here);
    if (!take_(bytes.substr(0, here))) {
      refused_ = true;
      state_ = State::kDamaged;
      return here;
    }
  }
  left_ -= here;
  if (left_ == 0) state_ = State::kTag;
  return here;
}

bool ProfileAnswer::Add(std::string_view bytes) {
  while (!bytes.empty() && state_ != State::kDamaged) {
    if (state_ == State::kSkip || state_ == State::kProfile) {
      bytes.remove_prefix(Pass(bytes));
      continue;
    }
    const bool last = Varint(bytes.front());
    bytes.remove_prefix(1);
    if (last && state_ != State::kDamaged) EndVarint();
  }
  return state_ != State::kDamaged;
}

}  // namespace stepscope::capture
