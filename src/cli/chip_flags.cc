// Turns options of the model and its chips into what MFU is computed from.
#include "cli/chip_flags.h"

namespace stepscope::cli {

void AddChipFlags(Command& command, ChipFlags& flags) {
  ProgramOptions& options = flags.options;
  command.Group("MFU");
  command.Take("--model", flags.model);
  command.Take("--sequence-length", flags.sequence).Range(1, 1e15).Needs("--model");
  command.Take("--chip", options.chip);
  command.Take("--peak-tflops", flags.peak_tflops).Range(1e-9, 1e9);
  command.Take("--chips", options.chips).Range(1, 1e9).Default("from the events");
  command.Take("--dtype", options.dtype).Needs("--chip");
  command.Group("");
}

Result<std::optional<ProgramOptions>> ReadChipFlags(const ChipFlags& flags) {
  const bool none = flags.model.empty() && flags.options.chip.empty() && flags.peak_tflops == 0;
  if (none && flags.options.chips > 0) {
    return std::unexpected(
        Error{"--chips needs a chip", "--chips", "give --chip or --peak-tflops too"});
  }
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
