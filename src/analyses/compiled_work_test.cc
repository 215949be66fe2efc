// Tests analyses of activities that name their own operator and HLO op, as in traces of XLA and
// TensorFlow.
#include <gtest/gtest.h>

#include <map>

#include "analyses/all.h"
#include "analyses/kept_names.h"
#include "facts/activity/rank_activity_builder.h"
#include "tests/answer.h"
#include "tests/support/sample_trace.h"

namespace stepscope::compiled_work_test {
namespace {

using testing::Row;

struct XlaTrace : SampleTrace {
  // Work for `op` of the compiler, which is `framework_op` of the framework.
  void Op(std::string_view kernel, int64_t start, int64_t end, std::string_view op,
          std::string_view framework_op = "", int64_t flops = -1, int64_t bytes = -1,
          int64_t stream = 7) {
    Activity(kernel, start, end, 0, stream);
    if (!op.empty()) {
      trace.Set(TextField::kHloOp, trace.strings.Intern(op));
      trace.Set(TextField::kHloModule, trace.strings.Intern("jit_train"));
      trace.Set(TextField::kHloCategory, trace.strings.Intern("fusion"));
    }
    if (!framework_op.empty())
      trace.Set(TextField::kFrameworkOp, trace.strings.Intern(framework_op));
    if (flops >= 0) trace.Set(IntField::kFlops, flops);
    if (bytes >= 0) trace.Set(IntField::kBytesAccessed, bytes);
  }

  Report Ask(const Analysis& analysis) {
    ranks = {BuildRankActivity(trace)};
    facts = DeriveFacts(trace.strings, ranks, *ParseSteps("all"), "all");
    std::map<std::string, std::string, std::less<>> values = {{std::string(kMostNames), "0"}};
    for (const Parameter& p : analysis.params) values.emplace(p.name, p.default_value);
    return analysis.run(facts, Params(std::move(values)));
  }

  std::vector<RankActivity> ranks;
  Facts facts;
};

std::vector<Row> RowsOf(const Report& report, std::string_view table) {
  std::vector<Row> rows;
  for (const Table& t : report.tables) {
    if (t.key != table) continue;
    for (const auto& cells : t.rows) rows.emplace_back(t, cells);
  }
  return rows;
}

TEST(CompiledActivity, HloOperationsWithRates) {
  XlaTrace t;
  t.Op("fusion", 0, 1000, "fusion.1", "jit(f)/dot_general:dot_general", 2'000'000, 4000);
  t.Op("fusion", 1000, 3000, "fusion.1", "jit(f)/dot_general:dot_general", 2'000'000, 4000);
  t.Op("copy", 3000, 3500, "copy.2", "", -1, 8000);
  t.Op("no_hlo", 4000, 4500, "");
  const Report report = t.Ask(kHloOperators);
  const auto rows = RowsOf(report, "operators");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].Text("hlo_op"), "fusion.1");
  EXPECT_EQ(rows[0].Text("module"), "jit_train");
  EXPECT_EQ(rows[0].Text("category"), "fusion");
  EXPECT_EQ(rows[0].Int("occurrences"), 2);
  EXPECT_EQ(rows[0].Int("total"), 3000);
  EXPECT_EQ(rows[0].Int("self"), 3000);
  EXPECT_DOUBLE_EQ(rows[0].Real("flop_rate"), 4e6 / 3e-6);
  EXPECT_DOUBLE_EQ(rows[0].Real("byte_rate"), 8000 / 3e-6);
  EXPECT_EQ(rows[0].Text("framework_op"), "jit(f)/dot_general:dot_general");
  EXPECT_FALSE(rows[1].Has("flop_rate"));
  EXPECT_DOUBLE_EQ(rows[1].Real("byte_rate"), 8000 / 0.5e-6);
  EXPECT_FALSE(rows[1].Has("framework_op"));
  EXPECT_DOUBLE_EQ(std::get<double>(report.metrics[0].value), 3500.0 / 4000.0);
}

// Both kernels of a convolution carry its counts: they are of one execution.
TEST(CompiledActivity, SeveralKernelsAreOneExecution) {
  XlaTrace t;
  for (const int64_t start : {0, 1000}) {
    t.Op("Im2Col_float", start, start + 100, "conv.1", "", 1'000'000, 5000);
    t.Op("Cijk_Ailk_Bljk_BBS_BH_MI16x16x1", start + 100, start + 500, "conv.1", "", 1'000'000,
         5000);
  }
  t.trace.meta.devices = {{.device = 0, .name = "AMD Instinct MI300X"}};
  const Report hlo = t.Ask(kHloOperators);
  const Row row = RowsOf(hlo, "operators").at(0);
  EXPECT_EQ(row.Int("occurrences"), 4);
  EXPECT_DOUBLE_EQ(row.Real("flop_rate"), 2e6 / 1000e-9);
  EXPECT_DOUBLE_EQ(row.Real("byte_rate"), 10'000 / 1000e-9);
  const Report operators = t.Ask(kOperators);
  EXPECT_EQ(RowsOf(operators, "operators").at(0).Int("occurrences"), 2);
  EXPECT_EQ(RowsOf(operators, "operators").at(0).Real("flops"), 2e6);
  const Report flops = t.Ask(kFlops);
  ASSERT_EQ(RowsOf(flops, "operators").size(), 1u);
  EXPECT_EQ(RowsOf(flops, "operators").at(0).Real("flops"), 2e6);
  EXPECT_EQ(RowsOf(flops, "operators").at(0).Int("occurrences"), 2);
  EXPECT_EQ(RowsOf(flops, "operators").at(0).Int("device_time"), 1000);
}

// The runtime's own functions are no operators where TensorFlow names its operators.
TEST(CompiledActivity, OfTensorFlowOnlyOperatorsCount) {
  XlaTrace t;
  t.Range("ExecutorState::Process", 0, 100);
  t.Range("model/dense/MatMul:MatMul", 10, 50);
  t.Activity("gemm", 200, 300);
  const Report report = t.Ask(kOperators);
  ASSERT_EQ(RowsOf(report, "operators").size(), 1u);
  EXPECT_EQ(RowsOf(report, "operators")[0].Text("name"), "model/dense/MatMul");
  // One such name among PyTorch's is a user's own.
  t.Range("aten::mm", 60, 70);
  const Report both = t.Ask(kOperators);
  EXPECT_EQ(RowsOf(both, "operators").size(), 3u);
}

// Matrix products of a TPU are no missed chance for Tensor Cores, and what it could do it says
// itself.
TEST(CompiledActivity, OfTpus) {
  XlaTrace t;
  const std::vector<DeviceProperties> devices = {
      {.device = 0, .name = "TPU v5 lite", .memory_bandwidth = 8e11, .peak_flops = 2e14}};
  t.trace.meta.devices = devices;
  for (const int64_t step : {0, 1, 2}) {
    t.Step(step, step * 2000, step * 2000 + 1900);
    t.Op("fusion.1", step * 2000, step * 2000 + 1000, "fusion.1", "jit(f)/dot_general:dot_general",
         20'000'000, 4000);
    t.trace.Set(IntField::kStep, step);
  }
  const Report kernels = t.Ask(kKernels);
  EXPECT_TRUE(kernels.findings.empty());
  EXPECT_TRUE(kernels.metrics.empty());
  EXPECT_EQ(RowsOf(kernels, "top").at(0).Text("tensor_core"), "unknown");
  t.trace.meta.devices = devices;
  const Report flops = t.Ask(kFlops);
  const Row product = RowsOf(flops, "operators").at(0);
  EXPECT_DOUBLE_EQ(product.Real("utilization"), 0.1);
  EXPECT_EQ(t.Ask(kCriticalPath).status, Status::kUnavailable) << "nothing was launched";
}

TEST(CompiledActivity, OperationsInALoopAreItsOwn) {
  XlaTrace t;
  t.Op("while", 0, 1000, "while.1");
  t.Op("fusion", 0, 400, "fusion.1");  // begins with the loop it is in
  t.Op("fusion", 500, 900, "fusion.1");
  t.Op("fusion", 600, 700, "fusion.3");
  t.Op("other", 200, 800, "other.1", "", -1, -1, 8);  // on another stream
  std::map<std::string, int64_t> self;
  const Report report = t.Ask(kHloOperators);
  for (const Row& row : RowsOf(report, "operators")) self[row.Text("hlo_op")] = row.Int("self");
  EXPECT_EQ(self, (std::map<std::string, int64_t>{
                      {"while.1", 200}, {"fusion.1", 700}, {"fusion.3", 100}, {"other.1", 600}}));
}

TEST(CompiledActivity, OperatorsOfTheDeviceAreThoseTheWorkNames) {
  XlaTrace t;
  t.Range("model/dense/MatMul:MatMul", 0, 100);
  t.Launch(10, 1);
  t.Activity("gemm", 200, 300, 1);
  t.trace.Set(TextField::kFrameworkOp, t.trace.strings.Intern("model/dense/MatMul:MatMul"));
  for (const int64_t start : {300, 320, 340}) {
    t.Op("volta_h884gemm", start, start + 10, "", "model/out/MatMul:MatMul", 50, 10);
  }
  t.Op("bias", 400, 405, "", "model/out/MatMul:MatMul");
  t.Op("fusion", 500, 530, "fusion.7", "XlaModule:");
  std::map<std::pair<std::string, std::string>, Row> rows;
  const Report report = t.Ask(kOperators);
  for (const Row& row : RowsOf(report, "operators"))
    rows.emplace(std::pair(row.Text("side"), row.Text("name")), row);
  const Row& host = rows.at({"host", "model/dense/MatMul"});
  EXPECT_EQ(host.Text("type"), "MatMul");
  EXPECT_EQ(host.Int("self"), 100);  // with the call that launches it, as XProf has it
  EXPECT_EQ(rows.at({"device", "model/dense/MatMul"}).Int("total"), 100);
  const Row& out = rows.at({"device", "model/out/MatMul"});
  EXPECT_EQ(out.Int("occurrences"), 3);  // of the kernel that ran most often
  EXPECT_EQ(out.Int("total"), 35);
  EXPECT_EQ(out.Int("self"), 35);
  EXPECT_EQ(out.Real("flops"), 150);
  EXPECT_EQ(out.Real("bytes"), 30);
  EXPECT_EQ(out.Text("tensor_core_eligible"), "yes");
  EXPECT_DOUBLE_EQ(out.Real("tensor_core"), 30.0 / 35.0);
  EXPECT_EQ(rows.at({"device", "fusion.7"}).Int("total"), 30);
}

TEST(CompiledActivity, FlopsAreTheCompilersOverItsSteps) {
  XlaTrace t;
  t.Step(1, 0, 1000);
  t.Step(2, 1000, 2000);
  // 312 TFLOP/s for a tenth of the first step; the last step is not measured.
  for (const int64_t start : {100, 1100}) {
    t.Op("gemm_fusion_dot_bf16", start, start + 200, "dot.1", "", 31'200'000, 10'000);
    t.trace.Set(IntField::kStep, start / 1000 + 1);
  }
  t.Op("copy", 500, 600, "copy.1", "", 0, 5000);
  t.trace.meta.devices = {{.device = 0, .name = "NVIDIA A100-SXM4-40GB"}};
  const Report report = t.Ask(kFlops);
  const auto ranks = RowsOf(report, "ranks");
  ASSERT_EQ(ranks.size(), 1u);
  EXPECT_EQ(ranks[0].Int("time"), 1000);
  EXPECT_DOUBLE_EQ(ranks[0].Real("mfu"), 0.1);
  EXPECT_DOUBLE_EQ(ranks[0].Real("covered"), 0.8);
  const auto rows = RowsOf(report, "operators");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].Text("operator"), "dot.1");
  EXPECT_DOUBLE_EQ(rows[0].Real("utilization"), 0.5);
  EXPECT_EQ(rows[0].Text("bound"), "compute");
}

// A device whose name says nothing, but whose clock and multiprocessors are known, as of XPlane.
TEST(CompiledActivity, PeakOfAnArchitecture) {
  XlaTrace t;
  t.Op("fusion", 0, 1000, "dot.1", "", 1'000'000, 1'000'000);
  t.trace.meta.devices = {{.device = 0,
                           .name = "NVIDIA Something",
                           .compute_major = 9,
                           .compute_minor = 0,
                           .multiprocessors = 132,
                           .clock_hz = 1e9,
                           .memory_bandwidth = 2e12}};
  const Report report = t.Ask(kFlops);
  const auto rows = RowsOf(report, "operators");
  ASSERT_EQ(rows.size(), 1u);
  // 1e6 operations in a microsecond are 1e12 a second; 1e6 bytes in it are half of the bandwidth.
  EXPECT_DOUBLE_EQ(rows[0].Real("utilization"), 1e12 / (4096 * 132 * 1e9));
  EXPECT_EQ(rows[0].Text("bound"), "memory");
  EXPECT_DOUBLE_EQ(rows[0].Real("roofline"), 0.5);
}

}  // namespace
}  // namespace stepscope::compiled_work_test
