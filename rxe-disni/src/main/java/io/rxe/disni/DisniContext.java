package io.rxe.disni;

import com.ibm.disni.verbs.IbvContext;
import io.rxe.disni.Failure.VerbFailure;
import io.rxe.net.RxeNic;
import io.rxe.net.process.BoundPorts;
import java.io.IOException;
import java.net.InetAddress;

/** The NIC as a program sees it. All ids have the same, so that they share a protection domain: DiSNI keeps one for each context. */
final class DisniContext extends IbvContext {
    /** Stands for the file descriptor of a device; DiSNI tells contexts apart by it. */
    private static final int NUMBER = 0;

    private final RxeNic nic;
    private final BoundPorts ports = new BoundPorts(sentence -> new VerbFailure(Failure.ADDRESS_IN_USE, sentence));

    DisniContext(RxeNic nic) throws IOException {
        super(NUMBER, nic.engines());
        this.nic = nic;
    }

    RxeNic nic() {
        return nic;
    }

    BoundPorts ports() {
        return ports;
    }

    /** Local address of the NIC. */
    InetAddress address() {
        return nic.localInterface().address();
    }
}
