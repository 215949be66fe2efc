// Tests that windows together are the input, whatever is carried from one to the next, and whoever
// fills them.
#include "base/window_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>

namespace stepscope::window_stream_test {
namespace {

// Text in which every place looks different from its neighbors.
std::string Text(size_t size) {
  std::string text;
  text.reserve(size + 16);
  for (size_t i = 0; text.size() < size; ++i) text += std::to_string(i * 7919) + ",";
  text.resize(size);
  return text;
}

constexpr int kNever = -1;

// The parameter is the number of windows after which a thread can be spared.
class WindowStreamTest : public ::testing::TestWithParam<int> {
 protected:
  WindowStreamTest() { Taken(0); }

  // To be called when `windows` were taken.
  void Taken(int windows) {
    if (windows == GetParam()) ++spare_;
  }

  // Reads everything, leaving `carry(i)` bytes of window i for the next one.
  template <class Carry>
  std::string ReadAll(std::string_view input, const Carry& carry, size_t at_least = 1) {
    spare_ = 0;
    Taken(0);
    std::string read;
    {
      WindowStream stream(ByteSource::FromMemory(input), &spare_);
      Window window = stream.Next({});
      for (int i = 0;; ++i) {
        Taken(i + 1);
        const auto size = static_cast<size_t>(window.end - window.begin);
        const size_t left = window.last ? 0 : std::min(size, carry(static_cast<size_t>(i)));
        read.append(window.begin, size - left);
        if (window.last) break;
        window = stream.Next({window.end - left, left}, at_least);
      }
      EXPECT_EQ(stream.end(), InputEnd::kClean);
    }
    EXPECT_LE(spare_, GetParam() == kNever ? 0 : 1) << "what was taken is given back";
    return read;
  }

  std::atomic<int> spare_ = 0;
};

TEST_P(WindowStreamTest, GivesTheInputWhateverItsSize) {
  constexpr size_t kWindow = size_t{256} << 10;
  for (const size_t size :
       {size_t{0}, size_t{1}, kWindow - 1, kWindow, kWindow + 1, 5 * kWindow, size_t{3'000'001}}) {
    const std::string text = Text(size);
    EXPECT_TRUE(ReadAll(text, [](size_t) { return size_t{0}; }) == text) << size;
  }
}

TEST_P(WindowStreamTest, CarriesSmallAndLargeRests) {
  const std::string text = Text(2'500'000);
  for (const size_t carry : {size_t{1}, size_t{1000}, size_t{32'767}, size_t{32'768},
                             size_t{32'769}, size_t{200'000}, size_t{262'144}, size_t{1} << 30}) {
    EXPECT_TRUE(ReadAll(text, [=](size_t) { return carry; }) == text) << carry;
  }
  EXPECT_TRUE(ReadAll(text, [](size_t i) { return i % 3 == 0 ? 100'000 + i : i * 50; }) == text);
}

TEST_P(WindowStreamTest, GivesAsMuchMoreAsAskedFor) {
  const std::string text = Text(4'000'000);
  WindowStream stream(ByteSource::FromMemory(text), &spare_);
  Window window = stream.Next({});
  const auto first = static_cast<size_t>(window.end - window.begin);
  window = stream.Next({window.begin, first}, 1'500'000);
  EXPECT_GE(static_cast<size_t>(window.end - window.begin), first + 1'500'000);
  EXPECT_EQ(std::string_view(window.begin, 100), text.substr(0, 100));
  EXPECT_FALSE(window.last);
  const auto second = static_cast<size_t>(window.end - window.begin);
  window = stream.Next({window.begin, second}, 100'000'000);
  EXPECT_TRUE(window.last);
  EXPECT_TRUE(std::string_view(window.begin, static_cast<size_t>(window.end - window.begin)) ==
              text);
}

TEST_P(WindowStreamTest, BordersMayBeWrittenTo) {
  const std::string text = Text(1'000'000);
  WindowStream stream(ByteSource::FromMemory(text), &spare_);
  std::string read;
  int windows = 0;
  for (Window window = stream.Next({});; window = stream.Next({})) {
    Taken(++windows);
    window.begin[-1] = '[';
    std::fill_n(window.end, Window::kPadding, 'x');
    read.append(window.begin, window.end);
    if (window.last) break;
  }
  EXPECT_TRUE(read == text);
}

TEST_P(WindowStreamTest, MayBeLeftInTheMiddle) {
  const std::string text = Text(5'000'000);
  for (int windows = 0; windows < 8; ++windows) {
    WindowStream stream(ByteSource::FromMemory(text), &spare_);
    for (int i = 0; i < windows; ++i) {
      stream.Next({});
      Taken(i + 1);
    }
  }
}

TEST_P(WindowStreamTest, AfterTheLastWindowOnlyTheCarryIsLeft) {
  WindowStream stream(ByteSource::FromMemory("abc"), &spare_);
  Window window = stream.Next({});
  EXPECT_TRUE(window.last);
  window = stream.Next({window.begin + 1, 2});
  EXPECT_EQ(std::string_view(window.begin, 2), "bc");
  EXPECT_EQ(window.end - window.begin, 2);
  EXPECT_TRUE(window.last);
}

INSTANTIATE_TEST_SUITE_P(SpareThread, WindowStreamTest, ::testing::Values(kNever, 0, 1, 2, 7),
                         [](const auto& test) {
                           return test.param == kNever ? std::string("Never")
                                                       : "After" + std::to_string(test.param);
                         });

}  // namespace
}  // namespace stepscope::window_stream_test
