// How far a server has confirmed what is sent to it, by source, in a file that outlives kills.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "stepscope/result.h"

namespace stepscope::goodput {

struct SendPosition {
  uint64_t at = 0;    // slots of a segment, events of a file
  bool done = false;  // nothing more will come
  uint64_t mark = 0;  // of a file: what tells its first event
  friend bool operator==(const SendPosition&, const SendPosition&) = default;
};

class SendCursor {
 public:
  explicit SendCursor(std::string path) : path_(std::move(path)) {}

  // Takes what the file says. A file that is missing or not whole says nothing: all is sent again.
  void Load();
  // Writes the file beside its name, syncs it and gives it its name; nothing when nothing changed.
  Result<void> Save();

  SendPosition At(const std::string& source) const;
  void Set(const std::string& source, const SendPosition& position);
  // Forgets sources that are no more.
  void Prune(const std::function<bool(const std::string& source)>& exists);

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::map<std::string, SendPosition> positions_;
  bool changed_ = false;
};

}  // namespace stepscope::goodput
