// Makes one call of a process fail: preloaded into it, it counts the calls of one kind that are
// made between the begin and the end of main(), and lets the n-th fail as the system would.
//
//   FAULT_KIND   alloc, open, read, write, sync, rename, remove or socket
//   FAULT_AT     which call fails, from 1; 0: none
//   FAULT_STAYS  1: all calls after it fail, too, as on a full disk
//   FAULT_COUNT  a file that gets the number of calls when main() returns, or _Exit() is called
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

// What glibc's own malloc is called: dlsym() allocates.
extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
}

namespace {

enum class Kind { kNone, kAlloc, kOpen, kRead, kWrite, kSync, kRename, kRemove, kSocket };

Kind kind = Kind::kNone;
long fail_at = 0;
bool stays = false;
std::atomic<bool> armed = false;
std::atomic<long> calls = 0;
int (*real_main)(int, char**, char**) = nullptr;

Kind KindNamed(const char* name) {
  constexpr const char* kNames[] = {"none", "alloc",  "open",   "read",  "write",
                                    "sync", "rename", "remove", "socket"};
  for (int k = 1; name != nullptr && k < 9; ++k) {
    if (std::strcmp(name, kNames[k]) == 0) return static_cast<Kind>(k);
  }
  return Kind::kNone;
}

// Whether this call is to fail; then errno says why.
bool Fails(Kind of, int error) {
  if (of != kind || !armed.load(std::memory_order_relaxed)) return false;
  const long call = ++calls;
  if (fail_at == 0 || (stays ? call < fail_at : call != fail_at)) return false;
  errno = error;
  return true;
}

// Whether the descriptor is of a file: writes to eventfds and pipes, by which threads wake each
// other, do not fail.
bool IsFile(int fd) {
  struct stat state{};
  return fstat(fd, &state) == 0 && S_ISREG(state.st_mode);
}

template <class Function>
Function Next(Function, const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

void WriteCount() {
  armed = false;
  const char* path = std::getenv("FAULT_COUNT");
  if (path == nullptr) return;
  if (FILE* file = std::fopen(path, "w")) {
    std::fprintf(file, "%ld\n", calls.load());
    std::fclose(file);
  }
}

int CountedMain(int argc, char** argv, char** environment) {
  kind = KindNamed(std::getenv("FAULT_KIND"));
  fail_at = std::getenv("FAULT_AT") ? std::atol(std::getenv("FAULT_AT")) : 0;
  stays = std::getenv("FAULT_STAYS") != nullptr;
  armed = true;
  const int code = real_main(argc, argv, environment);
  WriteCount();
  return code;
}

}  // namespace

#define NEXT(name) static const auto next = Next(&::name, #name)

extern "C" {

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(),
                      void (*fini)(), void (*end)(), void* stack) {
  real_main = main;
  using Start =
      int (*)(int (*)(int, char**, char**), int, char**, void (*)(), void (*)(), void (*)(), void*);
  const auto start = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return start(&CountedMain, argc, argv, init, fini, end, stack);
}

void* malloc(size_t bytes) { return Fails(Kind::kAlloc, ENOMEM) ? nullptr : __libc_malloc(bytes); }
void* calloc(size_t count, size_t bytes) {
  return Fails(Kind::kAlloc, ENOMEM) ? nullptr : __libc_calloc(count, bytes);
}
void* realloc(void* old, size_t bytes) {
  return Fails(Kind::kAlloc, ENOMEM) ? nullptr : __libc_realloc(old, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) {
  return Fails(Kind::kAlloc, ENOMEM) ? nullptr : __libc_memalign(alignment, bytes);
}
void* mmap(void* at, size_t bytes, int protection, int flags, int file, off_t from) {
  if (Fails(Kind::kAlloc, ENOMEM)) return MAP_FAILED;
  NEXT(mmap);
  return next(at, bytes, protection, flags, file, from);
}
int posix_memalign(void** out, size_t alignment, size_t bytes) {
  if (Fails(Kind::kAlloc, ENOMEM)) return ENOMEM;
  *out = __libc_memalign(alignment, bytes);
  return *out == nullptr ? ENOMEM : 0;
}

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = va_arg(more, mode_t);
  va_end(more);
  if (Fails(Kind::kOpen, EMFILE)) return -1;
  NEXT(open);
  return next(path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = va_arg(more, mode_t);
  va_end(more);
  if (Fails(Kind::kOpen, EMFILE)) return -1;
  NEXT(open64);
  return next(path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = va_arg(more, mode_t);
  va_end(more);
  if (Fails(Kind::kOpen, EMFILE)) return -1;
  NEXT(openat);
  return next(folder, path, flags, mode);
}

DIR* opendir(const char* path) {
  if (Fails(Kind::kOpen, EMFILE)) return nullptr;
  NEXT(opendir);
  return next(path);
}

ssize_t read(int fd, void* into, size_t bytes) {
  if (IsFile(fd) && Fails(Kind::kRead, EIO)) return -1;
  NEXT(read);
  return next(fd, into, bytes);
}
ssize_t pread(int fd, void* into, size_t bytes, off_t at) {
  if (Fails(Kind::kRead, EIO)) return -1;
  NEXT(pread);
  return next(fd, into, bytes, at);
}
ssize_t pread64(int fd, void* into, size_t bytes, off64_t at) {
  if (Fails(Kind::kRead, EIO)) return -1;
  NEXT(pread64);
  return next(fd, into, bytes, at);
}
ssize_t write(int fd, const void* from, size_t bytes) {
  if (IsFile(fd) && Fails(Kind::kWrite, ENOSPC)) return -1;
  NEXT(write);
  return next(fd, from, bytes);
}
ssize_t pwrite(int fd, const void* from, size_t bytes, off_t at) {
  if (Fails(Kind::kWrite, ENOSPC)) return -1;
  NEXT(pwrite);
  return next(fd, from, bytes, at);
}
ssize_t pwrite64(int fd, const void* from, size_t bytes, off64_t at) {
  if (Fails(Kind::kWrite, ENOSPC)) return -1;
  NEXT(pwrite64);
  return next(fd, from, bytes, at);
}
int posix_fallocate(int fd, off_t from, off_t bytes) {
  if (Fails(Kind::kWrite, ENOSPC)) return ENOSPC;
  NEXT(posix_fallocate);
  return next(fd, from, bytes);
}
int ftruncate(int fd, off_t bytes) {
  if (Fails(Kind::kWrite, EIO)) return -1;
  NEXT(ftruncate);
  return next(fd, bytes);
}
ssize_t writev(int fd, const iovec* parts, int count) {
  if (IsFile(fd) && Fails(Kind::kWrite, ENOSPC)) return -1;
  NEXT(writev);
  return next(fd, parts, count);
}
int fsync(int fd) {
  if (Fails(Kind::kSync, EIO)) return -1;
  NEXT(fsync);
  return next(fd);
}
int fdatasync(int fd) {
  if (Fails(Kind::kSync, EIO)) return -1;
  NEXT(fdatasync);
  return next(fd);
}
int syncfs(int fd) {
  if (Fails(Kind::kSync, EIO)) return -1;
  NEXT(syncfs);
  return next(fd);
}
int rename(const char* from, const char* to) {
  if (Fails(Kind::kRename, EACCES)) return -1;
  NEXT(rename);
  return next(from, to);
}
int unlink(const char* path) {
  if (Fails(Kind::kRemove, EACCES)) return -1;
  NEXT(unlink);
  return next(path);
}
int unlinkat(int folder, const char* path, int flags) {
  if (Fails(Kind::kRemove, EACCES)) return -1;
  NEXT(unlinkat);
  return next(folder, path, flags);
}
int remove(const char* path) {
  if (Fails(Kind::kRemove, EACCES)) return -1;
  NEXT(remove);
  return next(path);
}
int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  if (Fails(Kind::kRename, EACCES)) return -1;
  NEXT(linkat);
  return next(from_folder, from, to_folder, to, flags);
}
int link(const char* from, const char* to) {
  if (Fails(Kind::kRename, EACCES)) return -1;
  NEXT(link);
  return next(from, to);
}
int mkdir(const char* path, mode_t mode) {
  if (Fails(Kind::kRename, EACCES)) return -1;
  NEXT(mkdir);
  return next(path, mode);
}
int socket(int domain, int type, int protocol) {
  if (Fails(Kind::kSocket, EMFILE)) return -1;
  NEXT(socket);
  return next(domain, type, protocol);
}
int bind(int fd, const sockaddr* address, socklen_t bytes) {
  if (Fails(Kind::kSocket, EADDRINUSE)) return -1;
  NEXT(bind);
  return next(fd, address, bytes);
}
int accept(int fd, sockaddr* address, socklen_t* bytes) {
  if (Fails(Kind::kSocket, EMFILE)) return -1;
  NEXT(accept);
  return next(fd, address, bytes);
}
int accept4(int fd, sockaddr* address, socklen_t* bytes, int flags) {
  if (Fails(Kind::kSocket, EMFILE)) return -1;
  NEXT(accept4);
  return next(fd, address, bytes, flags);
}
int listen(int fd, int backlog) {
  if (Fails(Kind::kSocket, EADDRINUSE)) return -1;
  NEXT(listen);
  return next(fd, backlog);
}
int epoll_create1(int flags) {
  if (Fails(Kind::kSocket, EMFILE)) return -1;
  NEXT(epoll_create1);
  return next(flags);
}
int eventfd(unsigned count, int flags) {
  if (Fails(Kind::kSocket, EMFILE)) return -1;
  NEXT(eventfd);
  return next(count, flags);
}
ssize_t recv(int fd, void* into, size_t bytes, int flags) {
  if (Fails(Kind::kSocket, ECONNRESET)) return -1;
  NEXT(recv);
  return next(fd, into, bytes, flags);
}
ssize_t send(int fd, const void* from, size_t bytes, int flags) {
  if (Fails(Kind::kSocket, EPIPE)) return -1;
  NEXT(send);
  return next(fd, from, bytes, flags);
}
ssize_t recvmsg(int fd, msghdr* message, int flags) {
  if (Fails(Kind::kSocket, ECONNRESET)) return -1;
  NEXT(recvmsg);
  return next(fd, message, flags);
}
ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  if (Fails(Kind::kSocket, EPIPE)) return -1;
  NEXT(sendmsg);
  return next(fd, message, flags);
}

void _Exit(int code) noexcept {
  WriteCount();
  _exit(code);
}

}  // extern "C"
