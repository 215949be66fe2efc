// Checks and completes the options of the model.
#include "goodput/model/model_input.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

#include "goodput/model/checkpoint_interval.h"
#include "goodput/model/spares.h"
#include "goodput/report/format.h"

namespace stepscope::goodput {
namespace {

constexpr double kLongestS = 100 * 365.25 * kDayS;  // keeps nanoseconds in int64
constexpr double kMost = 1e30;                      // of FLOPs and chip seconds
constexpr double kStandbySpeedup = 10.87;           // warm standby over requeue, arXiv 2509.16293

std::unexpected<Error> Wrong(std::string_view option, std::string what, std::string hint = "") {
  return std::unexpected(Error{std::move(what), std::string(option), std::move(hint)});
}

// A number and its valid range.
struct Bounded {
  std::string_view option;
  std::optional<double> value;
  double low, high;
  bool above_low = false;  // must exceed `low`
};

Result<void> Check(const Bounded& b) {
  if (!b.value) return {};
  const double value = *b.value;
  const bool is_high_enough = b.above_low ? value > b.low : value >= b.low;
  if (std::isfinite(value) && is_high_enough && value <= b.high) return {};
  return Wrong(b.option,
               fmt::format("{} is out of range: {} must be {} {} and at most {}", value, b.option,
                           b.above_low ? "more than" : "at least", b.low, b.high),
               fmt::format("set {} to a number {} {} to {}", b.option,
                           b.above_low ? "above" : "from", b.low, b.high));
}

Result<void> CheckAll(std::initializer_list<Bounded> all) {
  for (const Bounded& bounded : all) {
    if (auto checked = Check(bounded); !checked) return checked;
  }
  return {};
}

Result<void> CheckTimes(const GoodputModelOptions& o) {
  const auto time = [](std::string_view option, std::optional<double> value) {
    return Bounded{option, value, 0, kLongestS};
  };
  const auto positive = [](std::string_view option, std::optional<double> value) {
    return Bounded{option, value, 0, kLongestS, true};
  };
  return CheckAll({positive("`mtbf_s`", o.mtbf_s), positive("`mtbf_per_node_s`", o.mtbf_per_node_s),
                   positive("`over_s`", o.over_s), positive("`observed_mtbf_s`", o.observed_mtbf_s),
                   positive("`checkpoint_interval_s`", o.checkpoint_interval_s),
                   time("`save_s`", o.save_s), time("`persist_s`", o.persist_s),
                   time("`emergency_save_s`", o.emergency_save_s), time("`restart_s`", o.restart_s),
                   time("`reschedule_s`", o.reschedule_s), time("`swap_s`", o.swap_s),
                   time("`repair_s`", o.repair_s), time("`pull_s`", o.pull_s),
                   time("`compile_s`", o.compile_s), time("`capacity_wait_s`", o.capacity_wait_s)});
}

Result<void> CheckShares(const GoodputModelOptions& o) {
  const auto share = [](std::string_view option, std::optional<double> value) {
    return Bounded{option, value, 0, 1};
  };
  return CheckAll({share("`announced_share`", o.announced_share),
                   share("`sigterm_share`", o.sigterm_share),
                   share("`compile_cached_share`", o.compile_cached_share),
                   share("`target_goodput`", o.target_goodput),
                   share("`down_probability`", o.down_probability),
                   share("`program_goodput`", o.program_goodput),
                   {"`standby_share`", o.standby_share, 0, 0.999999},
                   {"`pull_speedup`", o.pull_speedup, 1, 1e6},
                   {"`save_speedup`", o.save_speedup, 1, 1e6}});
}

Result<void> CheckCounts(const GoodputModelOptions& o) {
  const auto count = [](std::string_view option, std::optional<double> value, double most = 1e9) {
    return Bounded{option, value, 0, most, true};
  };
  const auto number = [](int64_t value) { return static_cast<double>(value); };
  const std::optional<double> lever_spares =
      o.lever_spares ? std::optional(number(*o.lever_spares)) : std::nullopt;
  return CheckAll({count("`nodes`", o.nodes),
                   count("`chips`", o.chips),
                   count("`chips_per_node`", o.chips_per_node),
                   {"`failures`", o.failures, 0, 1e9},
                   {"`failures_per_node_day`", o.failures_per_node_day, 0, 1e6, true},
                   {"`spares`", number(o.spares), 0, 1e5},
                   {"`lever_spares`", lever_spares, 0, 1e5},
                   {"`price_per_chip_hour`", o.price_per_chip_hour, 0, 1e6},
                   {"`simulated_failures`", number(o.simulated_failures), 1000, 1e7},
                   count("`capacity_chip_s`", o.capacity_chip_s, kMost),
                   {"`allocated_chip_s`", o.allocated_chip_s, 0, kMost},
                   {"`saved_chip_s`", o.saved_chip_s, 0, kMost},
                   {"`wasted_chip_s`", o.wasted_chip_s, 0, kMost},
                   count("`steps_tried`", o.steps_tried, kMost),
                   {"`steps_committed`", o.steps_committed, 0, kMost},
                   count("`replicas`", o.replicas),
                   {"`mean_replicas`", o.mean_replicas, 0, 1e9}});
}

Result<void> CheckList(std::string_view option, const std::vector<double>& values, double low,
                       double high) {
  for (const double value : values) {
    if (auto checked = Check({option, value, low, high, true}); !checked) return checked;
  }
  return {};
}

Result<void> CheckLists(const GoodputModelOptions& o) {
  struct List {
    std::string_view option;
    const std::vector<double>& values;
  };
  for (const auto& [option, values] :
       std::to_array<List>({{"`restart_before_s`", o.restart_before_s},
                            {"`restart_after_s`", o.restart_after_s},
                            {"`save_before_s`", o.save_before_s},
                            {"`save_after_s`", o.save_after_s}})) {
    if (auto checked = CheckList(option, values, 0, kLongestS); !checked) return checked;
  }
  if (o.restart_before_s.size() != o.restart_after_s.size()) {
    return Wrong("`restart_after_s`",
                 "`restart_after_s` needs as many numbers as `restart_before_s`",
                 "give each restart before the change its time after it");
  }
  if (o.save_before_s.size() != o.save_after_s.size()) {
    return Wrong("`save_after_s`", "`save_after_s` needs as many numbers as `save_before_s`",
                 "give each save before the change its time after it");
  }
  if (auto checked = CheckList("`relative_mfu`", o.relative_mfu, 0, 2); !checked) return checked;
  for (const int64_t machines : o.standby_machines) {
    const Bounded bounded{"`standby_machines`", static_cast<double>(machines), 1, 1e6};
    if (auto checked = Check(bounded); !checked) return checked;
  }
  for (const FailureCause& cause : o.causes) {
    if (cause.name.empty())
      return Wrong("`causes`", "a cause of failures has no name", "name each cause");
    const auto checked = CheckAll({{"`causes`", static_cast<double>(cause.count), 0, 1e9},
                                   {"`causes`", cause.printed_share, 0, 1}});
    if (!checked) return checked;
  }
  return {};
}

// Checks combinations of options.
Result<void> CheckTogether(const GoodputModelOptions& o) {
  if ((o.mtbf_per_node_s || o.failures_per_node_day) && !NodesOf(o)) {
    return Wrong("`nodes`", "missing number of nodes: needed with failures per node",
                 "set `nodes` or `chips`");
  }
  if (o.mtbf_per_node_s && o.failures_per_node_day) {
    return Wrong("`mtbf_per_node_s`",
                 "`mtbf_per_node_s` and `failures_per_node_day` state the same", "set one of them");
  }
  if (o.mtbf_s && (o.mtbf_per_node_s || o.failures_per_node_day)) {
    const std::string_view other =
        o.mtbf_per_node_s ? "`mtbf_per_node_s`" : "`failures_per_node_day`";
    return Wrong(other, fmt::format("`mtbf_s` and {} both state the failure rate", other),
                 "set one of them");
  }
  if (o.failures && !o.over_s) {
    return Wrong("`over_s`", "missing time: needed with a number of failures", "set `over_s`");
  }
  if (o.pull_s.value_or(0) + o.compile_s.value_or(0) > o.restart_s.value_or(kLongestS)) {
    return Wrong("`restart_s`", "image pull and compilation exceed the restart that contains them",
                 "set `restart_s` to at least `pull_s` + `compile_s`");
  }
  if (o.capacity_wait_s.value_or(0) > o.reschedule_s) {
    return Wrong("`capacity_wait_s`",
                 "`capacity_wait_s` is longer than `reschedule_s`, which it is part of",
                 "set `reschedule_s` to at least `capacity_wait_s`");
  }
  if (o.standby_machines.empty() != !o.down_probability) {
    return Wrong("`standby_machines`", "`standby_machines` and `down_probability` need each other",
                 "set both");
  }
  return {};
}

}  // namespace

Result<void> CheckOptions(const GoodputModelOptions& options) {
  for (const auto check : {CheckTimes, CheckShares, CheckCounts, CheckLists, CheckTogether}) {
    if (auto checked = check(options); !checked) return checked;
  }
  return {};
}

std::optional<double> NodesOf(const GoodputModelOptions& o) {
  if (o.nodes || !o.chips) return o.nodes;
  return *o.chips / o.chips_per_node;
}

std::optional<double> ChipsOf(const GoodputModelOptions& o) {
  if (o.chips || !o.nodes) return o.chips;
  return *o.nodes * o.chips_per_node;
}

std::optional<double> ModeledMtbfS(const GoodputModelOptions& o) {
  const auto nodes = NodesOf(o);
  if (!nodes) return std::nullopt;
  if (o.mtbf_per_node_s) return *o.mtbf_per_node_s / *nodes;
  if (o.failures_per_node_day) return kDayS / (*o.failures_per_node_day * *nodes);
  return std::nullopt;
}

std::optional<double> FailuresOf(const GoodputModelOptions& o) {
  if (o.failures || o.causes.empty()) return o.failures;
  double sum = 0;
  for (const FailureCause& cause : o.causes) sum += static_cast<double>(cause.count);
  return sum;
}

std::optional<double> ObservedMtbfS(const GoodputModelOptions& o) {
  if (o.observed_mtbf_s) return o.observed_mtbf_s;
  const auto failures = FailuresOf(o);
  if (!o.over_s || !failures || *failures <= 0) return std::nullopt;
  return *o.over_s / *failures;
}

std::optional<double> MtbfS(const GoodputModelOptions& o) {
  if (o.mtbf_s) return o.mtbf_s;
  const auto modeled = ModeledMtbfS(o);
  return modeled ? modeled : ObservedMtbfS(o);
}

bool HasModelInput(const GoodputModelOptions& o) {
  return o.save_s || o.restart_s || o.checkpoint_interval_s || o.mtbf_s;
}

Result<Parameters> ParametersOf(const GoodputModelOptions& o) {
  const auto mtbf_s = MtbfS(o);
  if (!mtbf_s) {
    return Wrong("`mtbf_s`", "missing failure rate",
                 "set `mtbf_s`, or `mtbf_per_node_s` and `nodes`, or `failures` and `over_s`");
  }
  if (!o.save_s) {
    return Wrong("`save_s`", "missing checkpoint save time", "set `save_s`");
  }
  if (!o.restart_s) {
    return Wrong("`restart_s`", "missing restart time", "set `restart_s`");
  }
  Parameters p{.failures_per_s = 1 / *mtbf_s,
               .save_s = *o.save_s,
               .persist_s = o.persist_s,
               .reschedule_s = o.reschedule_s,
               .swap_s = o.swap_s.value_or(o.reschedule_s / kStandbySpeedup),
               .restart_s = *o.restart_s,
               .announced_share = o.announced_share,
               .emergency_save_s = o.emergency_save_s.value_or(*o.save_s + o.persist_s)};
  p.spare_share = SpareShare(o.spares, p.failures_per_s, o.repair_s);
  const auto interval_s = o.checkpoint_interval_s ? o.checkpoint_interval_s : BestIntervalS(p);
  if (!interval_s) {
    return Wrong("`checkpoint_interval_s`",
                 "missing checkpoint interval: no best interval exists for these inputs",
                 "set `checkpoint_interval_s`");
  }
  p.interval_s = *interval_s;
  return p;
}

LeverAssumptions AssumptionsOf(const GoodputModelOptions& o) {
  return {.sigterm_share = o.sigterm_share,
          .pull_s = o.pull_s,
          .pull_speedup = o.pull_speedup,
          .compile_s = o.compile_s,
          .compile_cached_share = o.compile_cached_share,
          .capacity_wait_s = o.capacity_wait_s,
          .spares_now = o.spares,
          .spares = o.lever_spares,
          .repair_s = o.repair_s,
          .save_speedup = o.save_speedup};
}

}  // namespace stepscope::goodput
