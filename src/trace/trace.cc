// Sizes of a trace's columns.
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

}  // namespace stepscope
