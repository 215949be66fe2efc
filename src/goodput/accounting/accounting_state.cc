// Serializes an accounting, for jobs whose events are no longer kept.
#include <algorithm>

#include "base/crc32.h"
#include "base/time_units.h"
#include "goodput/accounting/accounting.h"

namespace stepscope::goodput {
namespace {

constexpr uint64_t kVersion = 2;                   // 1 had no FLOPs
constexpr int64_t kOverlaysOfLate = 60 * kMinute;  // of the last attempt: kept exactly
// Overlays that an attempt keeps exactly: about 150 KB.
constexpr size_t kManyOverlays = 10'000;
constexpr size_t kRecent = 256;  // last steps of the last attempt, all kept

}  // namespace

void Attempt::Save(StateWriter& out) {
  out.Text(id);
  for (const int64_t time : {requested, allocated, start, last, end, notice}) out.Signed(time);
  out.Text(notice_text);
  out.Unsigned((in_process ? 1u : 0u) | (first_lasts ? 2u : 0u));
  steps.Save(out);
  for (const int64_t number : {lasting_steps, step_end, saved}) out.Signed(number);
  overlays.Save(out);
  out.Signed(async_loading);
}

void Attempt::Load(StateReader& in) {
  id = in.Text();
  for (int64_t* time : {&requested, &allocated, &start, &last, &end, &notice}) *time = in.Signed();
  notice_text = in.Text();
  const uint64_t flags = in.Unsigned();
  in_process = (flags & 1) != 0;
  first_lasts = (flags & 2) != 0;
  steps.Load(in);
  for (int64_t* number : {&lasting_steps, &step_end, &saved}) *number = in.Signed();
  overlays.Load(in);
  async_loading = in.Signed();
}

void Accounting::Save(StateWriter& out) {
  for (const int64_t time : {submitted_, requested_, allocated_, newest_}) out.Signed(time);
  out.Unsigned(attempts_.size());
  for (Attempt& attempt : attempts_) attempt.Save(out);
  for (const int64_t begin : open_.plain) out.Signed(begin);
  for (const auto* spans : {&open_.custom, &open_.waits}) {
    out.Unsigned(spans->size());
    for (const auto& [type, begin] : *spans) {
      out.Text(type);
      out.Signed(begin);
    }
  }
  out.Unsigned(labels_.size());
  for (const std::string& label : labels_) out.Text(label);
  out.Unsigned(slices_.size());
  for (const SliceCount& slice : slices_) {
    out.Signed(slice.time);
    out.Real(slice.active);
    out.Real(slice.available);
  }
  step_clock_.Save(out);
  scheduling_.Save(out);
  for (const int64_t count : {tokens_, saves_, billion_flops_}) out.Signed(count);
  SaveNotes(note_counts_, out);
}

namespace {

// Joins overlays between changes of the attempt's course, so that no sum changes.
void PackOverlays(const Attempt& later, int64_t limit, bool goes_on, std::optional<int64_t> next,
                  Attempt& attempt) {
  if (attempt.overlays.size() <= kManyOverlays || attempt.steps.size() < 2) return;
  const int64_t last = later.steps.last().time;
  std::vector<int64_t> cuts{last, later.last};
  for (const int64_t time : {later.step_end, later.end, next.value_or(kUnknown)}) {
    if (time != kUnknown) cuts.push_back(time);
  }
  const auto split = later.steps.Around(limit);
  if (split.before) cuts.push_back(split.before->time);
  if (split.after) cuts.push_back(split.after->time);
  std::ranges::sort(cuts);
  const int64_t to = goes_on ? attempt.last - kOverlaysOfLate : later.last;
  attempt.overlays.Pack(later.steps.second().time, to, cuts);
}

}  // namespace

std::string Accounting::SaveThinned(const Accounting& later) const {
  Accounting thinned = *this;
  const std::vector<int64_t> limits = later.StepLimits();
  for (size_t a = 0; a < thinned.attempts_.size(); ++a) {
    StepTimes& steps = thinned.attempts_[a].steps;
    const int64_t limit = a < limits.size() ? limits[a] : kNoLimit;
    const auto split = steps.Around(limit);
    const bool goes_on = a + 1 == thinned.attempts_.size();
    const auto next =
        a + 1 < later.attempts_.size() ? std::optional(later.attempts_[a + 1].start) : std::nullopt;
    PackOverlays(later.attempts_[a], limit, goes_on, next, thinned.attempts_[a]);
    steps.Thin([&](const StepTime& before, const StepTime& step, size_t left) {
      return before.time / kMinute != step.time / kMinute || step == split.before ||
             step == split.after || (goes_on && left < kRecent);
    });
  }
  StateWriter state, out;
  thinned.Save(state);
  out.Unsigned(kVersion);
  out.Unsigned(Crc32(state.bytes().data(), state.bytes().size()));
  out.Unsigned(open_.plain.size());
  return out.bytes() + state.bytes();
}

bool Accounting::Load(std::string_view bytes) {
  *this = {};
  StateReader in(bytes);
  const uint64_t version = in.Unsigned(), checksum = in.Unsigned(), kinds = in.Unsigned();
  const std::string_view state = in.rest();
  if (!in.ok() || version < 1 || version > kVersion ||
      checksum != Crc32(state.data(), state.size()) || kinds > open_.plain.size()) {
    return false;
  }
  for (int64_t* time : {&submitted_, &requested_, &allocated_, &newest_}) *time = in.Signed();
  attempts_.resize(in.Count());
  for (size_t a = 0; a < attempts_.size(); ++a) {
    attempts_[a].Load(in);
    if (!attempts_[a].id.empty()) by_id_.try_emplace(attempts_[a].id, a);
  }
  for (size_t k = 0; k < kinds; ++k) open_.plain[k] = in.Signed();
  for (auto* spans : {&open_.custom, &open_.waits}) {
    for (size_t left = in.Count(); left > 0 && in.ok(); --left) {
      std::string type = in.Text();
      (*spans)[std::move(type)] = in.Signed();
    }
  }
  labels_.resize(in.Count());
  for (std::string& label : labels_) label = in.Text();
  slices_.resize(in.Count());
  for (SliceCount& slice : slices_) {
    slice.time = in.Signed();
    slice.active = in.Real();
    slice.available = in.Real();
  }
  step_clock_.Load(in);
  scheduling_.Load(in);
  for (int64_t* count : {&tokens_, &saves_}) *count = std::max<int64_t>(0, in.Signed());
  if (version > 1) billion_flops_ = std::max<int64_t>(0, in.Signed());
  note_counts_ = LoadNotes(in);
  if (!in.ok()) *this = {};
  return in.ok();
}

}  // namespace stepscope::goodput
