// Fits the model's parameters to a job's own events.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/time_units.h"
#include "goodput/ledger/load_jobs.h"
#include "goodput/model/measured.h"
#include "stepscope/goodput_model.h"

namespace stepscope {
namespace {

using goodput::Bucket;
using goodput::Disruption;
using goodput::Measured;
using goodput::Partition;

Measured MeasuredOf(const Partition& partition, int64_t saves) {
  Measured m{.wall_s = Seconds(partition.total() - partition.At(Bucket::kExcluded)),
             .productive_s = Seconds(partition.At(Bucket::kProductive)),
             .saves = saves,
             .saves_s = Seconds(partition.At(Bucket::kSave))};
  for (const Disruption& d : partition.disruption_list) {
    ++m.interruptions;
    m.announced += d.announced && d.recompute == 0 ? 1 : 0;
    m.reschedule_s += Seconds(d.queue.value_or(0));
    m.restart_s += Seconds(d.cost() - d.recompute - d.queue.value_or(0));
  }
  return m;
}

bool HasRate(const GoodputModelOptions& o) {
  return o.mtbf_s || o.mtbf_per_node_s || o.failures_per_node_day || (o.failures && o.over_s);
}

// What the job's events do not say must be given.
Result<void> CheckComplete(const Measured& m, const GoodputModelOptions& given) {
  std::string why;
  std::vector<std::string> missing;
  if (m.interruptions == 0) {
    why = "was never interrupted";
    if (!HasRate(given)) missing.emplace_back("`mtbf_s`");
    if (!given.restart_s) missing.emplace_back("`restart_s`");
  }
  if (m.saves == 0) {
    why += why.empty() ? "saved no checkpoint" : " and saved no checkpoint";
    if (!given.save_s) missing.emplace_back("`save_s`");
  }
  if (missing.empty()) return {};
  return std::unexpected(Error{"cannot fit the model: the job " + why, "",
                               fmt::format("set {}", fmt::join(missing, " and "))});
}

// Values given by the user stay.
template <class Number>
void Fill(std::optional<Number>& into, Number measured) {
  if (!into) into = measured;
}

}  // namespace

Result<GoodputModelOptions> FitGoodputModel(const GoodputReportOptions& events,
                                            GoodputModelOptions given) {
  auto loaded = goodput::LoadJobs(events);
  if (!loaded) return std::unexpected(loaded.error());
  if (loaded->job == nullptr) {
    return std::unexpected(Error{events.job.empty()
                                     ? "cannot fit the model: the input has no events"
                                     : "cannot fit the model: the job has no events",
                                 events.job, "give the events of one job"});
  }
  if (!loaded->scheduler_refusal.empty()) {
    return std::unexpected(Error{"cannot fit the model: " + loaded->scheduler_refusal, events.job,
                                 "give the scheduler's rows of this job"});
  }
  goodput::Accounting& accounting = loaded->job->accounting;
  const Measured measured =
      MeasuredOf(accounting.Query(goodput::QueryOf(events)), accounting.saves());
  if (auto complete = CheckComplete(measured, given); !complete) {
    return std::unexpected(complete.error());
  }
  const auto fitted = goodput::ParametersOf(measured);
  if (!fitted) return std::unexpected(fitted.error());
  if (!HasRate(given)) Fill(given.mtbf_s, 1 / fitted->failures_per_s);
  if (measured.saves > 0) {
    Fill(given.checkpoint_interval_s, fitted->interval_s);
    Fill(given.save_s, fitted->save_s);
  }
  Fill(given.restart_s, fitted->restart_s);
  if (given.reschedule_s == 0) given.reschedule_s = fitted->reschedule_s;
  if (given.announced_share == 0 && fitted->announced_share > 0) {
    given.announced_share = fitted->announced_share;
    Fill(given.emergency_save_s, fitted->emergency_save_s);
  }
  const int64_t chips = accounting.scheduling().most_requested();
  if (!given.chips && !given.nodes && chips > 0) given.chips = static_cast<double>(chips);
  return given;
}

}  // namespace stepscope
