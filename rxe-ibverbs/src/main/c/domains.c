#include "results.h"
#include "rxe.h"

/*
 * Protection domains, and what refines them. A parent domain is another view of its protection domain: same objects, same handle. A thread
 * domain promises that one thread uses the objects; the queues here need no such promise.
 */

struct rxe_td {
    struct ibv_td base;
    unsigned users;
};

/* `origin` and `thread_domain` are those of a parent domain, else null. `parents` counts the parent domains made of this one. */
struct rxe_pd {
    struct ibv_pd base;
    struct rxe_pd *origin;
    struct rxe_td *thread_domain;
    unsigned parents;
};

PUBLIC struct ibv_pd *ibv_alloc_pd(struct ibv_context *context) {
    struct rxe_pd *pd = calloc(1, sizeof *pd);
    int handle = pd ? up(UP_ALLOC_PD) : -ENOMEM;
    if ((pd = object_or_error(pd, handle))) {
        pd->base = (struct ibv_pd){.context = context, .handle = (uint32_t)handle};
    }
    return (struct ibv_pd *)pd;
}

static void leave(struct rxe_pd *pd) {
    __atomic_sub_fetch(&pd->origin->parents, 1, __ATOMIC_ACQ_REL);
    if (pd->thread_domain) {
        __atomic_sub_fetch(&pd->thread_domain->users, 1, __ATOMIC_ACQ_REL);
    }
}

PUBLIC int ibv_dealloc_pd(struct ibv_pd *base) {
    struct rxe_pd *pd = (struct rxe_pd *)base;
    if (__atomic_load_n(&pd->parents, __ATOMIC_ACQUIRE)) {
        return result(EBUSY);
    }
    int status = pd->origin ? 0 : up(UP_DEALLOC_PD, (int)base->handle);
    if (status) {
        return result(status);
    }
    if (pd->origin) {
        leave(pd);
    }
    free(pd);
    return 0;
}

/* The program's allocators are for what a driver keeps in the program's memory. We keep queues in Java's, so that they cannot be obeyed. */
struct ibv_pd *rxe_alloc_parent_domain(struct ibv_context *context, struct ibv_parent_domain_init_attr *attr) {
    if (attr->comp_mask & ~(uint32_t)PARENT_DOMAIN_PD_CONTEXT) {
        unsupported();
        return NULL;
    }
    struct rxe_pd *pd = calloc(1, sizeof *pd);
    struct rxe_pd *origin = (struct rxe_pd *)attr->pd;
    if (!pd || !origin || origin->origin) {
        return object_or_error(pd, pd ? -EINVAL : -ENOMEM);
    }
    *pd = (struct rxe_pd){.base = {.context = context, .handle = origin->base.handle}, .origin = origin,
        .thread_domain = (struct rxe_td *)attr->td};
    __atomic_add_fetch(&origin->parents, 1, __ATOMIC_ACQ_REL);
    if (pd->thread_domain) {
        __atomic_add_fetch(&pd->thread_domain->users, 1, __ATOMIC_ACQ_REL);
    }
    return &pd->base;
}

struct ibv_td *rxe_alloc_td(struct ibv_context *context, const uint32_t *comp_mask) {
    struct rxe_td *td = calloc(1, sizeof *td);
    if (!td || *comp_mask) {
        return object_or_error(td, td ? -EINVAL : -ENOMEM);
    }
    td->base.context = context;
    return &td->base;
}

int rxe_dealloc_td(struct ibv_td *base) {
    struct rxe_td *td = (struct rxe_td *)base;
    if (__atomic_load_n(&td->users, __ATOMIC_ACQUIRE)) {
        return result(EBUSY);
    }
    free(td);
    return 0;
}

PUBLIC struct ibv_pd *ibv_import_pd(struct ibv_context *context, uint32_t handle) {
    (void)context, (void)handle;
    unsupported();
    return NULL;
}

PUBLIC void ibv_unimport_pd(struct ibv_pd *pd) {
    (void)pd;
}
