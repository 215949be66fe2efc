// Lets the core read what Python can: objects with read(), and file systems of fsspec.
#pragma once

#include <nanobind/nanobind.h>

#include "stepscope/storage.h"

namespace stepscope::python {

// Of a stepscope.storage.Storage; null for None. Its functions take the interpreter's lock only to
// hand a request over; answers come from threads of Python. REQUIRES: the interpreter's lock.
StorageRef StorageOf(const nanobind::object& storage);

}  // namespace stepscope::python
