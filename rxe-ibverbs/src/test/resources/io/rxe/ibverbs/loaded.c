/* A program that is not linked with libibverbs or librdmacm, and loads them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <string.h>

#include "check.h"

int main(void) {
    int count = 0;
    void *verbs = dlopen("libibverbs.so.1", RTLD_NOW), *cm = dlopen("librdmacm.so.1", RTLD_LAZY);
    CHECK(verbs && cm);
    struct ibv_device **(*list)(int *) = (struct ibv_device **(*)(int *))dlvsym(verbs, "ibv_get_device_list", "IBVERBS_1.1");
    const char *(*name)(struct ibv_device *) = (const char *(*)(struct ibv_device *))dlsym(verbs, "ibv_get_device_name");
    const char *(*status)(enum ibv_wc_status) = (const char *(*)(enum ibv_wc_status))dlvsym(verbs, "ibv_wc_status_str", "IBVERBS_1.1");
    struct rdma_event_channel *(*channel)(void) = (struct rdma_event_channel *(*)(void))dlsym(cm, "rdma_create_event_channel");
    CHECK(list && name && status && channel);
    struct ibv_device **devices = list(&count);
    CHECK(devices && count == 1 && strcmp(name(devices[0]), "rxe0") == 0 && status(IBV_WC_SUCCESS));
    CHECK(channel() && dlclose(verbs) == 0 && dlclose(cm) == 0);
    CHECK(!dlopen("libnosuch-rxe.so", RTLD_NOW) && strstr(dlerror(), "libnosuch-rxe.so"));
    puts("all right");
    return 0;
}
