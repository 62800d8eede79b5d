package io.rxe.disni;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.SVCRegMr;
import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;
import io.rxe.verbs.AccessFlags;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.Supplier;

/** Registers memory again each time it is run. */
final class RegisterCall extends SVCRegMr {
    private static final int KNOWN = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ
        | AccessFlags.REMOTE_ATOMIC | AccessFlags.MW_BIND;

    private final DisniDomain domain;
    private final Supplier<ByteBuffer> memory;
    private final int access;
    private boolean valid = true;
    private IbvMr region;

    /**
     * @param memory all of it is registered, whatever position and limit are.
     * @param access flags of {@code IbvMr}.
     */
    RegisterCall(DisniDomain domain, Supplier<ByteBuffer> memory, int access) {
        this.domain = domain;
        this.memory = memory;
        this.access = access;
    }

    @Override
    public SVCRegMr execute() throws IOException {
        Failure.requireOpen(domain.isOpen(), "Trying to register memory with closed PD.");
        region = Failure.named("j2c::regMr: ibv_reg_mr failed", () -> {
            if ((access & ~KNOWN) != 0) {
                throw VerbFailure.of(VerbError.EOPNOTSUPP, "access flags 0x" + Integer.toHexString(access & ~KNOWN)
                    + ", such as on-demand paging, are missing: leave them out");
            }
            ByteBuffer whole = memory.get();
            whole.clear();
            return new DisniRegion(domain, domain.domain().register(whole, access));
        });
        return this;
    }

    @Override
    public IbvMr getMr() {
        return region;
    }

    @Override
    public boolean isValid() {
        return valid;
    }

    @Override
    public SVCRegMr free() {
        valid = false;
        return this;
    }
}
