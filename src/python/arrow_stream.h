// Hands columns over through Arrow's C stream interface.
#pragma once

#include <memory>

#include "python/arrow_abi.h"
#include "stepscope/columns.h"

namespace stepscope::python {

// Fills `out` with a stream of one record batch with these columns. Nothing is copied: the buffers
// live as long as anybody uses them. Whoever takes the stream releases it.
void ExportStream(std::shared_ptr<const Columns> columns, ArrowArrayStream* out);

}  // namespace stepscope::python
