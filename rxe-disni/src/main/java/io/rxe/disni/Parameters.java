package io.rxe.disni;

import com.ibm.disni.verbs.RdmaConnParam;
import io.rxe.cm.ConnectParameters;
import io.rxe.net.process.ProcessSettings;
import io.rxe.verbs.DeviceAttributes;

/** What a program asks of a connection. As libdisni does, it asks for all the READs the device serves, and leaves the timer to the path. */
final class Parameters {
    /** The retries of a program that says nothing: DiSNI's 0 would end a connection with its first lost packet. */
    private static final int MAX_RETRIES = 7;
    private static final long KEEP_ALIVE_NS = ProcessSettings.ofProcess().keepAliveNs();

    private Parameters() {
    }

    static ConnectParameters of(RdmaConnParam asked, DeviceAttributes device) {
        return new ConnectParameters().ackTimeoutCode(0).keepAliveNs(KEEP_ALIVE_NS)
            .responderResources(device.maxReadAtomicResponder()).initiatorDepth(device.maxReadAtomicInitiator())
            .retryCount(retries(asked.getRetry_count())).rnrRetry(retries(asked.getRnr_retry_count()));
    }

    private static int retries(byte asked) {
        return asked == 0 ? MAX_RETRIES : Math.min(MAX_RETRIES, asked & 0xFF);
    }
}
