// Makes the dictionaries of columns.
#include "events/column.h"

#include "base/valid_utf8.h"

namespace stepscope {
size_t Chosen::size() const {
  if (!events) return record->size();
  size_t size = 0;
  for (const auto& of_file : *events) size += of_file.size();
  return size;
}

std::shared_ptr<const ColumnData> Dictionary::Finish() const {
  std::string text;
  std::vector<int64_t> offsets{0};
  for (StringId id = 0; id < texts_.size(); ++id) {
    AppendValidUtf8(text, texts_[id]);
    offsets.push_back(static_cast<int64_t>(text.size()));
  }
  ColumnData column{
      .name = "", .type = ColumnType::kText, .rows = static_cast<int64_t>(texts_.size())};
  column.values = BufferOf(std::move(offsets));
  column.text = BufferOf(std::move(text));
  return std::make_shared<const ColumnData>(std::move(column));
}

}  // namespace stepscope
