// Reads a ProfileResponse as it comes: the profile in it (XSpace) is handed on and never held.
#pragma once

#include <cstdint>
#include <string_view>

#include "capture/grpc/grpc_message.h"

namespace stepscope::capture {

class ProfileAnswer {
 public:
  // Gets the bytes of the XSpace. Where a server sends it in parts, they follow one another, which
  // by protocol buffers' rules is one XSpace.
  explicit ProfileAnswer(TakeBytes take) : take_(std::move(take)) {}

  // False if this is not a ProfileResponse, or the taker wants no more; nothing is read after that.
  bool Add(std::string_view bytes);

  // Whether the bytes so far end where a field ends.
  bool whole() const { return state_ == State::kTag && digits_ == 0; }
  bool refused() const { return refused_; }    // by the taker
  bool empty_trace() const { return empty_; }  // the server says that nothing was recorded
  int64_t profile_bytes() const { return taken_; }
  int64_t tool_data() const { return tools_; }  // what old servers answer with instead

 private:
  enum class State : uint8_t { kTag, kVarint, kLength, kSkip, kProfile, kDamaged };

  bool Varint(char byte);
  void EndVarint();
  void BeginField();
  size_t Pass(std::string_view bytes);

  TakeBytes take_;
  State state_ = State::kTag;
  uint64_t tag_ = 0, value_ = 0, left_ = 0;
  int digits_ = 0;  // bytes of the varint under way
  int64_t taken_ = 0, tools_ = 0;
  bool empty_ = false, refused_ = false;
};

}  // namespace stepscope::capture
