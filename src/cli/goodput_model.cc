// stepscope goodput model: a subcommand for each question.
#include "stepscope/goodput_model.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "cli/answer.h"
#include "cli/goodput.h"

namespace stepscope::cli {
namespace {

struct ModelFlags {
  GoodputModelOptions options;
  GoodputReportOptions events;  // no files, no store: nothing to fit to
  bool needs_events = false;
  OutputFlags output;
};

int RunModel(const ModelFlags& flags) {
  GoodputModelOptions options = flags.options;
  if (flags.needs_events || !flags.events.files.empty() || !flags.events.store.empty()) {
    auto fitted = FitGoodputModel(flags.events, options);
    if (!fitted) return Fail(fitted.error());
    options = std::move(*fitted);
  }
  return PrintAndJudge(ModelGoodput(options), flags.output);
}

// "gpu/memory=72:17.2%"
Result<FailureCause> ReadCause(const std::string& text) {
  const size_t equals = text.rfind('=');
  if (equals == text.npos) {
    return std::unexpected(
        Error{"cannot read the cause '" + text + "'", "", "write it as NAME=N or NAME=N:10%"});
  }
  FailureCause cause{.name = text.substr(0, equals)};
  std::string count = text.substr(equals + 1);
  if (const size_t colon = count.find(':'); colon != count.npos) {
    const auto share = ReadShare(count.substr(colon + 1));
    if (!share) return std::unexpected(share.error());
    cause.printed_share = *share;
    count.resize(colon);
  }
  const auto number = ReadNumber(count);
  if (!number) return std::unexpected(number.error());
  if (!(*number >= 0 && *number <= 1e9)) {
    return std::unexpected(Error{"'" + count + "' is not a number of failures", "", "0 to 1e9"});
  }
  cause.count = static_cast<int64_t>(*number);
  return cause;
}

void AddRate(Command& command, GoodputModelOptions& o) {
  command.Group("How often the job fails");
  command.Take("--mtbf", o.mtbf_s);
  command.Take("--mtbf-per-node", o.mtbf_per_node_s);
  command.Take("--failures-per-node-day", o.failures_per_node_day);
  command.Take("--failures", o.failures);
  command.Take("--over", o.over_s);
}

void AddSize(Command& command, GoodputModelOptions& o) {
  command.Group("Size of the job");
  command.Take("--nodes", o.nodes);
  command.Take("--chips", o.chips);
  command.Take("--chips-per-node", o.chips_per_node);
}

void AddEvents(Command& command, GoodputReportOptions& events) {
  command.Take("--events", events.files);
  command.Take("--store", events.store).Excludes("--events");
  command.Take("--job", events.job);
  command.Take("--scheduler", events.scheduler_files);
}

void AddCosts(Command& command, GoodputModelOptions& o) {
  command.Group("Checkpoints");
  command.Take("--checkpoint-interval", o.checkpoint_interval_s);
  command.Take("--save-time", o.save_s);
  command.Take("--persist-time", o.persist_s);
  command.Take("--announced-share", o.announced_share);
  command.Take("--emergency-save-time", o.emergency_save_s);
  command.Group("Restarts");
  command.Take("--restart-time", o.restart_s);
  command.Take("--reschedule-time", o.reschedule_s);
  command.Take("--spares", o.spares);
  command.Take("--swap-time", o.swap_s);
  command.Take("--repair-time", o.repair_s);
}

void AddMoney(Command& command, GoodputModelOptions& o) {
  command.Group("");
  command.Take("--price-per-chip-hour", o.price_per_chip_hour);
  command.Take("--target", o.target_goodput);
  command.Take("--seed", o.seed);
  command.Take("--simulated-failures", o.simulated_failures);
}

using Flags = std::shared_ptr<ModelFlags>;

Command& Question(Command& model, const char* name, const char* about, const Flags& flags,
                  ModelQuestion question = ModelQuestion::kExpected) {
  flags->options.question = question;
  Command& command = model.Sub(name, about);
  command.Runs([flags] { return RunModel(*flags); });
  return command;
}

void AddExpect(Command& model) {
  auto flags = std::make_shared<ModelFlags>();
  GoodputModelOptions& o = flags->options;
  Command& command =
      Question(model, "expect", "Estimate goodput and the best checkpoint interval", flags);
  AddRate(command, o);
  AddSize(command, o);
  AddCosts(command, o);
  AddMoney(command, o);
  AddOutput(command, flags->output, "goodput_model.goodput<90%");
  command.Examples(
      {{"from the job's failure rate",
        "stepscope goodput model expect --mtbf 11135 --save-time 60s --restart-time 10m"},
       {"from its nodes', with a price",
        "stepscope goodput model expect --mtbf-per-node 1000d --nodes 2048 --save-time 30s "
        "--restart-time 5m --checkpoint-interval 30m --price-per-chip-hour 2.50"}});
}

void AddFit(Command& model) {
  auto flags = std::make_shared<ModelFlags>();
  GoodputModelOptions& o = flags->options;
  flags->needs_events = true;
  Command& command = Question(model, "fit", "Model a job from its own events", flags);
  AddEvents(command, flags->events);
  AddMoney(command, o);
  AddOutput(command, flags->output, "goodput_model.goodput<90%");
  AddRate(command, o);
  AddSize(command, o);
  AddCosts(command, o);
  command.Examples(
      {{"a job's log, with a price",
        "stepscope goodput model fit --events job.jsonl.gz --chips 512 --price-per-chip-hour 2.50"},
       {"a job of a ledger", "stepscope goodput model fit --store ledger --job NAME"}});
  command.Notes("Given numbers replace measured ones.");
}

void AddWhatIf(Command& model) {
  auto flags = std::make_shared<ModelFlags>();
  GoodputModelOptions& o = flags->options;
  Command& command =
      Question(model, "what-if", "Estimate the goodput that each improvement adds", flags);
  AddEvents(command, flags->events);
  AddMoney(command, o);
  AddOutput(command, flags->output, "goodput_model.goodput<90%");
  command.Group("Improvements");
  command.Take("--sigterm-share", o.sigterm_share);
  command.Take("--pull-time", o.pull_s);
  command.Take("--pull-speedup", o.pull_speedup);
  command.Take("--compile-time", o.compile_s);
  command.Take("--compile-cached-share", o.compile_cached_share);
  command.Take("--capacity-wait", o.capacity_wait_s);
  command.Take("--lever-spares", o.lever_spares);
  command.Take("--save-speedup", o.save_speedup);
  AddRate(command, o);
  AddSize(command, o);
  AddCosts(command, o);
  command.Examples(
      {{"image pulls and compilation",
        "stepscope goodput model what-if --failures 419 --over 54d --chips 16384 --save-time 10s "
        "--restart-time 10m --pull-time 2m --compile-time 3m"},
       {"faster saves in a measured job",
        "stepscope goodput model what-if --events job.jsonl.gz --save-speedup 10"}});
}

void AddFailures(Command& model) {
  auto flags = std::make_shared<ModelFlags>();
  GoodputModelOptions& o = flags->options;
  Command& command = Question(model, "failures", "Compare observed and modeled failures, by cause",
                              flags, ModelQuestion::kFailures);
  command.Take("--failures", o.failures);
  command.Take("--over", o.over_s);
  command.Take("--observed-mtbf", o.observed_mtbf_s);
  command.Take("--mtbf-per-node", o.mtbf_per_node_s);
  command.Take("--failures-per-node-day", o.failures_per_node_day);
  command.TakeEach("--cause", [&o](const std::string& text) -> Result<void> {
    auto cause = ReadCause(text);
    if (!cause) return std::unexpected(cause.error());
    o.causes.push_back(std::move(*cause));
    return {};
  });
  command.Take("--target", o.target_goodput);
  AddOutput(command, flags->output, "goodput_failures.observed_mtbf<3h");
  AddSize(command, o);
  command.Examples(
      {{"observed and modeled",
        "stepscope goodput model failures --failures-per-node-day 0.0065 --chips 1024 "
        "--observed-mtbf 7.9h"},
       {"by cause",
        "stepscope goodput model failures --cause gpu/memory=72:17.2%,gpu/faulty=148:30.1%"}});
  command.Notes("Causes with the same name before a / are summed as a group.");
}

void AddSpares(Command& model) {
  auto flags = std::make_shared<ModelFlags>();
  GoodputModelOptions& o = flags->options;
  Command& command = Question(model, "spares", "Compute how many standby machines suffice", flags,
                              ModelQuestion::kSpares);
  command.Take("--standby-machines", o.standby_machines).Required();
  command.Take("--down-probability", o.down_probability).Required();
  command.Take("--standby-share", o.standby_share);
  AddOutput(command, flags->output, "goodput_spares.standby>8");
  command.Examples({{"jobs of 128 to 1024 machines",
                     "stepscope goodput model spares --standby-machines 128,512,1024 "
                     "--down-probability 0.12%"}});
}

void AddFleet(Command& model) {
  auto flags = std::make_shared<ModelFlags>();
  GoodputModelOptions& o = flags->options;
  Command& command = Question(model, "fleet", "Compute goodput from chip time or steps", flags,
                              ModelQuestion::kFleet);
  command.Take("--capacity-chip-time", o.capacity_chip_s);
  command.Take("--allocated-chip-time", o.allocated_chip_s);
  command.Take("--saved-chip-time", o.saved_chip_s);
  command.Take("--program-goodput", o.program_goodput);
  command.Take("--wasted-chip-time", o.wasted_chip_s);
  command.Take("--chips", o.chips);
  command.Take("--over", o.over_s).Help("Time to which --wasted-chip-time belongs");
  command.Take("--steps-tried", o.steps_tried);
  command.Take("--steps-committed", o.steps_committed);
  command.Take("--replicas", o.replicas);
  command.Take("--mean-replicas", o.mean_replicas);
  AddOutput(command, flags->output, "goodput_product.product<30%");
  command.Examples(
      {{"scheduling x runtime x program goodput",
        "stepscope goodput model fleet --capacity-chip-time 1000h --allocated-chip-time 900h "
        "--saved-chip-time 800h --program-goodput 40%"}});
}

void AddGains(Command& model) {
  auto flags = std::make_shared<ModelFlags>();
  GoodputModelOptions& o = flags->options;
  Command& command = Question(model, "gains", "Compare measurements before and after a change",
                              flags, ModelQuestion::kGains);
  command.Take("--restart-before", o.restart_before_s);
  command.Take("--restart-after", o.restart_after_s);
  command.Take("--save-before", o.save_before_s);
  command.Take("--save-after", o.save_after_s);
  command.Take("--relative-mfu", o.relative_mfu);
  AddOutput(command, flags->output, "goodput_gains.restart_speedup<2");
  command.Examples(
      {{"two restarts, pair by pair",
        "stepscope goodput model gains --restart-before 10m,12m --restart-after 55s,70s"}});
}

}  // namespace

void AddGoodputModel(Command& goodput) {
  Command& model = goodput.Sub("model", "Model goodput: expected, improved, spares, failures");
  model.Examples(
      {{"what goodput to expect",
        "stepscope goodput model expect --mtbf 3h --save-time 60s --restart-time 10m"},
       {"the same from a job's events", "stepscope goodput model fit --events job.jsonl.gz"}});
  AddExpect(model);
  AddFit(model);
  AddWhatIf(model);
  AddFailures(model);
  AddSpares(model);
  AddFleet(model);
  AddGains(model);
}

}  // namespace stepscope::cli
