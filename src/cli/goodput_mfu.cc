// stepscope goodput mfu: how much of what its chips could do a job does.
#include <memory>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "cli/answer.h"
#include "cli/goodput.h"
#include "stepscope/program_goodput.h"

namespace stepscope::cli {
namespace {

constexpr const char* kExamples = R"(
Chips whose peaks are known: V100, T4, A100, H100 (SXM, PCIe, NVL), H200, B200, GB200, MI300X, MI325X,
TPU v4, v5e, v5p, v6e. Others need --peak-tflops.

Examples:
  stepscope goodput mfu --config config.json --sequence 8192 --tokens-per-second 1.2e6 \
      --chips 512 --chip H100 --recompute full
  stepscope goodput mfu --layers 32 --width 4096 --heads 32 --kv-heads 8 --mlp-width 14336 \
      --vocabulary 128256 --sequence 8192 --step-time 2.1s --tokens-per-step 4.2e6 --chips 256 \
      --chip 'NVIDIA H100 80GB HBM3' --dtype fp8
  stepscope goodput mfu --parameters 540.35e9 --layers 118 --heads 48 --head-size 256 \
      --sequence 2048 --bidirectional --tokens-per-second 238300 --chips 6144 --chip 'TPU v4'
)";

struct MfuFlags {
  std::string config;
  ModelShape shape;  // what was given by hand
  bool plain_mlp = false, bidirectional = false;
  ProgramOptions options;
  double step_time_s = 0, tokens_per_step = 0, peak_tflops = 0;
  OutputFlags output;
  std::vector<std::string> fail_on;
};

struct Given {
  const char* flag;
  double ModelShape::* field;
  const char* message;
};
constexpr Given kShape[] = {
    {"--layers", &ModelShape::layers, "Layers"},
    {"--width", &ModelShape::width, "Width of the model (hidden size)"},
    {"--heads", &ModelShape::heads, "Heads of attention"},
    {"--kv-heads", &ModelShape::kv_heads, "Heads of keys and values, if fewer"},
    {"--head-size", &ModelShape::head_size, "Size of a head, if not width / heads"},
    {"--kv-rank", &ModelShape::kv_rank, "Latent attention (MLA): rank of keys and values"},
    {"--query-rank", &ModelShape::query_rank, "... rank of queries, if they have one"},
    {"--rope-size", &ModelShape::rope_size, "... a head's part for positions, beside its size"},
    {"--value-size", &ModelShape::value_size, "... size of a head's values"},
    {"--mlp-width", &ModelShape::mlp_width, "Width of the MLP (intermediate size)"},
    {"--vocabulary", &ModelShape::vocabulary, "Size of the vocabulary"},
    {"--sequence", &ModelShape::sequence,
     "Tokens in a sequence; packed: sum of squared lengths / sum of lengths"},
    {"--window", &ModelShape::window, "Keys in a sliding window of attention"},
    {"--experts", &ModelShape::experts, "Experts of a layer"},
    {"--expert-layers", &ModelShape::expert_layers, "Layers with experts, if not all"},
    {"--experts-per-token", &ModelShape::experts_per_token, "Experts chosen for a token"},
    {"--shared-experts", &ModelShape::shared_experts, "Experts that all tokens meet"},
    {"--expert-width", &ModelShape::expert_width, "Width of an expert, if not that of the MLP"},
    {"--parameters", &ModelShape::parameters,
     "Parameters that a token meets, without the embedding: instead of what the matrices sum to"},
};

Result<ProgramOptions> ToOptions(const MfuFlags& flags) {
  ProgramOptions options = flags.options;
  if (!flags.config.empty()) {
    const auto shape = ReadModelConfig(flags.config);
    if (!shape) return std::unexpected(shape.error());
    options.shape = *shape;
  }
  for (const Given& given : kShape) {
    if (flags.shape.*given.field != 0) options.shape.*given.field = flags.shape.*given.field;
  }
  if (flags.plain_mlp) options.shape.gated_mlp = false;
  if (flags.bidirectional) options.shape.causal = false;
  if (flags.step_time_s > 0) options.tokens_per_second = flags.tokens_per_step / flags.step_time_s;
  options.peak_flops = flags.peak_tflops * 1e12;
  return options;
}

int Run(const MfuFlags& flags) {
  const auto conditions = ReadConditions(flags.fail_on);
  if (!conditions) return Fail(conditions.error());
  const auto options = ToOptions(flags);
  if (!options) return Fail(options.error());
  const auto answer = ProgramGoodput(*options);
  if (!answer) return Fail(answer.error());
  return PrintAndJudge(*answer, flags.output, *conditions);
}

// An option that takes a number as people write it: 1.2e6, 2.1s.
void AddNumber(CLI::App& command, const char* flag, double& into, const char* message,
               Result<double> (*read)(std::string_view) = ReadNumber) {
  command
      .add_option_function<std::string>(
          flag,
          [flag, &into, read](const std::string& text) {
            const auto value = read(text);
            if (!value) {
              throw CLI::ValidationError(flag, value.error().what + "; " + value.error().hint);
            }
            into = *value;
          },
          message)
      ->option_text(read == ReadNumber ? "N" : "TIME");
}

}  // namespace

void AddGoodputMfu(CLI::App& goodput, Command& chosen) {
  auto flags = std::make_shared<MfuFlags>();
  CLI::App* command =
      goodput.add_subcommand("mfu", "Say how much of what its chips could do a job does: MFU, HFU");
  command->footer(kExamples);
  command->add_option("--config", flags->config, "The model's config.json, as on Hugging Face")
      ->type_name("FILE");
  for (const Given& given : kShape) {
    AddNumber(*command, given.flag, flags->shape.*given.field, given.message);
  }
  command->add_flag("--plain-mlp", flags->plain_mlp, "The MLP has two matrices, not three");
  command->add_flag("--bidirectional", flags->bidirectional, "Attention has no causal mask");
  ProgramOptions& options = flags->options;
  AddNumber(*command, "--tokens-per-second", options.tokens_per_second, "Of the whole job");
  AddNumber(*command, "--step-time", flags->step_time_s, "Instead: the time of a step ...",
            ReadDuration);
  AddNumber(*command, "--tokens-per-step", flags->tokens_per_step, "... and its tokens");
  AddNumber(*command, "--chips", options.chips, "How many chips the job has");
  command->add_option("--chip", options.chip, "Which: H100, 'TPU v5p', or as its driver says")
      ->option_text("NAME");
  AddNumber(*command, "--peak-tflops", flags->peak_tflops, "Instead of the chip's known peak");
  command
      ->add_option("--dtype", options.dtype, "Of matrix products: bf16, fp16, fp8, int8, fp4, tf32")
      ->option_text("TYPE [bf16]");
  command->add_option("--recompute", options.recompute, "Of activations: none, attention or full")
      ->option_text("WHAT [none]");
  AddOutput(*command, flags->output, flags->fail_on);
  command->callback([flags, &chosen] { chosen = [flags] { return Run(*flags); }; });
}

}  // namespace stepscope::cli
