// Adds collectives and messages of jobs whose processors compute. A library records each from its
// begin to its end, mostly on threads of its own, and nothing of who waits for it: only stacks
// tell.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/time_units.h"
#include "facts/paths/dependencies.h"
#include "facts/paths/dependency_draft.h"

namespace stepscope {
namespace {

// A thread that was quiet for longer may have waited.
constexpr int64_t kQuiet = 100 * kMicrosecond;
// Of the stretches in which records end, those that something follows so often are waits.
constexpr double kOften = 0.15;

enum class Operation : uint8_t { kSend, kReceive, kCollective };
Operation OperationOf(std::string_view name) {
  if (name.contains("send")) return Operation::kSend;
  return name.contains("recv") ? Operation::kReceive : Operation::kCollective;
}

class Records {
 public:
  Records(const RankActivity& rank, const StringTable& names, const HostMoments& host,
          DependencyDraft& draft)
      : rank_(rank), names_(names), host_(host), draft_(draft), window_(draft.window()) {}

  void Add() {
    CollectPosts();
    for (const Activity& activity : rank_.activities)
      if (rank_.IsCollective(activity)) record_ends_.push_back(activity.end);
    std::ranges::sort(record_ends_);
    for (uint32_t w = 0; w < rank_.activities.size(); ++w) {
      const Activity& activity = rank_.activities[w];
      const bool here = activity.end > window_.start && activity.end <= window_.end;
      if (here && rank_.IsCollective(activity)) AddRecord(w, activity);
    }
    AddRecordedWaits();
    if (rank_.host->hand_overs.empty()) AddGuessedWaits();
    const uint32_t end = draft_.AddMoment(window_.end, Order::kLast);
    for (const End& record : ends_) draft_.AddEdge(record.moment, end, {});
    for (const uint32_t moment : host_.Last()) {
      if (moment != kNowhere) draft_.AddEdge(moment, end, {});
    }
  }

 private:
  struct End {
    uint32_t moment = 0;
    int64_t time = 0;
    bool awaited = false;  // a thread is known to have waited meanwhile
  };

  uint32_t ThreadOf(const Activity& activity) const {
    const uint32_t thread = rank_.streams[activity.stream].thread;
    return thread == kNoThread ? kNowhere : thread;
  }

  // The calls that post records, in order; a functional collective calls the other kind.
  void CollectPosts() {
    std::map<uint32_t, int64_t> until;  // of the last one of each thread
    for (const Activity& activity : rank_.activities) {
      const bool calls = activity.kind == Kind::kCommunication && !rank_.IsCollective(activity);
      const bool posts = calls && !IsOperatorWait(names_[activity.name]);
      const uint32_t thread = posts ? ThreadOf(activity) : kNowhere;
      if (thread == kNowhere) continue;
      int64_t& outer = until.try_emplace(thread, kNoTime).first->second;
      if (activity.start < outer) continue;
      outer = activity.end;
      const uint32_t moment = host_.At(thread, activity.start);
      posting_.insert(thread);
      if (moment != kNowhere)
        posts_[OperationOf(names_[activity.name])].emplace_back(activity.start, moment);
    }
  }

  void AddRecord(uint32_t w, const Activity& activity) {
    const Edge edge{.lag = DependencyDraft::kUsual,
                    .bound = Bound::kCommunication,
                    .reason = Reason::kRunning,
                    .name = activity.name,
                    .activity = w};
    const uint32_t start = draft_.AddMoment(activity.start, Order::kWorkStart);
    const int64_t ends = EndOf(activity);
    const uint32_t end = draft_.AddMoment(ends, Order::kWorkEnd);
    draft_.AddEdge(start, end, edge);
    ends_.push_back({end, ends});
    AddQueue(activity, start, end);
    if (compiled_) AddOwnThread(activity, ends, start, end);
    const Operation operation = OperationOf(names_[activity.name]);
    auto& posts = posts_[operation];
    size_t& next = next_[operation];
    if (next == posts.size() || posts[next].first > activity.start) return;
    Edge launch = edge;
    launch.bound = Bound::kLaunch;
    launch.reason = Reason::kLaunch;
    draft_.AddEdge(posts[next++].second, start, launch);
  }

  // When who waits for it goes on: the library may end the record only after it has woken that
  // thread.
  int64_t EndOf(const Activity& activity) const {
    const int64_t before = activity.end - kWoken;
    if (compiled_ && ThreadOf(activity) != kNowhere)
      return host_.EndOfLongest(ThreadOf(activity), activity.start, activity.end);
    if (before <= activity.start) return activity.end;
    int64_t end = activity.end;
    for (const HostMoments::Quiet& quiet : QuietAt(before)) end = std::min(end, quiet.end);
    return std::min(end, EndForPoster(activity));
  }

  // Where that was long before: when a thread that posts collectives goes on, of which most of the
  // record was one quiet stretch. Not if that waited for another record, as for the bucket before.
  int64_t EndForPoster(const Activity& activity) const {
    int64_t end = activity.end;
    const int64_t middle = activity.start + (activity.end - activity.start) / 2;
    for (const HostMoments::Quiet& quiet : QuietAt(middle)) {
      const int64_t woken = WokenBeforeEnd(activity.start, activity.end, quiet.start);
      if (posting_.contains(quiet.thread) && quiet.end >= activity.end - woken &&
          !EndsAnother(activity, quiet.end))
        end = std::min(end, quiet.end);
    }
    return end;
  }

  // Whether another record ends about then.
  bool EndsAnother(const Activity& activity, int64_t time) const {
    const auto first = std::ranges::lower_bound(record_ends_, time - kWoken);
    const auto after = std::ranges::upper_bound(record_ends_, time + kWoken);
    const auto own = std::ranges::count(first, after, activity.end) > 0 ? 1 : 0;
    return after - first > own;
  }

  // An operation of a compiled program communicates on the thread that runs what is before and
  // after it. What that thread does meanwhile is short.
  void AddOwnThread(const Activity& activity, int64_t ends, uint32_t start, uint32_t end) {
    const uint32_t thread = ThreadOf(activity);
    if (thread == kNowhere) return;
    const uint32_t before = host_.At(thread, activity.start);
    const uint32_t after = host_.At(thread, ends);
    if (before != kNowhere)
      draft_.AddEdge(
          before, start,
          {.lag = DependencyDraft::kUsual, .bound = Bound::kLaunch, .reason = Reason::kLaunch});
    if (after != kNowhere) draft_.AddEdge(end, after, kWait);
  }

  std::vector<HostMoments::Quiet> QuietAt(int64_t time) const {
    return host_.QuietAt(time, kQuiet, *rank_.host, names_);
  }

  // A thread of the library works on one after the other.
  void AddQueue(const Activity& activity, uint32_t start, uint32_t end) {
    if (posting_.contains(ThreadOf(activity))) return;
    const auto [before, is_first] = queues_.try_emplace(activity.stream, End{end, activity.end});
    if (is_first) return;
    if (before->second.time <= activity.start) {
      draft_.AddEdge(before->second.moment, start,
                     {.lag = DependencyDraft::kUsual,
                      .bound = Bound::kCommunication,
                      .reason = Reason::kStream});
    }
    before->second = {end, activity.end};
  }

  static constexpr Edge kWait{
      .lag = DependencyDraft::kUsual, .bound = Bound::kSync, .reason = Reason::kSync};

  // A thread in a wait goes on after the records that end meanwhile, the last of all.
  void AddRecordedWaits() {
    std::ranges::sort(ends_, {}, &End::time);
    for (const HostWait& wait : host_.waits()) {
      const auto first = std::ranges::upper_bound(ends_, wait.start, {}, &End::time);
      const auto after = std::ranges::upper_bound(ends_, wait.end, {}, &End::time);
      for (auto end = first; end < after; ++end) {
        end->awaited = true;
        const uint32_t until = host_.NextAt(wait.thread, end->time);
        if (until != kNowhere) draft_.AddEdge(end->moment, until, kWait);
      }
    }
  }

  // Of the other records: stretches in which they end are waits if the same often follows.
  void AddGuessedWaits() {
    struct Wait {
      uint32_t record = kNowhere;
      uint32_t until = kNowhere;
      const double* alike = nullptr;  // how many have the same follow
    };
    std::vector<Wait> waits;
    std::map<std::string, double> followed_by;
    for (const End& end : ends_) {
      if (end.awaited) continue;
      for (const HostMoments::Quiet& quiet : QuietAt(end.time - 1)) {
        double& alike = followed_by[WithoutNumbers(quiet.followed_by)];
        waits.push_back({end.moment, quiet.until, &alike});
        ++alike;
      }
    }
    for (const Wait& wait : waits) {
      if (*wait.alike < kOften * static_cast<double>(waits.size())) continue;
      draft_.AddEdge(wait.record, wait.until, kWait);
      draft_.CountGuess();
    }
  }

  // Steps, layers and microbatches are numbered.
  std::string WithoutNumbers(StringId name) const {
    std::string text(name == kNoString ? std::string_view() : names_[name]);
    std::erase_if(text, IsDigit);
    return text;
  }

  const RankActivity& rank_;
  const StringTable& names_;
  const HostMoments& host_;
  DependencyDraft& draft_;
  const PathWindow window_;
  const bool compiled_ = rank_.on_host && rank_.framework == Framework::kJax;
  std::map<Operation, std::vector<std::pair<int64_t, uint32_t>>> posts_;  // time, moment
  std::map<Operation, size_t> next_;
  std::set<uint32_t> posting_;        // threads
  std::vector<int64_t> record_ends_;  // ascending
  std::map<uint32_t, End> queues_;    // of other threads, by stream: the last record
  std::vector<End> ends_;             // of records
};

}  // namespace

void AddRecordMoments(const RankActivity& rank, const StringTable& names, const HostMoments& host,
                      DependencyDraft& draft) {
  Records(rank, names, host, draft).Add();
}

}  // namespace stepscope
