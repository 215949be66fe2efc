// Reads the model's shape, and UTC offsets with their sign.
#include "cli/productivity_flags.h"

#include <cmath>
#include <optional>
#include <string_view>

#include "base/quantity.h"

namespace stepscope::cli {
namespace {

// A time that may be negative, in s: "-5h", "5h30m".
Option& TakeOffset(Command& command, std::string_view name, std::optional<int64_t>& into) {
  Option& option = command.TakeEach(name, [&into](const std::string& text) -> Result<void> {
    const bool west = text.starts_with('-');
    const auto time = ReadDuration(std::string_view(text).substr(west ? 1 : 0));
    if (!time) return std::unexpected(time.error());
    into = std::llround(west ? -*time : *time);
    return {};
  });
  option.arity = Option::Arity::kOne;
  return option;
}

}  // namespace

void AddProductivityFlags(Command& command, ProductivityFlags& flags) {
  GoodputReportOptions& options = flags.options;
  command.Group("Scheduler");
  command.Take("--scheduler", options.scheduler_files);
  command.Take("--scheduler-job", options.scheduler_job).Needs("--scheduler");
  TakeOffset(command, "--utc-offset", options.utc_offset).Needs("--scheduler");
  command.Take("--chips-per-pod", options.chips_per_pod).Range(1, 1'000'000).Needs("--scheduler");
  command.Take("--pods", options.pods).Range(0, 10'000'000).Needs("--scheduler");
  command.Group("Chips and MFU");
  command.Take("--chips", options.chips).Range(1, 1e9).Default("from --scheduler");
  command.Take("--price-per-chip-hour", options.price_per_chip_hour).Range(0, 1e9);
  command.Take("--chip", flags.program.chip).Needs("--model");
  command.Take("--peak-tflops", flags.peak_tflops).Range(1e-9, 1e9).Needs("--model");
  command.Take("--dtype", flags.program.dtype).Needs("--model");
  command.Take("--model", flags.model);
  command.Take("--sequence-length", flags.sequence).Range(1, 1e15).Needs("--model");
  command.Take("--tokens-per-second", flags.program.tokens_per_second)
      .Default("from events of work")
      .Range(1e-9, 1e18)
      .Needs("--model");
}

Result<GoodputReportOptions> ReadProductivityFlags(const ProductivityFlags& flags) {
  GoodputReportOptions options = flags.options;
  if (flags.model.empty()) return options;
  const auto shape = ReadModelConfig(flags.model);
  if (!shape) return std::unexpected(shape.error());
  options.program = flags.program;
  options.program->shape = *shape;
  options.program->peak_flops = flags.peak_tflops * 1e12;
  if (flags.sequence > 0) options.program->shape.sequence = flags.sequence;
  return options;
}

}  // namespace stepscope::cli
