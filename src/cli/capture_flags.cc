// Adds the options that all captures share, and runs one.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "base/quantity.h"
#include "base/time_units.h"
#include "cli/capture.h"
#include "cli/ending_signals.h"
#include "cli/more.h"
#include "cli/serve.h"
#include "cli/terminal.h"
#include "stepscope/watch.h"

namespace stepscope::cli {
namespace {

void ShowProgress(const CaptureProgress& progress) {
  ShowRaw(fmt::format("\r\033[K{}: {} of {}", progress.doing, progress.done, progress.all));
}

constexpr int64_t kStepsAfter = 10;              // so many are waited for
constexpr int64_t kStepPatience = 30 * kSecond;  // so long

// From the common start of the first trace until the last was there.
std::pair<int64_t, int64_t> TimeOf(const CaptureResult& result) {
  std::pair<int64_t, int64_t> time{INT64_MAX, 0};
  for (const CaptureOutcome& outcome : result.outcomes) {
    if (outcome.file.empty() || outcome.start == 0) continue;
    time.first = std::min(time.first, outcome.start);
    time.second = std::max(time.second, outcome.end);
  }
  return time;
}

// How long the job's steps took around the capture, once some steps after it are recorded.
void TakeSteps(const CaptureFlags& flags, EndingSignals& signals, CaptureResult& result) {
  const auto [start, end] = TimeOf(result);
  const auto until = std::chrono::steady_clock::now() + std::chrono::nanoseconds(kStepPatience);
  while (start < end) {
    const auto steps = StepTimesAround(flags.goodput, "", start, end);
    if (!steps) return result.unknown.push_back(steps.error().what + ": " + steps.error().where);
    result.steps = *steps;
    if (steps->steps_after >= kStepsAfter || signals.Came() ||
        std::chrono::steady_clock::now() > until)
      return;
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

Result<CaptureResult> Capture(const CaptureFlags& flags, const CaptureOnce& capture,
                              EndingSignals& signals) {
  CaptureOptions options = flags.options;
  options.window.duration = Nanoseconds(flags.seconds);
  options.cancelled = [&] { return signals.Came(); };
  const bool terminal = isatty(STDERR_FILENO) != 0;
  if (terminal) options.on_progress = ShowProgress;
  auto result = capture(options);
  if (result && !flags.goodput.empty() && TracesOf(*result) > 0) TakeSteps(flags, signals, *result);
  if (terminal) ShowRaw("\r\033[K");
  return result;
}

int AnalyzeRun(const std::string& folder, const OutputFlags& output) {
  auto answer = Answer({folder}, {});
  if (!answer) return Fail(answer.error());
  OutputFlags screen = output;
  screen.extent = TextStyle::Extent::kScreen;
  screen.more =
      SayMore({"stepscope serve " + Pasted({folder}), "stepscope analyze " + Pasted({folder})});
  return PrintAndJudge(*std::move(answer), screen, {});
}

}  // namespace

void AddCaptureOptions(Command& command, CaptureFlags& flags, CountedSteps steps) {
  CaptureOptions& options = flags.options;
  if (flags.watch) AddWatchOptions(command, *flags.watch);
  command.Take("--for", flags.seconds).Range(0.001, 3600);
  if (steps != CountedSteps::kNone) {
    Option& counted = command.Take("--iterations", options.window.iterations).Range(1, 100'000);
    if (steps == CountedSteps::kInsteadOfTime) counted.Excludes("--for");
    if (steps == CountedSteps::kWithinTime)
      counted.Help("Steps to record, within the time of --for");
  }
  Option& output = command.Take("--output", options.folder).Value("RUN");
  if (!flags.watch) {
    command.Switch("--dry-run", options.dry_run);
    command.Switch("--analyze", flags.analyze);
    command.Switch("--open", flags.open).Help("Serve the run and open it in a browser");
  }
  Option& goodput = command.Take("--goodput", flags.goodput);
  if (flags.watch) goodput.Help("The job's directory of events: windows are recorded there");
  Option& runs = command.Take("--keep-runs", options.keep_runs).Range(1, 1e6);
  Option& bytes =
      command.TakeEach("--keep-bytes", [&options](const std::string& text) -> Result<void> {
        const auto size = ReadSize(text);
        if (!size) return std::unexpected(size.error());
        options.keep_bytes = static_cast<int64_t>(*size);
        return {};
      });
  if (flags.watch) {
    options.keep_bytes = WatchOptions().keep_bytes;
    output.Value("DIR").Help("Directory of the watch").Default("").Required();
    runs.Help("Most traces that are kept, the oldest are removed");
    bytes.Help("Most bytes of these traces").Default("1GB");
    return;
  }
  output.Help("Directory of the run, new or empty").Default("one below ~/.local/state");
  command.Take("--format", flags.output.format).Choices({"text", "json", "csv", "markdown", "md"});
  AddLanguage(command, flags.output.language);
  command.Take("--fail-on", flags.output.fail_on).Help("Exit 1 if this holds: capture.missing>0");
}

int RunCapture(const CaptureFlags& flags, const CaptureOnce& capture) {
  if (flags.watch) return RunWatch(flags, *flags.watch, capture);
  const auto conditions = ReadConditions(flags.output);
  if (!conditions) return Fail(conditions.error());
  std::optional<EndingSignals> signals(std::in_place);  // until the report is printed
  const auto result = Capture(flags, capture, *signals);
  if (!result) return Fail(result.error());
  const bool came = TracesOf(*result) > 0;
  int code = PrintAndJudge(ReportOfCapture(*result), flags.output, *conditions);
  signals.reset();
  if (code == kDone && !came && !result->dry_run) code = kFailed;
  if (!came || result->cancelled) return code;
  if (flags.analyze) code = std::max(code, AnalyzeRun(result->folder, flags.output));
  if (flags.open) return ServeUntilEnded({.paths = {result->folder}}, true);
  return code;
}

}  // namespace stepscope::cli
