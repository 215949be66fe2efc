// Reads an input as a sequence of windows of some hundred kilobytes, which stay in the processor's
// cache while they are inflated and parsed. The whole input is never held in memory.
//
// What a window leaves unread (the event its end cut in two) is carried to the front of the next.
// As soon as there is a thread to spare it fills windows while the caller works on one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/byte_source.h"

namespace stepscope {

struct Window {
  // Bytes from `end` on that belong to the window too, with any content: a parser may write its own
  // mark there and read beyond the text.
  static constexpr size_t kPadding = 64;

  char* begin = nullptr;
  char* end = nullptr;
  bool last = false;  // nothing follows
};

class WindowStream {
 public:
  // `spare_threads`: how many threads may be started beyond the callers' own, shared by the streams
  // that compete for them; null means none. Looked at before every window, so that the last file of
  // many gets the threads that have run out of files. Must outlive the stream.
  explicit WindowStream(ByteSource source, std::atomic<int>* spare_threads = nullptr);
  ~WindowStream();
  WindowStream(const WindowStream&) = delete;
  WindowStream& operator=(const WindowStream&) = delete;

  // The next window: `carry`, which must lie in the current window, followed by new bytes: at least
  // `at_least` of them unless the input ends. Ends the life of the current window. Stops if asked.
  Window Next(std::string_view carry, size_t at_least = 1);

  // Lends threads from here on, as the constructor does.
  void ReadAhead(std::atomic<int>* spare_threads);

  // How many bytes of the source the windows held so far, or passed over.
  uint64_t position() const;
  // Passes over bytes that no window held. REQUIRES: the source is a ByteSource::Part(), and no
  // thread may read ahead.
  void Skip(uint64_t bytes);

  // Fills `out` with the bytes behind the current window, which no window will hold then; fewer
  // only at the end. REQUIRES: no thread may read ahead.
  size_t Take(std::span<char> out);
  // Makes bytes that were taken the next ones again.
  void PutBack(std::string bytes);

  // How the input ended. REQUIRES: the last window was handed out.
  InputEnd end() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace stepscope
