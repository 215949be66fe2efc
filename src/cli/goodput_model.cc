// stepscope goodput model: what goodput to expect, and what each lever is worth.
#include "stepscope/goodput_model.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "cli/answer.h"
#include "cli/goodput.h"

namespace stepscope::cli {
namespace {

constexpr const char* kExamples = R"(
Times are seconds, or 30m, 1h30m, 1000d. Shares are 0.1 or 10%.

Examples:
  stepscope goodput model --mtbf 11135 --save-time 60s --restart-time 10m
  stepscope goodput model --fit job.jsonl.gz --chips 512 --price-per-chip-hour 2.50
  stepscope goodput model --fit-store ledger --fit-job NAME
  stepscope goodput model --mtbf-per-node 1000d --nodes 2048 --save-time 30s --restart-time 5m \
      --checkpoint-interval 30m --price-per-chip-hour 2.50
  stepscope goodput model --failures 419 --over 54d --chips 16384 --save-time 10s --restart-time 10m \
      --pull-time 2m --compile-time 3m
  stepscope goodput model --failures-per-node-day 0.0065 --chips 1024 --observed-mtbf 7.9h
  stepscope goodput model --parameters 540.35e9 --layers 118 --heads 48 --head-dim 256 \
      --sequence-length 2048 --tokens-per-second 238300 --chips 6144 --peak-tflops 275
)";

struct ModelFlags {
  GoodputModelOptions options;
  GoodputReportOptions fit;  // no files, no store: nothing to fit to
  OutputFlags output;
  std::vector<std::string> fail_on;
};

using Read = Result<double> (*)(std::string_view);

// Adds options of one kind after the other to one group of the help.
class Group {
 public:
  Group(CLI::App& command, const char* name) : command_(command), name_(name) {}

  template <class Number>  // double, or optional
  Group& Time(const char* flag, Number& into, const char* message) {
    return One(flag, into, message, "TIME", ReadDuration);
  }
  template <class Number>
  Group& Share(const char* flag, Number& into, const char* message) {
    return One(flag, into, message, "SHARE", ReadShare);
  }
  template <class Number>
  Group& Count(const char* flag, Number& into, const char* message) {
    return One(flag, into, message, "N", ReadNumber);
  }
  template <class Integer>
  Group& Whole(const char* flag, Integer& into, const char* message) {
    command_.add_option(flag, into, message)->option_text("N")->group(name_);
    return *this;
  }
  Group& Times(const char* flag, std::vector<double>& into, const char* message) {
    return Many(flag, into, message, "TIME,...", ReadDuration);
  }
  Group& Shares(const char* flag, std::vector<double>& into, const char* message) {
    return Many(flag, into, message, "SHARE,...", ReadShare);
  }

  static double Value(const char* flag, const std::string& text, Read read) {
    const auto value = read(text);
    if (!value) throw CLI::ValidationError(flag, value.error().what + "; " + value.error().hint);
    return *value;
  }

 private:
  template <class Number>
  Group& One(const char* flag, Number& into, const char* message, const char* type, Read read) {
    command_
        .add_option_function<std::string>(
            flag, [flag, &into, read](const std::string& text) { into = Value(flag, text, read); },
            message)
        ->option_text(type)
        ->group(name_);
    return *this;
  }

  Group& Many(const char* flag, std::vector<double>& into, const char* message, const char* type,
              Read read) {
    command_
        .add_option_function<std::vector<std::string>>(
            flag,
            [flag, &into, read](const std::vector<std::string>& texts) {
              for (const std::string& text : texts) into.push_back(Value(flag, text, read));
            },
            message)
        ->delimiter(',')
        ->option_text(type)
        ->group(name_);
    return *this;
  }

  CLI::App& command_;
  const char* name_;
};

// "gpu/memory=72:17.2%"
FailureCause ReadCause(const std::string& text) {
  constexpr const char* kFlag = "--cause";
  const size_t equals = text.rfind('=');
  if (equals == text.npos) {
    throw CLI::ValidationError(kFlag,
                               "cannot read '" + text + "'; write it as NAME=N or NAME=N:10%");
  }
  FailureCause cause{.name = text.substr(0, equals)};
  std::string count = text.substr(equals + 1);
  if (const size_t colon = count.find(':'); colon != count.npos) {
    cause.printed_share = Group::Value(kFlag, count.substr(colon + 1), ReadShare);
    count.resize(colon);
  }
  const double number = Group::Value(kFlag, count, ReadNumber);
  if (!(number >= 0 && number <= 1e9)) {
    throw CLI::ValidationError(kFlag, "'" + count + "' is no number of failures");
  }
  cause.count = static_cast<int64_t>(number);
  return cause;
}

void AddFailures(CLI::App& command, GoodputModelOptions& o) {
  Group(command, "How often the job fails")
      .Time("--mtbf", o.mtbf_s, "Mean time between failures of the whole job (M)")
      .Time("--mtbf-per-node", o.mtbf_per_node_s, "The same of one node; needs --nodes or --chips")
      .Count("--failures-per-node-day", o.failures_per_node_day,
             "Failures of one node in a day (r_f); needs --nodes or --chips")
      .Count("--failures", o.failures, "Failures that were counted; needs --over")
      .Time("--over", o.over_s, "The time they were counted in")
      .Time("--observed-mtbf", o.observed_mtbf_s, "Observed time between failures, to compare")
      .Count("--nodes", o.nodes, "Nodes of the job")
      .Count("--chips", o.chips, "Chips of the job")
      .Count("--chips-per-node", o.chips_per_node, "Chips of a node [8]");
  command
      .add_option_function<std::vector<std::string>>(
          "--cause",
          [&o](const std::vector<std::string>& causes) {
            for (const std::string& cause : causes) o.causes.push_back(ReadCause(cause));
          },
          "Failures by cause, and the share printed for it: gpu/memory=72:17.2%; all before a / "
          "are a "
          "group")
      ->delimiter(',')
      ->option_text("NAME=N[:SHARE],...")
      ->group("How often the job fails");
}

void AddFit(CLI::App& command, GoodputReportOptions& fit) {
  const char* group = "Measured in a job, where it is not given";
  command.add_option("--fit", fit.files, "The job's events, as of 'goodput report --events'")
      ->type_name("FILE")
      ->group(group);
  command
      .add_option("--fit-store", fit.store, "The same of a ledger: a folder, or postgresql://...")
      ->option_text("LEDGER")
      ->group(group);
  command.add_option("--fit-job", fit.job, "The job, where the events are of several")
      ->option_text("NAME")
      ->group(group);
  command
      .add_option("--fit-scheduler", fit.scheduler_files, "What its scheduler printed, for queues")
      ->type_name("FILE")
      ->group(group);
}

void AddCosts(CLI::App& command, GoodputModelOptions& o) {
  Group(command, "Checkpoints")
      .Time("--checkpoint-interval", o.checkpoint_interval_s,
            "Work from one save to the next (tau) [the best there is]")
      .Time("--save-time", o.save_s, "For how long a save blocks the job (w)")
      .Time("--persist-time", o.persist_s, "Until it is durable after that, in the background [0]")
      .Share("--announced-share", o.announced_share, "Failures heard of in time to save [0]")
      .Time("--emergency-save-time", o.emergency_save_s,
            "How long that save takes [--save-time and --persist-time]");
  Group(command, "Restarts")
      .Time("--restart-time", o.restart_s, "From having nodes to the first step (u0, t_rm)")
      .Time("--reschedule-time", o.reschedule_s,
            "Until there are nodes again, without a spare (t_re) [0]")
      .Whole("--spares", o.spares, "Nodes kept as hot spares [0]")
      .Time("--swap-time", o.swap_s,
            "Until a spare has taken over [--reschedule-time / 10.87, ByteRobust]")
      .Time("--repair-time", o.repair_s, "Until a failed node is a spare again [1d, assumed]");
}

void AddLevers(CLI::App& command, GoodputModelOptions& o) {
  Group(command, "Levers: what each changes")
      .Share("--sigterm-share", o.sigterm_share,
             "Failures a checkpoint on SIGTERM catches [10.1%: planned ones of Llama 3]")
      .Time("--pull-time", o.pull_s, "Of --restart-time: pulling the container image")
      .Count("--pull-speedup", o.pull_speedup, "Of a preloaded image [29: 16 GB, Google Cloud]")
      .Time("--compile-time", o.compile_s, "Of --restart-time: compiling")
      .Share("--compile-cached-share", o.compile_cached_share,
             "Of it that a persistent cache saves [100%: at most]")
      .Time("--capacity-wait", o.capacity_wait_s,
            "Of --reschedule-time: waiting for capacity, which a reservation saves")
      .Whole("--lever-spares", o.lever_spares, "Hot spares to try [enough for 99 % of failures]")
      .Count("--save-speedup", o.save_speedup,
             "Of faster saves [23.6: asynchronous, PyTorch and IBM]");
  Group(command, "Money, aims and dice")
      .Count("--price-per-chip-hour", o.price_per_chip_hour, "In any currency; needs --chips")
      .Share("--target", o.target_goodput, "Goodput aimed at: says what a failure may cost")
      .Whole("--seed", o.seed, "Of the simulation: same seed, same answer [1]")
      .Whole("--simulated-failures", o.simulated_failures, "How many to play [200000]");
}

void AddProgram(CLI::App& command, GoodputModelOptions& o) {
  Group(command, "Program goodput")
      .Count("--parameters", o.parameters, "Parameters of a dense transformer (N)")
      .Count("--layers", o.layers, "Its layers (L)")
      .Count("--heads", o.heads, "Its attention heads (H)")
      .Count("--head-dim", o.head_dim, "Dimension of a head (Q)")
      .Count("--sequence-length", o.sequence_length, "Tokens of a sequence (T)")
      .Count("--tokens-per-second", o.tokens_per_second, "Of all chips together; needs --chips")
      .Count("--tflops-per-chip", o.tflops_per_chip, "Achieved, where the framework prints it")
      .Count("--peak-tflops", o.peak_tflops, "What a chip can do at most, dense")
      .Count("--executed-flops-ratio", o.executed_flops_ratio,
             "FLOPs executed with recomputation / of the model: gives HFU");
}

void AddEvidence(CLI::App& command, GoodputModelOptions& o) {
  Group(command, "What became of chip time")
      .Time("--capacity-chip-time", o.capacity_chip_s, "Chip time there was")
      .Time("--allocated-chip-time", o.allocated_chip_s, "With all chips of the job up")
      .Time("--saved-chip-time", o.saved_chip_s, "Of progress that a checkpoint saved")
      .Share("--program-goodput", o.program_goodput, "Ideal over actual time of the program")
      .Time("--wasted-chip-time", o.wasted_chip_s, "Wasted; needs --chips and --over")
      .Count("--steps-tried", o.steps_tried, "Steps begun")
      .Count("--steps-committed", o.steps_committed, "Steps that counted")
      .Count("--replicas", o.replicas, "Replica groups of the job")
      .Count("--mean-replicas", o.mean_replicas, "Of these, healthy on average");
  Group group(command, "Before and after, standby machines");
  group.Times("--restart-before", o.restart_before_s, "Restarts before a change")
      .Times("--restart-after", o.restart_after_s, "The same restarts after it")
      .Times("--save-before", o.save_before_s, "Blocking saves before a change")
      .Times("--save-after", o.save_after_s, "The same saves after it")
      .Shares("--relative-mfu", o.relative_mfu, "MFU after, of that before")
      .Share("--down-probability", o.down_probability, "Of one machine at any time")
      .Share("--standby-share", o.standby_share, "Of the time that standbys must suffice [99%]");
  command.add_option("--standby-machines", o.standby_machines, "Sizes of jobs, in machines")
      ->delimiter(',')
      ->option_text("N,...")
      ->group("Before and after, standby machines");
}

int Run(const ModelFlags& flags) {
  const auto conditions = ReadConditions(flags.fail_on);
  if (!conditions) return Fail(conditions.error());
  GoodputModelOptions options = flags.options;
  if (!flags.fit.files.empty() || !flags.fit.store.empty()) {
    auto fitted = FitGoodputModel(flags.fit, options);
    if (!fitted) return Fail(fitted.error());
    options = std::move(*fitted);
  }
  const auto answer = ModelGoodput(options);
  if (!answer) return Fail(answer.error());
  return PrintAndJudge(*answer, flags.output, *conditions);
}

}  // namespace

void AddGoodputModel(CLI::App& goodput, Command& chosen) {
  auto flags = std::make_shared<ModelFlags>();
  CLI::App* command = goodput.add_subcommand(
      "model", "Say what goodput to expect, and what each improvement is worth");
  command->footer(kExamples);
  AddFit(*command, flags->fit);
  AddFailures(*command, flags->options);
  AddCosts(*command, flags->options);
  AddLevers(*command, flags->options);
  AddProgram(*command, flags->options);
  AddEvidence(*command, flags->options);
  AddOutput(*command, flags->output, flags->fail_on);
  command->callback([flags, &chosen] { chosen = [flags] { return Run(*flags); }; });
}

}  // namespace stepscope::cli
