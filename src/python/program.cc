// Runs the command line in this process: the wheel's `stepscope` is the program itself, without a
// second copy of it.
#include "cli/program.h"

#include <nanobind/stl/string.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "python/module.h"
#include "python/text.h"
#include "stepscope/result.h"

namespace stepscope::python {
namespace {

// load(file) returns None, or what failed, where, and what to try.
Result<void> Load(const nb::object& load, const std::string& file) {
  const nb::gil_scoped_acquire locked;
  try {
    const nb::object path = nb::steal(
        PyUnicode_DecodeFSDefaultAndSize(file.data(), static_cast<Py_ssize_t>(file.size())));
    const nb::object failed = load(path);
    if (failed.is_none()) return {};
    const auto text = [&](size_t place) { return nb::cast<std::string>(failed[place]); };
    return std::unexpected(Error{text(0), text(1), text(2)});
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
