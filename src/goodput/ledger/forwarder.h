// Copies the segments of a directory to a ledger in PostgreSQL. A server answers from its
// directory, which survives database outages; the ledger follows some seconds later.
//
// Segments keep their names, so sending again changes nothing, even from another process. Segments
// that the ledger has rolled up and removed are not sent again, nor are those of a collector whose
// events the ledger has in others: where the directory was replaced, all comes again.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "goodput/ledger/postgres.h"
#include "goodput/ledger/stored_numbers.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

class Forwarder {
 public:
  using Known = std::shared_ptr<const NumbersByWriter>;

  Forwarder(std::string folder, std::string address, WritersAre writers = WritersAre::kOfAll)
      : folder_(std::move(folder)), address_(std::move(address)), writers_are_(writers) {}

  // Connects where there is no connection; Send does so too.
  Result<void> Connect();

  // What the ledger had beyond the directory at the last connection; null: none yet.
  const Known& known() const { return known_; }

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

  // A segment whose events the database has in others.
  struct Elsewhere {
    int64_t checked = 0;
    bool closed = false;
  };

  Result<void> LoadKnown(const Ledger& ledger);
  Result<void> LoadSent();
  Result<std::vector<std::string>> Names() const;
  Result<void> SendAll();
  Result<bool> IsElsewhere(const std::string& name);
  Result<void> SendSegment(const std::string& name, const Sent& there, Sent sent);
  Result<void> SendPieces(const std::string& name, Sent& sent);
  Result<void> Put(const char* sql, const std::vector<Bound>& values);
  Result<void> Flush();

  std::string folder_, address_;
  WritersAre writers_are_;
  Known known_;
  std::map<std::string, Elsewhere> elsewhere_;  // by segment
  int64_t now_ = 0;                             // of the call of Send, and what it sends
  What what_ = What::kAll;
  std::unique_ptr<Postgres> db_;
  std::optional<Transaction> transaction_;
  int64_t put_ = 0;  // rows, in it
  std::map<std::string, Sent> sent_, sent_in_transaction_;
};

}  // namespace stepscope::goodput
