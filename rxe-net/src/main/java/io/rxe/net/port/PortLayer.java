package io.rxe.net.port;

/** Puts a layer around each port of a NIC; {@code RxeNicOptions.withFault} takes one. */
@FunctionalInterface
public interface PortLayer {
    /**
     * Puts the layer around a port. Called once for each socket of a NIC, before it is started, in the order they are opened.
     *
     * @param inner    the socket, or the layer below.
     * @param counters of the engine served; the layer may count in them as its owner.
     */
    UdpPort around(UdpPort inner, NetCounters counters);
}
