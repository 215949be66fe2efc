// Keeps offers and answers polls.
#include "capture/torch/desk.h"

#include <fmt/format.h>

#include <utility>

#include "base/time_units.h"

namespace stepscope::capture {
namespace {

constexpr int64_t kTooLate = 40 * kMillisecond;  // of the 90 ms that libkineto waits
constexpr int64_t kAtOnce = 50 * kMillisecond;   // polls closer than this are read as one
constexpr int64_t kForgotten = kMinute;
constexpr int64_t kSlowest = kMinute;  // a recording ends within this of its window
constexpr size_t kMostEntries = 100'000;

}  // namespace

Result<void> Desk::Offer(int64_t pid, const TraceRequest& request, int64_t now) {
  if (auto text = TextOf(request, now); !text) return std::unexpected(text.error());
  Entry& entry = entries_[pid];
  if (entry.state.waiting || now < entry.busy_until) {
    return std::unexpected(Error{"another capture of this process is running",
                                 fmt::format("pid {}", pid), "wait until it has ended"});
  }
  entry.request = request;
  entry.state.offered = now;
  entry.state.handed = entry.state.start = 0;
  entry.state.waiting = true;
  return {};
}

void Desk::Withdraw(int64_t pid) {
  if (const auto entry = entries_.find(pid); entry != entries_.end())
    entry->second.state.waiting = false;
}

DeskState Desk::StateOf(int64_t pid) const {
  const auto entry = entries_.find(pid);
  return entry == entries_.end() ? DeskState{} : entry->second.state;
}

std::map<int64_t, DeskState> Desk::Seen(int64_t now) const {
  std::map<int64_t, DeskState> seen;
  for (const auto& [pid, entry] : entries_) {
    if (entry.state.last_poll > now - kForgotten) seen[pid] = entry.state;
  }
  return seen;
}

std::optional<std::string> Desk::Answer(int64_t pid, const std::string& client, const Poll& poll,
                                        int64_t sent, int64_t now) {
  if (entries_.size() > kMostEntries) {
    std::erase_if(entries_, [&](const auto& each) {
      return !each.second.state.waiting && each.second.state.last_poll < now - kForgotten;
    });
  }
  Entry& entry = entries_[pid];
  ++entry.state.polls;
  entry.state.last_poll = now;
  if (poll.type == 0) entry.state.last_busy = now;
  if (now - sent > kTooLate) return std::nullopt;
  int64_t& answered = entry.answered[client];
  if (now - std::exchange(answered, now) < kAtOnce) return std::nullopt;
  if (entry.answered.size() > 16) entry.answered = {{client, now}};
  if (poll.type == 0 || !entry.state.waiting) return "";
  auto request = TextOf(entry.request, now);
  if (!request) return "";
  entry.state.waiting = false;
  entry.state.handed = now;
  entry.state.start = request->start;
  const int64_t begin = request->start > 0 ? request->start : now;
  entry.busy_until = begin + entry.request.duration + kSlowest;
  return std::move(request->text);
}

void Desk::NotSent(int64_t pid) {
  Entry& entry = entries_[pid];
  entry.busy_until = 0;
  entry.state.handed = entry.state.start = 0;
  entry.state.waiting = true;
}

void Desk::Over(int64_t pid) {
  if (const auto entry = entries_.find(pid); entry != entries_.end()) entry->second.busy_until = 0;
}

}  // namespace stepscope::capture
