// Finds why an attempt ended, by the last words of its processes.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "goodput/accounting/lineup_group.h"

namespace stepscope::goodput {
namespace {

constexpr int64_t kLongestNotice = 5 * kMinute;

Phrase SayRankOf(const Group& group, const Run& run) {
  if (group.runs.size() < 2 || run.rank() == kNoRank) return {};
  return Say(" (rank {rank})", run.rank());
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

// Of a wait for others, not of connecting to one that is not there.
bool IsTimeout(std::string_view word) {
  const std::string text = Lower(word);
  if (text.contains("connection refused") || text.contains("timed out connecting")) return false;
  return text.contains("timeout") || text.contains("timed out");
}

// Why the attempt ended, and who went first; null: unknown. `reason` is the text without ranks, so
// that one exception of several ranks is the same.
struct EndCause {
  Phrase text;
  const Run* first = nullptr;
  Phrase reason;
};

// The processes that went without a word before others told why they went. If they are more than
// half of all, they only did not tell.
std::vector<const Run*> GoneSilently(const Group& group, int64_t before) {
  std::vector<const Run*> gone;
  for (const Run& r : group.runs) {
    const Attempt& a = *r.attempt;
    const bool told = a.notice || a.end || !a.last_word.empty();
    if (!told && r.last() < before) gone.push_back(&r);
  }
  if (2 * gone.size() > group.runs.size()) gone.clear();
  return gone;
}

EndCause Killed(const Group& group, const std::vector<const Run*>& gone) {
  const Run* const first = gone.front();
  const Phrase reason = "killed without a word";
  if (gone.size() == 1) return {reason + SayRankOf(group, *first), first, reason};
  const std::string& host = first->recording->name().host;
  const bool one_host =
      std::ranges::all_of(gone, [&](const Run* r) { return r->recording->name().host == host; });
  return {one_host && !host.empty()
              ? Say("{reason} ({count} ranks on {host})", reason, gone.size(), Phrase::Name(host))
              : Say("{reason} ({count} ranks)", reason, gone.size()),
          nullptr, reason};
}

// Who had not begun the last step when most had, as in a hang.
struct Late {
  std::vector<const Run*> runs;
  std::optional<int64_t> step;
};

Late BehindOthers(const Group& group) {
  Late late;
  for (const Run& r : group.runs) {
    if (r.steps()) TakeLater(r.attempt->told.step, late.step);
  }
  for (const Run& r : group.runs) {
    if (r.steps() && r.attempt->told.step < late.step) late.runs.push_back(&r);
  }
  if (2 * late.runs.size() > group.runs.size()) late.runs.clear();
  return late;
}

Phrase Behind(const Group& group) {
  const Late late = BehindOthers(group);
  if (late.runs.empty()) return {};
  if (late.runs.size() > 1 || late.runs.front()->rank() == kNoRank) {
    return Say("{count} of {all} processes did not begin step {step}", late.runs.size(),
               group.runs.size(), late.step.value_or(0));
  }
  return Say("rank {rank} did not begin step {step}", late.runs.front()->rank(),
             late.step.value_or(0));
}

// The only process that told no timeout; null: there are more, or few told one.
const Run* OnlyWithoutTimeout(const Group& group) {
  const Run* without = nullptr;
  for (const Run& r : group.runs) {
    if (IsTimeout(r.attempt->last_word)) continue;
    if (without != nullptr) return nullptr;
    without = &r;
  }
  constexpr size_t kFewest = 3;
  const bool known = without != nullptr && without->rank() != kNoRank;
  return known && group.runs.size() >= kFewest ? without : nullptr;
}

// Timeouts are told of somebody else: of who did not begin the last step, or of the only one that
// waited for nobody.
EndCause Hang(const Group& group, EndCause timeout) {
  const Late late = BehindOthers(group);
  Phrase said = Say("hang: {timeout}", timeout.text);
  if (!late.runs.empty()) {
    said = Say("hang: {behind}, then {timeout}", Behind(group), timeout.text);
    timeout.first = late.runs.size() == 1 ? late.runs.front() : nullptr;
  } else if (const Run* run = OnlyWithoutTimeout(group)) {
    said = Say("hang: rank {rank} alone told no timeout, others: {timeout}", run->rank(),
               timeout.text);
    timeout.first = run;
  }
  timeout.text = std::move(said);
  timeout.reason = Say("hang: {timeout}", timeout.reason);
  return timeout;
}

// The first exception that speaks of no other process. Or else a process that went without a word
// before the others told of it. Or else the first exception, unless all were asked to go before it.
// A timeout is told of processes that live on, so there the silent one must have been silent for
// long.
EndCause CauseOfEnd(const Group& group, bool announced) {
  const Run* own = nullptr;
  const Run* any = nullptr;
  const Run* notice = nullptr;
  const auto earlier = [](const Run*& of, const Run& r, std::optional<int64_t> Attempt::* when) {
    if (of == nullptr || r.attempt->*when < of->attempt->*when) of = &r;
  };
  for (const Run& r : group.runs) {
    if (r.attempt->notice) earlier(notice, r, &Attempt::notice);
    if (r.attempt->last_word.empty() || r.attempt->last_word == "exit") continue;
    earlier(any, r, &Attempt::left);
    if (!IsOfPeer(r.attempt->last_word)) earlier(own, r, &Attempt::left);
  }
  const auto told = [&](const Run* run) {
    std::string_view word = run->attempt->last_word;
    while (word.ends_with(' ') || word.ends_with(':')) word.remove_suffix(1);  // it has no message
    const Phrase said = Phrase::Name(std::string(word));
    return EndCause{said + SayRankOf(group, *run), run, said};
  };
  // After a timeout, the others were stopped.
  const bool stopped = own != nullptr && own->attempt->left > any->attempt->left &&
                       IsTimeout(any->attempt->last_word);
  if (own != nullptr && !stopped) return told(own);
  if (announced || (any == nullptr && notice == nullptr)) return {};
  int64_t before = (any != nullptr ? any->attempt->left : notice->attempt->notice).value_or(0);
  if (any != nullptr && IsTimeout(any->attempt->last_word)) before -= kLineupSilence;
  if (const auto gone = GoneSilently(group, before); !gone.empty()) return Killed(group, gone);
  if (any == nullptr) return {};
  return IsTimeout(any->attempt->last_word) ? Hang(group, told(any)) : told(any);
}

// Who went first, if one went clearly before the others.
Phrase FirstGone(const Group& group, const Run* known) {
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
  return host.empty() ? Say("rank {rank}", first->rank())
                      : Say("rank {rank} on {host}", first->rank(), Phrase::Name(host));
}

// A notice counts unless a process ended for another reason before it: launchers stop the survivors
// of a crash by the same signal.
void TakeNotice(const Group& group, JointAttempt& joint) {
  const Run* first = nullptr;
  for (const Run& r : group.runs) {
    if (!r.attempt->notice) continue;
    if (first == nullptr || r.attempt->notice < first->attempt->notice) first = &r;
  }
  if (first == nullptr) return;
  const int64_t notice = first->attempt->notice.value_or(0);
  const bool failed = std::ranges::any_of(group.runs, [&](const Run& r) {
    const std::string& word = r.attempt->last_word;
    if (word.empty() || word == "exit" || !r.attempt->left) return false;
    // Nobody is given so long to go.
    const bool lived_on = *r.attempt->left > notice + kLongestNotice && !IsOfPeer(word);
    return *r.attempt->left < notice || lived_on;
  });
  if (failed || !GoneSilently(group, notice).empty()) return;
  joint.notice = notice;
  joint.notice_text = first->attempt->notice_text;
}

// Without those that others went on without: they were replaced, or their logs broke off.
Group AtEnd(const Group& all) {
  std::optional<int64_t> latest;
  for (const Run& r : all.runs) {
    if (r.steps()) TakeLater(r.attempt->told.time, latest);
  }
  Group group;
  for (const Run& r : all.runs) {
    const bool may_have = latest && *latest > r.last() + kGoesOn;
    const bool was_left = may_have && NextToTell(all, r) != nullptr;
    const bool helps = all.IsHelper(r, [](const Run&) { return true; });
    if (!was_left && !helps) group.runs.push_back(r);
  }
  return group;
}

}  // namespace

void FindCause(const Group& all, JointAttempt& joint) {
  const Group group = AtEnd(all);
  TakeNotice(group, joint);
  if (!joint.disrupted()) return;
  const EndCause cause = CauseOfEnd(group, joint.notice.has_value());
  joint.cause = cause.text;
  joint.reason = cause.reason;
  joint.first_gone = FirstGone(group, cause.first);
  joint.behind = Behind(group);
}

}  // namespace stepscope::goodput
