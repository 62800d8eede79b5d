package io.rxe.tools.flow;

import io.rxe.wire.Gid;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Assigns the packets of a capture to connections, in two passes over the capture. A packet carries only its destination queue pair.
 * Responses carry the PSNs of their requests, which shows the two streams that belong together: the first pass collects this evidence,
 * the second one gives each packet to its connection. No packet is kept, so that memory depends on the number of queue pairs, not on the
 * length of the capture.
 */
public final class ConnectionTracker {
    /** Most queue pairs followed; packets to further ones are counted only. */
    public static final int MAX_STREAMS = 16_384;
    private static final int UNKNOWN_QPN = -1;
    /** Latest requests whose responses are recognized. */
    private static final int MAX_REQUESTS = 1 << 15;
    /** Streams to one host whose latest request has the same PSN; more prove nothing. */
    private static final int MAX_ALIKE = 16;
    /** Responses that fit the requests of one stream, after which no other can be meant. */
    private static final int ENOUGH = 1024;
    /** Possible partners of a stream. */
    private static final int MAX_CANDIDATES = 32;

    private final Map<StreamKey, Stream> streams = new LinkedHashMap<>();
    private final Map<RequestKey, Set<Stream>> requests = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<RequestKey, Set<Stream>> eldest) {
            return size() > MAX_REQUESTS;
        }
    };
    private final List<Connection> connections = new ArrayList<>();
    /** Codes of REQs. */
    private final Map<End, Integer> ackTimeouts = new HashMap<>();
    private long originNs;
    private long packets;
    private long notFollowed;

    private record StreamKey(Gid source, Gid destination, int qpn, int sourceQpn) {
        /** That of a record takes several times as long, and every packet needs it. */
        @Override
        public int hashCode() {
            return 31 * hash(source, destination, qpn) + sourceQpn;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof StreamKey key && qpn == key.qpn && sourceQpn == key.sourceQpn && source.equals(key.source)
                && destination.equals(key.destination);
        }

        static StreamKey of(FlowPacket packet) {
            return new StreamKey(packet.source(), packet.destination(), packet.qpn(), packet.sourceQpn());
        }
    }

    private static int hash(Gid source, Gid destination, int number) {
        long hosts = 31 * (source.high() ^ source.low()) + (destination.high() ^ destination.low());
        return 31 * (int) (hosts ^ hosts >>> 32) + number;
    }

    private record RequestKey(Gid source, Gid destination, int psn) {
        @Override
        public int hashCode() {
            return hash(source, destination, psn);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof RequestKey key && psn == key.psn && source.equals(key.source) && destination.equals(key.destination);
        }
    }

    /** A queue pair. */
    private record End(Gid address, int qpn) {
    }

    private record HostPair(Gid source, Gid destination) {
    }

    private record Evidence(Stream request, Stream response, int count) {
    }

    /** Packets from one host to one queue pair; compared by identity. */
    private static final class Stream {
        private final StreamKey key;
        private final int index;
        /** Of a stream of responses: how many of them fit the requests of each other stream. */
        private final Map<Stream, Integer> candidates = new HashMap<>();
        private int mtu;
        /** Whether its first packet has MigReq 1. */
        private boolean migrating;
        /** Whether any of its packets has MigReq 0. */
        private boolean armed;
        private long packets;
        /** Whether more evidence would change nothing: one stream has nearly all of it. */
        private boolean settled;
        private Stream partner;
        private Connection connection;

        Stream(StreamKey key, int index) {
            this.key = key;
            this.index = index;
        }

        /** Packets in both directions. */
        long pairPackets() {
            return packets + (partner == null ? 0 : partner.packets);
        }

        void addEvidence(Stream request) {
            if (candidates.size() >= MAX_CANDIDATES && !candidates.containsKey(request)) {
                candidates.remove(Collections.min(candidates.entrySet(), Map.Entry.comparingByValue()).getKey());
            }
            int count = candidates.merge(request, 1, Integer::sum);
            if (count == ENOUGH && candidates.values().stream().mapToInt(Integer::intValue).sum() < ENOUGH + ENOUGH / 8) {
                settled = true;
                request.settled = true;
            }
        }
    }

    /** First pass: adds the next packet of the capture. */
    public void add(FlowPacket packet) {
        originNs = packets++ == 0 ? packet.timeNs() : originNs;
        StreamKey key = StreamKey.of(packet);
        Stream stream = streams.get(key);
        if (stream == null) {
            if (streams.size() == MAX_STREAMS) {
                notFollowed++;
                return;
            }
            stream = new Stream(key, streams.size());
            stream.migrating = packet.migrating();
            streams.put(key, stream);
        }
        stream.packets++;
        stream.armed |= !packet.migrating();
        if (packet.details().wanted() != null && ackTimeouts.size() < MAX_STREAMS) {
            ackTimeouts.put(new End(packet.source(), packet.details().wanted().qpn()), packet.details().wanted().ackTimeout());
        }
        if (packet.opcode() == null) {
            return;
        }
        if (packet.opcode().isFirst() || packet.opcode().isMiddle()) {
            stream.mtu = Math.max(stream.mtu, packet.payloadBytes());
        }
        if (packet.invalidReason() != null) {
            return;
        }
        if (packet.sourceQpn() >= 0) {
            pairDatagrams(stream);
        } else if (stream.settled) {
            return;
        } else if (packet.isRequest()) {
            Set<Stream> alike = requests.computeIfAbsent(new RequestKey(packet.source(), packet.destination(), packet.psn()),
                one -> new LinkedHashSet<>(2));
            alike.add(stream);
            if (alike.size() > MAX_ALIKE) {
                alike.remove(alike.iterator().next());
            }
        } else if (!packet.opcode().isNotification()) {
            for (Stream request : requests.getOrDefault(new RequestKey(packet.destination(), packet.source(), packet.psn()), Set.of())) {
                if (request != stream) {
                    stream.addEvidence(request);
                }
            }
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

    /**
     * Ends the first pass.
     *
     * @param spool     keeps the diagrams.
     * @param everyLine whether ordinary packets are all drawn.
     */
    public void connect(TextSpool spool, boolean everyLine) {
        connect(ends -> new FlowPicture(spool.open(), ends, everyLine), 0);
    }

    /**
     * Ends the first pass.
     *
     * @param views makes the picture of each connection.
     * @param most  how many connections count as large.
     */
    public void connect(ConnectionView.Factory views, int most) {
        pair();
        long least = leastPackets(most);
        requests.clear();
        for (Stream stream : streams.values()) {
            stream.candidates.clear();
            if (stream.connection == null) {
                stream.connection = migrated(stream);
            }
            if (stream.connection == null) {
                stream.connection = connection(stream, views, least);
                connections.add(stream.connection);
            }
            if (stream.partner != null && stream.partner.connection == null) {
                stream.partner.connection = stream.connection;
            }
        }
    }

    /** Packets of the smallest of the largest connections. */
    private long leastPackets(int most) {
        // Each connection has up to two streams.
        return streams.values().stream().map(Stream::pairPackets).sorted(Comparator.reverseOrder()).limit(2L * most)
            .reduce((one, next) -> next).orElse(Long.MAX_VALUE);
    }

    /**
     * The connection that a stream continues on another path, or null: an older pair of streams between queue pairs of the same two
     * numbers, which were armed, while this one begins with MigReq 1 (rule M1). Peers of the kernel never send MigReq 1.
     */
    private Connection migrated(Stream stream) {
        Stream partner = stream.partner;
        if (partner == null || !stream.migrating && !partner.migrating || stream.key.sourceQpn() >= 0) {
            return null;
        }
        for (Stream older : streams.values()) {
            if (older == stream) {
                return null;
            }
            boolean isSamePair = older.partner != null && older.connection != null && older.armed && older.key.sourceQpn() < 0;
            int there = isSamePair ? older.key.qpn() : UNKNOWN_QPN;
            int back = isSamePair ? older.partner.key.qpn() : UNKNOWN_QPN;
            if (there == stream.key.qpn() && back == partner.key.qpn()) {
                older.connection.addPath(stream.key.destination());
                return older.connection;
            }
            if (there == partner.key.qpn() && back == stream.key.qpn()) {
                older.connection.addPath(stream.key.source());
                return older.connection;
            }
        }
        return null;
    }

    /** Second pass: classifies and draws the next packet of the capture; returns null where it is not followed. */
    public ClassifiedPacket classify(FlowPacket packet) {
        Stream stream = streams.get(StreamKey.of(packet));
        return stream == null ? null : stream.connection.add(packet);
    }

    /** Ends the second pass: the connections, in the order of their first packets. */
    public List<Connection> end() {
        connections.forEach(Connection::end);
        return connections;
    }

    /** Packets to queue pairs beyond {@link #MAX_STREAMS}. */
    public long notFollowed() {
        return notFollowed;
    }

    /** Pairs streams in the order of their evidence. */
    private void pair() {
        List<Evidence> evidence = new ArrayList<>();
        streams.values().forEach(response -> response.candidates.forEach((request, count) ->
            evidence.add(new Evidence(request, response, count))));
        evidence.sort(Comparator.comparingInt((Evidence one) -> -one.count()).thenComparingInt(one -> one.request().index));
        for (Evidence one : evidence) {
            if (one.request().partner == null && one.response().partner == null) {
                one.request().partner = one.response();
                one.response().partner = one.request();
            }
        }
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

    private Connection connection(Stream stream, ConnectionView.Factory views, long least) {
        StreamKey key = stream.key;
        int leftQpn = stream.partner != null ? stream.partner.key.qpn() : key.sourceQpn() >= 0 ? key.sourceQpn() : UNKNOWN_QPN;
        int mtu = Math.max(stream.mtu, stream.partner == null ? 0 : stream.partner.mtu);
        Connection made = new Connection(key.source(), leftQpn, key.destination(), key.qpn(), mtu, views, originNs,
            stream.pairPackets() >= least);
        Integer ackTimeout = ackTimeouts.getOrDefault(new End(key.source(), leftQpn),
            ackTimeouts.get(new End(key.destination(), key.qpn())));
        if (ackTimeout != null) {
            made.ackTimeout(ackTimeout);
        }
        return made;
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
        return String.format("connections: %,d, %,d without anomalies; %,d requests, %,d READ responses,"
            + " %,d of both retransmitted (amplification %.2f), %,d gaps, %,d NAKs, %,d RNR NAKs%n", connections.size(), clean, requests,
            responses, retransmitted, needed == 0 ? 1.0 : (double) (requests + responses) / needed, gaps, naks, rnrNaks)
            .replace(System.lineSeparator(), "\n");
    }
}
