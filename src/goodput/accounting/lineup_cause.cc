// Finds why an attempt ended, by the last words of its processes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "goodput/accounting/lineup_group.h"

namespace stepscope::goodput {
namespace {

std::string SayRankOf(const Group& group, const Run& run) {
  if (group.runs.size() < 2 || run.rank() == kNoRank) return {};
  return fmt::format(" (rank {})", run.rank());
}

// Whether a process died of the end of another one.
bool IsOfPeer(std::string_view word) {
  const std::string text = Lower(word);
  return std::ranges::any_of(
      std::to_array<std::string_view>({"closed by peer", "reset by peer", "broken pipe",
                                       "connection refused", "remote process", "nccl", "gloo",
                                       "timed out", "timeout", "barrier", "coordination service"}),
      [&](std::string_view part) { return text.contains(part); });
}

bool IsTimeout(std::string_view word) {
  const std::string text = Lower(word);
  return text.contains("timeout") || text.contains("timed out");
}

// Why the attempt ended, and who went first; null: unknown.
struct EndCause {
  std::string text;
  const Run* first = nullptr;
};

// The processes that went without a word before others told why they went. If they are more than
// half of all, they only did not tell.
std::vector<const Run*> GoneSilently(const Group& group, int64_t before) {
  std::vector<const Run*> gone;
  for (const Run& r : group.runs) {
    const Attempt& a = *r.attempt;
    const bool told = a.notice != kUnknown || a.end != kUnknown || !a.last_word.empty();
    if (!told && r.last() < before) gone.push_back(&r);
  }
  if (2 * gone.size() > group.runs.size()) gone.clear();
  return gone;
}

EndCause Killed(const Group& group, const std::vector<const Run*>& gone) {
  const Run* const first = gone.front();
  if (gone.size() == 1) return {"killed without a word" + SayRankOf(group, *first), first};
  const std::string& host = first->recording->name().host;
  const bool one_host =
      std::ranges::all_of(gone, [&](const Run* r) { return r->recording->name().host == host; });
  return {fmt::format("killed without a word ({} ranks{})", gone.size(),
                      one_host && !host.empty() ? " on " + host : "")};
}

// The first exception that speaks of no other process. Or else a process that went without a word
// before the others told of it. Or else the first exception, unless all were asked to go before it.
// A timeout is told of processes that live on, so there the silent one must have been silent for
// long.
EndCause CauseOfEnd(const Group& group, bool announced) {
  const Run* own = nullptr;
  const Run* any = nullptr;
  const Run* notice = nullptr;
  const auto earlier = [](const Run*& of, const Run& r, int64_t Attempt::* when) {
    if (of == nullptr || r.attempt->*when < of->attempt->*when) of = &r;
  };
  for (const Run& r : group.runs) {
    if (r.attempt->notice != kUnknown) earlier(notice, r, &Attempt::notice);
    if (r.attempt->last_word.empty() || r.attempt->last_word == "exit") continue;
    earlier(any, r, &Attempt::left);
    if (!IsOfPeer(r.attempt->last_word)) earlier(own, r, &Attempt::left);
  }
  const auto told = [&](const Run* run) {
    std::string_view word = run->attempt->last_word;
    while (word.ends_with(' ') || word.ends_with(':')) word.remove_suffix(1);  // it has no message
    return EndCause{fmt::format("{}{}", word, SayRankOf(group, *run)), run};
  };
  if (own != nullptr) return told(own);
  if (announced || (any == nullptr && notice == nullptr)) return {};
  int64_t before = any != nullptr ? any->attempt->left : notice->attempt->notice;
  if (any != nullptr && IsTimeout(any->attempt->last_word)) before -= kLineupSilence;
  if (const auto gone = GoneSilently(group, before); !gone.empty()) return Killed(group, gone);
  if (any == nullptr) return {};
  EndCause cause = told(any);
  if (IsTimeout(any->attempt->last_word)) cause.text.insert(0, "hang: ");
  return cause;
}

// Who went first, if one went clearly before the others.
std::string FirstGone(const Group& group, const Run* known) {
  if (group.runs.size() < 2) return {};
  const auto gone = [](const Run& r) { return r.last(); };
  const Run* first = known;
  if (first == nullptr) {
    first = &*std::ranges::min_element(group.runs, {}, gone);
    int64_t second = group.Last();
    for (const Run& r : group.runs) {
      if (&r != first) second = std::min(second, r.last());
    }
    if (second - first->last() < kLineupSilence) return {};
  }
  if (first->rank() == kNoRank) return {};
  const std::string& host = first->recording->name().host;
  return fmt::format("rank {}{}", first->rank(), host.empty() ? "" : " on " + host);
}

// Who had not begun the last step when most had, as in a hang.
std::string Behind(const Group& group) {
  int64_t last = kUnknown;
  for (const Run& r : group.runs) {
    if (r.steps()) last = std::max(last, r.attempt->told.step);
  }
  std::vector<int64_t> behind;
  for (const Run& r : group.runs) {
    if (r.steps() && r.attempt->told.step < last) behind.push_back(r.rank());
  }
  if (behind.empty() || 2 * behind.size() > group.runs.size()) return {};
  if (behind.size() > 1 || behind.front() == kNoRank) {
    return fmt::format("{} of {} processes did not begin step {}", behind.size(), group.runs.size(),
                       last);
  }
  return fmt::format("rank {} did not begin step {}", behind.front(), last);
}

// A notice counts unless a process ended for another reason before it: launchers stop the survivors
// of a crash by the same signal.
void TakeNotice(const Group& group, JointAttempt& joint) {
  const Run* first = nullptr;
  for (const Run& r : group.runs) {
    if (r.attempt->notice == kUnknown) continue;
    if (first == nullptr || r.attempt->notice < first->attempt->notice) first = &r;
  }
  if (first == nullptr) return;
  const int64_t notice = first->attempt->notice;
  const bool failed = std::ranges::any_of(group.runs, [&](const Run& r) {
    const std::string& word = r.attempt->last_word;
    return !word.empty() && word != "exit" && r.attempt->left < notice;
  });
  if (failed || !GoneSilently(group, notice).empty()) return;
  joint.notice = notice;
  joint.notice_text = first->attempt->notice_text;
}

}  // namespace

void FindCause(const Group& group, JointAttempt& joint) {
  TakeNotice(group, joint);
  if (!joint.disrupted()) return;
  const EndCause cause = CauseOfEnd(group, joint.notice != kUnknown);
  joint.cause = cause.text;
  joint.first_gone = FirstGone(group, cause.first);
  joint.behind = Behind(group);
}

}  // namespace stepscope::goodput
