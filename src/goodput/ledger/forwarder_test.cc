// Checks how often the last piece of a growing segment is sent.
#include "goodput/ledger/forwarder.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/time_units.h"

namespace stepscope::goodput::forwarder_test {
namespace {

struct Sending {
  size_t bytes = 0;     // in all
  int64_t longest = 0;  // that bytes waited, ns
};

// A piece that grows by so many bytes per second until it is full, looked at every two seconds.
Sending Fill(size_t bytes_per_second) {
  constexpr size_t kPiece = 65'536;
  Sending sending;
  Forwarder::SentPiece sent;
  for (size_t at = 2; at * bytes_per_second < kPiece; at += 2) {
    const auto now = static_cast<int64_t>(at) * kSecond;
    const size_t bytes = at * bytes_per_second;
    sending.longest = std::max(sending.longest, now - sent.time);
    if (sent.bytes > 0 && !sent.IsDue(bytes, now)) continue;
    sent = {.bytes = bytes, .time = now};
    sending.bytes += bytes;
  }
  sending.bytes += kPiece;
  return sending;
}

// Every two seconds it would be 1.4 MB, and 34 MB.
TEST(Forwarder, ALongPieceIsSentLessOften) {
  const Sending fast = Fill(1600), slow = Fill(64);
  EXPECT_LT(fast.bytes, 250'000U);
  EXPECT_LT(slow.bytes, 3'000'000U);
  EXPECT_LE(std::max(fast.longest, slow.longest), 34 * kSecond);
}

TEST(Forwarder, LittleIsSentAtOnce) {
  const Forwarder::SentPiece sent{.bytes = 1000, .time = 100 * kSecond};
  EXPECT_TRUE(sent.IsDue(1032, 102 * kSecond));
  EXPECT_TRUE(sent.IsDue(2000, 100 * kSecond));
  EXPECT_FALSE(sent.IsDue(1032, 100 * kSecond));
  EXPECT_TRUE(sent.IsDue(1032, 99 * kSecond));  // the clock was set
  const Forwarder::SentPiece nearly{.bytes = 65'000, .time = 100 * kSecond};
  EXPECT_TRUE(nearly.IsDue(65'536, 100 * kSecond));  // it is complete
  const Forwarder::SentPiece full{.bytes = 65'536, .time = 100 * kSecond};
  EXPECT_FALSE(full.IsDue(65'536, 110 * kSecond));  // the time of its last sync changes
}

}  // namespace
}  // namespace stepscope::goodput::forwarder_test
