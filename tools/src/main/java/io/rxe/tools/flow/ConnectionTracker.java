package io.rxe.tools.flow;

import io.rxe.wire.Gid;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Collects the packets of a capture and assigns them to connections. A packet carries only its destination queue pair. Responses carry
 * the PSNs of their requests, which shows the two streams that belong together.
 */
public final class ConnectionTracker {
    private static final int UNKNOWN_QPN = -1;

    private final Map<StreamKey, Stream> streams = new LinkedHashMap<>();
    private final Map<HostPair, Map<Integer, Set<Stream>>> requestPsns = new HashMap<>();
    private final Map<StreamPair, Integer> evidence = new HashMap<>();
    private long position;
    private long originNs;

    private record StreamKey(Gid source, Gid destination, int qpn, int sourceQpn) {
    }

    private record HostPair(Gid source, Gid destination) {
    }

    private record StreamPair(Stream one, Stream other) {
    }

    private record Placed(long position, FlowPacket packet) {
    }

    /** Packets from one host to one queue pair; compared by identity. */
    private static final class Stream {
        private final StreamKey key;
        private final List<Placed> packets = new ArrayList<>();
        private Stream partner;

        Stream(StreamKey key) {
            this.key = key;
        }
    }

    /** Adds the next packet of the capture. */
    public void add(FlowPacket packet) {
        StreamKey key = new StreamKey(packet.source(), packet.destination(), packet.qpn(), packet.sourceQpn());
        Stream stream = streams.computeIfAbsent(key, Stream::new);
        originNs = position == 0 ? packet.timeNs() : originNs;
        stream.packets.add(new Placed(position++, packet));
        if (packet.opcode() == null || packet.invalidReason() != null) {
            return;
        }
        if (packet.sourceQpn() >= 0) {
            pairDatagrams(stream);
        } else if (packet.isRequest()) {
            requestPsns.computeIfAbsent(new HostPair(packet.source(), packet.destination()), pair -> new HashMap<>())
                .computeIfAbsent(packet.psn(), psn -> new HashSet<>()).add(stream);
        } else {
            requestPsns.getOrDefault(new HostPair(packet.destination(), packet.source()), Map.of())
                .getOrDefault(packet.psn(), Set.of()).stream().filter(request -> request != stream)
                .forEach(request -> evidence.merge(new StreamPair(request, stream), 1, Integer::sum));
        }
    }

    /** Datagrams carry their source queue pair. */
    private void pairDatagrams(Stream stream) {
        if (stream.partner == null) {
            StreamKey key = stream.key;
            StreamKey back = new StreamKey(key.destination(), key.source(), key.sourceQpn(), key.qpn());
            Stream other = streams.get(back);
            if (other != null && other.partner == null) {
                stream.partner = other;
                other.partner = stream;
            }
        }
    }

    /** The connections, in the order of their first packets. */
    public List<Connection> connections() {
        pair();
        List<Connection> found = new ArrayList<>();
        Set<Stream> done = new HashSet<>();
        for (Stream stream : streams.values()) {
            if (done.add(stream)) {
                found.add(connection(stream));
                done.add(stream.partner);
            }
        }
        return found;
    }

    /** Pairs streams in the order of their evidence. */
    private void pair() {
        evidence.entrySet().stream().sorted(Comparator.comparingInt((Map.Entry<StreamPair, Integer> entry) -> -entry.getValue())
            .thenComparingLong(entry -> entry.getKey().one().packets.get(0).position())).forEach(entry -> {
                Stream one = entry.getKey().one();
                Stream other = entry.getKey().other();
                if (one.partner == null && other.partner == null) {
                    one.partner = other;
                    other.partner = one;
                }
            });
        pairByElimination();
    }

    /** Without responses (UC, or a dead peer) pairs two streams if there are no others between their hosts. */
    private void pairByElimination() {
        Map<HostPair, List<Stream>> unpaired = new LinkedHashMap<>();
        for (Stream stream : streams.values()) {
            if (stream.partner == null && stream.key.sourceQpn() < 0) {
                unpaired.computeIfAbsent(new HostPair(stream.key.source(), stream.key.destination()), pair ->
                    new ArrayList<>()).add(stream);
            }
        }
        unpaired.forEach((hosts, there) -> {
            List<Stream> back = unpaired.getOrDefault(new HostPair(hosts.destination(), hosts.source()), List.of());
            if (there.size() == 1 && back.size() == 1 && there.get(0) != back.get(0)) {
                there.get(0).partner = back.get(0);
                back.get(0).partner = there.get(0);
            }
        });
    }

    private Connection connection(Stream stream) {
        List<Placed> placed = new ArrayList<>(stream.packets);
        if (stream.partner != null) {
            placed.addAll(stream.partner.packets);
            placed.sort(Comparator.comparingLong(Placed::position));
        }
        int leftQpn = stream.partner != null ? stream.partner.key.qpn()
            : stream.key.sourceQpn() >= 0 ? stream.key.sourceQpn() : UNKNOWN_QPN;
        return new Connection(leftQpn, stream.key.qpn(), placed.stream().map(Placed::packet).toList(), originNs);
    }

    /** One line for all connections. */
    public static String total(List<Connection> connections) {
        long requests = 0;
        long responses = 0;
        long retransmitted = 0;
        long naks = 0;
        long rnrNaks = 0;
        long gaps = 0;
        int clean = 0;
        for (Connection connection : connections) {
            clean += connection.isClean() ? 1 : 0;
            for (FlowStatistics side : List.of(connection.leftStatistics(), connection.rightStatistics())) {
                requests += side.requests();
                responses += side.responses();
                retransmitted += side.requestsRetransmitted() + side.responsesRetransmitted();
                naks += side.naks();
                rnrNaks += side.rnrNaks();
                gaps += side.gaps();
            }
        }
        long needed = requests + responses - retransmitted;
        return String.format(Locale.ROOT, "connections: %,d, %,d without anomalies; %,d requests, %,d READ responses,"
            + " %,d of both retransmitted (amplification %.2f), %,d gaps, %,d NAKs, %,d RNR NAKs%n", connections.size(), clean, requests,
            responses, retransmitted, needed == 0 ? 1.0 : (double) (requests + responses) / needed, gaps, naks, rnrNaks)
            .replace(System.lineSeparator(), "\n");
    }
}
