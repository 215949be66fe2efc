// Answers about the traces that the partials of a rank were made of, and opens them.
#pragma once

#include <memory>
#include <string>

#include "http/url.h"
#include "server/refusal.h"
#include "server/runs.h"

namespace stepscope::server {

// Which traces may be opened: on loopback those anywhere, beyond it those below folders that were
// given alone.
struct TraceDoor {
  bool open = true;
};

// {"rank", "traces": [{"path", "bytes"}], "opens": whether they may be opened here}: none where the
// rank has no partial in the run that names its trace. Looks at no file.
Attempt<std::shared_ptr<const Body>> TracesOfRank(Runs& runs, const TraceDoor& door,
                                                  const std::string& id, const http::Url& url,
                                                  const Gone& gone);

// Of /api/traces?run=ID&rank=N: {"id"} of the run that they became. Of /api/traces/close?run=ID:
// {}.
Attempt<std::shared_ptr<const Body>> OpenOrCloseTraces(Runs& runs, const TraceDoor& door,
                                                       const http::Url& url, const Gone& gone);

}  // namespace stepscope::server
