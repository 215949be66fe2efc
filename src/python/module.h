// Declares what each file adds to the extension module.
#pragma once

#include <nanobind/nanobind.h>

namespace stepscope::python {

namespace nb = nanobind;

void AddProgram(nb::module_& module);
void AddColumns(nb::module_& module);
void AddAnswers(nb::module_& module);
void AddSummaries(nb::module_& module);
void AddSessions(nb::module_& module);
void AddComparisons(nb::module_& module);
void AddGoodput(nb::module_& module);
void AddEvents(nb::module_& module);
void AddPages(nb::module_& module);
void AddStorages(nb::module_& module);
void AddPlugins(nb::module_& module);
void AddPartials(nb::module_& module);

}  // namespace stepscope::python
