// Reads the events of jobs from JSON: lines of entries as the reference library caches them, and
// Cloud Logging exports, an array or lines of LogEntry.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "goodput/events/event.h"
#include "goodput/events/event_relay.h"
#include "goodput/events/notes.h"
#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

// Reads to the end of `source`. What cannot be read costs itself and is counted. Entries come in
// the order of the file, but those of LogEntries at the end and by their timestamps, as the
// reference library would have got them: exports are often newest first.
//
// An input is lines of objects, unless it begins with '[' or with a line that is only '{': then it
// is objects one after the other, on as many lines as they like.
void ReadJsonLines(ByteSource source, Notes& note_counts, const EventSink& sink);

// The same from a file, what is odd about it added to `notes`. `sink` may add to its notes; of
// large files it is called in another thread (`alone`: see EventRelay), and from gzip one more
// inflates ahead. Fails when it cannot be opened, and where it inflates to more than the limit:
// events up to there were given then.
Result<InputFile> ReadEventsFile(const std::string& path, std::vector<Note>& notes,
                                 const std::function<void(const Event&, Notes&)>& sink,
                                 const InputLimit& limit = {},
                                 size_t alone = EventRelay::WhenWorthwhile());

}  // namespace stepscope::goodput
