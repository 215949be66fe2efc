// Sends events to `stepscope goodput collect` on another host: from recorders that do not share its
// directory, and from log files.
//
//   stepscope::GoodputSend({.store = "/var/lib/goodput", .to = "http://10.0.0.1:9461"});
//
// The server identifies events by writer and sequence number, so sending again is harmless. A
// cursor file stores how far the server has confirmed, so that little is sent again after a kill.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope {

struct GoodputSendProgress {
  int64_t events = 0;      // confirmed by the server
  int64_t stored = 0;      // of these, new
  int64_t duplicates = 0;  // of these, already stored
  int64_t refused = 0;     // of these, unreadable for the server: lost
  int64_t restarts = 0;    // another store answered than before: all was sent again
};

struct GoodputSendOptions {
  // Set this or `files`. A directory of segments, searched recursively. Events rolled up into a
  // ledger's database cannot be sent.
  std::string store;
  // Files of events, as for GoodputReport. Events without writer and sequence number get them here.
  // The first event identifies a log, so do not send two different logs that begin with the same
  // event.
  std::vector<std::string> files;

  std::string to;       // "http://host:port"
  std::string token;    // token of the server; empty: none
  bool follow = false;  // continue with added events; files must be uncompressed JSON lines
  bool again = false;   // ignore the cursor, for a server that lost its events
  std::string cursor;   // the file; empty: in `store`, or next to the first file

  // Without `follow`: time without an answer before giving up, ns.
  int64_t patience = 60'000'000'000;

  // Waits; false: stop after one more attempt with the present events.
  std::function<bool(int64_t ns)> wait;
  std::function<void(const GoodputSendProgress&)> on_progress;  // after each batch
  std::function<void(const std::string& sentence)> on_problem;  // of problems that are retried
  // The server has another store than the one that has confirmed events so far, for instance since
  // it lost its disk: all that is here is sent again.
  std::function<void(const std::string& sentence)> on_restart;
  // With `follow`: all that was there at this time of the monotonic clock (ns) is confirmed.
  std::function<void(int64_t time)> on_caught_up;
};

struct GoodputSent {
  GoodputSendProgress progress;
  bool whole = true;        // false: stopped before all events were sent
  bool empty = false;       // the files hold no event
  std::vector<Note> notes;  // notes of the events
};

// Returns once all is sent; with `follow`, after a stop. Fails if there is no input, the server
// refuses (token, wrong address), or it does not answer for `patience`.
Result<GoodputSent> GoodputSend(const GoodputSendOptions& options);

}  // namespace stepscope
