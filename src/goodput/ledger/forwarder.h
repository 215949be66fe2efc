// Copies the segments of a directory to a ledger in PostgreSQL. A server answers from its
// directory, which survives database outages; the ledger follows some seconds later.
//
// Segments keep their names, so sending again changes nothing, even from another process. Segments
// that the ledger has rolled up and removed are not sent again.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "goodput/ledger/postgres.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

class Forwarder {
 public:
  Forwarder(std::string folder, std::string address)
      : folder_(std::move(folder)), address_(std::move(address)) {}

  // `kDue`: the last piece of a segment that grows is sent again once it has doubled, or after the
  // longer the more it has, at most half a minute: the database keeps each version for a while.
  enum class What : uint8_t { kDue, kAll };

  // Sends what is new. `now` is ns since 1970. Fails if the database did not store everything; the
  // next call reconnects and sends the rest.
  Result<void> Send(int64_t now, What what = What::kAll);

  // A piece as it was sent last.
  struct SentPiece {
    uint32_t checksum = 0;
    size_t bytes = 0;
    int64_t time = 0;

    // Whether it is to be sent again, with so many bytes now.
    bool IsDue(size_t now_bytes, int64_t now) const;
  };

 private:
  // The state of a segment in the database.
  struct Sent {
    int64_t size = -1, changed = 0;  // as in the directory
    bool may_grow = true;
    std::map<uint64_t, SentPiece> pieces;  // the last two, if this process sent them
  };

  Result<void> Connect();
  Result<void> LoadSent();
  Result<void> SendAll();
  Result<void> SendSegment(const std::string& name, const Sent& there, Sent sent);
  Result<void> SendPieces(const std::string& name, Sent& sent);
  Result<void> Put(const char* sql, const std::vector<Bound>& values);
  Result<void> Flush();

  std::string folder_, address_;
  int64_t now_ = 0;  // of the call of Send, and what it sends
  What what_ = What::kAll;
  std::unique_ptr<Postgres> db_;
  std::optional<Transaction> transaction_;
  int64_t put_ = 0;  // rows, in it
  std::map<std::string, Sent> sent_, sent_in_transaction_;
};

}  // namespace stepscope::goodput
