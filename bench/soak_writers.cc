// The load of a soak test: jobs that record steps all the time, and send them to a goodput server.
//
//   soak_writers PORT CONNECTIONS JOBS EVENTS_A_SECOND SECONDS BATCH ACKNOWLEDGED
//
// A connection sends for many jobs, as a node's `goodput send` does. A batch is of one job, is due
// at a fixed time, and is sent again until it is confirmed: after an outage the connections catch
// up. Each job starts again every five minutes, from 100 steps before, and the clocks of some jobs
// jump by hours.
//
// SIGTERM ends it early. Prints a line of JSON every five seconds, and one at the end. Writes to
// the file ACKNOWLEDGED, for each writer: job, attempt, writer, number of events confirmed, number
// of events sent.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <queue>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "bench/post_events.h"

namespace {

using stepscope::bench::Connect;
using stepscope::bench::Exchange;
using Clock = std::chrono::steady_clock;
using Duration = Clock::duration;

constexpr auto kInterval = std::chrono::seconds(5);
constexpr auto kLife = std::chrono::seconds(300);      // of an attempt
constexpr auto kPatience = std::chrono::seconds(180);  // after the last event is due
constexpr int64_t kHour = 3'600'000'000'000;
constexpr int64_t kStepsAgain = 100;  // that a new attempt makes again

volatile std::sig_atomic_t stopped = 0;  // no more batches are due

int64_t Nanoseconds(Duration time) { return time / std::chrono::nanoseconds(1); }

struct Plan {
  int port, connections, jobs, batch;
  Clock::time_point begin, end;
  int64_t begin_wall;  // ns since 1970
  Duration spacing;    // of a job's events
  std::string run;
};

// The process of one job that records now.
struct Job {
  int number = 0;
  int attempt = 0;
  int64_t sequence = 0;    // of its next event
  int64_t first_step = 0;  // of the attempt
  Clock::time_point due;   // of its next batch
};

struct Acknowledged {
  int job, attempt;
  int64_t confirmed, sent;
};

std::string Writer(const Plan& plan, int job, int attempt) {
  return fmt::format("host{}/0/{}/{}/{}", job, plan.run, attempt, job);
}

// What all connections have seen; each call is under the lock.
class Tally {
 public:
  void Answered(double ms, bool good, std::string_view answer) {
    const std::lock_guard lock(mutex_);
    ms_.push_back(ms);
    if (!good && !answer.empty()) ++refused_;
    if (!good && answer.empty()) ++unanswered_;
    stored_ += CountIn(answer, "\"stored\": ");
    duplicates_ += CountIn(answer, "\"duplicates\": ");
    no_room_ += CountIn(answer, "\"no_room\": ");
  }

  void Confirmed(int64_t events, double late_ms) {
    const std::lock_guard lock(mutex_);
    confirmed_ += events;
    late_ms_ = std::max(late_ms_, late_ms);
  }

  void Unconnected() {
    const std::lock_guard lock(mutex_);
    ++unconnected_;
  }

  void Add(const Acknowledged& writer) {
    const std::lock_guard lock(mutex_);
    writers_.push_back(writer);
  }

  // The numbers of this interval, and sums since the beginning.
  void Print(double seconds) {
    const std::lock_guard lock(mutex_);
    std::ranges::sort(ms_);
    const auto at = [&](double share) {
      return ms_.empty() ? 0
                         : ms_[static_cast<size_t>(share * static_cast<double>(ms_.size() - 1))];
    };
    fmt::print(
        R"({{"seconds": {:.1f}, "confirmed": {}, "requests": {}, "p50_ms": {:.2f}, "p99_ms": {:.2f}, )"
        R"("max_ms": {:.2f}, "late_ms": {:.0f}, "refused": {}, "unanswered": {}, "unconnected": {}, )"
        R"("stored": {}, "duplicates": {}, "no_room": {}}})"
        "\n",
        seconds, confirmed_, ms_.size(), at(0.5), at(0.99), at(1), late_ms_, refused_, unanswered_,
        unconnected_, stored_, duplicates_, no_room_);
    std::fflush(stdout);
    ms_.clear();
    late_ms_ = 0;
  }

  const std::vector<Acknowledged>& writers() const { return writers_; }

 private:
  static int64_t CountIn(std::string_view answer, std::string_view key) {
    const size_t at = answer.find(key);
    int64_t count = 0;
    if (at != answer.npos) {
      std::from_chars(answer.data() + at + key.size(), answer.data() + answer.size(), count);
    }
    return count;
  }

  std::mutex mutex_;
  std::vector<double> ms_;  // of the answers of this interval
  double late_ms_ = 0;      // the latest confirmation, after it was due
  int64_t confirmed_ = 0, refused_ = 0, unanswered_ = 0, unconnected_ = 0;
  int64_t stored_ = 0, duplicates_ = 0, no_room_ = 0;
  std::vector<Acknowledged> writers_;
};

// How far a job's clock is off: of seven minutes one is two hours ahead, and one three hours
// behind.
int64_t ClockError(int job, Duration since_begin) {
  const auto minute = since_begin / std::chrono::minutes(1) + job;
  return minute % 7 == 3 ? 2 * kHour : minute % 7 == 5 ? -3 * kHour : 0;
}

std::string Batch(const Plan& plan, const Job& job) {
  std::string body;
  const std::string writer = Writer(plan, job.number, job.attempt);
  const int64_t error = ClockError(job.number, job.due - plan.begin);
  for (int k = 0; k < plan.batch; ++k) {
    const int64_t sequence = job.sequence + k;
    const int64_t time = plan.begin_wall + error +
                         Nanoseconds(job.due - plan.begin - (plan.batch - k) * plan.spacing);
    fmt::format_to(
        std::back_inserter(body),
        R"({{"job_name":"job{}","attempt":"a{}","writer":"{}","sequence":{},"time_ns":{},)",
        job.number, job.attempt, writer, sequence, time);
    if (sequence == 0) {
      body += "\"event\":\"job_start\"}\n";
    } else {
      fmt::format_to(std::back_inserter(body), "\"event\":\"step_{}\",\"step\":{}}}\n",
                     sequence % 2 == 1 ? "start" : "end", job.first_step + (sequence - 1) / 2);
    }
  }
  return fmt::format(
      "POST /v1/events HTTP/1.1\r\nHost: localhost:{}\r\nContent-Length: {}\r\n\r\n{}", plan.port,
      body.size(), body);
}

// One connection and its jobs.
class Connection {
 public:
  Connection(const Plan& plan, Tally& tally, int number) : plan_(plan), tally_(tally) {
    for (int k = number; k < plan.jobs; k += plan.connections) {
      jobs_.push_back({.number = k, .due = plan.begin + Pause() * (k + 1) / plan.jobs});
    }
  }

  void Run() {
    const auto later = [](const Job* a, const Job* b) { return a->due > b->due; };
    std::priority_queue<Job*, std::vector<Job*>, decltype(later)> next(later);
    for (Job& job : jobs_) next.push(&job);
    while (!next.empty() && next.top()->due < plan_.end && stopped == 0) {
      Job& job = *next.top();
      next.pop();
      std::this_thread::sleep_until(job.due);
      StartAgainIfDue(job);
      if (!Deliver(job)) break;
      job.due += Pause();
      next.push(&job);
    }
    for (const Job& job : jobs_)
      tally_.Add({job.number, job.attempt, job.sequence, job.sequence + unsure_of(job)});
    if (fd_ >= 0) close(fd_);
  }

 private:
  Duration Pause() const { return plan_.spacing * plan_.batch; }
  int64_t unsure_of(const Job& job) const { return job.number == unsure_ ? plan_.batch : 0; }

  void StartAgainIfDue(Job& job) {
    const auto shift = kLife * job.number / plan_.jobs;
    const int attempt = static_cast<int>((job.due - plan_.begin + shift) / kLife);
    if (attempt == job.attempt) return;
    tally_.Add({job.number, job.attempt, job.sequence, job.sequence});
    job.first_step = std::max<int64_t>(0, job.first_step + job.sequence / 2 - kStepsAgain);
    job.sequence = 0;
    job.attempt = attempt;
  }

  // False: it was not confirmed in time.
  bool Deliver(Job& job) {
    const std::string request = Batch(plan_, job);
    auto pause = std::chrono::milliseconds(100);
    while (!Try(request)) {
      unsure_ = job.number;
      if (stopped != 0 || Clock::now() > plan_.end + kPatience) return false;
      std::this_thread::sleep_for(pause);
      pause = std::min(2 * pause, std::chrono::milliseconds(1000));
    }
    unsure_ = -1;
    job.sequence += plan_.batch;
    const std::chrono::duration<double, std::milli> late = Clock::now() - job.due;
    tally_.Confirmed(plan_.batch, late.count());
    return true;
  }

  bool Try(const std::string& request) {
    if (fd_ < 0) fd_ = Connect(plan_.port);
    if (fd_ < 0) {
      tally_.Unconnected();
      return false;
    }
    const auto sent = Clock::now();
    const bool good = Exchange(fd_, request, answer_);
    const std::chrono::duration<double, std::milli> took = Clock::now() - sent;
    tally_.Answered(took.count(), good, answer_);
    if (good || !answer_.empty()) return good;
    close(fd_);
    fd_ = -1;
    return false;
  }

  const Plan& plan_;
  Tally& tally_;
  std::vector<Job> jobs_;
  std::string answer_;
  int fd_ = -1;
  int unsure_ = -1;  // the job whose last batch was sent and not confirmed
};

bool WriteAcknowledged(const Plan& plan, const Tally& tally, const char* path) {
  std::FILE* const file = std::fopen(path, "w");
  if (file == nullptr) return false;
  for (const Acknowledged& one : tally.writers()) {
    fmt::print(file, "job{}\ta{}\t{}\t{}\t{}\n", one.job, one.attempt,
               Writer(plan, one.job, one.attempt), one.confirmed, one.sent);
  }
  return std::fclose(file) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 8) {
    fmt::print(
        stderr,
        "usage: soak_writers PORT CONNECTIONS JOBS EVENTS_A_SECOND SECONDS BATCH ACKNOWLEDGED\n");
    return 2;
  }
  std::signal(SIGTERM, [](int) { stopped = 1; });
  std::array<int, 7> number{};
  for (size_t k = 1; k < number.size(); ++k) number[k] = std::atoi(argv[k]);
  Plan plan{};
  plan.port = number[1];
  plan.connections = number[2];
  plan.jobs = number[3];
  plan.batch = number[6];
  plan.begin = Clock::now();
  plan.end = plan.begin + std::chrono::seconds(number[5]);
  plan.begin_wall =
      std::chrono::system_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
  plan.spacing = std::chrono::nanoseconds(int64_t{1'000'000'000} * plan.jobs / number[4]);
  plan.run = std::to_string(plan.begin_wall);
  Tally tally;
  std::vector<std::thread> threads;
  for (int k = 0; k < plan.connections; ++k) {
    threads.emplace_back([&plan, &tally, k] { Connection(plan, tally, k).Run(); });
  }
  std::atomic<bool> done = false;
  const auto seconds = [&] {
    return std::chrono::duration<double>(Clock::now() - plan.begin).count();
  };
  std::thread reporter([&] {
    for (auto next = plan.begin + kInterval; !done; next += kInterval) {
      while (!done && Clock::now() < next)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
      if (!done) tally.Print(seconds());
    }
  });
  for (std::thread& thread : threads) thread.join();
  done = true;
  reporter.join();
  tally.Print(seconds());
  return WriteAcknowledged(plan, tally, argv[7]) ? 0 : 1;
}
