// Cuts windows of bytes into objects: by lines, or by brackets.
#include "goodput/events/json_objects.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/ascii.h"
#include "base/byte_order_mark.h"

namespace stepscope::goodput {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

// What was read and not yet taken.
class Text {
 public:
  explicit Text(WindowStream& stream) : stream_(stream) {}

  std::string_view view() const { return view_; }
  void Drop(size_t count) { view_.remove_prefix(count); }

  // Reads on behind what is left; false when there is no more. Twice as much is asked for when
  // much is left, so that a long line is not copied many times.
  bool Fill() {
    if (last_) return false;
    const Window window = stream_.Next(view_, std::max<size_t>(1, view_.size()));
    last_ = window.last;
    view_ = {window.begin, window.end};
    return true;
  }

 private:
  WindowStream& stream_;
  std::string_view view_;
  bool last_ = false;
};

class Lines {
 public:
  Lines(Text& text, Notes& note_counts, const ObjectTaker& taker)
      : text_(text), note_counts_(note_counts), taker_(taker) {}

  void Run() {
    do {
      TakeWholeLines();
      if (text_.view().size() > kLongestObject) {
        // The rest of the line goes with the next line break.
        if (!too_long_) note_counts_.Add(NoteKind::kLongLine);
        too_long_ = true;
        text_.Drop(text_.view().size());
      }
    } while (text_.Fill());
    TakeWholeLines();
    TakeLine(text_.view());
  }

 private:
  void TakeWholeLines() {
    std::string_view rest = text_.view();
    while (!rest.empty()) {
      if (!too_long_) taker_.take_known(rest);
      const size_t length = rest.find('\n');
      if (length == rest.npos) break;
      TakeLine(rest.substr(0, length));
      rest.remove_prefix(length + 1);
    }
    text_.Drop(text_.view().size() - rest.size());
  }

  void TakeLine(std::string_view line) {
    if (std::exchange(too_long_, false)) return;
    if (!line.empty() && line.front() == '{') return taker_.take(line);  // nearly all of them
    if (line = Trimmed(line); !line.empty()) taker_.take(line);
  }

  Text& text_;
  Notes& note_counts_;
  const ObjectTaker& taker_;
  bool too_long_ = false;
};

class Objects {
 public:
  Objects(Text& text, Notes& note_counts, const ObjectTaker& taker)
      : text_(text), note_counts_(note_counts), taker_(taker) {}

  void Run() {
    do {
      for (const char c : text_.view()) Step(c);
      text_.Drop(text_.view().size());
    } while (text_.Fill());
    if (depth_ > 0) note_counts_.Add(NoteKind::kBadLine);
  }

 private:
  void Step(char c) {
    if (depth_ == 0 && c != '{') return Between(c);
    between_ = false;
    if (object_.size() == kLongestObject) return Abandon(NoteKind::kLongLine);
    object_ += c;
    if (in_text_) {
      if (c == '\n') return Abandon(NoteKind::kBadLine);
      if (escaped_) {
        escaped_ = false;
      } else if (c == '\\') {
        escaped_ = true;
      } else if (c == '"') {
        in_text_ = false;
      }
    } else if (c == '"') {
      in_text_ = true;
    } else if (c == '{') {
      ++depth_;
    } else if (c == '}' && --depth_ == 0) {
      TakeObject();
    }
  }

  void TakeObject() {
    object_ += '\n';
    std::string_view rest = object_;
    taker_.take_known(rest);
    if (!rest.empty()) taker_.take(rest.substr(0, rest.size() - 1));
    object_.clear();
  }

  void Between(char c) {
    // An array of arrays holds no objects where they are expected.
    const bool expected =
        kSpace.contains(c) || c == ',' || c == ']' || (c == '[' && !std::exchange(in_array_, true));
    if (c == ']') in_array_ = false;
    if (!expected && !between_) note_counts_.Add(NoteKind::kBadLine);
    between_ = !expected || (between_ && c != '\n');
  }

  void Abandon(NoteKind why) {
    note_counts_.Add(why);
    object_.clear();
    depth_ = 0;
    in_text_ = escaped_ = false;
    between_ = true;
  }

  Text& text_;
  Notes& note_counts_;
  const ObjectTaker& taker_;
  std::string object_;
  int64_t depth_ = 0;
  bool in_text_ = false, escaped_ = false;
  bool in_array_ = false;
  bool between_ = false;  // inside of text between objects that was counted already
};

// Whether the input is objects on many lines, by its beginning.
bool ObjectsSpanLines(std::string_view head) {
  const size_t begin = head.find_first_not_of(kSpace);
  if (begin == head.npos) return false;
  if (head[begin] == '[') return true;
  return Trimmed(head.substr(begin, head.find('\n', begin) - begin)) == "{";
}

}  // namespace

void SplitObjects(WindowStream& stream, Notes& note_counts, const ObjectTaker& taker) {
  Text text(stream);
  text.Fill();
  if (text.view().starts_with(kByteOrderMark)) text.Drop(kByteOrderMark.size());
  if (ObjectsSpanLines(text.view())) {
    Objects(text, note_counts, taker).Run();
  } else {
    Lines(text, note_counts, taker).Run();
  }
}

}  // namespace stepscope::goodput
