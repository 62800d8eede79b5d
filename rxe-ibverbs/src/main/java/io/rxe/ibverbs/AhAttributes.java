package io.rxe.ibverbs;

import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;
import io.rxe.ibverbs.Layout.AhAttr;
import io.rxe.verbs.AddressVector;
import io.rxe.wire.Gid;
import org.agrona.UnsafeApi;

/** Reads and writes {@code ibv_ah_attr}: the address of a peer. */
final class AhAttributes {
    /** The GIDs of the port: both are its address. rdma_rxe has a link-local one first, so that people and scripts ask for index 1. */
    private static final int GIDS = 2;
    private static final int DEFAULT_HOP_LIMIT = 64;
    private static final int PORT = 1;

    private AhAttributes() {
    }

    /**
     * @param udpPort port of the peer: that of this NIC.
     * @throws RuntimeException {@link VerbFailure} without a GRH, which RoCE needs, and for another port or GID index than there is.
     */
    static AddressVector read(long attr, int udpPort) {
        int index = Layout.byteAt(attr + AhAttr.SGID_INDEX);
        if (UnsafeApi.getByte(attr + AhAttr.IS_GLOBAL) == 0) {
            throw VerbFailure.of(VerbError.EINVAL, "is_global is 0: RoCE addresses a peer by its GID, so set is_global and grh.dgid"
                + " (-g 1 of the pingpong programs)");
        }
        if (index >= GIDS || UnsafeApi.getByte(attr + AhAttr.PORT_NUM) != PORT) {
            throw VerbFailure.of(VerbError.EINVAL, "sgid_index " + index + ", port " + UnsafeApi.getByte(attr + AhAttr.PORT_NUM)
                + ": the device has port 1 with GIDs 0 and 1");
        }
        int hopLimit = Layout.byteAt(attr + AhAttr.HOP_LIMIT);
        return new AddressVector(gid(attr + AhAttr.DGID), udpPort, Layout.byteAt(attr + AhAttr.TRAFFIC_CLASS),
            hopLimit == 0 ? DEFAULT_HOP_LIMIT : hopLimit);
    }

    static int gidIndex(long attr) {
        return Layout.byteAt(attr + AhAttr.SGID_INDEX);
    }

    static void write(AddressVector vector, int gidIndex, int serviceLevel, long attr) {
        UnsafeApi.setMemory(attr, AhAttr.SIZE, (byte) 0);
        gid(attr + AhAttr.DGID, vector.destination());
        UnsafeApi.putByte(attr + AhAttr.SGID_INDEX, (byte) gidIndex);
        UnsafeApi.putByte(attr + AhAttr.HOP_LIMIT, (byte) vector.hopLimit());
        UnsafeApi.putByte(attr + AhAttr.TRAFFIC_CLASS, (byte) vector.trafficClass());
        UnsafeApi.putByte(attr + AhAttr.SL, (byte) serviceLevel);
        UnsafeApi.putByte(attr + AhAttr.IS_GLOBAL, (byte) 1);
        UnsafeApi.putByte(attr + AhAttr.PORT_NUM, (byte) PORT);
    }

    /** Writes 16 bytes in network order. */
    static void gid(long address, Gid gid) {
        UnsafeApi.putLong(address, Long.reverseBytes(gid.high()));
        UnsafeApi.putLong(address + Long.BYTES, Long.reverseBytes(gid.low()));
    }

    /** Reads 16 bytes in network order. */
    static Gid gid(long address) {
        return new Gid(Long.reverseBytes(UnsafeApi.getLong(address)), Long.reverseBytes(UnsafeApi.getLong(address + Long.BYTES)));
    }
}
