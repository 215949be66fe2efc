// Serializes an accounting, for jobs whose events are no longer kept.
#include <algorithm>
#include <optional>

#include "base/crc32.h"
#include "goodput/accounting/accounting.h"

namespace stepscope::goodput {
namespace {

// 1 had no FLOPs; 1 and 2 had one recording; up to 3 jobs had no limit of silence.
constexpr uint64_t kVersion = 4;
constexpr uint64_t kOneRecording = 2;
constexpr uint64_t kNoSilence = 3;
constexpr size_t kKinds = static_cast<size_t>(EventKind::kCount);

// In a state, an absent number is kUnknown.
void SaveMaybe(std::optional<int64_t> number, StateWriter& out) {
  out.Signed(number.value_or(kUnknown));
}

std::optional<int64_t> LoadMaybe(StateReader& in) {
  const int64_t number = in.Signed();
  return number == kUnknown ? std::nullopt : std::optional(number);
}

}  // namespace

void OpenSpans::Save(StateWriter& out) const {
  for (size_t k = 0; k < static_cast<size_t>(EventKind::kCount); ++k) {
    SaveMaybe(Of(static_cast<EventKind>(k)), out);
  }
  for (const auto* spans : {&custom, &waits}) {
    out.Unsigned(spans->size());
    for (const auto& [type, begin] : *spans) {
      out.Text(type);
      out.Signed(begin);
    }
  }
}

void OpenSpans::Load(StateReader& in, size_t kinds) {
  for (size_t k = 0; k < kinds; ++k) {
    if (const auto begin = LoadMaybe(in)) plain[static_cast<EventKind>(k)] = *begin;
  }
  for (auto* spans : {&custom, &waits}) {
    for (size_t left = in.Count(); left > 0 && in.ok(); --left) {
      std::string type = in.Text();
      (*spans)[std::move(type)] = in.Signed();
    }
  }
}

void Attempt::Save(StateWriter& out) {
  out.Text(id);
  for (const int64_t time : {start, last}) out.Signed(time);
  for (const auto time : {end, notice}) SaveMaybe(time, out);
  out.Text(notice_text);
  out.Unsigned((in_process ? 1u : 0u) | (first_lasts ? 2u : 0u) | (started ? 4u : 0u) |
               (lives ? 8u : 0u) | (counted_on != 0 ? 16u : 0u));
  if (counted_on != 0) out.Signed(counted_on);
  steps.Save(out);
  out.Signed(lasting_steps);
  for (const auto number : {step_end, saved}) SaveMaybe(number, out);
  overlays.Save(out);
  out.Signed(async_loading);
  for (const auto time : {left, resumed}) SaveMaybe(time, out);
  for (const int64_t number : {told.step, told.time, blocked}) out.Signed(number);
  out.Text(last_word);
  out.Unsigned(long_steps.size());
  for (const LongStep& step : long_steps) {
    for (const int64_t number : {step.start, step.end, step.made}) out.Signed(number);
  }
  open.Save(out);
}

namespace {

// The part that all versions have, after the times.
void LoadCourse(StateReader& in, Attempt& attempt) {
  attempt.notice_text = in.Text();
  const uint64_t flags = in.Unsigned();
  attempt.in_process = (flags & 1) != 0;
  attempt.first_lasts = (flags & 2) != 0;
  attempt.started = (flags & 4) != 0;
  attempt.lives = (flags & 8) != 0;
  constexpr int64_t kLargest = int64_t{1} << 60;
  if ((flags & 16) != 0) attempt.counted_on = std::clamp(in.Signed(), -kLargest, kLargest);
  attempt.steps.Load(in);
  attempt.lasting_steps = in.Signed();
  for (auto* number : {&attempt.step_end, &attempt.saved}) *number = LoadMaybe(in);
  attempt.overlays.Load(in);
  attempt.async_loading = in.Signed();
}

}  // namespace

void Attempt::Load(StateReader& in, size_t kinds) {
  id = in.Text();
  for (int64_t* time : {&start, &last}) *time = in.Signed();
  for (auto* time : {&end, &notice}) *time = LoadMaybe(in);
  LoadCourse(in, *this);
  for (auto* time : {&left, &resumed}) *time = LoadMaybe(in);
  for (int64_t* number : {&told.step, &told.time, &blocked}) *number = in.Signed();
  last_word = in.Text();
  long_steps.resize(in.Count());
  for (LongStep& step : long_steps) {
    for (int64_t* number : {&step.start, &step.end, &step.made}) *number = in.Signed();
  }
  open.Load(in, kinds);
}

void Recording::Save(StateWriter& out) {
  out.Text(writer_);
  out.Unsigned((recorder_ ? 1u : 0u) | (thin_ ? 2u : 0u));
  SaveMaybe(clock_, out);
  out.Signed(stepped_);
  out.Unsigned(attempts_.size());
  for (Attempt& attempt : attempts_) attempt.Save(out);
  if (thin_) return;
  step_clock_.Save(out);
  usual_.Save(out);
}

// The writer's name is read already.
void Recording::Load(StateReader& in, size_t kinds) {
  const uint64_t flags = in.Unsigned();
  recorder_ = (flags & 1) != 0;
  thin_ = (flags & 2) != 0;
  clock_ = LoadMaybe(in);
  stepped_ = in.Signed();
  for (size_t left = in.Count(); left > 0 && in.ok(); --left) {
    Attempt attempt;
    attempt.Load(in, kinds);
    AddLoaded(std::move(attempt));
  }
  if (thin_) return;
  step_clock_.Load(in);
  usual_.Load(in);
}

void Recording::AddLoaded(Attempt attempt) {
  if (!attempt.id.empty()) by_id_[attempt.id] = attempts_.size();
  attempts_.push_back(std::move(attempt));
}

void Accounting::Save(StateWriter& out) {
  SaveMaybe(Newest(), out);
  out.Unsigned(recordings_.size());
  for (const auto& recording : recordings_) recording->Save(out);
  out.Unsigned(totals_.labels.size());
  for (const std::string& label : totals_.labels) out.Text(label);
  out.Unsigned(totals_.clocks.size());
  for (const auto& [clock, offset] : totals_.clocks) {
    out.Text(clock);
    out.Signed(offset);
  }
  out.Unsigned(moments_.size());
  for (const Moment& moment : moments_) {
    out.Signed(moment.time);
    out.Unsigned(moment.what);
  }
  SaveMaybe(stopped_, out);
  out.Text(stopped_as_);
  out.Unsigned(slices_.size());
  for (const SliceCount& slice : slices_) {
    out.Signed(slice.time);
    out.Real(slice.active);
    out.Real(slice.available);
  }
  scheduling_.Save(out);
  for (const int64_t count : {tokens_, totals_.saves, billion_flops_}) out.Signed(count);
  SaveNotes(totals_.note_counts, out);
  SaveMaybe(silence_, out);
}

std::string Accounting::SaveThinned(const Accounting& later) const {
  Accounting thinned = *this;
  thinned.ThinFor(later);
  StateWriter state, out;
  thinned.Save(state);
  out.Unsigned(kVersion);
  out.Unsigned(Crc32(state.bytes().data(), state.bytes().size()));
  out.Unsigned(kKinds);
  return out.bytes() + state.bytes();
}

// One recording without a writer, and open spans of the last attempt only.
void Accounting::LoadOneRecording(StateReader& in, size_t kinds) {
  const auto add = [this](std::optional<int64_t> time, Moment::What what) {
    if (time) moments_.push_back({*time, what});
  };
  for (const auto what : {Moment::kSubmitted, Moment::kRequested, Moment::kAllocated}) {
    add(LoadMaybe(in), what);
  }
  newest_ = LoadMaybe(in);
  std::vector<Attempt> attempts(in.Count());
  for (Attempt& attempt : attempts) {
    attempt.id = in.Text();
    std::optional<int64_t> requested, allocated;
    for (auto* time : {&requested, &allocated}) *time = LoadMaybe(in);
    for (int64_t* time : {&attempt.start, &attempt.last}) *time = in.Signed();
    for (auto* time : {&attempt.end, &attempt.notice}) *time = LoadMaybe(in);
    add(requested, Moment::kRequested);
    add(allocated, Moment::kAllocated);
    LoadCourse(in, attempt);
    attempt.started = attempt.lives = true;
    if (!attempt.steps.empty()) attempt.told = attempt.steps.last();
  }
  OpenSpans open;
  open.Load(in, kinds);
  if (!attempts.empty()) attempts.back().open = open;
  recordings_.push_back(std::make_unique<Recording>(""));
  for (Attempt& attempt : attempts) recordings_.back()->AddLoaded(std::move(attempt));
}

void Accounting::LoadRecordings(StateReader& in, size_t kinds) {
  newest_ = LoadMaybe(in);
  for (size_t left = in.Count(); left > 0 && in.ok(); --left) {
    recordings_.push_back(std::make_unique<Recording>(in.Text()));
    recordings_.back()->Load(in, kinds);
  }
}

// What schedulers told, and clocks.
void Accounting::LoadMoments(StateReader& in) {
  for (size_t left = in.Count(); left > 0 && in.ok(); --left) {
    std::string clock = in.Text();
    totals_.clocks[std::move(clock)] = in.Signed();
  }
  moments_.resize(in.Count());
  for (Moment& moment : moments_) {
    moment.time = in.Signed();
    moment.what = static_cast<Moment::What>(in.Unsigned());
  }
  stopped_ = LoadMaybe(in);
  stopped_as_ = in.Text();
}

bool Accounting::Load(std::string_view bytes) {
  *this = {};
  StateReader in(bytes);
  const uint64_t version = in.Unsigned(), checksum = in.Unsigned(), kinds = in.Unsigned();
  const std::string_view state = in.rest();
  if (!in.ok() || version < 1 || version > kVersion ||
      checksum != Crc32(state.data(), state.size()) || kinds > kKinds) {
    return false;
  }
  if (version <= kOneRecording) {
    LoadOneRecording(in, kinds);
  } else {
    LoadRecordings(in, kinds);
  }
  totals_.labels.resize(in.Count());
  for (std::string& label : totals_.labels) label = in.Text();
  if (version > kOneRecording) LoadMoments(in);
  slices_.resize(in.Count());
  for (SliceCount& slice : slices_) {
    slice.time = in.Signed();
    slice.active = in.Real();
    slice.available = in.Real();
  }
  if (version <= kOneRecording) {
    StepClock clock;
    clock.Load(in);
    recordings_.back()->SetLoaded(clock);
  }
  scheduling_.Load(in);
  for (int64_t* count : {&tokens_, &totals_.saves}) *count = std::max<int64_t>(0, in.Signed());
  if (version > 1) billion_flops_ = std::max<int64_t>(0, in.Signed());
  totals_.note_counts = LoadNotes(in);
  if (version > kNoSilence) silence_ = LoadMaybe(in);
  if (!in.ok()) *this = {};
  for (const auto& recording : recordings_) {
    by_writer_[recording->writer()] = recording.get();
    if (recording->TellsSteps()) totals_.leaders.push_back(recording.get());
  }
  return in.ok();
}

}  // namespace stepscope::goodput
