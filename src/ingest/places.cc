// Asks the file system or the storage.
#include "ingest/places.h"

#include <filesystem>
#include <system_error>

#include "base/stored_file.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;
using Kind = StoredItem::Kind;

Result<StoredItem> FindFile(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::directory)
    return StoredItem{.path = path, .kind = Kind::kFolder};
  if (status.type() == fs::file_type::not_found) return StoredItem{.path = path};
  if (!fs::exists(status)) {
    return std::unexpected(Error{"cannot read this path: " + error.message(), path,
                                 "check the spelling and the current directory"});
  }
  StoredItem item{.path = path, .kind = Kind::kFile};
  const auto bytes = fs::file_size(path, error);
  if (!error) item.bytes = static_cast<int64_t>(bytes);
  const auto written = fs::last_write_time(path, error);
  if (!error) item.written = written.time_since_epoch().count();
  return item;
}

Result<std::vector<StoredItem>> ListFolder(const std::string& folder) {
  std::error_code error;
  std::vector<StoredItem> items;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    Kind kind = at->is_directory(ignored) ? Kind::kFolder : Kind::kNone;
    if (at->is_regular_file(ignored)) kind = Kind::kFile;
    items.push_back({.path = at->path(), .kind = kind});
  }
  if (!error) return items;
  return std::unexpected(Error{"cannot list the directory: " + error.message(), folder,
                               "check the permissions of the directory"});
}

}  // namespace

Result<StoredItem> Places::Find(const std::string& path) const {
  return Stored(path) ? FindStored(*storage_, path) : FindFile(path);
}

Result<std::vector<StoredItem>> Places::List(const std::string& folder) const {
  return Stored(folder) ? ListStored(*storage_, folder) : ListFolder(folder);
}

std::optional<std::string> Places::Canonical(const std::string& path) const {
  if (Stored(path)) return path;
  std::error_code error;
  const fs::path canonical = fs::canonical(path, error);
  if (error) return std::nullopt;
  return canonical.string();
}

Result<ByteSource> Places::Open(const std::string& path, std::atomic<int64_t>* bytes_read,
                                ReadFailure* failure) const {
  const auto limited = [&](Result<ByteSource> source) {
    if (source) source->LimitInflated(limit_, failure);
    return source;
  };
  if (!Stored(path)) return limited(ByteSource::Open(path, bytes_read));
  auto item = FindStored(*storage_, path);
  if (!item) return std::unexpected(item.error());
  if (item->kind != Kind::kFile) {
    return std::unexpected(Error{"there is no such file any more", path, "open the run again"});
  }
  return limited(
      ByteSource::OpenStored(StoredFile(storage_, std::move(*item)), bytes_read, failure));
}

}  // namespace stepscope
