// Sums functions, with what they call, in two sets of windows.
#include "facts/derived/python/step_function.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/robust.h"
#include "base/saturate.h"
#include "base/stop.h"
#include "facts/activity/idle_within.h"
#include "facts/derived/python/along_windows.h"
#include "facts/derived/python/counted_once.h"
#include "facts/derived/python/frame_owners.h"
#include "facts/derived/python/other_threads.h"
#include "facts/derived/python/python_time.h"
#include "facts/derived/python/step_annotation.h"
#include "trace/library_frames.h"
#include "trace/wait_names.h"

namespace stepscope {
namespace {

// Of what a function takes in slow windows, the excess is this much of the largest such part, or
// more: what calls one function, and little else, is as near to the cause as that function.
constexpr double kAsNear = 0.9;
// A library's functions run everywhere: one is behind the excess only where that is most of it.
constexpr double kOfLibrary = 0.8;
constexpr double kThroughout = 0.9;  // of the other windows: the training loop, and what calls it
constexpr double kCallsMost = 0.8;   // of the time of what is built in
constexpr double kCallsOne = 0.9;    // of what a function takes, in one that it calls

struct Sum {
  int64_t slow = 0, others = 0;  // ns
  int64_t first = INT64_MAX;     // when it first ran in a slow window
};
using Sums = std::unordered_map<StringId, Sum>;

// Adds what each function takes within windows, with what it calls; once where it calls itself.
template <class Add>
void AddUp(const HostFrames& frames, const IntervalSet& windows, const Add& add) {
  const AnywhereInWindows within(windows);
  CountedOnce<> once;
  StopChecks checks;
  for (const HostFrame& frame : frames) {
    checks.Turn();
    const Interval rest = once.Rest(frame.name, frame.start, frame.end);
    const int64_t time = within.Within(rest.start, rest.end);
    if (time > 0) add(frame, time);
  }
}

struct Candidate {
  FrameName frame;
  bool of_library = false;
  int64_t more = 0;  // ns per window
  double part = 0;   // of its time in slow windows, that is excess
  Sum sum;
  StringId name = kNoString;
};

const Candidate& Outermost(const std::vector<Candidate>& some) {
  const auto order = [](const Candidate& c) {
    return std::tuple(-c.sum.slow, c.sum.first, c.name);
  };
  return *std::ranges::min_element(some, {}, order);
}

// Whether calls of `inner` are nearly all within calls of `outer`, on the training thread.
bool IsWithin(const Facts& facts, const RankActivity& rank, const Candidate& inner,
              const Candidate& outer) {
  const IntervalSet calls = UnionOf(CallsOf(facts, rank, inner.frame));
  const IntervalSet around = UnionOf(CallsOf(facts, rank, outer.frame));
  return static_cast<double>(LengthOf(Intersection(calls, around))) >=
         kCallsOne * static_cast<double>(LengthOf(calls));
}

// The innermost function that has nearly all of what `outer` takes: that one only calls it, as what
// measures or repeats calls does.
const Candidate& CalledBy(const Facts& facts, const RankActivity& rank, const Candidate& outer,
                          const std::vector<Candidate>& some) {
  const double least = kCallsOne * static_cast<double>(outer.sum.slow);
  const Candidate* inner = &outer;
  for (const Candidate& c : some) {
    const bool has_all = static_cast<double>(c.sum.slow) >= least && c.sum.slow < inner->sum.slow;
    if (has_all && IsWithin(facts, rank, c, outer)) inner = &c;
  }
  return *inner;
}

// Of the functions around `called`, up to `outer`: the innermost that has a name of its own.
const Candidate& CallerOf(const Facts& facts, const RankActivity& rank, const Candidate& called,
                          const Candidate& outer, const std::vector<Candidate>& some) {
  const Candidate* nearest = &outer;
  for (const Candidate& c : some) {
    const bool nearer = c.sum.slow > called.sum.slow && c.sum.slow < nearest->sum.slow;
    if (nearer && !IsOfDecorator(c.frame.function) && IsWithin(facts, rank, c, outer) &&
        IsWithin(facts, rank, called, c))
      nearest = &c;
  }
  return *nearest;
}

// The outermost of those that are as near to the cause as any; what it only calls, instead.
std::optional<FrameTimes::Leader> Nearest(const Facts& facts, const RankActivity& rank,
                                          std::vector<Candidate> all) {
  if (std::ranges::any_of(all, [](const Candidate& c) { return !c.of_library; }))
    std::erase_if(all, [](const Candidate& c) { return c.of_library; });
  if (all.empty()) return std::nullopt;
  const double most = std::ranges::max(all, {}, &Candidate::part).part;
  std::erase_if(all, [&](const Candidate& c) { return c.part < kAsNear * most; });
  const Candidate& outermost = Outermost(all);
  std::vector<Candidate> alone;  // in slow windows
  std::ranges::copy_if(all, std::back_inserter(alone),
                       [](const Candidate& c) { return c.sum.others == 0; });
  const Candidate& nearest = alone.empty() ? outermost : Outermost(alone);
  // What a library's functions call is its own matter, where these run everywhere.
  const bool looks_within = !alone.empty() || !nearest.of_library;
  const std::vector<Candidate>& within = alone.empty() ? all : alone;
  const Candidate& called = looks_within ? CalledBy(facts, rank, nearest, within) : nearest;
  FrameTimes::Leader leader{.name = called.frame, .time = called.more};
  if (called.name != nearest.name)
    leader.caller = CallerOf(facts, rank, called, nearest, within).frame;
  else if (called.name != outermost.name && outermost.sum.others > 0)
    leader.caller = CallerOf(facts, rank, called, outermost, all).frame;
  return leader;
}

// Of a library, which wraps what it is given as decorators do: no name to look for.
bool IsPrivateOrWrapper(const FrameName& frame) {
  return frame.function.starts_with('_') || IsOfDecorator(frame.function) ||
         frame.function == "reraise_with_filtered_traceback";
}

// What is built in, under one name whatever object it is a method of.
struct BuiltIn {
  FrameName name;
  Sum sum;
  std::unordered_map<StringId, int64_t> callers;  // functions of the user; ns in slow windows
};

// The built-in functions of a run, by number: each name of a frame is looked at once.
class BuiltIns {
 public:
  static constexpr size_t kNone = SIZE_MAX;

  explicit BuiltIns(const StringTable& names) : names_(names) {}

  // kNone: the frame has a file, is a module's, or waits for what another finding has.
  size_t NumberOf(StringId name) {
    const auto [at, is_new] = numbers_.try_emplace(name, kNone);
    if (!is_new) return at->second;
    const FrameName frame = ParseFrameName(names_[name]);
    if (!frame.file.empty() || OnlyWaits(frame) || !ModuleOfFrame(names_[name]).empty())
      return kNone;
    const auto [known, first] = by_frame_.try_emplace(frame, all_.size());
    if (first) all_.push_back({.name = frame});
    return at->second = known->second;
  }
  BuiltIn& operator[](size_t number) { return all_[number]; }
  // By name.
  const std::map<FrameName, size_t>& by_frame() const { return by_frame_; }

 private:
  const StringTable& names_;
  std::unordered_map<StringId, size_t> numbers_;
  std::map<FrameName, size_t> by_frame_;
  std::vector<BuiltIn> all_;
};

IntervalSet OperatorsAndCallsOf(const HostOps& host, uint32_t thread) {
  std::vector<Interval> all = OperatorsOf(host, thread);
  for (const Call& call : host.calls) {
    if (call.thread == thread) all.push_back({call.start, call.end});
  }
  return UnionOf(std::move(all));
}

// Follows the calls of what is built in on one thread, without the operators and runtime calls
// there: what those take, other findings have. Calls add(its number, the frame, ns).
template <class Add>
void AddUpBuiltIns(BuiltIns& known, const RankWindows& where, uint32_t thread, const Add& add) {
  const IntervalSet operators =
      Intersection(OperatorsAndCallsOf(*where.rank->host, thread), where.windows);
  const AnywhereInWindows within(where.windows), within_operators(operators);
  CountedOnce<std::unordered_map<size_t, int64_t>> once;
  StopChecks checks;
  for (const HostFrame& frame : where.rank->host->frames[thread]) {
    checks.Turn();
    const size_t number = known.NumberOf(frame.name);
    if (number == BuiltIns::kNone) continue;
    const Interval rest = once.Rest(number, frame.start, frame.end);
    const int64_t time =
        within.Within(rest.start, rest.end) - within_operators.Within(rest.start, rest.end);
    if (time > 0) add(number, frame, time);
  }
}

// The innermost function of the user around a frame, or kNoString.
StringId UserAround(const Facts& facts, const HostFrames& frames, const HostFrame& frame) {
  const std::vector<FrameOrigin>& origins = FrameOriginsOf(facts);
  for (int32_t f = frame.parent; f != kNoRange; f = frames[static_cast<size_t>(f)].parent) {
    const StringId name = frames[static_cast<size_t>(f)].name;
    if (origins[name] == FrameOrigin::kUser) return name;
  }
  return kNoString;
}

// What is built in and takes longer, and the function of the user that calls it.
std::optional<FrameTimes::Leader> BuiltInBehind(const Facts& facts, const RankWindows& slow,
                                                uint32_t thread, const RankWindows& others,
                                                uint32_t of_others, int64_t least) {
  BuiltIns all(*facts.names);
  AddUpBuiltIns(all, slow, thread, [&](size_t number, const HostFrame& frame, int64_t time) {
    BuiltIn& of = all[number];
    of.sum.slow = AddSaturated(of.sum.slow, time);
    int64_t& called = of.callers[UserAround(facts, slow.rank->host->frames[thread], frame)];
    called = AddSaturated(called, time);
  });
  AddUpBuiltIns(all, others, of_others, [&](size_t number, const HostFrame&, int64_t time) {
    Sum& sum = all[number].sum;
    if (sum.slow > 0) sum.others = AddSaturated(sum.others, time);
  });
  std::optional<FrameTimes::Leader> most;
  for (const auto& [name, number] : all.by_frame()) {
    const BuiltIn& of = all[number];
    if (of.sum.slow <= 0) continue;
    const int64_t mean = of.sum.slow / std::ssize(slow.windows);
    const int64_t excess = mean - of.sum.others / std::ssize(others.windows);
    const bool is_new = static_cast<double>(excess) >= kOfLibrary * static_cast<double>(mean);
    if (excess < least || excess <= 0 || !is_new || (most && most->time >= excess)) continue;
    const auto caller = std::ranges::max_element(
        of.callers, {}, [](const auto& c) { return std::pair(c.second, c.first); });
    const bool is_known =
        caller->first != kNoString &&
        static_cast<double>(caller->second) >= kCallsMost * static_cast<double>(of.sum.slow);
    if (is_known)
      most = {.name = ParseFrameName((*facts.names)[caller->first]), .within = name};
    else
      most = {.name = name};
    most->time = excess;
    most->time_within = is_known ? excess : 0;
  }
  return most;
}

}  // namespace

std::optional<FrameTimes::Leader> FunctionBehind(const Facts& facts, const RankWindows& slow,
                                                 const RankWindows& others, int64_t least) {
  if (slow.windows.empty() || others.windows.empty()) return std::nullopt;
  if (!slow.rank->host->HasFrames() && !others.rank->host->HasFrames())
    return AnnotationBehind(facts, slow, others, least);
  const auto thread = TrainingThread(*facts.names, *slow.rank);
  const auto of_others = TrainingThread(*facts.names, *others.rank);
  if (!thread || !of_others) return std::nullopt;
  Sums sums;
  AddUp(slow.rank->host->frames[*thread], slow.windows, [&](const HostFrame& frame, int64_t time) {
    Sum& sum = sums[frame.name];
    sum.first = std::min(sum.first, frame.start);
    sum.slow = AddSaturated(sum.slow, time);
  });
  AddUp(others.rank->host->frames[*of_others], others.windows,
        [&](const HostFrame& frame, int64_t time) {
          Sum& sum = sums[frame.name];
          sum.others = AddSaturated(sum.others, time);
        });
  const auto throughout = kThroughout * static_cast<double>(LengthOf(others.windows));
  std::vector<Candidate> candidates;
  for (const auto& [name, sum] : sums) {
    const int64_t mean = sum.slow / std::ssize(slow.windows);
    const int64_t excess = mean - sum.others / std::ssize(others.windows);
    if (excess < least || excess <= 0 || static_cast<double>(sum.others) >= throughout) continue;
    FrameName frame = ParseFrameName((*facts.names)[name]);
    // Built in, or "<lambda>", "<listcomp>": no name to look for.
    if (frame.file.empty() || frame.function.starts_with('<')) continue;
    const bool of_library = IsOfLibrary(frame);
    if (of_library && IsPrivateOrWrapper(frame)) continue;
    const double part = static_cast<double>(excess) / static_cast<double>(mean);
    if (of_library && part < kOfLibrary) continue;
    candidates.push_back({std::move(frame), of_library, excess, part, sum, name});
  }
  if (auto nearest = Nearest(facts, *slow.rank, std::move(candidates))) return nearest;
  return BuiltInBehind(facts, slow, *thread, others, *of_others, least);
}

std::vector<Interval> CallsOf(const HostFrames& frames, const StringTable& names,
                              const std::function<bool(const FrameName&)>& is_meant) {
  std::vector<Interval> calls;
  std::unordered_map<StringId, bool> meant;
  StopChecks checks;
  for (const HostFrame& frame : frames) {
    checks.Turn();
    const auto [at, is_new] = meant.try_emplace(frame.name, false);
    if (is_new) at->second = is_meant(ParseFrameName(names[frame.name]));
    if (at->second) calls.push_back({frame.start, frame.end});
  }
  return calls;
}

std::vector<Interval> CallsOf(const Facts& facts, const RankActivity& rank,
                              const FrameName& function) {
  const auto thread = TrainingThread(*facts.names, rank);
  if (!thread) return CallsOfAnnotation(facts, rank, function);
  return CallsOf(rank.host->frames[*thread], *facts.names,
                 [&](const FrameName& name) { return name == function; });
}

std::vector<int64_t> TimesIn(const Facts& facts, const RankWindows& windows,
                             const FrameName& function) {
  std::vector<int64_t> times(windows.windows.size());
  const IntervalSet within = UnionOf(CallsOf(facts, *windows.rank, function));
  const AnywhereInWindows in_calls(within);
  for (size_t w = 0; w < times.size(); ++w)
    times[w] = in_calls.Within(windows.windows[w].start, windows.windows[w].end);
  return times;
}

namespace {

// Finds the function behind the windows that are left, until none is.
class Stretches {
 public:
  Stretches(const Facts& facts, const RankWindows& slow, const RankWindows& others, int64_t least)
      : facts_(facts), slow_(slow), others_(others), least_(least), left_(slow.windows.size()) {
    std::iota(left_.begin(), left_.end(), size_t{0});
  }

  std::vector<StretchBehind> Find() {
    // Less than `least` where another function takes most, or each only a part of the windows.
    const auto take = [&] { return Take(least_) || Take(least_ / 2) || Take(least_ / 4); };
    while (left_.size() >= kFewestWindows && found_.size() < kMostStretches && take()) {
    }
    const bool are_all =
        std::ranges::all_of(found_, [&](const Found& f) { return IsOnlyThere(f); });
    std::vector<StretchBehind> stretches;
    if (found_.size() < 2 || !are_all) return stretches;
    for (const Found& f : found_) stretches.push_back(f.stretch);
    std::ranges::sort(stretches, {}, &StretchBehind::first);
    return stretches;
  }

 private:
  static constexpr size_t kFewestWindows = 3, kMostStretches = 3;
  static constexpr size_t kFewExceptions = 8;  // one of so many windows may be without it

  struct Found {
    StretchBehind stretch;
    std::vector<bool> has_it;  // by window
  };

  bool Take(int64_t least) {
    RankWindows some{slow_.rank, {}};
    for (const size_t w : left_) some.windows.push_back(slow_.windows[w]);
    const auto function = FunctionBehind(facts_, some, others_, least);
    if (!function) return false;
    const std::vector<int64_t> times = TimesIn(facts_, slow_, function->name);
    Found found{.stretch = {.function = *function}};
    for (const int64_t time : times) found.has_it.push_back(time >= least);
    std::vector<size_t> in;
    std::vector<double> times_in;
    for (const size_t w : left_) {
      if (!found.has_it[w]) continue;
      in.push_back(w);
      times_in.push_back(static_cast<double>(times[w]));
    }
    if (in.size() < kFewestWindows) return false;
    std::erase_if(left_, [&](size_t w) { return found.has_it[w]; });
    found.stretch.first = in.front();
    found.stretch.last = in.back();
    found.stretch.function.time = ToInt64(Median(std::move(times_in)));
    found_.push_back(std::move(found));
    return true;
  }

  // Whether the function takes as long in nearly all windows of its stretch, and in no other.
  static bool IsOnlyThere(const Found& f) {
    const size_t length = f.stretch.last - f.stretch.first + 1;
    const auto at = f.has_it.begin() + static_cast<std::ptrdiff_t>(f.stretch.first);
    const auto in = std::count(at, at + static_cast<std::ptrdiff_t>(length), true);
    return in == std::ranges::count(f.has_it, true) &&
           (length - static_cast<size_t>(in)) * kFewExceptions <= length;
  }

  const Facts& facts_;
  const RankWindows& slow_;
  const RankWindows& others_;
  const int64_t least_;
  std::vector<size_t> left_;
  std::vector<Found> found_;
};

}  // namespace

std::vector<StretchBehind> StretchesBehind(const Facts& facts, const RankWindows& slow,
                                           const RankWindows& others, int64_t least) {
  return Stretches(facts, slow, others, least).Find();
}

std::vector<int64_t> CallTimes(const Facts& facts, const RankActivity& rank,
                               const FrameName& function) {
  std::vector<int64_t> times;
  for (const Interval& call : CallsOf(facts, rank, function))
    times.push_back(call.end - call.start);
  return times;
}

bool RunsBetween(const Facts& facts, const RankWindows& windows, const FrameTimes::Leader& function,
                 int64_t least) {
  const IntervalSet calls = UnionOf(CallsOf(facts, *windows.rank, MeasuredOf(function)));
  const IntervalSet idle = IdleWithin(*windows.rank, UnionOf(windows.windows));
  const int64_t count = std::max<int64_t>(std::ssize(windows.windows), 1);
  return LengthOf(Intersection(calls, idle)) / count >= least;
}

bool IsOfModel(const Facts& facts, const FrameName& function) {
  enum : uint8_t { kUnknown, kOther, kModel, kFunction };
  std::vector<uint8_t> known(facts.names->size(), kUnknown);
  const auto kind_of = [&](StringId id) {
    if (known[id] != kUnknown) return known[id];
    const FrameName name = ParseFrameName((*facts.names)[id]);
    const bool is_model = IsPass(name) || !ModuleOfFrame((*facts.names)[id]).empty();
    return known[id] = is_model ? kModel : name == function ? kFunction : kOther;
  };
  for (const RankActivity& rank : facts.ranks) {
    const auto thread = TrainingThread(*facts.names, rank);
    if (!thread) continue;
    std::vector<bool> in_model;  // by frame
    for (const HostFrame& frame : rank.host->frames[*thread]) {
      const uint8_t kind = kind_of(frame.name);
      const bool around = frame.parent != kNoRange && in_model[static_cast<size_t>(frame.parent)];
      if (kind == kFunction && around) return true;
      in_model.push_back(around || kind == kModel);
    }
  }
  return IsPass(function);
}

}  // namespace stepscope
