// Replaces what is private in a run: in each trace as it leaves its reader, and in what is said
// about the files.
#pragma once

#include <span>
#include <string>

#include "ingest/places.h"
#include "redact/redactor.h"
#include "stepscope/report.h"
#include "stepscope/session.h"
#include "trace/trace.h"

namespace stepscope {

// A redactor that knows the hosts and users that any of these files names in a field of its own.
// Files that cannot be read name none.
Result<redact::Redactor> RedactorOf(std::span<const std::string> files, const Places& places,
                                    const RedactOptions& options, int threads);

void RedactTrace(Trace& trace, const redact::Redactor& redactor);
void RedactInfo(RunInfo& info, const redact::Redactor& redactor);
// All that a report says, titles included. Pseudonyms stay as they are.
void RedactReport(Report& report, const redact::Redactor& redactor);

}  // namespace stepscope
