// Writes of which trace a partial was made.
#pragma once

#include "base/json_writer.h"
#include "stepscope/rank_trace.h"

namespace stepscope {

inline void PutSource(JsonWriter& json, const RankTrace& source) {
  json.BeginObject(JsonWriter::Form::kCompact);
  json.Text("path", source.path);
  json.Number("bytes", source.bytes);
  json.Number("written", source.written);
  json.Text("version", source.version);
  json.Text("ends", source.ends);
  json.End();
}

}  // namespace stepscope
