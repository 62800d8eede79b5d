package io.rxe.device;

import io.rxe.memory.KeySlot;
import io.rxe.qp.send.LocalRequest;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.MemoryBinding;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.MemoryWindowType;
import io.rxe.verbs.Operation;
import io.rxe.verbs.WorkRequest;

/**
 * Checks BIND_MW, LOCAL_INV and REG_MR when they are posted, and names what they change as the key table has it. What depends on other
 * requests is checked when they run (rules W1 to W6). Stateless; any thread.
 */
final class LocalPost {
    private LocalPost() {
    }

    /**
     * @param allowed type of windows that this call binds.
     * @throws IllegalArgumentException naming the value, the limit and the remedy.
     */
    static void check(Nic nic, WorkRequest request, MemoryWindowType allowed) {
        if (request.operation() == Operation.BIND_MW) {
            checkBinding(nic, request, allowed);
        } else if (request.operation() == Operation.REG_MR) {
            NicAllocatedRegion region = (NicAllocatedRegion) own(nic, request.allocatedRegion(), "memory region");
            checkKey(request.localKey(), region.slot());
            region.mapped().checkAccess(request.registerAccess());
        }
    }

    private static void checkBinding(Nic nic, WorkRequest request, MemoryWindowType allowed) {
        own(nic, request.window(), "memory window");
        if (request.window().type() != allowed) {
            throw new IllegalArgumentException("a memory window of " + request.window().type() + " is not bound by this call: "
                + (allowed == MemoryWindowType.TYPE_1 ? "post the request with postSend" : "use bindWindow of the queue pair"));
        }
        MemoryBinding binding = request.binding();
        AccessFlags.validateWindow(allowed, binding.access());
        if (binding.lengthBytes() > 0) {
            own(nic, binding.region(), "memory region");
        }
    }

    private static void checkKey(int key, KeySlot slot) {
        if (!MemoryRegion.isSameIndex(key, slot.issuedKey())) {
            throw new IllegalArgumentException("key 0x" + Integer.toHexString(key) + " has another index than the memory region's 0x"
                + Integer.toHexString(slot.issuedKey()) + ": change the low 8 bits only");
        }
    }

    private static KeyHolder own(Nic nic, Object object, String what) {
        if (object instanceof KeyHolder holder && holder.belongsTo(nic)) {
            return holder;
        }
        throw new IllegalArgumentException("the " + what + (object == null ? " is null: give one"
            : " belongs to another device than the queue pair: create it with this one"));
    }

    /** Fills in the slot of a checked request. From here on the key that the request asks for is the latest of its window or region. */
    static void fill(WorkRequest request, LocalRequest into) {
        switch (request.operation()) {
            case BIND_MW -> {
                KeySlot window = ((KeyHolder) request.window()).slot();
                MemoryBinding binding = request.binding();
                int key = window.type() == KeySlot.Type.WINDOW_TYPE_1 ? window.issueNext() : window.issue(request.localKey());
                KeySlot region = binding.lengthBytes() == 0 ? null : ((KeyHolder) binding.region()).slot();
                into.bind(window, key, region, region == null ? 0 : region.issuedKey(), binding.address(), binding.lengthBytes(),
                    binding.access());
            }
            case REG_MR -> {
                NicAllocatedRegion region = (NicAllocatedRegion) request.allocatedRegion();
                int key = region.slot().issue(request.localKey());
                into.register(region.slot(), key, request.registerAccess(), region.mapped().baseAddress(),
                    region.mapped().range());
            }
            default -> into.invalidate(request.localKey());
        }
    }
}
