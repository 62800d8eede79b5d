#include "rsockets.h"
#include "rxe.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * The descriptors of the JVM and of the NIC's sockets. A program that becomes a daemon closes every descriptor there may be; the JVM cannot
 * load a class afterwards, and ends the process. So to the program these cannot be open: it gets EBADF. Who calls is told by the return
 * address. Another program that this process becomes gets none of them.
 */

/* Headers before Linux 5.9 and glibc 2.33 have no name for it. */
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/* NEEDED: a start with one NIC takes 30 of them, and one more for each peer that sends much. */
enum { MOST = 4096, WORD = 64, NEEDED = 40, FURTHER_NIC = 10 };

static uint64_t own[MOST / WORD];
/* Whose they are. */
static pid_t owner;
/* Which were open before the JVM started. */
static bool were_open[MOST];
/* Where the libraries of the JVM are. */
static char jvm_folder[PATH_MAX];

static bool is_own(int fd) {
    return fd >= 0 && fd < MOST && __atomic_load_n(&own[fd / WORD], __ATOMIC_ACQUIRE) >> fd % WORD & 1;
}

static void set_own(int fd, bool is) {
    if (fd >= 0 && fd < MOST && is) {
        __atomic_or_fetch(&own[fd / WORD], UINT64_C(1) << fd % WORD, __ATOMIC_ACQ_REL);
    } else if (fd >= 0 && fd < MOST) {
        __atomic_and_fetch(&own[fd / WORD], ~(UINT64_C(1) << fd % WORD), __ATOMIC_ACQ_REL);
    }
}

bool rxe_is_of_jvm(const void *code) {
    Dl_info info;
    return *jvm_folder && dladdr(code, &info) && info.dli_fname
        && (strncmp(info.dli_fname, jvm_folder, strlen(jvm_folder)) == 0 || strstr(info.dli_fname, "/libnetty_"));
}

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

/* Whether it is of a kind that the JVM keeps: a program may open descriptors while the JVM starts. */
static bool is_kept_by_jvm(int fd) {
    static const char *const FILES[] = {"/lib/modules", ".jar", ".jsa", ".counters", "/operstate", "/dev/random", "/dev/urandom"};
    char path[32], target[PATH_MAX];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(path, target, sizeof target - 1);
    target[length > 0 ? length : 0] = 0;
    bool kept = strncmp(target, "anon_inode:", strlen("anon_inode:")) == 0 && fcntl(fd, F_GETFD) == FD_CLOEXEC;
    for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) {
        kept |= ends_with(target, FILES[i]);
    }
    return kept;
}

/* What a program prints to a standard file that it has closed must not go to a file or a socket of the JVM. */
static void fill_standard_files(void) {
    long fd;
    do {
        fd = syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0) {
        close((int)fd);
    }
}

int rxe_watch_descriptors(const char *libjvm, unsigned nics) {
    struct rlimit most = {MOST, MOST};
    int open = 0, needed = NEEDED + FURTHER_NIC * ((int)nics - 1);
    /* From lib/server/libjvm.so to lib. */
    snprintf(jvm_folder, sizeof jvm_folder, "%s", libjvm);
    for (int i = 0; i < 2 && strrchr(jvm_folder, '/'); i++) {
        *strrchr(jvm_folder, '/') = 0;
    }
    fill_standard_files();
    for (int fd = 0; fd < MOST; fd++) {
        were_open[fd] = fcntl(fd, F_GETFD) >= 0;
        open += were_open[fd];
    }
    getrlimit(RLIMIT_NOFILE, &most);
    if (most.rlim_cur >= (rlim_t)(open + needed)) {
        return 0;
    }
    rxe_say("the process has %d of %lu file descriptors open, and the JVM and the NIC need %d more: raise the limit (ulimit -n %d)", open,
        (unsigned long)most.rlim_cur, needed, open + needed);
    return EMFILE;
}

void rxe_keep_descriptors(void) {
    owner = getpid();
    for (int fd = 0; fd < MOST; fd++) {
        if (!were_open[fd] && fcntl(fd, F_GETFD) >= 0 && is_kept_by_jvm(fd)) {
            fcntl(fd, F_SETFD, FD_CLOEXEC);
            set_own(fd, true);
        }
    }
}

void rxe_descriptors_in_child(void) {
    memset(own, 0, sizeof own);
}

PUBLIC int socket(int domain, int type, int protocol) {
    if (!rxe_is_of_jvm(__builtin_return_address(0))) {
        return rxe_socket_of_program(domain, type, protocol);
    }
    /* Not through what may stand between this library and the C library: librspreload makes streams over RDMA of sockets. */
    int fd = (int)syscall(SYS_socket, domain, type | SOCK_CLOEXEC, protocol);
    set_own(fd, true);
    return fd;
}

PUBLIC int close(int fd) {
    NEXT(close);
    if (is_own(fd)) {
        if (!rxe_is_of_jvm(__builtin_return_address(0))) {
            errno = EBADF;
            return -1;
        }
        set_own(fd, false);
    }
    return next(fd);
}

/* Whether the program must not have this number. The child of a vfork, which shares this memory, may: its descriptors are its own. */
static bool is_taken(int fd, const void *caller) {
    return is_own(fd) && !rxe_is_of_jvm(caller) && getpid() == owner;
}

PUBLIC int dup2(int fd, int target) {
    NEXT(dup2);
    if (is_taken(target, __builtin_return_address(0))) {
        errno = EBADF;
        return -1;
    }
    return next(fd, target);
}

PUBLIC int dup3(int fd, int target, int flags) {
    NEXT(dup3);
    if (is_taken(target, __builtin_return_address(0))) {
        errno = EBADF;
        return -1;
    }
    return next(fd, target, flags);
}

/* All but our own; those have no flags to be set either. */
PUBLIC int close_range(unsigned first, unsigned last, int flags) {
    int status = first > last ? (int)syscall(SYS_close_range, first, last, flags) : 0;
    while (status == 0 && first <= last) {
        unsigned end = first;
        while (end < last && end < MOST && !is_own((int)end)) {
            end++;
        }
        if (end >= MOST) {
            return (int)syscall(SYS_close_range, first, last, flags);
        }
        if (end > first || !is_own((int)end)) {
            status = (int)syscall(SYS_close_range, first, is_own((int)end) ? end - 1 : end, flags);
        }
        first = end + 1;
    }
    return status;
}

PUBLIC void closefrom(int lowest) {
    unsigned first = lowest < 0 ? 0 : (unsigned)lowest;
    if (close_range(first, UINT_MAX, 0) != 0) {
        /* A kernel before 5.9. */
        for (long fd = first; fd < sysconf(_SC_OPEN_MAX); fd++) {
            close((int)fd);
        }
    }
}
