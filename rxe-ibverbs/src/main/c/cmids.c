#include "address.h"
#include "cm.h"
#include "pkeys.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The ids and event channels of librdmacm as objects: how they are made, which id is in which channel, and how an event gets there. */

pthread_mutex_t rxe_cm_device_lock = PTHREAD_MUTEX_INITIALIZER;
struct rxe_cm_device rxe_cm_devices[MOST_NICS];
/* Guards in which channel an id is. */
pthread_mutex_t rxe_cm_routing_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- ids ---- */

struct rxe_cm_id *rxe_cm_new_id(void *context, int port_space, int qp_type) {
    struct rxe_cm_id *id = calloc(1, sizeof *id);
    if (id && !rxe_live_add(id)) {
        free(id);
        id = NULL;
    }
    if (id) {
        id->base.context = context;
        id->base.ps = port_space;
        id->base.qp_type = qp_type;
        pthread_mutex_init(&id->lock, NULL);
        pthread_cond_init(&id->acknowledged, NULL);
    }
    return id;
}

void rxe_cm_free_id(struct rxe_cm_id *id) {
    rxe_live_remove(id);
    pthread_mutex_destroy(&id->lock);
    pthread_cond_destroy(&id->acknowledged);
    free(id->request_attr);
    free(id->base.route.path_rec);
    free(id);
}

int rxe_cm_bind_device(struct rxe_cm_id *id) {
    union ibv_gid gid;
    struct rxe_pkeys pkeys;
    if (id->base.verbs) {
        return 0;
    }
    unsigned nic = rxe_nic_of_handle(id->handle);
    HOLD(&rxe_cm_device_lock);
    id->base.verbs = rxe_cm_devices[nic].context;
    id->base.pd = rxe_cm_devices[nic].pd;
    id->base.port_num = 1;
    int status = rxe_read_pkeys(&pkeys);
    status = status ? status : rxe_gid(nic, &gid);
    /* Connections use the first, as with rdma_cm they use that of the network interface. */
    id->base.route.addr.pkey = pkeys.keys[0];
    id->base.route.addr.sgid = gid;
    return status;
}

/* ---- channels ---- */

static struct rxe_cm_channel *channel_of(struct rxe_cm_id *id) {
    return (struct rxe_cm_channel *)id->base.channel;
}

struct rxe_cm_channel *rxe_cm_new_channel(void) {
    struct rxe_cm_channel *channel = calloc(1, sizeof *channel);
    int status = channel ? event_queue_open(&channel->events) : ENOMEM;
    if (!status && !rxe_live_add(channel)) {
        event_queue_close(&channel->events);
        status = ENOMEM;
    }
    if (status) {
        return object_or_error(channel, -status);
    }
    channel->base.fd = channel->events.fd;
    channel->users = 1;
    return channel;
}

static void release(struct rxe_cm_channel *channel) {
    if (channel && --channel->users == 0) {
        rxe_live_remove(channel);
        event_queue_close(&channel->events);
        free(channel);
    }
}

void rxe_cm_release_channel(struct rxe_cm_channel *channel) {
    HOLD(&rxe_cm_routing_lock);
    release(channel);
}

/*
 * Gives a channel that the program did not ask for a number above those the program has. select of librspreload, up to rdma-core 62, looks
 * for the program's number of a stream from 0 up, and must not meet that of the stream's channel before, which is the older one where the
 * peer connected. Where the limit is too low the number stays.
 */
static void number_apart(struct rxe_cm_channel *channel) {
    enum { APART = 512 };
    int fd = fcntl(channel->events.fd, F_DUPFD_CLOEXEC, APART);
    if (fd >= 0) {
        close(channel->events.fd);
        channel->events.fd = channel->base.fd = fd;
    }
}

int rxe_cm_join_channel(struct rxe_cm_id *id, struct rxe_cm_channel *given) {
    struct rxe_cm_channel *channel = given ? given : rxe_cm_new_channel();
    struct event event;
    if (!channel) {
        return errno;
    }
    if (!given) {
        number_apart(channel);
    }
    HOLD(&rxe_cm_routing_lock);
    struct rxe_cm_channel *former = channel_of(id);
    id->synchronous = !given;
    if (former == channel) {
        return 0;
    }
    channel->users += given != NULL;
    while (former && event_queue_take(&former->events, id, &event)) {
        event_queue_push(&channel->events, event);
    }
    id->base.channel = &channel->base;
    release(former);
    return 0;
}

/* The channel of an id, for a user more; null where the id has one of its own. */
static struct rxe_cm_channel *share_channel_of(struct rxe_cm_id *id) {
    HOLD(&rxe_cm_routing_lock);
    struct rxe_cm_channel *channel = id->synchronous ? NULL : channel_of(id);
    if (channel) {
        channel->users++;
    }
    return channel;
}

int rxe_cm_follow_listener(struct rxe_cm_id *request, struct rxe_cm_id *listener) {
    struct rxe_cm_channel *channel = share_channel_of(listener);
    int status = channel || !request->synchronous ? rxe_cm_join_channel(request, channel) : 0;
    rxe_cm_release_channel(channel);
    return status;
}

/* A request that the program never saw is in an event that is dropped. */
struct rdma_cm_id *rxe_cm_leave_channel(struct rxe_cm_id *id) {
    struct event event;
    struct rdma_cm_id *request = NULL;
    HOLD(&rxe_cm_routing_lock);
    struct rxe_cm_channel *channel = channel_of(id);
    while (!request && channel && event_queue_take(&channel->events, id, &event)) {
        struct rxe_cm_event *body = event.body;
        request = body->base.event == CM_CONNECT_REQUEST ? body->base.id : NULL;
        rxe_live_remove(body);
        free(body);
    }
    if (!request) {
        id->base.channel = NULL;
        release(channel);
    }
    return request;
}

/* ---- what arrives ---- */

struct rxe_cm_id *rxe_cm_request_id(struct rxe_cm_id *listener, int handle) {
    struct rxe_cm_id *id = rxe_cm_new_id(listener->base.context, listener->base.ps, listener->base.qp_type);
    if (id) {
        id->handle = handle;
        if (rxe_cm_bind_device(id) != 0 || rxe_cm_follow_listener(id, listener) != 0) {
            rxe_cm_free_id(id);
            id = NULL;
        }
    }
    return id;
}

void rxe_cm_raise(struct rxe_cm_id *id, struct rxe_cm_id *listener, int type, int status, const char *param) {
    struct rxe_cm_event *event = calloc(1, sizeof *event);
    if (!event || !rxe_live_add(event)) {
        free(event);
        rxe_say("an event of connection management is lost: no memory");
        return;
    }
    event->base.id = &id->base;
    event->base.listen_id = listener ? &listener->base : NULL;
    event->base.event = type;
    event->base.status = status;
    memcpy(&event->base.param, param, sizeof event->base.param);
    if (event->base.param.conn.private_data_len) {
        memcpy(event->private_data, param + sizeof event->base.param, event->base.param.conn.private_data_len);
        event->base.param.conn.private_data = event->private_data;
    }
    event->counted = listener ? listener : id;
    pthread_mutex_lock(&rxe_cm_routing_lock);
    struct rxe_cm_channel *channel = channel_of(event->counted);
    if (channel) {
        event_queue_push(&channel->events,
            (struct event){.element = event->counted, .type = type, .reported = &event->counted->reported, .body = event});
    }
    pthread_mutex_unlock(&rxe_cm_routing_lock);
    if (!channel) {
        rxe_live_remove(event);
        free(event);
    }
}
