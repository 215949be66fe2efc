// Fuzzes the reader of models' config.json: what is read has numbers that can be reckoned with.
#include <cmath>
#include <string_view>

#include "goodput/program/model_config.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace stepscope::config_fuzz {
namespace {

void Fuzz(std::string_view bytes) {
  const auto shape = ModelShapeOf(bytes, "config.json");
  if (!shape) return Require(!shape.error().what.empty());
  Require(shape->layers > 0 && shape->width > 0 && shape->heads > 0);
  for (const double number :
       {shape->layers, shape->width, shape->heads, shape->kv_heads, shape->head_size,
        shape->vocabulary, shape->sequence, shape->window, shape->window_layers, shape->experts,
        shape->expert_layers, shape->shared_experts, shape->expert_width})
    Require(std::isfinite(number) && number >= 0);
}

const fuzz::Register kTarget({.name = "config", .run = &Fuzz, .form = fuzz::Form::kJson});

}  // namespace
}  // namespace stepscope::config_fuzz
