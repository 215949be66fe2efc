// Runs the command line in this process: the wheel's `stepscope` is the program itself, without a
// second copy of it.
#include "cli/program.h"

#include <cstdio>
#include <string>
#include <vector>

#include "python/module.h"
#include "python/text.h"

namespace stepscope::python {
namespace {

int RunWords(const nb::list& given) {
  const std::vector<std::string> words = BytesOfEach(given);
  const nb::gil_scoped_release unlocked;
  const int code = cli::RunProgram(words);
  std::fflush(nullptr);  // a reader that is gone is no error
  return code;
}

}  // namespace

void AddProgram(nb::module_& module) { module.def("run_program", RunWords); }

}  // namespace stepscope::python
