// Makes run folders, fills them and removes the oldest.
#include "capture/common/run_folder.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <ranges>
#include <string>
#include <vector>

#include "base/ascii.h"
#include "base/folder_bytes.h"
#include "base/json_writer.h"
#include "base/sync_folder.h"
#include "base/system_error.h"
#include "base/time_units.h"
#include "capture/common/private_file.h"

namespace stepscope {

namespace fs = std::filesystem;

std::string CaptureHome() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/')
    return std::string(state) + "/stepscope/captures";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return std::string(home) + "/.local/state/stepscope/captures";
  return "";
}

namespace capture {
namespace {

constexpr size_t kHead = size_t{1} << 16;  // bytes of a trace in which members are looked for
constexpr size_t kPart = size_t{1} << 22;  // bytes that are copied at once
constexpr size_t kMostHostName = 64;

std::string Safe(std::string_view text) {
  std::string safe;
  for (const char c : text.substr(0, kMostHostName))
    safe += IsWordChar(c) || c == '-' || c == '.' ? c : '-';
  return safe;
}

bool IsOurs(const fs::path& folder) {
  struct stat facts{}, marker{};
  return lstat(folder.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) &&
         facts.st_uid == geteuid() && lstat((folder / kMarkerFile).c_str(), &marker) == 0 &&
         S_ISREG(marker.st_mode) && marker.st_uid == geteuid();
}

// The folders with our marker, oldest first: their names begin with their time.
std::vector<fs::path> RunsIn(const std::string& kept) {
  std::vector<fs::path> runs;
  std::error_code error;
  for (fs::directory_iterator at(kept, error), end; !error && at != end; at.increment(error)) {
    if (IsOurs(at->path())) runs.push_back(at->path());
  }
  std::ranges::sort(runs);
  return runs;
}

// Leaves room for one more run.
void RemoveOldest(const CaptureOptions& options, const std::string& kept) {
  const std::vector<fs::path> runs = RunsIn(kept);
  int64_t bytes = 0;
  for (const fs::path& run : runs) bytes += BytesIn(run);
  auto left = static_cast<int64_t>(runs.size());
  for (const fs::path& run : runs) {
    if (left < options.keep_runs && bytes <= options.keep_bytes) return;
    bytes -= BytesIn(run);
    --left;
    std::error_code ignored;
    fs::remove_all(run, ignored);
  }
}

// Returns whether it was made now. Fails if it holds anything.
Result<bool> MakeEmpty(const std::string& folder) {
  std::error_code error;
  fs::create_directories(fs::path(folder).parent_path(), error);
  if (mkdir(folder.c_str(), 0700) == 0) return true;
  if (errno != EEXIST)
    return std::unexpected(SystemError("cannot make the directory", errno, folder));
  const bool empty = fs::is_empty(folder, error);
  if (error)
    return std::unexpected(SystemError("cannot read the directory", error.value(), folder));
  if (empty) return false;
  return std::unexpected(
      Error{"there are files in the directory of the run", folder, "name a new directory"});
}

std::string NameOf(std::string_view door, int64_t now, int number) {
  const auto seconds = static_cast<std::time_t>(now / kSecond);
  return fmt::format("{:%Y-%m-%dT%H-%M-%S}Z-{}{}", fmt::gmtime(seconds), door,
                     number == 0 ? "" : fmt::format("-{}", number));
}

// Whether one of these is a member: "name": in JSON, and no part of a longer text.
bool HasMember(std::string_view text, std::string_view name) {
  return text.contains(fmt::format("\"{}\":", name)) ||
         text.contains(fmt::format("\"{}\" :", name));
}

void WriteTarget(JsonWriter& json, const CaptureTarget& target) {
  json.Text("address", target.address);
  json.Text("host", target.host);
  if (target.pid > 0) json.Number("pid", target.pid);
  if (target.rank >= 0) json.Number("rank", target.rank);
  if (target.local_rank >= 0) json.Number("local_rank", target.local_rank);
  if (target.world_size > 0) json.Number("world_size", target.world_size);
  if (!target.job.empty()) json.Text("job", target.job);
  if (!target.attempt.empty()) json.Text("attempt", target.attempt);
}

void WriteOutcomes(JsonWriter& json, std::string_view key, const CaptureResult& result, bool came) {
  json.Key(key);
  json.BeginArray();
  for (const CaptureOutcome& outcome : result.outcomes) {
    if (outcome.file.empty() == came) continue;
    json.BeginObject(JsonWriter::Form::kOneLine);
    WriteTarget(json, outcome.target);
    if (came) json.Text("file", outcome.file);
    if (came) json.Number("bytes", outcome.bytes);
    if (!came) json.Text("reason", outcome.reason);
    json.End();
  }
  json.End();
}

}  // namespace

std::string FileNameOf(const CaptureTarget& target, std::string_view suffix) {
  std::string name;
  const auto add = [&](const std::string& part) { name += (name.empty() ? "" : ".") + part; };
  if (target.rank >= 0) add(fmt::format("rank-{}", target.rank));
  if (!target.host.empty()) add(Safe(target.host));
  if (target.pid > 0) add(std::to_string(target.pid));
  if (target.pid <= 0 && target.rank < 0) add(Safe(target.address));
  return name + std::string(suffix);
}

Result<RunFolder> RunFolder::Make(const CaptureOptions& options, std::string_view door,
                                  int64_t now) {
  if (!options.folder.empty()) {
    const auto made = MakeEmpty(options.folder);
    if (!made) return std::unexpected(made.error());
    return RunFolder(options.folder, options.keep_bytes, *made);
  }
  const std::string kept = options.kept.empty() ? CaptureHome() : options.kept;
  if (kept.empty()) {
    return std::unexpected(
        Error{"there is no home directory for the run", "", "name a directory: `folder`"});
  }
  RemoveOldest(options, kept);
  constexpr int kMostAtOnce = 100;
  for (int number = 0; number < kMostAtOnce; ++number) {
    const std::string path = kept + "/" + NameOf(door, now, number);
    const auto made = MakeEmpty(path);
    if (made && *made) {
      RunFolder folder(path, options.keep_bytes, true);
      if (auto marked = folder.Write(std::string(kMarkerFile), ""); !marked)
        return std::unexpected(marked.error());
      return folder;
    }
    std::error_code error;
    if (!made && !fs::is_directory(path, error)) return std::unexpected(made.error());
  }
  return std::unexpected(Error{"too many captures began in this second", kept, "try again"});
}

Result<void> RunFolder::Fits(int64_t more) const {
  if (more <= limit_ - bytes_) return {};
  return std::unexpected(Error{fmt::format("the run would exceed {} bytes", limit_), path_,
                               "capture a shorter window, or raise `keep_bytes`"});
}

Result<int64_t> RunFolder::Write(const std::string& name, std::string_view bytes) {
  if (auto fits = Fits(static_cast<int64_t>(bytes.size())); !fits)
    return std::unexpected(fits.error());
  if (const size_t slash = name.find('/'); slash != name.npos)
    mkdir((path_ + "/" + name.substr(0, slash)).c_str(), 0700);
  auto size =
      WritePrivateFile(path_ + "/" + name, [&](const Append& append) { return append(bytes); });
  if (size) bytes_ += *size;
  return size;
}

Result<int64_t> RunFolder::TakeTrace(const std::string& from, const std::string& name,
                                     const CaptureTarget& target) {
  auto size = CopyTrace(from, name, target);
  if (size) unlink(from.c_str());
  return size;
}

Result<std::string> RunFolder::MakeFolder(const std::string& name) {
  std::string path = path_;
  for (const auto part : std::views::split(name, '/')) {
    path += "/" + std::string(std::string_view(part));
    if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
      return std::unexpected(SystemError("cannot make the directory", errno, path));
  }
  return path;
}

Result<int64_t> RunFolder::CopyTrace(const std::string& from, const std::string& name,
                                     const CaptureTarget& target) {
  const auto file = GivenFile::Open(from);
  if (!file) return std::unexpected(file.error());
  if (auto fits = Fits(file->size()); !fits) return std::unexpected(fits.error());
  const auto head = file->Read(0, kHead);
  const auto tail = file->Read(std::max<int64_t>(0, file->size() - int64_t{kHead}), kHead);
  if (!head) return std::unexpected(head.error());
  const std::string added = AddedMembers(*head, tail.value_or(""), target);
  auto size = WritePrivateFile(path_ + "/" + name, [&](const Append& append) -> Result<void> {
    int64_t at = 0;
    if (!added.empty()) {
      at = static_cast<int64_t>(head->find('{')) + 1;
      auto written = append(head->substr(0, static_cast<size_t>(at)) + added);
      if (!written) return written;
    }
    while (at < file->size()) {
      const auto part = file->Read(at, kPart);
      if (!part) return std::unexpected(part.error());
      if (part->empty()) break;
      if (auto written = append(*part); !written) return written;
      at += static_cast<int64_t>(part->size());
    }
    return {};
  });
  if (!size) return size;
  bytes_ += *size;
  return size;
}

Result<void> RunFolder::Finish(CaptureResult& result) {
  if (TracesOf(result) == 0 && made_) {
    std::error_code ignored;
    fs::remove(path_ + "/" + std::string(kMarkerFile), ignored);
    if (fs::remove(path_, ignored)) return {};  // it was empty
  }
  result.folder = path_;
  const std::string text = CaptureText(result);
  auto written = WritePrivateFile(path_ + "/" + std::string(kCaptureFile),
                                  [&](const Append& append) { return append(text); });
  if (!written) return std::unexpected(written.error());
  return SyncFolder(path_);
}

std::string AddedMembers(std::string_view head, std::string_view tail,
                         const CaptureTarget& target) {
  const size_t brace = head.find_first_not_of(" \t\r\n");
  if (brace == head.npos || head[brace] != '{') return "";
  const std::string_view before = head.substr(0, head.find("\"traceEvents\""));
  const auto lacks = [&](std::string_view name) {
    return !HasMember(before, name) && !HasMember(tail, name);
  };
  JsonWriter json;
  json.BeginObject(JsonWriter::Form::kOneLine);
  bool any = false;
  if (target.rank >= 0 && lacks("distributedInfo")) {
    json.Key("distributedInfo");
    json.BeginObject(JsonWriter::Form::kOneLine);
    json.Number("rank", target.rank);
    if (target.world_size > 0) json.Number("world_size", target.world_size);
    json.End();
    any = true;
  }
  if (!target.host.empty() && lacks("host_name")) {
    json.Text("host_name", target.host);
    any = true;
  }
  json.End();
  if (!any) return "";
  std::string text = std::move(json).Take();
  const size_t open = text.find('{'), close = text.rfind('}');
  text = Trimmed(std::string_view(text).substr(open + 1, close - open - 1));
  const size_t next = head.find_first_not_of(" \t\r\n", brace + 1);
  const bool alone = next == head.npos || head[next] == '}';
  return text + (alone ? "" : ", ");
}

std::string CaptureText(const CaptureResult& result) {
  JsonWriter json;
  json.BeginObject();
  json.Text("schema", "stepscope.capture/1");
  if (!result.outcomes.empty()) json.Text("door", result.outcomes.front().target.door);
  if (result.start > 0) json.Number("start_unix_ns", result.start);
  if (result.window.iterations > 0)
    json.Number("iterations", result.window.iterations);
  else
    json.Number("duration_ns", result.window.duration);
  WriteOutcomes(json, "workers", result, true);
  WriteOutcomes(json, "missing", result, false);
  json.Key("unknown");
  json.BeginArray();
  for (const std::string& sentence : result.unknown) json.String(sentence);
  json.End();
  json.End();
  return std::move(json).Take() + "\n";
}

}  // namespace capture
}  // namespace stepscope
