/*
 * The throughput of a C program over two UDP sockets on loopback: the limit that the NIC is compared with.
 *
 * One flow from a sending to a receiving process, each pinned to its own CPU. Both sides copy every frame and compute its
 * CRC-32, as a RoCEv2 NIC must. A window limits the frames in flight, so that none is lost.
 *
 *   frame = 16 bytes of header (frame number, zeros) | payload | CRC-32
 *
 *   udp-limit bw  PAYLOAD_BYTES gro|mmsg|single SECONDS   goodput; GSO send with UDP_GRO or recvmmsg, or one call per frame
 *   udp-limit rtt PAYLOAD_BYTES spin|block      SECONDS   round trips of one frame at a time, spinning or with epoll
 *
 * Prints one line of JSON. Exit status 1 if a frame was lost or corrupted.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum {
  HEADER = 16, TRAILER = 4, MAX_SEGMENTS = 64, MAX_BATCH = 65507, RECEIVE_BATCH = 32,
  SOL_UDP_LEVEL = 17, UDP_SEGMENT_OPTION = 103, UDP_GRO_OPTION = 104,
  BUFFER_BYTES = 4 << 20, WINDOW_BYTES = 1 << 20, WINDOW_FRAMES = 2048, MEMORY_BYTES = 1 << 20, MAX_SAMPLES = 1 << 22
};

struct shared {
  volatile int ready, go, stop;
  volatile uint64_t received, sent, corrupted;
};

static struct shared *shared;
static uint8_t *memory;
static size_t frame_bytes, payload_bytes;

static void die(const char *what) {
  perror(what);
  exit(2);
}

static double now_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

/* ---- CRC-32: eight tables, and carry-less multiplication where the CPU has it ---- */

static const uint32_t POLYNOMIAL = 0xEDB88320u;
static uint32_t tables[8][256];

static uint32_t times_x(uint32_t reflected) {
  return reflected & 1 ? reflected >> 1 ^ POLYNOMIAL : reflected >> 1;
}

static void make_tables(void) {
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; bit++) {
      crc = times_x(crc);
    }
    tables[0][i] = crc;
  }
  for (int t = 1; t < 8; t++) {
    for (int i = 0; i < 256; i++) {
      tables[t][i] = tables[t - 1][i] >> 8 ^ tables[0][tables[t - 1][i] & 0xFF];
    }
  }
}

/* Runs the register over bytes, without the complements of CRC-32. */
static uint32_t run_tables(uint32_t crc, const uint8_t *bytes, size_t length) {
  for (; length >= 8; bytes += 8, length -= 8) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    word ^= crc;
    crc = 0;
    for (int t = 0; t < 8; t++) {
      crc ^= tables[7 - t][word >> 8 * t & 0xFF];
    }
  }
  for (; length > 0; bytes++, length--) {
    crc = crc >> 8 ^ tables[0][(crc ^ *bytes) & 0xFF];
  }
  return crc;
}

#if defined(__x86_64__)
static uint64_t fold_far[2], fold_near[2];
static int has_multiply;

/* x^exponent modulo the polynomial, in the bit order that multiplication of reflected numbers needs. */
static uint64_t power(int exponent) {
  uint32_t value = 0x80000000u;
  while (exponent-- > 0) {
    value = times_x(value);
  }
  return (uint64_t) value << 1;
}

static void make_folds(void) {
  has_multiply = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
  fold_far[0] = power(4 * 128 + 32);
  fold_far[1] = power(4 * 128 - 32);
  fold_near[0] = power(128 + 32);
  fold_near[1] = power(128 - 32);
}

/* Folds a block of 128 bits, by the distance of the constants, into the next one. */
__attribute__((target("pclmul,sse4.1")))
static inline __m128i fold(__m128i block, __m128i constants, __m128i next) {
  return _mm_xor_si128(next, _mm_xor_si128(_mm_clmulepi64_si128(block, constants, 0x00),
    _mm_clmulepi64_si128(block, constants, 0x11)));
}

/* At least 64 bytes: folds four lanes of 128 bits in parallel, combines them, and finishes with the tables. */
__attribute__((target("pclmul,sse4.1")))
static uint32_t run_folded(uint32_t crc, const uint8_t *bytes, size_t length) {
  const __m128i far = _mm_loadu_si128((const __m128i *) fold_far);
  const __m128i near = _mm_loadu_si128((const __m128i *) fold_near);
  const __m128i *in = (const __m128i *) bytes;
  __m128i lane[4];
  for (int i = 0; i < 4; i++) {
    lane[i] = _mm_loadu_si128(in + i);
  }
  lane[0] = _mm_xor_si128(lane[0], _mm_cvtsi32_si128((int) crc));
  for (in += 4, length -= 64; length >= 64; in += 4, length -= 64) {
    for (int i = 0; i < 4; i++) {
      lane[i] = fold(lane[i], far, _mm_loadu_si128(in + i));
    }
  }
  __m128i last = fold(fold(fold(lane[0], near, lane[1]), near, lane[2]), near, lane[3]);
  for (; length >= 16; in++, length -= 16) {
    last = fold(last, near, _mm_loadu_si128(in));
  }
  uint8_t rest[16];
  _mm_storeu_si128((__m128i *) rest, last);
  return run_tables(run_tables(0, rest, 16), (const uint8_t *) in, length);
}
#endif

static uint32_t crc32_of(const uint8_t *bytes, size_t length) {
#if defined(__x86_64__)
  if (has_multiply && length >= 64) {
    return ~run_folded(~0u, bytes, length);
  }
#endif
  return ~run_tables(~0u, bytes, length);
}

static void prepare_crc(void) {
  make_tables();
#if defined(__x86_64__)
  make_folds();
#endif
  /* Compares every length with the plain form once: a wrong CRC would invalidate the figures. */
  for (size_t length = 0; length < 300; length++) {
    if (crc32_of(memory, length) != (uint32_t) ~run_tables(~0u, memory, length)) {
      fprintf(stderr, "udp-limit: the CRC of %zu bytes is wrong\n", length);
      exit(2);
    }
  }
}

/* ---- sockets ---- */

static void set_option(int socket, int level, int option, int value, const char *what) {
  if (setsockopt(socket, level, option, &value, sizeof value)) {
    die(what);
  }
}

static int bound_socket(struct sockaddr_in *address) {
  socklen_t length = sizeof *address;
  int s = socket(AF_INET, SOCK_DGRAM, 0);
  memset(address, 0, sizeof *address);
  address->sin_family = AF_INET;
  address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (s < 0 || bind(s, (struct sockaddr *) address, sizeof *address)
      || getsockname(s, (struct sockaddr *) address, &length)) {
    die("socket");
  }
  set_option(s, SOL_SOCKET, SO_RCVBUF, BUFFER_BYTES, "SO_RCVBUF");
  set_option(s, SOL_SOCKET, SO_SNDBUF, BUFFER_BYTES, "SO_SNDBUF");
  return s;
}

static void socket_pair(int pair[2]) {
  struct sockaddr_in address[2];
  pair[0] = bound_socket(&address[0]);
  pair[1] = bound_socket(&address[1]);
  for (int i = 0; i < 2; i++) {
    if (connect(pair[i], (struct sockaddr *) &address[1 - i], sizeof address[0])) {
      die("connect");
    }
  }
}

static void pin(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor % (int) sysconf(_SC_NPROCESSORS_ONLN), &set);
  sched_setaffinity(0, sizeof set, &set);
}

static int readable_set(int socket) {
  struct epoll_event event = {.events = EPOLLIN};
  int set = epoll_create1(0);
  if (set < 0 || epoll_ctl(set, EPOLL_CTL_ADD, socket, &event)) {
    die("epoll");
  }
  return set;
}

static void *pages(size_t length, int flags) {
  void *place = mmap(NULL, length, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (place == MAP_FAILED) {
    die("mmap");
  }
  return place;
}

/* ---- goodput ---- */

static size_t next_place(size_t place) {
  place += payload_bytes;
  return place + payload_bytes > MEMORY_BYTES ? 0 : place;
}

static void build_frame(uint8_t *frame, uint64_t number, size_t place) {
  memcpy(frame, &number, 8);
  memset(frame + 8, 0, HEADER - 8);
  memcpy(frame + HEADER, memory + place, payload_bytes);
  uint32_t crc = crc32_of(frame, HEADER + payload_bytes);
  memcpy(frame + HEADER + payload_bytes, &crc, TRAILER);
}

static int consume_frame(const uint8_t *frame, size_t place) {
  uint32_t crc;
  memcpy(&crc, frame + HEADER + payload_bytes, TRAILER);
  int good = crc == crc32_of(frame, HEADER + payload_bytes);
  memcpy(memory + place, frame + HEADER, payload_bytes);
  return good;
}

static void run_sender(int socket, int segments, uint64_t window) {
  uint8_t *batch = pages(frame_bytes * segments + 64, MAP_PRIVATE);
  uint64_t sent = 0, acknowledged = 0, acknowledgement;
  size_t place = 0;
  pin(0);
  if (segments > 1) {
    set_option(socket, SOL_UDP_LEVEL, UDP_SEGMENT_OPTION, (int) frame_bytes, "UDP_SEGMENT");
  }
  while (!shared->go) {
  }
  while (!shared->stop) {
    while (recv(socket, &acknowledgement, sizeof acknowledgement, MSG_DONTWAIT) == sizeof acknowledgement) {
      acknowledged = acknowledgement;
    }
    if (sent + segments > acknowledged + window) {
      continue;
    }
    for (int i = 0; i < segments; i++) {
      build_frame(batch + frame_bytes * i, sent + i, place);
      place = next_place(place);
    }
    while (send(socket, batch, frame_bytes * segments, 0) < 0 && !shared->stop) {
      if (errno != EAGAIN && errno != ENOBUFS && errno != ECONNREFUSED) {
        die("send");
      }
    }
    sent += segments;
    shared->sent = sent;
  }
}

static void run_receiver(int socket, int coalescing, int calls_batch, uint64_t ack_every) {
  static struct mmsghdr messages[RECEIVE_BATCH];
  static struct iovec vectors[RECEIVE_BATCH];
  size_t room = coalescing ? 1 << 16 : (frame_bytes + 63) & ~(size_t) 63;
  uint8_t *buffer = pages(room * calls_batch, MAP_PRIVATE);
  uint64_t received = 0, acknowledged = 0;
  size_t place = 0;
  pin(1);
  for (int i = 0; i < calls_batch; i++) {
    vectors[i] = (struct iovec) {buffer + room * i, room};
    messages[i].msg_hdr.msg_iov = &vectors[i];
    messages[i].msg_hdr.msg_iovlen = 1;
  }
  if (coalescing) {
    set_option(socket, SOL_UDP_LEVEL, UDP_GRO_OPTION, 1, "UDP_GRO");
  }
  shared->ready = 1;
  while (!shared->stop) {
    int count = 1;
    if (calls_batch > 1) {
      count = recvmmsg(socket, messages, calls_batch, MSG_DONTWAIT, NULL);
    } else {
      ssize_t length = recv(socket, buffer, room, MSG_DONTWAIT);
      messages[0].msg_len = length > 0 ? (unsigned) length : 0;
    }
    for (int i = 0; i < count; i++) {
      /* Every frame has the same length, so the segment size needs no control message. */
      for (size_t at = 0; at + frame_bytes <= messages[i].msg_len; at += frame_bytes) {
        if (!consume_frame((uint8_t *) vectors[i].iov_base + at, place)) {
          shared->corrupted++;
        }
        place = next_place(place);
        received++;
      }
    }
    shared->received = received;
    if (received - acknowledged >= ack_every) {
      send(socket, &received, sizeof received, MSG_DONTWAIT);
      acknowledged = received;
    }
  }
}

static void sleep_for(double seconds) {
  struct timespec t = {(time_t) seconds, (long) ((seconds - (time_t) seconds) * 1e9)};
  nanosleep(&t, NULL);
}

static int measure_goodput(const char *receive, double seconds) {
  int coalescing = !strcmp(receive, "gro"), single = !strcmp(receive, "single"), pair[2];
  int segments = single ? 1 : (int) (MAX_BATCH / frame_bytes);
  segments = segments > MAX_SEGMENTS ? MAX_SEGMENTS : segments;
  uint64_t window = WINDOW_BYTES / payload_bytes;
  window = window > WINDOW_FRAMES ? WINDOW_FRAMES : window;
  socket_pair(pair);
  pid_t receiver = fork();
  if (receiver == 0) {
    run_receiver(pair[1], coalescing, coalescing || single ? 1 : RECEIVE_BATCH, window / 8);
    _exit(0);
  }
  while (!shared->ready) {
    sleep_for(0.001);
  }
  pid_t sender = fork();
  if (sender == 0) {
    run_sender(pair[0], segments, window);
    _exit(0);
  }
  shared->go = 1;
  sleep_for(0.2);
  double start = now_seconds();
  uint64_t first = shared->received;
  sleep_for(seconds);
  uint64_t frames = shared->received - first;
  double elapsed = now_seconds() - start;
  /* Negative if the receiver has counted frames that the sender has yet to count. */
  int64_t in_flight = (int64_t) (shared->sent - shared->received);
  shared->stop = 1;
  waitpid(sender, NULL, 0);
  waitpid(receiver, NULL, 0);
  /* Frames beyond the window cannot be in flight: they are lost. */
  int64_t lost = in_flight > (int64_t) window ? in_flight - (int64_t) window : 0;
  printf("{\"gigabits_per_second\": %.4f, \"frames_per_second\": %.0f, \"lost\": %lld, \"corrupted\": %llu}\n",
    frames * 8e-9 * payload_bytes / elapsed, frames / elapsed, (long long) lost,
    (unsigned long long) shared->corrupted);
  return lost > 0 || shared->corrupted > 0 || frames == 0;
}

/* ---- round trips ---- */

static ssize_t receive_one(int socket, int set, uint8_t *frame) {
  struct epoll_event event;
  ssize_t length;
  do {
    if (set >= 0) {
      epoll_wait(set, &event, 1, 100);
    }
    length = recv(socket, frame, frame_bytes, MSG_DONTWAIT);
  } while (length < 0 && !shared->stop);
  return length;
}

static int compare_longs(const void *left, const void *right) {
  uint64_t a = *(const uint64_t *) left, b = *(const uint64_t *) right;
  return a < b ? -1 : a > b;
}

static int measure_round_trips(int blocking, double seconds) {
  static uint8_t frame[1 << 16];
  uint64_t *samples = malloc(sizeof(uint64_t) * MAX_SAMPLES), count = 0, number = 0;
  int pair[2];
  socket_pair(pair);
  pid_t echo = fork();
  if (echo == 0) {
    int set = blocking ? readable_set(pair[1]) : -1;
    pin(1);
    while (!shared->stop && receive_one(pair[1], set, frame) > 0) {
      shared->corrupted += !consume_frame(frame, 0);
      build_frame(frame, 0, 0);
      send(pair[1], frame, frame_bytes, 0);
    }
    _exit(0);
  }
  int set = blocking ? readable_set(pair[0]) : -1;
  pin(0);
  double start = now_seconds(), warm = start + 0.2, end = warm + seconds, begin;
  do {
    begin = now_seconds();
    build_frame(frame, number++, 0);
    send(pair[0], frame, frame_bytes, 0);
    receive_one(pair[0], set, frame);
    shared->corrupted += !consume_frame(frame, 0);
    if (begin >= warm && count < MAX_SAMPLES) {
      samples[count++] = (uint64_t) ((now_seconds() - begin) * 1e9);
    }
  } while (begin < end);
  shared->stop = 1;
  send(pair[0], frame, frame_bytes, 0);
  waitpid(echo, NULL, 0);
  qsort(samples, count, sizeof *samples, compare_longs);
  printf("{\"samples\": %llu, \"p50_us\": %.3f, \"p99_us\": %.3f, \"p999_us\": %.3f, \"corrupted\": %llu}\n",
    (unsigned long long) count, samples[count / 2] * 1e-3, samples[count * 99 / 100] * 1e-3,
    samples[count * 999 / 1000] * 1e-3, (unsigned long long) shared->corrupted);
  return shared->corrupted > 0;
}

int main(int count, char **words) {
  if (count == 5) {
    const char *what = words[1], *how = words[3];
    double seconds = atof(words[4]);
    payload_bytes = (size_t) atol(words[2]);
    frame_bytes = HEADER + payload_bytes + TRAILER;
    if (payload_bytes >= 8 && frame_bytes <= MAX_BATCH / 2 && seconds > 0) {
      shared = pages(sizeof *shared, MAP_SHARED);
      memory = pages(MEMORY_BYTES + 4096, MAP_PRIVATE);
      for (size_t i = 0; i < MEMORY_BYTES; i++) {
        memory[i] = (uint8_t) (i * 31 >> 3);
      }
      prepare_crc();
      if (!strcmp(what, "bw") && (!strcmp(how, "gro") || !strcmp(how, "mmsg") || !strcmp(how, "single"))) {
        return measure_goodput(how, seconds);
      }
      if (!strcmp(what, "rtt") && (!strcmp(how, "spin") || !strcmp(how, "block"))) {
        return measure_round_trips(!strcmp(how, "block"), seconds);
      }
    }
  }
  fprintf(stderr, "usage: udp-limit bw PAYLOAD_BYTES gro|mmsg|single SECONDS | rtt PAYLOAD_BYTES spin|block SECONDS;"
    " payload 8 to 32000 bytes\n");
  return 2;
}
