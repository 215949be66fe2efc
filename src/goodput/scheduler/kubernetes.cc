// Follows pods and their controllers through a list of Kubernetes events.
#include "goodput/scheduler/kubernetes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "goodput/scheduler/calendar.h"
#include "goodput/scheduler/kubernetes_names.h"

namespace stepscope::goodput {
namespace {

using Json = nlohmann::json;

template <size_t N>
bool IsOneOf(std::string_view reason, const std::string_view (&words)[N]) {
  return std::ranges::find(words, reason) != std::end(words);
}

// Reasons of pods. Pods of a lost node end some minutes later, with events of their own.
constexpr std::string_view kUnhealthy[] = {"NodeNotReady", "BackOff", "Unhealthy", "Failed"};
constexpr std::string_view kGone[] = {"Killing",      "Preempted",  "Evicted",
                                      "NodeShutdown", "Terminated", "TaintManagerEviction",
                                      "DeletingPod",  "Preempting"};
// Those of them that end a pod for reasons of its node.
constexpr std::string_view kTaken[] = {"Evicted", "NodeShutdown", "TaintManagerEviction"};
// Reasons of controllers.
constexpr std::string_view kOver[] = {
    "Completed",  "AllJobsCompleted", "FinishedWorkload",  "BackoffLimitExceeded",
    "FailedJobs", "DeadlineExceeded", "ReachedMaxRestarts"};

std::string TextAt(const Json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

const Json& ObjectAt(const Json& object, const char* key) {
  static const Json kEmpty = Json::object();
  const auto at = object.find(key);
  return at != object.end() && at->is_object() ? *at : kEmpty;
}

// Adds an object of the list: once, or at its first and last time.
std::vector<ClusterItem> ItemsOf(const Json& object) {
  const bool newer = object.contains("regarding");  // events.k8s.io/v1
  const Json& about = ObjectAt(object, newer ? "regarding" : "involvedObject");
  ClusterItem item{.uid = TextAt(ObjectAt(object, "metadata"), "uid"),
                   .kind = TextAt(about, "kind"),
                   .name = TextAt(about, "name"),
                   .reason = TextAt(object, "reason"),
                   .message = TextAt(object, newer ? "note" : "message")};
  if (item.kind.empty() || item.reason.empty()) return {};
  if (item.uid.empty()) item.uid = TextAt(ObjectAt(object, "metadata"), "name");
  std::vector<ClusterItem> items;
  for (const char* key : {"firstTimestamp", "deprecatedFirstTimestamp", "eventTime",
                          "lastTimestamp", "deprecatedLastTimestamp"}) {
    const auto time = Rfc3339(TextAt(object, key));
    if (!time || (!items.empty() && *time <= items.back().time)) continue;
    if (items.size() == 2) items.pop_back();
    item.time = *time;
    item.repeated = !items.empty();
    items.push_back(item);
  }
  return items;
}

class Follower {
 public:
  Follower(const KubernetesOptions& options, int64_t pods_wanted, bool queued_by_kueue)
      : options_(options), wanted_(pods_wanted), queued_by_kueue_(queued_by_kueue) {}

  void Take(const ClusterItem& item) {
    if (item.kind == "Pod") {
      TakePod(item);
    } else {
      TakeController(item);
    }
    most_ = std::max(most_, allocated_);
    const State now = Now();
    if (submitted_ && now != reported_) ReportResources(item, now);
  }

  int64_t most_pods() const { return most_; }
  std::vector<Event> events;

 private:
  struct Pod {
    bool allocated = false, healthy = false;
  };
  struct State {
    int64_t requested = -1, allocated = 0, healthy = 0;
    friend bool operator==(const State&, const State&) = default;
  };

  // Counts are kept incrementally, since recounting would be quadratic.
  int64_t Count(bool Pod::* what) const { return what == &Pod::allocated ? allocated_ : healthy_; }
  void Set(Pod& pod, bool allocated, bool healthy) {
    allocated_ += allocated - pod.allocated;
    healthy_ += healthy - pod.healthy;
    pod = {allocated, healthy};
  }

  void TakePod(const ClusterItem& item) {
    Submit(item);
    Pod& pod = pods_[item.name];
    if (item.reason == "Scheduled") Set(pod, true, pod.healthy);
    if (item.reason == "Started") Set(pod, true, true);
    if (IsOneOf(item.reason, kUnhealthy)) Set(pod, pod.allocated, false);
    if (!IsOneOf(item.reason, kGone)) return;
    if (pod.allocated && item.reason.starts_with("Preempt")) Notice(item);
    if (pod.allocated && IsOneOf(item.reason, kTaken)) {
      Add(item, EventKind::kProcessEnd, 3).text = item.reason + " of pod " + item.name;
    }
    Set(pod, false, false);
  }

  void TakeController(const ClusterItem& item) {
    if (IsOneOf(item.reason, kOver)) {
      wants_ = false;
      for (auto& [name, pod] : pods_) Set(pod, false, false);
      pods_.clear();
      return;
    }
    Submit(item);
    const bool evicted = item.reason.starts_with("Evicted") || item.reason == "Preempted";
    if (evicted && allocated_ > 0) Notice(item);
    // Kueue suspends jobs without quota; without Kueue only users do.
    if (item.reason == "Suspended" && !queued_by_kueue_) wants_ = false;
    if (item.reason == "Resumed" || item.reason == "SuccessfulCreate") wants_ = true;
  }

  void Submit(const ClusterItem& item) {
    if (std::exchange(submitted_, true)) return;
    Add(item, EventKind::kJobSubmitted, 0).text = item.name;
  }
  void Notice(const ClusterItem& item) {
    Add(item, EventKind::kPreemptionNotice, 1).text = item.reason + ": " + item.message;
  }
  State Now() const {
    const int64_t chips = options_.chips_per_pod;
    return {wants_ ? wanted_ * chips : 0, allocated_ * chips, healthy_ * chips};
  }
  void ReportResources(const ClusterItem& item, const State& now) {
    Event& event = Add(item, EventKind::kResources, 2);
    event.counts[0] = now.requested;
    event.counts[1] = now.allocated;
    event.counts[2] = now.healthy;
    reported_ = now;
  }
  Event& Add(const ClusterItem& item, EventKind kind, int64_t place) {
    Event event{.kind = kind, .time = item.time};
    event.job = options_.job;
    event.writer = fmt::format("kubernetes:{}:{}{}", item.uid, place, item.repeated ? ":last" : "");
    event.sequence = 0;
    return events.emplace_back(std::move(event));
  }

  const KubernetesOptions& options_;
  int64_t wanted_;
  bool queued_by_kueue_;
  std::map<std::string, Pod> pods_;
  int64_t allocated_ = 0, healthy_ = 0;  // of pods_
  int64_t most_ = 0;
  bool submitted_ = false, wants_ = true;
  State reported_;
};

// The events of the job in time order; absent if the text is not a list.
std::optional<std::vector<ClusterItem>> ReadItems(std::string_view text,
                                                  const KubernetesOptions& options,
                                                  Notes& note_counts) {
  const Json list = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!list.is_object() || !list.contains("items") || !list["items"].is_array()) {
    return std::nullopt;
  }
  std::vector<ClusterItem> items;
  for (const Json& object : list["items"]) {
    auto of = object.is_object() ? ItemsOf(object) : std::vector<ClusterItem>();
    if (of.empty() || of.front().kind == "Node") {
      note_counts.Add(NoteKind::kNoEntry);
    } else if (!Belongs(of.front(), options.job)) {
      note_counts.Add(NoteKind::kOtherJob);
    } else {
      std::ranges::move(of, std::back_inserter(items));
    }
  }
  std::ranges::stable_sort(items, {}, &ClusterItem::time);
  return items;
}

ScheduledJob Follow(const std::string& name, const std::vector<ClusterItem>& items,
                    const KubernetesOptions& options) {
  const bool kueue = std::ranges::any_of(items, [](const ClusterItem& i) {
    return i.kind == "Workload" || i.reason == "CreatedWorkload";
  });
  int64_t pods = options.pods;
  if (pods <= 0) {
    Follower counting(options, 1, kueue);
    for (const ClusterItem& item : items) counting.Take(item);
    pods = std::max<int64_t>(counting.most_pods(), 1);
  }
  ScheduledJob job{.id = name, .raw_id = {}, .name = name, .rows = std::ssize(items)};
  Follower follower(options, pods, kueue);
  for (const ClusterItem& item : items) {
    follower.Take(item);
    if (item.kind == "Pod" && std::ranges::find(job.pods, item.name) == job.pods.end()) {
      job.pods.push_back(item.name);
    }
  }
  job.events = std::move(follower.events);
  return job;
}

}  // namespace

Result<std::vector<ScheduledJob>> ReadKubernetes(std::string_view text,
                                                 const KubernetesOptions& options,
                                                 Notes& note_counts) {
  const auto items = ReadItems(text, options, note_counts);
  if (!items) {
    return std::unexpected(Error{"cannot read Kubernetes events: not a list", "",
                                 "kubectl get events -o json > events.json"});
  }
  const auto controllers = ControllersIn(*items);
  std::map<std::string, std::vector<ClusterItem>> by_job;
  for (const ClusterItem& item : *items) by_job[JobOf(item, controllers)].push_back(item);
  std::vector<ScheduledJob> jobs;
  for (const auto& [name, of_job] : by_job) jobs.push_back(Follow(name, of_job, options));
  return jobs;
}

}  // namespace stepscope::goodput
