// Tests the memory of compiled programs: the peak, who is in it, and damage.
#include "ingest/xplane/xplane_buffers.h"

#include <gtest/gtest.h>

#include "base/proto.h"
#include "tests/support/sample_hlo.h"

namespace stepscope::xplane_buffers_test {
namespace {

using enum SampleBuffers::Kind;

// x: f32[100] goes in, y: f32[50] comes out; a, b and c in between. An instruction's number is that
// of its buffer. b is made in "model.py:7".
std::string Module() {
  const std::string of_line = ProtoOf([](pbf_writer& w) {
    pbf_writer metadata(w, 7);
    metadata.add_string(2, "jit(f)/layer/mul");
    metadata.add_string(3, "model.py");
    metadata.add_uint64(4, 7);
  });
  const std::string computation =
      SampleComputation(1, {SampleInstruction("x", "parameter", 1, SampleShape({100}), {}),
                            SampleInstruction("a", "negate", 2, SampleShape({100}), {1}),
                            SampleInstruction("b", "multiply", 3, SampleShape({50}), {2}, of_line),
                            SampleInstruction("c", "negate", 4, SampleShape({50}), {3}),
                            SampleInstruction("y", "negate", 5, SampleShape({50}), {4})});
  return ProtoOf([&](pbf_writer& w) { w.add_string(3, computation); });
}

struct Read {
  StringTable strings;
  std::vector<ProgramMemory> memory;
  std::string Text(StringId id) const { return id == kNoString ? "" : std::string(strings[id]); }
};

Read MemoryIn(std::string_view buffers) {
  Read read;
  const std::string message = Module();
  read.memory = MemoryOf(buffers, HloModule(message), read.strings);
  return read;
}

// a 400, b 200 and c 200 bytes lie in 640; the arguments take 400, the outputs 200.
SampleBuffers Plan() {
  SampleBuffers plan;
  plan.Buffer(1, 400, 1).Buffer(2, 400, 2).Buffer(3, 200, 3).Buffer(4, 200, 4).Buffer(5, 200, 5);
  plan.Allocation(400, 5, {{1, 0, 400}});
  plan.Allocation(200, 7, {{5, 0, 200}});
  plan.Allocation(640, 0, {{2, 0, 400}, {3, 400, 200}, {4, 0, 200}});
  return plan;
}

TEST(ProgramMemory, ThePeakIsTheMostInUseAtOnce) {
  SampleBuffers plan = Plan();
  plan.Schedule({{kBegins, 2, "a"}, {kBegins, 3, "b"}, {kEnds, 2, "b"}, {kBegins, 4, "c"}});
  const Read read = MemoryIn(plan.bytes());
  ASSERT_EQ(read.memory.size(), 1u);
  const ProgramMemory& m = read.memory[0];
  EXPECT_EQ(m.arguments, 400);
  EXPECT_EQ(m.outputs, 200);
  EXPECT_EQ(m.temporaries, 640);
  EXPECT_EQ(m.allocated, 1240);
  EXPECT_EQ(m.peak, 400 + 200 + 400 + 200) << "a and b; c begins when a has ended";
  EXPECT_EQ(read.Text(m.peak_at), "b");
  ASSERT_EQ(m.at_peak.size(), 4u);
  EXPECT_EQ(read.Text(m.at_peak[0].instruction), "x");
  EXPECT_EQ(m.at_peak[0].use, BufferUse::kArgument);
  EXPECT_EQ(read.Text(m.at_peak[1].instruction), "a");
  EXPECT_EQ(read.Text(m.at_peak[1].shape), "f32[100]");
  EXPECT_EQ(read.Text(m.at_peak[2].instruction), "b");
  EXPECT_EQ(read.Text(m.at_peak[2].framework_op), "jit(f)/layer/mul");
  EXPECT_EQ(read.Text(m.at_peak[2].source), "model.py:7");
  EXPECT_EQ(read.Text(m.at_peak[3].instruction), "y");
  EXPECT_EQ(m.at_peak[3].use, BufferUse::kOutput);
}

TEST(ProgramMemory, ABufferThatSharesTakesTheMemoryOver) {
  SampleBuffers plan = Plan();
  plan.Schedule({{kBegins, 3, "b"}, {kEnds, 3, "c"}, {kShares, 4, "c", 3}, {kEnds, 4, "y"}});
  const Read read = MemoryIn(plan.bytes());
  EXPECT_EQ(read.memory[0].peak, 400 + 200 + 200);
  plan.Schedule({{kBegins, 3, "b"}, {kShares, 4, "c", 3}, {kEnds, 3, "c"}, {kBegins, 2, "a"}});
  EXPECT_EQ(MemoryIn(plan.bytes()).memory[0].peak, 400 + 200 + 200 + 400) << "c is still there";
}

TEST(ProgramMemory, WithoutAScheduleAllocationsCountAsAWhole) {
  const Read read = MemoryIn(Plan().bytes());
  EXPECT_EQ(read.memory[0].peak, 1240);
  std::vector<std::string> names;
  for (const ProgramBuffer& b : read.memory[0].at_peak) names.push_back(read.Text(b.instruction));
  EXPECT_EQ(names, (std::vector<std::string>{"x", "a", "b", "y"})) << "c lies where a lies";
}

TEST(ProgramMemory, WhatThreadsHoldForThemselvesIsNotOfTheDevice) {
  SampleBuffers plan = Plan();
  plan.Allocation(1 << 20, 3, {});
  EXPECT_EQ(MemoryIn(plan.bytes()).memory[0].allocated, 1240);
}

TEST(ProgramMemory, MoreThanTheShapeNeedsIsPadding) {
  SampleBuffers plan;
  plan.Buffer(3, 1024, 3).Allocation(1024, 0, {{3, 0, 1024}});
  EXPECT_EQ(MemoryIn(plan.bytes()).memory[0].at_peak[0].padding, 1024 - 200);
}

TEST(ProgramMemory, HostileNumbersStayNumbers) {
  constexpr uint64_t kHuge = INT64_MAX, kNegative = UINT64_MAX;
  SampleBuffers plan;
  plan.Buffer(1, kHuge, 99).Buffer(2, kHuge, 1).Buffer(3, kNegative, kNegative);
  plan.Allocation(kHuge, 0, {{1, kHuge, kHuge}, {2, 0, kHuge}, {7, 0, 5}});
  plan.Allocation(kHuge, 5, {{3, 0, kNegative}});
  plan.Schedule(
      {{kShares, 2, "s", 2}, {kShares, 1, "s", 77}, {kEnds, 8}, {kEnds, 3}, {kBegins, 1}});
  plan.Schedule({{kBegins, 55}});
  const Read read = MemoryIn(plan.bytes());
  EXPECT_EQ(read.memory[0].allocated, INT64_MAX);
  EXPECT_LE(read.memory[0].peak, read.memory[0].allocated);
}

TEST(ProgramMemory, ManyBuffersAreNamedUpToABound) {
  SampleBuffers plan;
  for (uint64_t b = 1; b <= 1000; ++b) plan.Buffer(b, 10, 1).Allocation(10, 0, {{b, 0, 10}});
  const Read read = MemoryIn(plan.bytes());
  EXPECT_EQ(read.memory[0].peak, 10'000);
  EXPECT_EQ(std::ssize(read.memory[0].at_peak) + read.memory[0].more_buffers, 1000);
  EXPECT_EQ(read.memory[0].more_bytes, 10 * read.memory[0].more_buffers);
}

TEST(ProgramMemory, CutAnywhereItIsNoMoreThanThere) {
  SampleBuffers plan = Plan();
  plan.Schedule({{kBegins, 2, "a"}, {kBegins, 3, "b"}, {kEnds, 2, "b"}});
  for (size_t length = 0; length <= plan.bytes().size(); ++length) {
    for (const ProgramMemory& m : MemoryIn(plan.bytes().substr(0, length)).memory)
      EXPECT_LE(m.peak, m.allocated);
  }
}

}  // namespace
}  // namespace stepscope::xplane_buffers_test
