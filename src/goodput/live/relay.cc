// Sends until it is to end, and again where the other collector refused for a while.
#include "goodput/live/relay.h"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <filesystem>
#include <utility>

#include "base/time_units.h"
#include "goodput/live/send_cursor.h"
#include "goodput/recorder/segment.h"
#include "goodput/recorder/segment_name.h"
#include "goodput/recorder/segment_reader.h"

namespace stepscope::goodput {
namespace {

constexpr int64_t kAfterRefusal = 10 * kSecond;  // a token or an address may be mended meanwhile

GoodputSendProgress Sum(const GoodputSendProgress& a, const GoodputSendProgress& b) {
  return {.events = a.events + b.events,
          .stored = a.stored + b.stored,
          .duplicates = a.duplicates + b.duplicates,
          .refused = a.refused + b.refused,
          .restarts = a.restarts + b.restarts};
}

}  // namespace

Relay::Relay(std::string folder, std::string to, std::string token)
    : folder_(std::move(folder)),
      to_(std::move(to)),
      token_(std::move(token)),
      cursor_(CursorPathOf(folder_, to_)),
      caught_up_(MonotonicClock()) {
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

std::string Relay::problem() {
  const std::lock_guard lock(mutex_);
  return problem_;
}

std::vector<std::string> Relay::TakeNews() {
  const std::lock_guard lock(mutex_);
  return std::exchange(news_, {});
}

RelayState Relay::State(const WrittenSlots& written) {
  const int64_t bytes = LagBytes(written);
  const std::lock_guard lock(mutex_);
  RelayState state = state_;
  state.lag = MonotonicClock() - caught_up_;
  state.lag_bytes = bytes;
  return state;
}

bool Relay::Wait(const std::stop_token& stop, int64_t ns) {
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, stop, std::chrono::nanoseconds(ns), [] { return false; });
  return !stop.stop_requested();
}

GoodputSendOptions Relay::Options(const std::stop_token& stop) {
  return {.store = folder_,
          .to = to_,
          .token = token_,
          .follow = true,
          .cursor = cursor_,
          .wait = [this, stop](int64_t ns) { return Wait(stop, ns); },
          .on_progress =
              [this](const GoodputSendProgress& progress) {
                const std::lock_guard lock(mutex_);
                state_.progress = Sum(before_, progress);
                state_.confirmed = WallClock();
                problem_.clear();
              },
          .on_problem =
              [this](const std::string& sentence) {
                const std::lock_guard lock(mutex_);
                problem_ = sentence;
              },
          .on_restart =
              [this](const std::string& sentence) {
                const std::lock_guard lock(mutex_);
                news_.push_back(sentence);
                ++state_.progress.restarts;
              },
          .on_caught_up =
              [this](int64_t since) {
                const std::lock_guard lock(mutex_);
                caught_up_ = since;
                problem_.clear();
              }};
}

void Relay::Run(const std::stop_token& stop) {
  do {
    std::string problem;
    try {
      const auto sent = GoodputSend(Options(stop));
      if (!sent)
        problem = fmt::format("{}: {} (will retry)", sent.error().where, sent.error().what);
    } catch (const std::exception& error) {  // out of memory: the next time may be better
      problem = error.what();
    }
    const std::lock_guard lock(mutex_);
    before_ = state_.progress;
    problem_ = std::move(problem);
  } while (Wait(stop, kAfterRefusal));
}

// The cursor on disk is at most a second older than the confirmation. A directory that cannot be
// read is told as a problem elsewhere.
int64_t Relay::LagBytes(const WrittenSlots& written) const {
  SendCursor cursor(cursor_);
  cursor.Load();
  const auto files = SegmentsIn(folder_);
  uint64_t slots = 0;
  for (const std::string& path : files ? *files : std::vector<std::string>()) {
    const SendPosition sent = cursor.At(std::filesystem::path(path).lexically_relative(folder_));
    if (sent.done) continue;
    std::error_code failed;
    const uint64_t size = std::filesystem::file_size(path, failed);
    const uint64_t whole = failed || size < kSlotsBegin ? 0 : (size - kSlotsBegin) / kSlotBytes;
    const uint64_t there = written(path).value_or(whole);
    if (there > sent.at) slots += there - sent.at;
  }
  return static_cast<int64_t>(slots * kSlotBytes);
}

}  // namespace stepscope::goodput
