// Both texts have a line for each thread and a line for each frame below it, innermost first.
#include "ingest/stacks/stack_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/printable.h"

namespace stepscope {
namespace {

constexpr size_t kMostLine = 4096;
constexpr size_t kMostLines = 100'000;
constexpr size_t kMostFrames = 512;  // of one thread
constexpr size_t kMostShown = 160;   // bytes of a frame

struct Frame {
  std::string_view function, file;
  int64_t line = 0;
  int64_t peer = -1;  // of arguments or locals, which py-spy shows if asked
};

struct Thread {
  std::string_view name;  // of py-spy
  int64_t id = -1;
  std::vector<Frame> frames;
};

int64_t NumberOf(std::string_view text) {
  int64_t number = -1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// `  File "/job/train.py", line 42 in step`, of faulthandler.
std::optional<Frame> FrameOfFault(std::string_view line) {
  constexpr std::string_view kFile = "  File \"", kLine = "\", line ", kIn = " in ";
  if (!line.starts_with(kFile)) return std::nullopt;
  line.remove_prefix(kFile.size());
  const size_t end = line.rfind(kLine);
  if (end == line.npos) return std::nullopt;
  const std::string_view rest = line.substr(end + kLine.size());
  const size_t in = rest.find(kIn);
  if (in == rest.npos) return std::nullopt;
  return Frame{rest.substr(in + kIn.size()), line.substr(0, end), NumberOf(rest)};
}

// "train.py", "<frozen importlib._bootstrap>"; not "reduce.cpp".
bool IsPython(std::string_view file) {
  return file.ends_with(".py") || file.ends_with(".pyx") || file.starts_with('<');
}

// `    step (train.py:42)`, of py-spy; frames of machine code are of other files.
std::optional<Frame> FrameOfSpy(std::string_view line) {
  if (!line.starts_with("    ") || !line.ends_with(')')) return std::nullopt;
  line.remove_prefix(std::min(line.size(), line.find_first_not_of(' ')));
  const size_t open = line.rfind(" (");
  if (open == line.npos) return std::nullopt;
  std::string_view place = line.substr(open + 2);
  place.remove_suffix(1);
  const size_t colon = place.rfind(':');
  if (colon == place.npos || !IsPython(place.substr(0, colon))) return std::nullopt;
  return Frame{line.substr(0, open), place.substr(0, colon), NumberOf(place.substr(colon + 1))};
}

constexpr std::string_view kThread = "Thread ", kCurrent = "Current thread ",
                           kFirst = "(most recent call first):";

// `Thread 17 (idle): "MainThread"`, of py-spy.
std::optional<Thread> ThreadOfSpy(std::string_view line) {
  if (!line.starts_with(kThread)) return std::nullopt;
  const size_t state = line.find(" (");
  if (state == line.npos || line.ends_with(kFirst)) return std::nullopt;
  const size_t closed = line.find(')', state);
  if (closed == line.npos) return std::nullopt;
  Thread thread{.id = NumberOf(line.substr(kThread.size()))};
  const size_t quote = line.find('"', closed);
  if (quote != line.npos && line.ends_with('"') && quote + 1 < line.size())
    thread.name = line.substr(quote + 1, line.size() - quote - 2);
  return thread;
}

bool IsThreadOfFault(std::string_view line) {
  return (line.starts_with(kThread) || line.starts_with(kCurrent)) && line.ends_with(kFirst);
}

// `            src: 1`, below a frame; the first one counts.
void TakeVariable(std::string_view line, Frame& frame) {
  line.remove_prefix(std::min(line.size(), line.find_first_not_of(' ')));
  if ((line.starts_with("src: ") || line.starts_with("dst: ")) && frame.peer < 0)
    frame.peer = NumberOf(line.substr(5));
}

class Reader {
 public:
  void Take(std::string_view line) {
    if (line.starts_with("Process ")) {
      if (std::exchange(process_seen_, true)) over_ = true;
      process_ = NumberOf(line.substr(8));
    } else if (over_) {
      return;
    } else if (IsThreadOfFault(line)) {
      threads_.emplace_back();
      by_age_ = true;
    } else if (auto thread = ThreadOfSpy(line)) {
      threads_.push_back(std::move(*thread));
    } else if (!threads_.empty() && threads_.back().frames.size() < kMostFrames) {
      const auto frame = by_age_ ? FrameOfFault(line) : FrameOfSpy(line);
      if (frame) {
        threads_.back().frames.push_back(*frame);
      } else if (!threads_.back().frames.empty()) {
        TakeVariable(line, threads_.back().frames.back());
      }
    }
  }

  const Thread* Main() const {
    if (threads_.empty()) return nullptr;
    if (by_age_) return &threads_.back();
    auto main = std::ranges::find(threads_, "MainThread", &Thread::name);
    if (main == threads_.end()) main = std::ranges::find(threads_, process_, &Thread::id);
    return main == threads_.end() ? &threads_.front() : &*main;
  }
  int64_t process() const { return process_; }

 private:
  std::vector<Thread> threads_;
  int64_t process_ = -1;
  bool process_seen_ = false, over_ = false, by_age_ = false;
};

bool IsOfTorch(std::string_view file) {
  return file.starts_with("torch/") || file.find("/torch/") != file.npos;
}

// Python's own modules: where its library lies, or as py-spy shortens their names. A name without a
// folder may be the program's: only those that wait for others are known.
bool IsOfPython(std::string_view file) {
  if (file.starts_with("<frozen")) return true;
  if (const size_t at = file.find("/lib/python3"); at != file.npos)
    return file.find("/site-packages/") == file.npos && file.find("/dist-packages/") == file.npos;
  constexpr auto kFolders = std::to_array<std::string_view>(
      {"multiprocessing/", "concurrent/", "asyncio/", "importlib/", "runpy.py"});
  if (std::ranges::any_of(kFolders, [&](auto folder) { return file.starts_with(folder); }))
    return true;
  constexpr auto kFiles =
      std::to_array<std::string_view>({"threading.py", "queue.py", "selectors.py", "socket.py",
                                       "ssl.py", "subprocess.py", "contextlib.py", "signal.py"});
  return std::ranges::find(kFiles, file) != kFiles.end();
}

std::string Shown(const Frame& frame) {
  std::string_view file = frame.file;
  file.remove_prefix(std::min(file.size(), file.rfind('/') + 1));
  const std::string text = fmt::format("{}:{} ({})", file, std::max<int64_t>(frame.line, 0),
                                       frame.function.substr(0, kMostShown));
  return Printable(text.substr(0, kMostShown));
}

bool IsOfDistributed(std::string_view file) {
  return IsOfTorch(file) && file.find("torch/distributed/") != file.npos;
}

// The main thread ran to its end, or raised, and waits for other threads.
bool HasEnded(const Thread& thread) {
  return thread.frames.front().function.ends_with("_shutdown") &&
         thread.frames.front().file.ends_with("threading.py");
}

RankStack Summarize(const Thread& thread) {
  RankStack stack;
  if (thread.frames.empty()) return stack;
  const auto own = HasEnded(thread) ? thread.frames.begin()
                                    : std::ranges::find_if(thread.frames, [](const Frame& frame) {
                                        return !IsOfTorch(frame.file) && !IsOfPython(frame.file);
                                      });
  stack.line = Shown(own == thread.frames.end() ? thread.frames.front() : *own);
  if (own == thread.frames.end() || own == thread.frames.begin()) return stack;
  stack.innermost = Shown(thread.frames.front());
  // "wrapper" logs every call; the program's frame calls it, and it calls the function.
  for (auto frame = own; frame != thread.frames.begin();) {
    --frame;
    if (!IsOfDistributed(frame->file)) break;
    stack.call = frame->function.substr(0, kMostShown);
    stack.peer = std::max(stack.peer, frame->peer);
    if (!stack.call.ends_with("wrapper")) break;
  }
  return stack;
}

}  // namespace

bool LooksLikeStacks(std::string_view bytes) {
  if (bytes.starts_with("Process ") && bytes.find("\nPython v") != bytes.npos) return true;
  const size_t begin = bytes.find_first_not_of(" \r\n\t");
  if (begin == bytes.npos) return false;
  const std::string_view line = bytes.substr(begin, bytes.find('\n', begin) - begin);
  return IsThreadOfFault(line.substr(0, line.find_last_not_of(" \r") + 1)) ||
         ThreadOfSpy(line).has_value();
}

Result<RankStack> ReadStackText(std::string_view text) {
  Reader reader;
  for (size_t lines = 0; !text.empty() && lines < kMostLines; ++lines) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, std::min(end, kMostLine));
    while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
    reader.Take(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  const Thread* main = reader.Main();
  if (main == nullptr) return std::unexpected(Error{"the file holds no stacks of threads", "", ""});
  RankStack stack = Summarize(*main);
  stack.process = reader.process();
  return stack;
}

}  // namespace stepscope
