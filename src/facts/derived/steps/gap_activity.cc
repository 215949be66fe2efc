// Walks the records of a thread around and within an interval.
#include "facts/derived/steps/gap_activity.h"

#include <algorithm>
#include <map>
#include <ranges>

#include "base/saturate.h"
#include "base/sort_runs.h"
#include "base/stop.h"
#include "trace/vocabulary.h"

namespace stepscope {
namespace {

// How often each record may be looked at, on average.
constexpr int64_t kLooks = 64;

}  // namespace

HostActivities::HostActivities(const StringTable& names, const HostOps& host)
    : names_(names), host_(host), first_range_(host.RangesByThread()), calls_(host.threads.size()) {
  is_step_.reserve(host.ranges.size());
  StopChecks checks;
  for (const HostRange& range : host.ranges) {
    checks.Turn();
    is_step_.push_back(IsStep(range));
    if (is_step_.back() && !step_thread_) step_thread_ = range.thread;
  }
  for (uint32_t c = 0; c < host.calls.size(); ++c) calls_[host.calls[c].thread].push_back(c);
  IndexInputWaits();
  budget_ = kLooks * (std::ssize(host.ranges) + std::ssize(host.calls) + 64);
}

void HostActivities::IndexInputWaits() {
  std::vector<std::optional<bool>> waits(names_.size());  // by name
  StopChecks checks;
  for (const HostRange& range : host_.ranges) {
    checks.Turn();
    auto& is_wait = waits[range.name];
    if (!is_wait) is_wait = HostActivityOfName(names_[range.name]) == HostActivity::kInputWait;
    if (!*is_wait) continue;
    waits_.push_back({range.start, range.end, range.name});
    longest_wait_ = std::max(longest_wait_, SubtractSaturated(range.end, range.start));
  }
  SortRuns(waits_, {}, &Piece::start);
}

std::optional<MainActivity> HostActivities::InputWait(int64_t from, int64_t to) {
  std::vector<Piece> pieces;
  auto at = std::ranges::lower_bound(waits_, to, {}, &Piece::start);
  while (at != waits_.begin() && budget_ > 0) {
    --budget_;
    const Piece& wait = *--at;
    if (SubtractSaturated(from, wait.start) >= longest_wait_) break;
    const Piece part = {std::max(wait.start, from), std::min(wait.end, to), wait.name};
    if (part.end > part.start) pieces.push_back(part);
  }
  const Longest longest = LongestOf(pieces);
  if (budget_ <= 0 || longest.name == kNoString || longest.time < (to - from) / 2)
    return std::nullopt;
  return MainActivity{.name = std::string(names_[longest.name]),
                      .time = std::min(longest.time, to - from)};
}

bool HostActivities::IsStep(const HostRange& range) const {
  const RangeDetail* detail = host_.DetailOf(range);
  return (detail != nullptr && detail->step >= 0) || StepNumber(names_[range.name]) >= 0;
}

// Adds the outermost range at `from` that does not hold the whole stretch. `last`: the last range
// that begins no later. `around`: the name of the innermost that does hold it.
void HostActivities::AddRangesAt(size_t last, int64_t from, int64_t to, std::vector<Piece>& pieces,
                                 StringId& around) {
  std::optional<Piece> outermost;
  int32_t innermost_around = kNoRange;
  for (auto r = static_cast<int32_t>(last); r != kNoRange;
       r = Range(static_cast<size_t>(r)).parent) {
    --budget_;
    const auto at = static_cast<size_t>(r);
    const HostRange& range = Range(at);
    if (range.end <= from || is_step_[at]) continue;
    if (range.end < to) {
      outermost = Piece{from, range.end, range.name};
    } else if (innermost_around == kNoRange) {
      innermost_around = r;
    }
  }
  if (outermost) pieces.push_back(*outermost);
  if (innermost_around != kNoRange) around = Range(static_cast<size_t>(innermost_around)).name;
}

std::vector<HostActivities::Piece> HostActivities::Pieces(uint32_t thread, int64_t from, int64_t to,
                                                          StringId& around) {
  std::vector<Piece> pieces;
  const size_t first = first_range_[thread], last = first_range_[thread + 1];
  const size_t next = *std::ranges::upper_bound(std::views::iota(first, last), from, {},
                                                [this](size_t r) { return Range(r).start; });
  if (next > first) AddRangesAt(next - 1, from, to, pieces, around);
  int64_t until = pieces.empty() ? from : pieces.back().end;
  for (size_t r = next; r < last && Range(r).start < to; ++r) {
    --budget_;
    const HostRange& range = Range(r);
    if (range.start < until || is_step_[r]) continue;
    until = range.end;
    pieces.push_back({range.start, std::min(range.end, to), range.name});
  }
  return pieces;
}

// Adds the calls outside of all pieces; the longest of all calls.
HostActivities::Longest HostActivities::AddCalls(uint32_t thread, int64_t from, int64_t to,
                                                 std::vector<Piece>& pieces) {
  const auto start_of = [this](uint32_t c) { return host_.calls[c].start; };
  const auto& calls = calls_[thread];
  auto at = std::ranges::lower_bound(calls, from, {}, start_of);
  if (at != calls.begin()) --at;  // calls of a thread follow one another, or hold one another
  int64_t until = from;
  std::vector<Piece> outside, all;
  size_t piece = 0;
  const size_t ranges = pieces.size();
  for (; at != calls.end() && start_of(*at) < to; ++at) {
    --budget_;
    const Call& call = host_.calls[*at];
    const Piece part = {std::max(call.start, until), std::min(call.end, to), call.name};
    if (part.end <= part.start) continue;
    until = part.end;
    all.push_back(part);
    while (piece < ranges && pieces[piece].end <= part.start) ++piece;
    if (piece == ranges || part.start < pieces[piece].start) outside.push_back(part);
  }
  pieces.insert(pieces.end(), outside.begin(), outside.end());
  return LongestOf(all);
}

// The name with the most time; of equals the one that came first.
HostActivities::Longest HostActivities::LongestOf(std::span<const Piece> pieces) {
  std::map<StringId, int64_t> times;
  Longest longest;
  for (const Piece& piece : pieces) times[piece.name] += piece.end - piece.start;
  for (const Piece& piece : pieces) {
    if (times[piece.name] > longest.time) longest = {piece.name, times[piece.name]};
  }
  return longest;
}

std::optional<MainActivity> HostActivities::In(uint32_t thread, int64_t from, int64_t to) {
  if (from >= to || budget_ <= 0) return std::nullopt;
  StringId around = kNoString;
  auto pieces = Pieces(thread, from, to, around);
  const Longest call = AddCalls(thread, from, to, pieces);
  const Longest longest = LongestOf(pieces);
  int64_t rest = to - from;
  for (const Piece& piece : pieces) rest -= piece.end - piece.start;
  MainActivity activity;
  if (longest.name != kNoString && longest.time >= rest) {
    activity = {.name = std::string(names_[longest.name]), .time = longest.time};
  } else {
    activity = {.name = around == kNoString ? kPythonActivity : std::string(names_[around]),
                .time = std::max<int64_t>(rest, 0)};
  }
  if (call.name != kNoString && call.time >= (to - from) / 2) activity.call = names_[call.name];
  return activity;
}

}  // namespace stepscope
