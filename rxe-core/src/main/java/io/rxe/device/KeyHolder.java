package io.rxe.device;

import io.rxe.memory.KeySlot;

/** A region or window of this implementation: what requests name, as the key table has it. */
interface KeyHolder extends AutoCloseable {
    KeySlot slot();

    boolean belongsTo(Nic nic);

    @Override
    void close();
}
