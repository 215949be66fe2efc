// Events as columns: values, links between events, selection, and what is refused.
#include "stepscope/events.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "stepscope/session.h"
#include "tests/scratch.h"

namespace stepscope::testing {
namespace {

// Step 3 launches a kernel from an operator in an operator; it runs in step 4.
constexpr std::string_view kTrace = R"({"schemaVersion": 1, "traceEvents": [
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#3","pid":1,"tid":1,"ts":0,"dur":100},
{"ph":"X","cat":"cpu_op","name":"outer","pid":1,"tid":1,"ts":10,"dur":50},
{"ph":"X","cat":"cpu_op","name":"inner","pid":1,"tid":1,"ts":20,"dur":30},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":30,"dur":5,"args":{"correlation":77}},
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#4","pid":1,"tid":1,"ts":100,"dur":100},
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":110,"dur":40,"args":{"correlation":77,"device":0,"stream":7}},
{"ph":"X","cat":"gpu_memcpy","name":"copy","pid":0,"tid":7,"ts":160,"dur":5,"args":{"correlation":99,"device":0,"stream":4294967295,"bytes":4096}},
{"ph":"X","cat":"cpu_op","name":"beside","pid":1,"tid":1,"ts":55,"dur":10}
]})";

// The values of a column as text; "-" for none.
std::vector<std::string> Values(const ColumnData& column) {
  std::vector<std::string> values;
  const ColumnData& texts = column.dictionary ? *column.dictionary : column;
  for (int64_t row = 0; row < column.rows; ++row) {
    if (column.IsNull(row)) {
      values.emplace_back("-");
      continue;
    }
    const int64_t number = column.type == ColumnType::kInt64   ? column.values.As<int64_t>()[row]
                           : column.type == ColumnType::kInt32 ? column.values.As<int32_t>()[row]
                           : column.type == ColumnType::kInt16 ? column.values.As<int16_t>()[row]
                                                               : column.values.As<int8_t>()[row];
    if (!column.dictionary) {
      values.push_back(std::to_string(number));
      continue;
    }
    const auto* offsets = texts.values.As<int64_t>();
    values.emplace_back(texts.text.As<char>() + offsets[number],
                        static_cast<size_t>(offsets[number + 1] - offsets[number]));
  }
  return values;
}

using Texts = std::vector<std::string>;

class EventsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto session = Session::Open({{folder_.Write("rank5.json", kTrace)}});
    ASSERT_TRUE(session.has_value());
    session_.emplace(std::move(*session));
    auto events = session_->ReadEvents(5);
    ASSERT_TRUE(events.has_value());
    events_.emplace(std::move(*events));
  }
  Texts Get(const std::string& column, const EventFilter& filter = {}) const {
    const auto columns = events_->Get({column}, filter);
    return columns ? Values(columns->columns.front()) : Texts{columns.error().what};
  }

  ScratchFolder folder_;
  std::optional<Session> session_;
  std::optional<EventTable> events_;
};

TEST_F(EventsTest, ColumnsHaveWhatTheTraceSays) {
  EXPECT_EQ(events_->size(), 8u);
  EXPECT_EQ(Get("start", {.kinds = {"device"}}), (Texts{"110000", "160000"}));
  EXPECT_EQ(Get("end", {.kinds = {"device"}}), (Texts{"150000", "165000"}));
  EXPECT_EQ(Get("kind", {.kinds = {"device", "runtime"}}), (Texts{"runtime", "compute", "memcpy"}));
  EXPECT_EQ(Get("rank", {.kinds = {"kernel"}}), Texts{"5"});
  EXPECT_EQ(Get("bytes", {.kinds = {"device"}}), (Texts{"-", "4096"}));
  EXPECT_EQ(Get("thread", {.kinds = {"runtime", "compute"}}), (Texts{"1", "-"}));
}

TEST_F(EventsTest, AStreamBeyond32BitsMakesTheColumnWider) {
  EXPECT_EQ(Get("stream", {.kinds = {"device"}}), (Texts{"7", "4294967295"}));
}

TEST_F(EventsTest, LinksJoinLaunchOperatorParentAndStep) {
  EXPECT_EQ(Get("launch"), (Texts{"-", "-", "-", "-", "-", "3", "-", "-"}));
  EXPECT_EQ(Get("operator"), (Texts{"-", "-", "1", "2", "-", "2", "-", "-"}));
  EXPECT_EQ(Get("parent"), (Texts{"-", "0", "1", "2", "-", "-", "-", "0"}));
  EXPECT_EQ(Get("depth"), (Texts{"0", "1", "2", "3", "0", "0", "0", "1"}));
  EXPECT_EQ(Get("step"), (Texts{"3", "3", "3", "3", "4", "3", "-", "3"}));
}

TEST_F(EventsTest, SelectsByStep) {
  EXPECT_EQ(Get("index", {.kinds = {"device"}, .step = 3}), Texts{"5"});
  EXPECT_EQ(Get("index", {.step = 9}), Texts{});
}

TEST_F(EventsTest, EveryColumnIsAsLongAsThereAreEventsAndDefaultsAreAmongThem) {
  const auto all = events_->Get(EventTable::ColumnNames());
  ASSERT_TRUE(all.has_value());
  for (const ColumnData& column : all->columns) EXPECT_EQ(column.rows, 8) << column.name;
  const auto usual = events_->Get();
  ASSERT_TRUE(usual.has_value());
  EXPECT_EQ(usual->columns.size(), EventTable::DefaultColumns().size());
}

TEST_F(EventsTest, RefusesWhatThereIsNoneOf) {
  EXPECT_EQ(Get("duratoin"), Texts{"there is no column 'duratoin' of events"});
  EXPECT_EQ(events_->Get({"duratoin"}).error().hint, "did you mean 'duration'?");
  EXPECT_EQ(events_->Get({}, {.kinds = {"kernels"}}).error().hint, "did you mean 'kernel'?");
  EXPECT_EQ(session_->ReadEvents(4).error().hint, "ranks in the traces: 5");
}

TEST_F(EventsTest, FilesThatAreGoneAndStopsAreErrors) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(session_->ReadEvents(5, 0, stop.get_token()).has_value());
  std::filesystem::remove(folder_.path() + "/rank5.json");
  EXPECT_FALSE(session_->ReadEvents(5).has_value());
  EXPECT_EQ(Get("rank", {.kinds = {"kernel"}}), Texts{"5"}) << "what was read stays";
}

TEST_F(EventsTest, AFileThatWasReplacedIsAnErrorAndNoOtherRecording) {
  std::string other(kTrace);
  other.replace(other.find("gemm"), 4, "copy");
  folder_.Write("rank5.json", other);
  std::filesystem::last_write_time(
      folder_.path() + "/rank5.json",
      std::filesystem::last_write_time(folder_.path() + "/rank5.json") + std::chrono::seconds(2));
  const auto again = session_->ReadEvents(5);
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().what, "the file was written to after it had been read");
}

TEST_F(EventsTest, TracesThatAreKeptAreNotReadAgain) {
  const auto kept = Session::Open({{folder_.path() + "/rank5.json"}}, {.keep_traces = true});
  ASSERT_TRUE(kept.has_value());
  std::filesystem::remove(folder_.path() + "/rank5.json");
  for (int times = 0; times < 2; ++times) {
    const auto events = kept->ReadEvents(5);
    ASSERT_TRUE(events.has_value());
    const auto again = events->Get(EventTable::ColumnNames());
    const auto first = events_->Get(EventTable::ColumnNames());
    ASSERT_TRUE(again && first);
    for (size_t c = 0; c < first->columns.size(); ++c) {
      if (first->columns[c].type == ColumnType::kDouble) continue;
      EXPECT_EQ(Values(again->columns[c]), Values(first->columns[c])) << first->columns[c].name;
    }
  }
}

// Many ranges that overlap without nesting: linear, not by pairs.
TEST(EventsNesting, OverlappingRangesTakeNoTimeByPairs) {
  std::string events;
  constexpr int kRanges = 200'000;
  for (int i = 0; i < kRanges; ++i) {
    events += (i == 0 ? "" : ",\n") +
              std::string(R"({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":)") +
              std::to_string(i) + R"(,"dur":1000000})";
  }
  const ScratchFolder folder;
  const auto session = Session::Open(
      {{folder.Write("rank0.json", R"({"schemaVersion": 1, "traceEvents": [)" + events + "]}")}});
  ASSERT_TRUE(session.has_value());
  const auto read = session->ReadEvents(0);
  ASSERT_TRUE(read.has_value());
  const auto depths = read->Get({"depth"});
  ASSERT_TRUE(depths.has_value());
  const auto* first = depths->columns.front().values.As<int32_t>();
  EXPECT_EQ(std::ranges::count(first, first + kRanges, 0), kRanges);
}

}  // namespace
}  // namespace stepscope::testing
