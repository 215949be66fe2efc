// Adds the options that all captures share, and runs one.
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <ctime>
#include <memory>
#include <utility>

#include "base/quantity.h"
#include "base/time_units.h"
#include "cli/capture.h"
#include "cli/more.h"
#include "cli/serve.h"

namespace stepscope::cli {
namespace {

// Blocks the signals that end a capture, and tells whether one came.
class EndingSignals {
 public:
  EndingSignals() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  }
  ~EndingSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  EndingSignals(const EndingSignals&) = delete;
  EndingSignals& operator=(const EndingSignals&) = delete;

  bool Came() {
    const timespec none{};
    came_ = came_ || sigtimedwait(&signals_, nullptr, &none) > 0;
    return came_;
  }

 private:
  sigset_t signals_{}, before_{};
  bool came_ = false;
};

void ShowProgress(const CaptureProgress& progress) {
  fmt::print(stderr, "\r\033[K{}: {} of {}", progress.doing, progress.done, progress.all);
  std::fflush(stderr);
}

Result<CaptureResult> Capture(
    const CaptureFlags& flags,
    const std::function<Result<CaptureResult>(const CaptureOptions&)>& capture) {
  EndingSignals signals;
  CaptureOptions options = flags.options;
  options.window.duration = Nanoseconds(flags.seconds);
  options.cancelled = [&] { return signals.Came(); };
  const bool terminal = isatty(STDERR_FILENO) != 0;
  if (terminal) options.on_progress = ShowProgress;
  auto result = capture(options);
  if (terminal) fmt::print(stderr, "\r\033[K");
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

void AddCaptureOptions(Command& command, CaptureFlags& flags, bool counts_steps) {
  CaptureOptions& options = flags.options;
  command.Take("--for", flags.seconds).Range(0.001, 3600);
  if (counts_steps) command.Take("--iterations", options.window.iterations).Range(1, 100'000);
  command.Take("--output", options.folder)
      .Value("RUN")
      .Help("Directory of the run, new or empty")
      .Default("one below ~/.local/state");
  command.Switch("--dry-run", options.dry_run);
  command.Switch("--analyze", flags.analyze);
  command.Switch("--open", flags.open).Help("Serve the run and open it in a browser");
  command.Take("--keep-runs", options.keep_runs).Range(1, 1e6);
  command.TakeEach("--keep-bytes", [&options](const std::string& text) -> Result<void> {
    const auto size = ReadSize(text);
    if (!size) return std::unexpected(size.error());
    options.keep_bytes = static_cast<int64_t>(*size);
    return {};
  });
  command.Take("--format", flags.output.format).Choices({"text", "json", "csv", "markdown", "md"});
  AddLanguage(command, flags.output.language);
  command.Take("--fail-on", flags.output.fail_on).Help("Exit 1 if this holds: capture.missing>0");
}

int RunCapture(const CaptureFlags& flags,
               const std::function<Result<CaptureResult>(const CaptureOptions&)>& capture) {
  const auto conditions = ReadConditions(flags.output);
  if (!conditions) return Fail(conditions.error());
  const auto result = Capture(flags, capture);
  if (!result) return Fail(result.error());
  const bool came = TracesOf(*result) > 0;
  int code = PrintAndJudge(ReportOfCapture(*result), flags.output, *conditions);
  if (code == kDone && !came && !result->dry_run) code = kFailed;
  if (!came || result->cancelled) return code;
  if (flags.analyze) code = std::max(code, AnalyzeRun(result->folder, flags.output));
  if (flags.open) return ServeUntilEnded({.paths = {result->folder}}, true);
  return code;
}

}  // namespace stepscope::cli
