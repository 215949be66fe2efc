// Allocates the buffers of scanning, and skips values.
#include "ingest/json/json_index.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <limits>
#include <new>

#include "ingest/json/json_scan.h"

namespace stepscope {
namespace {

// What a token's first character does to the depth. The end of the text takes it below any depth.
constexpr int64_t kPastEverything = int64_t{1} << 40;
constexpr std::array<int64_t, 256> kDepthChange = [] {
  std::array<int64_t, 256> change{};
  change['{'] = change['['] = 1;
  change['}'] = change[']'] = -1;
  change['\0'] = -kPastEverything;
  return change;
}();

// Offsets behind the last token that lead to the end of the text: of a walk's own position there,
// and of the token after it.
constexpr size_t kEnds = 2;

}  // namespace

bool JsonIndex::Reserve(size_t bytes) {
  if (offsets_ != nullptr && capacity_ >= bytes) return true;
  offsets_.reset(new (std::nothrow) uint32_t[bytes + kJsonScanRoom + kEnds]);
  capacity_ = offsets_ != nullptr ? bytes : 0;
  return offsets_ != nullptr;
}

JsonIndex::Outcome JsonIndex::Index(const char* begin, const char* end) {
  const auto length = static_cast<size_t>(end - begin);
  text_ = begin;
  if (length >= std::numeric_limits<uint32_t>::max() || !Reserve(length)) return Outcome::kBroken;
  const JsonScan scan = ScanJson(begin, length, offsets_.get());
  if (scan.ends_in_string) return Outcome::kBroken;
  if (scan.control_in_string) return Outcome::kInvalidText;
  if (!scan.ascii && !simdjson::validate_utf8(begin, length)) return Outcome::kInvalidText;
  std::fill_n(offsets_.get() + scan.tokens, kEnds, static_cast<uint32_t>(length));
  return Outcome::kIndexed;
}

JsonWalk::Skipped JsonWalk::SkipFrom(const char* text, const uint32_t* token, int64_t depth) {
  do {
    depth += kDepthChange[static_cast<unsigned char>(text[*token])];
    ++token;
  } while (depth > 0);
  if (depth == 0) return {token, true};
  return {token - 1, false};  // at the end of the text, or at a bracket that closes what is around
}

}  // namespace stepscope
