// Asks the same functions as the analysis does of whole recordings.
#include "condense/idle.h"

#include "facts/devices/idle_wait_sums.h"
#include "facts/devices/stream_idle.h"
#include "partials/step_names.h"

namespace stepscope {
namespace {

class IdleRows {
 public:
  IdleRows(const RecordingToCondense& recording, PartialTable& into)
      : names_(*recording.names), rank_(*recording.rank), out_(into) {}

  void Write() {
    for (const CondensedStream& stream : MeasureStreamIdle(rank_, kShortGap).streams)
      WriteStream(stream);
    for (const CondensedWait& wait : IdleWaitSums(rank_, kLongWait)) WriteWait(wait);
  }

 private:
  void Begin(std::string_view kind) { out_.BeginRow(kind, rank_.rank); }

  void WriteStream(const CondensedStream& stream) {
    Begin("stream");
    out_.Set(PartialColumn::kDevice, stream.device);
    out_.Set(PartialColumn::kStream, stream.stream);
    out_.Set(PartialColumn::kCount, stream.events);
    for (const auto& [name, time] : kPartialStreamTimes) {
      if (stream.*time == 0) continue;
      Begin("gap");
      out_.Set(PartialColumn::kName, name);
      out_.Set(PartialColumn::kDuration, stream.*time);
    }
  }

  void WriteWait(const CondensedWait& wait) {
    Begin("wait");
    out_.Set(PartialColumn::kName, names_[wait.call]);
    out_.Set(PartialColumn::kCount, wait.calls);
    out_.Set(PartialColumn::kDuration, wait.time);
    out_.Set(PartialColumn::kLongest, wait.longest);
    if (wait.op != kNoString) out_.Set(PartialColumn::kOperator, names_[wait.op]);
    if (wait.annotation != kNoString) out_.Set(PartialColumn::kAnnotation, names_[wait.annotation]);
  }

  const StringTable& names_;
  const RankActivity& rank_;
  PartialTable& out_;
};

}  // namespace

void CondenseIdle(const RecordingToCondense& recording, PartialTable& into) {
  if (!recording.rank->on_host) IdleRows(recording, into).Write();
}

}  // namespace stepscope
