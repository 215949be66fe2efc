// Lays out a table of ranks by steps as a grid, for faces that draw it: numbers as they are, in an
// order that packs well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stepscope/report.h"

namespace stepscope {

struct RankGrid {
  std::vector<size_t> keys;     // the columns that name a row of the grid: rank, window, device
  std::vector<size_t> first;    // of each row of the grid, its first row of the table
  std::vector<int64_t> steps;   // ascending
  std::vector<size_t> columns;  // those with numbers, and "typical"
  std::vector<size_t> places;   // of each row of the table: row of the grid x steps + step
};

// Nothing where the keys of the table are not a rank, a step, and at most its window and device, or
// where more than half of the grid would be empty.
std::optional<RankGrid> RankGridOf(const Table& table);

// {"steps": [...], "keys": [{"key", "cells": [a cell for each row]}], "columns": [key, ...]}
std::string GridJson(const Table& table, const RankGrid& grid);

// The cells of a column, row after row, as docs/formats/grid.md has it: exactly, in as few bytes
// each as the largest needs.
std::string GridBytes(const Table& table, const RankGrid& grid, size_t column);

}  // namespace stepscope
