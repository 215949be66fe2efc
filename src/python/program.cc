// Runs the command line in this process: the wheel's `stepscope` is the program itself, without a
// second copy of it.
#include "cli/program.h"

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "python/errors.h"
#include "python/module.h"
#include "python/text.h"
#include "stepscope/result.h"

namespace stepscope::python {
namespace {

// load(file) returns None, or what failed, where, and what to try.
Result<void> Load(const nb::object& load, const std::string& file) {
  const nb::gil_scoped_acquire locked;
  try {
    const nb::object failed = load(PathTextOf(file));
    if (failed.is_none()) return {};
    return std::unexpected(ErrorIn(failed));
  } catch (const std::exception& error) {
    return std::unexpected(Error{error.what(), file, ""});
  }
}

int RunWords(const nb::list& given, const nb::object& load) {
  const std::vector<std::string> words = BytesOfEach(given);
  const nb::gil_scoped_release unlocked;
  const int code =
      cli::RunProgram(words, [&](const std::string& file) { return Load(load, file); });
  std::fflush(nullptr);  // a reader that is gone is no error
  return code;
}

}  // namespace

void AddProgram(nb::module_& module) {
  module.def("run_program", RunWords, nb::arg("words"), nb::arg("load_plugin"));
}

}  // namespace stepscope::python
