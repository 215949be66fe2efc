// A window over the bytes; two ways to cut it.
#include "goodput/json_objects.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace stepscope::goodput {
namespace {

using Take = std::function<void(std::string_view)>;

constexpr size_t kWindow = size_t{128} << 10;
constexpr std::string_view kSpace = " \t\r\n";

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

// Bytes [begin, end) of the source, moved to the front when more are read.
class Window {
 public:
  explicit Window(ByteSource& source) : source_(source), bytes_(kWindow) {}

  std::string_view view() const { return {bytes_.data() + begin_, end_ - begin_}; }
  void Drop(size_t count) { begin_ += count; }

  // Reads on behind what is left; false when the source has no more.
  bool Fill() {
    std::memmove(bytes_.data(), bytes_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    if (end_ == bytes_.size()) bytes_.resize(2 * bytes_.size());
    const size_t got = source_.Read(std::span(bytes_).subspan(end_));
    end_ += got;
    return got > 0;
  }

 private:
  ByteSource& source_;
  std::vector<char> bytes_;
  size_t begin_ = 0, end_ = 0;
};

class Lines {
 public:
  Lines(Window& window, Oddities& oddities, const Take& take)
      : window_(window), oddities_(oddities), take_(take) {}

  void Run() {
    do {
      TakeWholeLines();
      if (window_.view().size() > kLongestObject) {
        // The rest of the line goes with the next line break.
        if (!too_long_) oddities_.Add(Oddity::kLongLine);
        too_long_ = true;
        window_.Drop(window_.view().size());
      }
    } while (window_.Fill());
    TakeWholeLines();
    TakeLine(window_.view());
  }

 private:
  void TakeWholeLines() {
    std::string_view rest = window_.view();
    size_t done = 0;
    while (!rest.empty()) {
      const void* found = std::memchr(rest.data(), '\n', rest.size());
      if (found == nullptr) break;
      const auto length = static_cast<size_t>(static_cast<const char*>(found) - rest.data());
      TakeLine(rest.substr(0, length));
      rest.remove_prefix(length + 1);
      done += length + 1;
    }
    window_.Drop(done);
  }

  void TakeLine(std::string_view line) {
    if (std::exchange(too_long_, false)) return;
    if (!line.empty() && line.front() == '{') return take_(line);  // nearly all of them
    if (line = Trimmed(line); !line.empty()) take_(line);
  }

  Window& window_;
  Oddities& oddities_;
  const Take& take_;
  bool too_long_ = false;
};

class Objects {
 public:
  Objects(Window& window, Oddities& oddities, const Take& take)
      : window_(window), oddities_(oddities), take_(take) {}

  void Run() {
    do {
      for (const char c : window_.view()) Step(c);
      window_.Drop(window_.view().size());
    } while (window_.Fill());
    if (depth_ > 0) oddities_.Add(Oddity::kBadLine);
  }

 private:
  void Step(char c) {
    if (depth_ == 0 && c != '{') return Between(c);
    between_ = false;
    if (object_.size() == kLongestObject) return Abandon(Oddity::kLongLine);
    object_ += c;
    if (in_text_) {
      if (c == '\n') return Abandon(Oddity::kBadLine);
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
      take_(object_);
      object_.clear();
    }
  }

  void Between(char c) {
    const bool expected = kSpace.contains(c) || c == ',' || c == '[' || c == ']';
    if (!expected && !between_) oddities_.Add(Oddity::kBadLine);
    between_ = !expected || (between_ && c != '\n');
  }

  void Abandon(Oddity why) {
    oddities_.Add(why);
    object_.clear();
    depth_ = 0;
    in_text_ = escaped_ = false;
    between_ = true;
  }

  Window& window_;
  Oddities& oddities_;
  const Take& take_;
  std::string object_;
  int64_t depth_ = 0;
  bool in_text_ = false, escaped_ = false;
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

void SplitObjects(ByteSource& source, Oddities& oddities, const Take& take) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  Window window(source);
  window.Fill();
  if (window.view().starts_with(kByteOrderMark)) window.Drop(kByteOrderMark.size());
  if (ObjectsSpanLines(window.view())) {
    Objects(window, oddities, take).Run();
  } else {
    Lines(window, oddities, take).Run();
  }
}

}  // namespace stepscope::goodput
