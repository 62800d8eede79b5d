package io.rxe.ibverbs;

import io.rxe.cm.ConnectParameters;
import io.rxe.ibverbs.CmLayout.ConnParam;
import io.rxe.net.process.ProcessSettings;
import org.agrona.UnsafeApi;

/** What a program requests or offers: {@code rdma_conn_param}, and options of its id. */
final class ConnectionParameters {
    /** Depths and retries for a program that gives none: all the device has, without a limit. */
    private static final int MAX_DEPTH = 128;
    private static final int MAX_RETRIES = 7;
    /** librdmacm has no parameter for it: the kernel says goodbye for a process that is killed, and nobody does here. */
    private static final long KEEP_ALIVE_NS = ProcessSettings.ofProcess().keepAliveNs();

    private final ConnectParameters parameters = new ConnectParameters();
    private final int queuePairNumber;

    /**
     * @param param {@code rdma_conn_param}, or 0 for the defaults.
     * @param srq   whether the queue pair of the id receives from an SRQ.
     */
    ConnectionParameters(long param, boolean srq) {
        // rdma_cm of Linux derives the timer from the path, which gives a peer that pauses more time than the default of this class does.
        parameters.ackTimeoutCode(0).keepAliveNs(KEEP_ALIVE_NS);
        if (param == 0) {
            parameters.responderResources(MAX_DEPTH).initiatorDepth(MAX_DEPTH).retryCount(MAX_RETRIES).rnrRetry(MAX_RETRIES)
                .sharedReceiveQueue(srq);
            queuePairNumber = 0;
            return;
        }
        parameters.privateData(bytes(UnsafeApi.getLong(param + ConnParam.PRIVATE_DATA), Layout.byteAt(param + ConnParam.PRIVATE_DATA_LEN)))
            .responderResources(Math.min(MAX_DEPTH, Layout.byteAt(param + ConnParam.RESPONDER_RESOURCES)))
            .initiatorDepth(Math.min(MAX_DEPTH, Layout.byteAt(param + ConnParam.INITIATOR_DEPTH)))
            .retryCount(Math.min(MAX_RETRIES, Layout.byteAt(param + ConnParam.RETRY_COUNT)))
            .rnrRetry(Math.min(MAX_RETRIES, Layout.byteAt(param + ConnParam.RNR_RETRY_COUNT)))
            .sharedReceiveQueue(srq || Layout.byteAt(param + ConnParam.SRQ) != 0);
        queuePairNumber = UnsafeApi.getInt(param + ConnParam.QP_NUM);
    }

    /** Copies memory of the program. */
    static byte[] bytes(long address, int lengthBytes) {
        byte[] copy = new byte[address == 0 ? 0 : lengthBytes];
        for (int i = 0; i < copy.length; i++) {
            copy[i] = UnsafeApi.getByte(address + i);
        }
        return copy;
    }

    /** @param code 0 to 31; 0 as rdma_cm derives it. */
    ConnectionParameters ackTimeout(int code) {
        parameters.ackTimeoutCode(code);
        return this;
    }

    /** @param trafficClass 0 to 255. */
    ConnectionParameters trafficClass(int trafficClass) {
        parameters.trafficClass(trafficClass);
        return this;
    }

    /** For a queue pair that the id has. */
    ConnectParameters get() {
        return parameters;
    }

    /** For a queue pair the program modifies itself, whose number it gave. */
    ConnectParameters ofOwnQueuePair() {
        return parameters.queuePairNumber(queuePairNumber);
    }
}
