#include "results.h"
#include "rxe.h"

/*
 * Protection domains, and what refines them. A parent domain is another view of its protection domain; Java counts the objects of each. A
 * thread domain promises that one thread uses the objects; the queues here need no such promise.
 */

struct rxe_td {
    struct ibv_td base;
    unsigned users;
};

/* The context that made it, whether it is a parent domain, and its thread domain; null for none. */
struct rxe_pd {
    struct ibv_pd base;
    const struct ibv_context *maker;
    bool is_parent;
    struct rxe_td *thread_domain;
};

PUBLIC struct ibv_pd *ibv_alloc_pd(struct ibv_context *context) {
    struct rxe_pd *pd = calloc(1, sizeof *pd);
    int handle = pd ? up(UP_ALLOC_PD, nic_of(context)) : -ENOMEM;
    if ((pd = object_or_error(pd, handle))) {
        *pd = (struct rxe_pd){.base = {.context = context, .handle = (uint32_t)handle}, .maker = context};
    }
    return (struct ibv_pd *)pd;
}

PUBLIC int ibv_dealloc_pd(struct ibv_pd *base) {
    struct rxe_pd *pd = (struct rxe_pd *)base;
    if (base->context != pd->maker) {
        return result(ENOENT); /* A kernel looks the handle up among those of the context. */
    }
    int status = up(UP_DEALLOC_PD, (int)base->handle);
    if (status) {
        return result(status);
    }
    if (pd->thread_domain) {
        __atomic_sub_fetch(&pd->thread_domain->users, 1, __ATOMIC_ACQ_REL);
    }
    base->handle = (uint32_t)DESTROYED;
    rxe_bury(pd);
    return 0;
}

bool rxe_is_parent_domain(const struct ibv_pd *pd) {
    return pd && ((const struct rxe_pd *)pd)->is_parent;
}

/* The program's allocators are for what a driver keeps in the program's memory. We keep queues in Java's, so that they cannot be obeyed. */
struct ibv_pd *rxe_alloc_parent_domain(struct ibv_context *context, struct ibv_parent_domain_init_attr *attr) {
    if (attr->comp_mask & ~(uint32_t)PARENT_DOMAIN_PD_CONTEXT) {
        unsupported();
        return NULL;
    }
    struct rxe_pd *pd = calloc(1, sizeof *pd);
    struct rxe_pd *origin = (struct rxe_pd *)attr->pd;
    int status = !pd ? ENOMEM : !origin || origin->is_parent ? EINVAL
        : rxe_refusal(context_of(context)->nic, "alloc_parent_domain");
    if (status) {
        return object_or_error(pd, -status);
    }
    int handle = up(UP_ALLOC_PARENT_PD, (int)origin->base.handle);
    if (!(pd = object_or_error(pd, handle))) {
        return NULL;
    }
    *pd = (struct rxe_pd){.base = {.context = context, .handle = (uint32_t)handle}, .maker = context, .is_parent = true,
        .thread_domain = (struct rxe_td *)attr->td};
    if (pd->thread_domain) {
        __atomic_add_fetch(&pd->thread_domain->users, 1, __ATOMIC_ACQ_REL);
    }
    return &pd->base;
}

struct ibv_td *rxe_alloc_td(struct ibv_context *context, const uint32_t *comp_mask) {
    struct rxe_td *td = calloc(1, sizeof *td);
    int status = !td ? ENOMEM : *comp_mask ? EINVAL : rxe_refusal(context_of(context)->nic, "alloc_td");
    if (status) {
        return object_or_error(td, -status);
    }
    td->base.context = context;
    return &td->base;
}

int rxe_dealloc_td(struct ibv_td *base) {
    struct rxe_td *td = (struct rxe_td *)base;
    int status = __atomic_load_n(&td->users, __ATOMIC_ACQUIRE) ? EBUSY : rxe_refusal(context_of(base->context)->nic, "dealloc_td");
    if (status) {
        return result(status);
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
