// Implements ModelGoodput(): selects the reports that the options ask for.
#include "stepscope/goodput_model.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "goodput/model/evidence_reports.h"
#include "goodput/model/model_input.h"
#include "goodput/model/model_report.h"

namespace stepscope {
namespace {

using MakeReport = std::optional<Report> (*)(const GoodputModelOptions&);
using TryReports = Result<std::vector<Report>> (*)(const GoodputModelOptions&);

}  // namespace

Result<ReportSet> ModelGoodput(const GoodputModelOptions& options) {
  using namespace goodput;
  if (auto checked = CheckOptions(options); !checked) return std::unexpected(checked.error());
  ReportSet answer;
  answer.run.name = "goodput model";
  if (HasModelInput(options)) {
    const auto parameters = ParametersOf(options);
    if (!parameters) return std::unexpected(parameters.error());
    answer.reports.push_back(ModelReport(options, *parameters));
  }
  for (const MakeReport make : {FailuresReport, SparesReport, GainsReport}) {
    if (auto report = make(options)) answer.reports.push_back(std::move(*report));
  }
  for (const TryReports make : {ProgramReport, ProductReport}) {
    auto reports = make(options);
    if (!reports) return std::unexpected(reports.error());
    std::ranges::move(*reports, std::back_inserter(answer.reports));
  }
  if (answer.reports.empty()) {
    return std::unexpected(
        Error{"nothing was given to model", "", "set `mtbf_s`, `save_s` and `restart_s`"});
  }
  const Report& first = answer.reports.front();
  answer.verdict = HasModelInput(options) ? ModelVerdict(first) : first.headline;
  return answer;
}

}  // namespace stepscope
