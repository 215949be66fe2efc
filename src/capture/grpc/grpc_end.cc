// Implements what people see of a server's words.
#include "capture/grpc/grpc_end.h"

#include "base/rune.h"

namespace stepscope::capture {
namespace {

constexpr size_t kMostText = 300;  // bytes

}  // namespace

std::string Printable(std::string_view text) {
  std::string printable;
  for (size_t at = 0; at < text.size();) {
    const Rune rune = DecodeRune(text, at);
    std::string_view shown = rune.valid ? text.substr(at, rune.length) : "\uFFFD";
    if (rune.valid && IsControl(rune.code)) {
      const bool again = printable.empty() || printable.back() == ' ';
      shown = again ? "" : " ";
    }
    if (printable.size() + shown.size() > kMostText) break;
    printable += shown;
    at += rune.length;
  }
  return printable;
}

}  // namespace stepscope::capture
