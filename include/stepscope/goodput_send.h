// Ships events to `stepscope goodput collect` on another host: for recorders that do not share a
// folder with it, and for logs that lie in files.
//
//   stepscope::GoodputSend({.store = "/var/lib/goodput", .to = "http://10.0.0.1:9461"});
//
// Each event goes under its writer and number, by which the server knows what came before: sending
// again is harmless. How far the server has confirmed is kept in a cursor file, so that little is
// sent again after a kill; without that file all is.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope {

struct GoodputSendProgress {
  int64_t events = 0;      // that the server has confirmed
  int64_t stored = 0;      // of which it had not before
  int64_t duplicates = 0;  // of which were there already
  int64_t refused = 0;     // of which it could not read: they will not come through
};

struct GoodputSendOptions {
  // One of these. A folder of segments, and the folders in it; events that were rolled up into a
  // ledger's database are no longer there to send.
  std::string store;
  // Files of events, as GoodputReport reads them. Events without a writer and a number get them
  // from here: a log is told by its first event, so do not send two that differ and begin with the
  // same one.
  std::vector<std::string> files;

  std::string to;       // "http://host:port"
  std::string token;    // what the server wants to hear; empty: nothing
  bool follow = false;  // go on with what is added. Files must then be lines, not compressed
  bool again = false;   // do not look at the cursor: the server has lost what it had
  std::string cursor;   // the file; empty: in the folder, or beside the first file

  // Without `follow`: give up when the server did not answer for so long, ns.
  int64_t patience = 60'000'000'000;

  // Waits so long; false: stop, as soon as what is there has been tried once more.
  std::function<bool(int64_t ns)> wait;
  std::function<void(const GoodputSendProgress&)> on_progress;  // after each batch
  std::function<void(const std::string& sentence)> on_problem;  // that may pass
};

struct GoodputSent {
  GoodputSendProgress progress;
  bool whole = true;        // false: stopped before all was sent
  std::vector<Note> notes;  // what was odd about the events
};

// Returns when all is sent; with `follow`, when told to stop. Fails when there is nothing to read,
// the server refuses (a token, a wrong address), or it did not answer for `patience`.
Result<GoodputSent> GoodputSend(const GoodputSendOptions& options);

}  // namespace stepscope
