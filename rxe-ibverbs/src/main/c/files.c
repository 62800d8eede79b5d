#include "address.h"
#include "pkeys.h"
#include "rxe.h"
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Some programs (UCX) do not ask libibverbs for everything: they check that the device file is writable, and read the types and network
 * interfaces of GIDs, or P_Keys, in sysfs. Those files are answered here. Every other path goes to the C library, through its *at
 * functions, which this library does not replace.
 */

#define DEVICE_FILES "/dev/infiniband/uverbs"
#define DEVICE_FOLDERS "/sys/class/infiniband/rxe"
#define PKEY_FILES "/ports/1/pkeys/"

enum { NOT_OURS, DEVICE, GID_TYPE, GID_INTERFACE, PKEY };

/* A file of a NIC, and what it is; of a P_Key its index, too. */
struct file {
    unsigned nic;
    int kind, index;
};

/* What follows the number of a NIC in a path that begins so; null for another path. */
static const char *behind_number(const char *path, const char *begin, unsigned *nic) {
    size_t length = strlen(begin);
    bool begins = strncmp(path, begin, length) == 0 && path[length] >= '0' && (unsigned)(path[length] - '0') < rxe_nic_count();
    *nic = begins ? (unsigned)(path[length] - '0') : 0;
    return begins ? path + length + 1 : NULL;
}

/* The index that ends the path of a P_Key in the table; -1 for another path. */
static int pkey_index(const char *rest) {
    struct rxe_pkeys pkeys;
    char *end;
    size_t length = strlen(PKEY_FILES);
    if (!rest || strncmp(rest, PKEY_FILES, length) != 0 || rest[length] < '0' || rest[length] > '9') {
        return -1;
    }
    unsigned long index = strtoul(rest + length, &end, 10);
    bool is_plain = !*end && (rest[length] != '0' || end == rest + length + 1);
    return is_plain && rxe_read_pkeys(&pkeys) == 0 && index < (unsigned long)pkeys.count ? (int)index : -1;
}

static struct file file_of(const char *path) {
    static const struct {
        const char *rest;
        int kind;
    } files[] = {{"/ports/1/gid_attrs/types/0", GID_TYPE}, {"/ports/1/gid_attrs/types/1", GID_TYPE},
        {"/ports/1/gid_attrs/ndevs/0", GID_INTERFACE}, {"/ports/1/gid_attrs/ndevs/1", GID_INTERFACE}};
    struct file file = {0};
    const char *rest = path ? behind_number(path, DEVICE_FILES, &file.nic) : NULL;
    if (rest) {
        file.kind = *rest ? NOT_OURS : DEVICE;
        return file;
    }
    rest = path ? behind_number(path, DEVICE_FOLDERS, &file.nic) : NULL;
    for (size_t i = 0; rest && i < sizeof files / sizeof *files; i++) {
        if (strcmp(rest, files[i].rest) == 0) {
            file.kind = files[i].kind;
        }
    }
    int index = pkey_index(rest);
    if (index >= 0) {
        file.kind = PKEY;
        file.index = index;
    }
    return file;
}

/* Writes the content of a file in sysfs. Returns 0 or an errno. */
static int content_of(struct file file, char *text, size_t size) {
    union ibv_gid gid;
    char name[IF_NAMESIZE];
    if (file.kind == GID_TYPE) {
        snprintf(text, size, "RoCE v2\n");
        return 0;
    }
    if (file.kind == PKEY) {
        struct rxe_pkeys pkeys;
        rxe_read_pkeys(&pkeys);
        snprintf(text, size, "0x%04x\n", be16toh(pkeys.keys[file.index]));
        return 0;
    }
    int status = rxe_gid(file.nic, &gid);
    if (status) {
        return status;
    }
    if (!if_indextoname(rxe_find_port(&gid).interface_index, name)) {
        return errno;
    }
    snprintf(text, size, "%s\n", name);
    return 0;
}

/* A descriptor to read the file from, or -1 with errno. The device file cannot be opened: there is no driver for commands. */
static int open_ours(struct file ours, int flags) {
    char text[64];
    int status = ours.kind == DEVICE ? ENXIO : (flags & O_ACCMODE) != O_RDONLY ? EACCES : content_of(ours, text, sizeof text);
    int file = status ? -1 : (int)syscall(SYS_memfd_create, "rxe0", flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
    if (file >= 0 && pwrite(file, text, strlen(text), 0) < 0) {
        status = errno;
        close(file);
        file = -1;
    }
    errno = status ? status : errno;
    return file;
}

static void describe(int kind, struct stat *result) {
    memset(result, 0, sizeof *result);
    result->st_nlink = 1;
    result->st_mode = kind == DEVICE ? S_IFCHR | 0666 : S_IFREG | 0444;
    result->st_size = kind == DEVICE ? 0 : (off_t)sysconf(_SC_PAGESIZE);
}

/* Some compilers do not count an alias as a use. */
#define ALIASED __attribute__((used))

/* x86-64 and AArch64 pass a variable argument, such as the mode, in the same way as a named one. The kernel ignores it without O_CREAT. */
ALIASED static int open_file(const char *path, int flags, mode_t mode) {
    struct file file = file_of(path);
    return file.kind == NOT_OURS ? openat(AT_FDCWD, path, flags, mode) : open_ours(file, flags);
}

ALIASED static int access_file(const char *path, int mode) {
    int kind = file_of(path).kind;
    if (kind == NOT_OURS) {
        return faccessat(AT_FDCWD, path, mode, 0);
    }
    bool denied = mode & X_OK || (kind != DEVICE && mode & W_OK);
    errno = denied ? EACCES : errno;
    return denied ? -1 : 0;
}

static int stat_with(const char *path, struct stat *result, int flags) {
    int kind = file_of(path).kind;
    if (kind == NOT_OURS) {
        /* glibc has fstatat since 2.33 only. On 64-bit machines the structure is the kernel's. */
        return (int)syscall(SYS_newfstatat, AT_FDCWD, path, result, flags);
    }
    describe(kind, result);
    return 0;
}

ALIASED static int stat_file(const char *path, struct stat *result) {
    return stat_with(path, result, 0);
}

ALIASED static int lstat_file(const char *path, struct stat *result) {
    return stat_with(path, result, AT_SYMLINK_NOFOLLOW);
}

/* Programs built with glibc before 2.33 call these. x86-64 and AArch64 have one version of the structure. */
ALIASED static int versioned_stat_file(int version, const char *path, struct stat *result) {
    (void)version;
    return stat_with(path, result, 0);
}

ALIASED static int versioned_lstat_file(int version, const char *path, struct stat *result) {
    (void)version;
    return stat_with(path, result, AT_SYMLINK_NOFOLLOW);
}

/* Not in musl, whose programs do not call the function below. */
__attribute__((weak)) int __openat_2(int folder, const char *path, int flags);

/* Programs built with _FORTIFY_SOURCE call this. glibc checks there that no flag needs a mode. */
ALIASED static int open_fortified(const char *path, int flags) {
    struct file file = file_of(path);
    return file.kind == NOT_OURS ? __openat_2(AT_FDCWD, path, flags) : open_ours(file, flags);
}

/*
 * The names of the C library. They are not defined in C, because its headers declare them as never called with a null path, and some define
 * them inline. For large files, 64-bit machines have the same functions.
 */
#define REPLACES(name, function) __asm__(name) __attribute__((alias(function), visibility("default")))
_Static_assert(sizeof(off_t) == 8, "32-bit machines have other structures for large files");
int rxe_open(const char *path, int flags, mode_t mode) REPLACES("open", "open_file");
int rxe_open64(const char *path, int flags, mode_t mode) REPLACES("open64", "open_file");
int rxe_access(const char *path, int mode) REPLACES("access", "access_file");
int rxe_stat(const char *path, struct stat *result) REPLACES("stat", "stat_file");
int rxe_stat64(const char *path, struct stat *result) REPLACES("stat64", "stat_file");
int rxe_lstat(const char *path, struct stat *result) REPLACES("lstat", "lstat_file");
int rxe_lstat64(const char *path, struct stat *result) REPLACES("lstat64", "lstat_file");
int rxe_xstat(int version, const char *path, struct stat *result) REPLACES("__xstat", "versioned_stat_file");
int rxe_xstat64(int version, const char *path, struct stat *result) REPLACES("__xstat64", "versioned_stat_file");
int rxe_lxstat(int version, const char *path, struct stat *result) REPLACES("__lxstat", "versioned_lstat_file");
int rxe_lxstat64(int version, const char *path, struct stat *result) REPLACES("__lxstat64", "versioned_lstat_file");
int rxe_open_2(const char *path, int flags) REPLACES("__open_2", "open_fortified");
int rxe_open64_2(const char *path, int flags) REPLACES("__open64_2", "open_fortified");
