// Tests reading one trace with fewer kinds of events, and on two threads.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "ingest/trace_reader.h"
#include "tests/support/describe_trace.h"

namespace stepscope::trace_reader_modes_test {
namespace {

// Every kind of record in turn, `count` times, with arguments of different lengths.
std::string MixedTrace(int count) {
  std::string json = "{\"distributedInfo\":{\"rank\":1},\"traceEvents\":[\n";
  for (int i = 0; i < count; ++i) {
    const std::string pad(static_cast<size_t>(i) * 131 % 977, 'p');
    json += fmt::format(
        R"({{"ph":"X","cat":"cpu_op","name":"aten::op{}","pid":1,"tid":2,"ts":{},"dur":9.5,)"
        R"("args":{{"External id":{},"Input Dims":[[{}]],"pad":"{}"}}}},)",
        i % 50, i * 10, i, i, pad);
    json += fmt::format(
        R"({{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":2,"ts":{},)"
        R"("dur":1,"args":{{"correlation":{}}}}},)",
        i * 10 + 1, i);
    json += fmt::format(
        R"({{"ph":"X","cat":"kernel","name":"kernel{}","pid":0,"tid":7,"ts":{}.{:03},"dur":3,)"
        R"("args":{{"device":0,"stream":{},"correlation":{}}}}},)",
        i % 30, i * 10 + 4, i % 1000, 7 + i % 3, i);
    json += fmt::format(
        R"({{"ph":"s","id":{},"cat":"ac2g","name":"ac2g","pid":1,"tid":2,"ts":{}}},)", i, i * 10);
    json += fmt::format(
        R"({{"ph":"X","cat":"python_function","name":"f","pid":1,"tid":2,"ts":{},"dur":2}}{})",
        i * 10, i + 1 < count ? ",\n" : "\n");
  }
  return json + "]}";
}

Trace Read(const std::string& json, const ReadOptions& options) {
  auto trace = ReadTrace(ByteSource::FromMemory(json), options);
  EXPECT_TRUE(trace);
  return trace ? std::move(*trace) : Trace{};
}

TEST(TraceReaderModes, KeepingLessChangesNothingOfWhatIsKept) {
  const std::string json = MixedTrace(800);
  const Trace all = Read(json, {});
  EXPECT_EQ(all.size(), 4000u);
  for (const KindSet keep :
       {kDeviceActivity, kDeviceActivity | KindSet{Kind::kRuntime, Kind::kAnnotation},
        KindSet{Kind::kOperator}, KindSet{Kind::kFlow}, KindSet{}}) {
    const Trace some = Read(json, {.keep = Wanted(keep, true, true)});
    EXPECT_TRUE(DescribeAll(some) == DescribeAll(all, keep));
    EXPECT_EQ(some.events_in_file, all.events_in_file);
  }
  EXPECT_EQ(Read(json, {.keep = kDeviceActivity}).gpu_events_in_file, all.gpu_events_in_file);
}

TEST(TraceReaderModes, AFlowIsToldByItsPhaseWhateverItsCategory) {
  const std::string json =
      R"([{"ph":"s","id":1,"pid":1,"tid":2,"ts":5,"cat":"unheard_of","name":"arrow"},)"
      R"({"cat":"unheard_of","ph":"f","id":1,"pid":1,"tid":2,"ts":6,"name":"arrow"}])";
  const Trace flows = Read(json, {});
  EXPECT_EQ(flows.size(), 2u);
  EXPECT_EQ(flows.kinds()[0], Kind::kFlow);
  const Trace none = Read(json, {.keep = kDeviceActivity | KindSet{Kind::kUnknown}});
  EXPECT_EQ(none.size(), 0u);
  for (const Trace* trace : {&flows, &none}) {
    EXPECT_EQ(trace->events_in_file, 2);
    EXPECT_EQ(trace->notes.Count(NoteKind::kUnknownCategory), 0);
  }
}

TEST(TraceReaderModes, ReadingAheadChangesNothing) {
  for (const int count : {1, 300, 4000}) {
    const std::string json = MixedTrace(count);
    const Trace here = Read(json, {});
    std::atomic<int> spare_threads = 1;
    const Trace ahead = Read(json, {.spare_threads = &spare_threads});
    EXPECT_TRUE(DescribeAll(here) == DescribeAll(ahead)) << count;
    EXPECT_EQ(here.events_in_file, ahead.events_in_file);
    EXPECT_EQ(here.meta.rank, ahead.meta.rank);
  }
}

TEST(TraceReaderModes, ReadingAheadEndsWithDamageToo) {
  const std::string json = MixedTrace(2000);
  for (const size_t cut : {size_t{1}, size_t{100'000}, size_t{262'144}, size_t{1'000'000}}) {
    const std::string_view part = std::string_view(json).substr(0, cut);
    const auto here = ReadTrace(ByteSource::FromMemory(part));
    std::atomic<int> spare_threads = 1;
    const auto ahead = ReadTrace(ByteSource::FromMemory(part), {.spare_threads = &spare_threads});
    ASSERT_EQ(here.has_value(), ahead.has_value());
    EXPECT_TRUE(!here || DescribeAll(*here) == DescribeAll(*ahead)) << cut;
  }
}

TEST(TraceReaderModes, ColumnsStayUnder64BytesAnEvent) {
  const Trace t = Read(MixedTrace(4000), {});
  EXPECT_LT(t.ColumnBytes(), 64 * t.size());
}

}  // namespace
}  // namespace stepscope::trace_reader_modes_test
