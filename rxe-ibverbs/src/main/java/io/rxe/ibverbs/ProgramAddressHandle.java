package io.rxe.ibverbs;

import io.rxe.verbs.AddressHandle;
import io.rxe.verbs.ProtectionDomain;

/** An address handle of the program: its protection domain may not be destroyed before it. There is nothing to close. */
final class ProgramAddressHandle extends ProgramResource<AutoCloseable> {
    private final AddressHandle handle;

    ProgramAddressHandle(AddressHandle handle, ProgramResource<ProtectionDomain> domain) {
        super(() -> { }, domain);
        this.handle = handle;
    }

    AddressHandle handle() {
        return handle;
    }
}
