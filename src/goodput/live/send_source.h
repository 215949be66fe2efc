// Reads events from segments or log files and groups them into batches for sending.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "goodput/events/event.h"
#include "goodput/events/notes.h"
#include "goodput/live/send_cursor.h"
#include "goodput/recorder/segment_reader.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

// A batch of lines, and the positions of their sources once it is delivered.
class SendBatch {
 public:
  // Returns once the server has confirmed the lines. After a failure nothing more is sent.
  using Deliver = std::function<Result<void>(const std::string& lines, int64_t events)>;

  SendBatch(SendCursor& cursor, Deliver deliver) : cursor_(cursor), deliver_(std::move(deliver)) {}

  // Delivers when the batch is full.
  void Add(const Event& event);
  // Everything in the source before the position was added, nothing after it.
  void Reached(const std::string& source, const SendPosition& position);
  void Flush();

  // The first failed delivery.
  const Result<void>& state() const { return state_; }

 private:
  SendCursor& cursor_;
  Deliver deliver_;
  std::string lines_;
  int64_t events_ = 0;
  std::vector<std::pair<std::string, SendPosition>> reached_;
  Result<void> state_;
};

// The segments below a directory.
class SegmentSource {
 public:
  // Without `follow` the files are complete. Of more than `most_open` files those that are silent
  // are closed after each call, and opened again in the next.
  SegmentSource(std::string folder, bool follow, size_t most_open = kMostOpen)
      : folder_(std::move(folder)), follow_(follow), most_open_(most_open) {}

  static constexpr size_t kMostOpen = 4000;

  // Adds what has come since the last call. Fails if the directory cannot be read or, without
  // `follow`, a segment.
  Result<void> Poll(const SendCursor& cursor, SendBatch& batch, Notes& note_counts);

  // Why the last call could not read all segments, if so. The next one goes on there.
  const std::optional<Error>& failed() const { return failed_; }

 private:
  struct File {
    std::optional<SegmentReader> reader;  // null: complete
    uint64_t grew = 0;                    // at which poll
    bool done = false;
  };

  void Read(const std::string& name, File& file, const SendCursor& cursor, SendBatch& batch,
            Notes& note_counts);
  void Skip(const SegmentError& error, Notes& note_counts);
  bool Failed(const SegmentReader& reader);
  void CloseIdle();

  std::string folder_;
  bool follow_;
  size_t most_open_;
  uint64_t polls_ = 0;
  std::optional<Error> failed_;
  std::map<std::string, File> files_;  // by relative path
};

// A file of events. Those without writer and sequence are numbered in file order.
class LogSource {
 public:
  LogSource(std::string path, bool follow) : path_(std::move(path)), follow_(follow) {}
  ~LogSource();
  LogSource(LogSource&& other) noexcept;
  LogSource& operator=(LogSource&&) = delete;

  // Adds what has come since the last call; with `follow`, only complete lines. A replaced or
  // truncated file starts from its beginning. Fails if it cannot be read.
  Result<void> Poll(const SendCursor& cursor, SendBatch& batch, Notes& note_counts);

  // Whether the file had an event, sent or known.
  bool HasEvents() const { return events_ > 0; }

 private:
  Result<void> Open();
  bool WasReplaced() const;
  void ReadLines(std::string_view lines, const SendCursor& cursor, SendBatch& batch,
                 Notes& note_counts);
  Result<void> ReadAdded(const SendCursor& cursor, SendBatch& batch, Notes& note_counts);
  void Take(const Event& event, const SendCursor& cursor, SendBatch& batch);

  std::string path_;
  bool follow_;
  int file_ = -1;
  int64_t offset_ = 0;      // bytes that were read
  std::string unfinished_;  // of which this is an incomplete line
  uint64_t events_ = 0;     // of the file, seen
  uint64_t known_ = 0;      // of these, confirmed by the server
  uint64_t mark_ = 0;       // hash of the first event
  int64_t unnumbered_ = 0;
  std::string job_;  // of the last event with a job name
  Event event_;
};

}  // namespace stepscope::goodput
