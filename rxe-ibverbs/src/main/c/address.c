#include "address.h"
#include "rxe.h"
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/un.h>
#include <unistd.h>

enum { ROCE_PORT = 4791, MTU_HEADROOM = 80, HOLDER_SIZE = 80, LONGEST_WORD = 64, PATIENCE = 50, PAUSE_US = 20000 };

pthread_mutex_t rxe_address_lock = PTHREAD_MUTEX_INITIALIZER;
/*
 * The address of each NIC. Until the JVM binds its UDP port, two sockets keep other processes from it: `probe` is bound to that port, and
 * is closed for the JVM; `claim` is an abstract one with the address in its name, and stays. Before a fork both are given back, so that
 * each process takes an address of its own with its first verb; after the NICs have started, `fixed`, they are not.
 */
static struct nic {
    char claimed[INET6_ADDRSTRLEN];
    int probe, claim;
} nics[MOST_NICS] = {[0 ... MOST_NICS - 1] = {.probe = -1, .claim = -1}};
static bool automatic, fixed;

/* As io.rxe.net.process.ProcessSettings reads it for the NIC: blank is not set. */
static uint16_t udp_port(void) {
    const char *text = getenv("RXE_UDP_PORT");
    return text && text[strspn(text, " \t\n\v\f\r")] ? (uint16_t)strtoul(text, NULL, 10) : ROCE_PORT;
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

static void release(int *fd) {
    if (*fd >= 0) {
        close(*fd);
        *fd = -1;
    }
}

void rxe_address_before_fork(void) {
    for (struct nic *nic = nics; !fixed && nic < nics + MOST_NICS; nic++) {
        release(&nic->probe);
        release(&nic->claim);
    }
}

void rxe_address_in_child(void) {
    for (struct nic *nic = nics; nic < nics + MOST_NICS; nic++) {
        release(&nic->claim);
    }
}

/* Keeps a socket at an address in *fd. An errno. */
static int keep(int *fd, const struct sockaddr *address, socklen_t size) {
    int made = socket(address->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (made < 0 || bind(made, address, size) != 0) {
        int status = errno;
        release(&made);
        return status;
    }
    *fd = made;
    return 0;
}

/* Takes an address, if no other NIC has it. An errno. */
static int try_address(struct nic *nic, const char *text) {
    struct sockaddr_storage address;
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int status = parse(text, &address);
    if (status) {
        return status;
    }
    ((struct sockaddr_in *)&address)->sin_port = htons(udp_port());
    /* A name that begins with a zero byte is of this network namespace, as addresses are. */
    int length = snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "rxe %s %d", text, udp_port());
    if ((status = keep(&nic->probe, (struct sockaddr *)&address, size_of(&address))) == 0
        && (status = keep(&nic->claim, (struct sockaddr *)&name, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length)))) {
        release(&nic->probe);
    }
    if (!status) {
        /* It may be the same string. */
        memmove(nic->claimed, text, strlen(text) + 1);
    }
    return status;
}

/*
 * As try_address, for an address that somebody chose. A process that was killed has its address until it is taken apart, which takes a JVM
 * a while: it is waited for, and so is one that cannot be seen, as it may be one. One that is alive is not.
 */
static int take_address(struct nic *nic, const char *text) {
    int status = try_address(nic, text);
    for (int tries = 0; status == EADDRINUSE && tries < PATIENCE && !rxe_is_holder_alive(text, udp_port()); tries++) {
        usleep(PAUSE_US);
        status = try_address(nic, text);
    }
    return status;
}

/* What RXE_DEV says; null for nothing. */
static const char *named_devices(void) {
    const char *devices = getenv("RXE_DEV");
    return devices && *devices ? devices : NULL;
}

static unsigned words(const char *devices) {
    unsigned count = 1;
    for (const char *at = devices; at && (at = strchr(at, ',')); at++) {
        count++;
    }
    return count;
}

unsigned rxe_nic_count(void) {
    unsigned named = words(named_devices());
    return named < MOST_NICS ? named : MOST_NICS;
}

/* The word of a NIC in RXE_DEV, which is copied; null where that says nothing. */
static const char *named_device(const struct nic *nic, char *word) {
    const char *device = named_devices();
    for (const struct nic *before = nics; device && before < nic; before++) {
        device = strchr(device, ',') + 1;
    }
    if (device) {
        snprintf(word, LONGEST_WORD, "%.*s", (int)strcspn(device, ","), device);
    }
    return device ? word : NULL;
}

/* Writes the address at a place in the list of those that may be taken. False behind the last. */
static bool candidate(const struct nic *nic, unsigned place, char *text) {
    char word[LONGEST_WORD];
    const char *device = named_device(nic, word);
    struct sockaddr_storage address;
    if (device && parse(device, &address) == 0) {
        snprintf(text, INET6_ADDRSTRLEN, "%s", device);
        return place == 0;
    }
    return rxe_candidate(device, place, text);
}

static int say_none(const struct nic *nic) {
    char word[LONGEST_WORD];
    const char *device = named_device(nic, word);
    if (device) {
        rxe_say("%s in RXE_DEV=%s is neither an address nor an interface with an address, nor a network with one (10.1.0.0/16)",
            *device ? device : "nothing", named_devices());
    } else {
        rxe_say("this job has ranks on other hosts, and this host has no interface that is up but loopback: name one with RXE_DEV");
    }
    return ENODEV;
}

static void describe_choice(const char *chosen, const char *avoided) {
    char holder[HOLDER_SIZE];
    if (avoided) {
        rxe_say("the NIC of this program is at %s, since its peer is at %s; choose with RXE_DEV or --dev", chosen, avoided);
        return;
    }
    rxe_describe_holder("127.0.0.1", udp_port(), holder, sizeof holder);
    rxe_say("the NIC of this program is at %s, because 127.0.0.1 already has a NIC%s; choose with RXE_DEV or --dev", chosen, holder);
}

/* Why the address that was chosen, or that the program binds to, cannot be the NIC's. */
static void say_unusable(const char *text, int status, const char *remedy) {
    char holder[HOLDER_SIZE];
    if (status != EADDRINUSE) {
        rxe_say("cannot use %s: %s", text, strerror(status));
        return;
    }
    rxe_describe_holder(text, udp_port(), holder, sizeof holder);
    if (*holder) {
        rxe_say("cannot use %s: %s: another process has a NIC there%s; %s", text, strerror(status), holder, remedy);
    } else {
        rxe_say("cannot use %s: %s: UDP port %d is taken there by a process that this user cannot see, or by the kernel's rdma_rxe (see"
            " `rdma link`); %s", text, strerror(status), udp_port(), remedy);
    }
}

/* Why none of several addresses could be taken. */
static void say_all_taken(const struct nic *nic, unsigned count, const char *last, int status) {
    char word[LONGEST_WORD];
    const char *device = named_device(nic, word);
    if (status != EADDRINUSE || count == 1) {
        say_unusable(last, status, "choose another address with RXE_DEV or --dev");
    } else if (device || rxe_has_ranks_elsewhere()) {
        rxe_say("all %u addresses of %s have a NIC: each NIC needs an address of its own, so add some (`ip address add`) or start fewer"
            " processes on this host", count, device ? device : "the interface of this host");
    } else {
        rxe_say("no address of 127.0.0.1 to %s has UDP port %d free: %s", last, udp_port(), strerror(status));
    }
}

/* Takes the first address that is free; not the one to avoid, which may be null. An errno after a sentence. */
static int choose(struct nic *nic, const char *avoided) {
    char text[INET6_ADDRSTRLEN], last[INET6_ADDRSTRLEN] = "", word[LONGEST_WORD];
    int status = EADDRINUSE;
    unsigned count = 0;
    struct sockaddr_storage only;
    const char *device = named_device(nic, word);
    bool is_named = device && parse(device, &only) == 0;
    for (; status == EADDRINUSE && candidate(nic, count, text); count++) {
        status = avoided && strcmp(text, avoided) == 0 ? EADDRINUSE : is_named ? take_address(nic, text) : try_address(nic, text);
        strcpy(last, text);
    }
    automatic = !status && !named_devices();
    if (!count) {
        return say_none(nic);
    }
    if (status) {
        say_all_taken(nic, count, last, status);
    } else if (count > 1 && !named_devices() && !rxe_is_rank()) {
        describe_choice(last, avoided);
    }
    return status;
}

int rxe_claim_addresses(void) {
    HOLD(&rxe_address_lock);
    const char *devices = named_devices();
    int status = 0;
    if (words(devices) > MOST_NICS) {
        rxe_say("RXE_DEV=%s names %u NICs, and a program has at most %d: leave some out", devices, words(devices), MOST_NICS);
        return EINVAL;
    }
    for (unsigned i = 0; !status && i < rxe_nic_count(); i++) {
        status = *nics[i].claimed ? 0 : choose(&nics[i], NULL);
    }
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

/* Whether every NIC has an address, and none of them is on loopback. */
static bool are_elsewhere(void) {
    struct sockaddr_storage own;
    for (unsigned i = 0; i < rxe_nic_count(); i++) {
        if (parse(nics[i].claimed, &own) != 0 || is_loopback((const struct sockaddr *)&own)) {
            return false;
        }
    }
    return true;
}

bool rxe_is_any_address(const struct sockaddr *address) {
    return !is_particular(address) || (is_loopback(address) && are_elsewhere());
}

int rxe_claim_bound_address(const struct sockaddr *bound) {
    UNINTERRUPTED;
    char text[INET6_ADDRSTRLEN];
    if (named_devices() || !is_particular(bound)) {
        return rxe_claim_addresses();
    }
    print(bound, text);
    pthread_mutex_lock(&rxe_address_lock);
    int status = *nics->claimed ? 0 : take_address(nics, text);
    pthread_mutex_unlock(&rxe_address_lock);
    if (status) {
        say_unusable(text, status, "bind to another address");
    }
    return status;
}

void rxe_avoid_address(const struct sockaddr *peer) {
    UNINTERRUPTED;
    char text[INET6_ADDRSTRLEN];
    if (named_devices()) {
        return;
    }
    print(peer, text);
    pthread_mutex_lock(&rxe_address_lock);
    bool undecided = !*nics->claimed || (automatic && !fixed && nics->probe < 0);
    if (undecided && strncmp(text, "127.0.0.", 8) == 0) {
        choose(nics, text);
    }
    pthread_mutex_unlock(&rxe_address_lock);
}

void rxe_replace_source(struct sockaddr_storage *source) {
    struct sockaddr_in *v4 = (struct sockaddr_in *)source;
    if (automatic && source->ss_family == AF_INET && !v4->sin_port && ntohl(v4->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET) {
        inet_pton(AF_INET, nics->claimed, &v4->sin_addr);
    }
}

void rxe_fix_addresses(void) {
    HOLD(&rxe_address_lock);
    char other[INET6_ADDRSTRLEN];
    for (struct nic *nic = nics; !fixed && nic < nics + rxe_nic_count(); nic++) {
        /* It was given back before a fork. */
        if (nic->probe < 0 && try_address(nic, nic->claimed) == EADDRINUSE && (automatic || named_devices()) && candidate(nic, 1, other)) {
            choose(nic, NULL);
        }
        release(&nic->probe);
    }
    fixed = true;
}

const char *rxe_address_of(unsigned nic) {
    return nics[nic].claimed;
}

void rxe_write_gid(const struct sockaddr *address, union ibv_gid *gid) {
    memset(gid, 0, sizeof *gid);
    if (address->sa_family == AF_INET) {
        gid->raw[10] = gid->raw[11] = 0xff;
        memcpy(gid->raw + 12, &((const struct sockaddr_in *)address)->sin_addr, 4);
    } else {
        memcpy(gid->raw, &((const struct sockaddr_in6 *)address)->sin6_addr, 16);
    }
}

int rxe_gid(unsigned number, union ibv_gid *gid) {
    const struct nic *nic = &nics[number];
    char text[INET6_ADDRSTRLEN];
    struct sockaddr_storage address;
    int status = 0;
    if (*nic->claimed) {
        strcpy(text, nic->claimed);
    } else if (!candidate(nic, 0, text)) {
        status = say_none(nic);
    }
    if (status || (status = parse(text, &address))) {
        return status;
    }
    rxe_write_gid((struct sockaddr *)&address, gid);
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

struct rxe_port rxe_find_port(const union ibv_gid *gid) {
    struct ifreq request = {0};
    struct ifaddrs *all = NULL;
    struct rxe_port port = {.mtu = 1};
    if (getifaddrs(&all) != 0) {
        return port;
    }
    for (struct ifaddrs *one = all; one && !port.interface_index; one = one->ifa_next) {
        if (has_address(one, gid)) {
            snprintf(request.ifr_name, sizeof request.ifr_name, "%s", one->ifa_name);
            port.interface_index = if_nametoindex(one->ifa_name);
            port.up = (one->ifa_flags & (IFF_UP | IFF_RUNNING)) == (IFF_UP | IFF_RUNNING);
        }
    }
    freeifaddrs(all);
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && ioctl(fd, SIOCGIFMTU, &request) == 0) {
        while (port.mtu < 5 && (256 << port.mtu) + MTU_HEADROOM <= request.ifr_mtu) {
            port.mtu++;
        }
    }
    if (fd >= 0) {
        close(fd);
    }
    return port;
}

/* ---- which of several NICs ---- */

static int nic_with(const union ibv_gid *gid) {
    union ibv_gid own;
    for (unsigned i = 0; i < rxe_nic_count(); i++) {
        if (rxe_gid(i, &own) == 0 && memcmp(&own, gid, sizeof own) == 0) {
            return (int)i;
        }
    }
    return -1;
}

unsigned rxe_nic_at(const struct sockaddr *address) {
    union ibv_gid gid;
    if (rxe_nic_count() == 1 || !is_particular(address)) {
        return 0;
    }
    rxe_write_gid(address, &gid);
    int nic = nic_with(&gid);
    return nic < 0 ? 0 : (unsigned)nic;
}

/* The address from which packets leave for a peer. False without a way. */
static bool find_source(const struct sockaddr *peer, union ibv_gid *gid) {
    struct sockaddr_storage source;
    socklen_t size = sizeof source;
    int fd = socket(peer->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool found = fd >= 0 && connect(fd, peer, size_of((const struct sockaddr_storage *)peer)) == 0
        && getsockname(fd, (struct sockaddr *)&source, &size) == 0;
    release(&fd);
    if (found) {
        rxe_write_gid((struct sockaddr *)&source, gid);
    }
    return found;
}

unsigned rxe_nic_towards(const struct sockaddr *peer) {
    union ibv_gid source, own;
    if (rxe_nic_count() == 1 || !is_particular(peer) || !find_source(peer, &source)) {
        return 0;
    }
    int nic = nic_with(&source);
    unsigned way = rxe_find_port(&source).interface_index;
    for (unsigned i = 0; nic < 0 && i < rxe_nic_count(); i++) {
        if (rxe_gid(i, &own) == 0 && rxe_find_port(&own).interface_index == way) {
            nic = (int)i;
        }
    }
    return nic < 0 ? 0 : (unsigned)nic;
}
