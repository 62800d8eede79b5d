package io.rxe.disni;

import com.ibm.disni.verbs.IbvPd;
import io.rxe.verbs.ProtectionDomain;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;

final class DisniDomain extends IbvPd {
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final ProtectionDomain domain;
    private final AtomicInteger users = new AtomicInteger();

    DisniDomain(DisniContext context) throws IOException {
        super(context);
        this.handle = NUMBERS.incrementAndGet();
        this.domain = context.nic().device().allocateProtectionDomain();
    }

    ProtectionDomain domain() {
        return domain;
    }

    /** A queue pair or region of this domain was made. */
    void onUsed() {
        users.incrementAndGet();
    }

    /** A queue pair or region of this domain was destroyed. */
    void onUnused() {
        users.decrementAndGet();
    }

    boolean isUsed() {
        return users.get() > 0;
    }
}
