// Binds the report on the goodput of a job. Its arguments are the words of the command line, so
// that both know the same options.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cli/goodput_question.h"
#include "python/answer.h"
#include "python/errors.h"
#include "python/module.h"
#include "python/text.h"
#include "python/work.h"

namespace stepscope::python {
namespace {

using cli::GoodputQuestion;

// An error about one of the paths is one of the input; all others are of the question.
Fault FaultOf(const Error& error, const GoodputQuestion& question) {
  const auto is_about = [&](const std::string& path) {
    return !path.empty() && error.where.starts_with(path);
  };
  const bool of_input =
      std::ranges::any_of(question.events, is_about) ||
      std::ranges::any_of(question.traces, is_about) ||
      std::ranges::any_of(question.productivity.options.scheduler_files, is_about) ||
      is_about(question.store);
  return of_input ? Fault::kInput : Fault::kQuestion;
}

Answer GoodputAnswer(const nb::list& given, const nb::object& on_progress) {
  GoodputQuestion question;
  ValueOrRaise(cli::ReadGoodputQuestion(BytesOfEach(given), question), Fault::kQuestion);
  LatestProgress latest;
  question.walk.on_progress = [&](const Progress& progress) { latest.Set(progress); };
  auto answer = WorkFor<Result<ReportSet>>(
      [&](std::stop_token stop) {
        question.stop = std::move(stop);
        return cli::AnswerGoodput(question);
      },
      Telling(latest, on_progress));
  const Fault fault = answer ? Fault::kQuestion : FaultOf(answer.error(), question);
  return FoundOrRaise(ValueOrRaise(std::move(answer), fault));
}

}  // namespace

void AddGoodput(nb::module_& module) {
  module.def("goodput", GoodputAnswer, nb::arg("words"), nb::arg("on_progress").none());
}

}  // namespace stepscope::python
