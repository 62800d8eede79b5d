package io.rxe.disni;

import com.ibm.disni.verbs.SVCDeregMr;
import java.io.IOException;

final class DeregisterCall extends SVCDeregMr {
    private final DisniRegion region;
    private boolean valid = true;

    DeregisterCall(DisniRegion region) {
        this.region = region;
    }

    @Override
    public SVCDeregMr execute() throws IOException {
        Failure.requireOpen(region.isOpen(), "Trying to deregister closed memory region.");
        Failure.step("j2c::deregMr:  ibv_dereg_failed, error", region::deregister);
        return this;
    }

    @Override
    public boolean isValid() {
        return valid;
    }

    @Override
    public SVCDeregMr free() {
        valid = false;
        return this;
    }
}
