// What fills the memory of small snapshots, through the front door.
#include "stepscope/memory_snapshot.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ingest/snapshot/snapshot_reader.h"
#include "memory_snapshot/replay.h"
#include "memory_snapshot/snapshot_report.h"
#include "report/columns.h"
#include "tests/support/pickle_writer.h"

namespace stepscope {
namespace {

using testing::Dict;
using testing::List;
using testing::Pickle;
using testing::Pickled;

Pickled Frames(std::string_view file, int line, std::string_view name) {
  return List(
      {Dict({{"name", "at::_ops::mm::call(at::Tensor const&)"}, {"filename", "??"}, {"line", 0}}),
       Dict({{"name", "wrapper"}, {"filename", "/lib/torch/nn.py"}, {"line", 7}}),
       Dict({{"name", name}, {"filename", file}, {"line", line}})});
}

Pickled Event(std::string_view action, int64_t addr, int64_t size, int64_t time,
              const Pickled& frames = List({})) {
  return Dict({{"action", action},
               {"addr", addr},
               {"size", size},
               {"stream", 0},
               {"time_us", time},
               {"frames", frames}});
}

Pickled Block(int64_t address, int64_t size, int64_t requested, std::string_view state) {
  return Dict({{"address", address},
               {"size", size},
               {"requested_size", requested},
               {"state", state},
               {"frames", List({})}});
}

Pickled Segment(int64_t total, int64_t allocated, const std::vector<Pickled>& blocks) {
  return Dict({{"device", 0},
               {"address", 0},
               {"total_size", total},
               {"allocated_size", allocated},
               {"stream", 0},
               {"segment_type", "large"},
               {"blocks", List(blocks)}});
}

Pickled Snapshot(const std::vector<Pickled>& segments, const std::vector<Pickled>& events) {
  return Dict({{"segments", List(segments)}, {"device_traces", List({List(events), List({})})}});
}

Result<Report> Answer(const std::string& pickle) {
  const auto snapshot = ReadSnapshot(ByteSource::FromMemory(pickle));
  if (!snapshot) return std::unexpected(snapshot.error());
  return memory::SnapshotReport(*snapshot, memory::ReplayAll(*snapshot));
}

int64_t MetricOf(const Report& report, std::string_view key) {
  for (const Metric& metric : report.metrics)
    if (metric.key == key && std::holds_alternative<int64_t>(metric.value))
      return std::get<int64_t>(metric.value);
  return -1;
}

const Table& TableOf(const Report& report, std::string_view key) {
  for (const Table& table : report.tables)
    if (table.key == key) return table;
  throw std::runtime_error("no table");
}

// 1000 bytes live throughout; 3000 come, then 500 more until 3000 go.
Pickled Usual() {
  return Snapshot(
      {Segment(8192, 1536,
               {Block(0, 1024, 1000, "active_allocated"), Block(1024, 512, 500, "active_allocated"),
                Block(1536, 6656, 3000, "inactive")})},
      {Event("alloc", 4096, 3000, 10, Frames("train.py", 5, "forward")),
       Event("alloc", 1024, 500, 20, Frames("train.py", 9, "loss")),
       Event("free_requested", 4096, 3000, 30), Event("free_completed", 4096, 3000, 31)});
}

TEST(MemorySnapshot, PeakIsOfRequestedBytesAnchoredAtTheEnd) {
  const auto report = Answer(Pickle(Usual()));
  ASSERT_TRUE(report);
  EXPECT_EQ(MetricOf(*report, "requested_at_start"), 1000);
  EXPECT_EQ(MetricOf(*report, "peak_requested"), 4500);
  EXPECT_EQ(MetricOf(*report, "peak_time_us"), 20);
  EXPECT_EQ(MetricOf(*report, "requested_at_end"), 1500);
  EXPECT_EQ(MetricOf(*report, "allocated_at_end"), 1536);
  EXPECT_EQ(MetricOf(*report, "reserved_at_end"), 8192);
  EXPECT_EQ(report->headline.str(),
            "Peak requested memory is 4.50 kB of 8.19 kB reserved on device 0, at "
            "1970-01-01 00:00:00 UTC. train.py:5 forward holds 3.00 kB of it (66.7%).");
}

TEST(MemorySnapshot, StacksHoldThePeakToTheByte) {
  const auto report = Answer(Pickle(Usual()));
  ASSERT_TRUE(report);
  const Table& stacks = TableOf(*report, "stacks");
  const ColumnOf site(stacks, "site"), bytes(stacks, "bytes");
  ASSERT_EQ(stacks.rows.size(), 3u);
  EXPECT_EQ(site.Text(stacks.rows[0]), "train.py:5 forward");
  EXPECT_EQ(bytes.Int(stacks.rows[0]), 3000);
  EXPECT_EQ(site.Text(stacks.rows[1]), "not recorded");
  EXPECT_EQ(bytes.Int(stacks.rows[1]), 1000);
  EXPECT_EQ(site.Text(stacks.rows[2]), "train.py:9 loss");
  const Table& operators = TableOf(*report, "operators");
  EXPECT_EQ(std::get<std::string>(operators.rows[0][0]), "aten::mm");
}

TEST(MemorySnapshot, FreedOfBeforeTheRecordingLivedAtItsStart) {
  const auto report = Answer(Pickle(Snapshot({Segment(4096, 0, {Block(0, 4096, 700, "inactive")})},
                                             {Event("free_completed", 0, 700, 5)})));
  ASSERT_TRUE(report);
  EXPECT_EQ(MetricOf(*report, "requested_at_start"), 700);
  EXPECT_EQ(MetricOf(*report, "peak_requested"), 700);
  EXPECT_EQ(MetricOf(*report, "peak_time_us"), -1);
  EXPECT_EQ(MetricOf(*report, "requested_at_end"), 0);
}

TEST(MemorySnapshot, AwaitingFreeStillHoldsItsMemory) {
  const auto report = Answer(Pickle(Snapshot(
      {Segment(4096, 0,
               {Block(0, 1024, 900, "active_awaiting_free"), Block(1024, 3072, 0, "inactive")})},
      {Event("alloc", 0, 900, 5), Event("free_requested", 0, 900, 6)})));
  ASSERT_TRUE(report);
  EXPECT_EQ(MetricOf(*report, "requested_at_start"), 0);
  EXPECT_EQ(MetricOf(*report, "requested_at_end"), 900);
}

Pickled Oom(int64_t wanted, int64_t device_free) {
  return Dict({{"action", "oom"},
               {"device_free", device_free},
               {"size", wanted},
               {"stream", 0},
               {"time_us", 9},
               {"frames", Frames("train.py", 3, "forward")}});
}

TEST(MemorySnapshot, FailedAllocationLeadsAndSaysWhatWouldLetItFit) {
  const auto segment =
      Segment(8192, 2048,
              {Block(0, 3072, 0, "inactive"), Block(3072, 2048, 2000, "active_allocated"),
               Block(5120, 3072, 0, "inactive")});
  const auto report =
      Answer(Pickle(Snapshot({segment}, {Event("alloc", 3072, 2000, 5), Oom(4000, 100)})));
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->headline.starts_with(
      "An allocation of 4.00 kB failed on device 0, which had 100 B free. Of 8.19 kB reserved, "
      "6.14 kB were unused; the largest free block has 3.07 kB."))
      << report->headline;
  ASSERT_FALSE(report->findings.empty());
  EXPECT_TRUE(report->findings[0].hint.contains("expandable_segments:True"))
      << report->findings[0].hint;
}

// The 6,000 bytes that are free behind the others cannot grow by what the device has free.
TEST(MemorySnapshot, FailedAllocationNeedsOneBlockOfItsSize) {
  const auto segment = Segment(
      8192, 2048, {Block(0, 2192, 2000, "active_allocated"), Block(2192, 6000, 0, "inactive")});
  const auto report =
      Answer(Pickle(Snapshot({segment}, {Event("alloc", 0, 2000, 5), Oom(9000, 1000)})));
  ASSERT_TRUE(report);
  ASSERT_FALSE(report->findings.empty());
  EXPECT_TRUE(report->findings[0].hint.contains("at least 3.00 kB less"))
      << report->findings[0].hint;
}

TEST(MemorySnapshot, FewEventsDoNotTellWhatGrows) {
  const auto report =
      Answer(Pickle(Snapshot({Segment(4096, 1024, {Block(0, 1024, 900, "active_allocated")})},
                             {Event("alloc", 0, 900, 5)})));
  ASSERT_TRUE(report);
  EXPECT_TRUE(TableOf(*report, "growth").rows.empty());
  ASSERT_EQ(report->notes.size(), 1u);
  EXPECT_EQ(report->notes[0].name, "growth_unknown");
}

TEST(MemorySnapshot, PlaceThatGrowsThroughoutIsSuspected) {
  std::vector<Pickled> events;
  std::vector<Pickled> blocks;
  for (int64_t i = 0; i < 500; ++i) {
    events.push_back(Event("alloc", 1 << 20, 700, 3 * i, Frames("train.py", 5, "forward")));
    events.push_back(Event("alloc", 512 * i, 512, 3 * i + 1, Frames("train.py", 8, "log")));
    events.push_back(Event("free_completed", 1 << 20, 700, 3 * i + 2));
    blocks.push_back(Block(512 * i, 512, 512, "active_allocated"));
  }
  const auto report = Answer(Pickle(Snapshot({Segment(1 << 21, 256000, blocks)}, events)));
  ASSERT_TRUE(report);
  const Table& growth = TableOf(*report, "growth");
  ASSERT_EQ(growth.rows.size(), 1u);
  EXPECT_EQ(std::get<std::string>(growth.rows[0][0]), "train.py:8 log");
}

TEST(MemorySnapshot, EventsThatContradictSegmentsShowNoTotals) {
  const auto report = Answer(Pickle(
      Snapshot({Segment(4096, 0, {Block(0, 4096, 0, "inactive")})}, {Event("alloc", 0, 900, 5)})));
  ASSERT_TRUE(report);
  EXPECT_EQ(MetricOf(*report, "peak_requested"), -1);
  EXPECT_TRUE(report->headline.contains("contradict")) << report->headline;
}

TEST(MemorySnapshot, EveryCutIsAnError) {
  const std::string whole = Pickle(Usual());
  for (size_t size = 0; size < whole.size(); ++size) {
    const auto report = Answer(whole.substr(0, size));
    ASSERT_FALSE(report) << size;
    EXPECT_FALSE(report.error().what.empty());
  }
}

TEST(MemorySnapshot, WrongContentIsRefusedOrCounted) {
  const Pickled circle = Pickled::Raw(std::string("]\x94h\0a", 5));
  const std::vector<std::string> refused = {
      "",
      "not a pickle",
      Pickle(5),
      Pickle(List({})),
      Pickle(Dict({})),
      Pickle(Dict({{"segments", 7}})),
      Pickle(Dict({{"device_traces", "x"}, {"segments", Dict({})}})),
      "\x80\x04" + std::string(100'000, '(') + ".",
      "\x80\x04" + std::string(1'000'000, ']') + ".",
      "\x80\x04" + std::string(1'000'000, '}') + ".",
      "\x80\x04" + std::string(1'000'000, 'N') + ".",
      "\x80\x04ue.",
      "\x80\x04]r\xff\xff\xff\xff.",
      "\x80\x04X\xff\xff\xff\xff",
      "\x80\x04h\x05."};
  for (const std::string& pickle : refused) EXPECT_FALSE(Answer(pickle)) << pickle.substr(0, 40);
  const auto counted =
      Answer(Pickle(Snapshot({Segment(INT64_MAX, 0, {}),
                              Segment(4096, 0, {Block(0, INT64_MIN, 5, "inactive"), Pickled(5)})},
                             {Event("alloc", -5, INT64_MAX, 3), Pickled("text"), circle,
                              Event("boo", 5, 5, 5, Pickled(9))})));
  ASSERT_TRUE(counted);
  EXPECT_FALSE(counted->notes.empty());
}

TEST(MemorySnapshot, MillionNamesAreBounded) {
  std::string pickle =
      "\x80\x04}(" + Pickled("segments").bytes + List({}).bytes + Pickled("names").bytes + "](";
  for (int i = 0; i < 1'100'000; ++i) {
    pickle += Pickled(std::to_string(i)).bytes;
    if (i % 1000 == 999) pickle += "e(";
  }
  const auto report = Answer(pickle + "eu.");
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_EQ(report->status, Status::kUnavailable);
}

// `forward`, `loss`: bytes that these hold at once.
ReportSet SetOf(int64_t forward, int64_t loss) {
  const auto report = Answer(Pickle(Snapshot(
      {Segment(8192, 0, {Block(0, 8192, 8192, "inactive")})},
      {Event("alloc", 0, forward, 10, Frames("train.py", 5, "forward")),
       Event("alloc", 4096, loss, 20, Frames("train.py", 9, "loss")),
       Event("free_completed", 0, forward, 31), Event("free_completed", 4096, loss, 32)})));
  ReportSet answer;
  answer.reports.push_back(report.value());
  return answer;
}

TEST(MemorySnapshot, TwoSayWhatGrewAndWhere) {
  const ReportSet answer = CompareMemorySnapshots(SetOf(3000, 500), SetOf(3900, 400));
  EXPECT_EQ(answer.verdict.str(),
            "Peak requested memory is 800 B higher: 3.50 kB before, 4.30 kB after. train.py:5 "
            "forward holds 900 B more at the peak.");
  const Report& report = answer.reports.front();
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings.front().because.str(), "3.00 kB before, 3.90 kB after");
  EXPECT_EQ(MetricOf(report, "peak_requested_change"), 800);
}

TEST(MemorySnapshot, OfTwoAlikeNothingIsSaidToGrow) {
  const ReportSet answer = CompareMemorySnapshots(SetOf(3000, 500), SetOf(3000, 500));
  EXPECT_EQ(answer.verdict.str(),
            "Peak requested memory did not change: 3.50 kB before, 3.50 kB after.");
  EXPECT_TRUE(answer.reports.front().findings.empty());
}

TEST(MemorySnapshot, APlaceThatHoldsLessIsNamedWhereThePeakFell) {
  const ReportSet answer = CompareMemorySnapshots(SetOf(3000, 500), SetOf(1000, 600));
  EXPECT_EQ(answer.verdict.str(),
            "Peak requested memory is 1.90 kB lower: 3.50 kB before, 1.60 kB after. train.py:5 "
            "forward holds 2.00 kB less at the peak.");
}

}  // namespace
}  // namespace stepscope
