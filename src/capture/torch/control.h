// How a capture asks a daemon of the same user: lines of JSON over a socket in the private folder.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "capture/torch/handouts.h"
#include "stepscope/result.h"

namespace stepscope::capture {

// The socket's path for a daemon that has the abstract socket, or that of `folder`.
std::string ControlPath(const std::string& folder);

// Of a daemon that answers there; none where there is none.
std::optional<Handouts> AskDaemon(const std::string& folder);

// The daemon's side: one line asked, one line answered. Any bytes.
std::string AnswerControl(std::string_view line, const Handouts& handouts,
                          const std::map<int64_t, DeskState>& seen);

// A stream socket in `path`; the folder is private. Fails if a daemon answers there.
Result<int> ListenPrivately(const std::string& path);

}  // namespace stepscope::capture
