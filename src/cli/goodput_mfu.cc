// stepscope goodput mfu: computes MFU and HFU.
#include <memory>
#include <string>

#include "cli/answer.h"
#include "cli/goodput.h"
#include "stepscope/program_goodput.h"

namespace stepscope::cli {
namespace {

struct MfuFlags {
  std::string model;
  ModelShape shape;  // what was given by hand
  bool plain_mlp = false, bidirectional = false;
  ProgramOptions options;
  double step_time_s = 0, tokens_per_step = 0, tflops_per_chip = 0, peak_tflops = 0;
  OutputFlags output;
};

struct Given {
  const char* name;
  double ModelShape::* field;
};
constexpr Given kShape[] = {
    {"--layers", &ModelShape::layers},
    {"--width", &ModelShape::width},
    {"--heads", &ModelShape::heads},
    {"--kv-heads", &ModelShape::kv_heads},
    {"--head-size", &ModelShape::head_size},
    {"--mlp-width", &ModelShape::mlp_width},
    {"--vocabulary", &ModelShape::vocabulary},
    {"--attention-window", &ModelShape::window},
    {"--kv-rank", &ModelShape::kv_rank},
    {"--query-rank", &ModelShape::query_rank},
    {"--rope-size", &ModelShape::rope_size},
    {"--value-size", &ModelShape::value_size},
    {"--experts", &ModelShape::experts},
    {"--expert-layers", &ModelShape::expert_layers},
    {"--experts-per-token", &ModelShape::experts_per_token},
    {"--shared-experts", &ModelShape::shared_experts},
    {"--expert-width", &ModelShape::expert_width},
    {"--parameters", &ModelShape::parameters},
};

Result<ProgramOptions> ToProgramOptions(const MfuFlags& flags) {
  ProgramOptions options = flags.options;
  if (!flags.model.empty()) {
    const auto shape = ReadModelConfig(flags.model);
    if (!shape) return std::unexpected(shape.error());
    options.shape = *shape;
  }
  for (const Given& given : kShape) {
    if (flags.shape.*given.field != 0) options.shape.*given.field = flags.shape.*given.field;
  }
  if (flags.shape.sequence != 0) options.shape.sequence = flags.shape.sequence;
  if (flags.plain_mlp) options.shape.gated_mlp = false;
  if (flags.bidirectional) options.shape.causal = false;
  if (flags.step_time_s > 0) options.tokens_per_second = flags.tokens_per_step / flags.step_time_s;
  options.flops_per_chip = flags.tflops_per_chip * 1e12;
  if (options.tokens_per_second == 0 && options.flops_per_chip == 0) {
    return std::unexpected(
        Error{"missing --tokens-per-second", "",
              "give it, --step-time and --tokens-per-step, or --tflops-per-chip"});
  }
  options.peak_flops = flags.peak_tflops * 1e12;
  return options;
}

int RunMfu(const MfuFlags& flags) {
  const auto options = ToProgramOptions(flags);
  if (!options) return Fail(options.error());
  return PrintAndJudge(ProgramGoodput(*options), flags.output);
}

}  // namespace

void AddGoodputMfu(Command& goodput) {
  auto flags = std::make_shared<MfuFlags>();
  ProgramOptions& options = flags->options;
  Command& command = goodput.Sub("mfu", "Compute a job's MFU and HFU");
  command.Take("--model", flags->model);
  command.Take("--sequence-length", flags->shape.sequence);
  command.Take("--tokens-per-second", options.tokens_per_second);
  command.Take("--step-time", flags->step_time_s)
      .Needs("--tokens-per-step")
      .Excludes("--tokens-per-second");
  command.Take("--tokens-per-step", flags->tokens_per_step).Needs("--step-time");
  command.Take("--tflops-per-chip", flags->tflops_per_chip)
      .Excludes("--tokens-per-second")
      .Excludes("--step-time");
  command.Take("--chips", options.chips);
  command.Take("--chip", options.chip);
  command.Take("--peak-tflops", flags->peak_tflops);
  command.Take("--dtype", options.dtype);
  command.Take("--recompute", options.recompute);
  command.Take("--executed-flops-ratio", options.executed_flops_ratio);
  AddOutput(command, flags->output, "program_goodput.mfu<40%");
  command.Group("Model shape (overrides --model)");
  for (const Given& given : kShape) command.Take(given.name, flags->shape.*given.field);
  command.Switch("--plain-mlp", flags->plain_mlp);
  command.Switch("--bidirectional", flags->bidirectional);
  command.Examples(
      {{"from a model's config",
        "stepscope goodput mfu --model config.json --sequence-length 8192 --tokens-per-second "
        "1.2e6 "
        "--chips 512 --chip H100 --recompute full"},
       {"from step time, with fp8",
        "stepscope goodput mfu --model config.json --step-time 2.1s --tokens-per-step 4.2e6 "
        "--chips 256 --chip 'NVIDIA H100 80GB HBM3' --dtype fp8"},
       {"from the model's size",
        "stepscope goodput mfu --parameters 540.35e9 --layers 118 --heads 48 --head-size 256 "
        "--sequence-length 2048 --bidirectional --tokens-per-second 238300 --chips 6144 "
        "--chip 'TPU v4'"},
       {"from the TFLOP/s that the framework prints",
        "stepscope goodput mfu --tflops-per-chip 420 --chip H100"}});
  command.Notes(
      "Chips with known peaks: V100, T4, A100, H100 (SXM, PCIe, NVL), H200, L40S, B200, GB200, "
      "B300,\n"
      "GB300, MI300X, MI325X, MI355X, TPU v4, v5e, v5p, v6e, TPU7x, Trainium2. Others need\n"
      "--peak-tflops. For packed sequences, --sequence-length is the sum of squared lengths / sum "
      "of\n"
      "lengths.");
  command.Runs([flags] { return RunMfu(*flags); });
}

}  // namespace stepscope::cli
