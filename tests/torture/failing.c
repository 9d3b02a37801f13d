/* The calls by which a process changes a folder, made to fail: LD_PRELOAD this, then call failing() by ctypes.

   The n-th such call from then on fails with an error; a write with error 0 takes only half of what it is given, any
   other call then fails with EIO. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static char folder[4096];
static long wanted, count;
static int error;
static const char *failed = "";

void failing(const char *path, long n, int number) {
    snprintf(folder, sizeof folder, "%s/", path);
    failed = "";
    error = number;
    __atomic_store_n(&count, 0, __ATOMIC_SEQ_CST);
    __atomic_store_n(&wanted, n, __ATOMIC_SEQ_CST);
}

/* Which call it was; "" if there were not so many. */
const char *failing_call(void) { wanted = 0; return failed; }

static int named(const char *path) {
    size_t length = strlen(folder);
    return wanted && path && (!strncmp(path, folder, length) || (!strncmp(path, folder, length - 1) && !path[length - 1]));
}

static int opened(int file) {
    char link[64], path[4096];
    if (!wanted) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return named(path);
}

static int fails(int ours, const char *call) {
    if (!ours || __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST) != wanted) return 0;
    failed = call;
    errno = error ? error : EIO;
    return 1;
}

#define REAL(result, name, parameters) \
    static result (*real) parameters; \
    if (!real) real = (result(*) parameters)dlsym(RTLD_NEXT, name)

ssize_t write(int file, const void *data, size_t size) {
    REAL(ssize_t, "write", (int, const void *, size_t));
    if (!fails(opened(file), "write")) return real(file, data, size);
    return error ? -1 : real(file, data, (size + 1) / 2);
}

#define CALL(name, ours, parameters, arguments) \
    int name parameters { \
        REAL(int, #name, parameters); \
        return fails(ours, #name) ? -1 : real arguments; \
    }

CALL(fsync, opened(file), (int file), (file))
CALL(fdatasync, opened(file), (int file), (file))
CALL(fchmod, opened(file), (int file, mode_t mode), (file, mode))
CALL(fchown, opened(file), (int file, uid_t user, gid_t group), (file, user, group))
CALL(chmod, named(path), (const char *path, mode_t mode), (path, mode))
CALL(chown, named(path), (const char *path, uid_t user, gid_t group), (path, user, group))
CALL(link, named(to), (const char *from, const char *to), (from, to))
CALL(linkat, named(to), (int a, const char *from, int b, const char *to, int flags), (a, from, b, to, flags))
CALL(rename, named(to), (const char *from, const char *to), (from, to))
CALL(renameat, named(to), (int a, const char *from, int b, const char *to), (a, from, b, to))

/* A close that fails has closed the file, as on Linux. */
int close(int file) {
    REAL(int, "close", (int));
    int ours = opened(file), result = real(file);
    return fails(ours, "close") ? -1 : result;
}

static mode_t mode_of(int flags, va_list list) {
    return flags & (O_CREAT | O_TMPFILE) ? (mode_t)va_arg(list, int) : 0;
}

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        REAL(int, #name, (const char *, int, ...)); \
        va_list list; \
        va_start(list, flags); \
        mode_t mode = mode_of(flags, list); \
        va_end(list); \
        return fails(named(path), "open") ? -1 : real(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)
