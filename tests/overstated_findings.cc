// Checks that findings claim no more than there is.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <regex>
#include <string>

#include "report/phrase_format.h"
#include "tests/answer.h"
#include "tests/contradictions.h"

namespace stepscope::testing {
namespace {

// The percentages in a text.
std::vector<double> PercentagesIn(const std::string& text) {
  static const std::regex kPercentage(R"((\d+(?:\.\d+)?)%)");
  std::vector<double> found;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), kPercentage);
       at != std::sregex_iterator(); ++at) {
    found.push_back(std::strtod((*at)[1].str().c_str(), nullptr));
  }
  return found;
}

std::optional<int64_t> MeanStep(const ReportSet& answer) {
  const Report& overview = ReportOf(answer, "overview");
  const auto mean = std::ranges::find(overview.metrics, "step_time_mean", &Metric::key);
  if (mean == overview.metrics.end()) return std::nullopt;
  const auto* time = std::get_if<int64_t>(&mean->value);
  return time == nullptr ? std::nullopt : std::optional(*time);
}

int64_t MostIdle(const ReportSet& answer) {
  int64_t most = 0;
  for (const Row& row : RowsOf(answer, "temporal_breakdown", "ranks"))
    most = std::max(most, row.Int("idle"));
  return most;
}

// Whether all that the findings of this analysis claim is idle time of devices.
bool IsAboutIdle(std::string_view analysis) {
  return analysis == "idle_time" || analysis == "launch_stats" || analysis == "phases" ||
         analysis == "kernel_sequences";
}

// What a finding's sentence says it is of the span or of step time.
std::optional<double> SaidShare(const Finding& finding) {
  const bool of_all =
      finding.message.ends_with("% of span.") || finding.message.ends_with("% of step time.");
  const auto said = PercentagesIn(finding.message);
  if (!of_all || said.size() != 1 || finding.message.contains("slower")) return std::nullopt;
  return said.front() / 100;
}

void CheckFinding(const ReportSet& answer, const Report& report, const Finding& finding,
                  std::vector<std::string>& found) {
  const auto say = [&](std::string_view what, auto claimed, auto most) {
    found.push_back(
        fmt::format("{}: {}: {} of {}: {}", report.analysis, what, claimed, most, finding.message));
  };
  if (finding.share > 1) say("share", finding.share, 1);
  const auto step = MeanStep(answer);
  if (step && !finding.since && finding.per_step > *step + 1)
    say("per step", finding.per_step, *step);
  const int64_t idle = MostIdle(answer);
  if (IsAboutIdle(report.analysis) && finding.impact > idle) say("idle", finding.impact, idle);
  const auto said = SaidShare(finding);
  // Rounded to 0.1 %.
  if (said && finding.share > *said + 0.001) say("share said", finding.share, *said);
}

// The parts of a step that the first sentence names are parts of one step.
void CheckHeadline(const ReportSet& answer, std::vector<std::string>& found) {
  const std::string& text = ReportOf(answer, "overview").headline;
  const size_t from = std::min(text.find("Step time is"), text.find("Breakdown of"));
  if (from == text.npos) return;
  const size_t parts = text.find("): ", from), other = text.find(": ", from);
  const size_t begin = parts == text.npos ? other : parts;
  if (begin == text.npos) return;
  double sum = 0;
  for (const double part : PercentagesIn(text.substr(begin, text.find(". ", begin) - begin)))
    sum += part;
  if (sum > 100.2) found.push_back(fmt::format("{} % in: {}", sum, text));
}

}  // namespace

std::vector<std::string> OverstatedFindings(const ReportSet& answer) {
  std::vector<std::string> found;
  for (const Report& report : answer.reports) {
    for (const Finding& finding : report.findings) CheckFinding(answer, report, finding, found);
  }
  CheckHeadline(answer, found);
  return found;
}

}  // namespace stepscope::testing
