// The extension module stepscope._core. Programs use the package stepscope, which is documented;
// names in here may change.
#include "python/module.h"

NB_MODULE(_core, module) {
  using namespace stepscope::python;
  // At the end of a process a request of a storage may still be under way, which is no mistake.
  nanobind::set_leak_warnings(false);
  module.attr("__version__") = STEPSCOPE_VERSION;
  AddProgram(module);
  AddColumns(module);
  AddAnswers(module);
  AddSummaries(module);
  AddEvents(module);
  AddSessions(module);
  AddComparisons(module);
  AddGoodput(module);
  AddPages(module);
  AddStorages(module);
  AddPlugins(module);
  AddPartials(module);
}
