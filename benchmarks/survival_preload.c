/* Makes the n-th call that writes below a folder fail, counted over all processes of a tree, and
 * lets the clock of the day jump.
 *
 * CLOCK_JUMPS   the largest jump in seconds, forwards or backwards; each quarter of a second, in
 *               all processes alike, the clock is off by another amount
 * FAULT_FOLDER  only files below it count
 * FAULT_STATE   a file of two 64-bit numbers that all processes share: calls so far, faults so far
 * FAULT_AT      the number of the call that fails; 0 only counts
 * FAULT_LAST    the number of the last call that fails (a disk that stays full for a while)
 * FAULT_KIND    ENOSPC, EIO or short (a write of a part; for other calls, EIO)
 * FAULT_READS   reads and opening for them count, too
 * FAULT_LOG     gets a line per fault: the call and its path
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static const char *folder, *kind, *log_path;
static long first, last, largest_jump;
static int64_t *state;
static int reads;

__attribute__((constructor)) static void set_up(void) {
    const char *path = getenv("FAULT_STATE");
    if (getenv("CLOCK_JUMPS")) largest_jump = atol(getenv("CLOCK_JUMPS"));
    folder = getenv("FAULT_FOLDER");
    kind = getenv("FAULT_KIND");
    log_path = getenv("FAULT_LOG");
    reads = getenv("FAULT_READS") != NULL;
    if (!path || !folder || !kind) return;
    first = atol(getenv("FAULT_AT") ? getenv("FAULT_AT") : "0");
    last = getenv("FAULT_LAST") ? atol(getenv("FAULT_LAST")) : first;
    int handle = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
    if (handle < 0) return;
    void *map = mmap(NULL, 16, PROT_READ | PROT_WRITE, MAP_SHARED, handle, 0);
    syscall(SYS_close, handle);
    if (map != MAP_FAILED) state = map;
}

static int below(const char *path) {
    size_t length = strlen(folder);
    return path && !strncmp(path, folder, length) && (path[length] == '/' || !path[length]);
}

static int path_of(int handle, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return below(path);
}

static int full_path(int at, const char *name, char *path) {
    if (!name) return 0;
    if (name[0] == '/') {
        snprintf(path, PATH_MAX, "%s", name);
        return below(path);
    }
    if (at == AT_FDCWD) {
        if (syscall(SYS_getcwd, path, PATH_MAX) < 0) return 0;
    } else {
        char link[64];
        snprintf(link, sizeof link, "/proc/self/fd/%d", at);
        ssize_t length = readlink(link, path, PATH_MAX - 1);
        if (length < 0) return 0;
        path[length] = 0;
    }
    size_t used = strlen(path);
    snprintf(path + used, PATH_MAX - used, "/%s", name);
    return below(path);
}

/* Whether this call is one that fails; sets errno. */
static int fails(const char *call, const char *path) {
    int64_t number = __atomic_add_fetch(&state[0], 1, __ATOMIC_SEQ_CST);
    if (!first || number < first || number > last) return 0;
    __atomic_add_fetch(&state[1], 1, __ATOMIC_SEQ_CST);
    if (log_path) {
        char line[PATH_MAX + 64];
        int length = snprintf(line, sizeof line, "%ld %s %s\n", (long)number, call, path);
        int handle = (int)syscall(SYS_openat, AT_FDCWD, log_path, O_WRONLY | O_APPEND | O_CREAT, 0644);
        if (handle >= 0) {
            syscall(SYS_write, handle, line, length);
            syscall(SYS_close, handle);
        }
    }
    errno = strcmp(kind, "ENOSPC") ? EIO : ENOSPC;
    return 1;
}

#define REAL(name) static __typeof__(&name) real; if (!real) real = dlsym(RTLD_NEXT, #name)
#define ASKS(handle, call) (state && path_of(handle, path) && fails(call, path))

ssize_t write(int handle, const void *data, size_t size) {
    REAL(write);
    char path[PATH_MAX];
    int before = errno;
    if (ASKS(handle, "write")) {
        if (strcmp(kind, "short") || size < 2) return -1;
        errno = before;
        return real(handle, data, size / 2);
    }
    errno = before;
    return real(handle, data, size);
}

ssize_t pwrite64(int handle, const void *data, size_t size, off64_t offset) {
    REAL(pwrite64);
    char path[PATH_MAX];
    if (ASKS(handle, "pwrite")) return -1;
    return real(handle, data, size, offset);
}

ssize_t writev(int handle, const struct iovec *parts, int count) {
    REAL(writev);
    char path[PATH_MAX];
    if (ASKS(handle, "writev")) return -1;
    return real(handle, parts, count);
}

ssize_t sendfile64(int out, int in, off64_t *offset, size_t size) {
    static ssize_t (*real)(int, int, off64_t *, size_t);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "sendfile64");
    char path[PATH_MAX];
    if (ASKS(out, "sendfile")) return -1;
    return real(out, in, offset, size);
}

int fsync(int handle) {
    REAL(fsync);
    char path[PATH_MAX];
    if (ASKS(handle, "fsync")) return -1;
    return real(handle);
}

ssize_t read(int handle, void *data, size_t size) {
    REAL(read);
    char path[PATH_MAX];
    int before = errno;
    if (reads && ASKS(handle, "read")) return -1;
    errno = before;
    return real(handle, data, size);
}

#define WRITES(flags) (reads || ((flags) & (O_WRONLY | O_RDWR | O_CREAT)))

int openat64(int at, const char *name, int flags, ...) {
    REAL(openat64);
    char path[PATH_MAX];
    mode_t mode = 0;
    if (flags & (O_CREAT | O_TMPFILE)) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
    }
    if (state && WRITES(flags) && full_path(at, name, path) && fails("open", path)) return -1;
    return real(at, name, flags, mode);
}

int open64(const char *name, int flags, ...) {
    REAL(open64);
    char path[PATH_MAX];
    mode_t mode = 0;
    if (flags & (O_CREAT | O_TMPFILE)) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
    }
    if (state && WRITES(flags) && full_path(AT_FDCWD, name, path) && fails("open", path)) return -1;
    return real(name, flags, mode);
}

int open(const char *name, int flags, ...) {
    REAL(open);
    char path[PATH_MAX];
    mode_t mode = 0;
    if (flags & (O_CREAT | O_TMPFILE)) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
    }
    if (state && WRITES(flags) && full_path(AT_FDCWD, name, path) && fails("open", path)) return -1;
    return real(name, flags, mode);
}

FILE *fopen64(const char *name, const char *mode) {
    REAL(fopen64);
    char path[PATH_MAX];
    if (state && !strchr("r", mode[0]) && full_path(AT_FDCWD, name, path) && fails("fopen", path)) return NULL;
    return real(name, mode);
}

FILE *fopen(const char *name, const char *mode) {
    REAL(fopen);
    char path[PATH_MAX];
    if (state && !strchr("r", mode[0]) && full_path(AT_FDCWD, name, path) && fails("fopen", path)) return NULL;
    return real(name, mode);
}

int rename(const char *from, const char *to) {
    REAL(rename);
    char path[PATH_MAX];
    if (state && full_path(AT_FDCWD, to, path) && fails("rename", path)) return -1;
    return real(from, to);
}

int renameat(int at, const char *from, int other, const char *to) {
    REAL(renameat);
    char path[PATH_MAX];
    if (state && full_path(other, to, path) && fails("rename", path)) return -1;
    return real(at, from, other, to);
}

int mkdir(const char *name, mode_t mode) {
    REAL(mkdir);
    char path[PATH_MAX];
    if (state && full_path(AT_FDCWD, name, path) && fails("mkdir", path)) return -1;
    return real(name, mode);
}

int mkdirat(int at, const char *name, mode_t mode) {
    REAL(mkdirat);
    char path[PATH_MAX];
    if (state && full_path(at, name, path) && fails("mkdir", path)) return -1;
    return real(at, name, mode);
}

int linkat(int at, const char *from, int other, const char *to, int flags) {
    REAL(linkat);
    char path[PATH_MAX];
    if (state && full_path(other, to, path) && fails("link", path)) return -1;
    return real(at, from, other, to, flags);
}

/* The seconds by which the clock of the day is off at a moment of the true one. */
static long off_by(const struct timespec *true_time) {
    uint64_t slice = (uint64_t)true_time->tv_sec * 4 + true_time->tv_nsec / 250000000;
    slice = (slice ^ (slice >> 30)) * 0xbf58476d1ce4e5b9u;
    slice = (slice ^ (slice >> 27)) * 0x94d049bb133111ebu;
    return (long)((slice ^ (slice >> 31)) % (2 * (uint64_t)largest_jump + 1)) - largest_jump;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int answer = (int)syscall(SYS_clock_gettime, clock, now);
    if (largest_jump && !answer && clock == CLOCK_REALTIME) now->tv_sec += off_by(now);
    return answer;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec found;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &found);
    now->tv_sec = found.tv_sec;
    now->tv_usec = found.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *now) {
    struct timespec found;
    clock_gettime(CLOCK_REALTIME, &found);
    if (now) *now = found.tv_sec;
    return found.tv_sec;
}
