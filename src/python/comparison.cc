// Binds what needs more than one answer, or none: comparing, and what stragglers cost.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "python/answer.h"
#include "python/errors.h"
#include "python/module.h"
#include "python/storage.h"
#include "python/text.h"
#include "python/work.h"
#include "stepscope/compare.h"
#include "stepscope/plugin.h"
#include "stepscope/whatif.h"

namespace stepscope::python {
namespace {

// `before` and `after` are called with ranks, and return answers.
Answer CompareRuns(const nb::callable& before, const nb::callable& after, bool ranks_are_chosen,
                   bool short_names) {
  const auto ask = [](const nb::callable& run) -> AskForRanks {
    return [&run](const std::vector<int64_t>& ranks) -> Result<std::shared_ptr<const ReportSet>> {
      return nb::cast<Answer>(run(ranks)).shared();
    };
  };
  const RunsToCompare runs =
      ValueOrRaise(AskBoth(ask(before), ask(after), ranks_are_chosen), Fault::kQuestion);
  return WorkFor<Answer>(
      [&](std::stop_token) { return Answer(Compare(runs, {.short_names = short_names})); });
}

Answer Stragglers(const nb::list& given, const nb::object& storage, int threads) {
  const std::vector<std::string> paths = BytesOfEach(given);
  StragglerOptions options{.threads = threads, .storage = StorageOf(storage)};
  auto answer = WorkFor<Result<ReportSet>>([&](std::stop_token stop) {
    options.stop = std::move(stop);
    return WhatIfStragglers(paths, options);
  });
  return Answer(ValueOrRaise(std::move(answer), Fault::kInput));
}

}  // namespace

void AddComparisons(nb::module_& module) {
  module.def("compare", CompareRuns, nb::arg("before"), nb::arg("after"),
             nb::arg("ranks_are_chosen"), nb::arg("short_names"));
  module.def("compared_analyses", ComparedAnalyses);
  module.def("whatif_stragglers", Stragglers, nb::arg("paths"), nb::arg("storage").none(),
             nb::arg("threads"));
}

}  // namespace stepscope::python
