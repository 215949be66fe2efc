// Speaks TCPStore's protocol: one byte for what is asked, texts with a length of eight bytes.
#include "capture/debug_server/store.h"

#include <fmt/format.h>

#include <cstring>

#include "base/time_units.h"

namespace stepscope::capture {
namespace {

constexpr uint8_t kValidate = 0, kGet = 3, kCheck = 5, kPing = 13;
constexpr uint32_t kMagic = 0x3C85F7CE, kNonce = 0x57455053;
constexpr size_t kMostAddress = 512;  // bytes
constexpr int64_t kMostGap = 16;      // ranks in a row without an address: the end
constexpr int64_t kMostRanks = 100'000;

template <class T>
std::string Bytes(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

std::string Text(const std::string& text) { return Bytes<uint64_t>(text.size()) + text; }

std::string KeyOf(int64_t rank) { return fmt::format("/debug_server/rank{}", rank); }

class Store {
 public:
  Store(const http::Endpoint& at, const std::function<bool()>& cancelled)
      : stream_({.deadline = 10 * kSecond, .most = kMostAddress, .cancelled = cancelled}),
        name_(fmt::format("{}:{}", at.host, at.port)) {
    failure_ = stream_.Connect(at);
  }

  Result<void> Greet() {
    const std::string answer =
        Ask(Bytes(kValidate) + Bytes(kMagic) + Bytes(kPing) + Bytes(kNonce), sizeof kNonce);
    if (failure_ == http::Failure::kNone && answer == Bytes(kNonce)) return {};
    return Failed();
  }

  Result<bool> Has(const std::string& key) {
    const std::string answer = Ask(Bytes(kCheck) + Bytes<uint64_t>(1) + Text(key), 1);
    if (failure_ != http::Failure::kNone) return Failed();
    return answer[0] == 0;
  }

  Result<std::string> Get(const std::string& key) {
    const std::string answer = Ask(Bytes(kGet) + Text(key), sizeof(uint64_t));
    if (failure_ != http::Failure::kNone) return Failed();
    uint64_t size = 0;
    std::memcpy(&size, answer.data(), sizeof size);
    std::string value;
    failure_ = size > kMostAddress ? http::Failure::kTooLarge : stream_.ReceiveAll(value, size);
    if (failure_ != http::Failure::kNone) return Failed();
    return value;
  }

 private:
  std::string Ask(const std::string& question, size_t size) {
    std::string answer;
    if (failure_ == http::Failure::kNone) failure_ = stream_.Send(question);
    if (failure_ == http::Failure::kNone) failure_ = stream_.ReceiveAll(answer, size);
    return answer;
  }

  std::unexpected<Error> Failed() const {
    return std::unexpected(
        Error{failure_ == http::Failure::kNone
                  ? "this is not a TCPStore of PyTorch"
                  : fmt::format("the job's store does not answer: {}", http::WhyOf(failure_)),
              name_, "give MASTER_ADDR:MASTER_PORT of the job, from inside its network"});
  }

  http::Stream stream_;
  std::string name_;
  http::Failure failure_ = http::Failure::kNone;
};

}  // namespace

Result<std::vector<RankAddress>> RanksInStore(const http::Endpoint& at,
                                              const std::function<bool()>& cancelled) {
  Store store(at, cancelled);
  if (auto greeted = store.Greet(); !greeted) return std::unexpected(greeted.error());
  std::vector<RankAddress> ranks;
  int64_t last = -1;
  for (int64_t rank = 0; rank <= last + kMostGap && rank < kMostRanks; ++rank) {
    const auto has = store.Has(KeyOf(rank));
    if (!has) return std::unexpected(has.error());
    ranks.push_back({.rank = rank, .address = {}});
    if (!*has) continue;
    auto address = store.Get(KeyOf(rank));
    if (!address) return std::unexpected(address.error());
    ranks.back().address = *std::move(address);
    last = rank;
  }
  ranks.resize(static_cast<size_t>(last + 1));
  return ranks;
}

}  // namespace stepscope::capture
