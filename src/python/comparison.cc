// Binds what needs more than one answer, or none: comparing, and what stragglers cost.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

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

Answer CompareAnswers(const Answer& a, const Answer& b, bool short_names) {
  return WorkFor<Answer>([&](std::stop_token) {
    return Answer(Compare(a.get(), b.get(), {.short_names = short_names}));
  });
}

std::vector<int64_t> Ranks(const Answer& a, const Answer& b) {
  return ValueOrRaise(RanksToCompare(a.get(), b.get()), Fault::kQuestion);
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
  module.def("compare", CompareAnswers, nb::arg("a"), nb::arg("b"), nb::arg("short_names"));
  module.def("ranks_to_compare", Ranks, nb::arg("a"), nb::arg("b"));
  module.def("compared_analyses", ComparedAnalyses);
  module.def("whatif_stragglers", Stragglers, nb::arg("paths"), nb::arg("storage").none(),
             nb::arg("threads"));
}

}  // namespace stepscope::python
