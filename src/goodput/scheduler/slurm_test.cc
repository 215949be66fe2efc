// Checks output of Slurm about real and impossible jobs.
#include "goodput/scheduler/slurm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include "base/time_units.h"
#include "tests/paths.h"

namespace stepscope::goodput::slurm_test {
namespace {

const SlurmOptions kUtc{.utc_offset = 0};

// tests/data/slurm: printed by Slurm 22.05.8 about two nodes. Job 1 ran on both, was requeued after
// 6 s, waited 7 s and ran for a minute; 2 waited 4 s behind it; 3 was held for 8 s.
std::string Printed(const std::string& name) {
  std::ifstream in(testing::SourceDir() + "/tests/data/slurm/" + name);
  return {std::istreambuf_iterator<char>(in), {}};
}

// "submitted 0, want 2/0 0, ...": seconds from the first event.
std::string Summary(const std::vector<Event>& events) {
  std::string text;
  for (const Event& e : events) {
    text += text.empty() ? "" : ", ";
    text += std::to_string((e.time - events[0].time) / kSecond) + " ";
    if (e.kind != EventKind::kResources) {
      text += EventKindName(e.kind);
      continue;
    }
    text += std::to_string(e.counts[1]) + " of " + std::to_string(e.counts[0]);
  }
  return text;
}

Result<std::vector<Event>> EventsIn(std::string_view text, const SlurmOptions& options,
                                    Notes& note_counts) {
  const auto jobs = ReadSlurm(text, options, note_counts);
  if (!jobs) return std::unexpected(jobs.error());
  std::vector<Event> events;
  for (const auto& job : *jobs) std::ranges::copy(job.events, std::back_inserter(events));
  return events;
}

std::string Read(std::string_view text, SlurmOptions options, Notes& note_counts) {
  const auto events = EventsIn(text, options, note_counts);
  return events ? Summary(*events) : "error: " + events.error().what;
}
std::string Read(std::string_view text, const SlurmOptions& options = kUtc) {
  Notes note_counts;
  return Read(text, options, note_counts);
}

TEST(Slurm, ReadsSacct) {
  const std::string text = Printed("sacct.txt");
  EXPECT_EQ(Read(text, {.job = "train", .utc_offset = 0}),
            "0 job_submitted, 0 0 of 2, 1 2 of 2, 7 0 of 2, 7 0 of 2, 14 2 of 2, 74 0 of 0, "
            "74 job_state");
  EXPECT_EQ(Read(text, {.job = "2", .utc_offset = 0}),
            "0 job_submitted, 0 0 of 1, 4 1 of 1, 7 0 of 0, 7 job_state");
  // Held by its user, it wanted nothing for 8 seconds.
  EXPECT_EQ(Read(text, {.job = "held", .utc_offset = 0}),
            "0 job_submitted, 8 0 of 1, 8 1 of 1, 9 0 of 0, 9 job_state");
}

TEST(Slurm, ReadsScontrol) {
  Notes note_counts;
  EXPECT_EQ(Read(Printed("scontrol.txt"), {.job = "1", .utc_offset = 0}, note_counts),
            "0 job_submitted, 0 0 of 2, 7 2 of 2, 67 0 of 0, 67 job_state");
  EXPECT_EQ(note_counts.Count(NoteKind::kMissingEvents), 1) << "one incarnation came before";
  EXPECT_EQ(note_counts.Count(NoteKind::kOtherJob), 2);
}

TEST(Slurm, ReadsLocalAndUnixTimes) {
  const std::string_view head = "JobID|State|Submit|Start|End\n";
  Notes note_counts;
  const auto at = [&](const std::string& time, int64_t offset) {
    const auto events = EventsIn(std::string(head) + "1|COMPLETED|" + time + "|Unknown|Unknown",
                                 {.utc_offset = offset}, note_counts);
    return events && !events->empty() ? (*events)[0].time / kSecond : -1;
  };
  EXPECT_EQ(at("2026-11-21T15:43:15", 0), 1795275795);
  EXPECT_EQ(at("2026-11-21T15:43:15", 3600), 1795272195);
  EXPECT_EQ(at("1795275795", 3600), 1795275795);
  for (const char* bad :
       {"2026-11-21", "yesterday", "", "-5", "99999999999999", "2026-11-21T15:43:xx"})
    EXPECT_EQ(at(bad, 0), -1) << bad;
}

TEST(Slurm, RunningAndWaitingJobs) {
  const std::string_view head = "JobID|State|Submit|Eligible|Start|End|NNodes|AllocTRES\n";
  const auto one = [&](const std::string& row) { return Read(std::string(head) + row); };
  EXPECT_EQ(one("1|RUNNING|100|100|110|900|2|billing=1,gres/gpu=16,node=2"),
            "0 job_submitted, 0 0 of 16, 10 16 of 16");
  EXPECT_EQ(one("1|PENDING|100|100|500|Unknown|2|"), "0 job_submitted, 0 0 of 2");
  EXPECT_EQ(one("1|PREEMPTED|100|100|110|120|2|gres/gpu:a100=4"),
            "0 job_submitted, 0 0 of 4, 10 4 of 4, 20 preemption_notice, 20 0 of 4");
  EXPECT_EQ(one("1|CANCELLED by 0|100|100|Unknown|120|1|"),
            "0 job_submitted, 0 0 of 1, 20 0 of 0, 20 job_state");
}

TEST(Slurm, CountsInvalidRows) {
  Notes note_counts;
  const std::string_view text =
      "JobID|JobName|State|Submit|Start|End\n"
      "1|a|b|COMPLETED|100|110|120\n"  // a bar in the name
      "|x|COMPLETED|100|110|120\n"
      "2|x|COMPLETED|never|110|120\n"
      "3.batch|x|COMPLETED|100|110|120\n"
      "4|x|COMPLETED|100|110|90\n";  // ends before it starts
  EXPECT_EQ(Read(text, kUtc, note_counts),
            "0 job_submitted, 0 0 of 1, 10 1 of 1, 10 0 of 0, 10 job_state");
  EXPECT_EQ(note_counts.Count(NoteKind::kBadLine), 3);
  EXPECT_TRUE(Read("nonsense").contains("neither sacct's table"));
  EXPECT_TRUE(Read("").contains("neither sacct's table"));
}

TEST(Slurm, ReadingAgainAddsOnlyNewEvents) {
  const std::string_view head = "JobID|JobName|State|Submit|Start|End\n";
  Notes note_counts;
  const auto early = EventsIn(std::string(head) + "7|x|RUNNING|100|110|Unknown", kUtc, note_counts);
  const auto late = EventsIn(std::string(head) + "7|x|COMPLETED|100|110|150", kUtc, note_counts);
  ASSERT_TRUE(early && late);
  std::map<std::pair<std::string, int64_t>, Event> known;
  for (const Event& e : *late) known[{e.writer, e.sequence}] = e;
  EXPECT_EQ(known.size(), late->size());
  for (const Event& e : *early) {
    EXPECT_EQ(known.at({e.writer, e.sequence}), e) << EventKindName(e.kind);
  }
}

}  // namespace
}  // namespace stepscope::goodput::slurm_test
