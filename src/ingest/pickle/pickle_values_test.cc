// Tests what becomes of pickles, and what is refused.
#include "ingest/pickle/pickle_values.h"

#include <gtest/gtest.h>

#include <string>

#include "ingest/pickle/json_values.h"

namespace stepscope::testing::pickle_values_test {
namespace {

using namespace std::string_literals;

Result<ValueTree> Read(std::string_view bytes, const TreeLimits& limits = {}) {
  return ReadPickle(ByteSource::FromMemory(bytes), limits);
}

std::string WhyNot(std::string_view bytes, const TreeLimits& limits = {}) {
  const auto tree = Read(bytes, limits);
  return tree ? "" : tree.error().what;
}

// {'a': [1, -1, 2.0, None, True], 'b': (3, 'a')}, by pickle.dumps(..., protocol=2)
const std::string kPlain =
    "\x80\x02}q\x00(X\x01\x00\x00\x00"
    "aq\x01]q\x02(K\x01J\xff\xff\xff\xffG@\x00\x00\x00\x00\x00\x00\x00N\x88"
    "eX\x01\x00\x00\x00"
    "bq\x03K\x03h\x01\x86q\x04u."s;

TEST(PickleValues, ReadsPlainValuesAndMemos) {
  const auto tree = Read(kPlain);
  ASSERT_TRUE(tree.has_value()) << tree.error().what;
  const auto list = tree->List(tree->Find(tree->root, "a"));
  ASSERT_EQ(list.size(), 5U);
  EXPECT_EQ(list[0].bits, 1);
  EXPECT_EQ(list[1].bits, -1);
  EXPECT_EQ(list[2].kind, Value::Kind::kFloat);
  EXPECT_EQ(list[3].kind, Value::Kind::kNone);
  EXPECT_EQ(list[4].bits, 1);
  const auto pair = tree->List(tree->Find(tree->root, "b"));
  ASSERT_EQ(pair.size(), 2U);
  EXPECT_EQ(tree->TextOf(pair[1]), "a");
}

TEST(PickleValues, RefusesByNameWhatCouldRunCode) {
  EXPECT_EQ(WhyNot("\x80\x02"
                   "cos\nsystem\n."),
            "pickle opcode GLOBAL is refused: it could run code");
  EXPECT_EQ(WhyNot("\x80\x04)R."), "pickle opcode REDUCE is refused: it could run code");
  EXPECT_EQ(WhyNot("\x80\x02}}b."), "pickle opcode BUILD is refused: it could run code");
  EXPECT_EQ(WhyNot("\x80\x04\x93."), "pickle opcode STACK_GLOBAL is refused: it could run code");
  EXPECT_EQ(WhyNot("\x80\x02)\x81."), "pickle opcode NEWOBJ is refused: it could run code");
}

TEST(PickleValues, EndsWithAnErrorWhereverItIsCut) {
  for (size_t length = 0; length < kPlain.size(); ++length)
    EXPECT_FALSE(Read(std::string_view(kPlain).substr(0, length)).has_value()) << length;
}

TEST(PickleValues, SurvivesEveryByteInEveryPlace) {
  for (size_t at = 0; at < kPlain.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string damaged = kPlain;
      damaged[at] = static_cast<char>(byte);
      const auto tree = Read(damaged);
      if (tree) continue;
      EXPECT_FALSE(tree.error().what.empty());
    }
  }
}

TEST(PickleValues, BoundsSizesAndDepth) {
  EXPECT_EQ(WhyNot("\x80\x02X\xff\xff\xff\x7f."), "a text has 2147483647 bytes");
  EXPECT_EQ(WhyNot("\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\xff."),
            "a text has 18446744073709551615 bytes");
  EXPECT_EQ(WhyNot("\x80\x02" + std::string(100, '(')), "it is nested too deep");
  EXPECT_EQ(WhyNot("\x80\x02" + std::string(100, 'N'), {.values = 99}),
            "it has more values than are read");
  EXPECT_EQ(WhyNot("\x80\x02Nr\xff\xff\xff\x7f."), "a memo is out of order");
  // Lists in lists without marks: depth that nobody recurses into.
  std::string deep = "\x80\x02";
  for (int i = 0; i < 100'000; ++i) deep += ']';
  for (int i = 0; i < 99'999; ++i) deep += 'a';
  EXPECT_TRUE(Read(deep + ".").has_value());
}

TEST(JsonValues, ReadsWhatPicklesHold) {
  const auto tree = ReadJson(ByteSource::FromMemory(R"({"a": [1, -1, 2.5, null, true, "x"]})"));
  ASSERT_TRUE(tree.has_value());
  EXPECT_EQ(tree->List(tree->Find(tree->root, "a")).size(), 6U);
  EXPECT_FALSE(ReadJson(ByteSource::FromMemory(R"({"a": [1)")).has_value());
  EXPECT_FALSE(ReadJson(ByteSource::FromMemory("")).has_value());
  EXPECT_FALSE(ReadJson(ByteSource::FromMemory(std::string(10'000, '['))).has_value());
}

}  // namespace
}  // namespace stepscope::testing::pickle_values_test
