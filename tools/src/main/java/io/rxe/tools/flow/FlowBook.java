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
 * Collects the packets of a capture and finds the connections. A packet names only the queue pair it goes to; which stream back belongs
 * to it shows in the answers: they carry the PSNs of the requests they answer.
 */
public final class FlowBook {
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

    /** Packets to one queue pair from one host; identity counts. */
    private static final class Stream {
        private final StreamKey key;
        private final List<Placed> packets = new ArrayList<>();
        private Stream partner;

        Stream(StreamKey key) {
            this.key = key;
        }
    }

    /** The next packet of the capture. */
    public void add(FlowPacket packet) {
        StreamKey key = new StreamKey(packet.source(), packet.destination(), packet.qpn(), packet.sourceQpn());
        Stream stream = streams.computeIfAbsent(key, Stream::new);
        originNs = position == 0 ? packet.timeNs() : originNs;
        stream.packets.add(new Placed(position++, packet));
        if (packet.opcode() == null || packet.trouble() != null) {
            return;
        }
        if (packet.sourceQpn() >= 0) {
            pairDatagrams(stream);
        } else if (packet.isRequest()) {
            requestPsns.computeIfAbsent(new HostPair(packet.source(), packet.destination()), pair -> new HashMap<>())
                .computeIfAbsent(packet.psn(), psn -> new HashSet<>()).add(stream);
        } else {
            requestPsns.getOrDefault(new HostPair(packet.destination(), packet.source()), Map.of())
                .getOrDefault(packet.psn(), Set.of()).stream().filter(asked -> asked != stream)
                .forEach(asked -> evidence.merge(new StreamPair(asked, stream), 1, Integer::sum));
        }
    }

    /** Datagrams say where they come from. */
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

    /** The pairs with the most evidence first; what is left stays alone. */
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
        pairLonely();
    }

    /** Without answers (UC, or a dead peer) two streams belong together when there are no others between their hosts. */
    private void pairLonely() {
        Map<HostPair, List<Stream>> lonely = new LinkedHashMap<>();
        for (Stream stream : streams.values()) {
            if (stream.partner == null && stream.key.sourceQpn() < 0) {
                lonely.computeIfAbsent(new HostPair(stream.key.source(), stream.key.destination()), pair -> new ArrayList<>()).add(stream);
            }
        }
        lonely.forEach((hosts, there) -> {
            List<Stream> back = lonely.getOrDefault(new HostPair(hosts.destination(), hosts.source()), List.of());
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

    /** One line for everything. */
    public static String total(List<Connection> connections) {
        long requests = 0;
        long responses = 0;
        long again = 0;
        long naks = 0;
        long notReady = 0;
        long gaps = 0;
        int clean = 0;
        for (Connection connection : connections) {
            clean += connection.isClean() ? 1 : 0;
            for (FlowStatistics side : List.of(connection.leftStatistics(), connection.rightStatistics())) {
                requests += side.requests();
                responses += side.responses();
                again += side.requestsAgain() + side.responsesAgain();
                naks += side.naks();
                notReady += side.receiversNotReady();
                gaps += side.gaps();
            }
        }
        long needed = requests + responses - again;
        return String.format(Locale.ROOT, "connections: %,d, nothing out of the ordinary in %,d; %,d requests, %,d READ responses,"
            + " %,d of both again (amplification %.2f), %,d gaps, %,d NAKs, %,d RNR NAKs%n", connections.size(), clean, requests,
            responses, again, needed == 0 ? 1.0 : (double) (requests + responses) / needed, gaps, naks, notReady)
            .replace(System.lineSeparator(), "\n");
    }
}
