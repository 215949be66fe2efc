// Runs the captures, and writes them as JSON.
#include "server/captures.h"

#include <utility>

#include "base/json_writer.h"
#include "server/refusal.h"
#include "stepscope/capture_grpc.h"
#include "stepscope/capture_torch.h"
#include "stepscope/language.h"
#include "stepscope/write.h"

namespace stepscope::server {
Captures::Captures(Runs& runs, Door door) : runs_(runs), door_(std::move(door)) {}

Captures::~Captures() { Stop(); }

Result<int64_t> Captures::Start(CaptureAsk ask) {
  if (ask.door != "torch" && ask.door != "grpc")
    return std::unexpected(Error{"unknown door", ask.door, "door=torch or door=grpc"});
  const std::lock_guard lock(mutex_);
  if (latest_ && !latest_->done)
    return std::unexpected(Error{"another capture runs", "", "wait for its end, or stop it"});
  auto capture = std::make_shared<Capture>();
  capture->number = latest_ ? latest_->number + 1 : 1;
  capture->ask = std::move(ask);
  latest_ = capture;
  worker_ = std::jthread([this, capture](const std::stop_token& stop) { Work(capture, stop); });
  return capture->number;
}

void Captures::Stop() {
  const std::lock_guard lock(mutex_);
  worker_.request_stop();
}

void Captures::Work(const std::shared_ptr<Capture>& capture, const std::stop_token& stop) {
  CaptureOptions options{.window = {.duration = capture->ask.duration},
                         .dry_run = capture->ask.dry_run};
  options.cancelled = [&] { return stop.stop_requested(); };
  options.on_progress = [&](const CaptureProgress& progress) {
    const std::lock_guard lock(mutex_);
    capture->progress = progress;
  };
  auto result = door_(capture->ask, options);
  std::string run;
  if (result && TracesOf(*result) > 0) {
    if (auto id = runs_.Add(result->folder); id) run = *id;
  }
  const std::lock_guard lock(mutex_);
  capture->run = std::move(run);
  if (result)
    capture->result = std::move(*result);
  else
    capture->error = std::move(result.error());
  capture->done = true;
}

std::string Captures::Json() const {
  const std::lock_guard lock(mutex_);
  if (!latest_) return "null";
  const Capture& capture = *latest_;
  JsonWriter json;
  json.BeginObject();
  json.Number("number", capture.number);
  json.Key("done");
  json.Bool(capture.done);
  json.Key("dry_run");
  json.Bool(capture.ask.dry_run);
  json.Text("doing", capture.progress.doing);
  json.Number("traces", static_cast<int64_t>(capture.progress.done));
  json.Number("targets", static_cast<int64_t>(capture.progress.all));
  json.Text("run", capture.run);
  PutError(json, "error", capture.error);
  json.Key("answer");
  if (capture.result)
    json.Raw(ToJson(ReportOfCapture(*capture.result), kOtherLanguages));
  else
    json.Null();
  json.End();
  return std::move(json).Take();
}

Result<CaptureResult> Captures::CaptureThrough(const CaptureAsk& ask,
                                               const CaptureOptions& options) {
  if (ask.door == "torch")
    return CaptureTorch({.capture = options, .pids = ask.pids, .job = ask.job});
  return CaptureGrpc({.capture = options, .servers = {.addresses = {ask.servers}, .names = {}}});
}

}  // namespace stepscope::server
