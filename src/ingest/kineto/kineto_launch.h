// Reads the launch configuration of a Kineto kernel.
#pragma once

#include "ingest/kineto/kineto_fields.h"
#include "trace/launch_config.h"

namespace stepscope {

// Of arguments whose `launch_set` is not 0. What is no number that fits stays unknown.
LaunchConfig LaunchConfigOf(const Args& args);

}  // namespace stepscope
