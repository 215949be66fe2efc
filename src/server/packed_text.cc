// Encodes deflated bytes in base64.
#include "server/packed_text.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

namespace stepscope::server {
namespace {

std::string Base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve(Base64Size(bytes.size()));
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - at);
    uint32_t three = 0;
    for (size_t k = 0; k < 3; ++k) {
      three = three << 8 | (k < count ? static_cast<unsigned char>(bytes[at + k]) : 0u);
    }
    for (size_t k = 0; k < 4; ++k) {
      text += k <= count ? kDigits[three >> (18 - 6 * k) & 63] : '=';
    }
  }
  return text;
}

}  // namespace

std::string PackedText(RawDeflater&& deflater) { return Base64(std::move(deflater).Finish()); }

}  // namespace stepscope::server
