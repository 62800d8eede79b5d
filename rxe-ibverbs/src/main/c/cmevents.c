#include "cm.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Event channels of librdmacm. Java raises the events, already in their order; here they wait for the program. */

int rdma_ack_cm_event(struct rdma_cm_event *event);
int rdma_get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **event);
int rdma_destroy_id(struct rdma_cm_id *id);

/* Guards in which channel an id is. */
pthread_mutex_t rxe_cm_routing_lock = PTHREAD_MUTEX_INITIALIZER;

static struct rxe_cm_channel *channel_of(struct rxe_cm_id *id) {
    return (struct rxe_cm_channel *)id->base.channel;
}

/* ---- channels ---- */

static struct rxe_cm_channel *new_channel(void) {
    struct rxe_cm_channel *channel = calloc(1, sizeof *channel);
    int status = channel ? event_queue_open(&channel->events) : ENOMEM;
    if (!status && !rxe_live_add(channel)) {
        event_queue_close(&channel->events);
        status = ENOMEM;
    }
    if (status) {
        free(channel);
        errno = status;
        return NULL;
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

PUBLIC struct rdma_event_channel *rdma_create_event_channel(void) {
    return (struct rdma_event_channel *)new_channel();
}

/* Its ids should be destroyed before; those that are not keep it, and the program cannot name it any more. */
PUBLIC void rdma_destroy_event_channel(struct rdma_event_channel *channel) {
    pthread_mutex_lock(&rxe_cm_routing_lock);
    release(rxe_live_remove(channel) ? (struct rxe_cm_channel *)channel : NULL);
    pthread_mutex_unlock(&rxe_cm_routing_lock);
}

int rxe_cm_join_channel(struct rxe_cm_id *id, struct rxe_cm_channel *given) {
    struct rxe_cm_channel *channel = given ? given : new_channel();
    struct event event;
    if (!channel) {
        return errno;
    }
    pthread_mutex_lock(&rxe_cm_routing_lock);
    struct rxe_cm_channel *former = channel_of(id);
    channel->users += given != NULL;
    while (former && event_queue_take(&former->events, id, &event)) {
        event_queue_push(&channel->events, event);
    }
    id->base.channel = &channel->base;
    id->synchronous = !given;
    release(former);
    pthread_mutex_unlock(&rxe_cm_routing_lock);
    return 0;
}

void rxe_cm_leave_channel(struct rxe_cm_id *id) {
    struct event event;
    pthread_mutex_lock(&rxe_cm_routing_lock);
    struct rxe_cm_channel *channel = channel_of(id);
    bool more = channel && event_queue_take(&channel->events, id, &event);
    while (more) {
        struct rxe_cm_event *body = event.body;
        struct rdma_cm_id *request = body->base.event == CM_CONNECT_REQUEST ? body->base.id : NULL;
        rxe_live_remove(body);
        free(body);
        pthread_mutex_unlock(&rxe_cm_routing_lock);
        if (request) {
            rdma_destroy_id(request);
        }
        pthread_mutex_lock(&rxe_cm_routing_lock);
        more = event_queue_take(&channel->events, id, &event);
    }
    id->base.channel = NULL;
    release(channel);
    pthread_mutex_unlock(&rxe_cm_routing_lock);
}

/* Waits first, as the events the program holds refer to the id. */
PUBLIC int rdma_migrate_id(struct rdma_cm_id *base, struct rdma_event_channel *channel) {
    REQUIRE_LIVE(base);
    struct rxe_cm_id *id = (struct rxe_cm_id *)base;
    if (channel) {
        REQUIRE_LIVE(channel);
    }
    if (id->synchronous && base->event) {
        rdma_ack_cm_event(base->event);
        base->event = NULL;
    }
    rxe_cm_await_acknowledged(id);
    return rxe_cm_result(rxe_cm_join_channel(id, (struct rxe_cm_channel *)channel));
}

/* ---- what Java calls: io.rxe.ibverbs.CmDowncalls ---- */

/* The id of a request that arrived for a listener; null without memory. */
static struct rxe_cm_id *request_id(struct rxe_cm_id *listener, int handle) {
    struct rxe_cm_id *id = rxe_cm_new_id(listener->base.context, listener->base.ps, listener->base.qp_type);
    if (id) {
        id->handle = handle;
        pthread_mutex_lock(&rxe_cm_routing_lock);
        struct rxe_cm_channel *channel = listener->synchronous ? NULL : channel_of(listener);
        pthread_mutex_unlock(&rxe_cm_routing_lock);
        if (rxe_cm_bind_device(id) != 0 || rxe_cm_join_channel(id, channel) != 0) {
            rxe_cm_free_id(id);
            id = NULL;
        }
    }
    return id;
}

static jlong JNICALL down_request(JNIEnv *env, jclass class, jlong listener, jint handle) {
    (void)env, (void)class;
    return ADDRESS(request_id((struct rxe_cm_id *)(intptr_t)listener, handle));
}

/* param: the union of rdma_cm_event, then the private data. */
static void JNICALL down_event(JNIEnv *env, jclass class, jlong id_address, jlong listener_address, jint type, jint status, jlong param) {
    (void)env, (void)class;
    struct rxe_cm_id *id = (struct rxe_cm_id *)(intptr_t)id_address, *listener = (struct rxe_cm_id *)(intptr_t)listener_address;
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
    memcpy(&event->base.param, (void *)(intptr_t)param, sizeof event->base.param);
    if (event->base.param.conn.private_data_len) {
        memcpy(event->private_data, (char *)(intptr_t)param + sizeof event->base.param, event->base.param.conn.private_data_len);
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

bool rxe_cm_register_downcalls(JNIEnv *env) {
    JNINativeMethod natives[] = {
        {"request", "(JI)J", (void *)down_request},
        {"event", "(JJIIJ)V", (void *)down_event},
    };
    jclass type = (*env)->FindClass(env, "io/rxe/ibverbs/CmDowncalls");
    return type && (*env)->RegisterNatives(env, type, natives, sizeof natives / sizeof *natives) == 0;
}

/* ---- the program's side ---- */

/* On the side that connects the queue pair went to RTS with the event; it exists, as the connection does. */
static void follow(struct rdma_cm_event *event) {
    if (event->event == CM_ESTABLISHED && event->id->qp && event->id->qp->qp_type != QPT_UD) {
        event->id->qp->state = QPS_RTS;
    }
}

PUBLIC int rdma_get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **event) {
    struct event next;
    REQUIRE_LIVE(channel);
    if (event_queue_pop(&((struct rxe_cm_channel *)channel)->events, &next) != 0) {
        return -1;
    }
    *event = next.body;
    follow(*event);
    return 0;
}

PUBLIC int rdma_ack_cm_event(struct rdma_cm_event *base) {
    struct rxe_cm_event *event = (struct rxe_cm_event *)base;
    /* Removing it is the check: of two threads that acknowledge one event, one fails. */
    if (!rxe_live_remove(event)) {
        return rxe_cm_result(EINVAL);
    }
    struct rxe_cm_id *id = event->counted;
    free(event);
    pthread_mutex_lock(&id->lock);
    id->completed++;
    pthread_cond_signal(&id->acknowledged);
    pthread_mutex_unlock(&id->lock);
    return 0;
}

void rxe_cm_await_acknowledged(struct rxe_cm_id *id) {
    pthread_mutex_lock(&id->lock);
    while (id->completed != id->reported) {
        pthread_cond_wait(&id->acknowledged, &id->lock);
    }
    pthread_mutex_unlock(&id->lock);
}

int rxe_cm_complete(struct rxe_cm_id *id) {
    struct rdma_cm_id *base = &id->base;
    if (!id->synchronous) {
        return 0;
    }
    if (base->event) {
        rdma_ack_cm_event(base->event);
        base->event = NULL;
    }
    if (rdma_get_cm_event(base->channel, &base->event) != 0) {
        return -1;
    }
    int status = base->event->status;
    return rxe_cm_result(base->event->event == CM_REJECTED ? ECONNREFUSED : status);
}

PUBLIC const char *rdma_event_str(int type) {
    static const char *const NAMES[] = {
        "RDMA_CM_EVENT_ADDR_RESOLVED", "RDMA_CM_EVENT_ADDR_ERROR", "RDMA_CM_EVENT_ROUTE_RESOLVED", "RDMA_CM_EVENT_ROUTE_ERROR",
        "RDMA_CM_EVENT_CONNECT_REQUEST", "RDMA_CM_EVENT_CONNECT_RESPONSE", "RDMA_CM_EVENT_CONNECT_ERROR", "RDMA_CM_EVENT_UNREACHABLE",
        "RDMA_CM_EVENT_REJECTED", "RDMA_CM_EVENT_ESTABLISHED", "RDMA_CM_EVENT_DISCONNECTED", "RDMA_CM_EVENT_DEVICE_REMOVAL",
        "RDMA_CM_EVENT_MULTICAST_JOIN", "RDMA_CM_EVENT_MULTICAST_ERROR", "RDMA_CM_EVENT_ADDR_CHANGE", "RDMA_CM_EVENT_TIMEWAIT_EXIT"};
    return type >= 0 && type <= CM_TIMEWAIT_EXIT ? NAMES[type] : "UNKNOWN EVENT";
}
