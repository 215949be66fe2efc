// The server: events in, metrics out.
#include <fmt/format.h>
#include <httplib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
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

#include "base/listening.h"
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
#include "stepscope/goodput_live.h"

namespace stepscope {
namespace {

using goodput::IngestCounts;
using goodput::MetricsFormat;
using httplib::Request;
using httplib::Response;

constexpr size_t kMostBytes = size_t{8} << 20;  // of a batch
constexpr size_t kThreads = 256;                // connections that are served at once
constexpr int kBacklog = 1024;                  // and that wait

std::string ToJson(const IngestCounts& counts) {
  return fmt::format(
      "{{\"stored\": {}, \"duplicates\": {}, \"unnumbered\": {}, \"unreadable\": {}, "
      "\"no_room\": {}}}\n",
      counts.stored, counts.duplicates, counts.unnumbered, counts.unreadable, counts.no_room);
}

void Refuse(Response& response, int status, std::string_view why) {
  response.status = status;
  response.set_content(std::string(why) + "\n", "text/plain");
}

class Server : public httplib::Server {
 public:
  Server(const GoodputServeOptions& options, std::unique_ptr<goodput::Ingest> ingest,
         const std::optional<goodput::ProgramRates>& program)
      : ingest_(std::move(ingest)),
        live_(options.folder),
        scalars_(options.tensorboard),
        token_(options.token),
        program_(program),
        since_(goodput::WallClock()) {
    new_task_queue = [] { return new httplib::ThreadPool(kThreads); };  // it deletes it
    set_keep_alive_max_count(1000);
    set_keep_alive_timeout(2);
    set_read_timeout(10);
    set_tcp_nodelay(true);
    set_payload_max_length(kMostBytes);
    set_socket_options(&ListenAlone);
    Post("/v1/events",
         [this](const Request& request, Response& response, const httplib::ContentReader& read) {
           Take(request, response, read);
         });
    Get("/metrics",
        [this](const Request& request, Response& response) { Metrics(request, response); });
    Get("/healthz",
        [](const Request&, Response& response) { response.set_content("ok\n", "text/plain"); });
  }

  // The library asks for a queue of 5, too few for a job's processes that all start at once.
  void WidenQueue() const { ::listen(svr_sock_.load(), kBacklog); }

  // Every second: has the disk hold what was taken, and follows the folder. The first thing that
  // went wrong.
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

  // The metrics for a collector. As they are by now: Tick follows the folder.
  std::vector<std::string> Otlp(const std::string& instance) {
    const int64_t now = goodput::WallClock();
    const std::lock_guard lock(mutex_);
    return goodput::OtlpBodies(Collect(now), instance, now);
  }

 private:
  // The answer's status; 0: go on. A page of another site that a browser on this host shows may
  // post here too, but says where it came from.
  int Forbidden(const Request& request) const {
    if (request.has_header("Origin")) return 403;
    if (token_.empty()) return 0;
    const std::string said = request.get_header_value("Authorization");
    return SameSecret(said, "Bearer " + token_) ? 0 : 401;
  }

  void Take(const Request& request, Response& response, const httplib::ContentReader& read) {
    const int forbidden = Forbidden(request);
    std::string body;
    bool too_large = false;
    // Also of a request that is refused: what is not read would be taken for the next one. Sizes
    // count unpacked.
    const bool whole = read([&](const char* bytes, size_t size) {
      if (forbidden != 0) return true;
      too_large = size > kMostBytes - body.size();
      if (!too_large) body.append(bytes, size);
      return !too_large;
    });
    if (too_large) return Refuse(response, 413, "at most 8 MB at a time");
    if (forbidden == 401) return Refuse(response, 401, "say the token: Authorization: Bearer ...");
    if (forbidden != 0) return Refuse(response, forbidden, "not from a browser");
    if (!whole) {
      if (response.status < 400) Refuse(response, 400, "the body ended early");
      return;
    }
    const IngestCounts counts = ingest_->Take(body);
    response.status = counts.no_room > 0 ? 503 : 200;
    if (counts.no_room > 0) response.set_header("Retry-After", "1");
    response.set_content(ToJson(counts), "application/json");
  }

  void Metrics(const Request& request, Response& response) {
    const bool open = request.get_header_value("Accept").find("application/openmetrics-text") !=
                      std::string::npos;
    const int64_t now = goodput::WallClock();
    const std::lock_guard lock(mutex_);
    if (const auto polled = live_.Poll(now); !polled) {
      return Refuse(response, 500, polled.error().what);
    }
    response.set_content(goodput::MetricsText(Collect(now), open ? MetricsFormat::kOpenMetrics
                                                                 : MetricsFormat::kPrometheus),
                         open ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                              : "text/plain; version=0.0.4; charset=utf-8");
  }

  // The mutex is held, for as long as the metrics are used.
  goodput::Metrics Collect(int64_t now) {
    const IngestCounts counts = ingest_->counts();
    return goodput::CollectMetrics(
        live_.jobs(), {.ingest = &counts, .serving_since = since_, .program = program_}, now);
  }

  std::unique_ptr<goodput::Ingest> ingest_;
  std::mutex mutex_;  // over live_ and scalars_
  goodput::Live live_;
  goodput::TensorBoard scalars_;
  std::string token_;
  std::optional<goodput::ProgramRates> program_;
  int64_t since_;
};

// As many files and connections as this process may have.
void RaiseLimits() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// Keeps a ledger in PostgreSQL up to date, in a thread of its own: a database that is slow or gone
// holds nobody up. At its end sends what there is once more.
class Forwarding {
 public:
  Forwarding(const std::string& folder, const std::string& store) : forwarder_(folder, store) {
    thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
  }

  // The last one there was; empty: all is well.
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
void TickUntil(const sigset_t& signals, Server& server, Forwarding* forwarding,
               const GoodputServeOptions& options) {
  std::set<std::string> told;
  const auto tell = [&](const std::string& problem) {
    if (!problem.empty() && told.insert(problem).second && options.on_problem) {
      options.on_problem(problem);
    }
  };
  const timespec second{.tv_sec = 1, .tv_nsec = 0};
  while (sigtimedwait(&signals, nullptr, &second) < 0) {
    try {
      if (const auto ticked = server.Tick(); !ticked) tell(ticked.error().what);
    } catch (const std::exception& error) {  // out of memory: the next second may be better
      tell(error.what());
    }
    if (forwarding != nullptr) tell(forwarding->problem());
  }
}

Result<int> Bind(Server& server, const GoodputServeOptions& options) {
  const bool any = options.port == 0;
  errno = 0;
  const int port = any ? server.bind_to_any_port(options.host)
                   : server.bind_to_port(options.host, options.port) ? options.port
                                                                     : -1;
  if (port > 0) return port;
  return std::unexpected(CannotListen(options.host, options.port));
}

// Nothing where no address is given.
Result<std::optional<goodput::HttpAddress>> OtlpAddress(const std::string& text) {
  if (text.empty()) return std::nullopt;
  auto address = goodput::ParseHttpAddress(text);
  if (!address) return std::unexpected(address.error());
  return std::move(*address);
}

// "host:/folder": tells servers that push to one collector apart.
std::string InstanceName(const std::string& folder) {
  char host[256] = "host";
  gethostname(host, sizeof host - 1);
  std::error_code failed;
  const auto path = std::filesystem::absolute(folder, failed);
  return fmt::format("{}:{}", host, failed ? folder : path.string());
}

void StartPush(const std::optional<goodput::HttpAddress>& to, const GoodputServeOptions& options,
               Server& server, std::optional<goodput::OtlpPush>& push) {
  if (!to) return;
  push.emplace(goodput::OtlpPush::Options{
      .to = *to,
      .every = options.otlp_every,
      .bodies = [&server,
                 instance = InstanceName(options.folder)] { return server.Otlp(instance); },
      .on_problem = options.on_problem});
}

}  // namespace

Result<void> GoodputServe(const GoodputServeOptions& options) {
  const bool loopback = IsLoopback(options.host);
  if (!loopback && options.token.empty()) {
    return std::unexpected(
        Error{"listening beyond this host needs a token", options.host, "set `token`"});
  }
  for (const auto& [address, wanted] : {std::pair(options.folder, false), {options.store, true}}) {
    if (address.empty() || goodput::IsPostgres(address) == wanted) continue;
    return std::unexpected(Error{"events are taken into a folder, and from there go to PostgreSQL",
                                 wanted ? address : "postgresql://...",
                                 "a directory, and the database as `store`"});
  }
  RaiseLimits();
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  const auto program = goodput::ProgramRatesIf(options.program);
  if (!program) return std::unexpected(program.error());
  const auto otlp = OtlpAddress(options.otlp);
  if (!otlp) return std::unexpected(otlp.error());
  auto ingest = goodput::Ingest::Open(options.folder);
  if (!ingest) return std::unexpected(ingest.error());
  std::optional<Forwarding> forwarding;  // ends after the server has closed its segments
  Server server(options, std::move(*ingest), *program);
  if (const auto ticked = server.Tick(); !ticked) return std::unexpected(ticked.error());
  const auto port = Bind(server, options);
  if (!port) return std::unexpected(port.error());
  server.WidenQueue();
  if (!options.store.empty()) forwarding.emplace(options.folder, options.store);
  std::atomic<bool> ended = false;
  std::thread listener([&] {
    server.listen_after_bind();
    ended = true;
  });
  // It cannot be stopped before it runs.
  while (!server.is_running() && !ended) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (options.on_ready) {
    const bool v6 = options.host.find(':') != std::string::npos;
    options.on_ready(
        fmt::format("http://{}:{}", v6 ? "[" + options.host + "]" : options.host, *port),
        loopback ? ""
                 : "events and the token travel unencrypted: let a proxy with TLS "
                   "listen beyond this host instead, unless the network is your own");
  }
  std::optional<goodput::OtlpPush> push;
  StartPush(*otlp, options, server, push);
  TickUntil(signals, server, forwarding ? &*forwarding : nullptr, options);
  push.reset();
  server.stop();
  listener.join();
  return {};
}

}  // namespace stepscope
