// Tests inputs that are large in one way or another: names, nesting, metadata, single events; and
// texts made to mislead whoever cuts a file into windows.
#include <gtest/gtest.h>

#include <ctime>

#include "tests/front_door.h"
#include "tests/gzip.h"

namespace stepscope::testing::damage_size_test {
namespace {

constexpr size_t kMegabyte = size_t{1} << 20;

std::string Repeat(std::string_view text, size_t times) {
  std::string out;
  out.reserve(text.size() * times);
  for (size_t i = 0; i < times; ++i) out += text;
  return out;
}

// The processor's time for an answer about `text`, in seconds.
double CostOf(const std::string& text) {
  const std::clock_t began = std::clock();
  EXPECT_TRUE(AskAbout(text));
  return static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
}

// Whether eight times the text takes about eight times as long: squared it would be 64 times. A
// ratio within one run holds on any machine and under sanitizers; what else runs beside it may
// disturb a try, hardly three.
template <class Make>
bool CostsWhatItIsLong(const Make& text_of_size, size_t size) {
  constexpr double kNoise = 0.05;
  for (int tries = 0; tries < 3; ++tries) {
    if (CostOf(text_of_size(size)) < 20 * CostOf(text_of_size(size / 8)) + kNoise) return true;
  }
  return false;
}

// `event` with one more argument, JSON text as it is.
std::string WithArg(std::string event, std::string_view arg) {
  const size_t end = event.size() - 2;
  const std::string comma = event[end - 1] == '{' ? "" : ",";
  event.insert(end, comma + std::string(arg));
  return event;
}

// Kernels at 0, 10, 20... us, with the `i`-th replaced, and operators of different lengths between
// them, so that windows end in many places: 1.5 MB and more.
std::string LargeDocument(size_t place, const std::string& event) {
  std::vector<std::string> events;
  for (size_t i = 0; i < 2000; ++i) {
    const auto start = static_cast<int64_t>(i) * 10;
    events.push_back(i == place ? event : Kernel("gemm", start, 5));
    events.push_back(
        WithArg(Operator("aten::mm", start, 2), "\"x\":\"" + std::string(400 + i % 97, 'x') + '"'));
  }
  return Document(events);
}

TEST(DamageSize, ANameOfAMegabyteIsAName) {
  const auto answer =
      AskAbout(Document({Kernel(std::string(kMegabyte, 'n'), 0, 5), Kernel("b", 9, 5)}));
  ASSERT_TRUE(answer);
  EXPECT_EQ(GpuEvents(*answer), 2);
  EXPECT_LT(ToText(*answer).size(), 100'000u) << "people see it shortened";
}

TEST(DamageSize, AMillionNestedArraysAreOneArgument) {
  for (const auto& [open, close] : {std::pair("[", "]"), std::pair(R"({"a":)", "}")}) {
    for (const char* key : {"\"x\":", "\"Input Dims\":", "\"correlation\":", "\"stream\":"}) {
      const auto document = [&](size_t depth) {
        const std::string nested = Repeat(open, depth) + "0" + Repeat(close, depth);
        return Document({WithArg(Kernel("a", 0, 5), key + nested), Kernel("b", 9, 5)});
      };
      const auto answer = AskAbout(document(1'000'000));
      ASSERT_TRUE(answer);
      EXPECT_EQ(GpuEvents(*answer), 2);
      EXPECT_TRUE(CostsWhatItIsLong(document, 1'000'000)) << key << open;
    }
  }
}

TEST(DamageSize, AMillionBracketsThatNeverCloseAreDamage) {
  for (const char* open : {"[", "{", R"({"a":)", "[{\"a\":["}) {
    const auto answer =
        AskAbout(R"({"traceEvents":[)" + Kernel("a", 0, 5) + "," + Repeat(open, 1'000'000));
    ASSERT_TRUE(answer);
    EXPECT_EQ(GpuEvents(*answer), 1);
    EXPECT_GE(NoteCount(*answer, "truncated") + NoteCount(*answer, "malformed"), 1);
  }
  EXPECT_FALSE(AskAbout(Repeat(R"({"a":)", 1'000'000)));
  EXPECT_TRUE(AskAbout(R"({"distributedInfo":)" + Repeat("[", 1'000'000) + Repeat("]", 1'000'000) +
                       R"(,"traceEvents":[]})"));
}

TEST(DamageSize, MetadataOfFiftyMegabytesBeforeTheEventsIsPassedOver) {
  std::string members = "\"modules\":{\"text\":\"" + std::string(50 * kMegabyte, '}') + "\"},";
  members += "\"list\":[" + Repeat(R"({"traceEvents":[1]},)", 1000) + "0],";
  members += R"("distributedInfo":{"rank":5},)";
  const auto answer = AskAbout(Document(Kernels(20), members));
  ASSERT_TRUE(answer);
  EXPECT_EQ(GpuEvents(*answer), 20);
  EXPECT_EQ(answer->run.files[0].rank, 5);
}

TEST(DamageSize, MembersBehindTheEventsCountToo) {
  const std::string text = R"({"traceEvents":[)" + Kernel("a", 0, 5) + R"(],"pad":")" +
                           std::string(kMegabyte, ' ') + R"(","distributedInfo":{"rank":3}})";
  const auto answer = AskAbout(text);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->run.files[0].rank, 3);
  EXPECT_TRUE(answer->run.files[0].problem.empty());
}

TEST(DamageSize, BaitInStringsDoesNotMisleadTheWindows) {
  // Each would look like the border between two events to someone who searches for one.
  const std::string plain = Numbers(*AskAbout(LargeDocument(0, Kernel("gemm", 0, 5))));
  for (const char* bait : {R"(},{\"ph\":)", R"(}  ,  {)", R"(\\\"},{\\\"ph\\\":\\\"X)", "},{",
                           "}]}", R"(\\)", R"(\"},{\")"}) {
    for (const size_t place : {size_t{3}, size_t{950}, size_t{1990}}) {
      const std::string event = WithArg(Kernel("gemm", static_cast<int64_t>(place) * 10, 5),
                                        "\"x\":\"" + Repeat(bait, 40'000) + '"');
      const auto answer = AskAbout(LargeDocument(place, event));
      ASSERT_TRUE(answer);
      EXPECT_EQ(Numbers(*answer), plain) << bait << " at " << place;
      EXPECT_TRUE(answer->run.files[0].problem.empty()) << answer->run.files[0].problem;
    }
  }
}

TEST(DamageSize, ObjectsInArgumentsDoNotMisleadTheWindows) {
  const std::string plain = Numbers(*AskAbout(LargeDocument(0, Kernel("gemm", 0, 5))));
  const std::string list =
      "\"x\":[" + Repeat(R"({"ph":"X","cat":"kernel","ts":1,"dur":1},)", 20'000) + "{}]";
  for (const size_t place : {size_t{3}, size_t{950}, size_t{1999}}) {
    const auto answer = AskAbout(
        LargeDocument(place, WithArg(Kernel("gemm", static_cast<int64_t>(place) * 10, 5), list)));
    ASSERT_TRUE(answer);
    EXPECT_EQ(Numbers(*answer), plain);
    EXPECT_EQ(answer->run.files[0].events, 4000);
  }
}

TEST(DamageSize, DamageInALargeFileCostsOnlyItself) {
  for (const char* name : {"a\"b", "a\"b\"c", "\"}]", "a\\"}) {
    for (const size_t place : {size_t{3}, size_t{950}, size_t{1990}}) {
      const std::string document =
          LargeDocument(place, Kernel(name, static_cast<int64_t>(place) * 10, 5));
      const auto answer = AskAbout(Gzip(document), "t.json.gz");
      ASSERT_TRUE(answer);
      EXPECT_GE(GpuEvents(*answer), 1998) << name << " at " << place;
      EXPECT_GE(NoteCount(*answer, "malformed"), 1);
    }
  }
}

TEST(DamageSize, FloodsOfDamageTakeNoLongerThanTheyAreLong) {
  const std::string events = R"({"traceEvents":[)" + Kernel("a", 0, 5) + ",";
  for (const char* unit : {"{}",
                           "{},",
                           "}",
                           ":",
                           ",",
                           "1 ",
                           "\"\"",
                           "{\"a\"},",
                           "{\"a\":}",
                           "[}",
                           "{]",
                           "\"",
                           "\\\"",
                           "{\"ph\"",
                           "{\"ph\":{",
                           "{\"ph\"},",
                           "{\"ph\":\"},",
                           "},{",
                           "}{\"ph\":\"X\"",
                           "\xff",
                           " {"}) {
    for (const char* last : {"", "\"", "]}", "}]"}) {
      const auto flood = [&](size_t bytes) {
        return events + Repeat(unit, bytes / std::string_view(unit).size()) + last;
      };
      const auto answer = AskAbout(flood(kMegabyte / 2));
      ASSERT_TRUE(answer) << unit << " " << last;
      EXPECT_GE(GpuEvents(*answer), 1) << unit << " " << last;
      EXPECT_TRUE(CostsWhatItIsLong(flood, kMegabyte / 2)) << unit << " " << last;
    }
  }
}

TEST(DamageSize, ManyDamagedEventsAreEachPassedOver) {
  auto events = Kernels(3000);
  for (size_t i = 5; i < events.size(); i += 100) events[i] = Kernel("a\"b\"c", 0, 5);
  const auto answer = AskAbout(Document(events));
  ASSERT_TRUE(answer);
  EXPECT_EQ(GpuEvents(*answer), 2970);
  EXPECT_EQ(NoteCount(*answer, "malformed"), 30);
}

}  // namespace
}  // namespace stepscope::testing::damage_size_test
