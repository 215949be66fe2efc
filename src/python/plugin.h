// Turns what an analysis in Python returned into a report.
#pragma once

#include <nanobind/nanobind.h>

#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope::python {

// `answer` is what stepscope._plugins.answer() returns. Fails with its "error". Raises what Python
// raises where it has another form. REQUIRES: the interpreter's lock.
Result<Report> ReportFrom(const nanobind::dict& answer);

}  // namespace stepscope::python
