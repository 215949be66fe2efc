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

const char* NeedsOf(ModelQuestion question) {
  switch (question) {
    case ModelQuestion::kExpected:
      break;
    case ModelQuestion::kFailures:
      return "set `failures` and `over_s`, `observed_mtbf_s`, `failures_per_node_day` and `nodes`, "
             "or `causes`";
    case ModelQuestion::kSpares:
      return "set `standby_machines` and `down_probability`";
    case ModelQuestion::kFleet:
      return "set `allocated_chip_s` with `capacity_chip_s` and `saved_chip_s`, `steps_committed` "
             "with `steps_tried`, or `wasted_chip_s` with `chips` and `over_s`";
    case ModelQuestion::kGains:
      return "set `restart_before_s` and `restart_after_s`, `save_before_s` and `save_after_s`, or "
             "`relative_mfu`";
  }
  return "set `mtbf_s`, `save_s` and `restart_s`";
}

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
  auto product = ProductReport(options);
  if (!product) return std::unexpected(product.error());
  if (std::optional<Report>& report = *product) answer.reports.push_back(std::move(*report));
  if (answer.reports.empty()) {
    return std::unexpected(
        Error{"missing input: there is nothing to model", "", NeedsOf(options.question)});
  }
  const Report& first = answer.reports.front();
  answer.verdict = HasModelInput(options) ? ModelVerdict(first) : first.headline;
  return answer;
}

}  // namespace stepscope
