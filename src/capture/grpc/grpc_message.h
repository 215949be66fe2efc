// Cuts gRPC's frames: five bytes before a message say whether it is compressed and how long it is.
// https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace stepscope::capture {

// Gets bytes of a message in order; false to have no more.
using TakeBytes = std::function<bool(std::string_view)>;

// `message` as one frame, uncompressed. REQUIRES: fewer than 2^32 bytes.
std::string FrameMessage(std::string_view message);

// Reads the one message that a unary call answers with, from chunks of any size.
class MessageReader {
 public:
  enum class State : uint8_t {
    kReading,
    kCompressed,  // although nothing but "identity" was offered
    kTooLong,     // longer than `most`
    kTwice,       // bytes after the message
    kRefused,     // by the taker
  };

  MessageReader(uint64_t most, TakeBytes take) : most_(most), take_(std::move(take)) {}

  // Once the state is not kReading, bytes are dropped.
  State Add(std::string_view bytes);

  // Whether the whole message has come.
  bool complete() const { return prefix_size_ == prefix_.size() && left_ == 0; }
  State state() const { return state_; }
  uint64_t length() const { return length_; }  // as the prefix has it; 0 before

 private:
  State AddPrefix(std::string_view& bytes);

  uint64_t most_;
  TakeBytes take_;
  std::array<char, 5> prefix_{};
  size_t prefix_size_ = 0;
  uint64_t length_ = 0, left_ = 0;
  State state_ = State::kReading;
};

}  // namespace stepscope::capture
