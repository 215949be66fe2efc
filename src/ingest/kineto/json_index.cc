// Indexes JSON with simdjson and walks the index.
#include "ingest/kineto/json_index.h"

#include <algorithm>
#include <array>

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

}  // namespace

bool JsonIndex::Reserve(size_t bytes) {
  constexpr size_t kMaxDepth = 1;  // for simdjson's own second stage, which is not used
  if (parser_ == nullptr) {
    const simdjson::implementation& implementation = *simdjson::get_active_implementation();
    return !implementation.create_dom_parser_implementation(bytes, kMaxDepth, parser_);
  }
  return parser_->capacity() >= bytes || !parser_->set_capacity(bytes);
}

JsonIndex::Outcome JsonIndex::Index(const char* begin, const char* end) {
  const auto length = static_cast<size_t>(end - begin);
  text_ = begin;
  if (length >= simdjson::SIMDJSON_MAXSIZE_BYTES || !Reserve(std::max<size_t>(length, 64))) {
    return Outcome::kBroken;
  }
  const auto error = parser_->stage1(reinterpret_cast<const uint8_t*>(begin), length,
                                     simdjson::stage1_mode::regular);
  if (error == simdjson::UTF8_ERROR || error == simdjson::UNESCAPED_CHARS)
    return Outcome::kInvalidText;
  if (error == simdjson::EMPTY) {  // nothing but space: only the end is there to be seen
    parser_->structural_indexes[0] = static_cast<uint32_t>(length);
    return Outcome::kIndexed;
  }
  return error ? Outcome::kBroken : Outcome::kIndexed;
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
