// A model, a chip, and how many.
#include "cli/program_flags.h"

namespace stepscope::cli {

void AddProgramFlags(CLI::App& command, ProgramFlags& flags) {
  ProgramOptions& options = flags.options;
  command
      .add_option("--model", flags.model,
                  "The model's config.json: MFU from tokens; else from the FLOPs that jobs record")
      ->option_text("FILE");
  command.add_option("--sequence", flags.sequence, "Tokens in a sequence, if not the config's")
      ->option_text("N");
  command.add_option("--chip", options.chip, "Which chips jobs have: H100, 'TPU v5p', ...")
      ->option_text("NAME");
  command.add_option("--peak-tflops", flags.peak_tflops, "Instead of the chip's known peak")
      ->check(CLI::PositiveNumber)
      ->option_text("N");
  command.add_option("--chips", options.chips, "How many; else: what the job's events ask for")
      ->check(CLI::Range(1.0, 1e9))
      ->option_text("N");
  command.add_option("--dtype", options.dtype, "Of matrix products: bf16, fp8, ...")
      ->option_text("TYPE [bf16]");
}

Result<std::optional<ProgramOptions>> ReadProgramFlags(const ProgramFlags& flags) {
  const bool none = flags.model.empty() && flags.options.chip.empty() && flags.peak_tflops == 0;
  if (none) return std::nullopt;
  ProgramOptions options = flags.options;
  options.peak_flops = flags.peak_tflops * 1e12;
  if (!flags.model.empty()) {
    const auto shape = ReadModelConfig(flags.model);
    if (!shape) return std::unexpected(shape.error());
    options.shape = *shape;
  }
  if (flags.sequence > 0) options.shape.sequence = flags.sequence;
  return options;
}

}  // namespace stepscope::cli
