package io.rxe.net;

/** Puts something between the codec and a socket: see {@link RxeNicOptions#withFault}. */
@FunctionalInterface
public interface PortLayer {
    /**
     * Puts the layer around a port. Called once for each socket of a NIC, before it is started, in the order they are opened.
     *
     * @param inner    the socket, or the layer below.
     * @param counters of the engine that is served; may be counted in on its loop's thread.
     */
    UdpPort around(UdpPort inner, NetCounters counters);
}
