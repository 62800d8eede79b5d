package io.rxe.sim;

import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AllocatedRegion;
import io.rxe.verbs.MemoryBinding;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.MemoryWindow;
import io.rxe.verbs.MemoryWindowType;
import io.rxe.verbs.Operation;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.WorkRequest;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The memory windows and fast registrations of one application: binds them to parts of its target at random, lets the peer use them, and
 * takes them back with a LOCAL_INV, another binding, by closing them or the region below, or lets the peer invalidate them. A reference
 * model: what the peer may use is known at every moment, and keys that grant nothing any more are remembered.
 */
final class WindowOwner {
    private static final int WINDOWS = 3;
    private static final int RIGHTS = AccessFlags.REMOTE_READ | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_ATOMIC;
    private static final int MAX_STALE_KEYS = 16;

    private enum State {
        FREE,
        /** A request that changes it is posted. */
        CHANGING,
        BOUND,
        /** The peer begins no use any more. */
        RETIRED,
        /** The peer has sent or will send a SEND with invalidate. */
        LEFT_TO_PEER
    }

    /** A window and what the peer knows of it. */
    static final class Window {
        /** Null for a fast registration. */
        private MemoryWindow window;
        /** Null for a window. */
        private AllocatedRegion registration;
        /** A region over the target that this window alone is bound to; null when there is none. */
        private MemoryRegion below;
        private State state = State.FREE;
        int key;
        int offset;
        int length;
        long address;
        /** Requests of the peer that use it and have not completed. */
        int uses;
        private Request change;
        /** The binding in force until the change has run; null when there is none. */
        private Stale before;

        private boolean isTypeOne() {
            return window != null && window.type() == MemoryWindowType.TYPE_1;
        }

        private void close() {
            if (window != null) {
                window.close();
            } else {
                registration.close();
            }
            closeBelow();
        }

        private void closeBelow() {
            if (below != null) {
                below.close();
            }
        }

        /** Ends what it grants by closing a region; a window itself stays open. */
        private void closeRegion() {
            if (registration != null) {
                registration.close();
            }
            closeBelow();
        }
    }

    /** A binding that has ended. */
    record Stale(int key, long address) {
    }

    private final MemoryRegion target;
    private final ByteBuffer memory;
    private final NicNode node;
    private final SeededRandom random;
    private final List<Window> windows = new ArrayList<>();
    private final ArrayDeque<Stale> staleKeys = new ArrayDeque<>();
    /** Windows whose region was closed while they were bound to it. */
    private final List<MemoryWindow> orphans = new ArrayList<>();
    /** The binding of the last of them; null for none. */
    private Stale orphanKey;

    WindowOwner(NicNode node, ApplicationMemory memory, SeededRandom random) {
        this.node = node;
        this.target = memory.target;
        this.memory = memory.targetMemory();
        this.random = random;
        allocate();
    }

    private void allocate() {
        for (int i = 0; i < WINDOWS; i++) {
            Window window = new Window();
            renew(window);
            windows.add(window);
        }
    }

    private void renew(Window window) {
        boolean isRegistration = random.chance(0.25);
        window.registration = isRegistration ? node.domain().allocateRegion(1) : null;
        window.window = isRegistration ? null
            : node.domain().allocateWindow(random.chance(0.5) ? MemoryWindowType.TYPE_1 : MemoryWindowType.TYPE_2);
        window.below = null;
        window.state = State.FREE;
        window.key = 0;
    }

    /** Posts a request that changes a window, or returns null when none is to change now. Also closes windows now and then. */
    Request post(QueuePair queuePair, long id, boolean signaled) {
        if (random.chance(0.7)) {
            return null;
        }
        Window window = random.oneOf(windows.toArray(new Window[0]));
        if (window.state == State.BOUND && random.chance(0.3)) {
            window.state = State.RETIRED;
        }
        if (window.state == State.RETIRED && window.uses == 0) {
            if (random.chance(0.3)) {
                replace(window);
                return null;
            }
            return window.isTypeOne() ? bind(queuePair, window, id, signaled) : invalidate(queuePair, window, id, signaled);
        }
        if (window.state != State.FREE) {
            return null;
        }
        return window.window == null ? register(queuePair, window, id, signaled) : bind(queuePair, window, id, signaled);
    }

    private Request register(QueuePair queuePair, Window window, long id, boolean signaled) {
        int bytes = (int) target.length();
        window.offset = 8 * random.between(0, bytes / 8 - 1);
        window.length = random.between(1, bytes - window.offset);
        window.address = random.chance(0.4) ? 0 : target.address() + window.offset;
        window.registration.map(window.address, memory.slice(window.offset, window.length));
        window.key = window.registration.nextKey();
        boolean posted = queuePair.postSend(new WorkRequest().id(id).registerMemory(window.registration, window.key,
            RIGHTS | AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_INVALIDATE).signaled(signaled).fence(random.chance(0.1)));
        return change(window, Operation.REG_MR, id, signaled, posted);
    }

    private MemoryRegion regionFor(Window window) {
        if (window.below == null && random.chance(0.5)) {
            window.below = node.domain().register(RIGHTS | AccessFlags.LOCAL_WRITE | AccessFlags.MW_BIND, target.address(), memory);
        }
        return window.below == null ? target : window.below;
    }

    private Request bind(QueuePair queuePair, Window window, long id, boolean signaled) {
        boolean isTypeOne = window.isTypeOne();
        int bytes = (int) target.length();
        window.before = binding(window);
        window.offset = 8 * random.between(0, bytes / 8 - 1);
        window.length = isTypeOne && random.chance(0.1) ? 0 : random.between(1, bytes - window.offset);
        boolean isZeroBased = !isTypeOne && random.chance(0.4);
        window.address = isZeroBased ? 0 : target.address() + window.offset;
        MemoryBinding binding = window.length == 0 ? MemoryBinding.NONE : new MemoryBinding(regionFor(window),
            target.address() + window.offset, window.length, RIGHTS | (isZeroBased ? AccessFlags.ZERO_BASED : 0));
        WorkRequest request = new WorkRequest().id(id);
        boolean isFenced = random.chance(0.1);
        boolean posted = isTypeOne ? queuePair.bindWindow(request.bindWindow(window.window, binding).signaled(signaled).fence(isFenced))
            : queuePair.postSend(request.bindWindow(window.window, window.window.nextRKey(), binding).signaled(signaled).fence(isFenced));
        window.key = window.window.rKey();
        return change(window, Operation.BIND_MW, id, signaled, posted);
    }

    private Request invalidate(QueuePair queuePair, Window window, long id, boolean signaled) {
        boolean posted = queuePair.postSend(new WorkRequest().id(id).localInvalidate(window.key).signaled(signaled));
        return change(window, Operation.LOCAL_INV, id, signaled, posted);
    }

    private static Stale binding(Window window) {
        return window.key == 0 || window.length == 0 ? null : new Stale(window.key, window.address);
    }

    private static Request change(Window window, Operation operation, long id, boolean signaled, boolean posted) {
        if (!posted) {
            throw new SimulationFailure("the send queue has no room for " + operation);
        }
        Request request = new Request(id, operation, 0);
        request.signaled = signaled;
        window.state = State.CHANGING;
        window.change = request;
        return request;
    }

    /** A window is closed, bound or not, or only the region it is bound to; another takes its place. */
    private void replace(Window window) {
        if (window.window != null && window.below != null && random.chance(0.7)) {
            window.below.close();
            orphans.add(window.window);
            orphanKey = binding(window);
        } else {
            window.close();
        }
        stale(binding(window));
        renew(window);
    }

    private void stale(Stale ended) {
        if (ended != null) {
            staleKeys.addFirst(ended);
            if (staleKeys.size() > MAX_STALE_KEYS) {
                staleKeys.removeLast();
            }
        }
    }

    /** A request that changes a window completed with success. */
    void completed(Request request) {
        for (Window window : windows) {
            if (window.change == request) {
                window.change = null;
                boolean isBinding = request.operation != Operation.LOCAL_INV;
                stale(isBinding ? window.before : binding(window));
                window.before = null;
                if (!isBinding) {
                    window.key = 0;
                }
                window.state = isBinding && window.length > 0 ? State.BOUND : State.FREE;
            }
        }
    }

    /** The peer's SEND with invalidate was delivered. */
    void invalidatedByPeer(int key) {
        for (Window window : windows) {
            if (window.key == key && window.state == State.LEFT_TO_PEER) {
                stale(binding(window));
                window.key = 0;
                window.state = State.FREE;
            }
        }
    }

    /** The peer: a window for a request of some bytes at an address that is a multiple of 8; null when there is none. */
    Window take(int bytes, SeededRandom by) {
        Window window = by.oneOf(windows.toArray(new Window[0]));
        return window.state == State.BOUND && window.length >= bytes ? window : null;
    }

    /** The peer: a key to invalidate that it does not use any more; 0 when there is none. */
    int takeToInvalidate() {
        for (Window window : windows) {
            if (window.state == State.BOUND && window.uses == 0 && !window.isTypeOne()) {
                window.state = State.LEFT_TO_PEER;
                return window.key;
            }
        }
        return 0;
    }

    /** The peer: a binding whose region was closed, or else the one that ended last; or one that never was. */
    Stale stale() {
        if (orphanKey != null && random.chance(0.7)) {
            return orphanKey;
        }
        return staleKeys.isEmpty() ? new Stale(random.bits(), 0) : staleKeys.peekFirst();
    }

    /** Another peer: a window of type 2, which only the queue pair of this application serves; null when there is none. */
    Window typeTwo() {
        for (Window window : windows) {
            if (window.state == State.BOUND && window.window != null && !window.isTypeOne()) {
                return window;
            }
        }
        return null;
    }

    /** The queue pair was reset or closed, so that nobody knows which of its requests ran. */
    void restart() {
        close();
        staleKeys.clear();
        windows.clear();
        allocate();
    }

    /** The target is deregistered: so are all other regions over its memory, and no window grants anything any more. */
    void closeRegions() {
        windows.forEach(Window::closeRegion);
    }

    void close() {
        windows.forEach(Window::close);
        orphans.forEach(MemoryWindow::close);
        orphans.clear();
        orphanKey = null;
    }
}
