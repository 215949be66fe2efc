// The program `stepscope`.
#include "cli/program.h"

int main(int argc, char** argv) { return stepscope::cli::RunProgram({argv + 1, argv + argc}); }
