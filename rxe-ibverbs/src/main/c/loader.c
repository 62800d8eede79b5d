#include "rxe.h"
#include <dlfcn.h>
#include <string.h>

/*
 * Programs that load libibverbs or librdmacm themselves (NCCL) find this library in front of them, as those do that are linked with them.
 * The C library sees by its return address who calls, and looks in the folders of that object: what these functions call last, the
 * compiler makes a jump.
 */

static bool is_replaced(const char *path) {
    static const char *const NAMES[] = {"libibverbs.so", "librdmacm.so"};
    const char *slash = path ? strrchr(path, '/') : NULL;
    const char *name = slash ? slash + 1 : path;
    for (size_t i = 0; name && i < sizeof NAMES / sizeof *NAMES; i++) {
        size_t length = strlen(NAMES[i]);
        if (strncmp(name, NAMES[i], length) == 0 && (name[length] == 0 || name[length] == '.')) {
            return true;
        }
    }
    return false;
}

/* The symbols of the whole program: this library's first, then the other's, which has names of statuses that are not here. */
static void *open_behind(void *(*real)(const char *, int), const char *path, int flags) {
    if (!real(path, flags | RTLD_GLOBAL)) {
        /* Not installed, which no call needs to know. */
        dlerror();
    }
    return real(NULL, RTLD_NOW);
}

PUBLIC void *dlopen(const char *path, int flags) {
    NEXT(dlopen);
    return is_replaced(path) ? open_behind(next, path, flags) : next(path, flags);
}

/* musl has none. */
void *dlvsym(void *handle, const char *name, const char *version);

/* The names of this library have no versions. */
PUBLIC void *dlvsym(void *handle, const char *name, const char *version) {
    NEXT(dlvsym);
    bool is_ours = strncmp(version, "IBVERBS_", strlen("IBVERBS_")) == 0 || strncmp(version, "RDMACM_", strlen("RDMACM_")) == 0;
    return is_ours ? dlsym(RTLD_DEFAULT, name) : next(handle, name, version);
}
