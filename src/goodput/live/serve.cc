// Serves goodput over HTTP: takes events, answers metrics.
#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/byte_source.h"
#include "base/json_writer.h"
#include "base/loopback.h"
#include "base/secret.h"
#include "base/time_units.h"
#include "goodput/ledger/forwarder.h"
#include "goodput/live/background.h"
#include "goodput/live/database_link.h"
#include "goodput/live/ingest.h"
#include "goodput/live/live.h"
#include "goodput/live/metrics.h"
#include "goodput/live/otlp.h"
#include "goodput/live/problems.h"
#include "goodput/live/relay.h"
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
constexpr int64_t kPiece = kSecond / 2;  // that the directory is followed for at once
constexpr size_t kManySegments = 100;    // whose closing takes a while
constexpr std::chrono::seconds kPatience(2);
constexpr const char* kTooLarge =
    "cannot store events: the body is larger than 8 MB; send smaller batches";

// `store`: see StoreIdOf().
std::string ToJson(const IngestCounts& counts, const std::string& store) {
  JsonWriter json;
  json.BeginObject(JsonWriter::Form::kOneLine);
  json.Number("stored", counts.stored);
  json.Number("duplicates", counts.duplicates);
  json.Number("unnumbered", counts.unnumbered);
  json.Number("unreadable", counts.unreadable);
  json.Number("no_room", counts.no_room);
  if (!store.empty()) json.Text("store", store);
  json.End();
  return std::move(json).Take() + "\n";
}

// The body as events are written, decompressed if it is gzip; at most kMostBytes, and one more if
// there is more.
Result<std::string> BatchOf(const Request& request) {
  if (!request.Accepts("content-encoding", "gzip")) return request.body;
  ByteSource source = ByteSource::FromMemory(request.body);
  std::string batch = ReadUpTo(source, kMostBytes + 1);
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
        since_(goodput::WallClock()) {
    if (!options.store.empty()) database_ = std::make_shared<goodput::DatabaseLink>();
  }

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

  // Call every second: syncs stored events.
  Result<void> Sync() {
    if (ingest_->Tick(goodput::MonotonicClock())) return {};
    return std::unexpected(Error{"cannot sync events to disk", "", ""});
  }

  // Follows the directory for a while. False: there is more to read. Call from one thread.
  Result<bool> Follow() {
    const std::lock_guard lock(mutex_);
    const auto polled = live_.PollFor(goodput::WallClock(), kPiece);
    if (!polled) return polled;
    has_read_ = has_read_ || *polled;
    if (!has_read_) return polled;
    const auto written = scalars_.Write(live_.jobs(), goodput::WallClock());
    return written ? polled : std::unexpected(written.error());
  }

  // The current metrics for a collector; Follow follows the directory. None before all is read that
  // was stored when the server started.
  std::vector<std::string> Otlp(const std::string& instance) {
    if (!has_read_) return {};
    const int64_t now = goodput::WallClock();
    const std::lock_guard lock(mutex_);
    return goodput::OtlpBodies(Collect(now), instance, now);
  }

  // It is asked for its state. Set it before the server serves; null: there is none.
  void SetRelay(goodput::Relay* relay) { relay_ = relay; }

  // Batches wait for what the database has.
  const std::shared_ptr<goodput::DatabaseLink>& database() const { return database_; }

  size_t open_segments() const { return ingest_->open_segments(); }

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

  static Response Later(const char* why, const char* seconds) {
    Response later = PlainText(503, why);
    later.headers.emplace_back("Retry-After", seconds);
    return later;
  }

  Response Take(const Request& request) {
    const auto known =
        database_ ? database_->WaitForNumbers(kPatience) : goodput::DatabaseLink::Numbers();
    if (!known) return Later("the server still reads which events the database has", "1");
    const auto batch = BatchOf(request);
    if (!batch) return PlainText(400, batch.error().what);
    if (batch->size() > kMostBytes) return PlainText(413, kTooLarge);
    const IngestCounts counts = ingest_->Take(*batch, LimitOf(request), known->get());
    if (database_) database_->Stored(counts.stored);
    Response response{.body =
                          http::MakeBody("application/json", ToJson(counts, ingest_->store_id()))};
    if (counts.no_room > 0) {
      response.status = 503;
      response.headers.emplace_back("Retry-After", "1");
    }
    return response;
  }

  Response Metrics(const Request& request) {
    const bool open = request.Accepts("accept", "application/openmetrics-text");
    if (!has_read_) {
      return Later("the server still reads what was stored before it started", "5");
    }
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
                                    .disk = Disk(),
                                    .relay = RelayState(team),
                                    .database = DatabaseStateFor(team)},
                                   now);
  }

  // Not for a team: it says how much there is of all.
  std::optional<goodput::RelayState> RelayState(const std::string& team) {
    if (relay_ == nullptr || !team.empty()) return std::nullopt;
    return relay_->State([this](const std::string& path) { return live_.PositionIn(path); });
  }

  std::optional<goodput::DatabaseState> DatabaseStateFor(const std::string& team) {
    if (database_ == nullptr || !team.empty()) return std::nullopt;
    return database_->State();
  }

  std::unique_ptr<goodput::Ingest> ingest_;
  std::atomic<bool> has_read_ = false;  // all that was stored when the server started
  std::mutex mutex_;                    // over live_ and scalars_
  goodput::Live live_;
  goodput::TensorBoard scalars_;
  goodput::Relay* relay_ = nullptr;
  std::optional<http::Gate> gate_;
  std::string token_;
  std::vector<TeamToken> teams_;
  std::string folder_;
  std::optional<goodput::ProgramRates> program_;
  std::shared_ptr<goodput::DatabaseLink> database_;  // null: there is none
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

goodput::WritersAre WritersOf(const GoodputServeOptions& options) {
  return options.team_tokens.empty() ? goodput::WritersAre::kOfAll : goodput::WritersAre::kOfTeams;
}

// Sends events to the database every two seconds, and all there is at the end.
goodput::Background::Work Forwarding(const GoodputServeOptions& options,
                                     std::shared_ptr<goodput::DatabaseLink> link) {
  using goodput::Forwarder;
  auto forwarder = std::make_shared<Forwarder>(options.folder, options.store, WritersOf(options));
  return [forwarder, link = std::move(link)](bool last) {
    // A database that is gone holds nobody up.
    if (forwarder->Connect() || !link->WaitForNumbers({})) link->SetNumbers(forwarder->known());
    const int64_t stored = link->stored();
    const auto sent =
        forwarder->Send(goodput::WallClock(), last ? Forwarder::What::kAll : Forwarder::What::kDue);
    if (sent) link->TookAll(stored);
    return goodput::Background::Round{sent ? "" : sent.error().what, std::chrono::seconds(2)};
  };
}

// Follows the directory every second; what is there at the start in pieces, between which metrics
// may be asked for.
goodput::Background::Work Following(Service& service) {
  return [&service](bool last) -> goodput::Background::Round {
    if (last) return {};
    const auto all = service.Follow();
    const bool more = all && !*all;
    return {all ? "" : all.error().what, std::chrono::milliseconds(more ? 1 : 1000)};
  };
}

// Syncs events and tells problems until a signal says to stop.
void TickUntil(const sigset_t& signals, Service& service, goodput::Background* forwarding,
               goodput::Relay* relay, const GoodputServeOptions& options) {
  goodput::Problems problems(options.on_problem);
  goodput::Background following(Following(service));
  const timespec second{.tv_sec = 1, .tv_nsec = 0};
  while (sigtimedwait(&signals, nullptr, &second) < 0) {
    const int64_t now = goodput::MonotonicClock();
    try {
      if (const auto synced = service.Sync(); !synced)
        problems.See("sync", synced.error().what, now);
    } catch (const std::exception& error) {  // out of memory: the next second may be better
      problems.See("sync", error.what(), now);
    }
    problems.See("directory", following.problem(), now);
    if (forwarding != nullptr) problems.See("database", forwarding->problem(), now);
    if (relay != nullptr) problems.See("relay", relay->problem(), now);
    if (relay != nullptr && options.on_problem)
      std::ranges::for_each(relay->TakeNews(), options.on_problem);
    problems.See("disk", service.DiskWarning(), now);
    problems.See("room", service.RoomWarning(), now);
    problems.TellOver(now);
  }
}

// Nothing where no address is given.
Result<std::optional<http::Address>> AddressIf(const std::string& text) {
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
  const auto otlp = AddressIf(options.otlp);
  if (!otlp) return std::unexpected(otlp.error());
  const auto next = AddressIf(options.to);
  if (!next) return std::unexpected(next.error());
  auto ingest = goodput::Ingest::Open(options.folder,
                                      options.group_readable ? Sharing::kGroup : Sharing::kOwner,
                                      WritersOf(options));
  if (!ingest) return std::unexpected(ingest.error());
  // Both end after the server has closed its segments.
  std::optional<goodput::Background> forwarding;
  std::optional<goodput::Relay> relay;
  Service service(options, std::move(*ingest), *program);
  // A short directory is read at once; the rest of a long one once the server listens.
  if (const auto read = service.Follow(); !read) return std::unexpected(read.error());
  auto server = http::Server::Listen(
      options.host, options.port,
      {.threads = kThreads,
       .connections = kConnections,
       .most_body = kMostBytes,
       .refuse = [&service](const Request& request) { return service.Refuse(request); }});
  if (!server) return std::unexpected(server.error());
  service.SetGate(http::Gate(options.host, (*server)->port(), options.allow_hosts));
  if (!options.store.empty()) forwarding.emplace(Forwarding(options, service.database()));
  if (*next) {
    relay.emplace(options.folder, (*next)->Text(), options.to_token);
    service.SetRelay(&*relay);
  }
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
  TickUntil(signals, service, forwarding ? &*forwarding : nullptr, relay ? &*relay : nullptr,
            options);
  if (options.on_end && service.open_segments() >= kManySegments) {
    options.on_end(fmt::format("ending: {} segments are synced and closed{}",
                               service.open_segments(),
                               forwarding ? ", and what the database lacks is sent" : ""));
  }
  push.reset();
  server->reset();
  return {};
}

}  // namespace stepscope
