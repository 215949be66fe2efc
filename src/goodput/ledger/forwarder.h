// Sends what the segments of a folder hold to a ledger in PostgreSQL: a server answers from its
// folder, which outlives its database's bad days, and the ledger has it some seconds later.
//
// Segments keep their names, so sending again, also by the next process on the folder, changes
// nothing. What the ledger has rolled up and removed is not sent again.
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

  // Sends what has come since. `now`, ns since the epoch. Fails when the database could not take
  // all of it: the next call sends the rest, over a connection of its own.
  Result<void> Send(int64_t now);

 private:
  // What the database has of a segment.
  struct Sent {
    int64_t size = -1, changed = 0;  // as the folder had them
    bool may_grow = true;
    std::map<uint64_t, uint32_t> checksums;  // of the last two pieces, if this process sent them
  };

  Result<void> Connect();
  Result<void> LoadSent();
  Result<void> SendAll(int64_t now);
  Result<void> SendSegment(const std::string& name, const Sent& there, Sent sent);
  Result<void> SendPieces(const std::string& name, Sent& sent);
  Result<void> Put(const char* sql, const std::vector<Bound>& values);
  Result<void> Flush();

  std::string folder_, address_;
  std::unique_ptr<Postgres> db_;
  std::optional<Transaction> transaction_;
  int64_t put_ = 0;  // rows, in it
  std::map<std::string, Sent> sent_, sent_in_transaction_;
};

}  // namespace stepscope::goodput
