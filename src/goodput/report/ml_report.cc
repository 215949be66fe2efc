// Reports the reference library's numbers under its names.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/saturate.h"
#include "base/time_units.h"
#include "goodput/report/report.h"
#include "report/columns.h"
#include "report/humanize.h"
#include "report/kinds.h"

namespace stepscope::goodput {
namespace {

int64_t Ns(double seconds) { return RoundToInt64(seconds * kSecond); }

Cell MaybeNs(const std::optional<double>& seconds) {
  if (!seconds) return {};
  return Ns(*seconds);
}

ColumnKind KindOf(Badput badput) {
  switch (badput) {
    case Badput::kTpuInitialization:
    case Badput::kTrainingPrep:
    case Badput::kProgramStartup:
      return ColumnKind::kStartup;
    case Badput::kDataLoadingSync:
    case Badput::kDataLoadingAsync:
      return ColumnKind::kInput;
    case Badput::kCheckpointSave:
    case Badput::kCheckpointRestore:
      return ColumnKind::kCheckpoint;
    case Badput::kWasted:
      return ColumnKind::kWasted;
    case Badput::kRecovery:
      return ColumnKind::kRecovery;
    case Badput::kElasticSliceDown:
    case Badput::kElasticScaleUp:
    case Badput::kElasticReinit:
      return ColumnKind::kElastic;
    case Badput::kOther:
    case Badput::kCount:
      break;
  }
  return ColumnKind::kOther;
}

Table Buckets(const MlAnswer& a) {
  Table table{.key = "buckets",
              .title = "Badput by ml-goodput-measurement",
              .columns = {KeyColumn("bucket", "bucket"), TimeColumn("time", "time"),
                          RatioColumn("ratio", "share")}};
  AddKindColumn(table);
  const auto add = [&](std::string name, double time, ColumnKind kind) {
    table.rows.push_back({std::move(name), Ns(time), a.Percent(time) / 100, KindCell(kind)});
  };
  for (size_t b = 0; b < a.badput.size(); ++b) {
    const auto badput = static_cast<Badput>(b);
    if (badput >= Badput::kElasticSliceDown && !a.elastic) continue;
    add(std::string(BadputName(badput)), a.badput[b], KindOf(badput));
  }
  for (const auto& [type, time] : a.custom) {
    add("CUSTOM_BADPUT_EVENTS." + type, time, ColumnKind::kCustom);
  }
  SortDescending(table, "time");
  return table;
}

void AddSpread(Table& table, const std::string& what, const MlSpread& s) {
  if (s.total == 0) return;
  table.rows.push_back({what, Ns(s.total), Ns(s.mean), Ns(s.least), Ns(s.most), Ns(s.deviation)});
}

// The rows of saves, or of restores, in a tier.
std::vector<std::pair<const char*, MlSpread>> PartsOf(const MlGoodput& log, MlTier tier,
                                                      bool saves) {
  const MlCheckpoints c = saves ? log.Saves(tier) : log.Restores(tier);
  if (saves) {
    return {{"save: manager blocking", c.manager},
            {"save: checkpointer blocking", c.checkpointer},
            {"save: wait for previous", c.wait_for_prev},
            {"save: get old steps", c.get_old_steps}};
  }
  return {{"restore: manager", c.manager},
          {"restore: checkpointer", c.checkpointer},
          {"restore: broadcast", c.broadcast}};
}

Table Checkpoints(const MlGoodput& log) {
  Table table{.key = "checkpoints",
              .title = "Checkpoint durations by tier",
              .columns = {Words(KeyColumn("part", "part")), TimeColumn("total", "total"),
                          TimeColumn("mean", "mean"), TimeColumn("min", "min"),
                          TimeColumn("max", "max"), TimeColumn("deviation", "std dev")},
              .text_rows = 0};
  const auto add = [&](MlTier tier, const char* name, bool saves) {
    const size_t before = table.rows.size();
    for (const auto& [what, spread] : PartsOf(log, tier, saves)) {
      AddSpread(table, fmt::format("{} {}", name, what), spread);
    }
    return table.rows.size() > before;
  };
  bool in_both[2] = {true, true};
  for (const auto& [tier, name] :
       {std::pair(MlTier::kLocal, "local"), std::pair(MlTier::kPersistent, "persistent")}) {
    for (const bool saves : {true, false}) in_both[saves] &= add(tier, name, saves);
  }
  for (const bool saves : {true, false}) {
    if (in_both[saves]) add(MlTier::kBoth, "any", saves);
  }
  return table;
}

Table Deviations(const MlDeviation& deviation, int64_t most_steps) {
  Table table{.key = "step_deviation",
              .title = "Step time deviation",
              .columns = {KeyColumn("step", "step"), TimeColumn("deviation", "deviation"),
                          TimeColumn("time", "time")},
              .text_rows = 0};
  const auto& steps = deviation.by_step;
  const size_t listed = std::min(steps.size(), static_cast<size_t>(most_steps));
  for (size_t s = steps.size() - listed; s < steps.size(); ++s) {
    table.rows.push_back({steps[s].first, Ns(steps[s].second), Ns(deviation.times[s].second)});
  }
  return table;
}

}  // namespace

Report MlGoodputReport(const MlAnswer& a, const MlGoodput& log, const MlSteps& asked) {
  const MlDeviation deviation = log.StepDeviation(a, asked.ideal);
  Report report{.analysis = "goodput", .title = "Goodput by ml-goodput-measurement"};
  const auto ns = Unit::kNanoseconds;
  const std::vector<Metric> steps = {
      {"ideal_step_time", "ideal step time", MaybeNs(deviation.ideal), ns},
      {"step_time_deviation", "step time deviation", MaybeNs(deviation.cumulative), ns},
      {"step_time_deviation_interval", "windowed step time deviation", MaybeNs(deviation.interval),
       ns, true},
  };
  if (a.error.empty()) {
    report.metrics = {
        {"goodput_ratio", "goodput", a.goodput_percent / 100, Unit::kRatio},
        {"total", "total time", Ns(a.total), ns},
        {"productive", "productive time", Ns(a.productive), ns},
        {"disruptions", "disruptions", a.disruptions, Unit::kCount},
        {"max_productive_step", "last productive step", Maybe(a.max_productive_step), Unit::kNone},
        {"last_step", "last recorded step", Maybe(a.last_step), Unit::kNone, true},
        {"excluded", "excluded time", Ns(a.excluded), ns, a.excluded == 0},
    };
    if (a.slices) {
      report.metrics.push_back(
          {"active_slices", "active slices, mean", a.slices->active, Unit::kRatio});
      report.metrics.push_back(
          {"available_slices", "available slices, mean", a.slices->available, Unit::kRatio});
    }
    report.tables.push_back(Buckets(a));
    report.headline = Say("Goodput is {goodput} of {time} by the library's rules.",
                          HumanRatio(a.goodput_percent / 100), HumanTime(a.total * kSecond));
  } else {
    report.status = Status::kPartial;
    report.why = Say("the library raises {error}", Phrase::Name(a.error));
    report.headline = "The library computes no goodput for these events.";
  }
  report.metrics.insert(report.metrics.end(), steps.begin(), steps.end());
  if (Table table = Checkpoints(log); !table.rows.empty()) report.tables.push_back(table);
  if (Table table = Deviations(deviation, asked.most); !table.rows.empty())
    report.tables.push_back(table);
  return report;
}

}  // namespace stepscope::goodput
