// Runs the command line in this process: the wheel's `stepscope` is the program itself, without a
// second copy of it.
#include "cli/program.h"

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "python/errors.h"
#include "python/module.h"
#include "python/storage.h"
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

nb::list ListOf(const std::vector<std::string>& words) {
  nb::list list;
  for (const std::string& word : words) list.append(nb::bytes(word.data(), word.size()));
  return list;
}

// open(paths, options) returns what failed, where, and what to try; or names and their storage.
Result<cli::Inputs> Open(const nb::object& open, const std::vector<std::string>& given,
                         const std::vector<std::string>& options) {
  const nb::gil_scoped_acquire locked;
  try {
    const nb::object answer = open(ListOf(given), ListOf(options));
    if (nb::len(answer) == 3) return std::unexpected(ErrorIn(answer));
    return cli::Inputs{.paths = BytesOfEach(nb::cast<nb::list>(answer[0])),
                       .storage = StorageOf(answer[1])};
  } catch (const std::exception& error) {
    return std::unexpected(Error{error.what(), given.front(), ""});
  }
}

int RunWords(const nb::list& given, const nb::object& load, const nb::object& open) {
  const std::vector<std::string> words = BytesOfEach(given);
  const nb::gil_scoped_release unlocked;
  const int code = cli::RunProgram(
      words, {.load_plugin = [&](const std::string& file) { return Load(load, file); },
              .open_urls = [&](const auto& paths,
                               const auto& options) { return Open(open, paths, options); }});
  std::fflush(nullptr);  // a reader that is gone is no error
  return code;
}

}  // namespace

void AddProgram(nb::module_& module) {
  module.def("run_program", RunWords, nb::arg("words"), nb::arg("load_plugin"),
             nb::arg("open_urls"));
}

}  // namespace stepscope::python
