package io.rxe.disni;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import io.rxe.fault.TimedFault;
import io.rxe.fault.Verb;
import io.rxe.net.RxeNic;
import io.rxe.net.process.BoundPorts;
import io.rxe.net.process.ProcessSettings;
import io.rxe.net.process.Sentences;
import java.io.IOException;
import java.net.InetAddress;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** The NIC as a program sees it. All ids have the same, so that they share a protection domain: DiSNI keeps one for each context. */
final class DisniContext extends IbvContext {
    /** Stands for the file descriptor of a device; DiSNI tells contexts apart by it. */
    private static final int NUMBER = 0;
    private static final AtomicBoolean SCRIPT_FAILED = new AtomicBoolean();

    private final RxeNic nic;
    private final Set<DisniId> ids = ConcurrentHashMap.newKeySet();
    private final BoundPorts ports = new BoundPorts();

    DisniContext(RxeNic nic) throws IOException {
        super(NUMBER, nic.engines());
        this.nic = nic;
        nic.onVerbsFault(this::onDevice, DisniContext::failScript);
    }

    /** The ids that use the NIC. */
    Set<DisniId> ids() {
        return ids;
    }

    /** A call begins, which a fault may refuse. */
    void onCall(Verb verb) {
        nic.faults().onCall(verb, 0);
    }

    private void onDevice(TimedFault fault) {
        EventType type = fault.kind() == TimedFault.Kind.DEVICE_REMOVAL ? EventType.RDMA_CM_EVENT_DEVICE_REMOVAL
            : EventType.RDMA_CM_EVENT_ADDR_CHANGE;
        for (DisniId id : ids) {
            try {
                id.onDevice(type);
            } catch (IOException e) {
                Sentences.verbose(e::getMessage);
            }
        }
    }

    /** A script of faults expected something in vain. */
    private static void failScript(String sentence) {
        sayOnce(sentence);
        Runtime.getRuntime().exit(ProcessSettings.SCRIPT_FAILED);
    }

    private static void sayOnce(String sentence) {
        if (SCRIPT_FAILED.compareAndSet(false, true)) {
            Sentences.say(sentence);
        }
    }

    /** The process ends: a script whose expectation was not met gives it its exit status, which nothing but a halt can change now. */
    static void endScript(RxeNic nic) {
        String failure = nic.faults().failure(true);
        if (failure != null) {
            sayOnce(failure);
            Runtime.getRuntime().halt(ProcessSettings.SCRIPT_FAILED);
        }
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
