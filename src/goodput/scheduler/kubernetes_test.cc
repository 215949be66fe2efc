// Checks lists of Kubernetes events, shortened to the relevant fields.
#include "goodput/scheduler/kubernetes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/time_units.h"
#include "goodput/scheduler/calendar.h"

namespace stepscope::goodput::kubernetes_test {
namespace {

// An event at 10:00:00 plus `second`.
std::string At(int second, std::string_view kind, std::string_view name, std::string_view reason) {
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Event","metadata":{{"name":"e","uid":"u{}{}"}},)"
      R"("involvedObject":{{"kind":"{}","name":"{}","namespace":"ml"}},"reason":"{}",)"
      R"("message":"m","count":1,"firstTimestamp":"2026-11-21T10:{:02}:{:02}Z",)"
      R"("lastTimestamp":"2026-11-21T10:{:02}:{:02}Z"}})",
      second, reason, kind, name, reason, second / 60, second % 60, second / 60, second % 60);
}

std::string List(const std::vector<std::string>& items) {
  return fmt::format(R"({{"apiVersion":"v1","kind":"List","items":[{}]}})", fmt::join(items, ","));
}

// "0 job_submitted, 0 0+0 of 2": seconds since 10:00, healthy+unhealthy pods of those wanted.
std::string Summary(const std::vector<Event>& events) {
  std::string text;
  for (const Event& e : events) {
    text += fmt::format("{}{} ", text.empty() ? "" : ", ",
                        (e.time - *Rfc3339("2026-11-21T10:00:00Z")) / kSecond);
    text += e.kind != EventKind::kResources
                ? std::string(EventKindName(e.kind))
                : fmt::format("{}+{} of {}", e.counts[2], e.counts[1] - e.counts[2], e.counts[0]);
  }
  return text;
}

Result<std::vector<Event>> EventsIn(const std::string& list, const KubernetesOptions& options,
                                    Notes& note_counts) {
  const auto jobs = ReadKubernetes(list, options, note_counts);
  if (!jobs) return std::unexpected(jobs.error());
  std::vector<Event> events;
  for (const auto& job : *jobs) std::ranges::copy(job.events, std::back_inserter(events));
  return events;
}

std::string Read(const std::vector<std::string>& items, const KubernetesOptions& options = {}) {
  Notes note_counts;
  const auto events = EventsIn(List(items), options, note_counts);
  return events ? Summary(*events) : events.error().what;
}

TEST(Kubernetes, FollowsAJob) {
  EXPECT_EQ(Read({At(0, "Job", "train", "SuccessfulCreate"), At(5, "Pod", "train-0-a", "Scheduled"),
                  At(8, "Pod", "train-0-a", "Started"), At(60, "Job", "train", "Completed")}),
            "0 job_submitted, 0 0+0 of 1, 5 0+1 of 1, 8 1+0 of 1, 60 0+0 of 0");
}

TEST(Kubernetes, LostNodeRemovesItsPod) {
  EXPECT_EQ(
      Read({At(0, "Pod", "t-0-a", "Scheduled"), At(0, "Pod", "t-1-b", "Scheduled"),
            At(1, "Pod", "t-0-a", "Started"), At(2, "Pod", "t-1-b", "Started"),
            At(30, "Pod", "t-1-b", "NodeNotReady"), At(40, "Pod", "t-1-b", "TaintManagerEviction"),
            At(50, "Pod", "t-1-c", "Scheduled"), At(55, "Pod", "t-1-c", "Started")}),
      "0 job_submitted, 0 0+1 of 2, 0 0+2 of 2, 1 1+1 of 2, 2 2+0 of 2, 30 1+1 of 2, "
      "40 process_end, 40 1+0 of 2, 50 1+1 of 2, 55 2+0 of 2");
}

TEST(Kubernetes, KueueQueuesAndEvicts) {
  EXPECT_EQ(Read({At(0, "Job", "t", "Suspended"), At(0, "Job", "t", "CreatedWorkload"),
                  At(1, "Workload", "job-t-1a2b3", "Pending"),
                  At(20, "Workload", "job-t-1a2b3", "Admitted"),
                  At(21, "Pod", "t-0-a", "Scheduled"), At(22, "Pod", "t-0-a", "Started"),
                  At(70, "Workload", "job-t-1a2b3", "EvictedDueToPreempted"),
                  At(71, "Pod", "t-0-a", "Killing"), At(71, "Job", "t", "Suspended")},
                 {.job = "t"}),
            "0 job_submitted, 0 0+0 of 1, 21 0+1 of 1, 22 1+0 of 1, 70 preemption_notice, "
            "71 0+0 of 1");
}

TEST(Kubernetes, UserPausesAJob) {
  EXPECT_EQ(Read({At(0, "Job", "t", "SuccessfulCreate"), At(1, "Pod", "t-a", "Scheduled"),
                  At(2, "Pod", "t-a", "Started"), At(10, "Job", "t", "Suspended"),
                  At(11, "Pod", "t-a", "Killing"), At(30, "Job", "t", "Resumed")}),
            "0 job_submitted, 0 0+0 of 1, 1 0+1 of 1, 2 1+0 of 1, 10 1+0 of 0, 11 0+0 of 0, "
            "30 0+0 of 1");
}

TEST(Kubernetes, CountsOtherJobsAndInvalidEvents) {
  Notes note_counts;
  const auto events = EventsIn(
      List({At(0, "Job", "train", "SuccessfulCreate"), At(0, "Job", "other", "SuccessfulCreate"),
            "7", R"({"reason":"x"})", R"({"involvedObject":{"kind":"Pod"},"reason":"Started"})"}),
      {.job = "train", .chips_per_pod = 8, .pods = 2}, note_counts);
  ASSERT_TRUE(events);
  EXPECT_EQ(Summary(*events), "0 job_submitted, 0 0+0 of 16");
  EXPECT_EQ(note_counts.Count(NoteKind::kOtherJob), 1);
  EXPECT_EQ(note_counts.Count(NoteKind::kNoEntry), 3);
}

TEST(Kubernetes, InvalidTextsAreErrors) {
  Notes note_counts;
  for (const char* text : {"", "[]", "{}", R"({"items":3})", "nonsense"}) {
    EXPECT_FALSE(ReadKubernetes(text, {}, note_counts)) << text;
  }
}

TEST(Calendar, ReadsRfc3339) {
  EXPECT_EQ(Rfc3339("2026-11-21T15:43:15Z"), 1795275795'000'000'000);
  EXPECT_EQ(Rfc3339("2026-11-21T15:43:15.25Z"), 1795275795'250'000'000);
  EXPECT_EQ(Rfc3339("2026-11-21T15:43:15.123456789123Z"), 1795275795'123'456'789);
  EXPECT_EQ(Rfc3339("2026-11-21T15:43:15+01:00"), 1795272195'000'000'000);
  EXPECT_EQ(Rfc3339("2026-11-21T15:43:15-0130"), 1795281195'000'000'000);
  EXPECT_EQ(Rfc3339("2028-02-29T00:00:00z"), 1835395200'000'000'000);
  for (const char* bad :
       {"", "2026-11-21", "2026-11-21T15:43:15", "2026-11-21 15:43:15Z", "2026-11-21T15:43:15+1",
        "20x6-11-21T15:43:15Z", "1000-11-21T15:43:15Z", "2026-13-01T15:43:15Z",
        "2026-02-29T15:43:15Z", "2026-11-21T15:43:15+01:00x"})
    EXPECT_EQ(Rfc3339(bad), std::nullopt) << bad;
}

}  // namespace
}  // namespace stepscope::goodput::kubernetes_test
