// Where events that are sent on come from, and the batches they travel in.
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
#include "goodput/events/oddities.h"
#include "goodput/live/send_cursor.h"
#include "goodput/recorder/segment_reader.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

// Lines on their way, and where their sources stand once they have arrived.
class SendBatch {
 public:
  // Returns when the server has confirmed the lines. When it fails no more is sent.
  using Deliver = std::function<Result<void>(const std::string& lines, int64_t events)>;

  SendBatch(SendCursor& cursor, Deliver deliver) : cursor_(cursor), deliver_(std::move(deliver)) {}

  // Delivers when there is much.
  void Add(const Event& event);
  // All of the source before the position was added, and nothing beyond it.
  void Reached(const std::string& source, const SendPosition& position);
  void Flush();

  // Of the first delivery that failed.
  const Result<void>& state() const { return state_; }

 private:
  SendCursor& cursor_;
  Deliver deliver_;
  std::string lines_;
  int64_t events_ = 0;
  std::vector<std::pair<std::string, SendPosition>> reached_;
  Result<void> state_;
};

// The segments of a folder and of the folders in it.
class SegmentSource {
 public:
  // Without `follow` what there is now is all there will be.
  SegmentSource(std::string folder, bool follow) : folder_(std::move(folder)), follow_(follow) {}

  // Adds what has come since the last call. Fails when the folder cannot be read.
  Result<void> Poll(const SendCursor& cursor, SendBatch& batch, Oddities& oddities);

 private:
  struct File {
    std::optional<SegmentReader> reader;  // of one that may still grow
    uint64_t grew = 0;                    // at which poll
    bool done = false;
  };

  void Read(const std::string& name, File& file, const SendCursor& cursor, SendBatch& batch,
            Oddities& oddities);
  void CloseSilent();

  std::string folder_;
  bool follow_;
  uint64_t polls_ = 0;
  std::map<std::string, File> files_;  // by name below the folder
};

// A file of events. Those without a writer and a number are numbered in the order of the file.
class LogSource {
 public:
  LogSource(std::string path, bool follow) : path_(std::move(path)), follow_(follow) {}
  ~LogSource();
  LogSource(LogSource&& other) noexcept;
  LogSource& operator=(LogSource&&) = delete;

  // Adds what has come since the last call, whole lines when following. A file that was replaced,
  // or became shorter, begins anew. Fails when it cannot be read.
  Result<void> Poll(const SendCursor& cursor, SendBatch& batch, Oddities& oddities);

 private:
  Result<void> Open();
  bool WasReplaced() const;
  void ReadLines(std::string_view lines, const SendCursor& cursor, SendBatch& batch,
                 Oddities& oddities);
  Result<void> ReadAdded(const SendCursor& cursor, SendBatch& batch, Oddities& oddities);
  void Take(const Event& event, const SendCursor& cursor, SendBatch& batch);

  std::string path_;
  bool follow_;
  int file_ = -1;
  int64_t offset_ = 0;      // bytes that were read
  std::string unfinished_;  // of which these are no line yet
  uint64_t events_ = 0;     // of the file, seen
  uint64_t known_ = 0;      // of these the server has so many
  uint64_t mark_ = 0;       // tells the first event
  int64_t unnumbered_ = 0;
  std::string job_;  // spoken of last
  Event event_;
};

}  // namespace stepscope::goodput
