// Looks at what the metadata says, and hashes all that is before it.
#include "ingest/partial/partial_file.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "partials/parquet_writer.h"
#include "partials/partial_table.h"

namespace stepscope {
namespace {

Error NoPartials(std::string what) {
  return {std::move(what), "", "give traces, or what 'stepscope map' wrote"};
}

Result<void> CheckVersion(const ParquetMetadata& metadata) {
  const std::string* version = metadata.About(kPartialVersionKey);
  if (version == nullptr)
    return std::unexpected(NoPartials("the Parquet file holds no partials of ranks"));
  if (*version == kPartialVersion) return {};
  return std::unexpected(
      Error{fmt::format("the partials are of version {}, which is not known here", *version), "",
            "use the Stepscope that wrote them, or map the traces again"});
}

Result<void> CheckHash(ParquetFile& file) {
  const auto hash = file.HashBefore(kParquetHashKey);
  if (!hash) return std::unexpected(hash.error());
  const std::string* written = file.metadata().About(kParquetHashKey);
  if (written != nullptr && *written == *hash) return {};
  return std::unexpected(Error{"the partials are damaged: they are not what was written", "",
                               "map the traces again: 'stepscope map' replaces the file"});
}

}  // namespace

Result<ParquetFile> OpenPartials(ByteSource source) {
  if (!source.Peek(kParquetMagic.size()).starts_with(kParquetMagic))
    return std::unexpected(NoPartials("the file holds no partials of ranks"));
  auto file = ParquetFile::Open(std::move(source));
  if (!file) return file;
  if (const auto known = CheckVersion(file->metadata()); !known)
    return std::unexpected(known.error());
  if (const auto whole = CheckHash(*file); !whole) return std::unexpected(whole.error());
  return file;
}

}  // namespace stepscope
