// Goes through the runs of all processes by their starts and decides where attempts begin.
#include "goodput/accounting/lineup.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "base/time_units.h"
#include "goodput/accounting/host_clocks.h"
#include "goodput/accounting/lineup_group.h"

namespace stepscope::goodput {
namespace {

constexpr size_t kLookBack = 8;  // attempts in which a name is looked for
constexpr int64_t kFarSteps = 10;
constexpr int64_t kLongBetween = 10 * kMinute, kShortBetween = kMinute;
constexpr int64_t kLongPart = 20;  // of a job: one in so many

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

// Whether the group was in quite another step when the run began its first one. Who told no step
// began none at that time.
bool FarFrom(const Run& lead, const Run& run) {
  const StepTime& first = run.attempt->steps.first();
  if (first.time < lead.attempt->steps.first().time || first.time > lead.attempt->told.time) {
    return false;
  }
  const auto near = lead.attempt->steps.Around(first.step);
  if (near.after && std::abs(near.after->time - first.time) <= kGoesOn) return false;
  if (near.before && std::abs(near.before->time - first.time) <= kGoesOn) return false;
  const bool later = near.after && near.after->step - first.step > kFarSteps;
  const bool earlier = near.before && first.step - near.before->step > kFarSteps;
  return (near.after && near.before) || later || earlier;
}

// Whether the rank itself steps on meanwhile.
bool IsForked(const Group& group, const Run& run) {
  return group.IsHelper(run, [&](const Run& r) {
    return run.attempt->started ? r.StepsAfter(run.start()) : r.last() > run.start();
  });
}

// Whether a rank told where it resumes, or went back, while the leader steps on.
bool StepsOnWithout(const Run& lead, const Run& run) {
  return run.attempt->in_process && lead.recording != run.recording && lead.StepsAfter(run.start());
}

Place PlaceOf(const Group& group, const Run& run) {
  if (run.anonymous()) return Place::kBegins;
  const Run* const before = group.Before(run);
  const Run& lead = group.Lead();
  if (before != nullptr && before->recording == run.recording) {
    return StepsOnWithout(lead, run) ? Place::kJoins : Place::kBegins;
  }
  if (OtherRestart(group, run)) return Place::kBegins;
  if (IsForked(group, run)) return Place::kJoins;
  if (before != nullptr) {
    if (run.steps() && before->StepsAfter(run.attempt->steps.first().time)) return Place::kOtherJob;
    const bool replaced = lead.recording != before->recording && lead.StepsAfter(run.start());
    return replaced ? Place::kJoins : Place::kBegins;
  }
  const bool named_apart =
      !run.id.name.empty() && !lead.id.name.empty() && run.id.name != lead.id.name;
  const bool ranked = run.rank() != kNoRank && lead.rank() != kNoRank;
  const int64_t wait = ranked && !named_apart ? kLineupSilence : 0;
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
        if (!run.anonymous() && !run.id.name.empty() && !run.attempt->in_process &&
            std::ranges::all_of(group.runs,
                                [&](const Run& r) { return r.attempt->id == run.attempt->id; })) {
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
    const size_t end = groups_.size() - std::min(groups_.size(), kLookBack);
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
        return r.start() - gone < run.start() - r.start();
      });
      begun.runs.insert(begun.runs.end(), moves.begin(), moves.end());
      before.runs.erase(moves.begin(), moves.end());
    }
    groups_.push_back(std::move(begun));
  }

  Lineup& out_;
  std::vector<Group> groups_;
};

// A process whose leader tells no end ended with the others, if they told one after its last step.
std::optional<int64_t> EndOf(const Group& group, const Attempt& lead) {
  if (lead.end) return lead.end;
  std::optional<int64_t> end;
  for (const Run& r : group.runs) end = std::max(end, r.attempt->end);
  return !lead.steps.empty() && end < lead.told.time ? std::nullopt : end;
}

// Lets the attempt's course be told by all that `tellers` are.
void Continue(const std::vector<Run>& tellers, JointAttempt& joint, Lineup& out) {
  int64_t known_to = 0;
  out.copies.push_back(JoinCourses(tellers, known_to));
  joint.lead = out.copies.back().get();
  // The leader tells its part only, from where its log begins or to where it breaks off.
  const bool begins_late = BeginsLate(tellers[0], tellers[1]);
  const Run& other = begins_late ? tellers[0] : tellers[1];
  const Phrase rank = other.rank() == kNoRank ? Phrase::Name(other.recording->writer())
                                              : Say("rank {rank}", other.rank());
  const int64_t at = begins_late ? tellers[1].start() : tellers[0].last();
  const auto seconds = [](int64_t time) { return fmt::format("{:.0f}", Seconds(time)); };
  out.note_counts.Add(
      NoteKind::kOtherLeader, std::ssize(tellers) - 1,
      begins_late
          ? Say("attempt {attempt} to {time} s after its start by {rank}", out.attempts.size() + 1,
                seconds(at - joint.start), rank)
          : Say("attempt {attempt} from {time} s after its start on by {rank}, with steps "
                "at most {apart} s apart",
                out.attempts.size() + 1, seconds(at - joint.start), rank, seconds(known_to)));
}

void AddAttempt(const Group& group, const std::vector<Run>& tellers, Lineup& out) {
  const Run& lead = group.Lead();
  JointAttempt joint{.lead = lead.attempt,
                     .from_library = lead.recording->from_library(),
                     .start = group.Start(),
                     .last = group.Last(),
                     .in_process = lead.attempt->in_process,
                     .processes = std::ssize(group.runs)};
  for (const Run& run : tellers) joint.parts.push_back({run.recorded, run.moved});
  if (tellers.size() > 1) Continue(tellers, joint, out);
  joint.end = EndOf(group, *joint.lead);
  FindCause(group, joint);
  joint.late_rank = FindLateRank(group);
  for (const Run& run : group.runs) {
    if (run.rank() != kNoRank) joint.silences.push_back({run.rank(), run.attempt->silence});
  }
  joint.waited_since = WaitedSince(group, *joint.lead);
  out.attempts.push_back(std::move(joint));
}

void SortByStarts(std::vector<Run>& runs) {
  std::ranges::stable_sort(runs, {},
                           [](const Run& run) { return std::pair(run.start(), run.rank()); });
}

// Puts what hosts told onto one clock.
void MoveClocks(const Recordings& recordings, std::vector<Run>& runs, Lineup& out) {
  const ClockMoves moves = FindClockMoves(runs, out.note_counts);
  const auto move_of = [&](const Recording& recording) {
    const auto found = moves.find(recording.clock_name());
    return found == moves.end() ? 0 : found->second;
  };
  for (const auto& r : recordings) {
    if (const auto newest = r->newest()) TakeLater(*newest + move_of(*r), out.newest);
  }
  if (moves.empty()) return;
  for (Run& run : runs) {
    run.moved = move_of(*run.recording);
    if (run.moved == 0) continue;
    out.copies.push_back(std::make_unique<Attempt>(*run.attempt));
    run.attempt = out.copies.back().get();
    run.attempt->Move(run.moved);
    run.id = AttemptName::Of(run.attempt->id);
  }
  SortByStarts(runs);
}

// Whether no host has the end of the one and the start of the other, and the time between is
// negative, or much for the job.
bool TwoClocks(const Group& before, const Group& next, int64_t much) {
  const int64_t between = next.Start() - before.Last();
  if (between >= 0 && between < much) return false;
  const auto clocks = [](const Group& group) {
    std::vector<std::string> all;
    for (const Run& run : group.runs) all.push_back(run.recording->name().host);
    std::ranges::sort(all);
    return all;
  };
  const std::vector<std::string> one = clocks(before), other = clocks(next);
  if (one.front().empty() || other.front().empty()) return false;
  return std::ranges::none_of(
      one, [&](const std::string& host) { return std::ranges::binary_search(other, host); });
}

// "slurm.4711": without the restarts of the job.
std::string_view JobOfScheduler(const Group& group) {
  for (const Run& run : group.runs) {
    if (!run.id.scheduler.empty()) return Restarts::Of(run.id.scheduler).name;
  }
  return {};
}

// Whether another job took the name: the one before ended as planned, and another of the scheduler,
// or one of which no scheduler is known, begins with the first step again.
bool IsNewJob(const Group& before, const JointAttempt& ended, const Group& group,
              const JointAttempt& next) {
  if (ended.disrupted() || ended.steps().empty() || next.steps().empty()) return false;
  const std::string_view job = JobOfScheduler(before), new_job = JobOfScheduler(group);
  const int64_t first = next.steps().first().step;
  const bool known = !job.empty() && !new_job.empty();
  const bool other = known ? job != new_job : !ended.from_library && !next.in_process;
  return other && first <= 1 && first <= ended.steps().first().step &&
         first < ended.lead->told.step;
}

// The attempt's last sign of life, before the next one began. A process that outlives most others
// and the next start was left over: it dates no death.
int64_t LastBefore(const Group& group, const JointAttempt& attempt, int64_t next) {
  std::vector<int64_t> gone;
  for (const Run& run : group.runs) {
    if (run.last() < next) gone.push_back(run.last());
  }
  if (2 * gone.size() < group.runs.size() || gone.empty()) return attempt.last;
  const int64_t last = std::ranges::max(gone);
  return attempt.lead->steps.empty() ? last : std::max(last, attempt.lead->told.time);
}

}  // namespace

Lineup LineUp(const Recordings& recordings) {
  Lineup out;
  bool recorded = false;
  for (const auto& r : recordings) {
    const bool lives = std::ranges::any_of(r->attempts(), &Attempt::lives);
    recorded = recorded || (lives && !r->writer().empty());
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
        runs.push_back({&attempt, r.get(), AttemptName::Of(attempt.id), &attempt});
      }
    }
  }
  SortByStarts(runs);
  MoveClocks(recordings, runs, out);
  Joiner joiner(out);
  for (const Run& run : runs) {
    if (std::ranges::find(out.others, run.recording) == out.others.end()) joiner.Take(run);
  }
  std::vector<Group>& groups = joiner.groups();
  std::ranges::stable_sort(groups, {}, &Group::Start);
  const int64_t whole = groups.empty() ? 0 : groups.back().Last() - groups.front().Start();
  const int64_t much = std::clamp(whole / kLongPart, kShortBetween, kLongBetween);
  std::vector<const Recording*> leaders;
  for (const Group& group : groups) {
    const std::vector<Run> tellers = Tellers(group);
    AddAttempt(group, tellers, out);
    for (const Run& run : tellers) {
      if (std::ranges::find(leaders, run.recording) != leaders.end()) continue;
      leaders.push_back(run.recording);
      out.step_clock.Add(run.recording->step_clock());
      out.usual.Add(run.recording->usual());
    }
    JointAttempt& joint = out.attempts.back();
    if (out.attempts.size() < 2) continue;
    const Group& before = groups[out.attempts.size() - 2];
    JointAttempt& ended = out.attempts[out.attempts.size() - 2];
    joint.by_other_clock = TwoClocks(before, group, much);
    if (joint.by_other_clock) out.note_counts.Add(NoteKind::kTwoClocks);
    ended.last = LastBefore(before, ended, joint.start);
    joint.new_job = IsNewJob(before, ended, group, joint);
  }
  return out;
}

}  // namespace stepscope::goodput
