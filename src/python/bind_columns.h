// Makes a Python object of columns.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "stepscope/columns.h"

namespace stepscope::python {

// A _core.Columns, which owns them with whoever else needs them.
nanobind::object ObjectOf(std::shared_ptr<const Columns> columns);
nanobind::object ObjectOf(Columns columns);

// What such an object holds. Raises TypeError for any other.
std::shared_ptr<const Columns> ColumnsOf(nanobind::handle object);

}  // namespace stepscope::python
