// Looks at files and their ends.
#include "session/map_sources.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/hash_of_ends.h"
#include "base/json_writer.h"
#include "ingest/partial/partial_file.h"
#include "partials/partial_source.h"
#include "partials/partial_table.h"

namespace stepscope {
namespace {

// As a path of any directory; of a storage as it is.
std::string WholePath(const std::string& path, const Places& places) {
  std::error_code error;
  const auto whole = std::filesystem::absolute(path, error).lexically_normal();
  return error || places.Stored(path) ? path : whole.string();
}

// Not of a pipe: what is read of it is gone.
std::string HashOfEndsAt(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return "";
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return "";
  std::string hash = HashOfEnds(fd);
  close(fd);
  return hash;
}

}  // namespace

RankTrace SourceAt(const std::string& path, const Places& places) {
  RankTrace source{.path = path};
  if (const auto item = places.Find(path)) {
    source.bytes = item->bytes;
    source.written = item->written;
    source.version = fmt::format("{:x}", item->version);
  }
  if (!places.Stored(path)) source.ends = HashOfEndsAt(path);
  source.path = WholePath(path, places);
  return source;
}

std::string SourcesAsJson(std::span<const RankTrace> sources) {
  // What partials tell beside their version: 2: each its trace.
  constexpr int64_t kRevision = 2;
  JsonWriter json;
  json.BeginObject(JsonWriter::Form::kCompact);
  json.Text("stepscope", STEPSCOPE_VERSION);
  json.Number("revision", kRevision);
  json.Key("files");
  json.BeginArray(JsonWriter::Form::kCompact);
  for (const RankTrace& source : sources) PutSource(json, source);
  json.End();
  json.End();
  return std::move(json).Take();
}

std::string PathsAsJson(std::span<const std::string> paths) {
  JsonWriter json;
  json.BeginArray(JsonWriter::Form::kCompact);
  for (const std::string& path : paths) json.String(path);
  json.End();
  return std::move(json).Take();
}

bool ArePartials(const std::string& path) {
  auto source = Places().Open(path);
  return source && OpenPartials(*std::move(source)).has_value();
}

std::string SourcesIn(const std::string& partials) {
  auto source = Places().Open(partials);
  if (!source) return "";
  const auto file = OpenPartials(*std::move(source));
  if (!file) return "";
  const std::string* found = file->metadata().About(kPartialSourcesKey);
  return found == nullptr ? "" : *found;
}

}  // namespace stepscope
