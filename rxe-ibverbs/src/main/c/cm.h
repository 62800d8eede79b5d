/* What the files that define librdmacm's functions share. */
#ifndef RXE_CM_H
#define RXE_CM_H

#include "cma.h"
#include "live.h"
#include "results.h"
#include "rxe.h"

/* An event channel: the program's, or the own one of an id that works synchronously. Freed when the last id has left it. */
struct rxe_cm_channel {
    struct rdma_event_channel base;
    struct event_queue events;
    unsigned users;
};

/*
 * An rdma_cm_id. The Java half has it as a ConnectionId, whose handle this is; 0 before it is bound to a device. A listener at any address
 * has one on each NIC: `further` are those but the first, 0 for none.
 */
struct rxe_cm_id {
    struct rdma_cm_id base;
    /*
     * As in the ids of librdmacm, whose rsockets ask both directly: a device of its list, which these ids have none of, and whether the id
     * has no channel of the program.
     */
    void *listed_device;
    char between[24];
    int synchronous;
    int handle, further[MOST_NICS - 1];
    /* Options of rdma_set_option: an ACK timeout of 0 is that of connection management. */
    bool reuse_port, family_only;
    int ack_timeout, traffic_class;
    /* Whether the program has taken the event behind which none of the connection follows. */
    bool had_last_event;
    /* Events the program has taken, and those it has acknowledged. */
    pthread_mutex_t lock;
    pthread_cond_t acknowledged;
    uint32_t reported, completed;
    /* What rdma_create_ep was given for the queue pairs of requests; null without. */
    struct ibv_qp_init_attr *request_attr;
    struct ibv_pd *request_pd;
    /* Of rdma_resolve_addrinfo, until rdma_query_addrinfo takes it; the lock above guards both. */
    bool is_resolving;
    struct rdma_addrinfo *resolved;
};

/* An event on its way to the program, and until it is acknowledged. */
struct rxe_cm_event {
    struct rdma_cm_event base;
    struct rxe_cm_id *counted;
    uint8_t private_data[UINT8_MAX + 1];
};

/* The errno convention of librdmacm: 0, or -1 with errno. Takes 0, an errno, or a negative errno. */
static inline int rxe_cm_result(int status) {
    return result(status) ? -1 : 0;
}

/* Ends a function that was passed an object that was freed, or none. */
#define REQUIRE_LIVE(object) \
    do { \
        if (!rxe_is_live(object)) { \
            return rxe_cm_result(EINVAL); \
        } \
    } while (0)

/* ---- cmids.c ---- */

/* What all ids on a NIC share, once it is made: the context, the protection domain and the XRC domain. Guarded by rxe_cm_device_lock. */
struct rxe_cm_device {
    struct ibv_context *context;
    struct ibv_pd *pd;
    struct ibv_xrcd *xrcd;
};

extern struct rxe_cm_device rxe_cm_devices[MOST_NICS];

/* An id in no channel yet; null without memory. */
struct rxe_cm_id *rxe_cm_new_id(void *context, int port_space, int qp_type);
void rxe_cm_free_id(struct rxe_cm_id *id);
/* Gives an id that has a handle its device, which must be open and have its protection domain. An errno. */
int rxe_cm_bind_device(struct rxe_cm_id *id);
/* A channel for one user; null with errno. */
struct rxe_cm_channel *rxe_cm_new_channel(void);
/* Takes back one user of a channel, which may be null. */
void rxe_cm_release_channel(struct rxe_cm_channel *channel);
/* Moves an id to a channel, with its events; null for an own one. An errno. */
int rxe_cm_join_channel(struct rxe_cm_id *id, struct rxe_cm_channel *channel);
/* Moves a request to the channel of its listener, which may have left that in which the request arrived. An errno. */
int rxe_cm_follow_listener(struct rxe_cm_id *request, struct rxe_cm_id *listener);
/* Drops the events of an id and takes it out of its channel; or returns a request that was in one, to be destroyed before the next try. */
struct rdma_cm_id *rxe_cm_leave_channel(struct rxe_cm_id *id);
/* The id of a request that arrived for a listener; null without memory. */
struct rxe_cm_id *rxe_cm_request_id(struct rxe_cm_id *listener, int handle);
/* Adds an event to the channel of an id, or of the listener. param: the union of rdma_cm_event, then the private data. */
void rxe_cm_raise(struct rxe_cm_id *id, struct rxe_cm_id *listener, int type, int status, const char *param);

/* ---- cmevents.c ---- */

/* Waits until the program has acknowledged every event of an id that it took. */
void rxe_cm_await_acknowledged(struct rxe_cm_id *id);
/* Waits for the next event of a channel. 0, or -1 with errno. */
int rxe_cm_take_event(struct rdma_event_channel *channel, struct rdma_cm_event **event);
/* For a synchronous id: acknowledges the event of its last operation. */
void rxe_cm_end_event(struct rdma_cm_id *id);
/* For a synchronous id: waits for the event that ends an operation. The operation's result: 0, or -1 with errno. */
int rxe_cm_complete(struct rxe_cm_id *id);

#endif
