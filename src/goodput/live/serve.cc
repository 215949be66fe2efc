// Serves goodput over HTTP: takes events, answers metrics.
#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <exception>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "base/byte_source.h"
#include "base/json_writer.h"
#include "base/loopback.h"
#include "base/secret.h"
#include "goodput/ledger/forwarder.h"
#include "goodput/live/ingest.h"
#include "goodput/live/live.h"
#include "goodput/live/metrics.h"
#include "goodput/live/otlp.h"
#include "goodput/live/tensorboard.h"
#include "goodput/program/program_use.h"
#include "goodput/recorder/segment_name.h"
#include "http/gate.h"
#include "http/server.h"
#include "stepscope/goodput_live.h"

namespace stepscope {
namespace {

using goodput::IngestCounts;
using goodput::MetricsFormat;
using http::PlainText;
using http::Request;
using http::Response;

constexpr size_t kMostBytes = size_t{8} << 20;  // of a batch
constexpr size_t kThreads = 16;                 // batches that are stored at once
constexpr size_t kConnections = 2048;
constexpr const char* kTooLarge =
    "cannot store events: the body is larger than 8 MB; send smaller batches";

std::string ToJson(const IngestCounts& counts) {
  JsonWriter json;
  json.BeginObject(JsonWriter::Form::kOneLine);
  json.Number("stored", counts.stored);
  json.Number("duplicates", counts.duplicates);
  json.Number("unnumbered", counts.unnumbered);
  json.Number("unreadable", counts.unreadable);
  json.Number("no_room", counts.no_room);
  json.End();
  return std::move(json).Take() + "\n";
}

// The body as events are written, decompressed if it is gzip; at most kMostBytes, and one more if
// there is more.
Result<std::string> BatchOf(const Request& request) {
  if (!request.Accepts("content-encoding", "gzip")) return request.body;
  ByteSource source = ByteSource::FromMemory(request.body);
  std::string batch(kMostBytes + 1, '\0');
  batch.resize(source.Read(batch));
  if (batch.size() <= kMostBytes && source.end() != InputEnd::kClean) {
    return std::unexpected(Error{"cannot store events: the gzip body is damaged", "", ""});
  }
  return batch;
}

class Service {
 public:
  Service(const GoodputServeOptions& options, std::unique_ptr<goodput::Ingest> ingest,
          const std::optional<goodput::ProgramRates>& program)
      : ingest_(std::move(ingest)),
        live_(options.folder),
        scalars_(options.tensorboard),
        token_(options.token),
        teams_(options.team_tokens),
        folder_(options.folder),
        program_(program),
        since_(goodput::WallClock()) {}

  // Once it listens, before it serves.
  void SetGate(const http::Gate& gate) { gate_ = gate; }

  // Before the body is read. A page of another site that a browser on this host shows may post here
  // too, but names its origin.
  std::optional<Response> Refuse(const Request& request) const {
    // No page of another name has the token.
    if (gate_ && !gate_->NamesUs(request) && !HasToken(request)) {
      return PlainText(403,
                       "the request names another host; use the printed address, or allow this "
                       "host when the server starts");
    }
    if (http::Gate::FromOtherSite(request)) {
      return PlainText(403, "the request comes from a web page of another site");
    }
    const bool metrics = !teams_.empty() && request.Path() == "/metrics";
    if (!IsBatch(request) && !metrics) return std::nullopt;
    if (IsBatch(request) && request.HasHeader("origin"))
      return PlainText(403, "cannot store events: the request comes from a browser");
    if (!teams_.empty()) {
      const TeamToken* team = TeamOf(request);
      if (team == nullptr) return PlainText(401, kSayToken);
      const bool may = metrics ? team->read : team->write;
      return may ? std::nullopt
                 : std::optional(PlainText(
                       403, metrics ? "this token may not read" : "this token may not write"));
    }
    if (!token_.empty() && !SameSecret(request.Header("authorization"), "Bearer " + token_)) {
      return PlainText(401, kSayToken);
    }
    return std::nullopt;
  }

  Response Answer(const Request& request) {
    if (IsBatch(request)) return Take(request);
    if (request.method == "GET" || request.method == "HEAD") {
      if (request.Path() == "/metrics") return Metrics(request);
      if (request.Path() == "/healthz") return PlainText(200, "ok");
    }
    return PlainText(404, "unknown address; use /v1/events, /metrics or /healthz");
  }

  // Call every second: syncs stored events and follows the directory. Returns the first failure.
  Result<void> Tick() {
    const bool synced = ingest_->Tick(goodput::MonotonicClock());
    const std::lock_guard lock(mutex_);
    const auto polled = live_.Poll(goodput::WallClock());
    if (!polled) return polled;
    if (const auto written = scalars_.Write(live_.jobs(), goodput::WallClock()); !written) {
      return written;
    }
    if (!synced) return std::unexpected(Error{"cannot sync events to disk", "", ""});
    return {};
  }

  // The current metrics for a collector; Tick follows the directory.
  std::vector<std::string> Otlp(const std::string& instance) {
    const int64_t now = goodput::WallClock();
    const std::lock_guard lock(mutex_);
    return goodput::OtlpBodies(Collect(now), instance, now);
  }

  // A sentence about a disk that is nearly full; empty: it is not.
  std::string DiskWarning() const {
    const auto disk = Disk();
    if (!disk || !disk->low()) return "";
    return fmt::format(
        "the disk of {} is nearly full: compact the ledger or move it, events are refused on "
        "a full disk",
        folder_);
  }

  // A sentence about writers that find no room; empty: there is some.
  std::string RoomWarning() const {
    if (!ingest_->IsCrowded()) return "";
    return fmt::format(
        "{} writers send at once, and others find no room: raise the limit of open files (ulimit "
        "-Hn), of which a writer needs two",
        ingest_->most_open());
  }

 private:
  static constexpr const char* kSayToken =
      "missing or wrong token; send Authorization: Bearer TOKEN";

  // Compares with every token, so that the time taken tells nothing.
  const TeamToken* TeamOf(const Request& request) const {
    const TeamToken* found = nullptr;
    for (const TeamToken& team : teams_) {
      if (SameSecret(request.Header("authorization"), "Bearer " + team.token)) found = &team;
    }
    return found;
  }

  bool HasToken(const Request& request) const {
    if (!teams_.empty()) return TeamOf(request) != nullptr;
    return !token_.empty() && SameSecret(request.Header("authorization"), "Bearer " + token_);
  }

  // The team to which the request is limited; empty: none.
  std::string LimitOf(const Request& request) const {
    const TeamToken* team = teams_.empty() ? nullptr : TeamOf(request);
    return team == nullptr || team->team == "*" ? "" : team->team;
  }

  std::optional<goodput::DiskSpace> Disk() const {
    std::error_code failed;
    const auto space = std::filesystem::space(folder_, failed);
    if (failed || space.capacity == 0) return std::nullopt;
    return goodput::DiskSpace{static_cast<double>(space.available),
                              static_cast<double>(space.capacity)};
  }

  static bool IsBatch(const Request& request) {
    return request.method == "POST" && request.Path() == "/v1/events";
  }

  Response Take(const Request& request) {
    const auto batch = BatchOf(request);
    if (!batch) return PlainText(400, batch.error().what);
    if (batch->size() > kMostBytes) return PlainText(413, kTooLarge);
    const IngestCounts counts = ingest_->Take(*batch, LimitOf(request));
    Response response{.body = http::MakeBody("application/json", ToJson(counts))};
    if (counts.no_room > 0) {
      response.status = 503;
      response.headers.emplace_back("Retry-After", "1");
    }
    return response;
  }

  Response Metrics(const Request& request) {
    const bool open = request.Accepts("accept", "application/openmetrics-text");
    const int64_t now = goodput::WallClock();
    const std::lock_guard lock(mutex_);
    if (const auto polled = live_.Poll(now); !polled)
      return PlainText(500, polled.error().what + ": " + polled.error().where);
    return {
        .body = http::MakeBody(
            open ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                 : "text/plain; version=0.0.4; charset=utf-8",
            goodput::MetricsText(Collect(now, LimitOf(request)),
                                 open ? MetricsFormat::kOpenMetrics : MetricsFormat::kPrometheus))};
  }

  // REQUIRES: the mutex, while the metrics are used.
  goodput::Metrics Collect(int64_t now, const std::string& team = {}) {
    const IngestCounts counts = ingest_->counts();
    return goodput::CollectMetrics(live_.jobs(),
                                   {.ingest = &counts,
                                    .serving_since = since_,
                                    .program = program_,
                                    .team = team,
                                    .disk = Disk()},
                                   now);
  }

  std::unique_ptr<goodput::Ingest> ingest_;
  std::mutex mutex_;  // over live_ and scalars_
  goodput::Live live_;
  goodput::TensorBoard scalars_;
  std::optional<http::Gate> gate_;
  std::string token_;
  std::vector<TeamToken> teams_;
  std::string folder_;
  std::optional<goodput::ProgramRates> program_;
  int64_t since_;
};

// Raises the limit of files and connections to the maximum.
void RaiseLimits() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// Lets all threads allocate from the same memory. With an area for each, what jobs keep would lie
// between what answers have given back: after some minutes of asking for metrics the server would
// have three times the memory.
void ShareMemory() {
#ifdef __GLIBC__
  mallopt(M_ARENA_MAX, 1);
#endif
}

// Forwards events to a ledger in PostgreSQL from its own thread, so that a slow or absent database
// does not block the server. Forwards once more at its end.
class Forwarding {
 public:
  Forwarding(const std::string& folder, const std::string& store) : forwarder_(folder, store) {
    thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
  }

  // The last problem; empty: none.
  std::string problem() {
    const std::lock_guard lock(mutex_);
    return problem_;
  }

 private:
  static constexpr std::chrono::seconds kPause{2};

  void Run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (true) {
      const bool last = stop.stop_requested();
      lock.unlock();
      std::string problem = SendOnce();
      lock.lock();
      problem_ = std::move(problem);
      if (last) return;
      wake_.wait_for(lock, stop, kPause, [] { return false; });
    }
  }

  std::string SendOnce() {
    try {
      const auto sent = forwarder_.Send(goodput::WallClock());
      return sent ? "" : sent.error().what;
    } catch (const std::exception& error) {  // out of memory: the next time may be better
      return error.what();
    }
  }

  goodput::Forwarder forwarder_;
  std::mutex mutex_;  // over problem_
  std::condition_variable_any wake_;
  std::string problem_;
  std::jthread thread_;  // the last member: ends before the others do
};

// Ticks until a signal says to stop; tells each problem once.
void TickUntil(const sigset_t& signals, Service& service, Forwarding* forwarding,
               const GoodputServeOptions& options) {
  std::set<std::string> reported;
  const auto report = [&](const std::string& problem) {
    if (!problem.empty() && reported.insert(problem).second && options.on_problem) {
      options.on_problem(problem);
    }
  };
  const timespec second{.tv_sec = 1, .tv_nsec = 0};
  while (sigtimedwait(&signals, nullptr, &second) < 0) {
    try {
      if (const auto ticked = service.Tick(); !ticked) report(ticked.error().what);
    } catch (const std::exception& error) {  // out of memory: the next second may be better
      report(error.what());
    }
    if (forwarding != nullptr) report(forwarding->problem());
    report(service.DiskWarning());
    report(service.RoomWarning());
  }
}

// Nothing where no address is given.
Result<std::optional<http::Address>> OtlpAddress(const std::string& text) {
  if (text.empty()) return std::nullopt;
  auto address = http::ParseAddress(text);
  if (!address) return std::unexpected(address.error());
  return std::move(*address);
}

// "host:/directory": identifies this server at a collector.
std::string InstanceName(const std::string& folder) {
  char host[256] = "host";
  gethostname(host, sizeof host - 1);
  std::error_code failed;
  const auto path = std::filesystem::absolute(folder, failed);
  return fmt::format("{}:{}", host, failed ? folder : path.string());
}

void StartPush(const std::optional<http::Address>& to, const GoodputServeOptions& options,
               Service& service, std::optional<goodput::OtlpPush>& push) {
  if (!to) return;
  push.emplace(goodput::OtlpPush::Options{
      .to = *to,
      .every = options.otlp_every,
      .bodies = [&service,
                 instance = InstanceName(options.folder)] { return service.Otlp(instance); },
      .on_problem = options.on_problem});
}

}  // namespace

Result<void> GoodputServe(const GoodputServeOptions& options) {
  const bool loopback = IsLoopback(options.host);
  if (!loopback && options.token.empty() && options.team_tokens.empty()) {
    return std::unexpected(
        Error{"listening beyond this host needs a token", options.host, "set `token`"});
  }
  for (const auto& [address, wanted] : {std::pair(options.folder, false), {options.store, true}}) {
    if (address.empty() || goodput::IsPostgres(address) == wanted) continue;
    return std::unexpected(Error{wanted ? "cannot collect: the store is not PostgreSQL"
                                        : "cannot collect: the directory is PostgreSQL",
                                 address,
                                 "give a directory, and a database (postgresql://...) as `store`"});
  }
  RaiseLimits();
  ShareMemory();
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  const auto program = goodput::ProgramRatesIf(options.program);
  if (!program) return std::unexpected(program.error());
  const auto otlp = OtlpAddress(options.otlp);
  if (!otlp) return std::unexpected(otlp.error());
  auto ingest = goodput::Ingest::Open(options.folder,
                                      options.group_readable ? Sharing::kGroup : Sharing::kOwner);
  if (!ingest) return std::unexpected(ingest.error());
  std::optional<Forwarding> forwarding;  // ends after the server has closed its segments
  Service service(options, std::move(*ingest), *program);
  if (const auto ticked = service.Tick(); !ticked) return std::unexpected(ticked.error());
  auto server = http::Server::Listen(
      options.host, options.port,
      {.threads = kThreads,
       .connections = kConnections,
       .most_body = kMostBytes,
       .refuse = [&service](const Request& request) { return service.Refuse(request); }});
  if (!server) return std::unexpected(server.error());
  service.SetGate(http::Gate(options.host, (*server)->port(), options.allow_hosts));
  if (!options.store.empty()) forwarding.emplace(options.folder, options.store);
  (*server)->Serve([&service](const Request& request) { return service.Answer(request); });
  if (options.on_ready) {
    const bool v6 = options.host.find(':') != std::string::npos;
    options.on_ready(fmt::format("http://{}:{}", v6 ? "[" + options.host + "]" : options.host,
                                 (*server)->port()),
                     loopback ? ""
                              : "events and the token are sent unencrypted; outside a trusted "
                                "network, use a TLS proxy");
  }
  std::optional<goodput::OtlpPush> push;
  StartPush(*otlp, options, service, push);
  TickUntil(signals, service, forwarding ? &*forwarding : nullptr, options);
  push.reset();
  server->reset();
  return {};
}

}  // namespace stepscope
