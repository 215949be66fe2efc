// Serves one client until its input ends.
#include <utility>

#include "mcp/calls.h"
#include "mcp/lines.h"
#include "mcp/protocol.h"
#include "mcp/roots.h"
#include "mcp/runs.h"
#include "stepscope/mcp.h"

namespace stepscope {

Result<void> ServeMcp(const McpOptions& options, McpRead read, McpWrite write) {
  const auto roots = mcp::Roots::Open(options.roots);
  if (!roots) return std::unexpected(roots.error());
  if (const auto checked = Session::Check(options.settings); !checked) return checked;
  mcp::Runs runs(*roots, {.threads = options.threads,
                          .keep = options.keep,
                          .settings = options.settings,
                          .max_input = options.max_input,
                          .redact = options.redact});
  mcp::Output output(std::move(write));
  mcp::Calls calls(output);
  mcp::Protocol protocol(output, calls, {.roots = *roots, .runs = runs});
  mcp::Lines lines(std::move(read), mcp::kMostLineBytes);
  while (const auto line = lines.Next()) {
    if (output.closed()) return {};
    line->too_long ? protocol.TakeTooLong() : protocol.Take(line->text);
  }
  calls.Finish(options.patience);
  protocol.End();
  return {};
}

}  // namespace stepscope
