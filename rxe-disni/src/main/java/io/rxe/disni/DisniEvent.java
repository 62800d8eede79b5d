package io.rxe.disni;

import com.ibm.disni.verbs.RdmaCmEvent;
import io.rxe.cm.CmEvent;
import java.io.IOException;
import java.nio.ByteBuffer;

/** An event of an id, with what libdisni leaves out: status and private data. */
final class DisniEvent extends RdmaCmEvent {
    /** Keeps the memory of the private data. */
    private final ByteBuffer privateData;

    private DisniEvent(EventType type, int status, DisniId listener, DisniId id, byte[] data) throws IOException {
        super(type.ordinal(), listener, id);
        this.status = status;
        this.privateData = ByteBuffer.allocateDirect(data.length).put(data).flip();
        if (data.length > 0) {
            conn.setPrivate_data(NativeMemory.address(privateData));
            conn.setPrivate_data_len((byte) data.length);
        }
    }

    /** An event that this side makes up: what it reports is done already. */
    static DisniEvent of(EventType type, int status, DisniId id) throws IOException {
        return new DisniEvent(type, status, null, id, new byte[0]);
    }

    /** @param listener null but for a request. */
    static DisniEvent of(CmEvent event, DisniId listener, DisniId id) throws IOException {
        return new DisniEvent(EventType.valueOf(event.type().rdmaName()), event.status(), listener, id, event.privateData());
    }

    @Override
    public String toString() {
        return EventType.values()[event] + ", status " + status + ", " + privateData.remaining() + " bytes of private data";
    }
}
