#include "address.h"
#include "rxe.h"
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { ROCE_PORT = 4791, LAST_LOOPBACK = 254, MTU_HEADROOM = 80 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char claimed[INET6_ADDRSTRLEN];
static int probe = -1;

static uint16_t udp_port(void) {
    const char *text = getenv("RXE_UDP_PORT");
    return text ? (uint16_t)strtoul(text, NULL, 10) : ROCE_PORT;
}

static int parse(const char *text, struct sockaddr_storage *address) {
    struct sockaddr_in *v4 = (struct sockaddr_in *)address;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)address;
    memset(address, 0, sizeof *address);
    if (inet_pton(AF_INET, text, &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        return 0;
    }
    if (inet_pton(AF_INET6, text, &v6->sin6_addr) == 1) {
        v6->sin6_family = AF_INET6;
        return 0;
    }
    return EINVAL;
}

static socklen_t size_of(const struct sockaddr_storage *address) {
    return address->ss_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
}

static void print(const struct sockaddr *address, char *text) {
    const void *bytes = address->sa_family == AF_INET ? (const void *)&((const struct sockaddr_in *)address)->sin_addr
        : (const void *)&((const struct sockaddr_in6 *)address)->sin6_addr;
    inet_ntop(address->sa_family, bytes, text, INET6_ADDRSTRLEN);
}

/* The first IPv4 address of an interface, else its first IPv6 address. */
static int of_interface(const char *name, char *text) {
    struct ifaddrs *all = NULL;
    int found = 0;
    if (getifaddrs(&all) != 0) {
        return errno;
    }
    for (struct ifaddrs *one = all; one && found != AF_INET; one = one->ifa_next) {
        int family = one->ifa_addr ? one->ifa_addr->sa_family : 0;
        if (strcmp(one->ifa_name, name) == 0 && (family == AF_INET || (family == AF_INET6 && !found))) {
            print(one->ifa_addr, text);
            found = family;
        }
    }
    freeifaddrs(all);
    return found ? 0 : ENODEV;
}

/* Whether an address can be bound. On success the socket stays open, so that no other process takes the address. */
static int try_address(const char *text) {
    struct sockaddr_storage address;
    int status = parse(text, &address);
    if (status) {
        return status;
    }
    ((struct sockaddr_in *)&address)->sin_port = htons(udp_port());
    int fd = socket(address.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, size_of(&address)) != 0) {
        status = errno;
        if (fd >= 0) {
            close(fd);
        }
        return status;
    }
    probe = fd;
    snprintf(claimed, sizeof claimed, "%s", text);
    return 0;
}

/* What RXE_DEV names, or the first address of loopback. */
static int wanted(char *text) {
    const char *device = getenv("RXE_DEV");
    struct sockaddr_storage address;
    if (!device || !*device) {
        strcpy(text, "127.0.0.1");
        return 0;
    }
    if (parse(device, &address) == 0) {
        snprintf(text, INET6_ADDRSTRLEN, "%s", device);
        return 0;
    }
    int status = of_interface(device, text);
    if (status) {
        rxe_say("RXE_DEV=%s is neither an address nor an interface with an address", device);
    }
    return status;
}

static int try_loopback(void) {
    char text[INET6_ADDRSTRLEN];
    int status = EADDRINUSE;
    for (int last = 1; last <= LAST_LOOPBACK && status == EADDRINUSE; last++) {
        snprintf(text, sizeof text, "127.0.0.%d", last);
        status = try_address(text);
    }
    if (status) {
        rxe_say("no address of 127.0.0.1 to 127.0.0.%d has UDP port %d free: %s", LAST_LOOPBACK, udp_port(), strerror(status));
    } else if (strcmp(text, "127.0.0.1") != 0) {
        rxe_say("this program is %s: 127.0.0.1 has another NIC (RXE_DEV chooses)", text);
    }
    return status;
}

int rxe_claim_address(void) {
    char text[INET6_ADDRSTRLEN];
    const char *device = getenv("RXE_DEV");
    int status = 0;
    pthread_mutex_lock(&lock);
    if (!*claimed && device && *device) {
        status = wanted(text);
        if (!status && (status = try_address(text))) {
            rxe_say("cannot use %s: %s%s", text, strerror(status), status == EADDRINUSE
                ? ": another process has a NIC there; choose another address with RXE_DEV or --dev" : "");
        }
    } else if (!*claimed) {
        status = try_loopback();
    }
    pthread_mutex_unlock(&lock);
    return status;
}

static bool is_particular(const struct sockaddr *address) {
    if (!address || (address->sa_family != AF_INET && address->sa_family != AF_INET6)) {
        return false;
    }
    return address->sa_family == AF_INET ? ((const struct sockaddr_in *)address)->sin_addr.s_addr != INADDR_ANY
        : !IN6_IS_ADDR_UNSPECIFIED(&((const struct sockaddr_in6 *)address)->sin6_addr);
}

static bool is_loopback(const struct sockaddr *address) {
    return address->sa_family == AF_INET ? ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET
        : IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)address)->sin6_addr);
}

bool rxe_is_any_address(const struct sockaddr *address) {
    struct sockaddr_storage own;
    return !is_particular(address)
        || (is_loopback(address) && *claimed && parse(claimed, &own) == 0 && !is_loopback((const struct sockaddr *)&own));
}

int rxe_claim_bound_address(const struct sockaddr *bound) {
    const char *device = getenv("RXE_DEV");
    char text[INET6_ADDRSTRLEN];
    if ((device && *device) || !is_particular(bound)) {
        return rxe_claim_address();
    }
    print(bound, text);
    pthread_mutex_lock(&lock);
    int status = *claimed ? 0 : try_address(text);
    pthread_mutex_unlock(&lock);
    if (status) {
        rxe_say("cannot use %s, which the program binds to: %s%s", text, strerror(status), status == EADDRINUSE
            ? ": another process has a NIC there; bind to another address" : "");
    }
    return status;
}

const char *rxe_claimed_address(void) {
    pthread_mutex_lock(&lock);
    if (probe >= 0) {
        close(probe);
        probe = -1;
    }
    pthread_mutex_unlock(&lock);
    return claimed;
}

int rxe_gid(union ibv_gid *gid) {
    char text[INET6_ADDRSTRLEN];
    struct sockaddr_storage address;
    int status = 0;
    if (*claimed) {
        strcpy(text, claimed);
    } else {
        status = wanted(text);
    }
    if (status || (status = parse(text, &address))) {
        return status;
    }
    memset(gid, 0, sizeof *gid);
    if (address.ss_family == AF_INET) {
        gid->raw[10] = gid->raw[11] = 0xff;
        memcpy(gid->raw + 12, &((struct sockaddr_in *)&address)->sin_addr, 4);
    } else {
        memcpy(gid->raw, &((struct sockaddr_in6 *)&address)->sin6_addr, 16);
    }
    return 0;
}

static bool is_ipv4(const union ibv_gid *gid) {
    return gid->words[0] == 0 && be64toh(gid->words[1]) >> 32 == 0xffff;
}

uint64_t rxe_guid(const union ibv_gid *gid) {
    uint64_t high = be64toh(gid->words[0]), low = be64toh(gid->words[1]);
    uint64_t bits = is_ipv4(gid) ? 0x0052584500000000 | (low & 0xffffffff) : (high * 31) ^ low;
    return htobe64((bits & ~UINT64_C(0x0300000000000000)) | 0x0200000000000000);
}

static bool has_address(const struct ifaddrs *one, const union ibv_gid *gid) {
    if (!one->ifa_addr) {
        return false;
    }
    if (is_ipv4(gid)) {
        bool loopback = gid->raw[12] == 127 && one->ifa_flags & IFF_LOOPBACK;
        return one->ifa_addr->sa_family == AF_INET
            && (loopback || memcmp(&((struct sockaddr_in *)one->ifa_addr)->sin_addr, gid->raw + 12, 4) == 0);
    }
    return one->ifa_addr->sa_family == AF_INET6 && memcmp(&((struct sockaddr_in6 *)one->ifa_addr)->sin6_addr, gid->raw, 16) == 0;
}

int rxe_port_mtu(const union ibv_gid *gid, unsigned *interface_index) {
    struct ifreq request = {0};
    struct ifaddrs *all = NULL;
    int code = 1;
    *interface_index = 0;
    if (getifaddrs(&all) != 0) {
        return code;
    }
    for (struct ifaddrs *one = all; one && !*interface_index; one = one->ifa_next) {
        if (has_address(one, gid)) {
            snprintf(request.ifr_name, sizeof request.ifr_name, "%s", one->ifa_name);
            *interface_index = if_nametoindex(one->ifa_name);
        }
    }
    freeifaddrs(all);
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && ioctl(fd, SIOCGIFMTU, &request) == 0) {
        while (code < 5 && (256 << code) + MTU_HEADROOM <= request.ifr_mtu) {
            code++;
        }
    }
    if (fd >= 0) {
        close(fd);
    }
    return code;
}
