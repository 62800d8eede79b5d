/* Of a test: the port of the device follows its interface, which is lo of a network namespace of its own. Needs `ip`. */
#include <infiniband/verbs.h>

#include "check.h"

static void expect(struct ibv_context *context, enum ibv_event_type type, enum ibv_port_state state) {
    struct ibv_async_event event;
    struct ibv_port_attr port;
    CHECK(ibv_get_async_event(context, &event) == 0);
    CHECK(event.event_type == type && event.element.port_num == 1);
    ibv_ack_async_event(&event);
    CHECK(ibv_query_port(context, 1, &port) == 0);
    CHECK(port.state == state);
}

int main(void) {
    struct ibv_device **devices = ibv_get_device_list(NULL);
    CHECK(devices && devices[0]);
    struct ibv_context *context = ibv_open_device(devices[0]);
    CHECK(context);
    /* Without a resource there is no NIC that could look. */
    struct ibv_pd *pd = ibv_alloc_pd(context);
    CHECK(pd);
    CHECK(system("ip link set lo down") == 0);
    expect(context, IBV_EVENT_PORT_ERR, IBV_PORT_DOWN);
    CHECK(system("ip link set lo up") == 0);
    expect(context, IBV_EVENT_PORT_ACTIVE, IBV_PORT_ACTIVE);
    CHECK(ibv_dealloc_pd(pd) == 0);
    CHECK(ibv_close_device(context) == 0);
    ibv_free_device_list(devices);
    puts("all right");
    return 0;
}
