// Implements GoodputWatch.
#include "goodput/live/live.h"
#include "goodput/live/live_report.h"
#include "goodput/program/program_use.h"
#include "goodput/recorder/segment_name.h"
#include "stepscope/goodput_live.h"

namespace stepscope {

struct GoodputWatch::State {
  std::string folder;
  std::optional<ProgramOptions> program;
  goodput::Live live;
};

GoodputWatch::GoodputWatch(const std::string& folder, const std::optional<ProgramOptions>& program)
    : state_(std::make_unique<State>(State{folder, program, goodput::Live(folder)})) {}
GoodputWatch::~GoodputWatch() = default;
GoodputWatch::GoodputWatch(GoodputWatch&&) noexcept = default;
GoodputWatch& GoodputWatch::operator=(GoodputWatch&&) noexcept = default;

Result<ReportSet> GoodputWatch::Now(const std::string& job) {
  const int64_t now = goodput::WallClock();
  if (const auto polled = state_->live.Poll(now); !polled) return std::unexpected(polled.error());
  const auto program = goodput::ProgramRatesIf(state_->program);
  if (!program) return std::unexpected(program.error());
  ReportSet answer;
  answer.run = {.name = job.empty() ? state_->folder : job,
                .ranks = 1,
                .steps = "all",
                .notes = state_->live.note_counts().List()};
  answer.reports.push_back(goodput::LiveReport(state_->live.jobs(), job, *program, now));
  const Report& report = answer.reports.front();
  answer.verdict = report.status == Status::kUnavailable ? Say("No live jobs: {why}.", report.why)
                                                         : report.headline;
  if (!report.findings.empty()) {
    answer.verdict += " ";
    answer.verdict += report.findings.front().message;
  }
  return answer;
}

}  // namespace stepscope
