// Looks for the member that says it, which stands before the events or after them.
#include "ingest/clock_base.h"

#include <charconv>
#include <string_view>
#include <system_error>

#include "base/byte_source.h"

namespace stepscope {
namespace {

constexpr std::string_view kKey = "\"baseTimeNanoseconds\"";
constexpr size_t kValue = 64;  // bytes in which the number ends

int64_t NumberAfterKey(std::string_view text) {
  const size_t at = text.find_first_not_of(": \t\r\n", kKey.size());
  if (at == text.npos) return 0;
  int64_t base = 0;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), base);
  return error == std::errc() && base > 0 && base < (int64_t{1} << 62) ? base : 0;
}

}  // namespace

int64_t ClockBaseOf(const std::string& path, const Places& places) {
  auto source = places.Open(path);
  if (!source) return 0;
  std::string text, part(size_t{1} << 20, '\0');
  for (size_t got = source->Read(part); got > 0; got = source->Read(part)) {
    text.append(part, 0, got);
    const size_t key = text.find(kKey);
    if (key != text.npos && (text.size() >= key + kKey.size() + kValue || got < part.size())) {
      return NumberAfterKey(std::string_view(text).substr(key));
    }
    // What may be the beginning of the member stays.
    if (key != text.npos) {
      text.erase(0, key);
    } else if (text.size() > kKey.size()) {
      text.erase(0, text.size() - kKey.size());
    }
  }
  const size_t key = text.find(kKey);
  return key == text.npos ? 0 : NumberAfterKey(std::string_view(text).substr(key));
}

}  // namespace stepscope
