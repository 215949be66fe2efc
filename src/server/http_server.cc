// cpp-httplib takes connections and reads requests; who is answered, and how, is decided elsewhere.
#include "server/http_server.h"

#include <httplib.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <thread>

#include "base/listening.h"
#include "server/connection.h"

namespace stepscope::server {
namespace {

constexpr size_t kThreads = 64;  // connections that are served at once; others wait
constexpr int kBacklog = 256;    // and of these so many are not yet taken from the kernel
constexpr std::chrono::milliseconds kGlance{100};
constexpr int kIdleGlances = 100;  // 10 s without a request end a connection

// Knows how many connections wait for a thread.
class Queue : public httplib::ThreadPool {
 public:
  explicit Queue(std::atomic<int>& waiting) : ThreadPool(kThreads), waiting_(waiting) {}
  void enqueue(std::function<void()> serve) override {
    ++waiting_;
    ThreadPool::enqueue([this, serve = std::move(serve)] {
      --waiting_;
      serve();
    });
  }

 private:
  std::atomic<int>& waiting_;
};

// What a browser shall do with anything that comes from here.
httplib::Headers CommonHeaders() {
  return {{"Content-Security-Policy",
           "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
           "img-src 'self' data: blob:; font-src 'self'; base-uri 'none'; form-action 'none'; "
           "frame-ancestors 'none'"},
          {"X-Content-Type-Options", "nosniff"},
          {"X-Frame-Options", "DENY"},
          {"Referrer-Policy", "no-referrer"},
          {"Cross-Origin-Opener-Policy", "same-origin"},
          {"Cross-Origin-Embedder-Policy", "require-corp"},
          {"Cross-Origin-Resource-Policy", "same-origin"},
          {"Permissions-Policy", "camera=(), microphone=(), geolocation=()"},
          // Kept, but asked about each time: a run may have been read anew.
          {"Cache-Control", "private, no-cache"}};
}

bool BringsBody(const httplib::Request& request) {
  return request.has_header("Transfer-Encoding") ||
         (request.has_header("Content-Length") &&
          request.get_header_value("Content-Length") != "0");
}

class Listener : public httplib::Server {
 public:
  Listener() {
    new_task_queue = [this] { return new Queue(waiting_); };  // it deletes it
    set_keep_alive_max_count(100'000);                        // for the header that says so
    set_keep_alive_timeout(kIdleGlances / 10);
    set_tcp_nodelay(true);
    set_default_headers(CommonHeaders());
    set_socket_options(&ListenAlone);
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      Answer(request, response);
      return HandlerResponse::Handled;
    });
  }

  void set_handler(HttpServer::Handler handler) { handler_ = std::move(handler); }

  // The library asks for a queue of 5: a browser that opens several pages needs more.
  void WidenQueue() const { ::listen(svr_sock_.load(), kBacklog); }

 private:
  // A connection from its first request to its last, on a thread of its own.
  bool process_and_close_socket(socket_t fd) override {
    Connection connection(fd, waiting_);
    for (int idle = 0; idle < kIdleGlances && svr_sock_ != INVALID_SOCKET;) {
      const auto wait = connection.WaitForRequest(kGlance);
      if (wait == Connection::Wait::kClosed) return true;
      if (wait == Connection::Wait::kNothingYet) {
        if (waiting_ > 0) return true;  // others have something to ask
        ++idle;
        continue;
      }
      idle = 0;
      bool last = true;  // where the head is not understood
      // Nobody else sets `progress`, which is of clients: through it the handler asks.
      const auto watch = [&](httplib::Request& request) {
        last = BringsBody(request);
        request.ranges.clear();
        request.progress = [&connection](uint64_t, uint64_t) { return !connection.Gone(); };
      };
      bool closed = false;
      const bool answered = process_request(connection, false, closed, watch);
      // With a head of one endless line the library says nothing, with endless lines 400.
      if (connection.head_too_large() && !answered) {
        connection.write(
            "HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n"
            "Content-Length: 0\r\n\r\n");
      }
      if (!answered || closed || last || connection.head_too_large()) return answered;
    }
    return true;
  }

  void Answer(const httplib::Request& from, httplib::Response& to) const {
    Request request{.method = from.method, .target = from.target, .headers = {}};
    request.headers.assign(from.headers.begin(), from.headers.end());
    if (from.progress) request.gone = [&from] { return !from.progress(0, 0); };
    Send(Handle(request, BringsBody(from)), to);
  }

  Response Handle(const Request& request, bool brings_body) const {
    try {
      if (brings_body) {
        Response refusal = Refusal(413, {"a question has no body", "", ""});
        refusal.headers.emplace_back("Connection", "close");
        return Negotiate(request, std::move(refusal));
      }
      return Negotiate(request, handler_(request));
    } catch (const std::exception& error) {  // out of memory, or a mistake of ours
      return Refusal(500, {"this could not be answered", "", error.what()});
    }
  }

  static void Send(const Response& from, httplib::Response& to) {
    to.status = from.status;
    for (const auto& [name, value] : from.headers) to.set_header(name, value);
    if (from.body == nullptr || from.body->bytes.empty()) return;
    // A provider, as the library would compress a string once more.
    to.set_content_provider(from.body->bytes.size(), from.body->type,
                            [body = from.body](size_t at, size_t size, httplib::DataSink& sink) {
                              return sink.write(body->bytes.data() + at, size);
                            });
  }

  HttpServer::Handler handler_;
  std::atomic<int> waiting_ = 0;
};

}  // namespace

struct HttpServer::State {
  Listener listener;
  int port = 0;
  std::thread thread;
  std::atomic<bool> ended = false;
};

HttpServer::HttpServer(std::unique_ptr<State> state) : state_(std::move(state)) {}

Result<std::unique_ptr<HttpServer>> HttpServer::Listen(const std::string& host, int port) {
  auto state = std::make_unique<State>();
  errno = 0;
  state->port = port == 0                                  ? state->listener.bind_to_any_port(host)
                : state->listener.bind_to_port(host, port) ? port
                                                           : -1;
  if (state->port <= 0) {
    return std::unexpected(CannotListen(host, port));
  }
  state->listener.WidenQueue();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(state)));
}

int HttpServer::port() const { return state_->port; }

void HttpServer::Serve(Handler handler) {
  State& state = *state_;
  state.listener.set_handler(std::move(handler));
  state.thread = std::thread([&state] {
    state.listener.listen_after_bind();
    state.ended = true;
  });
  // It cannot be stopped before it runs.
  while (!state.listener.is_running() && !state.ended) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

HttpServer::~HttpServer() {
  if (!state_->thread.joinable()) return;
  state_->listener.stop();
  state_->thread.join();
}

}  // namespace stepscope::server
