// Puts values in front of one another.
#include "query/flat_buffer.h"

#include <algorithm>
#include <ranges>

namespace stepscope::query {

void FlatBuffer::Align(size_t to, size_t before) {
  while ((reversed_.size() + before) % to != 0) reversed_ += '\0';
}

void FlatBuffer::PutBytes(std::string_view bytes) {
  reversed_.append(bytes.rbegin(), bytes.rend());
}

FlatBuffer::Ref FlatBuffer::String(std::string_view text) {
  Align(4, text.size() + 1);
  reversed_ += '\0';
  PutBytes(text);
  Put(static_cast<uint32_t>(text.size()));
  return size();
}

FlatBuffer::Ref FlatBuffer::References(std::span<const Ref> to) {
  Align(4);
  for (const Ref one : to | std::views::reverse) PutReference(one);
  Put(static_cast<uint32_t>(to.size()));
  return size();
}

FlatBuffer::Ref FlatBuffer::Structs(std::string_view bytes, size_t each) {
  Align(8, bytes.size());
  PutBytes(bytes);
  Put(static_cast<uint32_t>(bytes.size() / each));
  return size();
}

// A table begins with the distance to the list of where its fields are.
FlatBuffer::Ref FlatBuffer::Table::Finish() {
  buffer_->Put(int32_t{0});  // set below
  const uint32_t table = buffer_->size();
  for (const uint32_t field : fields_ | std::views::reverse)
    buffer_->Put(static_cast<uint16_t>(field == 0 ? 0 : table - field));
  buffer_->Put(static_cast<uint16_t>(table - end_));
  buffer_->Put(static_cast<uint16_t>(4 + 2 * fields_.size()));
  const auto distance = static_cast<int32_t>(buffer_->size() - table);
  std::string bytes(reinterpret_cast<const char*>(&distance), sizeof distance);
  std::ranges::reverse(bytes);
  buffer_->reversed_.replace(table - sizeof distance, sizeof distance, bytes);
  return table;
}

std::string FlatBuffer::Finish(Ref root) {
  Align(8, 4);
  PutReference(root);
  std::ranges::reverse(reversed_);
  return std::move(reversed_);
}

}  // namespace stepscope::query
