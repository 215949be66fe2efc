// Tests FLOPs and occupancy of real traces against other sources.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "stepscope/session.h"
#include "tests/answer.h"
#include "tests/shared_data.h"

namespace stepscope::testing::flops_real_test {
namespace {

class FlopsOnRealTraces : public SharedDataTest {};

ReportSet Ask(const std::string& trace, const std::string& analysis) {
  const std::vector<std::string> paths = {Shared("traces/" + trace)};
  const auto session = Session::Open(paths, {.analyses = {analysis}});
  if (!session) throw std::runtime_error(session.error().what);
  return *session->Analyze();
}

double FlopsOf(const std::vector<Row>& rows, const std::string& op) {
  for (const Row& row : rows) {
    if (row.Text("operator") == op) return row.Real("flops");
  }
  return 0;
}

constexpr const char* kResnet = "kineto/resnet50_workers0/worker0.1623143089861.pt.trace.json.gz";

// ResNet-50 takes 4.09 G multiply-adds for an image of 224 x 224 (torchvision's own count): here 6
// steps of 32 images. Backward is twice that, but for the first layer's input.
TEST_F(FlopsOnRealTraces, ResNet50ForAnImage) {
  const ReportSet answer = Ask(kResnet, "flops");
  const auto rows = RowsOf(answer, "flops", "operators");
  constexpr double kImages = 6 * 32;
  const double convolutions = FlopsOf(rows, "aten::cudnn_convolution") / kImages;
  const double classifier = FlopsOf(rows, "aten::addmm") / kImages;
  EXPECT_EQ(classifier, 2.0 * 2048 * 1000);
  EXPECT_NEAR((convolutions + classifier) / 2, 4.09e9, 0.005e9);
  const double first = 2.0 * 64 * 112 * 112 * 3 * 7 * 7;
  EXPECT_DOUBLE_EQ(FlopsOf(rows, "aten::cudnn_convolution_backward") / kImages,
                   2 * convolutions - first);
  EXPECT_EQ(FlopsOf(rows, "aten::mm") / kImages, 2 * classifier);
}

// Nothing runs faster than its device: neither its matrix units nor its memory.
TEST_F(FlopsOnRealTraces, NothingIsFasterThanItsDevice) {
  for (const char* trace :
       {kResnet, "torch2/h100_bert", "torch2/h100_qwen", "torch2/b200_eager", "torch2/xdit_sd35",
        "torch2/torch_compile_triton", "torch2/mi300_resnet_act_checkpoint",
        "hta/trace_diff/control", "hta/trace_diff/test", "hta/queue_length"}) {
    SCOPED_TRACE(trace);
    const ReportSet answer = Ask(trace, "flops");
    const auto rows = RowsOf(answer, "flops", "operators");
    EXPECT_FALSE(rows.empty());
    for (const Row& row : rows) {
      SCOPED_TRACE(row.Text("operator"));
      ASSERT_TRUE(row.Has("utilization"));
      EXPECT_GT(row.Real("utilization"), 0);
      EXPECT_LT(row.Real("utilization"), 1);
    }
    for (const Row& row : RowsOf(answer, "flops", "ranks")) {
      EXPECT_LE(row.Real("mfu"), row.Real("hfu"));
      EXPECT_LE(row.Real("covered"), 1);
    }
  }
}

// With activations dropped, the convolutions of all but the last block run twice.
TEST_F(FlopsOnRealTraces, CheckpointedActivationsAreNotOfTheModel) {
  const auto answer = Ask("torch2/mi300_resnet_act_checkpoint", "flops");
  const Row row = RowsOf(answer, "flops", "ranks").at(0);
  EXPECT_GT(row.Real("hfu"), row.Real("mfu") * 1.2);
  EXPECT_LT(row.Real("hfu"), row.Real("mfu") * 4 / 3);
}

int64_t ThreadsOf(const std::string& block) {
  int64_t threads = 1, size = 0;
  char c = 0;
  for (std::istringstream in(block); in >> c >> size;) threads *= size;
  return threads;
}

struct Device {
  const char* trace;
  double threads;  // of a multiprocessor
};

// What the trace estimates follows from what we say a multiprocessor can hold: Volta to Blackwell.
TEST_F(FlopsOnRealTraces, TheoreticalOccupancyExplainsTheEstimates) {
  for (const auto& [trace, most] :
       {Device{kResnet, 2048}, Device{"hta/trace_diff/control", 2048}, Device{"param/resnet", 1024},
        Device{"torch2/h100_qwen", 2048}, Device{"torch2/b200_eager", 2048}}) {
    SCOPED_TRACE(trace);
    const ReportSet answer = Ask(trace, "kernels");
    size_t compared = 0;
    for (const Row& row : RowsOf(answer, "kernels", "launches")) {
      if (!row.Has("theoretical") || !row.Has("blocks_per_sm")) continue;
      const auto threads = static_cast<double>(ThreadsOf(row.Text("block")));
      const double expected =
          std::min(row.Real("theoretical"), row.Real("blocks_per_sm") * threads / most);
      EXPECT_NEAR(row.Real("occupancy"), expected, 0.0101) << row.Text("name");
      ++compared;
    }
    EXPECT_GT(compared, 25u);
  }
}

}  // namespace
}  // namespace stepscope::testing::flops_real_test
