package io.rxe.wire;

/** The headers that may follow the BTH, in wire order. */
enum ExtensionHeader {
    DETH(Deth.LENGTH),
    XRC_ETH(XrcEth.LENGTH),
    FETH(Feth.LENGTH),
    RETH(Reth.LENGTH),
    ATOMIC_ETH(AtomicEth.LENGTH),
    AETH(Aeth.LENGTH),
    ATOMIC_ACK_ETH(AtomicAckEth.LENGTH),
    IMM_DT(ImmDt.LENGTH),
    IETH(Ieth.LENGTH),
    /** Of a CNP: 16 bytes of zeros. */
    CNP_RESERVED(16);

    final int lengthBytes;

    ExtensionHeader(int lengthBytes) {
        this.lengthBytes = lengthBytes;
    }
}
