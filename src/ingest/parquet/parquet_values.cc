// PLAIN, dictionary and DELTA_BINARY_PACKED encodings, with definition levels of version 1 and 2.
#include "ingest/parquet/parquet_values.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <utility>

#include "ingest/parquet/delta_bits.h"
#include "ingest/parquet/rle_bits.h"

namespace stepscope {
namespace {

constexpr int64_t kPlain = 0, kPlainDictionary = 2, kRle = 3, kDeltaBinaryPacked = 5,
                  kRleDictionary = 8;

std::unexpected<Error> DamagedValues(std::string_view column, std::string_view why) {
  return std::unexpected(
      Error{fmt::format("cannot read column '{}' of the Parquet file: {}", column, why), "", ""});
}

std::unexpected<Error> UnknownEncoding(std::string_view column, int64_t encoding) {
  return std::unexpected(
      Error{fmt::format("cannot read column '{}' of the Parquet file: its encoding, number {}, is "
                        "not supported",
                        column, encoding),
            "", "write it with plain, dictionary or delta encoding of whole numbers"});
}

// Little-endian, as the machines this runs on.
template <class T>
bool TakeFixed(std::string_view& body, T& value) {
  if (body.size() < sizeof(T)) return false;
  std::memcpy(&value, body.data(), sizeof(T));
  body.remove_prefix(sizeof(T));
  return true;
}

template <class T, class List>
bool AppendFixed(std::string_view& body, List& list) {
  T value{};
  if (!TakeFixed(body, value)) return false;
  list.push_back(value);
  return true;
}

bool IsWhole(ParquetType type) {
  return type == ParquetType::kInt32 || type == ParquetType::kInt64;
}

}  // namespace

static_assert(std::endian::native == std::endian::little);

Result<void> ParquetValues::Append(std::string_view bytes, const ParquetChunk& chunk) {
  const std::string& name = column_.info.name;
  const size_t wanted = column_.size() + static_cast<size_t>(chunk.values);
  dictionary_ = {.info = column_.info};
  ParquetPages pages(bytes, chunk.codec);
  while (column_.size() < wanted) {
    const auto next = pages.Next();
    if (!next) return std::unexpected(next.error());
    if (!*next) return DamagedValues(name, "values are missing");
    const ParquetPage& page = **next;
    if (page.header.values > chunk.values) return DamagedValues(name, "a page has too many values");
    Result<void> read;
    if (page.header.type == static_cast<int64_t>(ParquetPageType::kDictionary)) {
      read = ReadDictionary(page);
    } else if (page.header.type == static_cast<int64_t>(ParquetPageType::kData) ||
               page.header.type == static_cast<int64_t>(ParquetPageType::kDataV2)) {
      read = ReadData(page);
    }
    if (!read) return read;
  }
  if (column_.size() > wanted) return DamagedValues(name, "it has more values than it claims");
  return {};
}

Result<void> ParquetValues::ReadDictionary(const ParquetPage& page) {
  const std::string& name = column_.info.name;
  if (page.header.encoding != kPlain && page.header.encoding != kPlainDictionary)
    return UnknownEncoding(name, page.header.encoding);
  dictionary_ = {.info = column_.info};
  std::string_view body = page.body;
  bool whole = true;
  for (int64_t i = 0; i < page.header.values && whole; ++i) whole = TakePlain(body, dictionary_);
  if (!whole) return DamagedValues(name, "its dictionary is damaged");
  return {};
}

Result<void> ParquetValues::ReadData(const ParquetPage& page) {
  const std::string& name = column_.info.name;
  std::string_view body = page.body;
  std::vector<bool> defined;
  if (!ReadLevels(page, body, defined)) return DamagedValues(name, "its levels are damaged");
  const int64_t encoding = page.header.encoding;
  bool whole = false;
  if (encoding == kPlain) {
    whole = ReadPlain(body, defined);
  } else if (encoding == kPlainDictionary || encoding == kRleDictionary) {
    whole = ReadIndices(body, defined);
  } else if (encoding == kDeltaBinaryPacked && IsWhole(column_.info.type)) {
    whole = ReadDeltas(body, defined);
  } else {
    return UnknownEncoding(name, encoding);
  }
  if (!whole) return DamagedValues(name, "its values are damaged");
  column_.present.insert(column_.present.end(), defined.begin(), defined.end());
  return {};
}

// Version 1 has its levels, after their length, at the front of the page.
bool ParquetValues::ReadLevels(const ParquetPage& page, std::string_view& body,
                               std::vector<bool>& defined) {
  const auto count = static_cast<size_t>(page.header.values);
  if (!column_.info.optional) {
    defined.assign(count, true);
    return true;
  }
  std::string_view levels = page.levels;
  if (page.header.type == static_cast<int64_t>(ParquetPageType::kData)) {
    uint32_t bytes = 0;
    if (page.header.level_encoding != kRle || !TakeFixed(body, bytes) || bytes > body.size())
      return false;
    levels = body.substr(0, bytes);
    body.remove_prefix(bytes);
  }
  RleBits bits(levels, 1);
  defined.reserve(count);
  for (uint32_t level = 0; defined.size() < count; defined.push_back(level == 1)) {
    if (!bits.Next(level)) return false;
  }
  return true;
}

bool ParquetValues::ReadPlain(std::string_view body, const std::vector<bool>& defined) {
  if (column_.info.type == ParquetType::kBoolean) {
    size_t bit = 0;
    for (const bool here : defined) {
      if (here && bit / 8 >= body.size()) return false;
      column_.ints.push_back(here ? (body[bit / 8] >> (bit % 8)) & 1 : 0);
      bit += here ? 1 : 0;
    }
    return true;
  }
  for (const bool here : defined) {
    if (!here) {
      AppendNothing();
    } else if (!TakePlain(body, column_)) {
      return false;
    }
  }
  return true;
}

bool ParquetValues::ReadIndices(std::string_view body, const std::vector<bool>& defined) {
  uint8_t width = 0;
  if (!TakeFixed(body, width) || width > 32) return false;
  RleBits bits(body, width);
  for (const bool here : defined) {
    uint32_t index = 0;
    if (!here) {
      AppendNothing();
      continue;
    }
    if (!bits.Next(index) || index >= dictionary_.size()) return false;
    if (!dictionary_.ints.empty()) column_.ints.push_back(dictionary_.ints[index]);
    if (!dictionary_.reals.empty()) column_.reals.push_back(dictionary_.reals[index]);
    if (!dictionary_.texts.empty()) column_.texts.push_back(dictionary_.texts[index]);
  }
  return true;
}

bool ParquetValues::ReadDeltas(std::string_view body, const std::vector<bool>& defined) {
  DeltaBits numbers(body);
  for (const bool here : defined) {
    int64_t number = 0;
    if (here && !numbers.Next(number)) return false;
    column_.ints.push_back(number);
  }
  return true;
}

bool ParquetValues::TakePlain(std::string_view& body, ParquetColumn& into) {
  switch (column_.info.type) {
    case ParquetType::kInt32:
      return AppendFixed<int32_t>(body, into.ints);
    case ParquetType::kInt64:
      return AppendFixed<int64_t>(body, into.ints);
    case ParquetType::kFloat:
      return AppendFixed<float>(body, into.reals);
    case ParquetType::kDouble:
      return AppendFixed<double>(body, into.reals);
    case ParquetType::kByteArray:
      return TakePlainText(body, into);
    case ParquetType::kBoolean:
    case ParquetType::kInt96:
    case ParquetType::kFixedByteArray:
      return false;
  }
  return false;
}

bool ParquetValues::TakePlainText(std::string_view& body, ParquetColumn& into) {
  uint32_t bytes = 0;
  if (!TakeFixed(body, bytes) || bytes > body.size()) return false;
  into.texts.push_back(IdOf(body.substr(0, bytes)));
  body.remove_prefix(bytes);
  return true;
}

void ParquetValues::AppendNothing() {
  switch (column_.info.type) {
    case ParquetType::kFloat:
    case ParquetType::kDouble:
      return column_.reals.push_back(0);
    case ParquetType::kByteArray:
      return column_.texts.push_back(IdOf({}));
    case ParquetType::kBoolean:
    case ParquetType::kInt32:
    case ParquetType::kInt64:
    case ParquetType::kInt96:
    case ParquetType::kFixedByteArray:
      return column_.ints.push_back(0);
  }
}

uint32_t ParquetValues::IdOf(std::string_view text) {
  const auto [found, added] =
      ids_.try_emplace(std::string(text), static_cast<uint32_t>(column_.names.size()));
  if (added) column_.names.push_back(found->first);
  return found->second;
}

}  // namespace stepscope
