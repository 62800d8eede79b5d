package io.rxe.sim;

import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.RegionChange;
import java.util.ArrayList;
import java.util.List;

/**
 * Changes what the applications of a NIC use while they use it: completion queues change their size (rule W10), and targets are registered
 * again, with other rights and back, or at the same address with the same memory (rule W9). No request may notice.
 */
final class ResourceChanges {
    private static final double PROBABILITY = 0.02;

    /** A completion queue and the least capacity it needs. */
    private record Queue(CompletionQueue queue, int least) {
    }

    private final SeededRandom random = new SeededRandom(0xc4a6);
    private final List<Queue> queues = new ArrayList<>();
    private final List<ApplicationMemory> memories = new ArrayList<>();

    void add(CompletionQueue queue) {
        if (queues.stream().noneMatch(known -> known.queue == queue)) {
            queues.add(new Queue(queue, queue.capacity()));
        }
    }

    void add(ApplicationMemory memory) {
        memories.add(memory);
    }

    /** Now and then makes one change. */
    void step() {
        if (!random.chance(PROBABILITY)) {
            return;
        }
        if (memories.isEmpty() || random.chance(0.5)) {
            Queue one = random.oneOf(queues.toArray(new Queue[0]));
            one.queue.resize(one.least + random.between(0, one.least));
            return;
        }
        ApplicationMemory memory = random.oneOf(memories.toArray(new ApplicationMemory[0]));
        if (!memory.isDeregistered()) {
            register(memory);
        }
    }

    private void register(ApplicationMemory memory) {
        MemoryRegion target = memory.target;
        int access = target.access();
        if (random.chance(0.5)) {
            // No packet arrives between the two, so that none is refused.
            target.reregister(RegionChange.none().access(0));
            target.reregister(RegionChange.none().access(access));
        } else {
            target.reregister(RegionChange.none().memory(target.address(), memory.targetMemory()));
        }
    }
}
