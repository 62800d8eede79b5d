package io.rxe.port;

import io.rxe.wire.Gid;

/** Joins and leaves multicast groups for the sockets of a NIC. Called on application threads. */
public interface MulticastPort {
    /** A port that cannot. */
    MulticastPort NONE = new MulticastPort() {
        @Override
        public void joinMulticast(Gid group) {
            throw new IllegalStateException("this port does not receive multicast: group " + group + " cannot be joined");
        }

        @Override
        public void leaveMulticast(Gid group) {
            // Nothing was joined.
        }
    };

    /** Datagrams to the group arrive from now on, a copy at every engine. Counted: it takes as many leaves as joins. */
    void joinMulticast(Gid group);

    /** Takes one join back; after the last the datagrams no longer arrive. */
    void leaveMulticast(Gid group);
}
