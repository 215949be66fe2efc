// Wraps xxHash's stream.
#include "base/content_hash.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <new>

namespace stepscope {

ContentHash::ContentHash() : state_(XXH3_createState()) {
  if (state_ == nullptr) throw std::bad_alloc();
  XXH3_64bits_reset(state_.get());
}

void ContentHash::Free::operator()(XXH3_state_s* state) const { XXH3_freeState(state); }

void ContentHash::Add(std::string_view bytes) {
  XXH3_64bits_update(state_.get(), bytes.data(), bytes.size());
}

std::string ContentHash::Hex() const {
  return fmt::format("{:016x}", XXH3_64bits_digest(state_.get()));
}

}  // namespace stepscope
