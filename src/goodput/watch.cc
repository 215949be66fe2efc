// The front door of watching.
#include "goodput/live.h"
#include "goodput/live_report.h"
#include "goodput/recorder.h"
#include "stepscope/goodput_live.h"

namespace stepscope {

struct GoodputWatch::State {
  std::string folder;
  goodput::Live live;
};

GoodputWatch::GoodputWatch(const std::string& folder)
    : state_(std::make_unique<State>(State{folder, goodput::Live(folder)})) {}
GoodputWatch::~GoodputWatch() = default;
GoodputWatch::GoodputWatch(GoodputWatch&&) noexcept = default;
GoodputWatch& GoodputWatch::operator=(GoodputWatch&&) noexcept = default;

Result<ReportSet> GoodputWatch::Now(const std::string& job) {
  const int64_t now = goodput::WallClock();
  if (const auto polled = state_->live.Poll(now); !polled) return std::unexpected(polled.error());
  ReportSet answer;
  answer.run = {.name = job.empty() ? state_->folder : job,
                .ranks = 1,
                .steps = "all",
                .notes = state_->live.oddities().Notes()};
  answer.reports.push_back(goodput::LiveReport(state_->live.jobs(), job, now));
  const Report& report = answer.reports.front();
  answer.verdict = report.status == Status::kUnavailable
                       ? "Nothing can be said: " + report.why + "."
                       : report.headline;
  return answer;
}

}  // namespace stepscope
