#include "address.h"
#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Which process has an address of IPv4, as /proc shows it. The processes of other users stay unknown. */

enum { MAX_PATH = 64, PID_SIZE = 24 };

/* The sockets of IPv4, and those of IPv6 that have an address of IPv4. */
static const struct {
    const char *file, *format;
} TABLES[] = {
    {"/proc/net/udp", " %*u: %x:%x %*s %*s %*s %*s %*s %*s %*s %lu"},
    {"/proc/net/udp6", " %*u: 0000000000000000FFFF0000%x:%x %*s %*s %*s %*s %*s %*s %*s %lu"}};

/* The inode of a socket at an address; 0 for none. */
static unsigned long inode_at(int table, in_addr_t address, unsigned port) {
    char line[256];
    unsigned long found = 0, inode;
    unsigned local, local_port;
    FILE *sockets = fopen(TABLES[table].file, "re");
    while (sockets && !found && fgets(line, sizeof line, sockets)) {
        if (sscanf(line, TABLES[table].format, &local, &local_port, &inode) == 3 && local == address && local_port == port) {
            found = inode;
        }
    }
    if (sockets) {
        fclose(sockets);
    }
    return found;
}

static bool has_socket(const char *pid, const char *link) {
    char path[MAX_PATH], target[MAX_PATH];
    bool found = false;
    snprintf(path, sizeof path, "/proc/%.20s/fd", pid);
    DIR *descriptors = opendir(path);
    for (struct dirent *one; descriptors && !found && (one = readdir(descriptors));) {
        ssize_t length = readlinkat(dirfd(descriptors), one->d_name, target, sizeof target - 1);
        target[length > 0 ? length : 0] = 0;
        found = strcmp(target, link) == 0;
    }
    if (descriptors) {
        closedir(descriptors);
    }
    return found;
}

static void describe(const char *pid, char *text, size_t size) {
    char path[MAX_PATH], name[MAX_PATH] = "";
    snprintf(path, sizeof path, "/proc/%.20s/comm", pid);
    FILE *file = fopen(path, "re");
    if (file) {
        if (fgets(name, sizeof name, file)) {
            name[strcspn(name, "\n")] = 0;
        }
        fclose(file);
    }
    snprintf(text, size, " (process %.20s, %.32s)", pid, name);
}

/* The number of the process that has a socket at an address. False for none that can be seen. */
static bool find(const char *address, unsigned port, char pid[PID_SIZE]) {
    struct in_addr wanted;
    char link[MAX_PATH];
    bool found = false;
    unsigned long inode = 0;
    for (int table = 0; table < 2 && !inode && inet_pton(AF_INET, address, &wanted) == 1; table++) {
        inode = inode_at(table, wanted.s_addr, port);
    }
    snprintf(link, sizeof link, "socket:[%lu]", inode);
    DIR *processes = inode ? opendir("/proc") : NULL;
    for (struct dirent *one; processes && !found && (one = readdir(processes));) {
        found = isdigit((unsigned char)*one->d_name) && has_socket(one->d_name, link);
        snprintf(pid, PID_SIZE, "%.20s", one->d_name);
    }
    if (processes) {
        closedir(processes);
    }
    return found;
}

void rxe_describe_holder(const char *address, unsigned port, char *text, size_t size) {
    char pid[PID_SIZE];
    *text = 0;
    if (find(address, port, pid)) {
        describe(pid, text, size);
    }
}

bool rxe_is_holder_alive(const char *address, unsigned port) {
    char pid[PID_SIZE], path[MAX_PATH], line[128];
    unsigned long long pending = 0, signals;
    if (!find(address, port, pid)) {
        return false;
    }
    snprintf(path, sizeof path, "/proc/%s/status", pid);
    FILE *status = fopen(path, "re");
    if (!status) {
        return false;
    }
    while (fgets(line, sizeof line, status)) {
        if (sscanf(line, "SigPnd: %llx", &signals) == 1 || sscanf(line, "ShdPnd: %llx", &signals) == 1) {
            pending |= signals;
        }
    }
    fclose(status);
    return !(pending & 1ULL << (SIGKILL - 1));
}
