package io.rxe.testkit.agent;

import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressHandle;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.Device;
import io.rxe.verbs.FlushLevel;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.MemoryWindow;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.SharedReceiveQueue;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.Gid;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The commands of the agent on one connection. The client names the objects it creates; they are closed with the session.
 *
 * <p>One thread at a time.
 */
final class AgentSession implements AutoCloseable {
    private static final long POLL_PAUSE_NS = TimeUnit.MICROSECONDS.toNanos(20);

    private final Device device;
    private final Supplier<Map<String, Long>> counters;
    private final ProtectionDomain domain;
    private final Map<String, Object> objects = new LinkedHashMap<>();
    private final WorkRequest workRequest = new WorkRequest();
    private final ReceiveRequest receiveRequest = new ReceiveRequest();
    private final WorkCompletion completion = new WorkCompletion();
    private final AgentKeys keys = new AgentKeys(objects::get);
    private long patternSeed = -1;
    private FillPattern pattern;

    /** @param counters reads the NIC's counters, by label. */
    AgentSession(Device device, Supplier<Map<String, Long>> counters) {
        this.device = device;
        this.counters = counters;
        domain = device.allocateProtectionDomain();
    }

    /** Returns the reply to a line: {@code ok key=value ...} or {@code error reason}. */
    String reply(String text) {
        try {
            AgentLine line = AgentLine.parse(text);
            StringBuilder reply = new StringBuilder("ok");
            execute(line).forEach((key, value) -> reply.append(' ').append(key).append('=').append(value));
            return reply.toString();
        } catch (RuntimeException e) {
            return "error " + e.getClass().getSimpleName() + ": " + String.valueOf(e.getMessage()).replaceAll("\\s+", " ");
        }
    }

    private Map<String, Object> execute(AgentLine line) {
        switch (line.word()) {
            case "pd" -> keep(line, device.allocateProtectionDomain());
            case "fill" -> fill(find(line, AgentMemory.class).buffer(), line.number("seed"), line.integer("offset"),
                line.integer("length"));
            case "write" -> find(line, AgentMemory.class).buffer()
                .put(line.integer("offset"), HexFormat.of().parseHex(line.text("data")));
            case "modify" -> modify(line);
            case "srq" -> keep(line, domain(line).createSharedReceiveQueue(line.integer("depth"), line.integer("sge", 1)));
            case "srq_limit" -> find(line, SharedReceiveQueue.class).armLimit(line.integer("limit"));
            case "ah" -> keep(line, domain(line).createAddressHandle(AddressVector.to(Gid.parse(line.text("dest_gid")))));
            case "region" -> keep(line, domain(line).allocateRegion(line.integer("buffers", 1)));
            case "rereg" -> keys.reregister(line);
            case "resize" -> find(line, CompletionQueue.class).resize(line.integer("depth"));
            case "recv" -> receive(line);
            case "send" -> send(line);
            case "destroy" -> destroy(line.text("name"));
            default -> {
                return query(line);
            }
        }
        return Map.of();
    }

    private Map<String, Object> query(AgentLine line) {
        return switch (line.word()) {
            case "open" -> values("gid", device.gid().toWireString(), "mtu", device.portMtu().bytes(), "kind", "rxe");
            case "mr" -> registerMemory(line);
            case "read" -> values("data", HexFormat.of().formatHex(find(line, AgentMemory.class)
                .read(line.integer("offset"), line.integer("length"))));
            case "hash" -> values("sha256", HexFormat.of().formatHex(find(line, AgentMemory.class)
                .sha256(line.integer("offset"), line.integer("length"))));
            case "cq" -> values("depth", keep(line, device.createCompletionQueue(line.integer("depth"))).capacity());
            case "mw" -> values("rkey", Integer.toUnsignedString(keep(line, AgentKeys.allocateWindow(domain(line), line)).rKey()));
            case "bind" -> keys.bind(line);
            case "register" -> keys.register(line);
            case "qp" -> createQueuePair(line);
            case "query" -> query(find(line, QueuePair.class));
            case "poll" -> poll(line);
            case "event" -> event(line);
            case "counters" -> new LinkedHashMap<>(counters.get());
            default -> throw new IllegalArgumentException("unknown command " + line.word());
        };
    }

    private Map<String, Object> registerMemory(AgentLine line) {
        int lengthBytes = line.integer("length");
        int access = AgentParser.access(line.list("access", ""));
        ByteBuffer buffer = (access & AccessFlags.FLUSH_PERSISTENT) == 0 ? ByteBuffer.allocateDirect(lengthBytes)
            : AgentMemory.mapFile(lengthBytes);
        if (line.has("seed")) {
            fill(buffer, line.number("seed"), 0, lengthBytes);
        }
        MemoryRegion region = domain(line).register(buffer, access);
        keep(line, new AgentMemory(buffer, region));
        return values("addr", Long.toUnsignedString(region.address()), "lkey", Integer.toUnsignedString(region.lKey()),
            "rkey", Integer.toUnsignedString(region.rKey()));
    }

    private void fill(ByteBuffer buffer, long seed, int offset, int lengthBytes) {
        if (pattern == null || patternSeed != seed) {
            pattern = new FillPattern(seed);
            patternSeed = seed;
        }
        pattern.fill(buffer, offset, lengthBytes);
    }

    private Map<String, Object> createQueuePair(AgentLine line) {
        CompletionQueue sendCompletions = find(line.text("cq"), CompletionQueue.class);
        CompletionQueue receiveCompletions = find(line.text("recv_cq", line.text("cq")), CompletionQueue.class);
        QueuePairConfig config = QueuePairConfig.of(QueuePairType.valueOf(line.text("type", "RC")), sendCompletions, receiveCompletions)
            .withRequests(line.integer("send_wr", 16), line.integer("recv_wr", 16))
            .withElements(line.integer("send_sge", 1), line.integer("recv_sge", 1))
            .withInline(line.integer("inline", 0)).withSignalAll(line.integer("sig_all", 0) != 0)
            .withSharedReceiveQueue(line.has("srq") ? find(line.text("srq"), SharedReceiveQueue.class) : null);
        return values("qpn", keep(line, domain(line).createQueuePair(config)).number());
    }

    /** Sets exactly the attributes that are named, so that a case can also test a wrong set. */
    private void modify(AgentLine line) {
        QueuePairAttributes attributes = QueuePairAttributes.to(AgentParser.state(line.text("state")));
        if (line.has("access")) {
            attributes.accessFlags(AgentParser.access(line.list("access", "")));
        }
        if (line.has("pkey_index")) {
            attributes.partitionKeyIndex(line.integer("pkey_index"));
        }
        if (line.has("port")) {
            attributes.port(line.integer("port"));
        }
        if (line.has("qkey")) {
            attributes.queueKey(line.integer("qkey"));
        }
        if (line.has("sqd_notify")) {
            attributes.drainedNotification(line.integer("sqd_notify") != 0);
        }
        modifyToReceive(attributes, line);
        modifyToSend(attributes, line);
        find(line, QueuePair.class).modify(attributes);
    }

    private static void modifyToReceive(QueuePairAttributes attributes, AgentLine line) {
        if (line.has("dest_gid")) {
            attributes.addressVector(AddressVector.to(Gid.parse(line.text("dest_gid"))));
        }
        if (line.has("mtu")) {
            attributes.pathMtu(PathMtu.ofBytes(line.integer("mtu")));
        }
        if (line.has("dest_qpn")) {
            attributes.destinationQpn(line.integer("dest_qpn"));
        }
        if (line.has("rq_psn")) {
            attributes.receivePsn(line.integer("rq_psn"));
        }
        if (line.has("max_dest_rd_atomic")) {
            attributes.maxDestRdAtomic(line.integer("max_dest_rd_atomic"));
        }
        if (line.has("min_rnr_timer")) {
            attributes.minRnrTimer(line.integer("min_rnr_timer"));
        }
    }

    private static void modifyToSend(QueuePairAttributes attributes, AgentLine line) {
        if (line.has("sq_psn")) {
            attributes.sendPsn(line.integer("sq_psn"));
        }
        if (line.has("timeout")) {
            attributes.timeout(line.integer("timeout"));
        }
        if (line.has("retry_cnt")) {
            attributes.retryCount(line.integer("retry_cnt"));
        }
        if (line.has("rnr_retry")) {
            attributes.rnrRetry(line.integer("rnr_retry"));
        }
        if (line.has("max_rd_atomic")) {
            attributes.maxRdAtomic(line.integer("max_rd_atomic"));
        }
        if (line.has("keep_alive_ms")) {
            attributes.keepAliveNs(TimeUnit.MILLISECONDS.toNanos(line.integer("keep_alive_ms")));
        }
    }

    private static Map<String, Object> query(QueuePair queuePair) {
        QueuePairAttributes attributes = queuePair.query();
        return values("state", AgentParser.word(queuePair.state()), "sq_psn", attributes.sendPsn(), "rq_psn", attributes.receivePsn());
    }

    private void receive(AgentLine line) {
        receiveRequest.clear().id(line.number("wr_id"));
        for (String element : line.list("sge", "")) {
            String[] words = element.split(":");
            if ("raw".equals(words[0])) {
                receiveRequest.add(AgentLine.number("address", words[1]), size(words[2]), (int) AgentLine.number("lkey", words[3]));
            } else {
                receiveRequest.add(find(words[0], AgentMemory.class).region(), AgentLine.number("offset", words[1]), size(words[2]));
            }
        }
        Object queue = find(line, Object.class);
        boolean posted = queue instanceof SharedReceiveQueue shared ? shared.postReceive(receiveRequest)
            : find(line, QueuePair.class).postReceive(receiveRequest);
        if (!posted) {
            throw new IllegalStateException("the receive queue is full");
        }
    }

    private void send(AgentLine line) {
        describe(workRequest.clear().id(line.number("wr_id")), line);
        for (String element : line.list("sge", "")) {
            String[] words = element.split(":");
            if ("raw".equals(words[0])) {
                workRequest.add(AgentLine.number("address", words[1]), size(words[2]), (int) AgentLine.number("lkey", words[3]));
            } else {
                workRequest.add(find(words[0], AgentMemory.class).region(), AgentLine.number("offset", words[1]), size(words[2]));
            }
        }
        if (line.has("ah")) {
            workRequest.to(find(line.text("ah"), AddressHandle.class), line.integer("dest_qpn"), line.integer("qkey"));
        }
        workRequest.signaled(false);
        for (String flag : line.list("flags", "signaled")) {
            switch (flag) {
                case "signaled" -> workRequest.signaled(true);
                case "solicited" -> workRequest.solicited(true);
                case "fence" -> workRequest.fence(true);
                case "inline" -> workRequest.clearElements().inline(inlineData(line));
                default -> throw new IllegalArgumentException("flag '" + flag + "': use signaled, solicited, fence, inline");
            }
        }
        if (!find(line, QueuePair.class).postSend(workRequest)) {
            throw new IllegalStateException("the send queue is full");
        }
    }

    private static void describe(WorkRequest request, AgentLine line) {
        switch (AgentParser.operation(line.text("opcode"))) {
            case SEND -> request.send();
            case SEND_WITH_IMMEDIATE -> request.sendWithImmediate(line.integer("imm"));
            case SEND_WITH_INVALIDATE -> request.sendWithInvalidate(line.integer("inv_rkey"));
            case RDMA_WRITE -> request.write(line.number("remote"), line.integer("rkey"));
            case RDMA_WRITE_WITH_IMMEDIATE -> request.writeWithImmediate(line.number("remote"), line.integer("rkey"),
                line.integer("imm"));
            case RDMA_READ -> request.read(line.number("remote"), line.integer("rkey"));
            case COMPARE_AND_SWAP -> request.compareAndSwap(line.number("remote"), line.integer("rkey"), line.number("compare"),
                line.number("swap"));
            case FETCH_AND_ADD -> request.fetchAndAdd(line.number("remote"), line.integer("rkey"), line.number("add"));
            case ATOMIC_WRITE -> request.atomicWrite(line.number("remote"), line.integer("rkey"));
            case FLUSH -> request.flush(line.number("remote"), line.integer("rkey"), line.number("length"), line.integer("type"),
                line.integer("level") == 0 ? FlushLevel.RANGE : FlushLevel.REGION);
            case LOCAL_INV -> request.localInvalidate(line.integer("inv_rkey"));
            case BIND_MW, REG_MR, RECEIVE, RECEIVE_RDMA_WITH_IMMEDIATE ->
                throw new IllegalStateException("not an opcode of a send request");
        }
    }

    /** Copies the bytes of all elements into one buffer, for inline data. */
    private ByteBuffer inlineData(AgentLine line) {
        ByteBuffer data = ByteBuffer.allocate(QueuePairConfig.MAX_INLINE_BYTES);
        for (String element : line.list("sge", "")) {
            String[] words = element.split(":");
            data.put(find(words[0], AgentMemory.class).read((int) AgentLine.number("offset", words[1]), size(words[2])));
        }
        return data.flip();
    }

    private static int size(String text) {
        return (int) AgentLine.number("length", text);
    }

    /** Returns count completions, or as many as arrived within timeout_ms. */
    private Map<String, Object> poll(AgentLine line) {
        CompletionQueue queue = find(line, CompletionQueue.class);
        int count = line.integer("count");
        Map<String, Object> reply = values("n", 0);
        await(line.number("timeout_ms"), () -> {
            int found = reply.size() - 1;
            while (found < count && queue.poll(completion)) {
                reply.put("wc" + found, AgentParser.word(completion));
                found++;
                if (!completion.explanation().isEmpty()) {
                    System.err.println(completion);
                }
            }
            return found >= count;
        });
        reply.put("n", reply.size() - 1);
        return reply;
    }

    /** Returns the next asynchronous event, or none if there is none within timeout_ms. */
    private Map<String, Object> event(AgentLine line) {
        AsyncEvent[] found = new AsyncEvent[1];
        await(line.number("timeout_ms"), () -> {
            found[0] = device.pollAsyncEvent();
            return found[0] != null;
        });
        return values("event", found[0] == null ? "none" : found[0].type());
    }

    private static void await(long timeoutMs, BooleanSupplier isDone) {
        long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        while (!isDone.getAsBoolean() && System.nanoTime() - deadlineNs < 0) {
            LockSupport.parkNanos(POLL_PAUSE_NS);
        }
    }

    private ProtectionDomain domain(AgentLine line) {
        return line.has("pd") ? find(line.text("pd"), ProtectionDomain.class) : domain;
    }

    private <T> T keep(AgentLine line, T object) {
        objects.put(line.text("name"), object);
        return object;
    }

    private <T> T find(AgentLine line, Class<T> type) {
        return find(line.text("name"), type);
    }

    private <T> T find(String name, Class<T> type) {
        Object object = objects.get(name);
        if (!type.isInstance(object)) {
            throw new IllegalArgumentException("no " + type.getSimpleName() + " named " + name);
        }
        return type.cast(object);
    }

    private void destroy(String name) {
        Object object = objects.remove(name);
        if (object == null) {
            throw new IllegalArgumentException("no object named " + name);
        }
        close(object);
    }

    private static void close(Object object) {
        try {
            if (object instanceof AutoCloseable closeable) {
                closeable.close();
            }
        } catch (Exception e) {
            throw new IllegalStateException("closing failed: " + e.getMessage(), e);
        }
    }

    private static Map<String, Object> values(Object... pairs) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            map.put((String) pairs[i], pairs[i + 1]);
        }
        return map;
    }

    /** Closes the objects that the client left open: first queue pairs, which use the others, then windows, which use regions. */
    @Override
    public void close() {
        objects.values().stream().filter(QueuePair.class::isInstance).forEach(AgentSession::close);
        objects.values().stream().filter(MemoryWindow.class::isInstance).forEach(AgentSession::close);
        objects.values().stream().filter(object -> !(object instanceof QueuePair || object instanceof MemoryWindow))
            .forEach(AgentSession::close);
        objects.clear();
        domain.close();
    }
}
