// Takes events: those of a process go to its recording, those of schedulers concern the whole job.
#include "goodput/accounting/accounting.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/quantity.h"
#include "base/saturate.h"
#include "base/time_units.h"

namespace stepscope::goodput {
namespace {

// Whether sums and differences of the event's times cannot overflow: times from 1970 to beyond
// 2100. Only checkpoints may lack their own time.
bool Fits(const Event& event) {
  constexpr int64_t kLatest = int64_t{1} << 62;
  constexpr int64_t kMost = int64_t{1} << 61;
  const auto is_time = [](int64_t t) { return t == kUnknown || (t >= 0 && t < kLatest); };
  const auto is_small = [](int64_t v) { return v == kUnknown || (v > -kMost && v < kMost); };
  const CheckpointTimes& c = event.checkpoint;
  int64_t latest = event.time;
  if (IsCheckpoint(event.kind)) {
    for (const auto& span : {c.manager, c.checkpointer, c.wait_for_prev, c.get_old_steps}) {
      latest = std::max(latest, span.start);
    }
  }
  return latest != kUnknown && is_time(latest) && is_time(event.time) && is_time(c.manager.start) &&
         is_small(c.manager.duration) && is_small(event.step) && is_time(event.monotonic);
}

// Of "silence=2h", ns.
std::optional<int64_t> SilenceOf(std::string_view label) {
  constexpr std::string_view kName = "silence=";
  if (!label.starts_with(kName)) return std::nullopt;
  const auto limit = ReadDuration(label.substr(kName.size()));
  constexpr double kLongest = 1e8;
  if (!limit || !(*limit > 0) || *limit > kLongest) return std::nullopt;
  return static_cast<int64_t>(*limit * static_cast<double>(kSecond));
}

}  // namespace

Accounting& Accounting::operator=(const Accounting& other) {
  if (this == &other) return *this;
  recordings_.clear();
  by_writer_.clear();
  latest_ = nullptr;
  for (const auto& recording : other.recordings_) {
    recordings_.push_back(std::make_unique<Recording>(*recording));
    by_writer_[recording->writer()] = recordings_.back().get();
  }
  const auto same = [&](const Recording* of_other) {
    return of_other == nullptr ? nullptr : by_writer_.at(of_other->writer());
  };
  totals_ = other.totals_;
  for (Recording*& leader : totals_.leaders) leader = same(leader);
  for (const auto& recording : recordings_) recording->ForgetSenior();
  lineup_.reset();
  slices_ = other.slices_;
  moments_ = other.moments_;
  notices_ = other.notices_;
  ends_ = other.ends_;
  newest_ = other.newest_;
  scheduling_ = other.scheduling_;
  tokens_ = other.tokens_;
  billion_flops_ = other.billion_flops_;
  stopped_ = other.stopped_;
  stopped_as_ = other.stopped_as_;
  silence_ = other.silence_;
  return *this;
}

bool Accounting::empty() const {
  const bool submitted =
      std::ranges::find(moments_, Moment::kSubmitted, &Moment::what) != moments_.end();
  return !submitted &&
         std::ranges::all_of(recordings_, [](const auto& r) { return r->attempts().empty(); });
}

std::vector<std::string> Accounting::Writers() const {
  std::vector<std::string> writers;
  for (const auto& recording : recordings_) writers.push_back(recording->writer());
  return writers;
}

std::vector<SignOfLife> Accounting::LastSigns() const {
  std::map<int64_t, SignOfLife> signs;
  for (const auto& recording : recordings_) {
    const int64_t rank = recording->name().rank;
    if (rank == kNoRank || recording->attempts().empty()) continue;
    const Attempt& attempt = recording->attempts().back();
    const auto [at, added] =
        signs.try_emplace(rank, SignOfLife{.rank = rank, .last = attempt.last});
    if (!added && attempt.last < at->second.last) continue;
    at->second.last = attempt.last;
    at->second.step = attempt.steps.empty() ? -1 : attempt.told.step;
  }
  std::vector<SignOfLife> all;
  for (const auto& [rank, sign] : signs) all.push_back(sign);
  return all;
}

Notes Accounting::note_counts() const {
  Notes notes = totals_.note_counts;
  notes.Add(LinedUp().note_counts);
  return notes;
}

Recording& Accounting::RecordingOf(const Event& event) {
  static const std::string kNobody;
  const std::string& writer = IsOfLog(event) ? kNobody : event.writer;
  if (latest_ == nullptr || latest_->writer() != writer) {
    Recording*& known = by_writer_[writer];
    if (known == nullptr) {
      recordings_.push_back(std::make_unique<Recording>(writer));
      known = recordings_.back().get();
    }
    latest_ = known;
  }
  return *latest_;
}

void Accounting::Add(const Event& event) {
  if (!Fits(event)) return totals_.note_counts.Add(NoteKind::kOutOfRange);
  lineup_.reset();
  switch (event.kind) {
    case EventKind::kNone:
    case EventKind::kCount:
    case EventKind::kWatched:
      return;
    case EventKind::kLabel:
      if (const auto limit = SilenceOf(event.text)) silence_ = limit;
      return;
    case EventKind::kActivity:
      tokens_ = AddSaturated(tokens_, std::max<int64_t>(0, event.counts[0]));
      billion_flops_ = AddSaturated(billion_flops_, std::max<int64_t>(0, event.counts[1]));
      TakeLater(event.time, newest_);
      return;
    case EventKind::kDropped:
      TakeLater(event.time, newest_);
      return totals_.note_counts.Add(NoteKind::kDropped, std::max<int64_t>(1, event.counts[0]));
    case EventKind::kJobState:
      if (event.time < stopped_) return;
      TakeLater(event.time, newest_);
      stopped_ = event.time;
      stopped_as_ = event.text;
      return;
    case EventKind::kJobSubmitted:
    case EventKind::kResources:
      TakeLater(event.time, newest_);
      return AddMoment(event);
    case EventKind::kElasticSlices:
      if (event.counts[1] > 0 && event.counts[0] >= 0 && event.counts[2] >= 0) {
        const auto all = static_cast<double>(event.counts[1]);
        slices_.push_back({event.time, static_cast<double>(event.counts[0]) / all,
                           static_cast<double>(event.counts[2]) / all});
      }
      break;
    default:
      break;
  }
  RecordingOf(event).Add(event, totals_);
}

void Accounting::AddMoment(const Event& event) {
  if (event.kind == EventKind::kJobSubmitted) {
    return moments_.push_back({event.time, Moment::kSubmitted});
  }
  scheduling_.Add(event);
  const int64_t requested = event.counts[0], allocated = event.counts[1];
  if (allocated > 0 && allocated >= requested) {
    moments_.push_back({event.time, Moment::kAllocated});
  } else if (requested > 0) {
    moments_.push_back({event.time, Moment::kRequested});
  }
}

void Accounting::AddLate(const Event& event) {
  if (!Fits(event)) return totals_.note_counts.Add(NoteKind::kOutOfRange);
  lineup_.reset();
  TakeLater(event.time, newest_);
  if (event.kind == EventKind::kPreemptionNotice) {
    notices_.push_back(event);
  } else if (event.kind == EventKind::kProcessEnd) {
    ends_.push_back(event);
  } else if (event.kind == EventKind::kJobState) {
    Add(event);
  } else if (event.kind == EventKind::kResources || event.kind == EventKind::kJobSubmitted) {
    AddMoment(event);
  }
}

std::optional<int64_t> Accounting::Newest() const { return std::max(newest_, LinedUp().newest); }

const Lineup& Accounting::LinedUp() const {
  if (lineup_) return *lineup_;
  lineup_ = LineUp(recordings_);
  AddNotices(*lineup_);
  AddEnds(*lineup_);
  Schedule(*lineup_);
  return *lineup_;
}

// Notices from schedulers and from logs of other tools: of the attempt that ran then.
void Accounting::AddNotices(Lineup& lineup) const {
  const auto add = [&](int64_t time, const std::string& text) {
    const auto next = std::ranges::upper_bound(lineup.attempts, time, {}, &JointAttempt::start);
    if (next == lineup.attempts.begin()) return lineup.note_counts.Add(NoteKind::kNoJobStart);
    JointAttempt& attempt = *std::prev(next);
    if (!attempt.notice || time <= *attempt.notice) attempt.notice_text = text;
    TakeLater(time, attempt.notice);
    attempt.last = std::max(attempt.last, time);
  };
  for (const Event& notice : notices_) add(notice.time, notice.text);
  for (const Attempt* loose : lineup.loose) {
    if (loose->notice) add(*loose->notice, loose->notice_text);
  }
}

// Why the scheduler ended an attempt that told no end: processes see only that they are gone.
void Accounting::AddEnds(Lineup& lineup) const {
  for (const Event& end : ends_) {
    const auto next = std::ranges::upper_bound(lineup.attempts, end.time, {}, &JointAttempt::start);
    if (next == lineup.attempts.begin()) continue;
    JointAttempt& attempt = *std::prev(next);
    const bool too_early = end.time + kMinute < attempt.last;
    if (attempt.end || attempt.notice || too_early) continue;
    for (Phrase* text : {&attempt.reason, &attempt.cause}) {
      if (text->contains(end.text)) continue;
      if (!text->empty()) *text += ": ";
      *text += end.text;
    }
  }
}

// Requests and allocations belong to the next attempt that begins after them.
void Accounting::Schedule(Lineup& lineup) const {
  std::vector<JointAttempt>& attempts = lineup.attempts;
  const auto earliest = [](int64_t time, std::optional<int64_t>& of) {
    if (!of || time < *of) of = time;
  };
  for (const Moment& moment : moments_) {
    const auto next = std::ranges::lower_bound(attempts, moment.time, {}, &JointAttempt::start);
    if (moment.what == Moment::kSubmitted && next == attempts.begin()) {
      earliest(moment.time, lineup.submitted);
      continue;
    }
    // A later step shows that the previous attempt went on.
    const bool went_on = next != attempts.begin() && !std::prev(next)->steps().empty() &&
                         std::prev(next)->lead->told.time >= moment.time;
    if (went_on) continue;
    const bool last = next == attempts.end();
    const bool given = moment.what == Moment::kAllocated;
    earliest(moment.time, given ? (last ? lineup.allocated : next->allocated)
                                : (last ? lineup.requested : next->requested));
  }
}

}  // namespace stepscope::goodput
