// Parses events that differ from an earlier one only in numbers.
//
// It tries the form of the previous event, then the form that followed it last time, since logs of
// several kinds and writers often alternate.
#pragma once

#include <cstddef>
#include <deque>
#include <string_view>

#include "goodput/events/entry.h"
#include "goodput/events/event.h"
#include "goodput/events/flat_json.h"
#include "goodput/events/notes.h"

namespace stepscope::goodput {

class TemplateCache {
 public:
  // The event of `object`, valid until the next call; its kind is kNone where the object is none,
  // which is counted. Null when FlatJson cannot read the object, or it has no field of ours.
  const Event* Read(std::string_view object, Notes& note_counts);

  // The same of what `text` begins with, up to a line break, when it is as one before; both are
  // taken off its front. Null, and the text as it is, when it is not.
  const Event* ReadKnown(std::string_view& text, Notes& note_counts);

 private:
  // Everything about objects of one form; it stays where it is.
  struct Form {
    FlatJson flat;
    Entry entry;
    Event event;
    EventMaker maker{event};
    size_t follower;  // what came behind it when it came last
    explicit Form(size_t itself) : follower(itself) {}
  };
  static constexpr size_t kMost = 32;
  static constexpr size_t kLongest = 2048;  // bytes of an object that is remembered

  bool SeemsInVain() const;
  static bool Matches(Form& form, std::string_view& text);
  size_t Room();
  void CameBehindLast(size_t form);

  std::deque<Form> forms_;
  size_t last_ = 0;    // the form read last
  size_t oldest_ = 0;  // to be replaced when there are enough
  size_t misses_ = 0;  // objects of new forms since one that was known
  Form long_one_{0};
};

}  // namespace stepscope::goodput
