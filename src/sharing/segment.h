// Rewrites segments of goodput events.
#pragma once

#include <string>

#include "base/file_writer.h"
#include "redact/redactor.h"
#include "stepscope/result.h"

namespace stepscope::sharing {

// Whether the file is named as a segment.
bool IsSegment(const std::string& path);

// Learns the hosts and users that the segment's events name. Fails if its header is damaged.
Result<void> LearnSegment(const std::string& path, const redact::Redactor& redactor,
                          redact::KnownWords& words);

// Writes the events again, with their times, order and numbers, in a segment with the same header
// but for names. Returns how many slots were damaged, and are left out.
Result<int64_t> RewriteSegment(const std::string& path, const redact::Redactor& redactor,
                               FileWriter& file);

}  // namespace stepscope::sharing
