package io.rxe.device;

import io.rxe.qp.QueuePairTasks;
import io.rxe.wire.Gid;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The multicast groups of one engine, and the queue pairs that are members of each. Owned by the engine thread. */
final class GroupMembers {
    private final Map<Gid, List<QueuePairTasks>> groups = new HashMap<>();

    /** The members of a group; empty for a group that nobody joined. */
    List<QueuePairTasks> members(Gid group) {
        return groups.getOrDefault(group, List.of());
    }

    /** Makes a queue pair a member; false when it is one already. */
    boolean attach(QueuePairTasks queuePair, Gid group) {
        List<QueuePairTasks> members = groups.computeIfAbsent(group, gid -> new ArrayList<>());
        return !members.contains(queuePair) && members.add(queuePair);
    }

    /** Undoes {@link #attach}; false when it was no member. */
    boolean detach(QueuePairTasks queuePair, Gid group) {
        List<QueuePairTasks> members = groups.getOrDefault(group, new ArrayList<>());
        boolean wasMember = members.remove(queuePair);
        if (members.isEmpty()) {
            groups.remove(group);
        }
        return wasMember;
    }

    /** Detaches a queue pair from all its groups, and returns them. */
    List<Gid> detach(QueuePairTasks queuePair) {
        List<Gid> left = new ArrayList<>(groups.keySet());
        left.removeIf(group -> !detach(queuePair, group));
        return left;
    }
}
