package io.rxe.sim;

import io.rxe.port.Flow;
import io.rxe.wire.Gid;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/** The nodes, a link for each direction between two of them, and the datagrams in the network. */
final class Network {
    private record Arrival(long atNs, long order, Node destination, Datagram datagram) implements Comparable<Arrival> {
        @Override
        public int compareTo(Arrival other) {
            int byTime = Long.compare(atNs, other.atNs);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }

    private record Ends(Gid source, Gid destination) {
    }

    private final PriorityQueue<Arrival> arrivals = new PriorityQueue<>();
    private final Map<Ends, SimulatedLink> links = new HashMap<>();
    private final List<SimulatedLink> linkList = new ArrayList<>();
    private final Tap tap;
    private long order;
    long delivered;

    Network(Tap tap) {
        this.tap = tap;
    }

    /** Adds a link from one node to another. */
    SimulatedLink connect(Node source, Node destination, LinkFaults faults, SeededRandom random) {
        return connect(source.gid(), destination.gid(), destination, faults, random);
    }

    /** Adds a link from one port to another. */
    SimulatedLink connect(Gid source, Gid port, Node destination, LinkFaults faults, SeededRandom random) {
        SimulatedLink link = new SimulatedLink(this, destination, faults, random);
        links.put(new Ends(source, port), link);
        linkList.add(link);
        return link;
    }

    List<SimulatedLink> links() {
        return linkList;
    }

    SimulatedLink link(Gid source, Gid destination) {
        return links.get(new Ends(source, destination));
    }

    /** The link in the other direction. */
    SimulatedLink reverse(SimulatedLink link) {
        for (Map.Entry<Ends, SimulatedLink> entry : links.entrySet()) {
            if (entry.getValue() == link) {
                return link(entry.getKey().destination(), entry.getKey().source());
            }
        }
        throw new IllegalArgumentException("no link of this network");
    }

    /** A link to a node from any other. */
    SimulatedLink linkTo(Node destination) {
        return linkList.stream().filter(link -> link.destination() == destination).findFirst().orElseThrow();
    }

    void send(Datagram datagram, long nowNs) {
        Flow flow = datagram.flow;
        SimulatedLink link = link(flow.source(), flow.destination());
        if (link == null) {
            throw new SimulationFailure("a frame was sent to " + flow + ", where there is no node");
        }
        tap.onSent(datagram, nowNs);
        link.send(datagram, nowNs);
    }

    /** Called by links: a datagram is lost. */
    void dropped(Datagram datagram) {
        tap.onDropped(datagram);
    }

    /** Called by links: a datagram arrives at a given time. */
    void schedule(Node destination, Datagram datagram, long atNs) {
        arrivals.add(new Arrival(atNs, order++, destination, datagram));
    }

    /** When the next datagram arrives, or {@link Long#MAX_VALUE}. */
    long nextArrivalNs() {
        Arrival next = arrivals.peek();
        return next == null ? Long.MAX_VALUE : next.atNs();
    }

    boolean isEmpty() {
        return arrivals.isEmpty();
    }

    /** Delivers one datagram that is due; false when none is. */
    boolean deliver(long nowNs) {
        Arrival next = arrivals.peek();
        if (next == null || next.atNs() > nowNs) {
            return false;
        }
        arrivals.poll();
        delivered++;
        tap.onDelivered(next.destination(), next.datagram(), nowNs);
        next.destination().onDatagram(next.datagram(), nowNs);
        tap.afterDelivery(next.destination(), next.datagram(), nowNs);
        return true;
    }

    /** Observes every datagram. */
    interface Tap {
        /** A node sent it. */
        void onSent(Datagram datagram, long nowNs);

        /** A link lost it, or a copy of it. */
        default void onDropped(Datagram datagram) {
            // Most taps check what arrives.
        }

        /** It arrived; the destination has not processed it yet. */
        void onDelivered(Node destination, Datagram datagram, long nowNs);

        /** The destination has processed it. */
        void afterDelivery(Node destination, Datagram datagram, long nowNs);
    }
}
