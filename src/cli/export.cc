// stepscope export: writes traces again for a viewer, with counters and the critical path.
#include "stepscope/export.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/answer.h"
#include "cli/leaves_nothing.h"
#include "cli/redact_flags.h"
#include "cli/root.h"
#include "cli/terminal.h"
#include "stepscope/query.h"

namespace stepscope::cli {
namespace {

struct ExportFlags {
  std::vector<std::string> paths;
  ExportOptions options;
  bool perfetto = false, chrome = false, chakra = false, parquet = false;
  std::string counter_series = "both";
  OutputFlags output;
  RedactFlags redact;
};

CounterSeries SeriesOf(const std::string& name) {
  if (name == "queue") return CounterSeries::kQueue;
  return name == "bandwidth" ? CounterSeries::kBandwidth : CounterSeries::kBoth;
}

int RunExportParquet(const ExportFlags& flags, ProgressLine& line) {
  ParquetExport options{.folder = flags.options.folder};
  options.query.analyze.steps = flags.options.steps;
  options.query.analyze.ranks = flags.options.ranks;
  options.query.analyze.most_names = 0;
  options.query.open.threads = flags.options.threads;
  options.query.open.max_input = flags.options.max_input;
  options.query.open.redact = RedactionOf(flags.redact);
  options.query.open.on_progress = [&](const Progress& progress) { line.Show(progress); };
  auto written = ExportParquet(flags.paths, options);
  line.Clear();
  return PrintAndJudge(std::move(written), flags.output);
}

int RunExportTraces(const ExportFlags& flags) {
  const LeavesNothing if_ended;
  ProgressLine line;
  if (flags.parquet) return RunExportParquet(flags, line);
  ExportOptions options = flags.options;
  if (flags.perfetto) options.format = ExportFormat::kPerfetto;
  if (flags.chakra) options.format = ExportFormat::kChakra;
  options.counter_series = SeriesOf(flags.counter_series);
  options.redact = RedactionOf(flags.redact);
  options.on_progress = [&](const Progress& progress) { line.Show(progress); };
  auto written = Export(flags.paths, options);
  line.Clear();
  return PrintAndJudge(std::move(written), flags.output);
}

void AddPathRegion(Command& command, ExportOptions& options) {
  command.Switch("--critical-path", options.critical_path).Excludes("--chakra");
  command.Take("--annotation", options.path.annotation).Needs("--critical-path");
  command.Take("--instance", options.path.instance).Needs("--annotation");
  command.Take("--last-instance", options.path.last_instance).Needs("--annotation");
  command.Switch("--only-critical", options.path.only_critical)
      .Needs("--critical-path")
      .Excludes("--perfetto");
}

void AddPatterns(Command& command, ExportPatterns& patterns) {
  command.Take("--patterns", patterns.operator_name).Excludes("--perfetto");
  command.Take("--pattern-length", patterns.min_length).Needs("--patterns");
  command.Take("--top-patterns", patterns.top).Needs("--patterns");
}

}  // namespace

void AddExport(Command& root) {
  auto flags = std::make_shared<ExportFlags>();
  Command& command = root.Sub("export", "Write traces again for a viewer, with counters");
  command.Argument("PATH", flags->paths, "Traces: files, or directories");
  command.Take("--output", flags->options.folder)
      .Value("DIR")
      .Help("Directory to write to, or for one trace a file")
      .Required();
  command.Take("--steps", flags->options.steps).Suggestions({"all", "complete"});
  command.Take("--ranks", flags->options.ranks);
  command.Switch("--chrome", flags->chrome).Excludes("--chakra");
  command.Switch("--perfetto", flags->perfetto).Excludes("--chrome");
  command.Switch("--chakra", flags->chakra).Excludes("--perfetto");
  command.Switch("--parquet", flags->parquet).Excludes("--chrome");
  command.Switch("--counters", flags->options.counters).Excludes("--chakra");
  command.Take("--counter-series", flags->counter_series)
      .Choices({"both", "queue", "bandwidth"})
      .Needs("--counters");
  AddPathRegion(command, flags->options);
  AddPatterns(command, flags->options.patterns);
  AddRedaction(command, flags->redact);
  AddThreads(command, flags->options.threads);
  AddMaxInput(command, flags->options.max_input);
  command.Take("--format", flags->output.format)
      .Choices({"text", "json", "csv", "markdown", "md"})
      .Default("text");
  command.Examples(
      {{"add queue length and bandwidth to each trace",
        "stepscope export traces/ -o out --counters"},
       {"add the critical path", "stepscope export traces/ -o out --critical-path"},
       {"show only what is critical in a range",
        "stepscope export traces/ -o out --critical-path --annotation forward --only-critical"},
       {"mark kernel sequences of an operator",
        "stepscope export traces/ -o out --patterns aten::linear"},
       {"all ranks in one file, on one clock", "stepscope export traces/ -o out --perfetto"},
       {"an execution trace of each rank, for simulators",
        "stepscope export traces/ -o et --chakra"},
       {"events and tables for pandas, Polars and DuckDB",
        "stepscope export traces/ -o tables --parquet"},
       {"one step of two ranks", "stepscope export traces/ -o small --steps 7 --ranks 0,3"}});
  command.Notes(
      "Open the result at https://ui.perfetto.dev, or a .json.gz in chrome://tracing.\n"
      "Private names become pseudonyms, as by 'stepscope redact'.");
  command.Runs([flags] { return RunExportTraces(*flags); });
}

}  // namespace stepscope::cli
