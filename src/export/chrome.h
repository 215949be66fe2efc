// Writes a trace again as JSON for Perfetto and chrome://tracing: the kept events as in the file,
// and the events of an overlay.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/file_writer.h"
#include "export/kept_times.h"
#include "export/overlay.h"
#include "ingest/common/raw_event_observer.h"
#include "redact/redactor.h"
#include "redact/text_stream.h"

namespace stepscope {

// One file, gzipped where its name ends in ".gz". Its order of use: Create; read a trace with
// observer(); AddOverlay; Finish.
class ChromeFile {
 public:
  // With `redactor` what is private is replaced. Of the overlay the marks are for the events that
  // are read; what it adds, AddOverlay() does. Both must outlive the file.
  ChromeFile(std::string path, KeptTimes kept, const Overlay& overlay,
             const redact::Redactor* redactor = nullptr);

  Result<void> Create() { return file_.Create(); }
  // Writes what it is told. What fails is told by Finish().
  RawEventObserver Observer();
  void AddOverlay();
  // Ends the document, syncs the file and gives it its name.
  Result<void> Finish();

  int64_t events() const { return events_; }  // written, an overlay's among them
  int64_t mended() const {
    return mended_;
  }  // events and members that were damaged and are written

 private:
  void TakeMember(const ObservedMember& member);
  void TakeEvent(const ObservedEvent& event);
  const EventMark* MarkOf(const ObservedEvent& event) const;
  void BeginEvent();
  template <class Write>
  void AddEvent(std::string_view phase, const Write& write);
  void AddCounter(const CounterTrack& counter);
  void AddPath(const Overlay& overlay);
  void Flush();

  GzipCompressor gzip_;
  FileWriter file_;
  KeptTimes kept_;
  const Overlay& overlay_;
  const redact::Redactor* redactor_;  // may be null
  std::string text_;                  // not written yet
  std::string members_;               // met behind the first event: they follow the last
  bool in_events_ = false;
  int64_t events_ = 0, mended_ = 0;
  std::unique_ptr<redact::TextStream> redacted_;  // what is written goes through it
  Result<void> written_;
};

}  // namespace stepscope
