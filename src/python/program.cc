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
  std::vector<std::string> words;
  for (const nb::handle word : given) words.push_back(BytesOf(word));
  const nb::gil_scoped_release unlocked;
  const int code = cli::RunProgram(words);
  std::fflush(nullptr);  // a reader that is gone is no error
  return code;
}

}  // namespace

void AddProgram(nb::module_& module) { module.def("run_program", RunWords); }

}  // namespace stepscope::python
