// Tests compiled programs: names of ops, their costs, and damage.
#include "ingest/xplane/xplane_programs.h"

#include <gtest/gtest.h>

#include "ingest/trace_reader.h"
#include "tests/support/sample_hlo.h"
#include "tests/support/sample_programs.h"
#include "tests/support/sample_xspace.h"

namespace stepscope::xplane_programs_test {
namespace {

// f32[64,32] x f32[32,16], contracted over 32.
std::string MatMul() {
  const std::string dot = ProtoOf([](pbf_writer& w) {
    {
      pbf_writer dimensions(w, 30);
      dimensions.add_uint64(1, 1);  // of the left: its second dimension
      dimensions.add_uint64(2, 0);
    }
    pbf_writer(w, 7).add_string(2, "jit(step)/dense/dot_general");
  });
  return SampleComputation(
      5, {SampleInstruction("p0", "parameter", 1, SampleShape({64, 32}), {}),
          SampleInstruction("p1", "parameter", 2, SampleShape({32, 16}), {}),
          SampleInstruction("dot.1", "dot", 3, SampleShape({64, 16}), {1, 2}, dot)});
}

constexpr int64_t kMatMulFlops = 2 * 64 * 16 * 32;
constexpr int64_t kMatMulBytes = 4 * (64 * 32 + 32 * 16 + 64 * 16);

TEST(Programs, AMatrixProductCostsTwicePerProduct) {
  Programs programs;
  Notes notes;
  programs.Add(ProgramEntry("jit_step(17)", HloProgram({MatMul()})), notes);
  const HloOp* dot = programs.Find("jit_step", 17, "dot.1");
  ASSERT_NE(dot, nullptr);
  EXPECT_EQ(dot->category, "dot");
  EXPECT_EQ(dot->op_name, "jit(step)/dense/dot_general");
  EXPECT_EQ(dot->flops, kMatMulFlops);
  EXPECT_EQ(dot->bytes, kMatMulBytes);
  EXPECT_EQ(programs.Find("jit_step", 17, "p0")->flops, 0);
  EXPECT_EQ(programs.Find("jit_step", 17, "dot.9"), nullptr);
  EXPECT_EQ(programs.Find("jit_other", 17, "dot.1"), nullptr);
  EXPECT_EQ(notes.Count(NoteKind::kUnreadableStat), 0);
}

TEST(Programs, AFusionCostsWhatIsInIt) {
  const std::string calls = ProtoOf([](pbf_writer& w) { w.add_uint64(38, 5); });
  const std::string main = SampleComputation(
      9, {SampleInstruction("a", "parameter", 1, SampleShape({64, 32}), {}),
          SampleInstruction("b", "parameter", 2, SampleShape({32, 16}), {}),
          SampleInstruction("fusion.3", "fusion", 3, SampleShape({64, 16}), {1, 2}, calls)});
  Programs programs;
  Notes notes;
  programs.Add(ProgramEntry("jit_step(1)", HloProgram({MatMul(), main})), notes);
  const HloOp* fusion = programs.Find("jit_step", 1, "fusion.3");
  ASSERT_NE(fusion, nullptr);
  EXPECT_EQ(fusion->flops, kMatMulFlops);
  EXPECT_EQ(fusion->bytes, kMatMulBytes);
}

TEST(Programs, AConvolutionCostsItsWindowTimesItsInputChannels) {
  // Images 8x28x28x3 by a kernel of 5x5, 3 channels in and 16 out, by a library that gives a tuple
  // of the result and its scratch space.
  const std::string convolution = ProtoOf([](pbf_writer& w) {
    {
      pbf_writer window(w, 15);
      for (int i = 0; i < 2; ++i) {
        pbf_writer dimension(window, 1);
        for (const auto& [field, value] : {std::pair(1, 5), {2, 1}, {3, 2}, {4, 2}})
          dimension.add_int64(static_cast<uint32_t>(field), value);
      }
    }
    {
      pbf_writer numbers(w, 16);
      for (const auto& [field, value] : {std::pair(3, 2),
                                         {4, 3},
                                         {6, 0},
                                         {6, 1},
                                         {7, 0},
                                         {8, 3},
                                         {11, 1},
                                         {11, 2},
                                         {9, 0},
                                         {10, 3},
                                         {12, 1},
                                         {12, 2}})
        numbers.add_int64(static_cast<uint32_t>(field), value);
    }
    w.add_string(28, "__cudnn$convForward");
  });
  const std::string tuple = ProtoOf([](pbf_writer& w) {
    w.add_uint64(2, 13);
    w.add_string(4, SampleShape({8, 28, 28, 16}));
    w.add_string(4, SampleShape({1024}, 6));
  });
  Programs programs;
  Notes notes;
  programs.Add(
      ProgramEntry(
          "jit_conv(2)",
          HloProgram({SampleComputation(
              1, {SampleInstruction("x", "parameter", 1, SampleShape({8, 28, 28, 3}), {}),
                  SampleInstruction("w", "parameter", 2, SampleShape({5, 5, 3, 16}), {}),
                  SampleInstruction("conv", "custom-call", 3, tuple, {1, 2}, convolution)})})),
      notes);
  const HloOp* op = programs.Find("jit_conv", 2, "conv");
  ASSERT_NE(op, nullptr);
  constexpr int64_t kValid = 28 * 5 - (2 + 1 + 1 + 2);  // of each dimension: not on the padding
  EXPECT_EQ(op->flops, 2LL * 8 * 16 * 3 * kValid * kValid);
  EXPECT_EQ(op->category, "custom-call __cudnn$convForward");
  EXPECT_EQ(op->bytes, 4 * (8 * 28 * 28 * 16 + 8 * 28 * 28 * 3 + 5 * 5 * 3 * 16));
}

// As XLA hands products to cuBLAS: the result comes with scratch space, and what is summed over is
// in the configuration. Without it, that follows from the sizes of two plain matrices.
TEST(Programs, AProductOfALibraryCostsWhatItsConfigurationSays) {
  const auto product = [](const std::string& config, std::initializer_list<int64_t> left,
                          std::initializer_list<int64_t> right,
                          std::initializer_list<int64_t> result) {
    const std::string more = ProtoOf([&](pbf_writer& w) {
      w.add_string(28, "__cublas$gemm");
      w.add_string(43, config);
    });
    const std::string tuple = ProtoOf([&](pbf_writer& w) {
      w.add_uint64(2, 13);
      w.add_string(4, SampleShape(result));
      w.add_string(4, SampleShape({4096}, 6));
    });
    Programs programs;
    Notes notes;
    programs.Add(
        ProgramEntry(
            "jit_f(1)",
            HloProgram({SampleComputation(
                1, {SampleInstruction("a", "parameter", 1, SampleShape(left), {}),
                    SampleInstruction("b", "parameter", 2, SampleShape(right), {}),
                    SampleInstruction("cublas-gemm.1", "custom-call", 3, tuple, {1, 2}, more)})})),
        notes);
    return programs.Find("jit_f", 1, "cublas-gemm.1")->flops;
  };
  const std::string config =
      R"({"gemm_backend_config":{"alpha_real":1,"dot_dimension_numbers":{)"
      R"("lhs_contracting_dimensions":["2"],"rhs_contracting_dimensions":["1"],)"
      R"("lhs_batch_dimensions":["0"],"rhs_batch_dimensions":["0"]}}})";
  EXPECT_EQ(product(config, {8, 64, 32}, {8, 32, 16}, {8, 64, 16}), 8 * kMatMulFlops);
  EXPECT_EQ(product("{}", {64, 32}, {32, 16}, {64, 16}), kMatMulFlops);
  EXPECT_EQ(product("{}", {8, 64, 32}, {8, 32, 16}, {8, 64, 16}), -1) << "which is the batch?";
  EXPECT_EQ(product(R"({"lhs_contracting_dimensions":["1)", {64, 32}, {32, 16}, {64, 16}),
            kMatMulFlops);
}

// Triton's fusions hold the product in a fusion of their own, or are called by a custom call.
TEST(Programs, ADotThatTritonFusedCountsForItsFusion) {
  const auto calling = [](uint64_t computation) {
    return ProtoOf([&](pbf_writer& w) { w.add_uint64(38, computation); });
  };
  const auto outer = [&](uint64_t id, const char* name, const char* opcode, uint64_t called) {
    return SampleComputation(
        id, {SampleInstruction("a", "parameter", 1, SampleShape({64, 32}), {}),
             SampleInstruction("b", "parameter", 2, SampleShape({32, 16}), {}),
             SampleInstruction(name, opcode, 3, SampleShape({64, 16}), {1, 2}, calling(called))});
  };
  Programs programs;
  Notes notes;
  programs.Add(ProgramEntry("jit_f(1)", HloProgram({MatMul(), outer(6, "inner", "fusion", 5),
                                                    outer(7, "gemm_fusion_dot.1", "fusion", 6),
                                                    outer(8, "triton", "custom-call", 5)})),
               notes);
  EXPECT_EQ(programs.Find("jit_f", 1, "gemm_fusion_dot.1")->flops, kMatMulFlops);
  EXPECT_EQ(programs.Find("jit_f", 1, "triton")->flops, kMatMulFlops);
}

TEST(Programs, OfSeveralProgramsOneMustBeNamed) {
  Programs programs;
  Notes notes;
  programs.Add(ProgramEntry("jit_f(1)", HloProgram({MatMul()})), notes);
  EXPECT_NE(programs.Find("jit_f", -1, "dot.1"), nullptr);
  programs.Add(ProgramEntry("jit_f(2)", HloProgram({MatMul()})), notes);
  EXPECT_EQ(programs.Find("jit_f", -1, "dot.1"), nullptr);
  EXPECT_NE(programs.Find("jit_f", 2, "dot.1"), nullptr);
}

TEST(Programs, KernelsAreToldWhatTheyCompute) {
  SampleXSpace file;
  file.Plane("/host:metadata")
      .Metadata("jit_step(17)", {{"Hlo Proto", SampleBytes{HloProgram({MatMul()})}}});
  file.Plane("/device:GPU:0")
      .Line(1, "Stream #1")
      .Event("gemm_kernel", 0, 5,
             {{"hlo_module", "jit_step"}, {"hlo_op", "dot.1"}, {"program_id", 17}});
  const auto trace = ReadTrace(ByteSource::FromMemory(file.Bytes()));
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->Ints(IntField::kFlops).Find(0), kMatMulFlops);
  EXPECT_EQ(trace->Ints(IntField::kBytesAccessed).Find(0), kMatMulBytes);
  const auto op = trace->Texts(TextField::kFrameworkOp).Find(0);
  ASSERT_TRUE(op);
  EXPECT_EQ(trace->strings[*op], "jit(step)/dense/dot_general");
}

TEST(Programs, HostileShapesStayNumbers) {
  std::string shape = SampleShape({INT64_MAX, INT64_MAX, -5, INT64_MAX});
  for (int depth = 0; depth < 3000; ++depth)
    shape = ProtoOf([&](pbf_writer& w) { w.add_string(4, shape); });
  Programs programs;
  Notes notes;
  programs.Add(
      ProgramEntry(
          "m(1)",
          HloProgram({SampleComputation(
              1, {SampleInstruction("huge", "x", 1, SampleShape({INT64_MAX, INT64_MAX}), {1}),
                  SampleInstruction("deep", "x", 2, shape, {2, 2, 99})})})),
      notes);
  ASSERT_NE(programs.Find("m", 1, "huge"), nullptr);
  EXPECT_EQ(programs.Find("m", 1, "huge")->bytes, -1) << "too many to say";
  ASSERT_NE(programs.Find("m", 1, "deep"), nullptr);
}

TEST(Programs, CutAnywhereItIsANoteAtMost) {
  const std::string whole = ProgramEntry("jit_step(17)", HloProgram({MatMul()}));
  for (size_t length = 0; length <= whole.size(); ++length) {
    Programs programs;
    Notes notes;
    programs.Add(std::string_view(whole).substr(0, length), notes);
    EXPECT_EQ(programs.Find("jit_step", 17, "dot.1") != nullptr, length == whole.size());
  }
}

}  // namespace
}  // namespace stepscope::xplane_programs_test
