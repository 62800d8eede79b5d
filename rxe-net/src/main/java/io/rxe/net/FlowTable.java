package io.rxe.net;

import io.rxe.port.Flow;
import io.rxe.wire.Gid;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.Map;

/**
 * Translates between the addresses of the socket and the flows of the core. What was seen before costs no allocation.
 *
 * <p>Bounded: when {@value #LIMIT} peers or destinations are known, all are forgotten and learnt again. That costs a moment,
 * nothing else, because a flow is compared by value. Belongs to one loop thread.
 */
final class FlowTable {
    static final int LIMIT = 16384;

    private final Gid localGid;
    private final int localPort;
    private final int scopeId;
    private final Map<InetSocketAddress, Peer> peers = new HashMap<>();
    private final Map<Gid, InetAddress> addresses = new HashMap<>();
    private InetSocketAddress lastFrom;
    private Peer lastPeer;
    private Flow lastFlow;
    private InetAddress lastAddress;

    FlowTable(InetSocketAddress local) {
        localGid = Gid.of(local.getAddress().getAddress());
        localPort = local.getPort();
        scopeId = local.getAddress() instanceof Inet6Address six ? six.getScopeId() : 0;
    }

    /** The peer a datagram came from. */
    Peer peer(InetSocketAddress from) {
        if (from.equals(lastFrom)) {
            return lastPeer;
        }
        Peer peer = peers.get(from);
        if (peer == null) {
            if (peers.size() >= LIMIT) {
                peers.clear();
            }
            peer = new Peer(new Flow(Gid.of(from.getAddress().getAddress()), localGid, from.getPort(), localPort));
            peers.put(from, peer);
        }
        lastFrom = from;
        lastPeer = peer;
        return peer;
    }

    /** The socket address of a peer. */
    InetSocketAddress source(Peer peer) {
        return new InetSocketAddress(inetAddress(peer.flow.source()), peer.flow.sourcePort());
    }

    /** Where a flow goes. A link-local IPv6 address or group is taken to be on the interface of the port. */
    InetAddress destination(Flow flow) {
        if (flow == lastFlow) {
            return lastAddress;
        }
        InetAddress address = addresses.get(flow.destination());
        if (address == null) {
            if (addresses.size() >= LIMIT) {
                addresses.clear();
            }
            address = inetAddress(flow.destination());
            addresses.put(flow.destination(), address);
        }
        lastFlow = flow;
        lastAddress = address;
        return address;
    }

    int peerCount() {
        return peers.size();
    }

    private InetAddress inetAddress(Gid gid) {
        try {
            if (gid.isIpv4()) {
                int bits = gid.ipv4();
                return InetAddress.getByAddress(new byte[] {(byte) (bits >> 24), (byte) (bits >> 16), (byte) (bits >> 8),
                    (byte) bits});
            }
            InetAddress address = InetAddress.getByAddress(gid.toBytes());
            return address.isLinkLocalAddress() || address.isMCLinkLocal()
                ? Inet6Address.getByAddress(null, gid.toBytes(), scopeId) : address;
        } catch (UnknownHostException e) {
            throw new AssertionError("an address of 4 or 16 bytes", e);
        }
    }
}
