// Rewrites the bytes of a file of any form that is known: JSON, text, or a profile in protocol
// buffers.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/byte_source.h"
#include "base/file_writer.h"
#include "redact/redactor.h"
#include "stepscope/result.h"

namespace stepscope::redact {

enum class FileForm : uint8_t { kText, kProfile, kUnknown };

// By the first bytes, kSniff of them where there are so many. A text holds no zero and none of the
// bytes that no text has; a profile begins with a plane.
inline constexpr size_t kSniff = 4096;
FileForm FormOf(std::string_view beginning);

// Learns what the file names in fields of its own. Damage ends it early. Fails if the file's form
// is unknown, it is a profile of more than 4 GB, or it holds a text of more than 64 MB.
Result<void> LearnFile(ByteSource source, const Redactor& redactor, KnownWords& words);

// Writes the file without what is private, uncompressed, by file.Append(). Fails as LearnFile(),
// and if writing does. `end`, if given, is how the input ended.
Result<void> RewriteFile(ByteSource source, const Redactor& redactor, FileWriter& file,
                         InputEnd* end = nullptr);

}  // namespace stepscope::redact
