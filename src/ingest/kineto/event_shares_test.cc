// Tests that a file read on several threads, plain or compressed, gives the result of one thread.
#include "ingest/kineto/event_shares.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "base/gzip.h"
#include "ingest/kineto/event_chunks.h"
#include "ingest/trace_reader.h"
#include "tests/support/describe_trace.h"

namespace stepscope::event_shares_test {
namespace {

std::string TextOf(const Trace& trace) {
  return fmt::format("{}\n{}", fmt::join(DescribeAll(trace), "\n"), DescribeRest(trace));
}

std::string Alone(std::string_view json) {
  const auto trace = ReadTrace(ByteSource::FromMemory(json));
  return trace ? TextOf(*trace) : trace.error().what;
}

std::string Shared(std::string_view bytes, uint64_t least_share, int threads) {
  std::atomic<int> spare = threads;
  const auto trace = ReadTrace(ByteSource::FromMemory(bytes),
                               {.spare_threads = &spare, .least_share = least_share});
  EXPECT_EQ(spare, threads) << "threads were not given back";
  return trace ? TextOf(*trace) : trace.error().what;
}

// Threads, streams, launches and things that look like the end of an event, as name(i) calls them.
template <class Name>
std::string Events(int count, const Name& name) {
  std::string events;
  for (int i = 0; i < count; ++i) {
    if (i > 0) events += ",\n  ";
    if (i % 3 == 0) {
      events += fmt::format(
          R"({{"ph":"X","cat":"kernel","name":"{}","pid":{},"tid":{},"ts":{}.5,"dur":7,)"
          R"("args":{{"device":{},"stream":{},"correlation":{},"grid":[{},1,1],"block":[32,1,1]}}}})",
          name(i), i % 2, 7 + i % 5, i, i % 2, 7 + i % 5, i, 1 + i % 9);
    } else {
      events +=
          fmt::format(R"({{"ph":"X","cat":"cpu_op","name":"{}","pid":10,"tid":{},"ts":{},"dur":1,)"
                      R"("args":{{"External id":{},"Input Dims":[[{},2],[]]}}}})",
                      name(i), 20 + i % 7, i, i, i % 11);
    }
  }
  return events;
}

std::string Document(const std::string& events) {
  return R"({"schemaVersion":1,"traceEvents":[{"ph":"M","name":"process_name","pid":10,"args":{"name":"p"}},)" +
         events + R"(,{"ph":"M","name":"thread_name","pid":10,"tid":21,"args":{"name":"t"}}],)" +
         R"("distributedInfo":{"rank":3},"more":[{"a":1},{"ph":"X"},{"b":2}]})";
}

void ExpectTheSame(const std::string& json) {
  const std::string alone = Alone(json);
  for (const uint64_t least : {1u, 40u, 150u, 1000u, 20'000u}) {
    for (const int threads : {1, 2, 7}) {
      EXPECT_EQ(Shared(json, least, threads), alone) << least << " bytes, " << threads;
    }
  }
}

TEST(EventShares, AreWhatOneThreadWouldRead) {
  const std::string json =
      Document(Events(500, [](int i) { return fmt::format("n{}", i * i % 83); }));
  ASSERT_TRUE(Alone(json).contains("502 events, 167 of accelerators"));
  ExpectTheSame(json);
}

TEST(EventShares, LooksDeceive) {
  ExpectTheSame(Document(
      Events(300, [](int i) { return i % 4 == 0 ? R"(a},{\"ph\":\"X\"},{b)" : "plain"; })));
}

TEST(EventShares, ArrayThatEndsEarly) {
  std::string json = Document(Events(60, [](int) { return "x"; }));
  json.insert(json.size() - 1, R"(,"traces":[)" + Events(200, [](int) { return "not one"; }) + "]");
  ASSERT_FALSE(Alone(json).contains("not one"));
  ExpectTheSame(json);
}

TEST(EventShares, FileCutShort) {
  const std::string json = Document(Events(100, [](int) { return "x"; }));
  for (size_t size = json.size() / 2; size < json.size(); size += 97) {
    EXPECT_EQ(Shared(json.substr(0, size), 300, 3), Alone(json.substr(0, size))) << size;
  }
}

TEST(EventShares, DamageIsLeftToALookCloser) {
  std::string json = Document(Events(200, [](int i) { return fmt::format("n{}", i); }));
  json.replace(json.find("\"n90\""), 5, "\"n90,");  // a quote is missing
  json.replace(json.find("\"n150\""), 6, "\"n15\\x\"");
  const std::string alone = Alone(json);
  EXPECT_TRUE(alone.contains("n199"));
  EXPECT_TRUE(alone.contains("malformed"));
  EXPECT_EQ(Shared(json, 500, 3), alone);
}

TEST(EventShares, WhatIsNoTextCountsOnce) {
  std::string json = Document(Events(200, [](int i) { return i == 90 ? "n\xff" : "plain"; }));
  json.insert(json.find("\"distributedInfo\""), "\"traceName\":\"/home/\xe9\",");
  const std::string alone = Alone(json);
  EXPECT_TRUE(alone.contains("invalid_text 2"));
  EXPECT_TRUE(alone.contains("n?"));
  EXPECT_EQ(Shared(json, 500, 3), alone);
}

TEST(EventShares, AllOfThemCount) {
  const std::string events = Events(200, [](int) { return "x"; });
  std::atomic<int> spare = 3;
  Trace trace;
  KinetoEvents taken(trace, Wanted::All());
  const std::string json = "[" + events + "]";
  const auto reached = ReadInShares(ByteSource::FromMemory(json), 1,
                                    {.spare_threads = &spare, .least_share = 100}, taken);
  EXPECT_EQ(reached, json.size() - 1);
  EXPECT_EQ(trace.size(), 200u);
}

// Compressed text is larger here than the window that is read before threads share the rest.
void ExpectTheSameOfGzip(const std::string& json) {
  const std::string alone = Alone(json), gzip = Gzip(json);
  ASSERT_GT(json.size(), 400'000u);
  for (const uint64_t least : {100u, 3000u, 200'000u}) {
    for (const int threads : {1, 2, 7})
      EXPECT_EQ(Shared(gzip, least, threads), alone) << least << " bytes, " << threads;
  }
}

TEST(EventChunks, AreWhatOneThreadWouldRead) {
  ExpectTheSameOfGzip(Document(Events(4000, [](int i) { return fmt::format("n{}", i * i % 83); })));
}

TEST(EventChunks, LooksDeceive) {
  ExpectTheSameOfGzip(Document(
      Events(4000, [](int i) { return i % 900 == 0 ? R"(a},{\"ph\":\"X\"},{b)" : "plain"; })));
}

TEST(EventChunks, ArrayThatEndsEarly) {
  std::string json = Document(Events(3000, [](int) { return "x"; }));
  json.insert(json.size() - 1,
              R"(,"traces":[)" + Events(2000, [](int) { return "not one"; }) + "]");
  ASSERT_FALSE(Alone(json).contains("not one"));
  ExpectTheSameOfGzip(json);
}

TEST(EventChunks, DamageIsLeftToALookCloser) {
  std::string json = Document(Events(4000, [](int i) { return fmt::format("n{}", i); }));
  json.replace(json.find("\"n1990\""), 7, "\"n1990,");  // a quote is missing
  json.replace(json.find("\"n3150\""), 7, "\"n31\\x\"");
  json.replace(json.find("\"n3500\""), 7, "\"n35\xff\"");
  ASSERT_TRUE(Alone(json).contains("n3999"));
  ExpectTheSameOfGzip(json);
}

TEST(EventChunks, LargeEventIsOne) {
  const std::string large(size_t{100} << 20, 'x');
  const std::string gzip =
      Gzip(Document(Events(3, [&](int i) { return i == 1 ? large : std::string("small"); })));
  for (const int threads : {0, 1}) {
    std::atomic<int> spare = threads;
    const auto trace = ReadTrace(ByteSource::FromMemory(gzip), {.spare_threads = &spare});
    ASSERT_TRUE(trace);
    EXPECT_EQ(trace->size(), 3u) << threads;
    EXPECT_EQ(trace->notes.Count(NoteKind::kTruncated), 0) << threads;
  }
}

TEST(EventChunks, FileCutShort) {
  const std::string json = Document(Events(4000, [](int) { return "x"; })), gzip = Gzip(json);
  for (size_t size = gzip.size() / 3; size < gzip.size(); size += gzip.size() / 9) {
    const std::string_view cut = std::string_view(gzip).substr(0, size);
    EXPECT_EQ(Shared(cut, 3000, 3), Alone(cut)) << size;
    EXPECT_TRUE(Alone(cut).contains("truncated"));
  }
}

TEST(EventChunks, AllOfThemCount) {
  const std::string json = Events(4000, [](int) { return "x"; }) + "]}";
  std::atomic<int> spare = 3;
  Trace trace;
  KinetoEvents taken(trace, Wanted::All());
  WindowStream stream(ByteSource::FromMemory(json));
  ASSERT_TRUE(ReadInChunks(stream, {}, {.spare_threads = &spare, .least_share = 5000}, taken));
  EXPECT_EQ(trace.size(), 4000u);
  const Window left = stream.Next({});
  EXPECT_EQ(std::string_view(left.begin, left.end), "]}");
}

TEST(EventShares, WithNoThreadToSpareThereAreNone) {
  const std::string json = Document(Events(100, [](int) { return "x"; }));
  EXPECT_EQ(Shared(json, 100, 0), Alone(json));
}

}  // namespace
}  // namespace stepscope::event_shares_test
