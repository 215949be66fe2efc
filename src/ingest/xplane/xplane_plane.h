// Indexes one plane of an XPlane file: its tables of names, and the position of its lines. Tables
// follow the lines they explain, so a plane is indexed before its lines are read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ingest/xplane/id_table.h"
#include "ingest/xplane/proto_file.h"
#include "ingest/xplane/xplane_stats.h"
#include "trace/notes.h"

namespace stepscope {

// What events of one kind have in common.
struct XEventMetadata {
  uint32_t number = 0;  // from 1, in order of arrival
  std::string name;
  std::string display_name;
  std::vector<XStat> stats;                // their texts lie in `stat_messages` and in the plane
  std::vector<std::string> stat_messages;  // XStat
};

struct XPlane {
  std::string name;
  std::vector<ByteRange> lines;
  IdTable<XEventMetadata> events;
  std::vector<ByteRange> programs;  // of the plane that holds compiled programs: map entries
  StatNames stat_names;
  XStats stats;  // of the plane itself; its texts lie in `stat_messages`
  std::vector<std::string> stat_messages;
  uint64_t line_bytes = 0;
};

// Indexes the plane in `range`. What is damaged costs the rest of the plane, and a note.
XPlane IndexPlane(ProtoFile& file, ByteRange range, Notes& notes);

// What was found out about texts of a plane's tables, by their numbers: an event's name, or a text
// that it refers to, is looked at once and not once for each event.
template <class T>
class OncePerText {
 public:
  // What `find_out()` says of the text of that number; of number 0, which may be any text, each
  // time.
  template <class FindOut>
  T Get(uint32_t number, const FindOut& find_out) {
    if (number == 0) return find_out();
    if (known_.size() <= number) known_.resize(number + size_t{1});
    std::optional<T>& known = known_[number];
    return known ? *known : known.emplace(find_out());
  }
  // To be called before another plane.
  void Forget() { known_.clear(); }

 private:
  std::vector<std::optional<T>> known_;
};

// An event, with the stats of its own and of its metadata. Views are into the window of the file
// and into the plane: valid until the file is asked for more.
struct XEvent {
  const XEventMetadata* metadata = nullptr;  // null: the plane does not have it
  int64_t metadata_id = 0;
  int64_t offset_ps = 0;
  int64_t duration_ps = 0;
  bool aggregated = false;  // it stands for many: there is no time of its own
  XStats stats;
};

// Reads an XEvent message; false if it is none.
bool ReadXEvent(const XPlane& plane, std::string_view message, XEvent& event, Notes& notes);

}  // namespace stepscope
