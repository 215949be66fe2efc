// Numbers the rows and steps of a table, and packs its columns as planes of bytes.
#include "report/rank_grid.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "base/json_writer.h"

namespace stepscope {
namespace {

constexpr size_t kLittle = 1 << 16;  // cells: any grid may have so many
constexpr int64_t kMostExact = int64_t{1} << 53;

enum Kind : char { kWhole = 0, kReal = 1 };

bool IsKeyOfRow(const std::string& key) {
  return key == "rank" || key == "window" || key == "device";
}

bool HoldsNumbers(const Column& column) {
  return column.role == Role::kValue && (column.unit != Unit::kNone || column.key == "typical");
}

// The column of steps; fills keys and columns. Nothing where the table is of something else.
std::optional<size_t> ReadColumns(const Table& table, RankGrid& grid) {
  std::optional<size_t> step;
  bool has_rank = false;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const Column& column = table.columns[c];
    if (HoldsNumbers(column)) grid.columns.push_back(c);
    if (column.role != Role::kKey) continue;
    has_rank = has_rank || column.key == "rank";
    if (column.key == "step")
      step = c;
    else if (IsKeyOfRow(column.key))
      grid.keys.push_back(c);
    else
      return std::nullopt;
  }
  return has_rank ? step : std::nullopt;
}

std::vector<int64_t> StepsOf(const Table& table, size_t column) {
  std::vector<int64_t> steps;
  steps.reserve(table.rows.size());
  for (const auto& row : table.rows) {
    if (const auto* step = std::get_if<int64_t>(&row[column])) steps.push_back(*step);
  }
  if (steps.size() < table.rows.size()) return {};
  std::ranges::sort(steps);
  const auto repeated = std::ranges::unique(steps);
  steps.erase(repeated.begin(), repeated.end());
  return steps;
}

// Fills the rows and places.
void Place(const Table& table, size_t step_column, RankGrid& grid) {
  std::map<std::vector<Cell>, size_t> rows;
  std::vector<size_t> row_of(table.rows.size());
  for (size_t r = 0; r < table.rows.size(); ++r) {
    std::vector<Cell> name;
    for (const size_t key : grid.keys) name.push_back(table.rows[r][key]);
    const auto [at, is_new] = rows.try_emplace(std::move(name), grid.first.size());
    if (is_new) grid.first.push_back(r);
    row_of[r] = at->second;
  }
  for (size_t r = 0; r < table.rows.size(); ++r) {
    const auto step = std::get<int64_t>(table.rows[r][step_column]);
    const auto at = std::ranges::lower_bound(grid.steps, step) - grid.steps.begin();
    grid.places.push_back(row_of[r] * grid.steps.size() + static_cast<size_t>(at));
  }
}

std::optional<double> NumberOf(const Cell& cell) {
  if (const auto* whole = std::get_if<int64_t>(&cell)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&cell))
    return std::isfinite(*real) ? std::optional(*real) : std::nullopt;
  if (const auto* text = std::get_if<std::string>(&cell); text != nullptr && *text == "yes")
    return 1;
  if (const auto* text = std::get_if<std::string>(&cell); text != nullptr && *text == "no")
    return 0;
  return std::nullopt;
}

bool IsWhole(double value) {
  return std::trunc(value) == value && std::abs(value) < static_cast<double>(kMostExact);
}

// Byte after byte of all numbers: the high bytes of neighbors are alike.
void AppendPlanes(std::string& out, const std::vector<uint64_t>& numbers, int width) {
  for (int byte = 0; byte < width; ++byte) {
    for (const uint64_t number : numbers) out += static_cast<char>(number >> (8 * byte) & 255);
  }
}

void AppendLittleEndian(std::string& out, uint64_t number) { AppendPlanes(out, {number}, 8); }

std::string PackWhole(const std::vector<std::optional<double>>& cells) {
  int64_t low = kMostExact, high = -kMostExact;
  for (const auto& cell : cells) {
    if (!cell) continue;
    low = std::min(low, static_cast<int64_t>(*cell));
    high = std::max(high, static_cast<int64_t>(*cell));
  }
  if (low > high) low = high = 0;
  std::vector<uint64_t> numbers(cells.size(), 0);  // 0: not known
  for (size_t k = 0; k < cells.size(); ++k)
    if (cells[k]) numbers[k] = static_cast<uint64_t>(static_cast<int64_t>(*cells[k]) - low) + 1;
  const auto bits = static_cast<int>(std::bit_width(static_cast<uint64_t>(high - low) + 1));
  const int width = (bits + 7) / 8;
  std::string out = {kWhole, static_cast<char>(width)};
  AppendLittleEndian(out, static_cast<uint64_t>(low));
  AppendPlanes(out, numbers, width);
  return out;
}

std::string PackReal(const std::vector<std::optional<double>>& cells) {
  std::vector<uint64_t> numbers;
  numbers.reserve(cells.size());
  for (const auto& cell : cells)
    numbers.push_back(
        std::bit_cast<uint64_t>(cell.value_or(std::numeric_limits<double>::quiet_NaN())));
  std::string out = {kReal, 8};
  AppendLittleEndian(out, 0);
  AppendPlanes(out, numbers, 8);
  return out;
}

void PutCell(JsonWriter& json, const Cell& cell) {
  if (const auto* whole = std::get_if<int64_t>(&cell)) return json.Int(*whole);
  if (const auto* text = std::get_if<std::string>(&cell)) return json.String(*text);
  json.Null();
}

}  // namespace

std::optional<RankGrid> RankGridOf(const Table& table) {
  RankGrid grid;
  const auto step = ReadColumns(table, grid);
  if (!step || table.rows.empty()) return std::nullopt;
  grid.steps = StepsOf(table, *step);
  if (grid.steps.empty()) return std::nullopt;
  Place(table, *step, grid);
  const size_t cells = grid.first.size() * grid.steps.size();
  if (cells > kLittle && cells / 2 > table.rows.size()) return std::nullopt;
  return grid;
}

std::string GridJson(const Table& table, const RankGrid& grid) {
  constexpr auto kCompact = JsonWriter::Form::kCompact;
  JsonWriter json;
  json.BeginObject(kCompact);
  json.Key("steps");
  json.BeginArray(kCompact);
  for (const int64_t step : grid.steps) json.Int(step);
  json.End();
  json.Key("keys");
  json.BeginArray(kCompact);
  for (const size_t key : grid.keys) {
    json.BeginObject(kCompact);
    json.Text("key", table.columns[key].key);
    json.Key("cells");
    json.BeginArray(kCompact);
    for (const size_t row : grid.first) PutCell(json, table.rows[row][key]);
    json.End();
    json.End();
  }
  json.End();
  json.Key("columns");
  json.BeginArray(kCompact);
  for (const size_t column : grid.columns) json.String(table.columns[column].key);
  json.End();
  json.End();
  return std::move(json).Take();
}

std::string GridBytes(const Table& table, const RankGrid& grid, size_t column) {
  std::vector<std::optional<double>> cells(grid.first.size() * grid.steps.size());
  for (size_t r = 0; r < table.rows.size(); ++r)
    cells[grid.places[r]] = NumberOf(table.rows[r][column]);
  const bool whole =
      std::ranges::all_of(cells, [](const auto& cell) { return !cell || IsWhole(*cell); });
  return whole ? PackWhole(cells) : PackReal(cells);
}

}  // namespace stepscope
