package io.rxe.ibverbs;

import io.rxe.cm.CmEvent;
import io.rxe.cm.ConnectParameters;
import io.rxe.cm.exchange.ConnectionTerms;
import io.rxe.ibverbs.CmLayout.ConnParam;
import io.rxe.ibverbs.CmLayout.UdParam;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.QueuePairType;
import io.rxe.wire.Bth;
import io.rxe.wire.Gid;
import org.agrona.UnsafeApi;

/** Writes the parameters of an {@code rdma_cm_event}, and behind them its private data; the memory is zero before. */
final class EventParameters {
    static final int ADDR_RESOLVED = 0;
    static final int ROUTE_RESOLVED = 2;
    static final int DEVICE_REMOVAL = 11;
    static final int MULTICAST_JOIN = 12;
    static final int ADDR_CHANGE = 14;

    private EventParameters() {
    }

    /** The number of {@code rdma_cm_event_type}. */
    static int number(CmEvent.Type type) {
        return switch (type) {
            case CONNECT_REQUEST -> 4;
            case CONNECT_RESPONSE -> 5;
            case CONNECT_ERROR -> 6;
            case UNREACHABLE -> 7;
            case REJECTED -> 8;
            case ESTABLISHED -> 9;
            case DISCONNECTED -> 10;
            case TIMEWAIT_EXIT -> 15;
            case ALTERNATE_PATH -> throw new IllegalArgumentException("librdmacm has no event for an alternate path");
        };
    }

    /** The status of {@code rdma_cm_event}. That this side's queue pair has ended is no error of a disconnect there. */
    static int status(CmEvent event) {
        return event.type() == CmEvent.Type.DISCONNECTED && event.status() == CmEvent.ABORTED ? 0 : event.status();
    }

    static void write(CmEvent event, long param) {
        byte[] data = event.privateData();
        UnsafeApi.putByte(param + ConnParam.PRIVATE_DATA_LEN, (byte) data.length);
        for (int i = 0; i < data.length; i++) {
            UnsafeApi.putByte(param + UdParam.SIZE + i, data[i]);
        }
        ConnectionTerms terms = event.connection().terms();
        if (terms == null) {
            return;
        }
        if (event.connection().type() == QueuePairType.UD) {
            AhAttributes.write(terms.peer(), 0, 0, param + UdParam.AH_ATTR);
            UnsafeApi.putInt(param + UdParam.QP_NUM, terms.remoteQpn());
            UnsafeApi.putInt(param + UdParam.QKEY, terms.remoteQueueKey());
        } else if (event.type() == CmEvent.Type.CONNECT_REQUEST || event.type() == CmEvent.Type.CONNECT_RESPONSE
            || event.type() == CmEvent.Type.ESTABLISHED) {
            UnsafeApi.putByte(param + ConnParam.RESPONDER_RESOURCES, (byte) terms.responderResources());
            UnsafeApi.putByte(param + ConnParam.INITIATOR_DEPTH, (byte) terms.initiatorDepth());
            UnsafeApi.putByte(param + ConnParam.RETRY_COUNT, (byte) terms.retryCount());
            UnsafeApi.putByte(param + ConnParam.RNR_RETRY_COUNT, (byte) terms.rnrRetry());
            UnsafeApi.putInt(param + ConnParam.QP_NUM, terms.remoteQpn());
        }
    }

    /** @param context of the program, which such an event has in the place of private data. */
    static void writeJoin(Gid group, int udpPort, long context, long param) {
        UnsafeApi.putLong(param + UdParam.PRIVATE_DATA, context);
        AhAttributes.write(AddressVector.to(group, udpPort), 0, 0, param + UdParam.AH_ATTR);
        UnsafeApi.putInt(param + UdParam.QP_NUM, Bth.MULTICAST_QPN);
        UnsafeApi.putInt(param + UdParam.QKEY, ConnectParameters.DEFAULT_QUEUE_KEY);
    }
}
