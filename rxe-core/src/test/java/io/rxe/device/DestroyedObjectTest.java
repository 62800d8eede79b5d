package io.rxe.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.Device;
import io.rxe.verbs.MemoryFaults;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.MemoryWindow;
import io.rxe.verbs.MemoryWindowType;
import io.rxe.verbs.ProcessMemory;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.RegionChange;
import io.rxe.verbs.RequestBatch;
import io.rxe.verbs.SharedReceiveQueue;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import io.rxe.verbs.XrcDomain;
import io.rxe.wire.Gid;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Every method of every object that was closed: it answers, or says in a sentence that it is closed. {@link ClosedResourceTest}. */
class DestroyedObjectTest {
    /** These check their arguments first, and find a mistake in those that {@link #argument} gives. */
    private static final Set<String> CHECKED_FIRST = Set.of("CompletionQueue.requestNotification", "QueuePair.bindWindow",
        "QueuePair.attachMulticast", "QueuePair.detachMulticast");

    /** Nothing is copied here. */
    private static final MemoryFaults NO_FAULTS = (MemoryFaults) Proxy.newProxyInstance(MemoryFaults.class.getClassLoader(),
        new Class<?>[] {MemoryFaults.class}, (proxy, method, arguments) -> null);

    private final NicPair nics = new NicPair(new Reporting());
    private final NicPair.End end = nics.left;
    private final XrcDomain xrcDomain = nics.leftNic.openXrcDomain();
    private final List<String> wrong = new ArrayList<>();
    private final TreeSet<String> refused = new TreeSet<>();

    /** Objects of each kind, open; those of a later kind use those of an earlier one. */
    private Map<Class<?>, AutoCloseable> objects() {
        Map<Class<?>, AutoCloseable> objects = new LinkedHashMap<>();
        Device device = nics.leftNic;
        ProtectionDomain domain = device.allocateProtectionDomain();
        CompletionQueue queue = device.createCompletionQueue(8);
        QueuePair pair = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, queue, queue));
        MemoryRegion region = domain.register(ByteBuffer.allocateDirect(64), 0);
        objects.put(ProtectionDomain.class, domain);
        objects.put(CompletionQueue.class, queue);
        objects.put(XrcDomain.class, device.openXrcDomain());
        objects.put(MemoryRegion.class, region);
        objects.put(MemoryWindow.class, domain.allocateWindow(MemoryWindowType.TYPE_1));
        objects.put(SharedReceiveQueue.class, domain.createSharedReceiveQueue(8, 1));
        objects.put(QueuePair.class, pair);
        return objects;
    }

    private Object argument(Class<?> type) {
        if (type == int.class || type == long.class) {
            return type == int.class ? (Object) 1 : (Object) 4096L;
        }
        Map<Class<?>, Object> values = Map.ofEntries(Map.entry(boolean.class, false), Map.entry(Object.class, "attached"),
            Map.entry(Gid.class, Gid.parse("ff0e::1")), Map.entry(WorkRequest.class, new WorkRequest().send()),
            Map.entry(ReceiveRequest.class, new ReceiveRequest()), Map.entry(QueuePairAttributes.class, QueuePairAttributes.toInit(0)),
            Map.entry(WorkCompletion.class, new WorkCompletion()), Map.entry(WorkCompletion[].class, new WorkCompletion[] {
                new WorkCompletion()}), Map.entry(ByteBuffer.class, ByteBuffer.allocateDirect(64)),
            Map.entry(ByteBuffer[].class, new ByteBuffer[] {ByteBuffer.allocateDirect(64)}),
            Map.entry(QueuePairConfig.class, QueuePairConfig.of(QueuePairType.RC, end.queue, end.queue)),
            Map.entry(CompletionQueue.class, end.queue), Map.entry(CompletionChannel.class, new CompletionChannel()),
            Map.entry(AddressVector.class, AddressVector.to(nics.rightNic.gid())), Map.entry(MemoryWindowType.class,
                MemoryWindowType.TYPE_1), Map.entry(ProcessMemory.class, new ProcessMemory(0, 64, NO_FAULTS)),
            Map.entry(RegionChange.class, RegionChange.none()));
        return type == XrcDomain.class ? xrcDomain : values.get(type);
    }

    private void callAll(Class<?> type, Object object, String state) {
        Arrays.stream(type.getMethods()).filter(method -> method.getDeclaringClass() != Object.class)
            .sorted(Comparator.comparing(Method::toString)).forEach(method -> {
                String name = type.getSimpleName() + "." + method.getName();
                Object[] arguments = Arrays.stream(method.getParameterTypes()).map(this::argument).toArray();
                assertTrue(Arrays.stream(arguments).allMatch(argument -> argument != null), () -> "no argument for " + method);
                try {
                    Object result = method.invoke(object, arguments);
                    if (result instanceof RequestBatch<?> batch) {
                        batch.close();
                    }
                } catch (InvocationTargetException e) {
                    Throwable thrown = e.getCause();
                    if (thrown instanceof IllegalStateException && String.valueOf(thrown.getMessage()).contains("closed")) {
                        refused.add(name);
                    } else if (!CHECKED_FIRST.contains(name)) {
                        wrong.add(name + " " + state + ": " + thrown);
                    }
                } catch (IllegalAccessException e) {
                    throw new AssertionError(e);
                }
            });
    }

    @Test
    @DisplayName("what was closed is closed again without effect, and refuses the rest by name")
    void closedObjects() throws Exception {
        for (Class<?> type : objects().keySet()) {
            AutoCloseable object = objects().get(type);
            object.close();
            callAll(type, object, "closed");
            object.close();
        }
        assertEquals(List.of(), wrong);
        for (String name : List.of("QueuePair.modify", "QueuePair.postSend", "QueuePair.query", "CompletionQueue.poll",
            "ProtectionDomain.register", "MemoryRegion.reregister", "SharedReceiveQueue.postReceive", "XrcDomain.createQueuePair")) {
            assertTrue(refused.contains(name), () -> name + " was not refused: " + refused);
        }
        nics.run();
    }

    @Test
    @DisplayName("so do all objects of a NIC that is closed, and the NIC")
    void objectsOfAClosedNic() {
        Map<Class<?>, AutoCloseable> objects = objects();
        nics.leftNic.close();
        objects.forEach((type, object) -> callAll(type, object, "of a closed NIC"));
        callAll(Device.class, nics.leftNic, "closed");
        assertEquals(List.of(), wrong);
        assertTrue(refused.contains("Device.allocateProtectionDomain"), refused::toString);
    }
}
