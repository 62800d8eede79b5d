/*
 * The throughput of a C program over two UDP sockets: the limit that the NIC is compared with.
 *
 * One flow from a sending to a receiving process, each pinned to its own CPU. Both sides move every payload between memory
 * and frame and compute its CRC-32, as a RoCEv2 NIC must: in one pass, with the widest carry-less multiplication that the
 * processor has. A window limits the frames in flight, so that none is lost.
 *
 *   frame = 16 bytes of header (frame number, zeros) | payload | CRC-32
 *
 *   udp-limit bw  PAYLOAD_BYTES gro|mmsg|single SECONDS [gather] [write]
 *                 goodput; GSO send with UDP_GRO or recvmmsg, or one call per frame; gather: the sender does not copy, the
 *                 kernel gathers the payload from memory; write: two sends for 64 KiB, as RDMA WRITEs of that size need them
 *   udp-limit rtt PAYLOAD_BYTES spin|block      SECONDS
 *                 round trips of one frame at a time, spinning or with epoll
 *   udp-limit check compares each form of the CRC with the plain one, at all lengths of a frame and all alignments
 *
 * The sockets are on loopback, or with NAMESPACE ADDRESS NAMESPACE ADDRESS behind all other words in these network namespaces.
 *
 * Prints one line of JSON. Exit status 1 if a frame was lost or corrupted.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
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
#elif defined(__aarch64__)
#include <arm_acle.h>
#include <arm_neon.h>
#include <sys/auxv.h>
#endif

enum {
  HEADER = 16, TRAILER = 4, MAX_SEGMENTS = 64, MAX_BATCH = 65507, RECEIVE_BATCH = 32,
  SOL_UDP_LEVEL = 17, UDP_SEGMENT_OPTION = 103, UDP_GRO_OPTION = 104,
  BUFFER_BYTES = 4 << 20, WRITE_BYTES = 64 << 10, WINDOW_BYTES = 1 << 20, WINDOW_FRAMES = 2048, MEMORY_BYTES = 1 << 20,
  MAX_SAMPLES = 1 << 22
};

struct shared {
  volatile int ready, go, stop;
  volatile uint64_t received, sent, corrupted;
};

static struct shared *shared;
static uint8_t *memory;
static size_t frame_bytes, payload_bytes;
/* How the sender forms its frames and batches. */
static int gathers, as_write;

static void die(const char *what) {
  perror(what);
  exit(2);
}

static double now_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

/* ---- CRC-32: eight tables, and carry-less multiplication where the processor has it ---- */

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

/*
 * CRC-32 of header and payload. Copies the payload to another place unless that is NULL. Header and payload need not be
 * neighbours.
 */
typedef uint32_t frame_crc(const uint8_t *header, const uint8_t *payload, size_t length, uint8_t *copy);

static uint32_t crc_tables(const uint8_t *header, const uint8_t *payload, size_t length, uint8_t *copy) {
  if (copy) {
    memcpy(copy, payload, length);
  }
  return ~run_tables(run_tables(~0u, header, HEADER), payload, length);
}

/* A form of the computation, and whether this processor has what it needs. */
struct form {
  const char *name;
  frame_crc *crc;
  int usable;
};

#if defined(__x86_64__) || defined(__aarch64__)
/* Constants that fold 128 bits over 2048, 512 and 128 bits, 32 bits over 64, and four neighbours over 384, 256, 128 and 0 bits. */
static uint64_t fold_wide[2], fold_far[2], fold_near[2], fold_last[2], fold_lanes[8];

/* x^exponent modulo the polynomial, in the bit order that multiplication of reflected numbers needs. */
static uint64_t power(int exponent) {
  uint32_t value = 0x80000000u;
  while (exponent-- > 0) {
    value = times_x(value);
  }
  return (uint64_t) value << 1;
}

static void make_fold(uint64_t *constants, int distance) {
  constants[0] = power(distance + 32);
  constants[1] = power(distance - 32);
}

static void make_folds(void) {
  make_fold(fold_wide, 2048);
  make_fold(fold_far, 512);
  make_fold(fold_near, 128);
  fold_last[0] = power(64);
  for (int lane = 0; lane < 3; lane++) {
    make_fold(fold_lanes + 2 * lane, 384 - 128 * lane);
  }
}
#endif

#if defined(__x86_64__)
#define FOLDING __attribute__((target("pclmul,sse4.1")))
typedef __m128i block;
#define LOAD(at) _mm_loadu_si128((const __m128i *) (at))
#define STORE(at, value) _mm_storeu_si128((__m128i *) (at), value)
#define XOR(a, b) _mm_xor_si128(a, b)
#define TIMES_LOW(a, b) _mm_clmulepi64_si128(a, b, 0x00)
#define TIMES_HIGH(a, b) _mm_clmulepi64_si128(a, b, 0x11)
#define ZERO _mm_setzero_si128()
#define ONES _mm_cvtsi32_si128(-1)

/* The register after 16 bytes, begun with 0: two folds to 64 bits, then Barrett's reduction. */
FOLDING static inline uint32_t reduce(block value) {
  const block low = _mm_setr_epi32(-1, 0, 0, 0), barrett = _mm_setr_epi32((int) 0xDB710641u, 1, (int) 0xF7011641u, 1);
  value = XOR(_mm_srli_si128(value, 8), _mm_clmulepi64_si128(value, LOAD(fold_near), 0x10));
  value = XOR(_mm_srli_si128(value, 4), TIMES_LOW(_mm_and_si128(value, low), LOAD(fold_last)));
  block quotient = _mm_and_si128(_mm_clmulepi64_si128(_mm_and_si128(value, low), barrett, 0x10), low);
  return (uint32_t) _mm_extract_epi32(XOR(value, TIMES_LOW(quotient, barrett)), 1);
}
#elif defined(__aarch64__)
#define FOLDING __attribute__((target("+crypto+crc")))
typedef uint64x2_t block;
#define LOAD(at) vreinterpretq_u64_u8(vld1q_u8((const uint8_t *) (at)))
#define STORE(at, value) vst1q_u8((uint8_t *) (at), vreinterpretq_u8_u64(value))
#define XOR(a, b) veorq_u64(a, b)
#define TIMES_LOW(a, b) \
  vreinterpretq_u64_p128(vmull_p64((poly64_t) vgetq_lane_u64(a, 0), (poly64_t) vgetq_lane_u64(b, 0)))
#define TIMES_HIGH(a, b) vreinterpretq_u64_p128(vmull_high_p64(vreinterpretq_p64_u64(a), vreinterpretq_p64_u64(b)))
#define ZERO vdupq_n_u64(0)
#define ONES vsetq_lane_u64(0xFFFFFFFFu, vdupq_n_u64(0), 0)

/* The register after 16 bytes, begun with 0. */
FOLDING static inline uint32_t reduce(block value) {
  return __crc32d(__crc32d(0, vgetq_lane_u64(value, 0)), vgetq_lane_u64(value, 1));
}
#endif

#if defined(FOLDING)
/* Folds a block of 128 bits, by the distance of the constants, into the next one. */
FOLDING static inline block fold(block from, block constants, block next) {
  return XOR(next, XOR(TIMES_LOW(from, constants), TIMES_HIGH(from, constants)));
}

/* The block at an offset, copied unless copy is NULL. */
FOLDING static inline block take(const uint8_t *bytes, uint8_t *copy, size_t at) {
  block value = LOAD(bytes + at);
  if (copy) {
    STORE(copy + at, value);
  }
  return value;
}

/* Folds what is left from an offset on into the last block; the tables take what is no whole block. */
FOLDING static inline uint32_t finish(block last, const uint8_t *bytes, size_t at, size_t length, uint8_t *copy) {
  for (; at + 16 <= length; at += 16) {
    last = fold(last, LOAD(fold_near), take(bytes, copy, at));
  }
  uint32_t crc = reduce(last);
  if (at < length) {
    if (copy) {
      memcpy(copy + at, bytes + at, length - at);
    }
    crc = run_tables(crc, bytes + at, length - at);
  }
  return ~crc;
}

/* The header is the first block; four lanes of 128 bits are folded in parallel. */
FOLDING static uint32_t crc_folded(const uint8_t *header, const uint8_t *bytes, size_t length, uint8_t *copy) {
  block last = XOR(LOAD(header), ONES);
  size_t at = 0;
  if (length >= 64) {
    const block far = LOAD(fold_far);
    block lane[4];
    for (int i = 0; i < 4; i++) {
      lane[i] = take(bytes, copy, 16 * i);
    }
    lane[0] = fold(last, LOAD(fold_near), lane[0]);
    for (at = 64; at + 64 <= length; at += 64) {
      for (int i = 0; i < 4; i++) {
        lane[i] = fold(lane[i], far, take(bytes, copy, at + 16 * i));
      }
    }
    last = lane[3];
    for (int i = 0; i < 3; i++) {
      last = fold(lane[i], LOAD(fold_lanes + 2 * i), last);
    }
  }
  return finish(last, bytes, at, length, copy);
}
#endif

#if defined(__x86_64__)
#define WIDE __attribute__((target("avx512f,vpclmulqdq,pclmul,sse4.1")))

WIDE static inline __m512i fold_512(__m512i from, __m512i constants, __m512i next) {
  return _mm512_ternarylogic_epi64(_mm512_clmulepi64_epi128(from, constants, 0x00),
    _mm512_clmulepi64_epi128(from, constants, 0x11), next, 0x96);
}

WIDE static inline __m512i take_512(const uint8_t *bytes, uint8_t *copy, size_t at) {
  __m512i value = _mm512_loadu_si512(bytes + at);
  if (copy) {
    _mm512_storeu_si512(copy + at, value);
  }
  return value;
}

/* From 64 bytes on it folds blocks of 512 bits, from 256 bytes on four of them in parallel. */
WIDE static uint32_t crc_wide(const uint8_t *header, const uint8_t *bytes, size_t length, uint8_t *copy) {
  if (length < 64) {
    return crc_folded(header, bytes, length, copy);
  }
  const __m512i far = _mm512_broadcast_i32x4(LOAD(fold_far));
  block first = fold(XOR(LOAD(header), ONES), LOAD(fold_near), ZERO);
  __m512i last = _mm512_xor_si512(take_512(bytes, copy, 0), _mm512_zextsi128_si512(first));
  size_t at = 64;
  if (length >= 256) {
    const __m512i wide = _mm512_broadcast_i32x4(LOAD(fold_wide));
    __m512i lane[4] = {last, take_512(bytes, copy, 64), take_512(bytes, copy, 128), take_512(bytes, copy, 192)};
    for (at = 256; at + 256 <= length; at += 256) {
      for (int i = 0; i < 4; i++) {
        lane[i] = fold_512(lane[i], wide, take_512(bytes, copy, at + 64 * i));
      }
    }
    last = fold_512(fold_512(fold_512(lane[0], far, lane[1]), far, lane[2]), far, lane[3]);
  }
  for (; at + 64 <= length; at += 64) {
    last = fold_512(last, far, take_512(bytes, copy, at));
  }
  /* The last of the four neighbours stays where it is: its constants are 0. */
  last = fold_512(last, _mm512_loadu_si512(fold_lanes), _mm512_maskz_mov_epi64(0xC0, last));
  __m256i half = _mm256_xor_si256(_mm512_castsi512_si256(last), _mm512_extracti64x4_epi64(last, 1));
  return finish(XOR(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1)), bytes, at, length, copy);
}
#endif

enum { MAX_FORMS = 3, LONGEST_CHECK = 4200, ALIGNMENTS = 64 };

/* All that were compiled for this machine, the fastest last. */
static struct form forms[MAX_FORMS] = {{"tables", crc_tables, 1}};
static int form_count = 1;
static const struct form *chosen = forms;

static void add_form(const char *name, frame_crc *crc, int usable) {
  forms[form_count] = (struct form) {name, crc, usable};
  chosen = usable ? &forms[form_count] : chosen;
  form_count++;
}

static void choose_crc(void) {
#if defined(__x86_64__)
  make_folds();
  int folds = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
  add_form("pclmulqdq", crc_folded, folds);
  add_form("vpclmulqdq", crc_wide, folds && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("vpclmulqdq"));
#elif defined(__aarch64__)
  unsigned long needed = HWCAP_PMULL | HWCAP_CRC32;
  make_folds();
  add_form("pmull", crc_folded, (getauxval(AT_HWCAP) & needed) == needed);
#endif
}

/* Compares a form with the plain one: a wrong CRC or copy would invalidate the figures. */
static void check(const struct form *form, size_t length, size_t from, size_t to) {
  static uint8_t copy[LONGEST_CHECK + 2 * ALIGNMENTS];
  const uint8_t *header = memory + to, *bytes = memory + 128 + from;
  uint32_t expected = ~run_tables(run_tables(~0u, header, HEADER), bytes, length);
  memset(copy + to, 0, length + 1);
  if (form->crc(header, bytes, length, copy + to) != expected || form->crc(header, bytes, length, NULL) != expected
      || memcmp(copy + to, bytes, length) || copy[to + length]) {
    fprintf(stderr, "udp-limit: the CRC (%s) or the copy of %zu bytes from alignment %zu to %zu is wrong\n", form->name, length,
      from, to);
    exit(2);
  }
}

/* Every start checks every length once; the command "check" checks them at every alignment and in every form. */
static void prepare_crc(void) {
  make_tables();
  choose_crc();
  for (size_t length = 0; length <= LONGEST_CHECK; length++) {
    check(chosen, length, length % ALIGNMENTS, length * 7 % ALIGNMENTS);
  }
}

static int check_all(void) {
  for (int i = 0; i < form_count; i++) {
    for (size_t length = 0; forms[i].usable && length <= LONGEST_CHECK; length++) {
      for (size_t alignment = 0; alignment < ALIGNMENTS; alignment++) {
        check(&forms[i], length, alignment, (alignment + length) % ALIGNMENTS);
      }
    }
  }
  printf("{\"crc\": \"%s\", \"longest\": %d, \"alignments\": %d", chosen->name, LONGEST_CHECK, ALIGNMENTS);
  for (int i = 0; i < form_count; i++) {
    printf(", \"%s\": \"%s\"", forms[i].name, forms[i].usable ? "checked" : "not on this processor");
  }
  puts("}");
  return 0;
}

/* ---- sockets ---- */

static void set_option(int socket, int level, int option, int value, const char *what) {
  if (setsockopt(socket, level, option, &value, sizeof value)) {
    die(what);
  }
}

/* Where a socket is bound: in a network namespace and to an address of it, or on loopback. */
struct place {
  const char *namespace, *address;
};

/* Sockets stay in the namespace in which they are made. */
static void enter(const char *namespace) {
  char path[256];
  snprintf(path, sizeof path, "/run/netns/%s", namespace);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0 || setns(file, CLONE_NEWNET)) {
    die(path);
  }
  close(file);
}

static int bound_socket(const struct place *place, struct sockaddr_in *address) {
  socklen_t length = sizeof *address;
  memset(address, 0, sizeof *address);
  address->sin_family = AF_INET;
  if (place->namespace) {
    enter(place->namespace);
  }
  int s = socket(AF_INET, SOCK_DGRAM, 0);
  if (s < 0 || inet_pton(AF_INET, place->address, &address->sin_addr) != 1
      || bind(s, (struct sockaddr *) address, sizeof *address) || getsockname(s, (struct sockaddr *) address, &length)) {
    die(place->address);
  }
  set_option(s, SOL_SOCKET, SO_RCVBUF, BUFFER_BYTES, "SO_RCVBUF");
  set_option(s, SOL_SOCKET, SO_SNDBUF, BUFFER_BYTES, "SO_SNDBUF");
  return s;
}

static struct place places[2] = {{NULL, "127.0.0.1"}, {NULL, "127.0.0.1"}};

static void socket_pair(int pair[2]) {
  struct sockaddr_in address[2];
  for (int i = 0; i < 2; i++) {
    pair[i] = bound_socket(&places[i], &address[i]);
  }
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

typedef uint64_t pair __attribute__((vector_size(HEADER)));

/* One store of the length in which the CRC loads it: two shorter ones would have to reach the cache first. */
static void put_header(uint8_t *frame, uint64_t number) {
  pair header = {number, 0};
  memcpy(frame, &header, HEADER);
}

/* Copies the payload and computes the CRC in one pass. */
static void build_frame(uint8_t *frame, uint64_t number, size_t place) {
  put_header(frame, number);
  uint32_t crc = chosen->crc(frame, memory + place, payload_bytes, frame + HEADER);
  memcpy(frame + HEADER + payload_bytes, &crc, TRAILER);
}

/* Leaves the payload where it is: the kernel gathers header, payload and CRC. */
static void gather_frame(struct iovec *parts, uint8_t *frame, uint64_t number, size_t place) {
  put_header(frame, number);
  uint32_t crc = chosen->crc(frame, memory + place, payload_bytes, NULL);
  memcpy(frame + HEADER, &crc, TRAILER);
  parts[0] = (struct iovec) {frame, HEADER};
  parts[1] = (struct iovec) {memory + place, payload_bytes};
  parts[2] = (struct iovec) {frame + HEADER, TRAILER};
}

static int consume_frame(const uint8_t *frame, size_t place) {
  uint32_t crc;
  memcpy(&crc, frame + HEADER + payload_bytes, TRAILER);
  return crc == chosen->crc(frame, frame + HEADER, payload_bytes, memory + place);
}

/* The batches alternate between two numbers of frames. */
static void run_sender(int socket, const int numbers[2], uint64_t window) {
  static struct iovec parts[3 * MAX_SEGMENTS];
  int segments = numbers[0], next = 1;
  uint8_t *batch = pages(frame_bytes * MAX_SEGMENTS + 64, MAP_PRIVATE);
  struct msghdr message = {.msg_iov = parts};
  uint64_t sent = 0, acknowledged = 0, acknowledgement;
  size_t place = 0;
  pin(0);
  if (segments > 1) {
    set_option(socket, SOL_UDP_LEVEL, UDP_SEGMENT_OPTION, (int) frame_bytes, "UDP_SEGMENT");
  }
  while (!shared->go) {
  }
  while (!shared->stop) {
    if (sent + segments > acknowledged + window) {
      if (recv(socket, &acknowledgement, sizeof acknowledgement, MSG_DONTWAIT) == sizeof acknowledgement) {
        acknowledged = acknowledgement;
      }
      continue;
    }
    for (int i = 0; i < segments; i++) {
      if (gathers) {
        gather_frame(parts + 3 * i, batch + frame_bytes * i, sent + i, place);
      } else {
        build_frame(batch + frame_bytes * i, sent + i, place);
      }
      place = next_place(place);
    }
    if (!gathers) {
      parts[0] = (struct iovec) {batch, frame_bytes * segments};
    }
    message.msg_iovlen = gathers ? 3 * segments : 1;
    while (sendmsg(socket, &message, 0) < 0 && !shared->stop) {
      if (errno != EAGAIN && errno != ENOBUFS && errno != ECONNREFUSED) {
        die("send");
      }
    }
    sent += segments;
    shared->sent = sent;
    segments = numbers[next];
    next = 1 - next;
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

static int measure_goodput(const char *receive, double seconds) {
  int coalescing = !strcmp(receive, "gro"), single = !strcmp(receive, "single"), pair[2];
  int segments = single ? 1 : (int) (MAX_BATCH / frame_bytes);
  segments = segments > MAX_SEGMENTS ? MAX_SEGMENTS : segments;
  int numbers[2] = {segments, segments};
  if (as_write) {
    /* A batch begins with its longest frame. That of a WRITE is the first of the message; the next, which is shorter, ends the batch. */
    numbers[0] = 2;
    numbers[1] = WRITE_BYTES / (int) payload_bytes - 2;
    if (numbers[1] < 1 || numbers[1] > segments) {
      fprintf(stderr, "udp-limit: write needs gro or mmsg and a payload of 1024 or 4096 bytes: %d frames are no send\n", numbers[1]);
      return 2;
    }
  }
  uint64_t window = WINDOW_BYTES / payload_bytes;
  window = window > WINDOW_FRAMES ? WINDOW_FRAMES : window;
  socket_pair(pair);
  pid_t receiver = fork();
  if (receiver == 0) {
    run_receiver(pair[1], coalescing, coalescing || single ? 1 : RECEIVE_BATCH, window / 8);
    _exit(0);
  }
  while (!shared->ready) {
    usleep(1000);
  }
  pid_t sender = fork();
  if (sender == 0) {
    run_sender(pair[0], numbers, window);
    _exit(0);
  }
  shared->go = 1;
  usleep(200 * 1000);
  double start = now_seconds();
  uint64_t first = shared->received;
  usleep((useconds_t) (seconds * 1e6));
  uint64_t frames = shared->received - first;
  double elapsed = now_seconds() - start;
  /* Negative if the receiver has counted frames that the sender has yet to count. */
  int64_t in_flight = (int64_t) (shared->sent - shared->received);
  shared->stop = 1;
  waitpid(sender, NULL, 0);
  waitpid(receiver, NULL, 0);
  /* Frames beyond the window cannot be in flight: they are lost. */
  int64_t lost = in_flight > (int64_t) window ? in_flight - (int64_t) window : 0;
  printf("{\"gigabits_per_second\": %.4f, \"frames_per_second\": %.0f, \"crc\": \"%s\", \"lost\": %lld, \"corrupted\": %llu}\n",
    frames * 8e-9 * payload_bytes / elapsed, frames / elapsed, chosen->name, (long long) lost,
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

/* The words behind SECONDS; returns whether they are right. */
static int read_rest(int count, char **words) {
  for (int *set; count > 0; count--, words++) {
    set = !strcmp(words[0], "gather") ? &gathers : !strcmp(words[0], "write") ? &as_write : NULL;
    if (!set) {
      break;
    }
    *set = 1;
  }
  if (count == 4) {
    for (int i = 0; i < 2; i++) {
      places[i] = (struct place) {words[2 * i], words[2 * i + 1]};
    }
  }
  return count == 0 || count == 4;
}

static void prepare(void) {
  shared = pages(sizeof *shared, MAP_SHARED);
  memory = pages(MEMORY_BYTES + 4096, MAP_PRIVATE);
  for (size_t i = 0; i < MEMORY_BYTES; i++) {
    memory[i] = (uint8_t) (i * 31 >> 3);
  }
  prepare_crc();
}

int main(int count, char **words) {
  if (count == 2 && !strcmp(words[1], "check")) {
    prepare();
    return check_all();
  }
  if (count >= 5 && read_rest(count - 5, words + 5)) {
    const char *what = words[1], *how = words[3];
    double seconds = atof(words[4]);
    payload_bytes = (size_t) atol(words[2]);
    frame_bytes = HEADER + payload_bytes + TRAILER;
    if (payload_bytes >= 8 && frame_bytes <= MAX_BATCH / 2 && seconds > 0) {
      prepare();
      if (!strcmp(what, "bw") && (!strcmp(how, "gro") || !strcmp(how, "mmsg") || !strcmp(how, "single"))) {
        return measure_goodput(how, seconds);
      }
      if (!strcmp(what, "rtt") && !gathers && !as_write && (!strcmp(how, "spin") || !strcmp(how, "block"))) {
        return measure_round_trips(!strcmp(how, "block"), seconds);
      }
    }
  }
  fprintf(stderr, "usage: udp-limit bw PAYLOAD_BYTES gro|mmsg|single SECONDS [gather] [write] [BETWEEN] | rtt PAYLOAD_BYTES"
    " spin|block SECONDS [BETWEEN] | check; payload 8 to 32000 bytes; BETWEEN is NAMESPACE ADDRESS NAMESPACE ADDRESS\n");
  return 2;
}
