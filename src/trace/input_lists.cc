// Parses lists as traces write them, with bounds: no operator has a hundred inputs.
#include "trace/input_lists.h"

#include <algorithm>
#include <charconv>

#include "base/ascii.h"

namespace stepscope {
namespace {

constexpr size_t kMostInputs = 256;
constexpr size_t kMostDimensions = 16;

// What is between the brackets around `text`; nothing when there are none.
std::string_view Inside(std::string_view text) {
  text = Trimmed(text);
  const bool bracketed = text.size() >= 2 && text.front() == '[' && text.back() == ']';
  return bracketed ? text.substr(1, text.size() - 2) : std::string_view();
}

// Calls item(text) for each item of a list: commas within brackets or quotes part nothing.
template <class Item>
void ForEachItem(std::string_view list, const Item& item) {
  int depth = 0;
  bool quoted = false;
  size_t begin = 0;
  for (size_t at = 0; at < list.size(); ++at) {
    const char c = list[at];
    if (quoted && c == '\\') ++at;
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '[') ++depth;
    if (c == ']') --depth;
    if (c != ',' || depth != 0) continue;
    item(Trimmed(list.substr(begin, at - begin)));
    begin = at + 1;
  }
  if (!Trimmed(list).empty()) item(Trimmed(list.substr(std::min(begin, list.size()))));
}

}  // namespace

Dimensions ReadNumbers(std::string_view text) {
  Dimensions numbers;
  bool only_numbers = true;
  ForEachItem(Inside(text), [&](std::string_view item) {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), number);
    only_numbers &= error == std::errc() && end == item.data() + item.size();
    if (numbers.size() <= kMostDimensions) numbers.push_back(number);
  });
  if (!only_numbers || numbers.size() > kMostDimensions) numbers.clear();
  return numbers;
}

std::vector<Dimensions> ReadShapes(std::string_view text) {
  std::vector<Dimensions> shapes;
  ForEachItem(Inside(text), [&](std::string_view item) {
    if (shapes.size() < kMostInputs) shapes.push_back(ReadNumbers(item));
  });
  return shapes;
}

int64_t CountElements(std::string_view shapes) {
  int64_t sum = 0;
  for (const Dimensions& dimensions : ReadShapes(shapes)) {
    int64_t product = 1;
    for (const int64_t size : dimensions) {
      if (__builtin_mul_overflow(product, size, &product)) return -1;
    }
    if (__builtin_add_overflow(sum, product, &sum)) return -1;
  }
  return sum;
}

std::vector<std::string> ReadTexts(std::string_view text) {
  std::vector<std::string> texts;
  ForEachItem(Inside(text), [&](std::string_view item) {
    if (item.size() >= 2 && item.front() == '"' && item.back() == '"')
      item = item.substr(1, item.size() - 2);
    if (texts.size() < kMostInputs) texts.emplace_back(item);
  });
  return texts;
}

}  // namespace stepscope
