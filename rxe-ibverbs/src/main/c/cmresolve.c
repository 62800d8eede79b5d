#include "cm.h"
#include <netdb.h>
#include <string.h>

/* Functions of librdmacm that came after rdma-core 44: addresses that an event announces, and events that the program raises itself. */

static int raise_event(struct rxe_cm_id *id, int type, int status, uint64_t argument) {
    char param[sizeof ((struct rdma_cm_event *)0)->param] = {0};
    memcpy(param, &argument, sizeof argument);
    rxe_cm_raise(id, NULL, type, status, param);
    return 0;
}

/* Event-driven programs wait for an event of their own with those of connections. */
PUBLIC int rdma_write_cm_event(struct rdma_cm_id *id, int event, int status, uint64_t argument) {
    REQUIRE_LIVE(id);
    int refusal = event == CM_USER ? rxe_refusal(0, "rdma_write_cm_event") : EINVAL;
    return rxe_cm_result(refusal ? refusal : raise_event((struct rxe_cm_id *)id, event, status, argument));
}

static int errno_of(int getaddrinfo_status) {
    return getaddrinfo_status == -1 || getaddrinfo_status == EAI_SYSTEM ? errno
        : getaddrinfo_status == EAI_MEMORY ? ENOMEM
        : getaddrinfo_status == EAI_AGAIN ? EAGAIN : EADDRNOTAVAIL;
}

/* One at a time: the answer waits for rdma_query_addrinfo. */
static int begin_resolving(struct rxe_cm_id *id) {
    HOLD(&id->lock);
    bool was_resolving = id->is_resolving;
    id->is_resolving = true;
    return was_resolving ? EBUSY : 0;
}

static void end_resolving(struct rxe_cm_id *id, bool is_resolving, struct rdma_addrinfo *resolved) {
    HOLD(&id->lock);
    id->is_resolving = is_resolving;
    id->resolved = resolved;
}

/* Looks up at once, as librdmacm does. */
PUBLIC int rdma_resolve_addrinfo(struct rdma_cm_id *base, const char *node, const char *service, const struct rdma_addrinfo *hints) {
    REQUIRE_LIVE(base);
    struct rxe_cm_id *id = (struct rxe_cm_id *)base;
    int status = rxe_refusal(0, "rdma_resolve_addrinfo");
    status = status ? status : begin_resolving(id);
    if (status) {
        return rxe_cm_result(status);
    }
    struct rdma_addrinfo *info = NULL;
    status = rdma_getaddrinfo(node, service, hints, &info);
    if (status) {
        status = errno_of(status);
        end_resolving(id, false, NULL);
        return rxe_cm_result(status);
    }
    end_resolving(id, true, info);
    raise_event(id, CM_ADDRINFO_RESOLVED, 0, 0);
    return rxe_cm_complete(id);
}

PUBLIC int rdma_query_addrinfo(struct rdma_cm_id *base, struct rdma_addrinfo **info) {
    REQUIRE_LIVE(base);
    struct rxe_cm_id *id = (struct rxe_cm_id *)base;
    int status = info ? rxe_refusal(0, "rdma_query_addrinfo") : EINVAL;
    if (status) {
        return rxe_cm_result(status);
    }
    pthread_mutex_lock(&id->lock);
    struct rdma_addrinfo *resolved = id->resolved;
    if (resolved) {
        id->resolved = NULL;
        id->is_resolving = false;
    }
    pthread_mutex_unlock(&id->lock);
    if (resolved) {
        *info = resolved;
    }
    return rxe_cm_result(resolved ? 0 : ENOENT);
}
