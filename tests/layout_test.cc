// Tests what is said of the parallel layout of jobs whose layout is known.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/answer.h"
#include "tests/front_door.h"
#include "tests/shared_data.h"
#include "tests/support/demo_job.h"

namespace stepscope::testing::layout_test {
namespace {

// Groups of data replicas, pipeline stages and parts of layers, as GPipe runs them: all forward
// passes, then all backward passes. Ranks are numbered with tp innermost. Times are in us.
struct Grid {
  int64_t dp = 1, pp = 1, tp = 1, microbatches = 4;
  bool described = false;
  int64_t slow_stage = -1;  // computes for twice as long, and all wait for it
};

constexpr int64_t kSlot = 1000;

class GridRank {
 public:
  GridRank(const Grid& grid, int64_t rank)
      : grid_(grid),
        rank_(rank),
        t_(rank % grid.tp),
        p_(rank / grid.tp % grid.pp),
        d_(rank / grid.tp / grid.pp) {
    for (int64_t step = 1; step <= 4; ++step) Step(step);
  }

  std::string Text() const {
    return Document(events_, fmt::format(R"("distributedInfo":{{"rank":{},"world_size":{}}},)",
                                         rank_, grid_.dp * grid_.pp * grid_.tp));
  }

 private:
  int64_t RankAt(int64_t d, int64_t p, int64_t t) const {
    return (d * grid_.pp + p) * grid_.tp + t;
  }

  void Step(int64_t step) {
    const int64_t slots = 2 * (grid_.microbatches + grid_.pp - 1);
    const int64_t begin = (step - 1) * (slots + 1) * kSlot;
    events_.push_back(fmt::format(
        R"({{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{}","pid":1,"tid":1,"ts":{},"dur":{}}})",
        step, begin, (slots + 1) * kSlot - 5));
    launch_ = begin;
    for (const bool forward : {true, false}) {
      for (int64_t i = 0; i < grid_.microbatches; ++i) Pass(begin, i, forward);
    }
    const int64_t end = begin + slots * kSlot;
    if (grid_.dp > 1) {
      std::vector<int64_t> members;
      for (int64_t d = 0; d < grid_.dp; ++d) members.push_back(RankAt(d, p_, t_));
      Collective("DATA_PARALLEL_GROUP", members, "allreduce", end + 10, 300, "");
    }
    Kernel("adam", end + 400, 400, 7, "");
  }

  void Pass(int64_t begin, int64_t i, bool forward) {
    const int64_t slot = forward ? p_ + i : grid_.microbatches + 2 * grid_.pp - 2 - p_ + i;
    const int64_t at = begin + slot * kSlot, from = forward ? p_ - 1 : p_ + 1,
                  to = forward ? p_ + 1 : p_ - 1;
    if (from >= 0 && from < grid_.pp) Message("recv", from, at - 30);
    const int64_t compute = grid_.slow_stage < 0 || p_ == grid_.slow_stage ? 400 : 200;
    for (int64_t layer = 0; layer < 2; ++layer) {
      Kernel("gemm", at + layer * 450, compute, 7, "");
      if (grid_.tp == 1) continue;
      std::vector<int64_t> members;
      for (int64_t t = 0; t < grid_.tp; ++t) members.push_back(RankAt(d_, p_, t));
      Collective("TENSOR_MODEL_PARALLEL_GROUP", members, "allreduce", at + layer * 450 + compute,
                 40, "");
    }
    if (to >= 0 && to < grid_.pp) Message("send", to, at + kSlot - 30);
  }

  void Message(std::string_view operation, int64_t other, int64_t start) {
    std::vector<int64_t> members;
    for (int64_t p = 0; p < grid_.pp; ++p) members.push_back(RankAt(d_, p, t_));
    const bool sends = operation == "send";
    Collective("PIPELINE_MODEL_PARALLEL_GROUP", members, operation, start, 30,
               fmt::format(R"(,"{} Rank":{})", sends ? "Dst" : "Src", RankAt(d_, other, t_)));
  }

  void Collective(std::string_view description, const std::vector<int64_t>& members,
                  std::string_view operation, int64_t start, int64_t length,
                  std::string_view more) {
    const std::string name = fmt::format("{}{}", description.substr(0, 1), members.front());
    Kernel(
        operation == "allreduce" ? "ncclDevKernel_AllReduce" : "ncclDevKernel_SendRecv", start,
        length, 20,
        fmt::format(
            R"(,"Collective name":"{}","Process Group Name":"{}","Process Group Description":"{}","Process Group Ranks":"[{}]","Group size":{},"In msg nelems":9,"Out msg nelems":9,"dtype":"Float","Seq":{}{})",
            operation, name, grid_.described ? description : "undefined", fmt::join(members, ", "),
            members.size(), ++sequence_[name], more));
  }

  void Kernel(std::string_view name, int64_t start, int64_t length, int64_t stream,
              std::string_view args) {
    ++correlation_;
    launch_ += 3;
    events_.push_back(fmt::format(
        R"({{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":{},"dur":1,"args":{{"correlation":{}}}}})",
        launch_, correlation_));
    events_.push_back(fmt::format(
        R"({{"ph":"X","cat":"kernel","name":"{}","pid":0,"tid":{},"ts":{},"dur":{},"args":{{"device":0,"stream":{},"correlation":{}{}}}}})",
        name, stream, start, length, stream, correlation_, args));
  }

  const Grid grid_;
  const int64_t rank_, t_, p_, d_;
  std::vector<std::string> events_;
  std::map<std::string, int64_t> sequence_;
  int64_t correlation_ = 0, launch_ = 0;
};

// `recorded`: the first so many ranks; 0: all.
ReportSet AnswerToGrid(const Grid& grid, int64_t recorded = 0) {
  const ScratchFolder folder;
  std::vector<std::string> paths;
  const int64_t ranks = grid.dp * grid.pp * grid.tp;
  for (int64_t r = 0; r < (recorded > 0 ? recorded : ranks); ++r)
    paths.push_back(folder.Write(fmt::format("rank{}.json", r), GridRank(grid, r).Text()));
  auto answer = Ask(paths);
  EXPECT_TRUE(answer);
  return answer.value_or(ReportSet{});
}

std::string Headline(const ReportSet& answer) { return ReportOf(answer, "layout").headline; }

TEST(Layout, DescriptionsTellTheGrid) {
  const ReportSet answer = AnswerToGrid({.dp = 2, .pp = 4, .tp = 2, .described = true});
  EXPECT_TRUE(Headline(answer).starts_with("16 ranks: dp 2 x pp 4 x tp 2;")) << Headline(answer);
  for (const Row& row : RowsOf(answer, "layout", "groups"))
    EXPECT_EQ(row.Text("known"), "described");
  const Row last = RowsOf(answer, "layout", "ranks").at(13);  // (1 * 4 + 2) * 2 + 1
  EXPECT_EQ(last.Int("dp"), 1);
  EXPECT_EQ(last.Int("pp"), 2);
  EXPECT_EQ(last.Int("tp"), 1);
}

TEST(Layout, UseTellsTheGridWhereNothingIsDescribed) {
  const ReportSet answer = AnswerToGrid({.dp = 2, .pp = 4, .tp = 2});
  EXPECT_TRUE(Headline(answer).starts_with("16 ranks: dp 2 x pp 4 x tp 2;")) << Headline(answer);
  for (const Row& row : RowsOf(answer, "layout", "groups"))
    EXPECT_EQ(row.Text("known"), "inferred");
}

TEST(Layout, LargerGroupsOfLayers) {
  const ReportSet answer = AnswerToGrid({.dp = 3, .tp = 4});
  EXPECT_TRUE(Headline(answer).starts_with("12 ranks: dp 3 x tp 4;")) << Headline(answer);
}

// Reductions alone may be of gradients or of parts of layers.
TEST(Layout, OneKindOfGroupAloneIsAmbiguous) {
  const ReportSet answer = AnswerToGrid({.tp = 2});
  EXPECT_TRUE(Headline(answer).starts_with("2 ranks: dp or tp 2;")) << Headline(answer);
  EXPECT_EQ(RowsOf(answer, "layout", "groups").front().Text("known"), "ambiguous");
}

TEST(Layout, RanksWithoutATraceHaveAPlace) {
  const ReportSet answer = AnswerToGrid({.dp = 2, .pp = 2, .tp = 2, .described = true}, 7);
  EXPECT_TRUE(Headline(answer).starts_with("8 ranks (7 recorded): dp 2 x pp 2 x tp 2;"))
      << Headline(answer);
  const Row last = RowsOf(answer, "layout", "ranks").at(7);
  EXPECT_EQ(last.Text("recorded"), "no");
  EXPECT_EQ(last.Int("pp"), 1);
}

// Busy are 8 slots of 14 and most of the last one; (4-1)/(4+4-1) is the least bubble.
TEST(Layout, ABubbleIsComparedWithThatOfItsSchedule) {
  const ReportSet answer = AnswerToGrid({.pp = 4});
  const std::vector<Row> stages = RowsOf(answer, "layout", "stages");
  ASSERT_EQ(stages.size(), 4);
  EXPECT_EQ(stages[0].Int("microbatches"), 4);
  EXPECT_NEAR(stages[0].Real("ideal_ratio"), 3.0 / 7, 1e-9);
  EXPECT_NEAR(stages[0].Real("bubble_ratio"), 1 - (8 * 0.8 + 0.4) / 15, 0.01);
  EXPECT_EQ(FindFinding(answer, "The pipeline's bubble"), nullptr);
}

// Of each column that is drawn.
TEST(Layout, BarsHaveKinds) {
  const ReportSet answer = AnswerToGrid({.pp = 4});
  const auto kind = [&](std::string_view of, std::string_view key) {
    for (const Report& report : answer.reports) {
      for (const Table& table : report.tables) {
        for (const Column& column : table.columns)
          if (report.analysis == "layout" && table.key == of && column.key == key)
            return column.kind;
      }
    }
    return ColumnKind::kNone;
  };
  EXPECT_EQ(kind("groups", "exposed"), ColumnKind::kCommunication);
  EXPECT_EQ(kind("stages", "bubble_ratio"), ColumnKind::kIdle);
}

TEST(Layout, AStageThatTakesLongerMakesABubble) {
  const ReportSet answer = AnswerToGrid({.pp = 4, .microbatches = 12, .slow_stage = 2});
  const std::vector<Row> stages = RowsOf(answer, "layout", "stages");
  ASSERT_EQ(stages.size(), 4);
  EXPECT_GT(stages[0].Real("bubble_ratio"), stages[2].Real("bubble_ratio") + 0.2);
  EXPECT_TRUE(AllSaid(answer).contains("stage 2 (rank 2) is busy for")) << AllSaid(answer);
}

// Not of a pipeline: each rank sends to the next one at the begin of a step, around in a ring.
TEST(Layout, ARingOfMessagesIsNoPipeline) {
  const ScratchFolder folder;
  std::vector<std::string> paths;
  constexpr int64_t kRanks = 4;
  for (int64_t r = 0; r < kRanks; ++r) {
    std::vector<std::string> events;
    for (int64_t step = 1; step <= 3; ++step) {
      const int64_t at = step * 1000;
      events.push_back(fmt::format(
          R"({{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{}","pid":1,"tid":1,"ts":{},"dur":990}})",
          step, at));
      const auto message = [&](std::string_view operation, std::string_view other, int64_t with,
                               int64_t stream) {
        const int64_t id = step * 10 + stream;
        events.push_back(fmt::format(
            R"({{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":{},"dur":1,"args":{{"correlation":{}}}}})",
            at + stream, id));
        events.push_back(fmt::format(
            R"({{"ph":"X","cat":"kernel","name":"ncclDevKernel_SendRecv","pid":0,"tid":{},"ts":{},"dur":50,"args":{{"device":0,"stream":{},"correlation":{},"Collective name":"{}","Process Group Name":"1","Process Group Ranks":"[0, 1, 2, 3]","Group size":4,"In msg nelems":9,"dtype":"Float","{} Rank":{}}}}})",
            stream, at + 100, stream, id, operation, other, with));
      };
      message("send", "Dst", (r + 1) % kRanks, 2);
      message("recv", "Src", (r + kRanks - 1) % kRanks, 3);
    }
    paths.push_back(folder.Write(fmt::format("rank{}.json", r), DocumentOfRank(r, events)));
  }
  const auto answer = Ask(paths);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(Headline(*answer).starts_with("4 ranks: pp or cp 4;")) << Headline(*answer);
  EXPECT_TRUE(RowsOf(*answer, "layout", "stages").empty());
}

// Two ranks exchange tokens, compute for 300 and 100 us, and exchange the results.
TEST(Layout, ExpertsThatComputeUnequallyAreFound) {
  const ScratchFolder folder;
  std::vector<std::string> paths;
  for (int64_t r = 0; r < 2; ++r) {
    std::vector<std::string> events;
    for (int64_t step = 1; step <= 3; ++step) {
      const int64_t at = step * 1000;
      int64_t id = step * 10;
      events.push_back(fmt::format(
          R"({{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{}","pid":1,"tid":1,"ts":{},"dur":990}})",
          step, at));
      const auto kernel = [&](std::string_view name, int64_t start, int64_t end, int64_t stream,
                              std::string_view args) {
        ++id;
        events.push_back(fmt::format(
            R"({{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":{},"dur":1,"args":{{"correlation":{}}}}})",
            at + id % 10 * 3, id));
        events.push_back(fmt::format(
            R"({{"ph":"X","cat":"kernel","name":"{}","pid":0,"tid":{},"ts":{},"dur":{},"args":{{"device":0,"stream":{},"correlation":{}{}}}}})",
            name, stream, at + start, end - start, stream, id, args));
      };
      const auto exchange = [&](int64_t start, int64_t end, int64_t sequence) {
        kernel(
            "ncclDevKernel_SendRecv", start, end, 20,
            fmt::format(
                R"(,"Collective name":"all_to_allv","Process Group Name":"1","Process Group Description":"mesh_ep","Process Group Ranks":"[0, 1]","Group size":2,"In msg nelems":90,"Out msg nelems":90,"dtype":"Float","Seq":{})",
                2 * step + sequence));
      };
      const int64_t computed = 200 + (r == 0 ? 300 : 100);
      kernel("attention", 50, 150, 7, "");
      exchange(150, 200, 0);
      kernel("grouped_gemm", 200, computed, 7, "");
      exchange(computed, 550, 1);
      kernel("adam", 550, 950, 7, "");
    }
    paths.push_back(folder.Write(fmt::format("rank{}.json", r), DocumentOfRank(r, events)));
  }
  const auto answer = Ask(paths);
  ASSERT_TRUE(answer);
  const std::vector<Row> rows = RowsOf(*answer, "layout", "experts");
  ASSERT_EQ(rows.size(), 2);
  EXPECT_EQ(rows[0].Text("group_kind"), "ep");
  EXPECT_EQ(rows[0].Int("compute"), 200'000);
  EXPECT_EQ(rows[0].Int("loss"), 100'000);
  EXPECT_EQ(rows[1].Int("wait"), 100'000);
  EXPECT_FALSE(rows[1].Has("compute"));
  EXPECT_TRUE(AllSaid(*answer).contains("Experts are loaded unequally")) << AllSaid(*answer);
}

TEST(Layout, WithoutCommunicationThereIsNoAnswer) {
  const auto answer = AskAbout(Document(Kernels(3)));
  ASSERT_TRUE(answer);
  EXPECT_EQ(ReportOf(*answer, "layout").status, Status::kUnavailable);
}

using LayoutOfRealTraces = SharedDataTest;

TEST_F(LayoutOfRealTraces, AreAsTheyWereMade) {
  EXPECT_TRUE(Headline(AnswerTo(SharedFiles("traces/planted_3d_small")))
                  .starts_with("8 ranks: dp 2 x pp 2 x tp 2;"));
  // DDP of its layers, and embeddings that are exchanged: not only replicas.
  EXPECT_EQ(RowsOf(AnswerTo(SharedFiles("traces/param/dlrm_8ranks")), "layout", "groups")
                .front()
                .Text("group_kind"),
            "all ranks");
  EXPECT_TRUE(
      Headline(AnswerTo(SharedFiles("traces/real_gloo/pipe_ln_1"))).starts_with("2 ranks: pp 2;"));
  EXPECT_TRUE(
      Headline(AnswerTo(SharedFiles("traces/real_gloo/ddp_ln_1"))).starts_with("2 ranks: dp 2;"));
}

}  // namespace
}  // namespace stepscope::testing::layout_test
