package io.rxe.net.socket;

import io.rxe.port.Flow;
import io.rxe.wire.Gid;
import io.rxe.wire.HeaderValidator;
import io.rxe.wire.Icrc;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import org.agrona.DirectBuffer;

/**
 * Translates between addresses of the socket and flows of the core. A known address costs no allocation.
 *
 * <p>Bounded: at most {@value #VERIFIED_LIMIT} peers that have sent a frame with a right ICRC, and apart from them {@value
 * #UNVERIFIED_LIMIT} others, so that a flood of garbage from many sources pushes no peer out. A peer that was pushed out is only added
 * again. Belongs to the owner of one engine.
 */
final class FlowTable {
    static final int VERIFIED_LIMIT = 16384;
    static final int UNVERIFIED_LIMIT = 256;
    /** Destinations remembered, one for each hash. */
    private static final int DESTINATIONS = 4096;
    private static final SecureRandom KEYS = new SecureRandom();

    private record Destination(Gid gid, InetAddress address) {
    }

    private final Gid localGid;
    private final int localPort;
    private final int scopeId;
    private final Icrc icrc = new Icrc();
    private final PeerTable verified = new PeerTable(VERIFIED_LIMIT, KEYS.nextLong(), KEYS.nextLong());
    private final PeerTable unverified = new PeerTable(UNVERIFIED_LIMIT, KEYS.nextLong(), KEYS.nextLong());
    private final Destination[] destinations = new Destination[DESTINATIONS];
    private InetSocketAddress lastFrom;
    private Peer lastPeer;
    private Flow lastFlow;
    private InetAddress lastAddress;

    FlowTable(InetSocketAddress local) {
        localGid = Gid.of(local.getAddress().getAddress());
        localPort = local.getPort();
        scopeId = local.getAddress() instanceof Inet6Address six ? six.getScopeId() : 0;
    }

    /** The peer that sent a datagram. */
    Peer peer(InetSocketAddress from) {
        if (from.equals(lastFrom)) {
            return lastPeer;
        }
        Gid source = Gid.of(from.getAddress().getAddress());
        lastPeer = find(source.high(), source.low(), from.getPort());
        lastFrom = from;
        return lastPeer;
    }

    /** The same, of the halves of its GID and its port. */
    Peer peer(long high, long low, int port) {
        if (lastPeer == null || !lastPeer.isAt(high, low, port)) {
            lastPeer = find(high, low, port);
            lastFrom = null;
        }
        return lastPeer;
    }

    private Peer find(long high, long low, int port) {
        Peer peer = verified.find(high, low, port);
        if (peer == null) {
            peer = unverified.find(high, low, port);
        }
        if (peer == null) {
            peer = new Peer(new Flow(new Gid(high, low), localGid, port, localPort));
            unverified.add(peer);
        }
        return peer;
    }

    /** Notes a frame of a peer: the first with a right ICRC gives it a place among the verified ones. */
    void onFrame(DirectBuffer buffer, int offset, int lengthBytes, Peer peer) {
        if (!peer.verified && isGood(buffer, offset, lengthBytes, peer)) {
            peer.verified = true;
            unverified.remove(peer);
            verified.add(peer);
        }
    }

    /** Whether a frame's ICRC is right. */
    boolean isGood(DirectBuffer buffer, int offset, int lengthBytes, Peer peer) {
        if (lengthBytes < HeaderValidator.MIN_LENGTH || lengthBytes > HeaderValidator.MAX_LENGTH) {
            return false;
        }
        return peer.flow.isIpv4() ? icrc.recoverIpId(buffer, offset, lengthBytes, peer.flow.icrcSeed()) >= 0
            : icrc.isValidIpv6(buffer, offset, lengthBytes, peer.flow.icrcSeed());
    }

    InetSocketAddress source(Peer peer) {
        return new InetSocketAddress(SocketOpener.inetAddress(peer.flow.source(), scopeId), peer.flow.sourcePort());
    }

    /** The destination address of a flow. A link-local IPv6 address or group is on the interface of the port. */
    InetAddress destination(Flow flow) {
        if (flow == lastFlow) {
            return lastAddress;
        }
        Gid gid = flow.destination();
        int slot = (int) ((gid.high() ^ gid.low()) * 0x9E3779B97F4A7C15L >>> 52);
        Destination known = destinations[slot];
        if (known == null || !known.gid().equals(gid)) {
            known = new Destination(gid, SocketOpener.inetAddress(gid, scopeId));
            destinations[slot] = known;
        }
        InetAddress address = known.address();
        lastFlow = flow;
        lastAddress = address;
        return address;
    }

    /** Peers that were compared with the source of a datagram so far. */
    long comparisons() {
        return verified.comparisons() + unverified.comparisons();
    }
}
