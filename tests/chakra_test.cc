// Tests exported execution traces of Chakra: decoded by numbers of the schema, their graph is
// whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stepscope/export.h"
#include "tests/execution_trace.h"
#include "tests/front_door.h"
#include "tests/perfetto_trace.h"
#include "tests/shared_data.h"

namespace stepscope::testing::chakra_test {
namespace {

struct Node {
  uint64_t id = 0, start = 0, duration = 0;
  std::string name, shapes;
  int32_t type = -1;
  std::vector<uint64_t> before;  // ctrl_deps and data_deps
  std::map<std::string, std::string> attributes;
};

std::vector<uint64_t> Packed(std::string_view bytes) {
  std::vector<uint64_t> values;
  uint64_t value = 0;
  for (int shift = 0; const char c : bytes) {
    value |= static_cast<uint64_t>(c & 0x7f) << shift;
    shift += 7;
    if ((c & 0x80) != 0) continue;
    values.push_back(std::exchange(value, 0));
    shift = 0;
  }
  return values;
}

void TakeAttribute(std::string_view message, Node& node) {
  std::string name;
  for (const ProtoField& field : Fields(message)) {
    if (field.number == 1)
      name = field.bytes;
    else
      node.attributes[name] =
          field.bytes.empty() ? std::to_string(field.value) : std::string(field.bytes);
  }
}

Node NodeOf(std::string_view message) {
  Node node;
  for (const ProtoField& field : Fields(message)) {
    if (field.number == 1) node.id = field.value;
    if (field.number == 2) node.name = field.bytes;
    if (field.number == 3) node.type = static_cast<int32_t>(field.value);
    if (field.number == 4 || field.number == 5)
      std::ranges::copy(Packed(field.bytes), std::back_inserter(node.before));
    if (field.number == 6) node.start = field.value;
    if (field.number == 7) node.duration = field.value;
    if (field.number == 10) TakeAttribute(field.bytes, node);
    if (field.number != 8) continue;
    for (const ProtoField& list : Fields(field.bytes)) {
      if (list.number == 2) node.shapes = list.bytes;
    }
  }
  return node;
}

// The nodes of a file, whose first message is the metadata. Each has its length before it.
std::vector<Node> NodesOf(std::string_view bytes) {
  std::vector<Node> nodes;
  for (bool first = true; !bytes.empty(); first = false) {
    size_t length = 1;
    while ((bytes.at(length - 1) & 0x80) != 0) ++length;
    const uint64_t size = Packed(bytes.substr(0, length)).at(0);
    if (size > bytes.size() - length) throw std::runtime_error("cut short");
    if (!first) nodes.push_back(NodeOf(bytes.substr(length, size)));
    bytes.remove_prefix(length + size);
  }
  return nodes;
}

// Every id is known and no node waits for itself, over any way.
void ExpectGraph(const std::vector<Node>& nodes) {
  std::map<uint64_t, const Node*> known;
  for (const Node& node : nodes) EXPECT_TRUE(known.emplace(node.id, &node).second) << node.id;
  std::map<uint64_t, size_t> waits;
  std::map<uint64_t, std::vector<uint64_t>> next;
  for (const Node& node : nodes) {
    waits[node.id] = node.before.size();
    for (const uint64_t id : node.before) {
      EXPECT_TRUE(known.contains(id)) << node.name << " waits for " << id;
      next[id].push_back(node.id);
    }
  }
  std::vector<uint64_t> ready;
  for (const auto& [id, count] : waits) {
    if (count == 0) ready.push_back(id);
  }
  size_t done = 0;
  for (; !ready.empty(); ++done) {
    const uint64_t id = ready.back();
    ready.pop_back();
    for (const uint64_t after : next[id]) {
      if (--waits[after] == 0) ready.push_back(after);
    }
  }
  EXPECT_EQ(done, nodes.size()) << "there is a circle";
}

struct Exported {
  std::vector<Node> nodes;
  ReportSet answer;
  const Node& At(const std::string& name) const {
    for (const Node& node : nodes) {
      if (node.name == name) return node;
    }
    throw std::runtime_error("there is no node " + name);
  }
  std::vector<std::string> Before(const std::string& name) const {
    std::vector<std::string> names;
    for (const uint64_t id : At(name).before) {
      for (const Node& node : nodes) {
        if (node.id == id) names.push_back(node.name);
      }
    }
    return names;
  }
};

Exported ExportOf(const std::string& trace, ExportOptions options = {}) {
  const ScratchFolder in, out;
  in.Write("rank_3.json", trace);
  options.folder = out.path();
  options.format = ExportFormat::kChakra;
  auto written = Export(std::vector{in.path()}, options);
  if (!written) throw std::runtime_error(written.error().what);
  return {NodesOf(Content(out.path() + "/run.3.et")), *written};
}

std::string Op(std::string_view name, int64_t start, int64_t duration,
               std::string_view args = "\"x\":1") {
  return fmt::format(
      R"({{"ph":"X","cat":"cpu_op","name":"{}","pid":9,"tid":9,"ts":{},"dur":{},"args":{{{}}}}})",
      name, start, duration, args);
}
std::string Launch(int64_t correlation, int64_t start) {
  return fmt::format(
      R"({{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":{},"dur":1,)"
      R"("args":{{"correlation":{}}}}})",
      start, correlation);
}
std::string Work(std::string_view name, int64_t start, int64_t duration, int64_t correlation,
                 int64_t stream = 7, std::string_view args = "\"x\":1") {
  return fmt::format(R"({{"ph":"X","cat":"kernel","name":"{}","pid":0,"tid":{},"ts":{},"dur":{},)"
                     R"("args":{{"device":0,"stream":{},"correlation":{},{}}}}})",
                     name, stream, start, duration, stream, correlation, args);
}

std::string Job() {
  return Document({
      Op("aten::linear", 10, 20),
      Op("aten::mm", 12, 10, R"("Input Dims":[[8,4],[4,2]],"Input type":["float","float"])"),
      Launch(1, 15),
      Op("c10d::allreduce_", 40, 10),
      Launch(2, 42),
      Op("aten::relu", 60, 10),
      Launch(3, 61),
      Work("gemm", 20, 30, 1),
      Work(
          "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 55, 40, 2, 9,
          R"("Collective name":"allreduce","In msg nelems":1000,"Out msg nelems":1000,"dtype":"Float","Group size":4,"Process Group Name":"0")"),
      R"({"ph":"X","cat":"cuda_sync","name":"Stream Wait Event","pid":0,"tid":7,"ts":95,"dur":1,"args":{"stream":7,"device":0,"wait_on_stream":9,"correlation":9}})",
      Work("relu", 100, 5, 3),
  });
}

TEST(Chakra, NodesHaveTypesTimesAndWhatComesBefore) {
  const Exported all = ExportOf(Job());
  ExpectGraph(all.nodes);
  EXPECT_EQ(all.nodes.size(), 7u);
  EXPECT_EQ(all.At("aten::linear").duration, 10u) << "less the operator within it";
  EXPECT_EQ(all.At("aten::mm").shapes, "[[8,4],[4,2]]");
  EXPECT_EQ(all.At("aten::mm").attributes.at("is_cpu_op"), "1");
  EXPECT_EQ(all.Before("aten::mm"), (std::vector<std::string>{"aten::linear"}));
  EXPECT_EQ(all.Before("gemm"), (std::vector<std::string>{"aten::mm"}));
  EXPECT_EQ(all.At("gemm").start, 20u);
  EXPECT_EQ(all.At("gemm").duration, 30u);
  EXPECT_EQ(all.At("gemm").type, 4);
  EXPECT_EQ(
      all.Before("relu"),
      (std::vector<std::string>{"gemm", "aten::relu", "ncclDevKernel_AllReduce_Sum_f32_RING_LL"}));
}

TEST(Chakra, CollectivesHaveTypeSizeAndGroup) {
  const Exported all = ExportOf(Job());
  const Node& node = all.At("ncclDevKernel_AllReduce_Sum_f32_RING_LL");
  EXPECT_EQ(node.type, 7);
  EXPECT_EQ(node.attributes.at("comm_type"), "0");
  EXPECT_EQ(node.attributes.at("comm_size"), "4000");
  EXPECT_EQ(node.attributes.at("pg_name"), "0");
}

TEST(Chakra, MessagesHaveBothRanksAndWhatIsUnknownIsCompute) {
  const auto message = [](std::string_view name, int64_t at, std::string_view args) {
    return Work(
        "ncclDevKernel_SendRecv", at, 5, 0, 9,
        fmt::format(
            R"("Collective name":"{}","In msg nelems":10,"Out msg nelems":10,"dtype":"Float",{})",
            name, args));
  };
  const Exported all = ExportOf(
      Document({message("send", 10, R"("Dst Rank":5)"), message("recv", 20, R"("Src Rank":1)"),
                Work("ncclDevKernel_SendRecv", 30, 5, 0, 9), Kernel("gemm", 40, 5)}));
  ExpectGraph(all.nodes);
  ASSERT_EQ(all.nodes.size(), 4u);
  EXPECT_EQ(all.nodes[0].type, 5);
  EXPECT_EQ(all.nodes[0].attributes.at("comm_src"), "3");
  EXPECT_EQ(all.nodes[0].attributes.at("comm_dst"), "5");
  EXPECT_EQ(all.nodes[0].attributes.at("comm_size"), "40");
  EXPECT_EQ(all.nodes[1].type, 6);
  EXPECT_EQ(all.nodes[1].attributes.at("comm_src"), "1");
  EXPECT_EQ(all.nodes[2].type, 4) << "an exchange that names no operation";
  ASSERT_EQ(all.answer.reports[0].notes.size(), 1u);
  EXPECT_EQ(all.answer.reports[0].notes[0].name, "communication_as_compute");
}

TEST(Chakra, AnExchangeIsWhatTheCallAroundItNames) {
  const Exported all = ExportOf(Document(
      {R"({"ph":"X","cat":"user_annotation","name":"nccl:all_to_all","pid":9,"tid":9,"ts":5,"dur":9})",
       Launch(1, 6), Work("ncclDevKernel_SendRecv", 30, 5, 1, 9)}));
  EXPECT_EQ(all.At("ncclDevKernel_SendRecv").type, 7);
  EXPECT_EQ(all.At("ncclDevKernel_SendRecv").attributes.at("comm_type"), "6");
}

TEST(Chakra, StepsAndPrivateNamesAreThoseOfOtherExports) {
  const std::string job = Document(
      {R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":9,"tid":9,"ts":0,"dur":50})",
       R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#2","pid":9,"tid":9,"ts":50,"dur":50})",
       Op("aten::a", 5, 10), Launch(1, 6), Op("/home/alice/secret.py", 60, 10), Launch(2, 61),
       Work("first", 20, 5, 1), Work("second", 70, 5, 2)});
  const Exported second = ExportOf(job, {.steps = "2", .redact = RedactOptions{}});
  ExpectGraph(second.nodes);
  ASSERT_EQ(second.nodes.size(), 2u);
  EXPECT_FALSE(second.nodes[0].name.contains("alice")) << second.nodes[0].name;
  EXPECT_EQ(second.nodes[1].name, "second");
}

// On threads of their own nothing but the tensor ties them.
TEST(Chakra, OperatorsWaitForThoseThatGaveTheirTensors) {
  const auto node = [](int64_t number, std::string_view name, std::string_view in,
                       std::string_view out) {
    return fmt::format(
        R"_({{"name":"{}","rf_id":{},"tid":1,"inputs":{},"input_shapes":[[3]],"input_types":["Tensor(float)"],"outputs":{},"output_types":["Tensor(float)"]}})_",
        name, number, in, out);
  };
  const ScratchFolder in, out;
  in.Write("rank_3.json",
           Document({OperatorText("aten::mm", 10, 5, R"("Record function id":4)"),
                     OperatorText("aten::relu", 20, 5, R"("Record function id":5)", 9, 10),
                     OperatorText("aten::gelu", 30, 5, R"("Record function id":6)", 9, 11),
                     Kernel("gemm", 12, 5)}));
  in.Write(
      "et.json",
      ExecutionTraceText({node(4, "aten::mm", R"([[1,2,0,3,4,"cpu"]])", R"([[5,6,0,3,4,"cpu"]])"),
                          node(5, "aten::relu", R"([[7,6,0,3,4,"cpu"]])", R"([[7,6,0,3,4,"cpu"]])"),
                          node(6, "aten::gelu", R"([[8,6,0,3,4,"cpu"]])", "[]")}));
  ASSERT_TRUE(
      Export(std::vector{in.path()}, {.folder = out.path(), .format = ExportFormat::kChakra}));
  const Exported all{NodesOf(Content(out.path() + "/run.3.et")), {}};
  ExpectGraph(all.nodes);
  EXPECT_EQ(all.Before("aten::mm"), std::vector<std::string>());
  EXPECT_EQ(all.Before("aten::relu"), (std::vector<std::string>{"aten::mm"}));
  EXPECT_EQ(all.Before("aten::gelu"), (std::vector<std::string>{"aten::relu"}));
}

TEST(Chakra, HasNoCountersOrPaths) {
  const ScratchFolder in;
  in.Write("rank_3.json", Job());
  for (const ExportOptions& options :
       {ExportOptions{.folder = "x", .format = ExportFormat::kChakra, .counters = true},
        ExportOptions{.folder = "x", .format = ExportFormat::kChakra, .critical_path = true}})
    EXPECT_FALSE(Export(std::vector{in.path()}, options));
}

using ChakraOfRealJobs = SharedDataTest;

TEST_F(ChakraOfRealJobs, EightRanksOfDlrmAreWholeGraphs) {
  const auto traces = SharedFiles("traces/param/dlrm_8ranks");
  if (traces.empty()) GTEST_SKIP();
  const ScratchFolder out;
  ASSERT_TRUE(Export(traces, {.folder = out.path(), .format = ExportFormat::kChakra}));
  for (int rank = 0; rank < 8; ++rank) {
    const auto nodes = NodesOf(Content(fmt::format("{}/run.{}.et", out.path(), rank)));
    EXPECT_GT(nodes.size(), 1000u);
    ExpectGraph(nodes);
  }
}

}  // namespace
}  // namespace stepscope::testing::chakra_test
