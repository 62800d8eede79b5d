package io.rxe.testkit.agent;

import io.rxe.counters.NicCounter;
import io.rxe.net.RxeNic;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.AllocatedRegion;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.Operation;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.Gid;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * The commands of the agent on one connection. The client names the objects it creates; they are closed with the session.
 *
 * <p>One thread at a time.
 */
final class AgentSession implements AutoCloseable {
    private static final long POLL_PAUSE_NS = TimeUnit.MICROSECONDS.toNanos(20);

    private final RxeNic nic;
    private final ProtectionDomain domain;
    private final Map<String, Object> objects = new LinkedHashMap<>();
    private final WorkRequest workRequest = new WorkRequest();
    private final ReceiveRequest receiveRequest = new ReceiveRequest();
    private final WorkCompletion completion = new WorkCompletion();

    /** A command: a word, then {@code key=value} words. */
    private record Line(String word, Map<String, String> values) {
        static Line parse(String text) {
            String[] words = text.split(" ");
            return new Line(words[0], Arrays.stream(words).skip(1).map(pair -> pair.split("=", 2))
                .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1])));
        }

        String text(String key) {
            return Objects.requireNonNull(values.get(key), () -> word + " needs " + key + "=...");
        }

        long number(String key) {
            return Long.parseUnsignedLong(text(key));
        }

        int integer(String key) {
            return (int) number(key);
        }

        /** Items between commas; none when the key is missing or its value empty. */
        List<String> list(String key) {
            return values.getOrDefault(key, "").isEmpty() ? List.of() : List.of(text(key).split(","));
        }
    }

    private record Memory(ByteBuffer buffer, MemoryRegion region) {
    }

    AgentSession(RxeNic nic) {
        this.nic = nic;
        domain = nic.device().allocateProtectionDomain();
    }

    /** Returns the reply to a line: {@code ok key=value ...} or {@code error reason}. */
    String reply(String text) {
        try {
            StringBuilder reply = new StringBuilder("ok");
            execute(Line.parse(text)).forEach((key, value) -> reply.append(' ').append(key).append('=').append(value));
            return reply.toString();
        } catch (RuntimeException e) {
            return "error " + e.getClass().getSimpleName() + ": " + String.valueOf(e.getMessage()).replaceAll("\\s+", " ");
        }
    }

    private Map<String, ?> execute(Line line) {
        return switch (line.word()) {
            case "open" -> Map.of("gid", nic.device().gid().toWireString(), "kind", "java");
            case "mr" -> registerMemory(line);
            case "write" -> {
                find(line.text("name"), Memory.class).buffer().put(line.integer("offset"), HexFormat.of().parseHex(line.text("data")));
                yield Map.of();
            }
            case "hash" -> Map.of("sha256", sha256(line));
            case "cq" -> Map.of("depth", keep(line, nic.device().createCompletionQueue(line.integer("depth"))).capacity());
            case "qp" -> createQueuePair(line);
            case "modify" -> modify(line);
            case "query" -> Map.of("state", find(line.text("name"), QueuePair.class).state() == QueuePairState.ERROR ? "ERR"
                : find(line.text("name"), QueuePair.class).state());
            case "region" -> {
                keep(line, domain.allocateRegion(1));
                yield Map.of();
            }
            case "register" -> registerFast(line);
            case "recv" -> receive(line);
            case "send" -> send(line);
            case "poll" -> poll(line);
            case "counters" -> Arrays.stream(NicCounter.values()).collect(Collectors.toMap(NicCounter::label, nic.core()::counter));
            default -> throw new IllegalArgumentException("no command '" + line.word() + "': the agent in Python has more");
        };
    }

    private Map<String, ?> registerMemory(Line line) {
        int access = access(line);
        int lengthBytes = line.integer("length");
        ByteBuffer buffer = (access & AccessFlags.FLUSH_PERSISTENT) == 0 ? ByteBuffer.allocateDirect(lengthBytes) : mapFile(lengthBytes);
        MemoryRegion region = domain.register(buffer, access);
        keep(line, new Memory(buffer, region));
        return Map.of("addr", Long.toUnsignedString(region.address()), "lkey", Integer.toUnsignedString(region.lKey()),
            "rkey", Integer.toUnsignedString(region.rKey()));
    }

    /** Maps a file that goes when the memory is no longer used: only such memory can be persistent. */
    private static ByteBuffer mapFile(int lengthBytes) {
        try {
            Path file = Files.createTempFile("rxe-agent", null);
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                return channel.map(FileChannel.MapMode.READ_WRITE, 0, lengthBytes);
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot map a temporary file of " + lengthBytes + " bytes", e);
        }
    }

    /** The bits of rights by their names in {@link AccessFlags}, in lower case. */
    private static int access(Line line) {
        int flags = 0;
        try {
            for (String word : line.list("access")) {
                flags |= AccessFlags.class.getField(word.toUpperCase(Locale.ROOT)).getInt(null);
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException("no such access right: " + e.getMessage(), e);
        }
        return flags;
    }

    private String sha256(Line line) {
        ByteBuffer part = find(line.text("name"), Memory.class).buffer().slice(line.integer("offset"), line.integer("length"));
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(part);
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    private Map<String, ?> createQueuePair(Line line) {
        CompletionQueue completions = find(line.text("cq"), CompletionQueue.class);
        QueuePairConfig config = QueuePairConfig.of(QueuePairType.RC, completions, completions)
            .withRequests(line.integer("wr"), line.integer("wr")).withElements(line.integer("sge"), line.integer("sge"));
        return Map.of("qpn", keep(line, domain.createQueuePair(config)).number());
    }

    private Map<String, ?> modify(Line line) {
        QueuePairAttributes attributes = QueuePairAttributes.to(QueuePairState.valueOf(line.text("state")));
        for (String key : line.values().keySet()) {
            switch (key) {
                case "access" -> attributes.accessFlags(access(line));
                case "pkey_index" -> attributes.partitionKeyIndex(line.integer(key));
                case "port" -> attributes.port(line.integer(key));
                case "dest_gid" -> attributes.addressVector(AddressVector.to(Gid.parse(line.text(key))));
                case "mtu" -> attributes.pathMtu(PathMtu.ofBytes(line.integer(key)));
                case "dest_qpn" -> attributes.destinationQpn(line.integer(key));
                case "rq_psn" -> attributes.receivePsn(line.integer(key));
                case "max_dest_rd_atomic" -> attributes.maxDestRdAtomic(line.integer(key));
                case "min_rnr_timer" -> attributes.minRnrTimer(line.integer(key));
                case "sq_psn" -> attributes.sendPsn(line.integer(key));
                case "timeout" -> attributes.timeout(line.integer(key));
                case "retry_cnt" -> attributes.retryCount(line.integer(key));
                case "rnr_retry" -> attributes.rnrRetry(line.integer(key));
                case "max_rd_atomic" -> attributes.maxRdAtomic(line.integer(key));
                case "keep_alive_ms" -> attributes.keepAliveNs(TimeUnit.MILLISECONDS.toNanos(line.integer(key)));
                default -> { }
            }
        }
        find(line.text("name"), QueuePair.class).modify(attributes);
        return Map.of();
    }

    /** Posts a REG_MR of a part of registered memory. Returns its address and its new key. */
    private Map<String, ?> registerFast(Line line) {
        AllocatedRegion region = find(line.text("region"), AllocatedRegion.class);
        ByteBuffer part = find(line.text("mr"), Memory.class).buffer().slice(line.integer("offset"), line.integer("length"));
        region.map(ProtectionDomain.OWN_ADDRESS, part);
        find(line.text("name"), QueuePair.class)
            .postSend(workRequest.clear().id(line.number("wr_id")).registerMemory(region, region.nextKey(), access(line)));
        return Map.of("addr", Long.toUnsignedString(region.address()), "rkey", Integer.toUnsignedString(region.rKey()));
    }

    private Map<String, ?> receive(Line line) {
        receiveRequest.clear().id(line.number("wr_id"));
        for (String element : line.list("sge")) {
            String[] words = element.split(":");
            receiveRequest.add(find(words[0], Memory.class).region(), Long.parseLong(words[1]), Integer.parseInt(words[2]));
        }
        return Map.of("posted", find(line.text("name"), QueuePair.class).postReceive(receiveRequest));
    }

    private Map<String, ?> send(Line line) {
        workRequest.clear().id(line.number("wr_id"));
        switch (line.text("opcode")) {
            case "SEND" -> workRequest.send();
            case "READ" -> workRequest.read(line.number("remote"), line.integer("rkey"));
            case "FETCH_ADD" -> workRequest.fetchAndAdd(line.number("remote"), line.integer("rkey"), line.number("add"));
            case "LOCAL_INV" -> workRequest.localInvalidate(line.integer("inv_rkey"));
            default -> throw new IllegalArgumentException("no opcode '" + line.text("opcode") + "': the agent in Python has more");
        }
        for (String element : line.list("sge")) {
            String[] words = element.split(":");
            workRequest.add(find(words[0], Memory.class).region(), Long.parseLong(words[1]), Integer.parseInt(words[2]));
        }
        return Map.of("posted", find(line.text("name"), QueuePair.class).postSend(workRequest.signaled(true)));
    }

    /** Returns count completions, or as many as arrived within timeout_ms. */
    private Map<String, ?> poll(Line line) {
        Map<String, Object> reply = new LinkedHashMap<>();
        long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(line.number("timeout_ms"));
        CompletionQueue queue = find(line.text("name"), CompletionQueue.class);
        do {
            while (reply.size() < line.integer("count") && queue.poll(completion)) {
                reply.put("wc" + reply.size(), completed());
            }
            LockSupport.parkNanos(POLL_PAUSE_NS);
        } while (reply.size() < line.integer("count") && System.nanoTime() - deadlineNs < 0);
        reply.put("n", reply.size());
        return reply;
    }

    /** {@code wr_id:status:opcode:byte_len:imm}; after an error only wr_id and status are defined. */
    private String completed() {
        String operation = completion.operation() == Operation.RECEIVE ? "RECV" : String.valueOf(completion.operation());
        return completion.workRequestId() + ":" + completion.status() + ":"
            + (completion.isSuccess() ? operation + ":" + completion.byteLength() : "-:0") + ":-";
    }

    private <T> T keep(Line line, T object) {
        objects.put(line.text("name"), object);
        return object;
    }

    private <T> T find(String name, Class<T> type) {
        Object object = objects.get(name);
        if (!type.isInstance(object)) {
            throw new IllegalArgumentException("no " + type.getSimpleName() + " named " + name);
        }
        return type.cast(object);
    }

    /** Closes queue pairs before what they use. */
    @Override
    public void close() {
        objects.values().stream().filter(QueuePair.class::isInstance).forEach(AgentSession::close);
        objects.values().stream().filter(object -> !(object instanceof QueuePair)).forEach(AgentSession::close);
        domain.close();
    }

    private static void close(Object object) {
        try {
            if (object instanceof AutoCloseable closeable) {
                closeable.close();
            } else if (object instanceof Memory memory) {
                memory.region().close();
            }
        } catch (Exception e) {
            throw new IllegalStateException("closing failed: " + e.getMessage(), e);
        }
    }
}
