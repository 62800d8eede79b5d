/* How verbs report failures. */
#ifndef RXE_RESULTS_H
#define RXE_RESULTS_H

#include <errno.h>
#include <stdlib.h>

/* The result of a verb that returns a pointer: the object, or null with errno, and the object is freed. */
static inline void *object_or_error(void *object, int handle) {
    if (handle < 0) {
        free(object);
        errno = -handle;
        return NULL;
    }
    return object;
}

/* The result of a verb that returns -1 with errno, or the errno itself: programs test for zero, some look at errno. Takes either sign. */
static inline int result(int status) {
    int error = status < 0 ? -status : status;
    if (error) {
        errno = error;
    }
    return error;
}

static inline int unsupported(void) {
    return result(EOPNOTSUPP);
}

#endif
