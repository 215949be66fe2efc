// The program `stepscope`.
#include <new>

#include "cli/program.h"

int main(int argc, char** argv) {
  try {
    return stepscope::cli::RunProgram({argv + 1, argv + argc});
  } catch (const std::bad_alloc&) {  // of the words
    return stepscope::cli::TellOutOfMemory();
  }
}
