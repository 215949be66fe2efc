// Reads texts piece by piece, and profiles whole.
#include "redact/files.h"

#include <string>

#include "base/proto_sniff.h"
#include "redact/profile.h"
#include "redact/text_stream.h"

namespace stepscope::redact {
namespace {

constexpr size_t kPiece = size_t{256} << 10;
constexpr size_t kLargestProfile = size_t{4} << 30;

using Write = TextStream::Write;

Result<void> Text(ByteSource& source, const Redactor& redactor, KnownWords* words, Write write) {
  TextStream stream(redactor, words, std::move(write));
  std::string piece(kPiece, '\0');
  for (size_t got = source.Read(piece); got > 0; got = source.Read(piece)) {
    if (auto added = stream.Add(std::string_view(piece).substr(0, got)); !added) return added;
  }
  return stream.Finish();
}

Result<void> WholeProfile(ByteSource& source, const Redactor& redactor, KnownWords* words,
                          const Write& write) {
  std::string all, piece(kPiece, '\0');
  for (size_t got = source.Read(piece); got > 0; got = source.Read(piece)) {
    all.append(piece, 0, got);
    if (all.size() <= kLargestProfile) continue;
    return std::unexpected(
        Error{"the profile is larger than 4 GB", "", "record fewer steps, or leave this file out"});
  }
  return Profile(redactor, words).Rewrite(all, write);
}

Result<void> Rewrite(ByteSource& source, const Redactor& redactor, KnownWords* words,
                     const Write& write) {
  switch (FormOf(source.Peek(kSniff))) {
    case FileForm::kText:
      return Text(source, redactor, words, write);
    case FileForm::kProfile:
      return WholeProfile(source, redactor, words, write);
    case FileForm::kUnknown:
      break;
  }
  return std::unexpected(
      Error{"the format of the file is not known", "", "share it only if you know what is in it"});
}

}  // namespace

FileForm FormOf(std::string_view beginning) {
  size_t odd = 0;
  for (const char c : beginning) {
    const auto u = static_cast<unsigned char>(c);
    odd += u < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != '\b' && c != 0x1b;
  }
  if (odd == 0) return FileForm::kText;
  if (beginning.starts_with('\x0a'))
    return HasPerfettoPackets(beginning) ? FileForm::kUnknown : FileForm::kProfile;
  const size_t first = beginning.find_first_not_of(" \t\r\n");  // damaged JSON
  const bool json = beginning[first] == '{' || beginning[first] == '[';
  return json ? FileForm::kText : FileForm::kUnknown;
}

Result<void> LearnFile(ByteSource source, const Redactor& redactor, KnownWords& words) {
  return Rewrite(source, redactor, &words, nullptr);
}

Result<void> RewriteFile(ByteSource source, const Redactor& redactor, FileWriter& file,
                         InputEnd* end) {
  auto written = Rewrite(source, redactor, nullptr,
                         [&](std::string_view bytes) { return file.Append(bytes); });
  if (end != nullptr) *end = source.end();
  return written;
}

}  // namespace stepscope::redact
