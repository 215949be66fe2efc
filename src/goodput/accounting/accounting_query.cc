// Answers queries: the time of a job as slices without gaps, each in one bucket, and their sums.
#include <algorithm>
#include <span>

#include "base/saturate.h"
#include "base/time_units.h"
#include "goodput/accounting/accounting.h"
#include "goodput/accounting/periods.h"

namespace stepscope::goodput {
namespace {

using Piece = Overlays::Piece;

// Sums the parts of slices that lie in the window. Slices come in order.
class Tally {
 public:
  Tally(Partition& out, bool periods, size_t attempts, size_t labels)
      : out_(out), periods_(periods), whole(attempts), custom(labels) {}

  // Assigns later slices to this attempt; `planned_end`: its recovery follows one.
  void SetAttempt(size_t attempt, bool planned_end) {
    attempt_ = attempt;
    suspended_ = planned_end;
  }

  // Adds [start, end) of the course, overlaid by `pieces`.
  void Take(int64_t start, int64_t end, Bucket bucket, std::span<const Piece> pieces) {
    int64_t at = start;
    for (size_t p = FirstPieceAfter(pieces, start); p < pieces.size(); ++p) {
      if (pieces[p].start >= end) break;
      Slice(at, pieces[p].start, bucket);
      at = std::min(pieces[p].end, end);
      const int64_t from = std::max(pieces[p].start, start);
      const int64_t counted = Slice(from, at, pieces[p].bucket);
      if (pieces[p].bucket == Bucket::kCustom) custom[pieces[p].label] += counted;
    }
    Slice(at, end, bucket);
  }

 private:
  // The part of the slice in the window.
  int64_t Slice(int64_t start, int64_t end, Bucket bucket) {
    if (end <= start) return 0;
    const auto b = static_cast<size_t>(bucket);
    if (attempt_ < whole.size()) whole[attempt_][b] += end - start;
    const int64_t counted =
        std::max<int64_t>(0, std::min(end, out_.end) - std::max(start, out_.start));
    out_.times[b] += counted;
    if (attempt_ < out_.attempts.size()) out_.attempts[attempt_].times[b] += counted;
    if (bucket == Bucket::kRecovery && suspended_) out_.suspended += counted;
    if (periods_ && counted > 0) {
      const int64_t from = std::max(start, out_.start);
      AppendPeriod({static_cast<int64_t>(attempt_), from, from + counted, bucket}, out_.periods);
    }
    return counted;
  }

  Partition& out_;
  bool periods_;
  size_t attempt_ = SIZE_MAX;  // -1 of a Period
  bool suspended_ = false;

 public:
  std::vector<BucketTimes> whole;  // by attempt, whatever the window
  std::vector<int64_t> custom;     // by label
};

// Exclusions as pieces.
Overlays Excluded(const std::vector<Interval>& exclusions) {
  Overlays excluded;
  for (const auto& [start, end] : exclusions) {
    if (end > start) excluded.Add(start, end, Bucket::kExcluded);
  }
  return excluded;
}

// `open`: the spans that the process never ended.
AttemptAccount AccountOf(const JointAttempt& attempt, const Surroundings& around, Overlays open,
                         const std::vector<std::string>& labels) {
  AttemptAccount account{.start = attempt.start,
                         .end = around.until,
                         .ended = attempt.end.has_value(),
                         .running = around.running,
                         .preempted = attempt.notice.has_value(),
                         .in_process = attempt.in_process,
                         .new_job = attempt.new_job,
                         .steps = attempt.steps().size(),
                         .id = attempt.lead->id,
                         .processes = attempt.processes,
                         .cause = attempt.cause,
                         .reason = attempt.reason,
                         .first_gone = attempt.first_gone,
                         .behind = attempt.behind,
                         .late_rank = attempt.late_rank};
  if (!attempt.steps().empty()) {
    account.first_step = attempt.steps().first().step;
    account.last_step = attempt.lead->told.step;
  }
  if (around.running) return account;
  for (const Piece& piece : open.Pieces()) {
    if (piece.end - piece.start <= account.open_time) continue;
    account.open_time = piece.end - piece.start;
    account.open_bucket = piece.bucket;
    account.open_type = piece.bucket == Bucket::kCustom ? labels[piece.label] : "";
  }
  return account;
}

// A scheduler's time between `from` and `to`, if any.
std::optional<int64_t> Between(std::optional<int64_t> moment, int64_t from, int64_t to) {
  if (moment < from || moment > to) return std::nullopt;
  return moment;
}

Disruption DisruptionOf(size_t index, const JointAttempt& stopped, int64_t until,
                        const JointAttempt& next, int64_t next_until, const Tally& tally) {
  const auto time = [&](size_t attempt, Bucket bucket) {
    return tally.whole[attempt][static_cast<size_t>(bucket)];
  };
  Disruption d{.attempt = index,
               .time = until,
               .announced = stopped.notice.has_value(),
               .in_process = next.in_process,
               .made_no_step = stopped.steps().empty(),
               .text = stopped.notice_text,
               .ended_by = stopped.cause,
               .reason = stopped.reason,
               .first_gone = stopped.first_gone,
               .by_two_clocks = next.by_other_clock,
               .down = next.start - until,
               .hung = time(index, Bucket::kHungStep)};
  const auto requested = Between(next.requested, until, next.start);
  const auto allocated = Between(next.allocated, requested.value_or(until), next.start);
  if (requested) d.detect = *requested - until;
  // Asked for before the end, it was in the queue since then.
  if (next.requested && allocated) d.queue = *allocated - requested.value_or(until);
  if (allocated) d.launch = next.start - *allocated;
  const int64_t first = next.steps().empty() ? next_until : next.steps().first().time;
  const int64_t before_steps = std::max<int64_t>(0, std::min(first, next_until) - next.start);
  d.restore = std::min(time(index + 1, Bucket::kRestore), before_steps);
  d.start = before_steps - d.restore;
  d.startup = time(index + 1, Bucket::kStartup);
  d.recompute = time(index, Bucket::kWasted);
  return d;
}

// Mean slice counts over [start, end); 0 before the first record.
void MeasureSlices(std::vector<SliceCount> slices, Partition& out) {
  if (slices.empty() || out.total() <= 0) return;
  std::ranges::stable_sort(slices, {}, &SliceCount::time);
  double active = 0, available = 0;
  for (size_t k = 0; k < slices.size(); ++k) {
    const int64_t until = k + 1 < slices.size() ? slices[k + 1].time : out.end;
    const auto lasted = static_cast<double>(
        std::max<int64_t>(0, std::min(until, out.end) - std::max(slices[k].time, out.start)));
    active += slices[k].active * lasted;
    available += slices[k].available * lasted;
  }
  out.active_slices = active / static_cast<double>(out.total());
  out.available_slices = available / static_cast<double>(out.total());
}

void SumUp(const Tally& tally, const std::vector<std::string>& labels, Partition& out) {
  for (size_t l = 0; l < labels.size(); ++l) {
    if (tally.custom[l] > 0) out.custom.emplace_back(labels[l], tally.custom[l]);
  }
  std::ranges::sort(out.custom, [](const auto& a, const auto& b) {
    return std::pair(-a.second, a.first) < std::pair(-b.second, b.first);
  });
  out.unaccounted = out.total();
  for (const int64_t time : out.times) out.unaccounted -= time;
}

}  // namespace

// For each attempt, the first step that a later one redid: if its numbers began anew, of the last
// of these.
std::vector<int64_t> Accounting::StepLimits() const {
  const std::vector<JointAttempt>& attempts = LinedUp().attempts;
  std::vector<int64_t> limits(attempts.size(), kNoLimit);
  int64_t least = kNoLimit;
  for (size_t a = attempts.size(); a-- > 0;) {
    if (least != kNoLimit) limits[a] = AddSaturated(least, attempts[a].lead->counted_on);
    if (!attempts[a].steps().empty()) least = std::min(least, attempts[a].steps().first().step);
    if (attempts[a].new_job) least = kNoLimit;
  }
  return limits;
}

// The end of each attempt.
std::vector<int64_t> Accounting::LiveEnds(int64_t now) const {
  const std::vector<JointAttempt>& attempts = LinedUp().attempts;
  std::vector<int64_t> ends;
  for (size_t a = 0; a < attempts.size(); ++a) {
    const bool last = a + 1 == attempts.size();
    ends.push_back(
        LiveEnd(attempts[a], last ? std::nullopt : std::optional(attempts[a + 1].start), now));
  }
  return ends;
}

namespace {

// The wait of a submitted job before its first attempt.
void TakeQueue(int64_t submitted, std::optional<int64_t> allocated, int64_t started,
               std::span<const Piece> left_out, Tally& tally) {
  const int64_t given = Between(allocated, submitted, started).value_or(started);
  tally.Take(submitted, given, Bucket::kQueued, left_out);
  tally.Take(given, started, Bucket::kAllocated, left_out);
}

// What all attempts of a query have in common.
struct Common {
  const Lineup& lineup;
  const std::vector<std::string>& labels;
  UsualStep usual;
  std::span<const Piece> left_out;
};

// The overlays of the attempt's course with those that only a query knows, `more` to begin with.
std::vector<Piece> PiecesOf(const JointAttempt& attempt, const Surroundings& around,
                            const Common& common, Overlays more) {
  Overlays& own = attempt.lead->overlays;
  for (Attempt* loose : common.lineup.loose) {
    for (const Piece& piece : loose->overlays.Pieces()) {
      if (piece.end > attempt.start && piece.start < around.until) {
        more.Add(piece.start, piece.end, piece.bucket, piece.label);
      }
    }
  }
  std::vector<Piece> all = own.Pieces();
  Overlays merged;
  const auto add_all = [&](Overlays& from) {
    if (from.size() == 0) return;
    if (merged.size() == 0) merged = own;
    for (const Piece& piece : from.Pieces()) {
      merged.Add(piece.start, piece.end, piece.bucket, piece.label);
    }
    all = merged.Pieces();
  };
  add_all(more);
  Overlays stalls;
  AddStalls(attempt, around, common.usual, all, stalls);
  add_all(stalls);
  Overlays excluded;
  for (size_t p = FirstPieceAfter(common.left_out, attempt.start);
       p < common.left_out.size() && common.left_out[p].start < around.until; ++p) {
    excluded.Add(common.left_out[p].start, common.left_out[p].end, Bucket::kExcluded);
  }
  add_all(excluded);
  return all;
}

// Ranks that were silent for most of this time, if others were not.
std::vector<int64_t> SilentIn(const Piece& piece, const JointAttempt& attempt) {
  std::vector<int64_t> silent;
  for (const auto& [rank, time] : attempt.silences) {
    const int64_t common = std::min(time.end, piece.end) - std::max(time.start, piece.start);
    if (common > (piece.end - piece.start) / 4 * 3) silent.push_back(rank);
  }
  if (2 * silent.size() > attempt.silences.size()) silent.clear();
  return silent;
}

std::optional<SlowStep> SlowestStep(const JointAttempt& attempt, std::span<const Piece> pieces) {
  const Piece* longest = nullptr;
  for (const Piece& piece : pieces) {
    if (piece.bucket != Bucket::kSlowStep || attempt.steps().empty()) continue;
    const bool longer =
        longest == nullptr || piece.end - piece.start > longest->end - longest->start;
    if (longer) longest = &piece;
  }
  if (longest == nullptr || longest->start < attempt.steps().first().time) return std::nullopt;
  return SlowStep{.step = attempt.steps().LastBegun(longest->start),
                  .beyond = longest->end - longest->start,
                  .silent = SilentIn(*longest, attempt)};
}

void TakeAttempt(const JointAttempt& attempt, const Surroundings& around, const Common& common,
                 Partition& out, Tally& tally) {
  Overlays open;
  AddOpenSpans(*attempt.lead, around.until, common.labels, open);
  out.attempts.push_back(AccountOf(attempt, around, open, common.labels));
  out.async_loading = AddSaturated(out.async_loading, attempt.lead->async_loading);
  if (attempt.new_job) out.max_productive_step.reset();
  if (const auto step = LastProductiveStep(attempt, around)) {
    out.max_productive_step = std::max(out.max_productive_step.value_or(*step), *step);
  }
  const std::vector<Piece> pieces = PiecesOf(attempt, around, common, std::move(open));
  out.attempts.back().slowest = SlowestStep(attempt, pieces);
  if (const auto step_end = attempt.lead->step_end) {
    out.attempts.back().after_steps =
        std::max<int64_t>(0, Uncovered(*step_end, std::max(*step_end, around.until), pieces));
  }
  tally.SetAttempt(out.attempts.size() - 1, !attempt.disrupted());
  for (const CoursePart& s : Course(attempt, around, pieces)) {
    tally.Take(s.start, s.end, s.bucket, pieces);
  }
}

void AddOpenStep(const JointAttempt& current, Partition& out) {
  if (current.steps().empty()) return;
  const int64_t last = current.lead->told.step;
  const bool is_open = !current.lead->step_end;
  if (is_open) {
    out.open_step = last;
    out.open_since = current.lead->told.time;
  }
  if (!current.lead->saved) return;
  out.steps_at_risk = std::max<int64_t>(
      0, SubtractSaturated(is_open ? SubtractSaturated(last, 1) : last, *current.lead->saved));
}

constexpr const char* kRunning = "running";
constexpr int64_t kQuietAfterCause = 2 * kMinute;

// Disruptions in [start, end) of the query; includes one at the very end of the job.
void ListDisruptions(const std::vector<JointAttempt>& attempts, const std::vector<int64_t>& ends,
                     const Tally& tally, Partition& out) {
  for (size_t a = 0; a + 1 < attempts.size(); ++a) {
    if (!attempts[a].disrupted() || ends[a] < out.start) continue;
    if (ends[a] >= out.end && ends.back() != out.end) continue;
    out.disruption_list.push_back(
        DisruptionOf(a, attempts[a], ends[a], attempts[a + 1], ends[a + 1], tally));
  }
  out.disruptions = static_cast<int64_t>(out.disruption_list.size());
}

}  // namespace

// The job's state at `now`.
std::string Accounting::StateAt(int64_t now, const PartitionQuery& query) const {
  const std::vector<JointAttempt>& attempts = LinedUp().attempts;
  if (attempts.empty()) return kRunning;
  const JointAttempt& last = attempts.back();
  // Schedulers tell whole seconds.
  const bool stopped = stopped_ && *stopped_ + kMinute >= last.last && *stopped_ >= last.start;
  if (stopped && stopped_as_ != "completed") return stopped_as_;
  if (last.end || (stopped_ && *stopped_ >= last.last)) return "ended";
  const int64_t silent = now - std::max(last.last, last.start);
  // The leader told why it went, or another process did and nobody lives on.
  const bool failed = last.lead->left || silent > kQuietAfterCause;
  if (!last.cause.empty() && failed) return "failed";
  const bool is_silent = query.silence && silent > silence_.value_or(*query.silence);
  return is_silent ? "silent" : kRunning;
}

Partition Accounting::Query(const PartitionQuery& query) {
  Partition out;
  if (empty()) return out;
  const Lineup& lineup = LinedUp();
  const std::vector<JointAttempt>& attempts = lineup.attempts;
  int64_t now = std::max(query.at, Newest()).value_or(0);
  out.state = StateAt(now, query);
  out.running = out.state == kRunning;
  const bool began = !attempts.empty();
  // A job that stopped without a planned end lasted until its last sign of life.
  if (began && !out.running && !attempts.back().end) now = attempts.back().last;
  const std::vector<int64_t> ends = LiveEnds(now);
  const int64_t started = began ? attempts.front().start : now;
  const bool waited = lineup.submitted && *lineup.submitted < started;
  const Interval whole{waited ? *lineup.submitted : started, began ? ends.back() : now};
  const Interval asked = query.window.value_or(whole);
  out.start = std::clamp(asked.start, whole.start, whole.end);
  out.end = std::clamp(asked.end, out.start, whole.end);

  Tally tally(out, query.periods, attempts.size(), totals_.labels.size());
  Overlays excluded = Excluded(query.exclusions);
  const std::vector<Piece> left_out = excluded.Pieces();
  const auto allocated = began ? attempts.front().allocated : lineup.allocated;
  if (waited) TakeQueue(*lineup.submitted, allocated, started, left_out, tally);
  const std::vector<int64_t> limits = StepLimits();
  const UsualStep usual{lineup.usual.median().value_or(0), lineup.usual.steps()};
  const Common common{lineup, totals_.labels, usual, left_out};
  for (size_t a = 0; a < attempts.size(); ++a) {
    const bool last = a + 1 == attempts.size();
    const bool running = last && out.running && !attempts[a].end;
    TakeAttempt(attempts[a], {ends[a], running, limits[a]}, common, out, tally);
    if (last) break;
    // Between two jobs, none waited.
    const Bucket between = attempts[a + 1].new_job ? Bucket::kExcluded : Bucket::kRecovery;
    tally.Take(ends[a], attempts[a + 1].start, between, left_out);
  }
  ListDisruptions(attempts, ends, tally, out);
  if (began && out.running) AddOpenStep(attempts.back(), out);
  out.other_jobs = static_cast<int64_t>(lineup.others.size());
  if (!lineup.others.empty()) out.other_job = lineup.others.front()->writer();
  MeasureSlices(slices_, out);
  SumUp(tally, totals_.labels, out);
  return out;
}

}  // namespace stepscope::goodput
