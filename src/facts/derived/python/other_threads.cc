// Sets stretches of one thread's frames against those of the others.
#include "facts/derived/python/other_threads.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/stop.h"
#include "facts/activity/idle_within.h"
#include "facts/derived/python/walk_frames.h"
#include "facts/derived/steps/step_changes.h"
#include "trace/library_frames.h"
#include "trace/wait_names.h"

namespace stepscope {
namespace other_threads {
namespace {

constexpr double kLeastWait = 0.05;      // of the steps
constexpr double kLeastWork = 0.5;       // of the wait
constexpr double kLeastBeside = 0.5;     // of the steps
constexpr int64_t kMayFree = 1'000'000;  // ns: Python switches threads every 5 ms

constexpr int64_t kHeld = 4'500'000;  // ns: a thread that keeps Python's lock has it for 5 ms
constexpr int64_t kFewestLocks = 5;
constexpr double kLeastLocks = 0.05;  // of the steps

// Python functions of the library that wait where they run long themselves: the call of what is
// built in may have begun before the recording.
constexpr auto kWaitingFiles = std::to_array<std::string_view>({"threading.py", "queue.py"});

// Of the steps in which a thread counts, where it hardly runs before: at least so many, and of all.
constexpr size_t kFewestSteps = 2;
constexpr size_t kFewestOf = 4;
constexpr double kHardlyAny = 0.1;  // of a step

// Methods that end the wait of another thread.
constexpr auto kWakes = std::to_array<std::string_view>(
    {"put", "put_nowait", "notify", "notify_all", "set", "release", "__exit__"});
constexpr int64_t kSoon = 1'000'000;  // ns

// `with lock:` is no call that the profiler records where it waits: the function itself seems to
// run. That it waits shows by what it does when another thread lets a lock go: it goes on, time and
// again.
constexpr int64_t kLeastSilent = 2'000'000;  // ns of a stretch
constexpr int64_t kFewestSilent = 4;         // stretches that end so
constexpr double kMostSilent = 0.75;         // of the time of all stretches of the function

bool IsOfWaitingFile(const FrameName& frame) {
  const std::string_view file = std::string_view(frame.file).substr(frame.file.rfind('/') + 1);
  return IsOfLibrary(frame) && std::ranges::find(kWaitingFiles, file) != kWaitingFiles.end();
}

// What the names of frames mean, each looked at once.
class Names {
 public:
  explicit Names(const StringTable& names) : names_(names) {}

  bool IsBuiltIn(StringId name) { return Of(name).built_in; }
  bool IsWait(StringId name) { return Of(name).waits; }
  bool MayFree(StringId name) { return Of(name).may_free; }
  bool Wakes(StringId name) { return Of(name).wakes; }
  bool LetsLockGo(StringId name) { return Of(name).lets_go; }
  bool IsOfUser(StringId name) { return Of(name).of_user; }

 private:
  struct Meaning {
    bool built_in = false, waits = false, may_free = false;
    bool wakes = false, lets_go = false, of_user = false;
  };

  Meaning Of(StringId name) {
    const auto [at, is_new] = known_.try_emplace(name);
    if (is_new) {
      const FrameName frame = ParseFrameName(names_[name]);
      const std::string_view function = frame.function;
      Meaning& meaning = at->second;
      meaning.built_in = frame.file.empty();
      meaning.waits = WaitsForThread(frame);
      meaning.may_free = meaning.built_in || IsOfWaitingFile(frame);
      const std::string_view method = function.substr(function.rfind('.') + 1);
      meaning.wakes = std::ranges::find(kWakes, method) != kWakes.end();
      meaning.lets_go = meaning.built_in && (method == "release" || method == "__exit__") &&
                        function.contains("ock.");  // lock, RLock
      meaning.of_user = !meaning.built_in && !IsOfLibrary(frame);
    }
    return at->second;
  }

  const StringTable& names_;
  std::unordered_map<StringId, Meaning> known_;
};

// The moments of a thread whose innermost frame `wanted(name, duration)` holds for.
template <class Wanted>
IntervalSet StretchesOf(const HostFrames& frames, const Wanted& wanted) {
  std::vector<Interval> stretches;
  const auto nothing = [](size_t, const HostFrame&) {};
  WalkFrames(
      frames, nothing,
      [&](size_t, const HostFrame& frame, int64_t start, int64_t end) {
        if (wanted(frame.name, end - start)) stretches.push_back({start, end});
      },
      nothing);
  return UnionOf(std::move(stretches));
}

IntervalSet Without(const IntervalSet& from, const IntervalSet& what) {
  IntervalSet others;
  int64_t until = INT64_MIN;
  for (const Interval& i : what) {
    others.push_back({until, i.start});
    until = i.end;
  }
  others.push_back({until, INT64_MAX});
  return Intersection(from, others);
}

// One process with its training thread and other threads.
class Process {
 public:
  Process(const Facts& facts, Names& names, const RankSteps& own, uint32_t training)
      : facts_(facts), names_(names), rank_(*own.rank), own_(own), training_(training) {
    windows_ = UnionOf(WindowsOf(own));
    std::vector<Interval> waits = WaitsOf(training);
    std::ranges::copy(SilentWaits(), std::back_inserter(waits));
    waits_ = Intersection(UnionOf(std::move(waits)), windows_);
  }

  std::optional<ThreadWait> Wait() {
    // Where the host is the device, other threads' operators do not end the wait.
    const IntervalSet waits = rank_.on_host ? waits_ : IdleWithin(rank_, waits_);
    FrameTimes times(facts_);
    times.Add(rank_, training_, waits);
    const auto leaders = times.Leaders(1);
    if (leaders.empty() || !IsShare(leaders.front().time, kLeastWait)) return std::nullopt;
    const IntervalSet stretches = times.StretchesOf(rank_, training_, waits, leaders.front().name);
    std::optional<ThreadWait> found;
    ForEachOther([&](uint32_t thread) {
      if (!EndsMostOf(stretches, rank_.host->frames[thread])) return;
      FrameTimes work(facts_);
      work.Add(rank_, thread, Without(stretches, WaitsOf(thread)));
      const auto works = work.Leaders(1);
      const bool longest = !works.empty() && (!found || works.front().time > found->works.time);
      if (longest)
        found = {&rank_, leaders.front(), works.front(), rank_.host->threads[thread], Whole()};
    });
    const auto least = kLeastWork * static_cast<double>(leaders.front().time);
    if (found && static_cast<double>(found->works.time) < least) found.reset();
    return found;
  }

  std::optional<ConcurrentThread> Beside() {
    const IntervalSet works = Without(windows_, waits_);
    const IntervalSet locks = WaitsForLock();
    std::optional<ConcurrentThread> found;
    ForEachOther([&](uint32_t thread) {
      const HostFrames& frames = rank_.host->frames[thread];
      if (!ReturnsFromAny(frames) && !(!locks.empty() && StaysInOne(frames))) return;
      const IntervalSet python = StretchesOf(frames, [&](StringId name, int64_t duration) {
        return duration < kMayFree || !names_.MayFree(name);
      });
      auto beside =
          InSteps(Without(Intersection(python, works), OperatorsOf(*rank_.host, thread)), thread);
      if (!beside || (found && found->time >= beside->time)) return;
      found = std::move(beside);
    });
    if (found) {
      const IntervalSet then = Intersection(locks, StepsFrom(found->since));
      found->locks = {std::ssize(then), LengthOf(then)};
    }
    return found;
  }

 private:
  IntervalSet StepsFrom(std::optional<int64_t> since) const {
    return UnionOf(WindowsOf(own_, [&](int64_t step) { return !since || step >= *since; }));
  }

  // The first step with these stretches, where those before have hardly any.
  std::optional<int64_t> BeginOf(const IntervalSet& stretches) const {
    const auto& steps = own_.steps;
    const auto has = [&](const StepBreakdown& step) {
      const Interval window{step.window.start, step.window.end};
      return static_cast<double>(LengthOf(Intersection(stretches, {window}))) >=
             kHardlyAny * static_cast<double>(step.Total());
    };
    const auto first = static_cast<size_t>(std::ranges::find_if(steps, has) - steps.begin());
    const size_t fewest = std::max(kFewestSteps, steps.size() / kFewestOf);
    if (own_.whole_recording || first < kFewestSteps || first + fewest > steps.size())
      return std::nullopt;
    return steps[first].window.number;
  }

  // `python`: what a thread runs in steps.
  std::optional<ConcurrentThread> InSteps(const IntervalSet& python, uint32_t thread) const {
    const auto since = BeginOf(python);
    const IntervalSet steps = StepsFrom(since);
    const int64_t time = LengthOf(Intersection(python, steps)), whole = LengthOf(steps);
    if (time <= 0 || static_cast<double>(time) < kLeastBeside * static_cast<double>(whole))
      return std::nullopt;
    FrameTimes times(facts_);
    times.Add(rank_, thread, Intersection(python, steps));
    const auto leaders = times.Leaders(1);
    if (leaders.empty()) return std::nullopt;
    const auto count = std::ranges::count_if(own_.steps, [&](const StepBreakdown& step) {
      return !since || step.window.number >= *since;
    });
    return ConcurrentThread{
        &rank_, leaders.front(), rank_.host->threads[thread], since, count, time, whole, {}};
  }

  template <class Visit>
  void ForEachOther(const Visit& visit) const {
    for (uint32_t t = 0; t < rank_.host->frames.size(); ++t) {
      if (t != training_ && !rank_.host->frames[t].empty()) visit(t);
    }
  }

  // Whether the thread calls what ends a wait in half of their time or more.
  bool EndsMostOf(const IntervalSet& waits, const HostFrames& frames) {
    std::vector<bool> ended(waits.size());
    for (const HostFrame& frame : frames) {
      if (!names_.Wakes(frame.name)) continue;
      const auto after = std::ranges::upper_bound(waits, frame.start, {}, &Interval::start);
      if (after == waits.begin()) continue;
      const auto wait = std::prev(after);
      if (frame.start < wait->end + kSoon) ended[static_cast<size_t>(wait - waits.begin())] = true;
    }
    int64_t time = 0;
    for (size_t w = 0; w < waits.size(); ++w) time += ended[w] ? waits[w].end - waits[w].start : 0;
    return time >= LengthOf(waits) - time;
  }

  // Whether more is known of the thread than what was open when recording began: PyTorch gives
  // these frames to a thread of their own where it does not know theirs yet.
  static bool ReturnsFromAny(const HostFrames& frames) {
    for (size_t f = 1; f < frames.size(); ++f) {
      if (frames[f].parent != static_cast<int32_t>(f) - 1) return true;
    }
    return false;
  }

  // Whether a thread that the program started stays in a function of the program.
  bool StaysInOne(const HostFrames& frames) const {
    const FrameName first = ParseFrameName((*facts_.names)[frames[0].name]);
    const FrameName last = ParseFrameName((*facts_.names)[frames[frames.size() - 1].name]);
    return first.file.ends_with("threading.py") && first.function == "_bootstrap" &&
           !last.file.empty() && !IsOfLibrary(last);
  }

  IntervalSet WaitsForLock() {
    const IntervalSet operators = OperatorsOf(*rank_.host, training_);
    std::vector<Interval> all;
    StopChecks checks;
    for (const HostFrame& frame : rank_.host->frames[training_]) {
      checks.Turn();
      if (frame.duration() < kHeld || !names_.IsBuiltIn(frame.name)) continue;
      const auto after = std::ranges::upper_bound(operators, frame.end, {}, &Interval::start);
      if (after == operators.begin()) continue;
      const Interval& last = *std::prev(after);
      if (last.start >= frame.start && last.end + kHeld <= frame.end)
        all.push_back({last.end, frame.end});
    }
    IntervalSet waits = Intersection(UnionOf(std::move(all)), windows_);
    if (std::ssize(waits) < kFewestLocks || !IsShare(LengthOf(waits), kLeastLocks)) waits.clear();
    return waits;
  }

  IntervalSet WaitsOf(uint32_t thread) {
    return StretchesOf(rank_.host->frames[thread],
                       [&](StringId name, int64_t) { return names_.IsWait(name); });
  }

  // When other threads let a lock go, each ascending.
  std::vector<std::vector<int64_t>> LocksLetGo() {
    std::vector<std::vector<int64_t>> all;
    ForEachOther([&](uint32_t thread) {
      std::vector<int64_t> times;
      for (const HostFrame& frame : rank_.host->frames[thread]) {
        if (names_.LetsLockGo(frame.name)) times.push_back(frame.start);
      }
      std::ranges::sort(times);
      if (!times.empty()) all.push_back(std::move(times));
    });
    return all;
  }

  // Whether a thread lets a lock go just before the stretch ends, and not once before in it: who
  // does so all the time does it by chance.
  static bool EndsBy(const Interval& stretch, const std::vector<int64_t>& let_go) {
    const auto first = std::ranges::lower_bound(let_go, stretch.start);
    return first != let_go.end() && *first < stretch.end && *first >= stretch.end - kSoon;
  }

  // Stretches of the training thread in a function of the user's program that waits for locks.
  std::vector<Interval> SilentWaits() {
    const auto let_go = LocksLetGo();
    if (let_go.empty()) return {};
    struct OfFunction {
      std::vector<Interval> ended;
      int64_t time = 0;  // ns of all
    };
    std::unordered_map<StringId, OfFunction> functions;
    const HostFrames& frames = rank_.host->frames[training_];
    const auto nothing = [](size_t, const HostFrame&) {};
    WalkFrames(
        frames, nothing,
        [&](size_t, const HostFrame& frame, int64_t start, int64_t end) {
          if (end - start < kLeastSilent || !names_.IsOfUser(frame.name)) return;
          OfFunction& function = functions[frame.name];
          function.time += end - start;
          if (std::ranges::any_of(let_go,
                                  [&](const auto& times) { return EndsBy({start, end}, times); }))
            function.ended.push_back({start, end});
        },
        nothing);
    std::vector<Interval> waits;
    for (const auto& [name, function] : functions) {
      const auto ended = static_cast<double>(LengthOf(function.ended));
      const bool waits_for_locks = std::ssize(function.ended) >= kFewestSilent &&
                                   ended >= kMostSilent * static_cast<double>(function.time);
      if (waits_for_locks) std::ranges::copy(function.ended, std::back_inserter(waits));
    }
    return waits;
  }

  int64_t Whole() const { return LengthOf(windows_); }
  bool IsShare(int64_t time, double share) const {
    return time > 0 && static_cast<double>(time) >= share * static_cast<double>(Whole());
  }

  const Facts& facts_;
  Names& names_;
  const RankActivity& rank_;
  const RankSteps& own_;
  const uint32_t training_;
  IntervalSet windows_;
  IntervalSet waits_;  // of the training thread, within windows
};

// What `of(process)` finds with the largest share of its steps.
template <class Of, class Share>
auto Largest(const Facts& facts, const std::vector<RankSteps>& ranks, const Of& of,
             const Share& share) {
  Names names(*facts.names);
  decltype(of(std::declval<Process&>())) largest;
  for (const RankSteps& own : ranks) {
    const auto training = TrainingThread(*facts.names, *own.rank);
    if (!training) continue;
    Process process(facts, names, own, *training);
    auto found = of(process);
    if (found && (!largest || share(*found) > share(*largest))) largest = std::move(found);
  }
  return largest;
}

double ShareOf(int64_t time, int64_t whole) {
  return static_cast<double>(time) / static_cast<double>(whole);
}

}  // namespace

}  // namespace other_threads

std::optional<ConcurrentThread> FindConcurrentThread(const Facts& facts,
                                                     const std::vector<RankSteps>& ranks) {
  return other_threads::Largest(
      facts, ranks, [](other_threads::Process& process) { return process.Beside(); },
      [](const ConcurrentThread& beside) {
        return other_threads::ShareOf(beside.time, beside.whole);
      });
}

namespace other_threads {
namespace {

std::optional<ThreadWait> FindWait(const Facts& facts) {
  return Largest(
      facts, StepsToMend(facts), [](Process& process) { return process.Wait(); },
      [](const ThreadWait& wait) { return ShareOf(wait.waits.time, wait.whole); });
}

std::optional<ConcurrentThread> InTypicalSteps(const Facts& facts) {
  return FindConcurrentThread(facts, TypicalStepsOf(facts).ranks);
}

}  // namespace
}  // namespace other_threads

const std::optional<ThreadWait>& ThreadWaitOf(const Facts& facts) {
  return facts.memo.Of<&other_threads::FindWait>(facts);
}

const ConcurrentThread* ThreadBy(const Facts& facts, int64_t rank, int64_t step) {
  const auto& beside = facts.memo.Of<&other_threads::InTypicalSteps>(facts);
  const bool is_it =
      beside && beside->since && beside->rank->rank == rank && *beside->since <= step;
  return is_it ? &*beside : nullptr;
}

const ConcurrentThread* ThreadSince(const Facts& facts, int64_t rank, int64_t since) {
  const ConcurrentThread* beside = ThreadBy(facts, rank, INT64_MAX);
  const bool is_it = beside != nullptr && StepChangesOf(facts).AreNear(*beside->since, since);
  return is_it ? beside : nullptr;
}

}  // namespace stepscope
