// Tests allocators with their own totals, such as TensorFlow's and JAX's; Kineto traces have none.
#include "facts/derived/memory/memory_peaks.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "analyses/all.h"
#include "facts/activity/rank_activity_builder.h"
#include "tests/support/sample_trace.h"

namespace stepscope::memory_peaks_test {
namespace {

// What the allocator says with an event.
struct Said {
  std::string_view allocator = "GPU_0_bfc";
  int64_t stack = 0, heap = 0, available = 0, lifetime_peak = 0, requested = -1;
  std::string_view op, region, type, shape;
};

struct Recording {
  void Event(int64_t time, int64_t address, int64_t bytes, const Said& said, int64_t device = 0) {
    Trace& t = sample.trace;
    t.Add({time, 0, t.strings.Intern(bytes > 0 ? "MemoryAllocation" : "MemoryDeallocation"),
           sample.HostTrack(), Kind::kInstant});
    t.Set(IntField::kBytes, bytes);
    t.Set(IntField::kAddress, address);
    t.Set(IntField::kTotalAllocated, said.stack + said.heap);
    t.Set(IntField::kDeviceType, device < 0 ? 0 : 1);
    t.Set(IntField::kDeviceId, device);
    t.Set(IntField::kStackBytes, said.stack);
    t.Set(IntField::kAvailableBytes, said.available);
    t.Set(IntField::kLifetimePeak, said.lifetime_peak);
    if (said.requested >= 0) t.Set(IntField::kRequestedBytes, said.requested);
    t.Set(TextField::kAllocator, t.strings.Intern(said.allocator));
    const auto text = [&](TextField field, std::string_view value) {
      if (!value.empty()) t.Set(field, t.strings.Intern(value));
    };
    text(TextField::kFrameworkOp, said.op);
    text(TextField::kRegion, said.region);
    text(TextField::kDataType, said.type);
    text(TextField::kShape, said.shape);
  }

  std::vector<MemoryPeak> Peaks() {
    rank = BuildRankActivity(sample.trace);
    facts = DeriveFacts(sample.trace.strings, std::span(&rank, 1), {}, "all");
    return FindMemoryPeaks(facts, 0);
  }

  SampleTrace sample;
  RankActivity rank;
  Facts facts;
};

// The numbers of the unit test of XProf's memory profile: a peak of 7000 bytes, 2000 of them
// stack, of 10000; 9500 over the program's life; 300 bytes of one operator are alive then, and
// 4700 were there before.
Recording XprofsExample() {
  Recording r;
  r.Event(40, 222333, 256,
          {.stack = 2000,
           .heap = 3000,
           .available = 5000,
           .lifetime_peak = 8500,
           .requested = 200,
           .op = "foo/bar",
           .region = "output",
           .type = "float",
           .shape = "[3, 3, 512, 512]"});
  r.Event(50, 222333, -256,
          {.stack = 2000, .heap = 2744, .available = 5256, .lifetime_peak = 8500});
  r.Event(70, 345678, 300,
          {.stack = 2000,
           .heap = 5000,
           .available = 3000,
           .lifetime_peak = 9500,
           .requested = 300,
           .op = "mul_grad/Sum",
           .region = "temp",
           .type = "int64",
           .shape = "[1, 2]"});
  return r;
}

TEST(MemoryPeaks, OfAnAllocatorWithItsOwnBooks) {
  Recording r = XprofsExample();
  const auto peaks = r.Peaks();
  ASSERT_EQ(peaks.size(), 1u);
  const MemoryPeak& p = peaks[0];
  EXPECT_EQ(p.peak, 7000);
  EXPECT_EQ(p.time, 70);
  EXPECT_EQ(p.capacity, 10000);
  EXPECT_DOUBLE_EQ(p.Used(), 0.7);
  ASSERT_EQ(p.at_peak.size(), 3u);
  EXPECT_EQ(p.at_peak.at({kStackMemory, "", "", ""}).bytes, 2000);
  EXPECT_EQ(p.at_peak.at({kMemoryFromBefore, "", "", ""}).bytes, 4700);
  const MemoryHolding& temp = p.at_peak.at({"mul_grad/Sum", "int64", "[1,2]", "temp"});
  EXPECT_EQ(temp.bytes, 300);
  EXPECT_EQ(temp.requested, 300);
  EXPECT_EQ(temp.blocks, 1);
  EXPECT_EQ(p.operators.at("foo/bar").bytes, 256);
}

// The value of a column in the first row of a table.
Cell FirstCell(const Report& report, std::string_view table, std::string_view column) {
  for (const Table& t : report.tables) {
    for (size_t c = 0; t.key == table && c < t.columns.size(); ++c) {
      if (t.columns[c].key == column) return t.rows.at(0).at(c);
    }
  }
  throw std::runtime_error("no such column");
}

TEST(MemoryPeaks, AreReportedWithWhatTheAllocatorSays) {
  Recording r = XprofsExample();
  r.Peaks();
  const Report report =
      kMemoryProfile.run(r.facts, Params({{"capacity", "0"}, {"leak_bytes", "1000000"}}));
  EXPECT_EQ(report.status, Status::kOk);
  EXPECT_EQ(FirstCell(report, "devices", "allocator"), Cell("GPU_0_bfc"));
  EXPECT_EQ(FirstCell(report, "devices", "lifetime_peak"), Cell(int64_t{9500}));
  EXPECT_EQ(FirstCell(report, "devices", "headroom"), Cell(int64_t{3000}));
  EXPECT_EQ(FirstCell(report, "devices", "allocations"), Cell(int64_t{2}));
  EXPECT_EQ(FirstCell(report, "devices", "releases"), Cell(int64_t{1}));
  EXPECT_EQ(FirstCell(report, "at_peak", "bytes"), Cell(int64_t{4700}));
}

TEST(MemoryPeaks, AreThoseOfTheTimeline) {
  Recording r = XprofsExample();
  r.Peaks();
  const std::map<std::string, std::string, std::less<>> params = {{"points", "200"}};
  const Report report = kMemoryTimeline.run(r.facts, Params(params));
  EXPECT_EQ(FirstCell(report, "devices", "allocator"), Cell("GPU_0_bfc"));
  EXPECT_EQ(FirstCell(report, "devices", "peak_allocated"), Cell(int64_t{7000}));
  EXPECT_EQ(FirstCell(report, "devices", "peak_time"), Cell(int64_t{30}));
  EXPECT_EQ(FirstCell(report, "holders", "bytes"), Cell(int64_t{6700}));
}

TEST(MemoryPeaks, OfTwoAllocatorsNeverMix) {
  Recording r;
  r.Event(10, 1, 100, {.heap = 100, .available = 900});
  r.Event(20, 1, 5000, {.allocator = "gpu_host_bfc", .heap = 5000, .available = 5000}, -1);
  r.Event(30, 1, -100, {.heap = 0, .available = 1000});
  r.Event(40, 2, 50, {.allocator = "GPU_0_other", .heap = 50, .available = 0});
  const auto peaks = r.Peaks();
  ASSERT_EQ(peaks.size(), 3u);
  EXPECT_EQ(peaks[0].peak, 50);  // all of what it has: the fullest
  EXPECT_EQ(peaks[1].peak, 100);
  EXPECT_EQ(peaks[2].peak, 5000);
  EXPECT_EQ(peaks[2].memory.device, -1);
  EXPECT_EQ(peaks[2].memory.blocks[0].freed, kNeverFreed);
  EXPECT_NE(peaks[1].memory.blocks[0].freed, kNeverFreed);
}

TEST(MemoryPeaks, ABlockEndsWhereItsAddressIsGivenOutAgain) {
  Recording r;
  r.Event(10, 1, 100, {.heap = 100});
  r.Event(20, 1, 70, {.heap = 70});
  r.Event(30, 1, 90, {.heap = 90});
  const auto peaks = r.Peaks();
  ASSERT_EQ(peaks.size(), 1u);
  const auto& blocks = peaks[0].memory.blocks;
  ASSERT_EQ(blocks.size(), 3u);
  EXPECT_EQ(blocks[0].freed, 1u);
  EXPECT_EQ(blocks[1].freed, 2u);
  EXPECT_EQ(blocks[2].freed, kNeverFreed);
}

// The farthest numbers there are.
TEST(MemoryPeaks, DoNotOverflow) {
  Recording r;
  constexpr int64_t kMost = INT64_MAX, kLeast = INT64_MIN;
  r.sample.Step(1, 0, 100);
  r.Event(10, 1, kMost, {.heap = kMost, .available = kMost});
  r.Event(20, 2, kMost, {.heap = kMost, .available = kMost});
  r.Event(30, 1, kLeast, {.heap = 0, .available = kMost});
  const auto peaks = r.Peaks();
  ASSERT_EQ(peaks.size(), 1u);
  EXPECT_EQ(peaks[0].peak, kMost);
  EXPECT_EQ(peaks[0].capacity, kMost);
  EXPECT_EQ(peaks[0].steps.at(0).released, kMost);
}

}  // namespace
}  // namespace stepscope::memory_peaks_test
