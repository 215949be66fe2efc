// Tests what operations cost. Expected counts are those of XLA's cost analysis, by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "ingest/xplane/xplane_programs.h"
#include "tests/support/sample_hlo.h"
#include "tests/support/sample_programs.h"

namespace stepscope::xplane_cost_test {
namespace {

std::string Calling(uint64_t computation) {
  return ProtoOf([&](pbf_writer& w) { w.add_uint64(38, computation); });
}

// Adds two numbers.
std::string Adder(uint64_t id) {
  return SampleComputation(id, {SampleInstruction("l", "parameter", 1, SampleShape({}), {}),
                                SampleInstruction("r", "parameter", 2, SampleShape({}), {}),
                                SampleInstruction("sum", "add", 3, SampleShape({}), {1, 2})});
}

// "op" of f32[8,4] and f32[2] in a program of its own.
HloOp OpOf(const char* opcode, std::initializer_list<int64_t> result,
           const std::string& more = "") {
  Programs programs;
  Notes notes;
  programs.Add(
      ProgramEntry(
          "m(1)",
          HloProgram(
              {Adder(1),
               SampleComputation(
                   2, {SampleInstruction("a", "parameter", 1, SampleShape({8, 4}), {}),
                       SampleInstruction("b", "parameter", 2, SampleShape({2}), {}),
                       SampleInstruction("op", opcode, 3, SampleShape(result), {1, 2}, more)})})),
      notes);
  return *programs.Find("m", 1, "op");
}

TEST(Costs, FollowTheRuleOfTheOpcode) {
  struct Case {
    const char* opcode;
    int64_t flops, bytes;
  };
  constexpr int64_t kIn = 4 * (32 + 2);  // of both operands
  for (const auto& [opcode, flops, bytes] :
       {Case{"add", 32, kIn + 128}, Case{"select", 32, kIn + 128}, Case{"convert", 32, kIn + 128},
        Case{"exponential", 0, kIn + 128}, Case{"transpose", 0, kIn + 128},
        Case{"slice", 0, 2 * 128}, Case{"dynamic-slice", 0, 2 * 128 + 8},
        Case{"gather", 0, 2 * 128 + 8}, Case{"dynamic-update-slice", 0, 2 * 8},
        Case{"bitcast", 0, 0}, Case{"sort", 32 * 5, kIn + 128}, Case{"all-reduce", 32, kIn + 128},
        Case{"custom-call", -1, kIn + 128}}) {
    SCOPED_TRACE(opcode);
    const HloOp op = OpOf(opcode, {8, 4});
    EXPECT_EQ(op.flops, flops);
    EXPECT_EQ(op.bytes, bytes);
  }
}

TEST(Costs, AReductionAddsWhatGoesAway) {
  EXPECT_EQ(OpOf("reduce", {4}, Calling(1)).flops, 32 - 4);
  EXPECT_EQ(OpOf("reduce", {4}, Calling(77)).flops, -1) << "what it calls is not there";
}

TEST(Costs, AWindowAddsAllButOneOfItsElements) {
  const std::string window = ProtoOf([](pbf_writer& w) {
    pbf_writer of(w, 15);
    for (int i = 0; i < 2; ++i) pbf_writer(of, 1).add_uint64(1, 3);
  });
  EXPECT_EQ(OpOf("reduce-window", {6, 2}, Calling(1) + window).flops, (9 - 1) * 12);
}

TEST(Costs, ALoopCostsItsBodyAsOftenAsItTurns) {
  const std::string turns = ProtoOf([](pbf_writer& w) {
    w.add_string(43, R"({"known_trip_count":{"n":"10"},"known_init_step":{"init":"0"}})");
  });
  EXPECT_EQ(OpOf("while", {4}, Calling(1) + turns).flops, 10);
  EXPECT_EQ(OpOf("while", {4}, Calling(1)).flops, 1) << "unknown";
  EXPECT_EQ(OpOf("conditional", {4}, Calling(1) + Calling(1)).flops, 1) << "one of them";
}

// A fusion that reads a row of a table of 1000: the rest is not touched.
TEST(Costs, AFusionReadsTheSlicesOfAParameter) {
  const std::string second = ProtoOf([](pbf_writer& w) { w.add_uint64(9, 1); });
  const std::string inside = SampleComputation(
      1, {SampleInstruction("table", "parameter", 1, SampleShape({1000, 16}), {}),
          SampleInstruction("at", "parameter", 2, SampleShape({1}), {}, second),
          SampleInstruction("row", "dynamic-slice", 3, SampleShape({1, 16}), {1, 2}),
          SampleInstruction("out", "negate", 4, SampleShape({1, 16}), {3})});
  const std::string main = SampleComputation(
      2, {SampleInstruction("t", "parameter", 1, SampleShape({1000, 16}), {}),
          SampleInstruction("i", "parameter", 2, SampleShape({1}), {}),
          SampleInstruction("op", "fusion", 3, SampleShape({1, 16}), {1, 2}, Calling(1))});
  Programs programs;
  Notes notes;
  programs.Add(ProgramEntry("m(1)", HloProgram({inside, main})), notes);
  EXPECT_EQ(programs.Find("m", 1, "op")->bytes, 64 + 64 + 4);
  EXPECT_EQ(programs.Find("m", 1, "op")->flops, 16);
}

// 5 positions of a kernel of 3 over 5 elements with a padding of 1: the outermost meet the padding.
TEST(Costs, AConvolutionDoesNotMultiplyPadding) {
  const auto convolution = [](int64_t padding, int64_t holes, int64_t output) {
    const std::string more = ProtoOf([&](pbf_writer& w) {
      {
        pbf_writer window(w, 15);
        pbf_writer dimension(window, 1);
        dimension.add_int64(1, 3);
        dimension.add_int64(2, 1);
        dimension.add_int64(3, padding);
        dimension.add_int64(4, padding);
        dimension.add_int64(6, holes);
      }
      pbf_writer numbers(w, 16);  // batch, position, feature; kernels: position, in, out
      numbers.add_uint64(3, 1);
      numbers.add_uint64(4, 2);
      numbers.add_uint64(6, 0);
      numbers.add_uint64(7, 0);
      numbers.add_uint64(8, 2);
      numbers.add_uint64(11, 1);
      numbers.add_uint64(9, 0);
      numbers.add_uint64(10, 2);
      numbers.add_uint64(12, 1);
    });
    Programs programs;
    Notes notes;
    programs.Add(
        ProgramEntry("m(1)",
                     HloProgram({SampleComputation(
                         1, {SampleInstruction("x", "parameter", 1, SampleShape({2, 5, 4}), {}),
                             SampleInstruction("w", "parameter", 2, SampleShape({3, 4, 6}), {}),
                             SampleInstruction("op", "convolution", 3, SampleShape({2, output, 6}),
                                               {1, 2}, more)})})),
        notes);
    return programs.Find("m", 1, "op")->flops;
  };
  EXPECT_EQ(convolution(0, 1, 3), 2 * 2 * 4 * 6 * (3 * 3));
  EXPECT_EQ(convolution(1, 1, 5), 2 * 2 * 4 * 6 * (5 * 3 - 2));
  EXPECT_EQ(convolution(0, 2, 7), 2 * 2 * 4 * 6 * 11) << "every second position is a hole";
  EXPECT_EQ(convolution(INT64_MAX, INT64_MAX, 7), 2 * 2 * 4 * 6 * (7 * 3)) << "nonsense: all count";
  EXPECT_EQ(convolution(INT64_MIN, 1, 7), 2 * 2 * 4 * 6 * (7 * 3)) << "which has no absolute value";
}

// What is called comes before who calls it; otherwise nothing is known of it, and nothing recurs.
TEST(Costs, CirclesOfCallsEnd) {
  const auto calls = [](uint64_t id, uint64_t called) {
    return SampleComputation(id, {SampleInstruction("op" + std::to_string(id), "call", 1,
                                                    SampleShape({4}), {1, 99}, Calling(called))});
  };
  Programs programs;
  Notes notes;
  programs.Add(ProgramEntry("m(1)", HloProgram({calls(1, 1), calls(2, 3), calls(3, 2)})), notes);
  for (const char* op : {"op1", "op2", "op3"}) EXPECT_NE(programs.Find("m", 1, op), nullptr);
}

// Each computation calls the one before it 16 times: 16^200 additions are not counted one by one.
TEST(Costs, AreCappedWhereCallsMultiply) {
  Programs programs;
  Notes notes;
  const std::string program = ProtoOf([](pbf_writer& w) {
    pbf_writer module(w, 1);
    module.add_string(3, Adder(1));
    for (uint64_t id = 2; id <= 400; ++id) {
      std::string called;
      for (int i = 0; i < 16; ++i) called += Calling(id - 1);
      module.add_string(
          3, SampleComputation(id, {SampleInstruction("op" + std::to_string(id), "call", 1,
                                                      SampleShape({}), {}, called)}));
    }
  });
  programs.Add(ProgramEntry("m(1)", program), notes);
  EXPECT_EQ(programs.Find("m", 1, "op3")->flops, 256);
  EXPECT_EQ(programs.Find("m", 1, "op400")->flops, -1);
}

// Programs name the files of their lines in a table of frames, or, older, with each operation.
TEST(Costs, OperationsNameTheirLine) {
  const std::string framed = ProtoOf([](pbf_writer& w) {
    pbf_writer metadata(w, 7);
    metadata.add_string(3, "old.py");
    metadata.add_uint64(15, 2);
  });
  const std::string plain = ProtoOf([](pbf_writer& w) {
    pbf_writer metadata(w, 7);
    metadata.add_string(3, "old.py");
    metadata.add_uint64(4, 5);
    metadata.add_uint64(15, 9);  // a frame that is not there
  });
  const std::string frames = ProtoOf([](pbf_writer& w) {
    w.add_string(1, "train.py");
    w.add_string(1, "model.py");
    for (const auto& [file, line] : {std::pair(1, 30), std::pair(2, 12)}) {
      pbf_writer location(w, 3);
      location.add_int32(1, file);
      location.add_int32(3, line);
    }
    for (const int at : {1, 2}) pbf_writer(w, 4).add_int32(1, at);
  });
  const std::string program = ProtoOf([&](pbf_writer& w) {
    pbf_writer module(w, 1);
    module.add_string(
        3, SampleComputation(1, {SampleInstruction("a", "negate", 1, SampleShape({4}), {}, framed),
                                 SampleInstruction("b", "negate", 2, SampleShape({4}), {}, plain),
                                 SampleInstruction("c", "negate", 3, SampleShape({4}), {})}));
    module.add_string(17, frames);
  });
  Programs programs;
  Notes notes;
  programs.Add(ProgramEntry("m(1)", program), notes);
  EXPECT_EQ(programs.Source(programs.Find("m", 1, "a")->source), "model.py:12");
  EXPECT_EQ(programs.Source(programs.Find("m", 1, "b")->source), "old.py:5");
  EXPECT_EQ(programs.Find("m", 1, "c")->source, kNoString);
}

}  // namespace
}  // namespace stepscope::xplane_cost_test
