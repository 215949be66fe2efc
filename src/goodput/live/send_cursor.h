// Remembers how far a server has confirmed each source, in a file that survives kills.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "stepscope/result.h"

namespace stepscope::goodput {

struct SendPosition {
  uint64_t at = 0;    // slots of a segment, events of a file
  bool done = false;  // complete
  uint64_t mark = 0;  // of a file: hash of its first event
  friend bool operator==(const SendPosition&, const SendPosition&) = default;
};

// "send-1a2b3c4d.cursor", for the server at this address as http::Address::Text() has it.
std::string CursorName(const std::string& address);
// The file in a directory of segments.
std::string CursorPathOf(const std::string& folder, const std::string& address);

class SendCursor {
 public:
  explicit SendCursor(std::string path) : path_(std::move(path)) {}

  // Reads the file. If it is missing or damaged, everything is sent again.
  void Load();
  // Writes a temporary file, syncs and renames it. Does nothing if nothing changed.
  Result<void> Save();

  SendPosition At(const std::string& source) const;
  void Set(const std::string& source, const SendPosition& position);
  // Forgets sources that no longer exist.
  void Prune(const std::function<bool(const std::string& source)>& exists);

  // The store that has confirmed all this, see StoreIdOf(); empty: unknown.
  const std::string& store() const { return store_; }
  void SetStore(const std::string& id);
  // Forgets all: this store has nothing of it.
  void StartOver(const std::string& id);

  const std::string& path() const { return path_; }

 private:
  std::string path_, store_;
  std::map<std::string, SendPosition> positions_;
  bool changed_ = false;
};

}  // namespace stepscope::goodput
