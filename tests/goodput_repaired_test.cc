// What a repair gave up leads the answers of a ledger until its job is deleted.
#include <gtest/gtest.h>

#include <filesystem>

#include "goodput/recorder/recorder.h"
#include "stepscope/goodput_fleet.h"
#include "stepscope/goodput_ledger.h"
#include "stepscope/goodput_report.h"
#include "tests/answer.h"
#include "tests/goodput_lines.h"
#include "tests/ledger.h"

namespace stepscope::testing::goodput_repaired_test {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLead =
    "Stored events are lost: 1 segment missing or damaged before a repair, with 1,792 events from ";

class GoodputRepairedTest : public LedgerTest {
 protected:
  // Three segments of job `j`, and one of job `other`; the first of `j` is lost, and repaired.
  GoodputRepairedTest() {
    {
      goodput::Recorder recorder({.directory = store_,
                                  .job = "j",
                                  .segment_bytes = 64 << 10,
                                  .heartbeat = 0,
                                  .background = false});
      for (int64_t s = 0; s < 5000; ++s) {
        goodput::Record record{.kind = goodput::EventKind::kStepStart,
                               .time = kBegin + s * kSecond,
                               .monotonic = s * kSecond,
                               .step = s};
        recorder.Write(record);
        if (s % 500 == 0) recorder.Tick(s * kSecond);
      }
      recorder.Close();
    }
    lines_ = Content(Export(GoodputExportFormat::kJsonLines, "all.jsonl"));
    fs::remove(FirstSegment());
    ImportText(Entry(At("job_start_time", 5), "other"));
    EXPECT_TRUE(GoodputRepair(store_));
  }

  std::string lines_;  // all events of `j`

  // Of a thousand events.
  std::string ImportedSegment() const {
    std::string found;
    for (const auto& entry : fs::directory_iterator(store_)) {
      const std::string path = entry.path();
      if (path.ends_with(".goodput") && fs::file_size(path) == 8192 + 1000 * 32) found = path;
    }
    return found;
  }

  // Of `j`; empty: it has none.
  std::string FirstSegment() const {
    std::string first;
    for (const auto& entry : fs::directory_iterator(store_)) {
      const std::string path = entry.path();
      if (!path.ends_with(".goodput") || fs::file_size(path) < 16'384) continue;  // of `other`
      if (first.empty() || path < first) first = path;
    }
    return first;
  }

  std::string Verdict(const std::string& job) const {
    const auto answer = GoodputReport({.store = store_, .job = job});
    return answer ? answer->verdict.str() : "failed: " + answer.error().what;
  }

  std::string OfAll() const { return GoodputJobs(store_).value().verdict.str(); }
};

TEST_F(GoodputRepairedTest, LossesLeadTheAnswersOfTheirJobAndOfAll) {
  EXPECT_TRUE(Verdict("j").starts_with(kLead)) << Verdict("j");
  EXPECT_TRUE(OfAll().starts_with(kLead)) << OfAll();
  const auto fleet = GoodputFleet({.store = store_});
  ASSERT_TRUE(fleet);
  EXPECT_TRUE(fleet->verdict.starts_with(kLead)) << fleet->verdict.str();
  EXPECT_FALSE(Verdict("other").starts_with("Stored")) << Verdict("other");
}

TEST_F(GoodputRepairedTest, NewFaultsAddToThem) {
  fs::remove(FirstSegment());
  EXPECT_TRUE(Verdict("j").starts_with(
      "Stored events are lost: 2 segments missing or damaged, with 3,584 events from "))
      << Verdict("j");
}

TEST_F(GoodputRepairedTest, TheyStayWithARenamedJob) {
  ASSERT_TRUE(GoodputRename(store_, "j", "k"));
  EXPECT_TRUE(Verdict("k").starts_with(kLead)) << Verdict("k");
  EXPECT_TRUE(OfAll().starts_with(kLead)) << OfAll();
}

TEST_F(GoodputRepairedTest, AJobOfWhichAllIsLostStaysListed) {
  while (!FirstSegment().empty()) fs::remove(FirstSegment());
  ASSERT_TRUE(GoodputRepair(store_));
  const auto jobs = GoodputJobs(store_);
  ASSERT_TRUE(jobs);
  const auto rows = RowsOf(*jobs, "goodput_jobs", "jobs");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].Text("job"), "j");
  EXPECT_EQ(rows[0].Text("state"), "lost");
  EXPECT_EQ(rows[0].Int("lost_events"), 5000);
  EXPECT_EQ(rows[0].Int("events"), 0);
  EXPECT_EQ(rows[1].Int("lost_events"), 0);
  EXPECT_TRUE(Verdict("j").starts_with("Stored events are lost: 3 segments")) << Verdict("j");
  // Until it is deleted.
  ASSERT_TRUE(GoodputDelete(store_, "j"));
  EXPECT_EQ(RowsOf(*GoodputJobs(store_), "goodput_jobs", "jobs").size(), 1u);
}

// Full segments, too, were closed.
TEST_F(GoodputRepairedTest, AClosedJobIsRenamedAtOnce) {
  EXPECT_EQ(fs::file_size(FirstSegment()), 64u << 10);
  const auto renamed = GoodputRename(store_, "j", "k");
  EXPECT_TRUE(renamed) << renamed.error().what;
}

// A copy of all events, as `goodput send` or `import` brings them.
TEST_F(GoodputRepairedTest, TheyGoOnceAllIsThereAgain) {
  size_t some = 0;
  for (int line = 0; line < 1791; ++line) some = lines_.find('\n', some) + 1;
  ImportText(lines_.substr(0, some));
  EXPECT_TRUE(Verdict("j").starts_with(
      "Stored events are lost: 1 segment missing or damaged before a repair, with 1 event from "))
      << Verdict("j");
  ImportText(lines_);
  EXPECT_FALSE(Verdict("j").starts_with("Stored")) << Verdict("j");
  EXPECT_EQ(RowsOf(GoodputJobs(store_).value(), "goodput_jobs", "jobs")[0].Int("events"), 5000);
  EXPECT_EQ(MetricOf(GoodputCheck(store_).value(), "faults"), 0);
  // Also without the segments that have them now.
  ImportText(Entry(At("job_start_time", 5), "third"));
  EXPECT_FALSE(OfAll().starts_with("Stored")) << OfAll();
  ASSERT_TRUE(GoodputCompact({.store = store_}));
  EXPECT_FALSE(Verdict("j").starts_with("Stored")) << Verdict("j");
}

// Events that nobody has numbered are known by their contents.
TEST_F(GoodputRepairedTest, ImportedEventsComeBackByAnotherImport) {
  std::string log;
  for (int s = 0; s < 1000; ++s)
    log += Entry(fmt::format(R"("step_count": {}, )", s) + At("step_start_time", s), "k");
  ImportText(log);
  for (const bool cut : {false, true}) {
    if (cut) fs::resize_file(ImportedSegment(), 8192 + 400 * 32);
    if (!cut) fs::remove(ImportedSegment());
    ASSERT_TRUE(GoodputRepair(store_));
    EXPECT_TRUE(Verdict("k").starts_with("Stored")) << Verdict("k");
    ImportText(Entry(At("job_start_time", 700), "k"));
    EXPECT_TRUE(Verdict("k").starts_with("Stored")) << Verdict("k");
    ImportText(log);
    EXPECT_FALSE(Verdict("k").starts_with("Stored")) << Verdict("k");
    EXPECT_EQ(MetricOf(GoodputCheck(store_).value(), "faults"), 0);
  }
}

TEST_F(GoodputRepairedTest, TheyStayWithARollup) {
  ASSERT_TRUE(GoodputCompact({.store = store_}));
  EXPECT_TRUE(Verdict("j").starts_with(kLead)) << Verdict("j");
}

TEST_F(GoodputRepairedTest, TheyGoWithADeletedJob) {
  ASSERT_TRUE(GoodputRename(store_, "j", "k"));
  ASSERT_TRUE(GoodputCompact({.store = store_}));
  ASSERT_TRUE(GoodputDelete(store_, "k"));
  EXPECT_FALSE(OfAll().starts_with("Stored")) << OfAll();
}

}  // namespace
}  // namespace stepscope::testing::goodput_repaired_test
