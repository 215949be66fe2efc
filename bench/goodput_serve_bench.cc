// How many events a second a server takes: writers post batches over kept connections, each waiting
// for the answer before it sends the next. Start `stepscope goodput collect` first.
//
//   goodput_serve_bench PORT [WRITERS [SECONDS [EVENTS A BATCH [EVENTS A SECOND IN ALL]]]]
//
// Without the last it sends as fast as it is answered. What fails is sent again, so the server may
// be killed and started again meanwhile.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/post_events.h"

namespace {

using stepscope::bench::Connect;
using stepscope::bench::Exchange;
using Clock = std::chrono::steady_clock;

std::string Batch(int port, const std::string& writer, int64_t first, int64_t count) {
  std::string body;
  const int64_t now =
      std::chrono::system_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
  for (int64_t k = first; k < first + count; ++k) {
    fmt::format_to(std::back_inserter(body),
                   R"({{"job_name":"{}","attempt":"a","writer":"{}","sequence":{},)"
                   R"("event":"step_start","time_ns":{},"step":{}}})"
                   "\n",
                   writer.substr(0, writer.find('/')), writer, k, now + k - first, k);
  }
  return fmt::format(
      "POST /v1/events HTTP/1.1\r\nHost: localhost:{}\r\nContent-Length: {}\r\n\r\n{}", port,
      body.size(), body);
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int k, int otherwise) {
    return argc > k ? std::atoi(argv[k]) : otherwise;
  };
  const int port = number(1, 9461), writers = number(2, 50), batch = number(4, 1000);
  const auto end = Clock::now() + std::chrono::seconds(number(3, 10));
  const auto run = std::to_string(Clock::now().time_since_epoch().count());
  std::atomic<int64_t> events = 0, failed = 0, slowest_us = 0;
  const int rate = number(5, 0);
  const auto pause = std::chrono::nanoseconds(
      rate > 0 ? int64_t{1'000'000'000} * batch * writers / rate : int64_t{0});
  const auto write = [&](int w) {
    const std::string writer = fmt::format("host{}/0/{}", w, run);
    std::string answer;
    int fd = Connect(port);
    auto next = Clock::now() + pause * w / writers;
    for (int64_t first = 0; Clock::now() < end;) {
      if (rate > 0) std::this_thread::sleep_until(next);
      const std::string request = Batch(port, writer, first, batch);
      const auto sent = Clock::now();
      if (fd < 0 || !Exchange(fd, request, answer)) {
        ++failed;
        if (fd >= 0) close(fd);
        fd = Connect(port);
        if (fd < 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
        continue;
      }
      const int64_t us = (Clock::now() - sent) / std::chrono::microseconds(1);
      for (int64_t most = slowest_us; us > most && !slowest_us.compare_exchange_weak(most, us);) {
      }
      first += batch;
      next += pause;
      events += batch;
    }
    if (fd >= 0) close(fd);
  };
  const auto begin = Clock::now();
  std::vector<std::thread> threads;
  for (int w = 0; w < writers; ++w) threads.emplace_back(write, w);
  for (std::thread& thread : threads) thread.join();
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  fmt::print(
      "{} writers, batches of {}: {:.0f} events/s over {:.1f} s ({} acknowledged), slowest answer "
      "{:.1f} ms, "
      "{} requests sent again\n",
      writers, batch, static_cast<double>(events) / seconds, seconds, events.load(),
      static_cast<double>(slowest_us) / 1e3, failed.load());
}
