// Splits what comes in into lines, without keeping one that is too long.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace stepscope::mcp {

class Lines {
 public:
  // `read` fills the span from its start and returns how many bytes it read; 0: the end.
  Lines(std::function<size_t(std::span<char>)> read, size_t most_bytes);

  struct Line {
    std::string text;       // without the line end; empty when it is too long
    bool too_long = false;  // it was skipped
  };
  // Waits for a whole line. What is left without a line end at the end is one too. Nothing: the
  // end.
  std::optional<Line> Next();

 private:
  bool Fill();

  std::function<size_t(std::span<char>)> read_;
  size_t most_bytes_;
  std::string buffer_;
  size_t at_ = 0;  // of `buffer_`, what comes next
};

}  // namespace stepscope::mcp
