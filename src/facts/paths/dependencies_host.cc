// Adds the host's moments: begins and ends of operators, annotations and calls.
#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/innermost.h"
#include "base/sort_runs.h"
#include "base/stop.h"
#include "facts/paths/dependencies.h"
#include "facts/paths/dependency_draft.h"

namespace stepscope {
namespace {

// A thread that did nothing for this long may have been waiting for another one, as the main
// thread does for the one that runs the backward pass.
constexpr int64_t kQuiet = 50'000;  // ns

// Of each range: the outermost range around it that loads data, or kNoRange.
RangeLinks FindDataLoading(const HostOps& host, const StringTable& names) {
  enum : uint8_t { kUnknown, kNo, kYes };
  std::vector<uint8_t> loads(names.size(), kUnknown);
  return FindOutermost(host, [&](const HostRange& range) {
    uint8_t& known = loads[range.name];
    if (known == kUnknown)
      known = PhaseOfName(names[range.name]) == Phase::kDataLoading ? kYes : kNo;
    return known == kYes;
  });
}

}  // namespace

bool MayWait(std::string_view operator_name) {
  return std::ranges::none_of(
      std::to_array<std::string_view>({"aten::", "mkldnn", "onednn", "fbgemm", "prims::"}),
      [&](std::string_view prefix) { return operator_name.starts_with(prefix); });
}

namespace {

Bound BoundOfCall(CallRole role) {
  switch (role) {
    case CallRole::kLaunch:
    case CallRole::kGraphLaunch:
    case CallRole::kCopy:
    case CallRole::kSet:
      return Bound::kLaunch;
    case CallRole::kStreamSync:
    case CallRole::kDeviceSync:
    case CallRole::kEventSync:
      return Bound::kSync;
    default:
      return Bound::kCpu;
  }
}

// What a thread does while `range` and `call` are the innermost, if any are.
Edge LabelOf(const HostOps& host, const RangeLinks& loading, uint32_t thread, int32_t range,
             const std::optional<Call>& call) {
  Edge edge{.lag = DependencyDraft::kUsual,
            .bound = Bound::kCpu,
            .reason = Reason::kThread,
            .thread = thread,
            .range = range};
  const auto name_of = [&](int32_t r) { return host.ranges[static_cast<size_t>(r)].name; };
  if (range != kNoRange && loading[static_cast<size_t>(range)] != kNoRange) {
    edge.bound = Bound::kDataLoading;
    edge.name = name_of(loading[static_cast<size_t>(range)]);
    return edge;
  }
  if (call) edge.bound = BoundOfCall(call->role);
  const bool by_range = !call || edge.bound == Bound::kLaunch;
  if (by_range && range != kNoRange) {
    edge.name = name_of(range);
  } else if (call) {
    edge.name = call->name;
  }
  return edge;
}

// Calls add(time) for the begins and ends of items that begin one after the other: in order, where
// they lie within one another as they should.
template <class Sink>
class InOrder {
 public:
  explicit InOrder(const Sink& add) : add_(add) {}

  template <class Item>
  void Add(const Item& item) {
    Leave(item.start);
    add_(item.start);
    ends_.push_back(item.end);
  }
  void Finish() { Leave(INT64_MAX); }

 private:
  void Leave(int64_t until) {
    for (; !ends_.empty() && ends_.back() <= until; ends_.pop_back()) add_(ends_.back());
  }

  const Sink& add_;
  std::vector<int64_t> ends_;
};

bool Touches(int64_t start, int64_t end, const PathWindow& window) {
  return end >= window.start && start <= window.end;
}

}  // namespace

HostMoments::HostMoments(const RankActivity& rank, const StringTable& names, DependencyDraft& draft)
    : draft_(draft),
      window_(draft.window()),
      threads_(rank.host->threads.size()),
      calls_(rank.host->threads.size()) {
  FindWorking(rank);
  FindWaits(rank, names);
  CollectTimes(rank);
  AddThreads(rank, names, draft);
  if (rank.on_host) AddRecordedHandOvers(*rank.host, draft);
  if (rank.on_host && !rank.host->HasFrames()) GuessWaits(*rank.host, draft);
  AddHandOvers(draft);
}

// Threads that only poll, such as those which watch collectives, explain nothing; nor do those of a
// library that communicates, whose operators are parts of its records.
void HostMoments::FindWorking(const RankActivity& rank) {
  if (!window_.whole()) threads_[window_.thread].works = true;
  std::set<StringId> records;
  for (const Activity& activity : rank.activities) {
    if (rank.HasRecords() && rank.IsCollective(activity)) records.insert(activity.name);
  }
  RangeLinks inside;
  if (!records.empty()) {
    inside = FindOutermost(*rank.host, [&](const HostRange& range) {
      return range.kind != Kind::kOperator && records.contains(range.name);
    });
  }
  StopChecks checks;
  for (size_t r = 0; r < rank.host->ranges.size(); ++r) {
    checks.Turn();
    const HostRange range = rank.host->ranges[r];
    const bool of_record = !records.empty() && inside[r] != kNoRange;
    if (range.kind == Kind::kOperator && !of_record) threads_[range.thread].works = true;
  }
  for (const Activity& activity : rank.activities) {
    const auto call = rank.CallOf(activity);
    if (call) threads_[call->thread].works = true;
  }
}

void HostMoments::FindWaits(const RankActivity& rank, const StringTable& names) {
  if (!rank.HasRecords()) return;
  waits_ = rank.host->waits;
  std::vector<bool> looked(names.size()), waits(names.size());
  StopChecks checks;
  for (const HostRange& range : rank.host->ranges) {
    checks.Turn();
    if (range.kind != Kind::kOperator) continue;
    if (!looked[range.name]) waits[range.name] = IsOperatorWait(names[range.name]);
    looked[range.name] = true;
    if (waits[range.name])
      waits_.push_back({.start = range.start, .end = range.end, .thread = range.thread});
  }
  std::ranges::sort(waits_, {}, [](const HostWait& w) { return std::pair(w.thread, w.start); });
  std::pair<uint32_t, int64_t> outer(kNowhere, 0);  // thread and end of the last that is kept
  std::erase_if(waits_, [&](const HostWait& wait) {
    if (wait.thread == outer.first && wait.start < outer.second) return true;
    outer = {wait.thread, wait.end};
    return false;
  });
}

void HostMoments::CollectTimes(const RankActivity& rank) {
  const HostOps& host = *rank.host;
  StopChecks checks;
  for (uint32_t c = 0; c < host.calls.size(); ++c) {
    const Call call = host.calls[c];
    if (threads_[call.thread].works && Touches(call.start, call.end, window_))
      calls_[call.thread].push_back(c);
  }
  const std::vector<size_t> of_thread = host.RangesByThread();
  for (uint32_t t = 0; t < threads_.size(); ++t) {
    Thread& thread = threads_[t];
    if (!thread.works) continue;
    thread.times.push_back(window_.start);
    const auto add = [&](int64_t time) {
      if (time > window_.start && time <= window_.end && time != thread.times.back())
        thread.times.push_back(time);
    };
    InOrder ranges(add), calls(add), waits(add);
    for (size_t r = of_thread[t]; r < of_thread[t + 1]; ++r) {
      checks.Turn();
      ranges.Add(host.ranges[r]);
    }
    ranges.Finish();
    for (const uint32_t c : calls_[t]) calls.Add(host.calls[c]);
    calls.Finish();
    const auto own = std::ranges::equal_range(waits_, t, {}, &HostWait::thread);
    for (const HostWait& wait : own) waits.Add(wait);
    waits.Finish();
    SortRuns(thread.times);
    const auto repeated = std::ranges::unique(thread.times);
    thread.times.erase(repeated.begin(), repeated.end());
  }
}

// The ranges of thread `t` begin at `first` and end before `last`.
void HostMoments::AddThread(const HostOps& host, const RangeLinks& loading, uint32_t t,
                            size_t first, size_t last, DependencyDraft& draft) {
  Thread& thread = threads_[t];
  const auto range_at = [&](size_t r) { return host.ranges[r]; };
  const auto call_at = [&](size_t c) { return host.calls[calls_[t][c]]; };
  Innermost ranges(first), calls;
  auto one_time = host.one_time.begin();
  int64_t one_time_until = window_.start;  // of the thread's one-time work so far
  auto wait = std::ranges::lower_bound(waits_, t, {}, &HostWait::thread);
  thread.quiet.resize(thread.times.size());
  thread.first_edge = draft.edges();
  for (size_t i = 1; i < thread.times.size(); ++i) {
    const int64_t now = thread.times[i - 1];
    const int32_t range = ranges.At(now, last, range_at);
    const int32_t call = calls.At(now, calls_[t].size(), call_at);
    const auto inside =
        call == kNoRange ? std::nullopt : std::optional(call_at(static_cast<size_t>(call)));
    Edge slice = LabelOf(host, loading, t, range, inside);
    for (; one_time != host.one_time.end() && one_time->start <= now; ++one_time) {
      if (one_time->thread == t) one_time_until = std::max(one_time_until, one_time->end);
    }
    if (now < one_time_until) slice.bound = Bound::kOneTime;
    while (wait != waits_.end() && wait->thread == t && wait->end <= now) ++wait;
    if (wait != waits_.end() && wait->thread == t && wait->start <= now) slice.bound = Bound::kSync;
    const bool nothing = range == kNoRange && !inside;
    if (nothing && i == 1) slice.bound = Bound::kNoRecord;
    const bool operates =
        range != kNoRange && range_at(static_cast<size_t>(range)).kind == Kind::kOperator;
    thread.quiet[i] = !inside && !operates;
    const uint32_t moment = draft.AddMoment(thread.times[i], Order::kHost);
    if (i == 1) thread.first = moment;
    draft.AddEdge(MomentOf(thread, i - 1), moment, slice);
  }
}

void HostMoments::AddThreads(const RankActivity& rank, const StringTable& names,
                             DependencyDraft& draft) {
  const HostOps& host = *rank.host;
  size_t moments = 1;
  for (const Thread& thread : threads_) moments += thread.times.size();
  // Of each activity: its start and end, and what leads to them.
  draft.Reserve(moments + 2 * rank.activities.size(), moments + 3 * rank.activities.size());
  const RangeLinks loading = FindDataLoading(host, names);
  const std::vector<size_t> of_thread = host.RangesByThread();
  for (uint32_t t = 0; t < threads_.size(); ++t) {
    if (threads_[t].works) AddThread(host, loading, t, of_thread[t], of_thread[t + 1], draft);
  }
}

uint32_t HostMoments::MomentOf(const Thread& thread, size_t i) const {
  return i == 0 ? DependencyDraft::kOrigin : thread.first + static_cast<uint32_t>(i - 1);
}

bool HostMoments::EndsWait(const HandOver& h) const {
  const auto after =
      std::ranges::upper_bound(waits_, std::pair(h.to, h.taken), {},
                               [](const HostWait& w) { return std::pair(w.thread, w.start); });
  if (after == waits_.begin()) return false;
  return std::prev(after)->thread == h.to && std::prev(after)->end >= h.taken;
}

// What a thread takes from another one begins there, or ends its wait.
void HostMoments::AddRecordedHandOvers(const HostOps& host, DependencyDraft& draft) {
  for (const HandOver& h : host.hand_overs) {
    const bool waits = EndsWait(h);
    if (!waits) threads_[h.to].takes = true;
    if (h.taken <= window_.start || h.taken > window_.end) continue;
    const uint32_t from = At(h.from, h.given), to = At(h.to, h.taken);
    if (from == kNowhere || to == kNowhere) continue;
    draft.AddEdge(from, to,
                  {.lag = DependencyDraft::kUsual,
                   .bound = waits ? Bound::kSync : Bound::kLaunch,
                   .reason = waits ? Reason::kSync : Reason::kLaunch,
                   .thread = h.to});
  }
}

// A thread that calls programs may wait for one without a record of it, unless Python's functions
// are recorded: in a quiet stretch that ends just after a program has.
void HostMoments::GuessWaits(const HostOps& host, DependencyDraft& draft) {
  std::vector<HandOver> ends;  // of programs: the threads that run them wait for that
  for (const HandOver& h : host.hand_overs) {
    if (threads_[h.to].takes && EndsWait(h)) ends.push_back(h);
  }
  std::ranges::sort(ends, {}, &HandOver::given);
  for (const Thread& thread : threads_) {
    for (size_t i = 1; i < thread.times.size() && !thread.takes; ++i) {
      const int64_t since = thread.times[i - 1], now = thread.times[i];
      if (thread.quiet[i] == 0 || now - since < kQuiet) continue;
      const auto after = std::ranges::upper_bound(ends, now, {}, &HandOver::given);
      if (after == ends.begin()) continue;
      const HandOver& end = *std::prev(after);
      const uint32_t from = At(end.from, end.given);
      if (end.given <= std::max(since, now - kWoken) || from == kNowhere) continue;
      draft.AddEdge(
          from, MomentOf(thread, i),
          {.lag = DependencyDraft::kUsual, .bound = Bound::kSync, .reason = Reason::kSync});
      draft.CountGuess();
    }
  }
}

// A thread that was quiet, and goes on after another one did something meanwhile, had waited for
// that: the main thread for the one of the backward pass, and that one for the main thread before.
// Of threads whose tasks are recorded, and what they hand over, nothing is guessed.
void HostMoments::AddHandOvers(DependencyDraft& draft) {
  if (std::ranges::count_if(threads_, &Thread::works) < 2) return;
  struct Seen {
    int64_t time;
    uint32_t thread, index;
  };
  std::vector<Seen> all;
  for (uint32_t t = 0; t < threads_.size(); ++t) {
    if (threads_[t].takes) continue;
    for (uint32_t i = 1; i < threads_[t].times.size(); ++i) {
      all.push_back({threads_[t].times[i], t, i});
    }
  }
  SortRuns(all, {}, &Seen::time);
  const Seen* latest = nullptr;  // of any thread, and the latest of another thread than that
  const Seen* other = nullptr;
  for (const Seen& now : all) {
    const Thread& thread = threads_[now.thread];
    const Seen* before = latest != nullptr && latest->thread != now.thread ? latest : other;
    const int64_t since = thread.times[now.index - 1];
    if (before != nullptr && thread.quiet[now.index] && now.time - since >= kQuiet &&
        before->time > since) {
      const Thread& from = threads_[before->thread];
      const size_t next = before->index + size_t{1};
      Edge edge =
          next < from.times.size() ? SliceBefore(from, next) : SliceBefore(thread, now.index);
      edge.reason = Reason::kHandOver;
      draft.AddEdge(MomentOf(from, before->index), MomentOf(thread, now.index), edge);
    }
    if (latest == nullptr || latest->thread != now.thread) other = latest;
    latest = &now;
  }
}

uint32_t HostMoments::NextAt(uint32_t thread, int64_t time) const {
  if (time <= window_.start) return DependencyDraft::kOrigin;
  const auto& times = threads_[thread].times;
  const auto at = std::ranges::lower_bound(times, time);
  if (at == times.end()) return kNowhere;
  return MomentOf(threads_[thread], static_cast<size_t>(at - times.begin()));
}

int64_t HostMoments::EndOfLongest(uint32_t thread, int64_t start, int64_t end) const {
  const auto& times = threads_[thread].times;
  int64_t longest = 0, until = end;
  for (auto at = std::ranges::upper_bound(times, start); at != times.end() && *at <= end; ++at) {
    if (*at - start > longest) {
      longest = *at - start;
      until = *at;
    }
    start = *at;
  }
  return until;
}

uint32_t HostMoments::At(uint32_t thread, int64_t time) const {
  if (time <= window_.start) return DependencyDraft::kOrigin;
  const auto& times = threads_[thread].times;
  return std::ranges::binary_search(times, time) ? NextAt(thread, time) : kNowhere;
}

std::vector<HostMoments::Quiet> HostMoments::QuietAt(int64_t time, int64_t least,
                                                     const HostOps& host,
                                                     const StringTable& names) const {
  const auto may_wait = [&](const Thread& thread, size_t i) {
    const int32_t range = SliceBefore(thread, i).range;
    if (SliceBefore(thread, i).bound == Bound::kDataLoading) return false;
    if (thread.quiet[i] != 0 || range == kNoRange) return thread.quiet[i] != 0;
    return MayWait(names[host.ranges[static_cast<size_t>(range)].name]);
  };
  std::vector<Quiet> quiet;
  for (uint32_t t = 0; t < threads_.size(); ++t) {
    const Thread& thread = threads_[t];
    const auto at = std::ranges::upper_bound(thread.times, time);
    const auto i = static_cast<size_t>(at - thread.times.begin());
    if (i == 0 || i == thread.times.size() || !may_wait(thread, i)) continue;
    if (thread.times[i] - thread.times[i - 1] <= least) continue;
    const StringId next = i + 1 < thread.times.size() ? SliceBefore(thread, i + 1).name : kNoString;
    quiet.push_back({t, MomentOf(thread, i), thread.times[i - 1], thread.times[i], next});
  }
  return quiet;
}

std::vector<uint32_t> HostMoments::Last() const {
  if (!window_.whole()) return {At(window_.thread, window_.host_end)};
  std::vector<uint32_t> last;
  for (const Thread& thread : threads_) {
    if (thread.works) last.push_back(MomentOf(thread, thread.times.size() - 1));
  }
  return last;
}

}  // namespace stepscope
