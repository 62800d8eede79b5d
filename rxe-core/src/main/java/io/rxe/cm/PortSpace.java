package io.rxe.cm;

import io.rxe.cm.mad.CmaHeader;

/** Port spaces of rdma_cm; port space and port form a service ID ({@code rdma_port_space << 16 | port}). */
public enum PortSpace {
    /** Services with connections: RC and UC. */
    TCP(0x0106),
    /** Datagram services: UD, resolved with SIDR. */
    UDP(0x0111),
    /** Services with connections that name their transport, RC, UC or XRC; programs choose it for XRC ({@code RDMA_PS_IB}). */
    IB(0x013F);

    private final int code;

    PortSpace(int code) {
        this.code = code;
    }

    /** Value of {@code enum rdma_port_space}. */
    public int code() {
        return code;
    }

    /**
     * The service ID of a port.
     *
     * @throws IllegalArgumentException for a port outside 1..65535.
     */
    public long serviceId(int port) {
        if (port < 1 || port > 65535) {
            throw new IllegalArgumentException("port " + port + " is not in 1..65535");
        }
        return CmaHeader.serviceId(code, port);
    }
}
