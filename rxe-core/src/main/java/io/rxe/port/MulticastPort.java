package io.rxe.port;

import io.rxe.wire.Gid;

/** Joins and leaves multicast groups on behalf of a NIC. Called on application threads. */
public interface MulticastPort {
    /** A port without multicast. */
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

    /** Joins a group: every engine receives a copy of each datagram. Each join needs a leave of its own. */
    void joinMulticast(Gid group);

    /** Undoes one join; the last leave ends the reception. */
    void leaveMulticast(Gid group);
}
