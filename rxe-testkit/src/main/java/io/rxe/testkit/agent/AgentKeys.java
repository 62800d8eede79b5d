package io.rxe.testkit.agent;

import io.rxe.verbs.AllocatedRegion;
import io.rxe.verbs.MemoryBinding;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.MemoryWindow;
import io.rxe.verbs.MemoryWindowType;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.RegionChange;
import io.rxe.verbs.WorkRequest;
import java.util.Map;
import java.util.function.Function;

/** The commands of the agent that change keys: memory windows, fast registration, re-registration. One thread at a time. */
final class AgentKeys {
    private final Function<String, Object> objects;
    private final WorkRequest request = new WorkRequest();

    /** @param objects finds an object by its name; null when there is none. */
    AgentKeys(Function<String, Object> objects) {
        this.objects = objects;
    }

    static MemoryWindow allocateWindow(ProtectionDomain domain, AgentLine line) {
        return domain.allocateWindow(line.integer("type") == 1 ? MemoryWindowType.TYPE_1 : MemoryWindowType.TYPE_2);
    }

    /** Posts a binding of a window, by verb or by work request as its type asks. Returns its new key. */
    Map<String, Object> bind(AgentLine line) {
        QueuePair queuePair = find(line.text("name"), QueuePair.class);
        MemoryWindow window = find(line.text("mw"), MemoryWindow.class);
        MemoryRegion region = find(line.text("mr"), AgentMemory.class).region();
        MemoryBinding binding = new MemoryBinding(region, region.address() + line.number("offset"), line.number("length"),
            AgentParser.access(line.list("access", "")));
        request.clear().id(line.number("wr_id"));
        boolean posted = window.type() == MemoryWindowType.TYPE_1 ? queuePair.bindWindow(request.bindWindow(window, binding))
            : queuePair.postSend(request.bindWindow(window, window.nextRKey(), binding));
        checkPosted(posted);
        return Map.of("rkey", Integer.toUnsignedString(window.rKey()));
    }

    /** Posts a REG_MR of a part of registered memory. Returns its address and its new key. */
    Map<String, Object> register(AgentLine line) {
        AllocatedRegion region = find(line.text("region"), AllocatedRegion.class);
        AgentMemory memory = find(line.text("mr"), AgentMemory.class);
        region.map(ProtectionDomain.OWN_ADDRESS, memory.buffer().slice(line.integer("offset"), line.integer("length")));
        checkPosted(find(line.text("name"), QueuePair.class).postSend(request.clear().id(line.number("wr_id"))
            .registerMemory(region, region.nextKey(), AgentParser.access(line.list("access", "")))));
        return Map.of("addr", Long.toUnsignedString(region.address()), "rkey", Integer.toUnsignedString(region.rKey()));
    }

    /** Changes the access rights of a region. */
    void reregister(AgentLine line) {
        find(line.text("name"), AgentMemory.class).region()
            .reregister(RegionChange.none().access(AgentParser.access(line.list("access", ""))));
    }

    private static void checkPosted(boolean posted) {
        if (!posted) {
            throw new IllegalStateException("the send queue is full");
        }
    }

    private <T> T find(String name, Class<T> type) {
        Object object = objects.apply(name);
        if (!type.isInstance(object)) {
            throw new IllegalArgumentException("no " + type.getSimpleName() + " named " + name);
        }
        return type.cast(object);
    }
}
