// Tests which ranges of a stored file are asked for, and what happens when one does not come.
#include "base/stored_file.h"

#include <gtest/gtest.h>

#include <thread>
#include <utility>

#include "base/byte_source.h"
#include "base/stop.h"

namespace stepscope::stored_file_test {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

// A storage of one file that answers at once, and remembers what it was asked.
struct OneFile {
  explicit OneFile(std::string content) : bytes(std::move(content)) {}

  StorageRef storage() {
    return std::make_shared<const Storage>(
        Storage{.holds = [](std::string_view) { return true; },
                .find = {},
                .list = {},
                .read =
                    [this](const std::string&, uint64_t offset, size_t size,
                           const Storage::Done<std::string>& done) {
                      asked.emplace_back(offset, size);
                      if (asked.size() > fails_after)
                        return done(std::unexpected(Error{"503", "", ""}));
                      done(offset < bytes.size() ? bytes.substr(offset, size) : std::string());
                    }});
  }
  StoredItem item() const {
    return {.path = "s3://b/a", .kind = StoredItem::Kind::kFile, .bytes = std::ssize(bytes)};
  }

  std::string bytes;
  std::vector<std::pair<uint64_t, size_t>> asked;
  size_t fails_after = SIZE_MAX;
};

std::string Letters(size_t size) {
  std::string text(size, '\0');
  for (size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + i % 23);
  return text;
}

std::string ReadAll(ByteSource& source) {
  std::string all, part(100'000, '\0');
  for (size_t got = part.size(); got == part.size();) {
    got = source.Read(part);
    all.append(part, 0, got);
  }
  return all;
}

TEST(StoredFile, IsReadInOrderByRangesEachOnceWithTheNextUnderWay) {
  OneFile file(Letters(9 * kMiB));
  auto source = ByteSource::OpenStored(StoredFile(file.storage(), file.item()));
  ASSERT_TRUE(source);
  EXPECT_EQ(file.asked.size(), 2u);
  EXPECT_EQ(ReadAll(*source), file.bytes);
  EXPECT_EQ(source->end(), InputEnd::kClean);
  EXPECT_EQ(file.asked, (std::vector<std::pair<uint64_t, size_t>>{
                            {0, 4 * kMiB}, {4 * kMiB, 4 * kMiB}, {8 * kMiB, kMiB}}));
}

TEST(StoredFile, PartsAskForNoMoreThanTheyAre) {
  OneFile file(Letters(9 * kMiB));
  auto source = ByteSource::OpenStored(StoredFile(file.storage(), file.item()));
  auto begin = source->Part(10, 5 * kMiB), end = source->Part(8 * kMiB, 8 * kMiB + 7);
  EXPECT_EQ(ReadAll(*begin), file.bytes.substr(10, 5 * kMiB - 10));
  EXPECT_EQ(file.asked.size(), 2u);  // those of the whole
  EXPECT_EQ(ReadAll(*end), file.bytes.substr(8 * kMiB, 7));
  EXPECT_EQ(file.asked.back(), std::pair(uint64_t{8 * kMiB}, size_t{7}));
}

TEST(StoredFile, IsReadAtAnyPlace) {
  OneFile file(Letters(20 * kMiB));
  auto source = ByteSource::OpenStored(StoredFile(file.storage(), file.item()));
  for (const size_t at : {19 * kMiB, 5 * kMiB, size_t{3}, 20 * kMiB - 5, 19 * kMiB - 9}) {
    std::string out(300'000, '\0');
    out.resize(source->ReadAt(at, out));
    EXPECT_EQ(out, file.bytes.substr(at, 300'000)) << at;
  }
}

TEST(StoredFile, ASizeThatIsNotKnownIsFound) {
  for (const size_t size : {size_t{0}, size_t{5}, kMiB, 4 * kMiB, 4 * kMiB + 1}) {
    OneFile file(Letters(size));
    StoredItem item = file.item();
    item.bytes = -1;
    item.any_order = false;
    auto source = ByteSource::OpenStored(StoredFile(file.storage(), item));
    ASSERT_TRUE(source);
    EXPECT_FALSE(source->CanSeek());
    EXPECT_EQ(ReadAll(*source), file.bytes) << size;
  }
}

TEST(StoredFile, WhatFailsInTheMiddleIsTold) {
  OneFile file(Letters(20 * kMiB));
  file.fails_after = 2;
  ReadFailure failure;
  auto source = ByteSource::OpenStored(StoredFile(file.storage(), file.item()), nullptr, &failure);
  EXPECT_EQ(ReadAll(*source), file.bytes.substr(0, 8 * kMiB));
  EXPECT_EQ(source->end(), InputEnd::kReadError);
  EXPECT_EQ(failure.Get().value_or(Error{}).what, "503");
}

TEST(StoredFile, WhatBecomesShorterIsTold) {
  OneFile file(Letters(9 * kMiB));
  auto item = file.item();
  file.bytes.resize(5 * kMiB);
  ReadFailure failure;
  auto source = ByteSource::OpenStored(StoredFile(file.storage(), item), nullptr, &failure);
  EXPECT_EQ(ReadAll(*source).size(), 4 * kMiB);
  EXPECT_EQ(failure.Get().value_or(Error{}).what, "the file became shorter while it was read");
}

TEST(StoredFile, WhatCannotBeReadAtAllCannotBeOpened) {
  OneFile file(Letters(9));
  file.fails_after = 0;
  const auto source = ByteSource::OpenStored(StoredFile(file.storage(), file.item()));
  ASSERT_FALSE(source);
  EXPECT_EQ(source.error().what, "503");
}

TEST(StoredFile, AStopEndsTheWaitForAnAnswerThatNeverComes) {
  Storage silent{.holds = {}, .find = {}, .list = {}, .read = {}};
  silent.read = [](const std::string&, uint64_t, size_t, const Storage::Done<std::string>&) {};
  silent.list = [](const std::string&, const Storage::Done<std::vector<StoredItem>>&) {};
  std::stop_source stop;
  const StopScope scope(stop.get_token());
  const std::jthread stopper([&] { stop.request_stop(); });
  EXPECT_FALSE(ByteSource::OpenStored(
      StoredFile(std::make_shared<const Storage>(silent), {.path = "a", .bytes = 10})));
  EXPECT_THROW((void)ListStored(silent, "a"), Stopped);
}

}  // namespace
}  // namespace stepscope::stored_file_test
