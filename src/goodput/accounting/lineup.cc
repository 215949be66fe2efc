// Goes through the runs of all processes by their starts and decides where attempts begin.
#include "goodput/accounting/lineup.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/ascii.h"
#include "base/time_units.h"

namespace stepscope::goodput {
namespace {

// Two heartbeats and the clocks of hosts: how long after the last sign a rank may join.
constexpr int64_t kSilence = 30 * kSecond;
// Steps for so long after another process began: that one was only replaced.
constexpr int64_t kGoesOn = kMinute;
constexpr size_t kLookBack = 8;  // attempts in which a name is looked for
constexpr int64_t kFarSteps = 10;

struct Run {
  Attempt* attempt = nullptr;
  const Recording* recording = nullptr;
  AttemptName id;

  int64_t rank() const { return recording->name().rank; }
  bool anonymous() const { return recording->writer().empty(); }
  int64_t start() const { return attempt->start; }
  int64_t last() const { return attempt->last; }
  bool steps() const { return !attempt->steps.empty(); }
  bool StepsAfter(int64_t time) const { return steps() && attempt->told.time > time + kGoesOn; }
};

struct Group {
  std::vector<Run> runs;

  int64_t Last() const { return std::ranges::max(runs, {}, &Run::last).last(); }
  int64_t Start() const { return std::ranges::min(runs, {}, &Run::start).start(); }
  // The run whose course is the attempt's.
  const Run& Lead() const {
    return *std::ranges::min_element(runs, {}, [](const Run& r) {
      return std::tuple(!r.steps(), r.steps() && r.recording->thin(), r.rank());
    });
  }
  // The latest run of the same process or rank.
  const Run* Before(const Run& run) const {
    for (auto r = runs.rbegin(); r != runs.rend(); ++r) {
      const bool same_rank = run.rank() != kNoRank && r->rank() == run.rank();
      if (r->recording == run.recording || same_rank) return &*r;
    }
    return nullptr;
  }
};

enum class Place : uint8_t { kJoins, kBegins, kOtherJob };

// Whether launchers tell the runs apart.
bool OtherRestart(const Group& group, const Run& run) {
  return std::ranges::any_of(group.runs, [&](const Run& r) {
    const bool scheduler =
        !r.id.scheduler.empty() && !run.id.scheduler.empty() && r.id.scheduler != run.id.scheduler;
    const bool same_host = r.recording->name().host == run.recording->name().host;
    const bool launcher = same_host && !r.id.launcher.empty() && !run.id.launcher.empty() &&
                          r.id.launcher != run.id.launcher;
    return scheduler || launcher;
  });
}

// Whether the group was in quite another step when the run began its first one.
bool FarFrom(const Run& lead, const Run& run) {
  if (!lead.steps() || !run.steps()) return false;
  const StepTime& first = run.attempt->steps.first();
  if (first.time < lead.attempt->steps.first().time || first.time > lead.attempt->told.time) {
    return false;
  }
  const auto near = lead.attempt->steps.Around(first.step);
  if (!near.before && !near.after) return false;
  if (near.after && std::abs(near.after->time - first.time) <= kGoesOn) return false;
  if (near.before && std::abs(near.before->time - first.time) <= kGoesOn) return false;
  const bool later = near.after && near.after->step - first.step > kFarSteps;
  const bool earlier = near.before && first.step - near.before->step > kFarSteps;
  return (near.after && near.before) || later || earlier;
}

Place PlaceOf(const Group& group, const Run& run) {
  if (run.anonymous()) return Place::kBegins;
  const Run* const before = group.Before(run);
  if (before != nullptr && before->recording == run.recording) return Place::kBegins;
  if (OtherRestart(group, run)) return Place::kBegins;
  const Run& lead = group.Lead();
  if (before != nullptr) {
    if (run.steps() && before->StepsAfter(run.attempt->steps.first().time)) return Place::kOtherJob;
    const bool replaced = lead.recording != before->recording && lead.StepsAfter(run.start());
    return replaced ? Place::kJoins : Place::kBegins;
  }
  const bool named_apart =
      !run.id.name.empty() && !lead.id.name.empty() && run.id.name != lead.id.name;
  const bool ranked = run.rank() != kNoRank && lead.rank() != kNoRank;
  const int64_t wait = ranked && !named_apart ? kSilence : 0;
  if (run.start() > group.Last() + wait) return Place::kBegins;
  if (!ranked && FarFrom(lead, run)) return Place::kOtherJob;
  return Place::kJoins;
}

class Joiner {
 public:
  explicit Joiner(Lineup& out) : out_(out) {}

  void Take(const Run& run) {
    if (groups_.empty()) return Open(run);
    Group& group = FindGroup(run);
    switch (PlaceOf(group, run)) {
      case Place::kOtherJob:
        return out_.others.push_back(run.recording);
      case Place::kJoins:
        return Join(group, run);
      case Place::kBegins:
        if (!group.runs.empty() && !run.anonymous() && !run.id.name.empty() &&
            !run.attempt->in_process && std::ranges::all_of(group.runs, [&](const Run& r) {
              return r.attempt->id == run.attempt->id;
            })) {
          out_.note_counts.Add(NoteKind::kRepeatedAttempt);
        }
        return Begin(group, run);
    }
  }

  std::vector<Group>& groups() { return groups_; }

 private:
  void Open(const Run& run) { groups_.push_back({{run}}); }

  // The latest group with the run's id, or else the latest.
  Group& FindGroup(const Run& run) {
    const size_t end = groups_.size() > kLookBack ? groups_.size() - kLookBack : 0;
    for (size_t g = groups_.size(); g-- > end && !run.attempt->id.empty();) {
      const bool named = std::ranges::any_of(
          groups_[g].runs, [&](const Run& r) { return r.attempt->id == run.attempt->id; });
      if (named) return groups_[g];
    }
    return groups_.back();
  }

  void Join(Group& group, const Run& run) {
    const bool apart = std::ranges::any_of(group.runs, [&](const Run& r) {
      return !r.id.name.empty() && !run.id.name.empty() && r.id.name != run.id.name;
    });
    if (apart) out_.note_counts.Add(NoteKind::kAttemptNames);
    group.runs.push_back(run);
  }

  // The run begins an attempt. Others belong to it that have its name, or that began after its
  // predecessor and nearer to it.
  void Begin(Group& before, const Run& run) {
    const Run* const same = before.Before(run);
    Group begun{{run}};
    if (same != nullptr && same->recording != run.recording) {
      const int64_t gone = same->last();
      const std::string old_id = same->attempt->id;
      const auto moves = std::ranges::partition(before.runs, [&](const Run& r) {
        if (!run.attempt->id.empty() && old_id != run.attempt->id) {
          if (r.attempt->id == run.attempt->id) return false;
          if (r.attempt->id == old_id) return true;
        }
        return r.start() <= gone || r.start() - gone < run.start() - r.start();
      });
      begun.runs.insert(begun.runs.end(), moves.begin(), moves.end());
      before.runs.erase(moves.begin(), moves.end());
    }
    groups_.push_back(std::move(begun));
  }

  Lineup& out_;
  std::vector<Group> groups_;
};

std::string OfRank(const Group& group, const Run& run) {
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
struct Cause {
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

Cause Killed(const Group& group, const std::vector<const Run*>& gone) {
  const Run* const first = gone.front();
  if (gone.size() == 1) return {"killed without a word" + OfRank(group, *first), first};
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
Cause CauseOf(const Group& group, bool announced) {
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
    return Cause{fmt::format("{}{}", run->attempt->last_word, OfRank(group, *run)), run};
  };
  if (own != nullptr) return told(own);
  if (announced || (any == nullptr && notice == nullptr)) return {};
  int64_t before = any != nullptr ? any->attempt->left : notice->attempt->notice;
  if (any != nullptr && IsTimeout(any->attempt->last_word)) before -= kSilence;
  if (const auto gone = GoneSilently(group, before); !gone.empty()) return Killed(group, gone);
  if (any == nullptr) return {};
  Cause cause = told(any);
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
    if (second - first->last() < kSilence) return {};
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

// A process whose leader tells no end ended with the others, if they told one after its last step.
int64_t EndOf(const Group& group, const Run& lead) {
  if (lead.attempt->end != kUnknown) return lead.attempt->end;
  int64_t end = kUnknown;
  for (const Run& r : group.runs) end = std::max(end, r.attempt->end);
  return lead.steps() && end < lead.attempt->told.time ? kUnknown : end;
}

JointAttempt Joined(const Group& group) {
  const Run& lead = group.Lead();
  JointAttempt joint{.lead = lead.attempt,
                     .from_library = lead.recording->from_library(),
                     .start = group.Start(),
                     .last = group.Last(),
                     .end = EndOf(group, lead),
                     .in_process = lead.attempt->in_process,
                     .processes = std::ssize(group.runs)};
  TakeNotice(group, joint);
  if (joint.disrupted()) {
    const Cause cause = CauseOf(group, joint.notice != kUnknown);
    joint.cause = cause.text;
    joint.first_gone = FirstGone(group, cause.first);
    joint.behind = Behind(group);
  }
  return joint;
}

}  // namespace

Lineup LineUp(const Recordings& recordings) {
  Lineup out;
  bool recorded = false;
  for (const auto& r : recordings) {
    const bool lives = std::ranges::any_of(r->attempts(), &Attempt::lives);
    recorded = recorded || (lives && !r->writer().empty());
    out.processes += lives ? 1 : 0;
  }
  std::vector<Run> runs;
  for (const auto& r : recordings) {
    for (Attempt& attempt : r->attempts()) {
      const bool is_loose = r->writer().empty()
                                ? recorded && attempt.steps.empty() && !attempt.started
                                : !attempt.lives;
      if (is_loose) {
        out.loose.push_back(&attempt);
      } else {
        runs.push_back({&attempt, r.get(), AttemptName::Of(attempt.id)});
      }
    }
  }
  std::ranges::stable_sort(runs, {},
                           [](const Run& run) { return std::pair(run.start(), run.rank()); });
  Joiner joiner(out);
  for (const Run& run : runs) {
    if (std::ranges::find(out.others, run.recording) == out.others.end()) joiner.Take(run);
  }
  std::vector<Group>& groups = joiner.groups();
  std::ranges::stable_sort(groups, {}, &Group::Start);
  std::vector<const Recording*> leaders;
  for (const Group& group : groups) {
    out.attempts.push_back(Joined(group));
    const Recording* const leader = group.Lead().recording;
    if (std::ranges::find(leaders, leader) == leaders.end()) {
      leaders.push_back(leader);
      out.step_clock.Add(leader->step_clock());
      out.usual.Add(leader->usual());
    }
    JointAttempt& joint = out.attempts.back();
    if (out.attempts.size() < 2) continue;
    joint.start = std::max(joint.start, out.attempts[out.attempts.size() - 2].start);
  }
  return out;
}

}  // namespace stepscope::goodput
