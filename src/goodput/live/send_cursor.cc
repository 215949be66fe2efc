// Stores the cursor as one line per source with a checksum, and the store's name at the end, where
// earlier versions stop reading.
#include "goodput/live/send_cursor.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "base/crc32.h"
#include "base/file_writer.h"

namespace stepscope::goodput {
namespace {

constexpr std::string_view kHead = "stepscope goodput send 1 ";
constexpr std::string_view kStore = "store ";

}  // namespace

std::string CursorName(const std::string& address) {
  return fmt::format("send-{:08x}.cursor", Crc32(address.data(), address.size()));
}

std::string CursorPathOf(const std::string& folder, const std::string& address) {
  return folder + "/." + CursorName(address);
}

void SendCursor::Load() {
  std::ifstream in(path_, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const size_t head = text.find('\n');
  if (head == text.npos) return;
  const std::string_view rest = std::string_view(text).substr(head + 1);
  if (text.substr(0, head) != fmt::format("{}{:08x}", kHead, Crc32(rest.data(), rest.size())))
    return;
  std::istringstream lines{std::string(rest)};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kStore)) store_ = line.substr(kStore.size());
    std::istringstream words(line);
    SendPosition position;
    std::string source;
    if (words >> position.at >> position.done >> position.mark && words.get() == ' ' &&
        std::getline(words, source)) {
      positions_[source] = position;
    }
  }
}

Result<void> SendCursor::Save() {
  if (!changed_) return {};
  std::string lines;
  for (const auto& [source, position] : positions_) {
    // A newline would break the format; such a source is sent again as a whole.
    if (source.find('\n') != source.npos) continue;
    lines += fmt::format("{} {:d} {} {}\n", position.at, position.done, position.mark, source);
  }
  if (!store_.empty()) lines += fmt::format("{}{}\n", kStore, store_);
  const std::string text =
      fmt::format("{}{:08x}\n", kHead, Crc32(lines.data(), lines.size())) + lines;
  if (auto written = WriteFile(path_, text); !written) return written;
  changed_ = false;
  return {};
}

SendPosition SendCursor::At(const std::string& source) const {
  const auto found = positions_.find(source);
  return found == positions_.end() ? SendPosition{} : found->second;
}

void SendCursor::Set(const std::string& source, const SendPosition& position) {
  SendPosition& known = positions_[source];
  changed_ = changed_ || known != position;
  known = position;
}

void SendCursor::Prune(const std::function<bool(const std::string& source)>& exists) {
  const auto gone = std::erase_if(positions_, [&](const auto& p) { return !exists(p.first); });
  changed_ = changed_ || gone > 0;
}

void SendCursor::SetStore(const std::string& id) {
  changed_ = changed_ || store_ != id;
  store_ = id;
}

void SendCursor::StartOver(const std::string& id) {
  positions_.clear();
  SetStore(id);
}

}  // namespace stepscope::goodput
