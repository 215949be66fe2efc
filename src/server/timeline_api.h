// Answers requests about the timeline of a run: everything below /api/runs/ID/timeline.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "http/url.h"
#include "server/open_run.h"
#include "server/refusal.h"

namespace stepscope::server {

// `path` is what follows "timeline": nothing, or one word.
Attempt<std::shared_ptr<const Body>> TimelineAnswer(const OpenRun& run,
                                                    std::span<const std::string> path,
                                                    const http::Url& url, const Gone& gone);

}  // namespace stepscope::server
