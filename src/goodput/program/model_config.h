// Reads the shape of a model from the text of its config.json.
#pragma once

#include <string>
#include <string_view>

#include "stepscope/program_goodput.h"
#include "stepscope/result.h"

namespace stepscope {

// `path` is for errors. Fails on what is not a model whose FLOPs are known.
Result<ModelShape> ModelShapeOf(std::string_view text, const std::string& path);

}  // namespace stepscope
