// Checking and completing what was asked.
#include "goodput/model/model_question.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

#include "goodput/model/checkpoint_interval.h"
#include "goodput/model/spares.h"
#include "goodput/report/say.h"

namespace stepscope::goodput {
namespace {

constexpr double kLongestS = 100 * 365.25 * 86400;  // nothing in nanoseconds overflows
constexpr double kMost = 1e30;                      // of FLOPs and chip seconds
constexpr double kStandbySpeedup = 10.87;           // warm standby over requeue, arXiv 2509.16293
constexpr double kDayS = 86400;

std::unexpected<Error> Wrong(std::string_view option, std::string what, std::string hint = "") {
  return std::unexpected(Error{std::move(what), std::string(option), std::move(hint)});
}

// A number and where it must lie.
struct Bounded {
  std::string_view option;
  std::optional<double> value;
  double low, high;
  bool above_low = false;  // more than `low`, not as much
};

Result<void> Check(const Bounded& b) {
  if (!b.value) return {};
  const double value = *b.value;
  const bool is_high_enough = b.above_low ? value > b.low : value >= b.low;
  if (std::isfinite(value) && is_high_enough && value <= b.high) return {};
  return Wrong(b.option,
               fmt::format("{} is out of range: {} must be {} {} and at most {}", value, b.option,
                           b.above_low ? "more than" : "at least", b.low, b.high));
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
  return CheckAll({positive("--mtbf", o.mtbf_s), positive("--mtbf-per-node", o.mtbf_per_node_s),
                   positive("--over", o.over_s), positive("--observed-mtbf", o.observed_mtbf_s),
                   positive("--checkpoint-interval", o.checkpoint_interval_s),
                   time("--save-time", o.save_s), time("--persist-time", o.persist_s),
                   time("--emergency-save-time", o.emergency_save_s),
                   time("--restart-time", o.restart_s), time("--reschedule-time", o.reschedule_s),
                   time("--swap-time", o.swap_s), time("--repair-time", o.repair_s),
                   time("--pull-time", o.pull_s), time("--compile-time", o.compile_s),
                   time("--capacity-wait", o.capacity_wait_s)});
}

Result<void> CheckShares(const GoodputModelOptions& o) {
  const auto share = [](std::string_view option, std::optional<double> value) {
    return Bounded{option, value, 0, 1};
  };
  return CheckAll({share("--announced-share", o.announced_share),
                   share("--sigterm-share", o.sigterm_share),
                   share("--compile-cached-share", o.compile_cached_share),
                   share("--target", o.target_goodput),
                   share("--down-probability", o.down_probability),
                   share("--program-goodput", o.program_goodput),
                   {"--standby-share", o.standby_share, 0, 0.999999},
                   {"--pull-speedup", o.pull_speedup, 1, 1e6},
                   {"--save-speedup", o.save_speedup, 1, 1e6}});
}

Result<void> CheckCounts(const GoodputModelOptions& o) {
  const auto count = [](std::string_view option, std::optional<double> value, double most = 1e9) {
    return Bounded{option, value, 0, most, true};
  };
  const auto number = [](int64_t value) { return static_cast<double>(value); };
  const std::optional<double> lever_spares =
      o.lever_spares ? std::optional(number(*o.lever_spares)) : std::nullopt;
  return CheckAll({count("--nodes", o.nodes),
                   count("--chips", o.chips),
                   count("--chips-per-node", o.chips_per_node),
                   {"--failures", o.failures, 0, 1e9},
                   {"--failures-per-node-day", o.failures_per_node_day, 0, 1e6, true},
                   {"--spares", number(o.spares), 0, 1e5},
                   {"--lever-spares", lever_spares, 0, 1e5},
                   {"--price-per-chip-hour", o.price_per_chip_hour, 0, 1e6},
                   {"--simulated-failures", number(o.simulated_failures), 1000, 1e7},
                   count("--parameters", o.parameters, kMost),
                   count("--layers", o.layers),
                   count("--heads", o.heads),
                   count("--head-dim", o.head_dim),
                   count("--sequence-length", o.sequence_length),
                   count("--tokens-per-second", o.tokens_per_second, kMost),
                   count("--tflops-per-chip", o.tflops_per_chip),
                   count("--peak-tflops", o.peak_tflops),
                   {"--executed-flops-ratio", o.executed_flops_ratio, 1, 100},
                   count("--capacity-chip-time", o.capacity_chip_s, kMost),
                   {"--allocated-chip-time", o.allocated_chip_s, 0, kMost},
                   {"--saved-chip-time", o.saved_chip_s, 0, kMost},
                   {"--wasted-chip-time", o.wasted_chip_s, 0, kMost},
                   count("--steps-tried", o.steps_tried, kMost),
                   {"--steps-committed", o.steps_committed, 0, kMost},
                   count("--replicas", o.replicas),
                   {"--mean-replicas", o.mean_replicas, 0, 1e9}});
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
  for (const auto& [option, values] : std::to_array<List>({{"--restart-before", o.restart_before_s},
                                                           {"--restart-after", o.restart_after_s},
                                                           {"--save-before", o.save_before_s},
                                                           {"--save-after", o.save_after_s}})) {
    if (auto checked = CheckList(option, values, 0, kLongestS); !checked) return checked;
  }
  if (o.restart_before_s.size() != o.restart_after_s.size()) {
    return Wrong("--restart-after", "--restart-after needs as many numbers as --restart-before");
  }
  if (o.save_before_s.size() != o.save_after_s.size()) {
    return Wrong("--save-after", "--save-after needs as many numbers as --save-before");
  }
  if (auto checked = CheckList("--relative-mfu", o.relative_mfu, 0, 2); !checked) return checked;
  for (const int64_t machines : o.standby_machines) {
    const Bounded bounded{"--standby-machines", static_cast<double>(machines), 1, 1e6};
    if (auto checked = Check(bounded); !checked) return checked;
  }
  for (const FailureCause& cause : o.causes) {
    if (cause.name.empty()) return Wrong("--cause", "a cause of failures has no name");
    const auto checked = CheckAll({{"--cause", static_cast<double>(cause.count), 0, 1e9},
                                   {"--cause", cause.printed_share, 0, 1}});
    if (!checked) return checked;
  }
  return {};
}

// What makes no sense without, or beside, something else.
Result<void> CheckTogether(const GoodputModelOptions& o) {
  if ((o.mtbf_per_node_s || o.failures_per_node_day) && !NodesOf(o)) {
    return Wrong("--nodes", "how often a node fails says nothing without the number of nodes",
                 "add --nodes or --chips");
  }
  if (o.mtbf_per_node_s && o.failures_per_node_day) {
    return Wrong("--mtbf-per-node", "--failures-per-node-day says the same in other words",
                 "leave one of them out");
  }
  if (o.failures && !o.over_s) {
    return Wrong("--over", "a number of failures says nothing without the time they came in",
                 "add --over 54d");
  }
  if (o.pull_s.value_or(0) + o.compile_s.value_or(0) > o.restart_s.value_or(kLongestS)) {
    return Wrong("--restart-time",
                 "pulling and compiling take longer than the restart they are part of");
  }
  if (o.capacity_wait_s.value_or(0) > o.reschedule_s) {
    return Wrong("--capacity-wait",
                 "--capacity-wait is longer than --reschedule-time, which it is part of");
  }
  if (o.standby_machines.empty() != !o.down_probability) {
    return Wrong("--standby-machines", "--standby-machines goes with --down-probability",
                 "give both");
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

std::optional<double> ModelledMtbfS(const GoodputModelOptions& o) {
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
  const auto modelled = ModelledMtbfS(o);
  return modelled ? modelled : ObservedMtbfS(o);
}

bool AsksForModel(const GoodputModelOptions& o) {
  return o.save_s || o.restart_s || o.checkpoint_interval_s || o.mtbf_s;
}

Result<Parameters> ParametersOf(const GoodputModelOptions& o) {
  const auto mtbf_s = MtbfS(o);
  if (!mtbf_s) {
    return Wrong(
        "--mtbf", "how often does the job fail?",
        "add --mtbf 3h, or --mtbf-per-node 1000d --nodes 2048, or --failures 419 --over 54d");
  }
  if (!o.save_s) {
    return Wrong("--save-time", "for how long does a save block the job?", "add --save-time 60s");
  }
  if (!o.restart_s) {
    return Wrong("--restart-time", "how long does a restart take once there are nodes?",
                 "add --restart-time 10m");
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
    return Wrong("--checkpoint-interval", "these numbers have no best checkpoint interval to take",
                 "add --checkpoint-interval 30m");
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
