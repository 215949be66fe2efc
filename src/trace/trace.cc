// What all columns of a trace have in common.
#include "trace/trace.h"

namespace stepscope {

size_t Trace::ColumnBytes() const {
  size_t bytes =
      starts_.bytes() + durations_.bytes() + names_.bytes() + tracks_of_.bytes() + kinds_.bytes();
  for (const auto& column : ints_) bytes += column.bytes();
  for (const auto& column : texts_) bytes += column.bytes();
  for (const auto& column : reals_) bytes += column.bytes();
  return bytes;
}

void Trace::LetGo(EventId before) {
  starts_.LetGo(before);
  durations_.LetGo(before);
  names_.LetGo(before);
  tracks_of_.LetGo(before);
  kinds_.LetGo(before);
  for (auto& column : ints_) column.LetGo(before);
  for (auto& column : texts_) column.LetGo(before);
  for (auto& column : reals_) column.LetGo(before);
}

}  // namespace stepscope
