// The extension module stepscope._core. Programs use the package stepscope, which is documented;
// names in here may change.
#include "python/module.h"

NB_MODULE(_core, module) {
  using namespace stepscope::python;
  module.attr("__version__") = STEPSCOPE_VERSION;
  AddProgram(module);
  AddColumns(module);
  AddAnswers(module);
  AddEvents(module);
  AddSessions(module);
  AddComparisons(module);
  AddPages(module);
  AddPlugins(module);
}
