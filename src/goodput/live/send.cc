// Sends batches of events to a server until it has confirmed them.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "base/time_units.h"
#include "goodput/live/send_source.h"
#include "goodput/recorder/segment_name.h"
#include "http/client.h"
#include "stepscope/goodput_send.h"

namespace stepscope {
namespace goodput {
namespace {

constexpr int64_t kLastTry = 5 * kSecond;    // after a stop request
constexpr int64_t kAskAgain = 10 * kSecond;  // which store answers, where there is nothing to send

// Reads the number after `"key": ` in the server's answer.
std::optional<int64_t> CountIn(const std::string& answer, const std::string& key) {
  const std::string quoted = "\"" + key + "\": ";
  const size_t at = answer.find(quoted);
  if (at == answer.npos) return std::nullopt;
  int64_t count = 0;
  const char* const begin = answer.data() + at + quoted.size();
  if (std::from_chars(begin, answer.data() + answer.size(), count).ec != std::errc()) {
    return std::nullopt;
  }
  return count;
}

// The name of the store in the server's answer; empty: an earlier version, which tells none.
std::string StoreIn(const std::string& answer) {
  constexpr std::string_view kKey = "\"store\": \"";
  const size_t at = answer.find(kKey);
  if (at == answer.npos) return "";
  const size_t begin = at + kKey.size(), end = answer.find('"', begin);
  const std::string id = end == answer.npos ? "" : answer.substr(begin, end - begin);
  const bool plain = id.size() <= 64 && std::ranges::all_of(id, [](unsigned char c) {
                       return std::isalnum(c) != 0 || c == '-';
                     });
  return plain ? id : "";
}

class Sender {
 public:
  Sender(const GoodputSendOptions& options, http::Address address, SendCursor& cursor)
      : options_(options),
        poster_(std::move(address), options.token),
        cursor_(cursor),
        answered_(MonotonicClock()) {}

  // Retries until the server has confirmed all events, or refuses them for good.
  Result<void> Deliver(const std::string& lines, int64_t events) {
    http::Backoff backoff(kSecond / 10, 10 * kSecond);
    while (true) {
      const http::Answer answer = poster_.Post("/v1/events", lines, "application/x-ndjson");
      if (answer.status == 413) return DeliverHalves(lines, events);
      if (answer.status == 200) {
        auto confirmed = Confirm(answer, events);
        // This ends the poll, and TakeRestart() says why.
        if (confirmed && IsOtherStore(answer)) return std::unexpected(Error{"", "", ""});
        return confirmed;
      }
      if (!answer.MayRetry()) return std::unexpected(Refusal(answer));
      const std::string why =
          answer.status == 0 ? answer.body : fmt::format("HTTP status {}", answer.status);
      Problem(fmt::format("{}: {} (will retry)", poster_.address().Text(), why));
      const int64_t silent = MonotonicClock() - answered_;
      if (!options_.follow && silent > options_.patience) return std::unexpected(GaveUp(why));
      if (!Wait(std::max(backoff.Next(), answer.retry_after))) {
        return std::unexpected(Error{"stopped", "", ""});
      }
    }
  }

  // Asks which store answers, unless an answer has just told. What fails here fails again where
  // events are sent.
  void AskForStore() {
    if (MonotonicClock() - asked_ < kAskAgain && asked_ != 0) return;
    asked_ = MonotonicClock();
    const http::Answer answer = poster_.Post("/v1/events", "", "application/x-ndjson");
    if (answer.status == 200) IsOtherStore(answer);
  }

  // Whether the last answer was of another store than those before: the cursor has been cleared,
  // and what was read is to be read again.
  bool TakeRestart() { return std::exchange(restart_, false); }

  // Waits. False once the time after a stop request is over.
  bool Wait(int64_t ns) {
    if (!stopped_) {
      if (options_.wait ? options_.wait(ns) : Sleep(ns)) return true;
      stopped_ = true;
      end_ = MonotonicClock() + kLastTry;
      return true;  // one more try at once
    }
    const int64_t left = end_ - MonotonicClock();
    return left > 0 && Sleep(std::clamp<int64_t>(ns, 0, std::min(left, kSecond)));
  }

  void Problem(const std::string& sentence) {
    if (options_.on_problem && reported_.insert(sentence).second) options_.on_problem(sentence);
  }

  void SaveCursor(bool now) {
    if (!now && MonotonicClock() - saved_ < kSecond) return;
    saved_ = MonotonicClock();
    if (const auto saved = cursor_.Save(); !saved) {
      Problem(fmt::format("cannot save the send cursor: {}, {} (a restart sends all events again)",
                          saved.error().what, saved.error().where));
    }
  }

  bool stopped() const { return stopped_; }
  const GoodputSendProgress& progress() const { return progress_; }

 private:
  static bool Sleep(int64_t ns) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(ns));
    return true;
  }

  Result<void> Confirm(const http::Answer& answer, int64_t events) {
    const auto stored = CountIn(answer.body, "stored");
    const auto duplicates = CountIn(answer.body, "duplicates");
    if (!stored || !duplicates) {
      return std::unexpected(Error{"cannot send: the address is not a goodput server",
                                   poster_.address().Text(), "address a goodput server"});
    }
    answered_ = MonotonicClock();
    reported_.clear();
    progress_.events += events;
    progress_.stored += *stored;
    progress_.duplicates += *duplicates;
    progress_.refused += std::max<int64_t>(0, events - *stored - *duplicates);
    if (options_.on_progress) options_.on_progress(progress_);
    SaveCursor(false);
    return {};
  }

  // One of two stores that answer by turns has been sent all before, and is not sent all again.
  bool IsOtherStore(const http::Answer& answer) {
    asked_ = MonotonicClock();
    const std::string id = StoreIn(answer.body);
    if (id.empty() || id == cursor_.store()) return false;
    const bool first = cursor_.store().empty(), known = !stores_.insert(id).second;
    if (!first) stores_.insert(cursor_.store());
    if (first || known) {
      cursor_.SetStore(id);
      return false;
    }
    cursor_.StartOver(id);
    SaveCursor(true);
    restart_ = true;
    ++progress_.restarts;
    if (options_.on_restart)
      options_.on_restart(fmt::format(
          "{}: the collector has another store than before, or lost it: all that is here is sent "
          "again",
          poster_.address().Text()));
    return true;
  }

  // For a server, or a proxy before it, with a smaller limit than the batch.
  Result<void> DeliverHalves(const std::string& lines, int64_t events) {
    if (events <= 1) {
      progress_.events += events;
      progress_.refused += events;
      return {};
    }
    size_t cut = 0;
    for (int64_t k = 0; k < events / 2; ++k) cut = lines.find('\n', cut) + 1;
    auto first = Deliver(lines.substr(0, cut), events / 2);
    if (!first) return first;
    return Deliver(lines.substr(cut), events - events / 2);
  }

  Error Refusal(const http::Answer& answer) const {
    const std::string where = poster_.address().Text();
    if (answer.status == 401) {
      return {options_.token.empty() ? "missing token" : "the server rejected the token", where,
              "set `token` to the server's"};
    }
    if (answer.status == 404) {
      return {"cannot send: no goodput server at this address", where, "address a goodput server"};
    }
    return {fmt::format("the server refused the events: {} {}", answer.status,
                        answer.body.substr(0, answer.body.find('\n')).substr(0, 200)),
            where, ""};
  }

  Error GaveUp(const std::string& why) const {
    return {fmt::format("no answer from the server for {} s: {}", options_.patience / kSecond, why),
            poster_.address().Text(), "send again later; stored events do not count twice"};
  }

  const GoodputSendOptions& options_;
  http::Poster poster_;
  SendCursor& cursor_;
  GoodputSendProgress progress_;
  int64_t answered_;  // when last
  int64_t saved_ = 0;
  int64_t asked_ = 0;             // when a store answered last, or was asked for
  std::set<std::string> stores_;  // that have answered
  bool restart_ = false;
  bool stopped_ = false;
  int64_t end_ = 0;  // of trying, once stopped
  std::set<std::string> reported_;
};

std::string CursorPath(const GoodputSendOptions& options, const http::Address& address) {
  if (!options.cursor.empty()) return options.cursor;
  if (!options.store.empty()) return CursorPathOf(options.store, address.Text());
  return options.files.front() + "." + CursorName(address.Text());
}

Result<void> CheckOptions(const GoodputSendOptions& options) {
  if (options.store.empty() == options.files.empty()) {
    return std::unexpected(
        Error{"missing input: nothing to send", "", "give a directory of events, or `files`"});
  }
  if (!options.store.empty() && !std::filesystem::is_directory(options.store)) {
    return std::unexpected(
        std::filesystem::exists(options.store)
            ? Error{"cannot send: this is no directory", options.store,
                    "set `files` for files of events"}
            : Error{"cannot read the directory: it does not exist", options.store,
                    "check the spelling; relative paths start at the current directory"});
  }
  return {};
}

// What is sent.
struct Sources {
  explicit Sources(const GoodputSendOptions& options) {
    for (const std::string& file : options.files) logs.emplace_back(file, options.follow);
    if (!options.store.empty()) segments.emplace(options.store, options.follow);
  }

  // Sends all events added since the last call.
  Result<void> Poll(const SendCursor& cursor, SendBatch& batch, Notes& note_counts) {
    if (segments) return segments->Poll(cursor, batch, note_counts);
    for (LogSource& log : logs) {
      if (auto polled = log.Poll(cursor, batch, note_counts); !polled) return polled;
    }
    return {};
  }

  bool IsEmpty() const { return !segments && std::ranges::none_of(logs, &LogSource::HasEvents); }

  std::optional<SegmentSource> segments;
  std::vector<LogSource> logs;
};

Result<GoodputSent> Send(const GoodputSendOptions& options) {
  if (const auto good = CheckOptions(options); !good) return std::unexpected(good.error());
  auto address = http::ParseAddress(options.to);
  if (!address) return std::unexpected(address.error());
  SendCursor cursor(CursorPath(options, *address));
  if (!options.again) cursor.Load();
  if (!options.store.empty()) {
    cursor.Prune([&](const std::string& name) {
      return std::filesystem::exists(options.store + "/" + name);
    });
  }
  Sender sender(options, std::move(*address), cursor);
  const SendBatch::Deliver deliver = [&](const std::string& lines, int64_t events) {
    return sender.Deliver(lines, events);
  };
  std::optional<Sources> sources(options);
  std::optional<SendBatch> batch(std::in_place, cursor, deliver);
  Notes note_counts;
  Result<void> polled;
  while (true) {
    // After a stop request, events recorded so far are still sent.
    const bool last = !options.follow || sender.stopped();
    const int64_t began = MonotonicClock();
    polled = sources->Poll(cursor, *batch, note_counts);
    if (polled) sender.AskForStore();
    if (sender.TakeRestart()) {
      sources.emplace(options);
      batch.emplace(cursor, deliver);
      continue;
    }
    sender.SaveCursor(last || !polled);
    if (sources->segments && sources->segments->failed() && polled) {
      const Error& error = *sources->segments->failed();
      sender.Problem(fmt::format("{}: {} (will retry)", error.where, error.what));
    } else if (polled && options.on_caught_up) {
      options.on_caught_up(began);
    }
    if (last || !polled) break;
    sender.Wait(kSecond);
  }
  if (!polled && !sender.stopped()) return std::unexpected(polled.error());
  return GoodputSent{.progress = sender.progress(),
                     .whole = polled.has_value(),
                     .empty = sources->IsEmpty(),
                     .notes = note_counts.List(options.store)};
}

}  // namespace
}  // namespace goodput

Result<GoodputSent> GoodputSend(const GoodputSendOptions& options) {
  return goodput::Send(options);
}

}  // namespace stepscope
