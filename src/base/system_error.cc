// Writes errors of the system.
#include "base/system_error.h"

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

namespace stepscope {
namespace {

std::string_view HintOf(int number) {
  switch (number) {
    case EACCES:
    case EPERM:
      return "check the permissions of the path and of its directories";
    case ENOENT:
      return "check the spelling; relative paths start at the current directory";
    case ENOTDIR:
      return "give a directory; a part of the path is a file";
    case EISDIR:
      return "give a file; this is a directory";
    case EMFILE:
      return "raise the limit of open files with 'ulimit -n'";
    case ENFILE:
      return "close other programs: the system has no more open files";
    case ENOMEM:
      return "free memory, or raise the limit with 'ulimit -v'";
    case EIO:
      return "check the disk; 'dmesg' has what the system says of it";
    case ENOSPC:
      return "free space on this file system";
    case EROFS:
      return "choose a directory on a writable file system";
    default:
      return "";
  }
}

}  // namespace

Error SystemError(std::string what, int number, std::string path) {
  what += ": ";
  what += std::strerror(number);
  return {std::move(what), std::move(path), std::string(HintOf(number))};
}

}  // namespace stepscope
