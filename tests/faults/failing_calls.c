/* Counts the calls of a process that change a disk, and lets one of them fail or be the last: preloaded by tests/faults/sweep.py.
 *
 * fail_at(0, ...) only counts. Otherwise the n-th call kills the process (half of a write is done then), or fails with `error`:
 * that one alone, or it and all behind it until the next fail_at. Only regular files count, no pipes and no sockets.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long seen;
static atomic_long target; /* 0: only count */
static atomic_int failure; /* 0: kill */
static atomic_int is_lasting, is_armed;

void fail_at(long number, int error, int lasting) {
    is_armed = 0;
    seen = 0;
    target = number;
    failure = error;
    is_lasting = lasting;
    is_armed = 1;
}

long calls_seen(void) { return seen; }

void disarm(void) { is_armed = 0; }

int is_failing(void) { return is_armed && target && seen >= target; }

static int is_hit(void) {
    if (!is_armed) return 0;
    long number = ++seen, wanted = target;
    return wanted && (number == wanted || (is_lasting && number > wanted));
}

static int is_file(int fd) {
    struct stat found;
    return fstat(fd, &found) == 0 && S_ISREG(found.st_mode);
}

static void die(void) { kill(getpid(), SIGKILL); for (;;) pause(); }

#define REAL(name) static __typeof__(name) *real; if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)
#define FAIL(result) do { if (!failure) die(); errno = failure; return result; } while (0)

ssize_t write(int fd, const void *data, size_t size) {
    REAL(write);
    if (is_armed && is_file(fd) && is_hit()) {
        if (!failure) { real(fd, data, size / 2); die(); }
        FAIL(-1);
    }
    return real(fd, data, size);
}

#define PWRITE(name, offset_type) \
    ssize_t name(int fd, const void *data, size_t size, offset_type at) { \
        REAL(name); \
        if (is_armed && is_file(fd) && is_hit()) { \
            if (!failure) { real(fd, data, size / 2, at); die(); } \
            FAIL(-1); \
        } \
        return real(fd, data, size, at); \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

ssize_t writev(int fd, const struct iovec *parts, int count) {
    REAL(writev);
    if (is_armed && is_file(fd) && is_hit()) FAIL(-1);
    return real(fd, parts, count);
}

#define ON_FD(name, parameters, ...) \
    int name parameters { REAL(name); if (is_armed && is_file(fd) && is_hit()) FAIL(-1); return real(__VA_ARGS__); }
#define ON_PATH(name, parameters, ...) \
    int name parameters { REAL(name); if (is_armed && is_hit()) FAIL(-1); return real(__VA_ARGS__); }

ON_FD(fdatasync, (int fd), fd)
ON_FD(ftruncate, (int fd, off_t size), fd, size)
ON_FD(ftruncate64, (int fd, off64_t size), fd, size)
ON_FD(fallocate, (int fd, int mode, off_t at, off_t size), fd, mode, at, size)
ON_PATH(fsync, (int fd), fd) /* of a folder, too */
ON_PATH(rename, (const char *from, const char *to), from, to)
ON_PATH(renameat, (int at, const char *from, int to_at, const char *to), at, from, to_at, to)
ON_PATH(link, (const char *from, const char *to), from, to)
ON_PATH(linkat, (int at, const char *from, int to_at, const char *to, int flags), at, from, to_at, to, flags)

/* What frees room works on a full disk. */
#define FREES(name, parameters, ...) \
    int name parameters { REAL(name); if (is_armed && is_hit() && failure != ENOSPC) FAIL(-1); return real(__VA_ARGS__); }
FREES(unlink, (const char *path), path)
FREES(unlinkat, (int at, const char *path, int flags), at, path, flags)
ON_PATH(mkdir, (const char *path, mode_t mode), path, mode)
